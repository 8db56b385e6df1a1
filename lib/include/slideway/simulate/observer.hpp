// Observer is a callback of a run: a function of what is seen that returns an Answer, or nothing for Answer::go_on.
//     options.on_event = [&](const EventRecord& event) { return event.name == "full" ? Answer::stop : Answer::go_on; };
//
// It must not know what a run shows.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace slideway {

// `stop` ends the run where it is, with Status::stopped_by_caller.
enum class Answer { go_on, stop };

template <class Seen>
class Observer {
 public:
  Observer() = default;
  Observer(std::nullptr_t) {}  // NOLINT: converts on purpose
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, Observer> &&
           std::is_invocable_v<std::remove_cvref_t<Function>&, const Seen&>)
      Observer(Function&& function) {  // NOLINT: converts on purpose
    if constexpr (std::is_same_v<std::remove_cvref_t<Function>, std::function<void(const Seen&)>>) {
      if (!function) return;
    }
    if constexpr (std::is_same_v<std::invoke_result_t<std::remove_cvref_t<Function>&, const Seen&>, Answer>) {
      function_ = std::forward<Function>(function);
    } else {
      function_ = [called = std::forward<Function>(function)](const Seen& seen) mutable {
        called(seen);
        return Answer::go_on;
      };
    }
  }

  explicit operator bool() const { return static_cast<bool>(function_); }
  Answer operator()(const Seen& seen) const { return function_(seen); }

 private:
  std::function<Answer(const Seen&)> function_;
};

}  // namespace slideway
