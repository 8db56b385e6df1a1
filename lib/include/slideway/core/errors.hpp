// One way to refuse bad input: what is wrong, where, what was expected, what was got.
//
// It must not know any problem, integrator or file format.
#pragma once

#include <stdexcept>
#include <string>

namespace slideway {

// The parts of a refusal. `what` and `where` are required, the others are left out of the message when empty.
struct Refusal {
  std::string what = {};
  std::string where = {};
  std::string expected = {};
  std::string got = {};
  std::string advice = {};
};

// "WHERE: WHAT (expected EXPECTED, got GOT); ADVICE"
std::string message(const Refusal& refusal);

// Throws std::invalid_argument carrying `message(refusal)`.
[[noreturn]] void refuse(const Refusal& refusal);

}  // namespace slideway
