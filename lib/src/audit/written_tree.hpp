// The expressions of a model file, walked as they are written: plain IEEE arithmetic, and for each function the meaning that the
// reference page gives it. A comparison is what it says, so `>=` holds where both sides are equal.
//
// Where a value jumps, the walk notes a site: the guard h, and the side on which it is. A site may be given another side, or a λ between
// the two, for Filippov's combinations.
// It must not know how the engine lowers or evaluates expressions.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/audited_field.hpp"
#include "audit/sites.hpp"
#include "expression/expression_functions.hpp"
#include "model_file/model_file_description.hpp"

namespace slideway::auditing {

// The index of a compiled expression.
using Root = std::uint32_t;
inline constexpr Root no_root = 0xFFFFFFFFU;

// The values of i and j where an expression stands; 0 where they have none.
struct Indices {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
};

class WrittenTree {
 public:
  explicit WrittenTree(const reader::ModelDescription& model) : model_(model) {}

  // ---- what is known before a run
  // Adds the value of the next parameter; expressions may name those before it.
  void add_parameter(double value) { parameters_.push_back(value); }
  // Lengths of all vectors, in the order of the description. All parameters have values then.
  void set_lengths(std::vector<std::uint32_t> states, std::vector<std::uint32_t> definitions,
                   std::vector<std::uint32_t> surfaces);
  Root compile(const reader::Formula& formula);
  // The element that x[i + 1] means, from 1; 0 where it lies beyond an end where all is zero, or does not exist.
  std::uint32_t element_of(const reader::Formula& formula, Indices at);

  std::uint32_t states() const { return extents_.state_count; }
  std::uint32_t first_state(std::size_t k) const { return extents_.first_state[k]; }
  std::uint32_t states_of(std::size_t k) const { return extents_.states[k]; }
  std::uint32_t definitions_of(std::size_t k) const { return extents_.definitions[k]; }

  // ---- the point at which expressions are walked
  // `x` must live as long as it is used. `sides` gives sites another side, and `met` receives the sites; both may be null.
  void set_point(double t, const double* x, const Sides* sides, Met* met);
  // Moves the time of the next points and the results of their arithmetic by one rounding, up or down by chance; 0: by none. Results
  // of whole numbers alone are exact.
  void round_by_chance(std::uint64_t draw) { rounding_ = draw; }
  void set_impact(double speed) { impact_ = speed; }
  // constant() is the value of an expression of parameters and elements alone, which needs no point.
  double constant(Root root, Indices at = {});
  // NaN where the tree gives no number.
  double value(Root root, Indices at = {});
  // holds() tells that a condition holds, or that a number is above zero.
  bool holds(Root root, Indices at = {});
  // Above zero where a condition holds, or its opposite, and how far it is from changing: a − b of a > b, the least of what is joined
  // by `and`. The opposite of a < b is a >= b.
  double margin(Root root, Indices at = {}, bool is_opposite = false);
  // How many nodes were walked so far: a measure of the work.
  std::uint64_t visits() const { return visits_; }
  bool is_condition(Root root) const;
  // is_constant() tells that the value is the same at all points: nothing in it is a state, the time or a table.
  bool is_constant(Root root) const;

  // ---- algebraic variables
  bool has_algebraic() const { return !algebra_.unknowns.empty(); }
  // The states that follow algebraic variables, and the solutions that belong to them at the point.
  std::vector<Follower> followers();

 private:
  enum class Kind : std::uint8_t {
    number,
    time,
    index_i,
    index_j,
    impact,
    state,
    state_at,
    definition,
    definition_at,
    surface,
    surface_at,
    sum,
    function,
    table,
    negate,
    chain,
    power,
    compare,
    both,
    either,
    opposite,
    unknown
  };
  struct Node {
    Kind kind = Kind::number;
    reader::TokenKind token = reader::TokenKind::number;  // of a comparison
    reader::Ends ends = reader::Ends::none;
    reader::Function function = reader::Function::smooth;
    reader::Operation operation = reader::Operation::constant;
    std::uint32_t index = 0;    // of what is named
    std::uint32_t element = 0;  // from 1, of what is named
    std::uint32_t first = 0;    // into children_
    std::uint32_t count = 0;
    double value = 0;
    Root ratio_above = no_root;  // break-away, of what jumps at a surface
    Root ratio_below = no_root;
  };
  // The lengths of all vectors, and where the elements of each begin, in the order of the description.
  struct Extents {
    std::vector<std::uint32_t> states, definitions, surfaces;
    std::vector<std::uint32_t> first_state, first_definition, first_surface;
    std::uint32_t state_count = 0;
  };
  struct Unknown {
    std::uint32_t definition;
    std::uint32_t element;
    std::int64_t follower;  // the state, or −1
  };
  // The unknowns of all algebraic variables, and their values at the point.
  struct Algebra {
    std::vector<Unknown> unknowns = {};
    std::vector<std::uint32_t> first = {};  // of each definition
    std::vector<double> solutions = {};     // warm: those of the last point
    bool is_solving = false;
    bool is_solved = false;
  };

  Root compile_range(const reader::Formula& formula, reader::TokenRange range);
  Root add(Node node, const std::vector<Root>& children);
  Root named(const reader::Formula& formula, std::uint32_t token);
  void find_break_away(const reader::Formula& formula, std::uint32_t token, Node& node);
  void find_break_away_of(Root operand, Node& node, bool is_turned);
  std::uint32_t element_at(const Node& node, std::uint32_t length, Indices at);
  std::uint32_t length_of(reader::SymbolKind kind, std::uint32_t index) const;

  double walk(Root root, Indices at);
  // The result of an operation on these two numbers, rounded by chance.
  double rounded(double result, Root root, double a, double b) const;
  double call(const Node& node, Root root, Indices at);
  double compared(const Node& node, Root root, Indices at);
  double held_up_to(Root ratio, Indices at);
  double table_of_jumps(const Table& table, Root root, Indices at, double u, double v);
  double table_value(const Node& node, Root root, Indices at);
  double definition_value(std::uint32_t index, std::uint32_t element);
  double surface_value(std::uint32_t index, std::uint32_t element);
  double steps(Root root, Indices at, double a, std::uint32_t part);
  // The side of a site in −1 … 1: the one it is given, or `own`.
  double side(Root root, Indices at, double guard, double own, std::uint32_t part = 0, bool is_memory = false,
              double above = 1, double below = 1);
  Root child(const Node& node, std::uint32_t k) const { return children_[node.first + k]; }

  void solve_unknowns();
  void residuals(const std::vector<double>& y, std::vector<double>& r);
  bool newton(std::vector<double>& y);

  const reader::ModelDescription& model_;
  std::vector<double> parameters_;
  Extents extents_;
  std::vector<Node> nodes_;
  std::vector<Root> children_;
  std::vector<Root> definition_roots_, surface_roots_;
  std::vector<const Input*> input_of_definition_;
  std::unordered_map<std::uint32_t, std::size_t> friction_of_velocity_;  // definition → friction

  double t_ = 0;
  const double* x_ = nullptr;
  const Sides* sides_ = nullptr;
  Met* met_ = nullptr;
  double impact_ = 0;
  std::uint64_t rounding_ = 0;
  std::uint64_t visits_ = 0;

  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> definition_stamps_;
  std::vector<double> definition_values_;

  Algebra algebra_;
};

}  // namespace slideway::auditing
