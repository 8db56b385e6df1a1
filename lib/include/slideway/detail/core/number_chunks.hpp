// Lists of numbers that are appended and never moved: they stand in chunks that grow up to a size, so that a long record is neither
// copied while it grows nor takes more memory than its numbers and one chunk.
//
// It must not know what the numbers mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/detail/core/large_pages.hpp"

namespace slideway {

class NumberChunks {
 public:
  // Place tells where a list begins; it stays valid, in copies as well. 32 bits hold every offset: a chunk longer
  // than that holds a single list, which begins at 0.
  struct Place {
    std::uint32_t chunk = 0;
    std::uint32_t offset = 0;
  };

  // Appends the columns of a matrix, one after the other; they stand side by side.
  Place append(Eigen::Ref<const Matrix> columns);
  // Appends `count` zeros, for numbers that are written there at once.
  Place append_zeros(std::size_t count);
  // Forgets the list at this place, and those that were appended after it.
  void forget_from(const Place& place);
  double* at(const Place& place) { return chunks_[place.chunk].data() + place.offset; }
  const double* at(const Place& place) const { return chunks_[place.chunk].data() + place.offset; }

 private:
  // No chunk outgrows the capacity that it was made with.
  using Chunk = std::vector<double, LargePages<double>>;
  std::vector<Chunk> chunks_;
};

}  // namespace slideway
