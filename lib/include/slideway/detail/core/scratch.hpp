// Short-lived memory for callbacks: a stack per thread, so that a function called millions of times, from
// any thread and from inside itself, allocates only until the stack has grown to what it needs.
//
//     ScratchFrame frame;
//     double* sums = frame.take<double>(n);   // zeroed; valid until `frame` goes out of scope
//
// It must not know what the memory is used for.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "slideway/core/types.hpp"

namespace slideway {

// Frames nest: the last one made in a thread is the first one to go.
class ScratchFrame {
 public:
  // The free end of a thread's stack.
  struct Position {
    std::byte* next = nullptr;
    std::byte* end = nullptr;
    std::size_t blocks_in_use = 0;
  };

  ScratchFrame() noexcept;
  ~ScratchFrame();
  ScratchFrame(const ScratchFrame&) = delete;
  ScratchFrame& operator=(const ScratchFrame&) = delete;

  // `count` value-initialised elements.
  template <class Element>
  Element* take(Index count) {
    static_assert(std::is_trivially_destructible_v<Element>, "scratch elements are never destroyed");
    static_assert(alignof(Element) <= alignof(std::max_align_t));
    const auto size = static_cast<std::size_t>(count);
    auto* elements = static_cast<Element*>(take_bytes(size * sizeof(Element)));
    std::uninitialized_value_construct_n(elements, size);
    return elements;
  }

 private:
  static void* take_bytes(std::size_t bytes);

  Position start_;
};

}  // namespace slideway
