// The library's messages in words of the command line: the library names its own options and functions, but a user of the
// command can set only --max-steps and the like.
//
// The only place where messages are translated; and what several sub-commands advise by. It must not know what the sub-commands do.
#pragma once

#include <string>

#include "slideway/simulate/outcome.hpp"

namespace slideway::apps {

// A one-step method is likely to be faster than a multistep method with this many events per step or more.
inline constexpr double many_events_per_step = 0.02;

// Branches tells whether to advise following all continuations, which only `slideway run` offers, where it does
// not yet.
enum class Branches { not_offered, offered };

// The message with options for the library's fields, and without the names of its functions.
std::string told_to_user(std::string message, Branches branches = Branches::not_offered);
// without_choice() removes the advice to choose one continuation, where all are followed.
std::string without_choice(const std::string& message);
// The same for a run of `slideway compare`, whose bounds on steps and events come from --max-evaluations.
std::string told_to_comparer(const Outcome& outcome);

}  // namespace slideway::apps
