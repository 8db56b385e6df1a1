// Calls a function of the user's so that what it throws says which function threw.
//
// It must not know what is called.
#pragma once

#include <stdexcept>
#include <string>

namespace slideway {

// `name` makes the name, which is only asked for where the call throws.
template <class Name, class Call>
decltype(auto) named_call(const Name& name, const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw std::runtime_error(name() + " threw: " + error.what());
  } catch (...) {
    throw std::runtime_error(name() + " threw something that is no std::exception");
  }
}

}  // namespace slideway
