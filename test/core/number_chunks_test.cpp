// Lists of numbers that are appended and never moved.
#include <doctest/doctest.h>

#include "slideway/detail/core/number_chunks.hpp"

namespace slideway::test {

TEST_CASE(
    "numbers that are appended stay where they are, in copies too, and large lists have their own chunk") {
  NumberChunks chunks;
  std::vector<NumberChunks::Place> places;
  std::vector<Matrix> expected;
  std::vector<const double*> addresses;
  for (Index k = 0; k < 3000; ++k) {
    // The largest is longer than a chunk.
    const Index rows = k == 1000 ? 400'000 : 1 + k % 7;
    expected.push_back(Matrix::Random(rows, 1 + k % 3));
    places.push_back(chunks.append(expected.back()));
    addresses.push_back(chunks.at(places.back()));
  }
  const NumberChunks copy = chunks;
  NumberChunks moved = chunks;
  moved.append(Matrix::Ones(5, 5));
  for (std::size_t k = 0; k < places.size(); ++k) {
    CHECK(chunks.at(places[k]) == addresses[k]);
    for (const NumberChunks& one : {copy, moved}) {
      const Eigen::Map<const Matrix> found(one.at(places[k]), expected[k].rows(), expected[k].cols());
      CHECK((found.array() == expected[k].array()).all());
    }
  }
}

TEST_CASE("columns of a larger matrix are appended without what stands between them") {
  const Matrix large = Matrix::Random(7, 5);
  NumberChunks chunks;
  const NumberChunks::Place place = chunks.append(large.block(2, 1, 3, 4));
  CHECK((Eigen::Map<const Matrix>(chunks.at(place), 3, 4).array() == large.block(2, 1, 3, 4).array()).all());
}

}  // namespace slideway::test
