#include "expression/expression_tape.hpp"

#include <algorithm>
#include <type_traits>
#include <unordered_map>

namespace slideway::reader {
namespace {

// Instructions beyond the operations of the graph.
enum Code : std::uint32_t {
  code_square = 100,       // a·a
  code_integer_power,      // a ^ (int) b
  code_constant_power,     // a ^ (register b), whose value does not vary
  code_unless_minus_side,  // go on at `target` where λ (register a) is −1
  code_unless_plus_side,   // go on at `target` where λ (register a) is +1
  code_blend,              // select: a where λ (register c) is +1, b where −1
};

constexpr std::uint32_t code_of(Operation operation) { return static_cast<std::uint32_t>(operation); }

bool is_still(double) { return true; }
template <class T>
bool is_still(const Dual<T>& number) {
  return number.derivative == T(0.0) && is_still(number.value) && is_still(number.derivative);
}

// On a side, and staying there: not on the way through.
template <class Scalar>
bool is_on_side(const Scalar& lambda, double side) {
  return value_of(lambda) == side && is_still(lambda);
}

template <class Scalar>
Scalar integer_power(const Scalar& base, int exponent) {
  Scalar result(1.0);
  Scalar square = base;
  for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result * square;
    if (rest > 1) square = square * square;
  }
  return exponent < 0 ? 1.0 / result : result;
}

template <class Scalar>
Scalar chain_of(const Scalar& slope, const Scalar& derivative) {
  if constexpr (std::is_same_v<Scalar, double>)
    return derivative == 0 ? 0.0 : slope * derivative;
  else
    return value_of(derivative) == 0 && is_still(derivative) ? Scalar(0.0) : slope * derivative;
}

template <class Scalar>
void run(const std::vector<Tape::Instruction>& instructions, Scalar* r) {
  using std::sin, std::cos, std::tan, std::exp, std::log, std::sqrt, std::pow, std::atan2;
  const Tape::Instruction* const first = instructions.data();
  const Tape::Instruction* const last = first + instructions.size();
  for (const Tape::Instruction* p = first; p != last; ++p) {
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
      case code_blend: {
        const Scalar& lambda = r[p->c];
        if (is_on_side(lambda, 1))
          r[p->target] = r[p->a];
        else if (is_on_side(lambda, -1))
          r[p->target] = r[p->b];
        else
          r[p->target] = r[p->b] + 0.5 * (1.0 + lambda) * (r[p->a] - r[p->b]);
        break;
      }
      default: r[p->target] = apply_unary(static_cast<Operation>(p->code), r[p->a]);
    }
  }
}

constexpr std::uint32_t nowhere = 0xFFFFFFFFU;

}  // namespace

// Where nodes are needed: everywhere (the root region 0), or only on one side of a surface, within another region.
// A node needed in several regions belongs to the nearest one that contains them all.
class TapeCompiler {
 public:
  TapeCompiler(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
               const std::vector<std::uint32_t>& lambda_index, Tape& tape)
      : graph_(graph),
        lambda_index_(lambda_index),
        tape_(tape),
        nodes_(graph.reachable(outputs)),
        regions_(1) {
    // A table of the whole graph does not pay for a few nodes of it.
    if (nodes_.size() > graph.size() / 64) {
      local_.assign(graph.size(), nowhere);
      for (std::uint32_t k = 0; k < nodes_.size(); ++k) local_[nodes_[k]] = k;
    }
    region_of_.assign(nodes_.size(), nowhere);
    register_of_.assign(nodes_.size(), nowhere);
    for (const NodeId id : outputs) need(id, 0);
    assign_regions();
    assign_registers();
    emit(0, static_cast<std::uint32_t>(nodes_.size()));
    tape_.registers_ = next_register_;
    for (const NodeId id : outputs) tape_.outputs_.push_back(register_of(id));
  }

 private:
  struct Region {
    std::uint32_t parent = 0;
    std::uint32_t depth = 0;
    std::vector<std::uint32_t> nodes = {};
    std::size_t emitted = 0;
  };

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
      if (node.operation == Operation::select) {
        need(node.a, side(region, node.c, true));
        need(node.b, side(region, node.c, false));
        continue;
      }
      for_operands(node, [&](NodeId operand) { need(operand, region); });
    }
  }

  // Inputs first, then constants, then one register for every other node.
  void assign_registers() {
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      const Operation operation = graph_[nodes_[k]].operation;
      if (operation == Operation::time) tape_.uses_time_ = true;
      if (operation == Operation::impact) tape_.uses_impact_ = true;
    }
    // The reader of the inputs asks for time, impact, states and λ in this order.
    for (const Operation wanted : {Operation::time, Operation::impact, Operation::state}) {
      for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
        const Node& node = graph_[nodes_[k]];
        if (node.operation != wanted) continue;
        if (wanted == Operation::state) tape_.states_.push_back(node.a);
        register_of_[k] = next_register_++;
      }
    }
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      const Node& node = graph_[nodes_[k]];
      if (node.operation == Operation::lambda) register_of_[k] = lambda_register(node.a);
      if (node.operation == Operation::select) lambda_register(node.c);
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

  Tape::Instruction instruction(const Node& node, std::uint32_t target) const {
    Tape::Instruction made{code_of(node.operation), target, register_of(node.a), 0, 0};
    const int operands = operand_count(node.operation);
    if (operands > 1) made.b = register_of(node.b);
    if (operands > 2) made.c = register_of(node.c);
    if (node.operation == Operation::select) {
      made.code = code_blend;
      made.c = lambda_registers_[node.c];
    } else if (node.operation == Operation::multiply && node.a == node.b) {
      made.code = code_square;
    } else if (node.operation == Operation::power && graph_.is_constant(node.b)) {
      const double exponent = graph_.value(node.b);
      if (exponent == 2)
        made.code = code_square;
      else if (exponent == 0.5)
        made.code = code_of(Operation::sqrt);
      else if (exponent == std::floor(exponent) && std::abs(exponent) <= 16) {
        made.code = code_integer_power;
        made.b = static_cast<std::uint32_t>(static_cast<int>(exponent));
      } else
        made.code = code_constant_power;
    }
    return made;
  }

  const ExpressionGraph& graph_;
  const std::vector<std::uint32_t>& lambda_index_;
  Tape& tape_;
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
  TapeCompiler(graph, outputs, lambda_index, *this);
}

void Tape::execute(double* registers) const { run(instructions_, registers); }
void Tape::execute(Dual<double>* registers) const { run(instructions_, registers); }
void Tape::execute(Dual<Dual<double>>* registers) const { run(instructions_, registers); }

}  // namespace slideway::reader
