#include "apps/progress_bar.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "slideway/detail/core/platform/terminal.hpp"

namespace slideway::apps {

namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string progress_line(Index done, Index total, Index already, double seconds, std::size_t width) {
  constexpr std::size_t longest_bar = 30;
  constexpr std::size_t shortest_bar = 5;
  constexpr std::size_t round_bar = 3;  // brackets and a blank
  const std::string counts = fmt::format("{:>{}}/{}  {:3} %", done, std::to_string(total).size(), total,
                                         total > 0 ? done * 100 / total : 100);
  std::string left;
  if (done > already && done < total)
    left = fmt::format("  {} left", duration(seconds * static_cast<double>(total - done) /
                                             static_cast<double>(done - already)));
  if (counts.size() + left.size() + round_bar + shortest_bar > width) left.clear();
  const std::size_t others = counts.size() + left.size() + round_bar;
  if (others + shortest_bar > width) return counts.substr(0, width);
  const std::size_t length = std::min(longest_bar, width - others);
  const std::size_t filled =
      total > 0 ? static_cast<std::size_t>(done) * length / static_cast<std::size_t>(total) : length;
  return fmt::format("[{}{}] {}{}", std::string(filled, '#'), std::string(length - filled, '-'), counts,
                     left);
}

ProgressBar::ProgressBar(int descriptor, Index total, Index already)
    : descriptor_(descriptor),
      terminal_(platform::is_terminal(descriptor)),
      total_(total),
      already_(already) {}

ProgressBar::~ProgressBar() {
  if (drawn_) platform::write_to_terminal(descriptor_, "\r\x1b[K");
}

void ProgressBar::show(Index done) {
  if (!terminal_) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
  // A line that fills the last column would begin another. The window may have been resized since the last time.
  constexpr std::size_t usual_width = 80;
  const std::size_t width = platform::terminal_columns(descriptor_).value_or(usual_width) - 1;
  platform::write_to_terminal(descriptor_,
                              "\r" + progress_line(done, total_, already_, passed.count(), width) + "\x1b[K");
  drawn_ = true;
}

}  // namespace slideway::apps
