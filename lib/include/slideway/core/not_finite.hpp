// A function gave a value that is no number, told in a sentence of its own that says which and where.
//
// It must not know any problem or integrator.
#pragma once

#include <stdexcept>

namespace slideway {

class NotFinite : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace slideway
