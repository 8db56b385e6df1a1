// The right-hand sides of a random model as plain data: a tree that can be printed as a model file writes it, rewritten,
// and handed to the oracle. It shares nothing with the expression graph of the library.
//
// It must not know how a formula is evaluated.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slideway::validation::random {

enum class Operation {
  constant,
  time,
  state,       // index: which
  definition,  // index: which; its expression is the argument
  parameter,   // index: which; its value is the argument
  add,
  subtract,
  multiply,
  divide,
  negate,
  sine,
  cosine,
  exponential,
  sign,      // sgn(surface)
  choose,    // if(surface > 0, first, second)
  absolute,  // abs(first), whose sign is that of the surface
  largest,   // max(first, second), whose difference has the sign of the surface
  smallest,  // min(first, second), likewise
};

class Formula;
using Formulas = std::vector<Formula>;

class Formula {
 public:
  Formula() : Formula(0.0) {}
  Formula(double value);  // NOLINT: converts on purpose
  Formula(Operation operation, int index, Formulas arguments);

  Operation operation() const;
  double value() const;
  int index() const;
  const Formulas& arguments() const;
  // The same for two formulas that share their tree.
  const void* identity() const { return node_.get(); }
  bool is_constant(double value) const;

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

Formula time_variable();
Formula state_variable(int index);
Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator*(const Formula& a, const Formula& b);
Formula operator/(const Formula& a, const Formula& b);
Formula operator-(const Formula& a);
Formula sin(const Formula& a);
Formula cos(const Formula& a);
Formula exp(const Formula& a);
Formula sgn(int surface);
Formula choose(int surface, const Formula& above, const Formula& below);
Formula abs(int surface, const Formula& a);
Formula max(int surface, const Formula& a, const Formula& b);
Formula min(int surface, const Formula& a, const Formula& b);

// The derivative in time along a motion with these derivatives of the states; nothing where a relay or an exponential is in it.
std::optional<Formula> rate_of(const Formula& formula, const Formulas& derivatives);

// The tree with every node replaced by what `change` makes of it; it is given the node with its arguments replaced.
Formula rewritten(const Formula& formula, const std::function<Formula(const Formula&)>& change);

// How names are written: those of states, definitions (empty: written out), surfaces (empty: their guard) and parameters.
struct Names {
  std::vector<std::string> states = {};
  std::vector<std::string> definitions = {};
  std::vector<std::string> parameters = {};
  std::vector<std::string> surfaces = {};
};

std::string text(const Formula& formula, const Names& names);
// As short as it can be while it reads as the same number.
std::string text(double value);

}  // namespace slideway::validation::random
