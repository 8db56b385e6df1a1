#include "expression/expression_functions.hpp"

#include <map>

#include "expression/source_report.hpp"

namespace slideway::reader {

const std::vector<FunctionEntry>& functions() {
  using enum Function;
  static const std::vector<FunctionEntry> entries = {
      {"sin", smooth, 1, Operation::sin},
      {"cos", smooth, 1, Operation::cos},
      {"tan", smooth, 1, Operation::tan},
      {"asin", smooth, 1, Operation::asin},
      {"acos", smooth, 1, Operation::acos},
      {"atan", smooth, 1, Operation::atan},
      {"atan2", smooth_of_two, 2, Operation::atan2},
      {"sinh", smooth, 1, Operation::sinh},
      {"cosh", smooth, 1, Operation::cosh},
      {"tanh", smooth, 1, Operation::tanh},
      {"exp", smooth, 1, Operation::exp},
      {"log", smooth, 1, Operation::log},
      {"sqrt", smooth, 1, Operation::sqrt},
      {"pow", smooth_of_two, 2, Operation::power},
      {"sgn", sgn, 1},
      {"step", step, 1},
      {"if", if_, 3},
      {"abs", abs, 1},
      {"min", min, 2},
      {"max", max, 2},
      {"sum", sum, 1},
      {"floor", floor, 1},
      {"ceil", ceil, 1},
      {"round", round, 1},
      {"mod", mod, 2},
      {"square", square, 1},
      {"triangle", triangle, 1},
      {"sawtooth", sawtooth, 1},
      {"pulse", pulse, 2},
      {"hypot", hypot, 2},
      {"sat", saturation, 3},
      {"deadzone", dead_zone, 3},
      {"hysteresis", hysteresis, 3},
  };
  return entries;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionEntry& entry : functions()) names.emplace_back(entry.name);
  return names;
}

std::string function_hint(std::string name) {
  static const std::map<std::string, std::string> elsewhere = {{"sign", "sgn(x)"},
                                                               {"signum", "sgn(x)"},
                                                               {"heaviside", "step(x)"},
                                                               {"theta", "step(x)"},
                                                               {"ln", "log(x)"},
                                                               {"log10", "log(x)/log(10)"},
                                                               {"log2", "log(x)/log(2)"},
                                                               {"fabs", "abs(x)"},
                                                               {"arcsin", "asin(x)"},
                                                               {"arccos", "acos(x)"},
                                                               {"arctan", "atan(x)"},
                                                               {"arctan2", "atan2(y, x)"},
                                                               {"power", "a^b"},
                                                               {"sqr", "x^2"},
                                                               {"cbrt", "sgn(x)*abs(x)^(1/3)"},
                                                               {"fmin", "min(a, b)"},
                                                               {"fmax", "max(a, b)"},
                                                               {"where", "if(a > b, p, q)"},
                                                               {"ifelse", "if(a > b, p, q)"},
                                                               {"piecewise", "if(a > b, p, q)"},
                                                               {"clip", "sat(x, low, high)"},
                                                               {"clamp", "sat(x, low, high)"},
                                                               {"saturate", "sat(x, low, high)"},
                                                               {"fmod", "mod(a, b), which has the sign of b"},
                                                               {"rem", "mod(a, b), which has the sign of b"},
                                                               {"frac", "mod(x, 1)"},
                                                               {"trunc", "sgn(x)*floor(abs(x))"},
                                                               {"fix", "sgn(x)*floor(abs(x))"},
                                                               {"int", "floor(x)"},
                                                               {"nint", "round(x)"},
                                                               {"rint", "round(x)"},
                                                               {"ceiling", "ceil(x)"},
                                                               {"relay", "hysteresis(u, low, high)"},
                                                               {"squarewave", "square(w*t)"}};
  static const std::string no_noise =
      "there is no noise: write a sample of it into a file, and name that under [inputs]";
  static const std::string a_state = "write a state, whose derivative is what is integrated";
  static const std::map<std::string, std::string> absent = {
      {"rand", no_noise},
      {"randn", no_noise},
      {"random", no_noise},
      {"noise", no_noise},
      {"normal", no_noise},
      {"gauss", no_noise},
      {"delay", no_past},
      {"lag", no_past},
      {"history", no_past},
      {"integral", a_state},
      {"integrate", a_state},
      {"der", "write the right-hand side of the derivative instead"},
      {"ddt", "write the right-hand side of the derivative instead"}};
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (const auto found = absent.find(name); found != absent.end()) return found->second;
  const auto found = elsewhere.find(name);
  return found != elsewhere.end() ? "write " + found->second : suggestion(name, function_names());
}

}  // namespace slideway::reader
