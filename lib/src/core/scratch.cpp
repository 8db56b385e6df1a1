#include "slideway/core/scratch.hpp"

#include <algorithm>
#include <vector>

namespace slideway {
namespace {

constexpr std::size_t granule = alignof(std::max_align_t);
constexpr std::size_t smallest_block = 4096;

struct Block {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0;
};

// Blocks before `current` are full, those after it are free. A block never moves while it is in use, so
// pointers handed out stay valid when a deeper frame needs more room.
struct Stack {
  std::vector<Block> blocks;
  std::size_t current = 0;
  std::size_t used = 0;
};

thread_local Stack stack;

}  // namespace

ScratchFrame::ScratchFrame() noexcept : block_(stack.current), used_(stack.used) {}

ScratchFrame::~ScratchFrame() {
  stack.current = block_;
  stack.used = used_;
}

void* ScratchFrame::take_bytes(std::size_t bytes) {
  const std::size_t size = (bytes + granule - 1) / granule * granule;
  if (stack.blocks.empty()) stack.blocks.emplace_back();
  if (stack.used + size > stack.blocks[stack.current].size) {
    const bool block_in_use = stack.used > 0;
    const std::size_t target = stack.current + (block_in_use ? 1 : 0);
    if (target == stack.blocks.size()) stack.blocks.emplace_back();
    Block& block = stack.blocks[target];
    if (block.size < size) {
      const std::size_t grown = std::max({size, smallest_block, 2 * stack.blocks[stack.current].size});
      block.memory = std::make_unique<std::byte[]>(grown);
      block.size = grown;
    }
    stack.current = target;
    stack.used = 0;
  }
  void* memory = stack.blocks[stack.current].memory.get() + stack.used;
  stack.used += size;
  return memory;
}

}  // namespace slideway
