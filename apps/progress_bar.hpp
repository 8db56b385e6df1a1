// How far a long command is and how long it will take: a line that is drawn again and again, on a terminal only.
//
// It must not know what is being done.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "slideway/core/types.hpp"

namespace slideway::apps {

class ProgressBar {
 public:
  // `already` of `total` were done before; they say nothing about the speed.
  ProgressBar(int descriptor, Index total, Index already);
  // Removes the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(Index done);

 private:
  int descriptor_;
  bool terminal_;
  bool drawn_ = false;
  Index total_;
  Index already_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// progress_line() returns "[#####-----]  12/24  50 %  0:07 left". The bar is shorter in a narrow terminal; then
// the time that is left goes, then the bar.
std::string progress_line(Index done, Index total, Index already, double seconds, std::size_t width);

}  // namespace slideway::apps
