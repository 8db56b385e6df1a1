#include "expression/expression_tape.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "expression/expression_root.hpp"
#include "expression/instructions.hpp"

namespace slideway::reader {
namespace {

constexpr std::uint32_t nowhere = 0xFFFFFFFFU;

// Depth counts how often a derivative lies inside another.
template <class Scalar>
struct Depth {
  static constexpr int value = 0;
};
template <class T>
struct Depth<Dual<T>> {
  static constexpr int value = 1 + Depth<T>::value;
};

}  // namespace

template <class Scalar>
void Tape::run(Scalar* r) const {
  using std::sin, std::cos, std::tan, std::exp, std::log, std::sqrt, std::pow, std::atan2;
  const Instruction* const first = instructions_.data();
  const Instruction* const last = first + instructions_.size();
  for (const Instruction* p = first; p != last; ++p) {
    switch (p->code) {
      case code_of(Operation::add): r[p->target] = r[p->a] + r[p->b]; break;
      case code_of(Operation::subtract): r[p->target] = r[p->a] - r[p->b]; break;
      case code_of(Operation::multiply): r[p->target] = r[p->a] * r[p->b]; break;
      case code_of(Operation::divide): r[p->target] = r[p->a] / r[p->b]; break;
      case code_of(Operation::chain): r[p->target] = chain_of(r[p->a], r[p->b]); break;
      case code_of(Operation::negate): r[p->target] = -r[p->a]; break;
      case code_square: r[p->target] = r[p->a] * r[p->a]; break;
      case code_integer_power: r[p->target] = integer_power(r[p->a], static_cast<int>(p->b)); break;
      case code_constant_power: r[p->target] = pow(r[p->a], value_of(r[p->b])); break;
      case code_of(Operation::power): r[p->target] = pow(r[p->a], r[p->b]); break;
      case code_of(Operation::sin): r[p->target] = sin(r[p->a]); break;
      case code_of(Operation::cos): r[p->target] = cos(r[p->a]); break;
      case code_of(Operation::exp): r[p->target] = exp(r[p->a]); break;
      case code_of(Operation::sqrt): r[p->target] = sqrt(r[p->a]); break;
      case code_of(Operation::atan2): r[p->target] = atan2(r[p->a], r[p->b]); break;
      case code_of(Operation::choose): r[p->target] = r[p->a] > 0.0 ? r[p->b] : r[p->c]; break;
      case code_unless_minus_side:
        if (is_on_side(r[p->a], -1)) p = first + p->target - 1;
        break;
      case code_unless_plus_side:
        if (is_on_side(r[p->a], 1)) p = first + p->target - 1;
        break;
      case code_of(Operation::root): r[p->target] = find_root(*roots_[p->a], r); break;
      case code_blend: r[p->target] = blend_of(r[p->a], r[p->b], r[p->c]); break;
      default: r[p->target] = apply_unary(static_cast<Operation>(p->code), r[p->a]);
    }
  }
}

template <class Scalar>
Scalar Tape::find_root(const Root& root, const Scalar* registers) {
  const Tape& equation = root.equation;
  ScratchFrame frame;
  const std::size_t place = root.taken.size();
  // r and s at y.
  const auto prepare = [&]<class Number>(Number* r, const auto& number_of) {
    for (std::size_t k = 0; k < place; ++k) r[k] = number_of(registers[root.taken[k]]);
    for (std::size_t k = 0; k < equation.constants_.size(); ++k)
      r[place + 1 + k] = Number(equation.constants_[k]);
  };
  double* const numbers = frame.take<double>(static_cast<Index>(equation.registers_));
  prepare(numbers, [](const Scalar& number) { return value_of(number); });
  const double start = value_of(registers[root.start]);
  const double value = root_near(start, root.search, [&](double y) {
    numbers[place] = y;
    equation.execute(numbers);
    return std::pair(numbers[equation.outputs_[0]], numbers[equation.outputs_[1]]);
  });
  if constexpr (std::is_same_v<Scalar, double>) {
    return value;
  } else {
    Scalar* const r = frame.take<Scalar>(static_cast<Index>(equation.registers_));
    prepare(r, [](const Scalar& number) { return number; });
    Scalar y(value);
    if constexpr (std::is_same_v<Scalar, Rounded>) {
      r[place] = y;
      equation.execute(r);
      const double slope = std::abs(value_of(r[equation.outputs_[1]]));
      return {value, r[equation.outputs_[0]].error / slope + std::abs(value)};
    }
    for (int step = 0; step < Depth<Scalar>::value; ++step) {
      r[place] = y;
      equation.execute(r);
      y = y - r[equation.outputs_[0]] / r[equation.outputs_[1]];
    }
    return y;
  }
}

// TapeCompiler finds where nodes are needed: everywhere (the root region 0), or only on one side of a surface,
// within another region. A node needed in several regions belongs to the nearest one that contains them all.
class TapeCompiler {
 public:
  TapeCompiler(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
               const std::vector<std::uint32_t>& lambda_index, Tape& tape)
      : graph_(graph),
        lambda_index_(lambda_index),
        tape_(tape),
        nodes_(graph.has_roots() ? needed(outputs) : graph.reachable(outputs)),
        regions_(1) {
    compile(outputs, {});
  }

  // The outputs of a root operation are r and s. Its inputs are the nodes that do not depend on y.
  struct Equation {
    std::vector<NodeId> outputs = {};
    std::vector<NodeId> taken = {};            // ascending
    std::vector<std::uint32_t> surfaces = {};  // whose λ is one more input
    std::uint32_t unknown = 0;
  };
  TapeCompiler(const ExpressionGraph& graph, const Equation& equation,
               const std::vector<std::uint32_t>& lambda_index, Tape& tape)
      : graph_(graph), lambda_index_(lambda_index), tape_(tape), taken_(equation.taken), regions_(1) {
    nodes_ = needed(equation.outputs);
    compile(equation.outputs, equation);
  }

 private:
  void compile(const std::vector<NodeId>& outputs, const Equation& equation) {
    // A table of the whole graph does not pay for a few nodes of it.
    if (nodes_.size() > graph_.size() / 64) {
      local_.assign(graph_.size(), nowhere);
      for (std::uint32_t k = 0; k < nodes_.size(); ++k) local_[nodes_[k]] = k;
    }
    region_of_.assign(nodes_.size(), nowhere);
    register_of_.assign(nodes_.size(), nowhere);
    for (const NodeId id : outputs) need(id, 0);
    assign_regions();
    take_inputs(equation);
    assign_registers();
    emit(0, static_cast<std::uint32_t>(nodes_.size()));
    tape_.registers_ = next_register_;
    for (const NodeId id : outputs) tape_.outputs_.push_back(register_of(id));
  }

  struct Region {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::vector<std::uint32_t> nodes = {};
    std::size_t emitted = 0;
  };

  bool is_taken(NodeId id) const { return std::binary_search(taken_.begin(), taken_.end(), id); }

  // All nodes that are computed or taken, ascending: inside of r and s a root needs another tape.
  std::vector<NodeId> needed(const std::vector<NodeId>& outputs) {
    std::unordered_set<NodeId> seen;
    std::vector<NodeId> found;
    const auto visit = [&](NodeId id) {
      if (seen.insert(id).second) found.push_back(id);
    };
    for (const NodeId id : outputs) visit(id);
    for (const NodeId id : taken_) visit(id);
    for (std::size_t next = 0; next < found.size(); ++next) {
      if (!is_taken(found[next])) for_needs(found[next], visit);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  template <class Visit>
  void for_needs(NodeId id, const Visit& visit) {
    if (graph_[id].operation != Operation::root) return for_operands(graph_[id], visit);
    for (const NodeId other : equation_of(id).taken) visit(other);
    visit(graph_[id].c);
  }

  // The tape of a root is made of all nodes from r and s down to the first ones without the unknown.
  const Equation& equation_of(NodeId id) {
    const auto known = equations_.find(id);
    if (known != equations_.end()) return known->second;
    const Node& root = graph_[id];
    Equation made;
    made.outputs = {root.a, root.b};
    made.unknown = ExpressionGraph::unknown_of(root);
    const std::vector<NodeId> inside = cone(made.outputs);
    std::unordered_set<NodeId> depends;
    for (const NodeId node : inside) {
      bool found = graph_[node].operation == Operation::unknown && graph_[node].a == made.unknown;
      for_needs(node, [&](NodeId other) { found = found || depends.count(other) > 0; });
      if (found) depends.insert(node);
    }
    std::set<NodeId> taken;
    std::set<std::uint32_t> surfaces;
    const auto take = [&](NodeId other) {
      if (depends.count(other) == 0 && !graph_.is_constant(other)) taken.insert(other);
    };
    for (const NodeId output : made.outputs) take(output);
    for (const NodeId node : inside) {
      if (depends.count(node) == 0) continue;
      for_needs(node, take);
      if (graph_[node].operation == Operation::select) surfaces.insert(graph_[node].c);
      if (graph_[node].operation == Operation::root) {
        const Equation& inner = equation_of(node);
        surfaces.insert(inner.surfaces.begin(), inner.surfaces.end());
      }
    }
    made.taken.assign(taken.begin(), taken.end());
    made.surfaces.assign(surfaces.begin(), surfaces.end());
    return equations_.emplace(id, std::move(made)).first->second;
  }

  std::vector<NodeId> cone(const std::vector<NodeId>& outputs) {
    std::unordered_set<NodeId> seen;
    std::vector<NodeId> found;
    const auto visit = [&](NodeId id) {
      if (seen.insert(id).second) found.push_back(id);
    };
    for (const NodeId id : outputs) visit(id);
    for (std::size_t next = 0; next < found.size(); ++next) for_needs(found[next], visit);
    std::sort(found.begin(), found.end());
    return found;
  }

  // The first registers of the tape of a root.
  void take_inputs(const Equation& equation) {
    if (equation.outputs.empty()) return;
    for (const NodeId id : equation.taken) {
      register_of_[local(id)] = next_register_++;
      if (graph_[id].operation == Operation::lambda) set_lambda_register(graph_[id].a, next_register_ - 1);
    }
    for (const std::uint32_t surface : equation.surfaces)
      if (!has_lambda_register(surface)) set_lambda_register(surface, next_register_++);
    const auto unknown = std::find_if(nodes_.begin(), nodes_.end(), [&](NodeId id) {
      return graph_[id].operation == Operation::unknown && graph_[id].a == equation.unknown;
    });
    if (unknown != nodes_.end())
      register_of_[static_cast<std::size_t>(unknown - nodes_.begin())] = next_register_;
    ++next_register_;
  }

  bool has_lambda_register(std::uint32_t surface) const {
    return surface < lambda_registers_.size() && lambda_registers_[surface] != nowhere;
  }
  void set_lambda_register(std::uint32_t surface, std::uint32_t place) {
    if (surface >= lambda_registers_.size()) lambda_registers_.resize(surface + 1, nowhere);
    lambda_registers_[surface] = place;
  }

  // The number of a node in nodes_, which ascend.
  std::size_t local(NodeId id) const {
    if (!local_.empty()) return local_[id];
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), id) - nodes_.begin());
  }

  void need(NodeId id, std::uint32_t region) {
    std::uint32_t& own = region_of_[local(id)];
    own = own == nowhere ? region : common_region(own, region);
  }

  std::uint32_t common_region(std::uint32_t first, std::uint32_t second) const {
    while (first != second) {
      std::uint32_t& deeper = regions_[first].depth >= regions_[second].depth ? first : second;
      deeper = regions_[deeper].parent;
    }
    return first;
  }

  static std::uint64_t side_key(std::uint32_t region, std::uint32_t surface, bool plus) {
    return (static_cast<std::uint64_t>(region) << 33U) | (static_cast<std::uint64_t>(surface) << 1U) |
           (plus ? 1U : 0U);
  }

  std::uint32_t side(std::uint32_t region, std::uint32_t surface, bool plus) {
    const auto next = static_cast<std::uint32_t>(regions_.size());
    const auto [place, added] = sides_.try_emplace(side_key(region, surface, plus), next);
    if (added) regions_.push_back({region, regions_[region].depth + 1, {}, 0});
    return place->second;
  }

  void assign_regions() {
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      const Node& node = graph_[nodes_[k]];
      const std::uint32_t region = region_of_[k];
      if (is_taken(nodes_[k])) continue;
      if (node.operation == Operation::select) {
        need(node.a, side(region, node.c, true));
        need(node.b, side(region, node.c, false));
        continue;
      }
      for_needs(nodes_[k], [&](NodeId operand) { need(operand, region); });
    }
  }

  // Inputs first, then constants, then one register for every other node.
  void assign_registers() {
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      if (register_of_[k] != nowhere) continue;
      const Operation operation = graph_[nodes_[k]].operation;
      if (operation == Operation::time) tape_.uses_time_ = true;
      if (operation == Operation::impact) tape_.uses_impact_ = true;
    }
    // The reader of the inputs asks for time, impact, states and λ in this order.
    for (const Operation wanted : {Operation::time, Operation::impact, Operation::state}) {
      for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
        const Node& node = graph_[nodes_[k]];
        if (node.operation != wanted || register_of_[k] != nowhere) continue;
        if (wanted == Operation::state) tape_.states_.push_back(node.a);
        register_of_[k] = next_register_++;
      }
    }
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      const Node& node = graph_[nodes_[k]];
      if (register_of_[k] != nowhere) continue;
      if (node.operation == Operation::lambda) register_of_[k] = lambda_register(node.a);
      if (node.operation == Operation::select) lambda_register(node.c);
      if (node.operation == Operation::root)
        for (const std::uint32_t surface : equation_of(nodes_[k]).surfaces) lambda_register(surface);
    }
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      if (!graph_.is_constant(nodes_[k])) continue;
      register_of_[k] = next_register_++;
      tape_.constants_.push_back(graph_.value(nodes_[k]));
    }
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      if (register_of_[k] != nowhere) continue;
      register_of_[k] = next_register_++;
      regions_[region_of_[k]].nodes.push_back(k);
    }
  }

  std::uint32_t lambda_register(std::uint32_t surface) {
    if (surface >= lambda_registers_.size()) lambda_registers_.resize(surface + 1, nowhere);
    std::uint32_t& place = lambda_registers_[surface];
    if (place == nowhere) {
      place = next_register_++;
      tape_.lambdas_.push_back(lambda_index_.empty() ? surface : lambda_index_[surface]);
    }
    return place;
  }

  std::uint32_t register_of(NodeId id) const { return register_of_[local(id)]; }
  std::uint32_t here() const { return static_cast<std::uint32_t>(tape_.instructions_.size()); }

  // Appends the nodes of a region that come before node number `limit`. Operands come before what is made of
  // them, and a node needed on one side of a surface comes with the first select that can need it.
  void emit(std::uint32_t region, std::uint32_t limit) {
    while (regions_[region].emitted < regions_[region].nodes.size()) {
      const std::uint32_t k = regions_[region].nodes[regions_[region].emitted];
      if (k >= limit) return;
      ++regions_[region].emitted;
      const Node& node = graph_[nodes_[k]];
      if (node.operation == Operation::select) {
        emit_side(region, node.c, true, k);
        emit_side(region, node.c, false, k);
      }
      if (node.operation == Operation::root)
        tape_.instructions_.push_back(root_instruction(nodes_[k], register_of_[k]));
      else
        tape_.instructions_.push_back(instruction(node, register_of_[k]));
    }
  }

  void emit_side(std::uint32_t region, std::uint32_t surface, bool plus, std::uint32_t limit) {
    const std::uint32_t child = sides_.at(side_key(region, surface, plus));
    const Region& nodes = regions_[child];
    if (nodes.emitted == nodes.nodes.size() || nodes.nodes[nodes.emitted] >= limit) return;
    const std::uint32_t jump = here();
    tape_.instructions_.push_back(
        {plus ? code_unless_minus_side : code_unless_plus_side, 0, lambda_registers_[surface], 0, 0});
    emit(child, limit);
    tape_.instructions_[jump].target = here();
  }

  Instruction root_instruction(NodeId id, std::uint32_t target) {
    const Equation& equation = equation_of(id);
    auto root = std::make_shared<Tape::Root>();
    TapeCompiler(graph_, equation, lambda_index_, root->equation);
    for (const NodeId taken : equation.taken) root->taken.push_back(register_of(taken));
    for (const std::uint32_t surface : equation.surfaces) {
      const auto is_its_lambda = [&](NodeId taken) {
        return graph_[taken].operation == Operation::lambda && graph_[taken].a == surface;
      };
      if (std::none_of(equation.taken.begin(), equation.taken.end(), is_its_lambda))
        root->taken.push_back(lambda_registers_[surface]);
    }
    root->start = register_of(graph_[id].c);
    root->search = ExpressionGraph::search_of(graph_[id]);
    tape_.roots_.push_back(std::move(root));
    const auto number = static_cast<std::uint32_t>(tape_.roots_.size() - 1);
    return {code_of(Operation::root), target, number, 0, 0};
  }

  Instruction instruction(const Node& node, std::uint32_t target) const {
    Instruction made{code_of(node.operation), target, register_of(node.a), 0, 0};
    const int operands = operand_count(node.operation);
    if (operands > 1) made.b = register_of(node.b);
    if (operands > 2) made.c = register_of(node.c);
    if (node.operation == Operation::select) made.c = lambda_registers_[node.c];
    return instruction_of(graph_, node, made);
  }

  const ExpressionGraph& graph_;
  const std::vector<std::uint32_t>& lambda_index_;
  Tape& tape_;
  std::vector<NodeId> taken_ = {};             // inputs of the tape of a root
  std::map<NodeId, Equation> equations_ = {};  // of roots
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> local_;  // of a node of the graph: its number in nodes_; empty if they are few
  std::vector<Region> regions_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      sides_;  // the region of one side of a surface within another
  std::vector<std::uint32_t> region_of_;
  std::vector<std::uint32_t> register_of_;
  std::vector<std::uint32_t> lambda_registers_;  // per surface
  std::uint32_t next_register_ = 0;
};

Tape::Tape(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
           const std::vector<std::uint32_t>& lambda_index) {
  loops_ = find_loops(graph, outputs, lambda_index);
  if (!loops_) TapeCompiler(graph, outputs, lambda_index, *this);
}

void Tape::execute(double* registers) const { run(registers); }
void Tape::execute(Dual<double>* registers) const { run(registers); }
void Tape::execute(Dual<Dual<double>>* registers) const { run(registers); }
void Tape::execute(Rounded* registers) const { run(registers); }

}  // namespace slideway::reader
