// Tests that draw pictures need gnuplot; where there is none, they say that they are skipped.
#pragma once

#include <cstdlib>

#include <doctest/doctest.h>

namespace slideway::test {

inline bool gnuplot_is_here() {
  const bool is_here = std::system("gnuplot --version > /dev/null 2>&1") == 0;
  if (!is_here) MESSAGE("skipped: there is no gnuplot");
  return is_here;
}

}  // namespace slideway::test
