// ProgramStart makes the surroundings of a program alike on every system: arguments in UTF-8, standard streams that pass bytes as they are,
// terminals that show UTF-8 and colours.
//
// It must not know what the program does.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace slideway::platform {

// The function main() makes one object before all else, and keeps it until it returns.
class ProgramStart {
 public:
  ProgramStart(int argc, char** argv);
  // The destructor gives the terminals back the modes that they had before.
  ~ProgramStart();
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;

  int count() const { return static_cast<int>(pointers_.size()) - 1; }
  // The arguments of main() in UTF-8, and a null pointer behind them.
  char** arguments() { return pointers_.data(); }

 private:
  struct Terminals;
  std::vector<std::string> words_ = {};
  std::vector<char*> pointers_ = {};
  std::unique_ptr<Terminals> terminals_;
};

}  // namespace slideway::platform
