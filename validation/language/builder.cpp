#include "validation/language/builder.hpp"

#include <array>
#include <utility>

namespace slideway::validation::language {

Builder::Builder(random::Draw& draw) : draw_(draw) {}

std::string Builder::fresh(const std::string& stem) { return stem + std::to_string(++names_) + "_"; }

Term Builder::state(const std::string& stem, double initial, double scale) {
  const std::string text = fresh(stem);
  model_.states.push_back({.name = text, .initial = initial, .scale = scale});
  return name(text);
}

Term Builder::discrete(const std::string& stem, double initial) {
  const std::string text = fresh(stem);
  model_.discrete.push_back({text, initial});
  return name(text);
}

Term Builder::parameter(const std::string& stem, double value) {
  const std::string text = fresh(stem);
  model_.parameters.push_back({text, value});
  return name(text);
}

Term Builder::definition(const std::string& stem, const Term& value) {
  const std::string text = fresh(stem);
  model_.definitions.push_back({text, value});
  return name(text);
}

void Builder::derivative(const Term& state, const Term& value) {
  model_.derivatives.push_back({state.head(), value});
}

Term Builder::constant(double low, double high) {
  const double value = draw_.number(low, high);
  return draw_.chance(0.2) ? parameter("p", value) : Term(value);
}

std::string Builder::signal_line() {
  SignalLine line{.name = fresh("in")};
  const int knots = draw_.integer(3, 6);
  double t = 0;
  for (int k = 0; k < knots; ++k) {
    line.times.push_back(t);
    line.values.push_back(draw_.number(-1, 1));
    t += draw_.number(0.4, 2);
  }
  line.extrapolation = draw_.chance(0.5) ? "hold" : "periodic";
  if (line.extrapolation == "periodic") line.values.back() = line.values.front();
  constexpr std::array kinds = {"hold", "linear", "pchip", "cubic"};
  line.interpolation = kinds[static_cast<std::size_t>(draw_.integer(0, 3))];
  model_.inputs.push_back(line);
  return line.name;
}

std::string Builder::table_line(bool holds) {
  TableLine line{.name = fresh("tab")};
  const int knots = draw_.integer(2, 5);
  double x = draw_.number(-1.5, -0.5);
  std::vector<double> values;
  const bool rises = draw_.chance(0.3);
  for (int k = 0; k < knots; ++k) {
    line.x.push_back(random::rounded(x, 3));
    values.push_back(rises && k > 0 ? random::rounded(values.back() + draw_.number(0.1, 0.6), 3)
                                    : draw_.number(-1, 1));
    x += draw_.number(0.3, 1.2);
  }
  line.values = {values};
  line.monotone = rises;
  constexpr std::array kinds = {"linear", "pchip", "cubic"};
  // A natural spline through ascending values may fall in between.
  line.interpolation = holds ? "hold" : kinds[static_cast<std::size_t>(draw_.integer(0, rises ? 1 : 2))];
  line.extrapolation = "hold";
  model_.tables.push_back(line);
  return line.name;
}

std::string Builder::table_of_two() {
  TableLine line{.name = fresh("map"), .x = {-1, 0, 1.5}, .y = {-0.5, 1}};
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    line.values.push_back({draw_.number(-1, 1), draw_.number(-1, 1)});
  }
  line.interpolation = draw_.chance(0.7) ? "linear" : "hold";
  line.extrapolation = "hold";
  model_.tables.push_back(line);
  return line.name;
}

Term Builder::wave() {
  const Term t = name("t");
  const Term angle = constant(0.5, 3) * t + draw_.number(0, 6);
  const double size = draw_.number(0.3, 1.2);
  switch (draw_.integer(0, 9)) {
    case 0: return size * call("sin", {angle});
    case 1: return size * call("cos", {angle});
    case 2: return size * call("triangle", {angle});
    case 3: return size * call("sawtooth", {angle});
    case 4: return size * call("square", {angle});
    case 5: return size * call("pulse", {angle, draw_.number(0.1, 0.9)});
    case 6: return size * call("mod", {constant(0.3, 1.5) * t, 1.0});
    case 7: return name(signal_line());
    case 8: return size * call("if", {call(">", {t, constant(1, 8)}), 1.0, -0.5});
    default: return size * call("sin", {angle}) + draw_.number(-0.5, 0.5);
  }
}

Term Builder::smooth_wave() {
  return draw_.number(0.3, 1.2) * call("sin", {constant(0.5, 3) * name("t") + draw_.number(0, 6)});
}

Term Builder::continuous() {
  if (signals_.empty() || draw_.chance(0.2)) return smooth_wave();
  const auto last = static_cast<int>(signals_.size()) - 1;
  const Term signal = signals_[static_cast<std::size_t>(draw_.integer(0, last))];
  return draw_.chance(0.3) ? smooth(signal) : signal;
}

Term Builder::signal() {
  if (signals_.empty() || draw_.chance(0.15)) return wave();
  if (!held_signals_.empty() && draw_.chance(0.1)) return held_signals_.back();
  return signals_[static_cast<std::size_t>(draw_.integer(0, static_cast<int>(signals_.size()) - 1))];
}

Term Builder::smooth(const Term& u) {
  switch (draw_.integer(0, 15)) {
    case 0: return call("sin", {2.0 * u});
    case 1: return call("cos", {u});
    case 2: return call("tanh", {2.0 * u});
    case 3: return call("atan", {u});
    case 4: return u / (1.0 + call("^", {u, 2.0}));
    case 5: return call("exp", {-call("^", {u, 2.0})});
    case 6: return call("log", {1.0 + u * u});
    case 7: return call("sqrt", {0.5 + u * u});
    case 8: return call("hypot", {u, 0.5});
    case 9: return call("sinh", {0.5 * call("tanh", {u})});
    case 10: return call("cosh", {0.5 * call("sin", {u})});
    case 11: return call("asin", {0.9 * call("sin", {u})});
    case 12: return call("acos", {0.9 * call("cos", {u})});
    case 13: return call("atan2", {u, 1.5});
    case 14: return call("pow", {1.1 + call("sin", {u}), 1.5});
    default: return call("tan", {0.5 * call("tanh", {u})});
  }
}

Term Builder::kink(const Term& u) {
  return draw_.chance(1.0 / 9) ? call(table_of_two(), {u, signal()}) : kink_of_one(u);
}

Term Builder::kink_of_one(const Term& u) {
  const double c = draw_.number(-0.6, 0.6);
  const double d = c + draw_.number(0.2, 1);
  switch (draw_.integer(0, 7)) {
    case 0: return call("abs", {u - c});
    case 1: return call("min", {u, signal()});
    case 2: return call("max", {u, c});
    case 3: return call("sat", {u, c, random::rounded(d, 3)});
    case 4: return call("deadzone", {u, c, random::rounded(d, 3)});
    case 5: return call("max", {u, signal()});
    case 6: return call("min", {call("max", {u, c}), random::rounded(d, 3)});
    default: return call(table_line(false), {u});
  }
}

Term Builder::jump(const Term& u, int depth) {
  const double c = draw_.number(-0.6, 0.6);
  switch (draw_.integer(0, 13)) {
    case 0: return call("sgn", {u - c});
    case 1: return call("step", {u - c});
    case 2: return 0.3 * call("floor", {3.0 * continuous()});
    case 3: return 0.3 * call("ceil", {2.0 * continuous()});
    case 4: return 0.3 * call("round", {3.0 * continuous()});
    case 5: return call("mod", {continuous(), 0.7});
    case 6: return 0.5 * call("square", {3.0 * continuous()});
    case 7: return call("pulse", {4.0 * continuous(), 0.3});
    case 8: return call("hysteresis", {continuous(), c, random::rounded(c + draw_.number(0.1, 0.6), 3)});
    case 9: return call(table_line(true), {u});
    case 10: return 0.5 * call("sawtooth", {3.0 * continuous()});
    case 11: return call("triangle", {2.0 * continuous()});
    default: return call("if", {condition(depth), u, signal()});
  }
}

Term Builder::value(int depth) {
  if (depth <= 0) return signal();
  switch (draw_.integer(0, 5)) {
    case 0: return smooth(value(depth - 1));
    case 1: return kink(value(depth - 1));
    case 2:
    case 3: return jump(value(depth - 1), depth - 1);
    case 4: return call("if", {condition(depth), value(depth - 1), value(depth - 1)});
    default: return 0.5 * value(depth - 1) + draw_.number(0.2, 0.5) * signal();
  }
}

Term Builder::comparison() {
  constexpr std::array signs = {">", "<", ">=", "<="};
  const std::string sign = signs[static_cast<std::size_t>(draw_.integer(0, 3))];
  // The reader refuses guards of a table of two quantities that `and` and `or` join with others.
  const Term left = draw_.chance(0.7) ? signal() : kink_of_one(signal());
  return call(sign, {left, constant(-0.6, 0.6)});
}

Term Builder::condition(int depth) {
  const double choice = draw_.uniform(0, 1);
  if (choice < 0.15 && !flags_.empty()) {
    return flags_[static_cast<std::size_t>(draw_.integer(0, static_cast<int>(flags_.size()) - 1))];
  }
  if (choice < 0.3) {
    // A clamped value at its limit: it holds there by equality.
    const double limit = draw_.number(0.1, 0.7);
    if (draw_.chance(0.5)) return call(">=", {call("min", {signal(), limit}), limit});
    return call("<=", {call("sat", {signal(), -limit, limit}), -limit});
  }
  if (choice < 0.4 && depth > 0) {
    // A flag that is a number, as `on >= 1`.
    return call(">=", {call("if", {comparison(), 1.0, 0.0}), 1.0});
  }
  if (choice < 0.65 && depth > 0) {
    return call(draw_.chance(0.6) ? "and" : "or", {condition(depth - 1), condition(depth - 1)});
  }
  if (choice < 0.75 && depth > 0) return call("not", {condition(depth - 1)});
  return comparison();
}

}  // namespace slideway::validation::language
