#include "lib/fmi/log.hpp"

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

namespace slideway::fmi {

void Log::take(int status, const char* category, const char* text) {
  constexpr int discard = 2;
  constexpr std::size_t most = 3, longest = 500;
  if (text == nullptr || (status < discard && !shows_)) return;
  const bool has_category = category != nullptr && category[0] != '\0';
  std::string message = has_category ? fmt::format("[{}] {}", category, text) : std::string(text);
  if (shows_) fmt::print(stderr, "{}: {}\n", file_, message);
  if (status < discard) return;
  if (messages_.size() == most) messages_.erase(messages_.begin());
  if (message.size() > longest) message = message.substr(0, longest) + "…";
  messages_.push_back(std::move(message));
}

std::string Log::complaints() const {
  return messages_.empty() ? "" : fmt::format(" (the FMU says: {})", fmt::join(messages_, "; "));
}

void Log::check(int status, const char* function) {
  constexpr int warning = 1, discard = 2, fatal = 4;
  if (status == 0 || status == warning) return;
  const std::string got = complaints();
  messages_.clear();
  if (status == discard)
    throw std::domain_error(fmt::format("{}: {} has no value here{}", file_, function, got));
  throw std::runtime_error(fmt::format("{}: {} ended with the status {}{}", file_, function,
                                       status == fatal       ? "fatal"
                                       : status == fatal - 1 ? "error"
                                                             : fmt::format("{}, which is none", status),
                                       got));
}

}  // namespace slideway::fmi
