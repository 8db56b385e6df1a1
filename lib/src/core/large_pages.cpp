#include "slideway/detail/core/large_pages.hpp"

#include <array>
#include <new>

#include "slideway/detail/core/platform/memory.hpp"

namespace slideway {

namespace {

using platform::kLargePage;
// A page of 2 MiB takes no more time than 28 small ones. From a quarter of it on no record takes more than four times its memory.
constexpr std::size_t kLeastInLargePages = kLargePage / 4;

// KeptBlocks holds the blocks that one thread has freed. A run like the one before asks for the same sizes again.
//
// It has no destructor, so that a record may be freed after the thread's other variables.
class KeptBlocks {
 public:
  // Returns null where no block of this size is kept.
  void* take(std::size_t bytes) {
    for (std::size_t k = count_; k-- > 0;) {
      if (blocks_[k].bytes != bytes) continue;
      void* const memory = blocks_[k].memory;
      bytes_ -= bytes;
      blocks_[k] = blocks_[--count_];
      return memory;
    }
    return nullptr;
  }
  // Returns false where the block has no room here, or the thread ends.
  bool keep(void* memory, std::size_t bytes) {
    if (is_closed_ || count_ == blocks_.size() || bytes > kMostKeptBytes - bytes_) return false;
    bytes_ += bytes;
    blocks_[count_++] = {memory, bytes};
    return true;
  }
  void close();

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  // A record of 65,000 steps leaves 17 blocks of steps, each twice the one before, and nine blocks and three large pages of numbers.
  std::array<Block, 32> blocks_ = {};
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool is_closed_ = false;
};

struct ClosedAtEnd {
  KeptBlocks& blocks;
  ~ClosedAtEnd() { blocks.close(); }
};

KeptBlocks& kept_blocks() {
  thread_local constinit KeptBlocks blocks;
  thread_local ClosedAtEnd closed_at_end{blocks};
  return blocks;
}

void* allocate_anew(std::size_t bytes) {
  if (bytes < kLeastInLargePages) return ::operator new(bytes);
  void* const memory = platform::allocate_large_pages(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_at_once(void* memory, std::size_t bytes) noexcept {
  if (bytes < kLeastInLargePages) {
    ::operator delete(memory);
  } else {
    platform::free_large_pages(memory);
  }
}

void KeptBlocks::close() {
  is_closed_ = true;
  while (count_ > 0) {
    const Block& block = blocks_[--count_];
    free_at_once(block.memory, block.bytes);
  }
}

}  // namespace

void* allocate_pages(std::size_t bytes) {
  void* const kept = kept_blocks().take(bytes);
  return kept != nullptr ? kept : allocate_anew(bytes);
}

void free_pages(void* memory, std::size_t bytes) noexcept {
  if (!kept_blocks().keep(memory, bytes)) free_at_once(memory, bytes);
}

}  // namespace slideway
