#include "slideway/detail/core/scratch.hpp"

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

// Apart from `top`, which every call reads: an object with a destructor costs a look-up at each use.
thread_local std::vector<Block> blocks;
constinit thread_local ScratchFrame::Position top;

// The first of the free blocks, made large enough. Blocks in use never move nor go, so that pointers handed
// out stay valid when a deeper frame needs more room.
void open_next_block(std::size_t size) {
  const std::size_t index = top.blocks_in_use;
  if (index == blocks.size()) blocks.emplace_back();
  Block& block = blocks[index];
  if (block.size < size) {
    const std::size_t previous = index > 0 ? blocks[index - 1].size : 0;
    const std::size_t grown = std::max({size, smallest_block, 2 * previous});
    block.memory = std::make_unique<std::byte[]>(grown);
    block.size = grown;
  }
  top = {block.memory.get(), block.memory.get() + block.size, index + 1};
}

}  // namespace

ScratchFrame::ScratchFrame() noexcept : start_(top) {}

ScratchFrame::~ScratchFrame() { top = start_; }

void* ScratchFrame::take_bytes(std::size_t bytes) {
  const std::size_t size = (bytes + granule - 1) / granule * granule;
  if (size > static_cast<std::size_t>(top.end - top.next)) open_next_block(size);
  std::byte* memory = top.next;
  top.next += size;
  return memory;
}

}  // namespace slideway
