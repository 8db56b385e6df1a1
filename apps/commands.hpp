// The sub-commands: what each is asked, as read from the command line, and the function that does it.
//
// They must not know how a command line is parsed. Wrong input throws std::exception; the main function reports it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"

namespace slideway::apps {

// What was not asked for is empty: model files and built-in defaults come next, in this order.
struct RunArguments {
  std::string model = {};
  Settings settings = {};  // in the order given; the last one wins
  std::optional<double> end = {};
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  std::optional<double> max_step = {};
  std::optional<Index> max_events = {};
  std::optional<Index> points = {};
  std::string method = {};
  std::string on_ambiguity = {};
  std::string csv = {};
  std::string json = {};
  std::string plot = {};
  bool full_events = false;
  bool quiet = false;
};

struct ShowArguments {
  std::string model = {};
};

struct ValidateArguments {
  std::vector<std::string> names = {};
  double rtol = 1e-6;
  std::string method = {};  // empty: all of them
};

int run(const RunArguments& arguments, std::ostream& out, std::ostream& err);
int list_models(std::ostream& out);
int show(const ShowArguments& arguments, std::ostream& out);
int validate(const ValidateArguments& arguments, std::ostream& out);

}  // namespace slideway::apps
