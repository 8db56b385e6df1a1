#include "apps/progress_bar.hpp"

#include <unistd.h>

#include <cmath>

#include <fmt/format.h>

namespace slideway::apps {

namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

void write_all(int descriptor, const std::string& text) {
  // A terminal that is gone is no reason to stop.
  [[maybe_unused]] const auto written = write(descriptor, text.data(), text.size());
}

}  // namespace

std::string progress_line(Index done, Index total, Index already, double seconds) {
  constexpr Index width = 30;
  const Index filled = total > 0 ? done * width / total : width;
  std::string line =
      fmt::format("[{}{}] {:>{}}/{}  {:3} %", std::string(static_cast<std::size_t>(filled), '#'),
                  std::string(static_cast<std::size_t>(width - filled), '-'), done,
                  std::to_string(total).size(), total, total > 0 ? done * 100 / total : 100);
  if (done > already && done < total)
    line += fmt::format("  {} left", duration(seconds * static_cast<double>(total - done) /
                                              static_cast<double>(done - already)));
  return line;
}

ProgressBar::ProgressBar(int descriptor, Index total, Index already)
    : descriptor_(descriptor), terminal_(isatty(descriptor) == 1), total_(total), already_(already) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_all(descriptor_, "\r\x1b[K");
}

void ProgressBar::show(Index done) {
  if (!terminal_) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  write_all(descriptor_, "\r" + progress_line(done, total_, already_, passed.count()) + "\x1b[K");
  drawn_ = true;
}

}  // namespace slideway::apps
