#include "slideway/detail/core/scratch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <vector>

using namespace slideway;

TEST_CASE("scratch memory starts at zero, also where it was used before") {
  for (int round = 0; round < 3; ++round) {
    ScratchFrame frame;
    double* numbers = frame.take<double>(100);
    CHECK(std::all_of(numbers, numbers + 100, [](double number) { return number == 0; }));
    std::fill(numbers, numbers + 100, 7.0);
  }
}

TEST_CASE("a frame that ends gives its memory to the next one") {
  double* first = nullptr;
  {
    ScratchFrame frame;
    first = frame.take<double>(10);
  }
  ScratchFrame frame;
  CHECK(frame.take<double>(10) == first);
}

TEST_CASE("memory of an outer frame survives an inner one that needs much more") {
  ScratchFrame outer;
  double* kept = outer.take<double>(50);
  std::fill(kept, kept + 50, 3.0);
  for (Index size : {10, 100'000, 1'000'000, 5}) {
    ScratchFrame inner;
    double* numbers = inner.take<double>(size);
    std::fill(numbers, numbers + size, -1.0);
    double* more = inner.take<double>(size);
    std::fill(more, more + size, -2.0);
    CHECK(numbers[size - 1] == -1.0);
  }
  double* after = outer.take<double>(50);
  std::fill(after, after + 50, 4.0);
  CHECK(std::all_of(kept, kept + 50, [](double number) { return number == 3; }));
}

TEST_CASE("every thread has scratch memory of its own") {
  ScratchFrame frame;
  double* mine = frame.take<double>(10);
  double* theirs = nullptr;
  std::thread([&] {
    ScratchFrame other;
    theirs = other.take<double>(10);
    std::fill(theirs, theirs + 10, 1.0);
  }).join();
  CHECK(theirs != nullptr);
  CHECK(theirs != mine);
  CHECK(mine[0] == 0);
}

TEST_CASE("no elements need no memory") {
  ScratchFrame frame;
  frame.take<double>(0);
  double* one = frame.take<double>(1);
  CHECK(*one == 0);
}
