#include "slideway/detail/core/number_chunks.hpp"

#include <algorithm>

namespace slideway {

namespace {

// Each chunk is twice as large as the one before up to 512 KiB, from which on a chunk is a large page of 2 MiB.
constexpr std::size_t kFirstChunk = 256;        // numbers
constexpr std::size_t kLargestChunk = 1 << 18;  // unless one list is longer
constexpr std::size_t kLeastOfPage = 1 << 16;

}  // namespace

NumberChunks::Place NumberChunks::append_zeros(std::size_t count) {
  if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < count) {
    std::size_t next = chunks_.empty() ? kFirstChunk : std::max(kFirstChunk, 2 * chunks_.back().size());
    if (next >= kLeastOfPage) next = kLargestChunk;
    Chunk chunk;
    chunk.reserve(std::max(count, next));
    chunks_.push_back(std::move(chunk));
  }
  Chunk& chunk = chunks_.back();
  const Place place{static_cast<std::uint32_t>(chunks_.size() - 1), static_cast<std::uint32_t>(chunk.size())};
  chunk.resize(place.offset + count);
  return place;
}

void NumberChunks::forget_from(const Place& place) {
  chunks_.resize(std::size_t{place.chunk} + 1);
  chunks_.back().resize(place.offset);
}

NumberChunks::Place NumberChunks::append(Eigen::Ref<const Matrix> columns) {
  const Place place = append_zeros(static_cast<std::size_t>(columns.size()));
  double* next = at(place);
  for (Index k = 0; k < columns.cols(); ++k) next = std::copy_n(columns.col(k).data(), columns.rows(), next);
  return place;
}

}  // namespace slideway
