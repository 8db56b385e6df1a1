// One expression of a model file as nodes of the graph: names replaced by what they stand for, x[i + 1] by an
// element, jumps by surfaces.
// It must not know sections of the file.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expression/expression_functions.hpp"
#include "expression/expression_graph.hpp"
#include "model_file/guard_form.hpp"
#include "model_file/linear_guard.hpp"
#include "model_file/lowering_algebraic.hpp"
#include "model_file/lowering_memory.hpp"
#include "model_file/lowering_surfaces.hpp"
#include "model_file/model_file_description.hpp"
#include "model_file/sign_condition.hpp"

namespace slideway::reader {

// The treatment of a jump: a surface, a mistake (inside the guard of a surface or of an event, in the gap of a contact, in how its
// force acts, in a break-away ratio, or in a mass matrix), or a value like any other (in a reset). A kink in the guard of an event is a value. In a quantity
// that is only observed, a jump where the equations have a surface is that surface's, and any other is a value.
enum class Jumps {
  surfaces,
  refused_in_guard,
  refused_in_event,
  refused_in_gap,
  refused_in_force,
  refused_in_ratio,
  refused_in_mass,
  values,
  observed
};

bool refuses_jumps(Jumps jumps);

// An expression that cannot be built; the mistake has been told.
struct Unbuildable {};

// The numbers that a model file leaves open, as far as they are known.
struct Extents {
  std::vector<NodeId> parameters = {};
  // The number of elements of each; 1 for a scalar.
  std::vector<std::uint32_t> states = {}, definitions = {}, surfaces = {};
  std::vector<std::uint32_t> first_state = {};  // of each entry of `states`: the index of its first element
  std::vector<std::uint32_t> first_unknown =
      {};  // of each definition: the number of its first element as an unknown
  // States from this one on are held between jumps.
  std::uint32_t first_held = std::numeric_limits<std::uint32_t>::max();
};

class FormulaBuilder {
 public:
  FormulaBuilder(const ModelDescription& model, const Extents& extents, ExpressionGraph& graph,
                 SurfaceTable& surfaces, MemoryTable& memory, Mistakes& mistakes);

  // prepare_definitions() must be called when the numbers of elements are known.
  void prepare_definitions();

  // open_algebraic() makes the names of algebraic variables mean unknowns in everything that is built, while
  // they are solved for.
  void open_algebraic();
  // The signs of guards that are made of unknowns are open until these are solved for: in a solution each is that of a surface of its own.
  bool has_open_signs() const { return !open_signs_.all.empty(); }
  std::vector<OpenGuard> open_guards() const;
  // decide_open_signs() puts surfaces in their place, whose guards are those of the solution itself. `in_slopes` are the open signs that
  // the slopes of the equations depend on. Throws Unbuildable.
  std::vector<NodeId> decide_open_signs(std::vector<NodeId> solved,
                                        const std::vector<std::uint32_t>& in_slopes);
  // The same solution with every sign taken from its guard.
  std::vector<NodeId> by_guards(const std::vector<NodeId>& solved);
  // close_algebraic() makes them mean these nodes, by their numbers; with jumps as surfaces, and as values.
  void close_algebraic(std::vector<NodeId> solved, std::vector<NodeId> values);

  // The value of a formula; `element` is the value of i, and `other` that of j, 0 where it has none. Throws Unbuildable.
  NodeId build(const Formula& formula, Jumps jumps, std::uint32_t element = 0, std::uint32_t other = 0);
  // The initial value of an element (from 1) of a state, which may be made of those of other states. Throws Unbuildable.
  NodeId initial_value(std::uint32_t state, std::uint32_t element);
  void forget_initial_values() { initial_nodes_.clear(); }
  // The same from now on, whatever the file says.
  void set_initial_value(std::uint32_t state, std::uint32_t element, NodeId value);
  // The element that x[i + 1], and nothing else, means; none beyond an end where all is zero. Throws Unbuildable.
  std::optional<std::uint32_t> element_of(const Formula& formula, std::uint32_t element);
  // EventGuard is the guard of an event, which may be a condition: it then is positive where that holds, or
  // where it does not. The system has surfaces where it has kinks, so that it is smooth between two of them.
  struct EventGuard {
    NodeId node = 0;
    bool opposite = false;
    // A condition that never changes, though what it compares does: h > 1 of h = min(t, 1).
    bool is_decided = false;
    AtZero at_zero = AtZero::unknown;  // of a condition
    // A condition such as a >= 0 and b > 0 joins a part that holds at its zero and a part that fails at its own. It holds at zero where this node
    // is above zero.
    std::optional<NodeId> holds_at_zero = {};
  };
  EventGuard event_guard(const Formula& formula, std::uint32_t element);
  // An element (from 1) of what a formula names, a vector, as it is observed. Throws Unbuildable.
  NodeId observed_element(const Formula& formula, std::uint32_t element);
  // The formula as it is for this value of i.
  std::string text(const Formula& formula, std::uint32_t element);
  std::uint32_t elements_of(const Formula& formula) const { return length(formula.symbols.front()); }
  // An element (from 1) of a definition, and of a surface's guard.
  NodeId definition(std::uint32_t index, std::uint32_t element);
  NodeId guard(std::uint32_t index, std::uint32_t element);
  // The surface where an element of a definition vanishes, named by the text of it; none where it is a number.
  std::optional<SurfaceSide> surface_of_definition(std::uint32_t index, std::uint32_t element);
  // The forces of contacts and of their friction are values behind the states: where they begin, and those of every table of contacts.
  void observe_forces(std::uint32_t first, std::vector<std::size_t> first_contact) {
    first_force_ = first;
    first_contact_ = std::move(first_contact);
  }
  // Nodes that have no value because a table has none there, with words for it.
  const std::unordered_map<NodeId, std::string>& ends_of_tables() const { return ends_of_tables_; }

 private:
  // Place tells where an expression is built.
  struct Place {
    const Formula& formula;
    Jumps jumps;
    std::uint32_t element;    // the value of i; 0: none
    std::uint32_t other = 0;  // that of j
  };
  // A value on the stack, and the first of its tokens.
  struct Operand {
    NodeId node;
    std::uint32_t begin;
  };
  // Elements of definitions (one, if it is a scalar) that have been built.
  using Built = std::vector<std::vector<NodeId>>;
  using Text = std::function<std::string()>;
  // Change tells what a sign makes of a value; `other` is what must not depend on unknowns.
  enum class Change : std::uint8_t { other, kink, jump };
  // The two values that a sign chooses from.
  struct Choice {
    NodeId positive, zero, negative;
    Change change = Change::other;
    // The comparison that asks whether the guard is zero: it is refused where the guard moves.
    const TokenRange* equality = nullptr;
  };
  // The sign of a guard of unknowns, where it stands in the file.
  struct OpenSign {
    Place place;
    std::uint32_t index;
    NodeId guard;
    Change change;
    Text text;
    int sign;  // of the guard beside its form
  };
  struct OpenSigns {
    std::vector<OpenSign> all = {};
    std::array<NumbersByForm, 2> by_form = {};  // kinks, jumps
  };
  // The sign of a guard of algebraic variables once these are solved for: a node of value 1 or −1; and the sign of the guard beside its form.
  struct DecidedSign {
    NodeId node;
    int sign;
  };
  struct DecidedSigns {
    std::vector<DecidedSign> all = {};
    NumbersByForm by_form = {};
  };

  [[noreturn]] void fail_at(const Place& place, TokenRange range, std::string what, std::string expected,
                            std::string got, std::string hint = "");
  [[noreturn]] void refuse_jump(const Place& place, std::uint32_t index, const std::string& got);

  void start();
  NodeId build(const Place& place);
  NodeId build(const Place& place, TokenRange range);
  NodeId argument(const Place& place, std::uint32_t index, std::uint32_t number);
  NodeId checked(const Place& place, TokenRange range, NodeId node);
  void push(NodeId node, std::uint32_t begin) { stack_.push_back({node, begin}); }
  void build_operator(const Place& place, std::uint32_t index);
  NodeId binary(Operation operation, NodeId a, NodeId b);
  std::optional<NodeId> product_without_root(NodeId with_root, NodeId with_base);

  void push_name(const Place& place, std::uint32_t index);
  NodeId algebraic_value(std::uint32_t number, Jumps jumps);
  bool has_unknown(NodeId root) const;
  void refuse_unknown(const Place& place, std::uint32_t index, NodeId guard);
  NodeId open_sign(const Place& place, std::uint32_t index, NodeId guard, const Choice& choice,
                   const Text& text);
  NodeId on_open_side(NodeId node, std::uint32_t number, int sign);
  std::vector<NodeId> guards_of_kinks(const std::vector<NodeId>& solved);
  NodeId by_sign(NodeId sign, NodeId positive, NodeId negative);
  // Throws Unbuildable.
  void decide_jump(std::uint32_t number, const OpenSign& open, std::vector<NodeId>& solved,
                   const std::vector<std::uint32_t>& in_slopes);
  void keep_decided(const std::vector<NodeId>& solved, const std::vector<NodeId>& signs);
  std::optional<NodeId> decided_sign(NodeId guard) const;
  void refuse_memory_of_unknowns(const Place& place, std::uint32_t index);
  NodeId value_of(Symbol symbol, std::uint32_t element, const Place& place);
  NodeId force_of(Symbol symbol) const;
  NodeId named_value(const Quantity& quantity, Built& built, std::uint32_t index, std::uint32_t element,
                     Jumps jumps);
  std::optional<std::uint32_t> element_at(const Place& place, std::uint32_t index);
  std::uint32_t length(Symbol symbol) const;
  Ends ends_of(Symbol symbol) const;

  void prepare_initial_values();
  NodeId initial_element(std::uint32_t state, std::uint32_t element, const Place& place);
  bool counts_steps(NodeId root) const;
  NodeId named_element(const Place& place, std::uint32_t index, std::uint32_t element);
  NodeId build_call(const Place& place, std::uint32_t index);
  NodeId build_sum(const Place& place, std::uint32_t index);
  NodeId build_sign(const Place& place, std::uint32_t index, Function function);
  NodeId build_size(const Place& place, std::uint32_t index, NodeId operand, const Text& make_text);
  NodeId build_extremum(const Place& place, std::uint32_t index, bool largest);
  NodeId extremum(const Place& place, std::uint32_t index, NodeId a, NodeId b, bool largest,
                  const Text& make_text);
  // A value as it stands, and as a number without λ.
  struct Twofold {
    NodeId node = 0;
    NodeId value = 0;
  };
  Twofold twofold_argument(const Place& place, std::uint32_t index, std::uint32_t number);
  template <class Make>
  Twofold twofold(const Twofold& a, const Make& make);
  NodeId floor_of(const Place& place, std::uint32_t index, const Twofold& a);
  Twofold phase_of(const Place& place, std::uint32_t index, const Twofold& a);
  NodeId size_of(const Place& place, std::uint32_t index, NodeId node);
  NodeId build_steps(const Place& place, std::uint32_t index, Function function);
  Twofold within_unit(const Place& place, std::uint32_t index, const Twofold& width);
  NodeId build_pulse(const Place& place, std::uint32_t index, const Twofold& turns);
  NodeId build_saturation(const Place& place, std::uint32_t index, bool rest);
  NodeId build_hysteresis(const Place& place, std::uint32_t index);
  // An argument of a call, and its number.
  struct Argument {
    NodeId node = 0;
    std::uint32_t number = 0;
  };
  struct Knots {
    std::vector<double> at = {};
    bool jump = false;
  };
  NodeId build_table(const Place& place, std::uint32_t index);
  NodeId build_pieces(const Place& place, std::uint32_t index, Argument of, const Table::Pieces& pieces);
  // An end of a table, and its value there.
  struct TableEnd {
    double knot = 0;
    bool is_below = false;
    NodeId value = 0;
  };
  NodeId beyond(const Place& place, std::uint32_t index, Argument of, const TableEnd& table_end);
  NodeId by_knots(const Place& place, std::uint32_t index, Argument of, const Knots& knots,
                  const std::function<NodeId(std::size_t)>& piece);
  void check_limits(const Place& place, std::uint32_t index, NodeId low, NodeId high);
  // Branch is one of the two branches of an if().
  using Branch = std::function<NodeId()>;
  NodeId build_if(const Place& place, std::uint32_t index);
  NodeId decide(const Place& place, std::uint32_t index, TokenRange range, bool holds, const Branch& yes,
                const Branch& no);
  NodeId compare(const Place& place, std::uint32_t index, TokenRange range, const Branch& yes,
                 const Branch& no);
  bool is_held(NodeId root) const;
  NodeId by_comparison(TokenKind kind, NodeId difference, NodeId yes, NodeId no);
  [[noreturn]] void refuse_equality(const Place& place, TokenRange range);
  [[noreturn]] void refuse_instant(const Place& place, TokenRange range, bool holds_there);
  // Closure tells whether a condition holds where its guard is zero: `never_zero` of a guard that jumps from sign to sign, `neither` of
  // what joins open and closed comparisons.
  enum class Closure : std::uint8_t { open, closed, never_zero, neither };
  // The guard of a condition, with surfaces at its kinks and as a value.
  struct Margin {
    Twofold of = {};
    Closure closure = Closure::neither;
    bool moves = true;                         // false where only parameters and numbers are compared
    std::optional<NodeId> holds_at_zero = {};  // above zero where it holds at zero, of `neither`
  };
  // Above zero where the condition holds where its guard is zero; nothing where that is not known.
  std::optional<NodeId> holds_at_zero(const Margin& margin);
  SignConditions& signs();
  NodeId positive(const Place& place, TokenRange range, NodeId value, bool closed);
  NodeId with_surfaces(const Place& place, TokenRange range, NodeId value);
  Margin decided_margin(bool holds);
  Margin margin(const Place& place, TokenRange range, bool holds);
  Margin margin_of_comparison(const Place& place, TokenRange range, bool holds);
  Margin margin_of_equality(const Place& place, TokenRange range, NodeId difference, bool equal);
  Twofold joined_margins(const Place& place, std::uint32_t index, Twofold a, Twofold b, bool either,
                         const Text& make_text);
  void watch_kinks(NodeId guard);
  EventGuard guard_of_value(const Place& values);
  std::string margin_text(const Place& place, TokenRange range, bool holds);
  NodeId select(SurfaceSide side, NodeId positive, NodeId negative);
  NodeId choose_by_sign(const Place& place, std::uint32_t index, NodeId guard, const Choice& choice,
                        const Text& text, int sides_known = 0);
  int side_that_sees_less(NodeId below, NodeId above) const;
  NodeId bend(NodeId node, NodeId first, NodeId second);
  std::optional<NodeId> end_of_table_in(NodeId root) const;
  bool bends_only(NodeId root) const;
  bool is_nonnegative(NodeId id, int depth = 8) const;
  std::uint32_t surface_in(NodeId root) const;
  SurfaceSide surface(const Place& place, std::uint32_t index, NodeId guard, const Text& text);
  std::string text(const Place& place, TokenRange range);
  std::string difference_text(const Place& place, TokenRange first, TokenRange second);

  const ModelDescription& model_;
  const Extents& extents_;
  ExpressionGraph& graph_;
  SurfaceTable& surfaces_;
  MemoryTable& memory_;
  Mistakes& mistakes_;
  // The nodes of algebraic variables; `is_open` while their own equations are built.
  struct AlgebraicNodes {
    bool is_open = false;
    std::vector<NodeId> solved = {}, values = {};
  };
  AlgebraicNodes algebraic_nodes_;
  OpenSigns open_signs_;
  DecidedSigns decided_signs_;
  Built definition_nodes_, definition_values_, definition_observed_, guard_nodes_;
  std::unordered_set<NodeId> bends_;        // nodes that have kinks, and no jumps
  std::unordered_set<NodeId> value_kinks_;  // `choose` nodes that are continuous
  std::optional<SignConditions> signs_;
  std::unordered_set<NodeId> nonnegative_;  // kinks that are never below zero on the side in force
  std::unordered_map<NodeId, std::string> ends_of_tables_;
  std::uint32_t first_force_ = 0;
  std::vector<std::size_t> first_contact_;
  // KnownSide describes a kink in a guard, while its sign is looked for there.
  struct KnownSide {
    LinearGuard guard;
    int sign;
  };
  std::vector<KnownSide> sides_;
  Built initial_nodes_;          // of states
  bool builds_initial_ = false;  // so that the name of a state means its initial value
  std::vector<Operand> stack_;
  int depth_ = 0;
};

}  // namespace slideway::reader
