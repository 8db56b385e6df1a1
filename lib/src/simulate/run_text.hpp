// Numbers in the messages of a run.
//
// It must not know what they mean.
#pragma once

#include <sstream>
#include <string>

namespace slideway {

inline std::string number_text(double value) {
  std::ostringstream out;
  out.precision(10);
  out << value;
  return out.str();
}

}  // namespace slideway
