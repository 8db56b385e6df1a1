#include "expression/expression_loops.hpp"

#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace slideway::reader {
namespace {

// The five numbers below decide cost alone: results are the same to the last bit, which the tests hold. Other values were not measured.
// Fewer outputs than these are a tape, and so are rows of which fewer than these stand in a loop on average.
constexpr std::size_t kFewestOutputs = 64;
constexpr std::size_t kShortestLoop = 8;
// A row takes at most as many operations; parts of a longer one are rows of their own.
constexpr std::uint32_t kLongestRow = 32;
// A node that several rows use is computed for all of them where it takes as many operations, or one that is no sum or product.
constexpr std::uint32_t kLongestCopied = 3;
// A number of a range that changes its stride in more than one of as many rows is in a table.
constexpr std::size_t kRowsByBreak = 32;

constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;

bool is_costly(Operation operation) {
  switch (operation) {
    case Operation::negate:
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::chain:
    case Operation::absolute:
    case Operation::choose:
    case Operation::select: return false;
    default: return true;
  }
}

}  // namespace

class LoopFinder {
 public:
  LoopFinder(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
             const std::vector<std::uint32_t>& lambda_index)
      : graph_(graph), outputs_(outputs), lambda_index_(lambda_index) {}

  std::shared_ptr<const Loops> find() {
    if (outputs_.size() < kFewestOutputs || graph_.has_roots()) return nullptr;
    nodes_ = graph_.reachable(outputs_);
    // A table of the whole graph does not pay for a few nodes of it.
    if (nodes_.size() < kFewestOutputs || nodes_.size() < graph_.size() / 64) return nullptr;
    place_.assign(graph_.size(), kNowhere);
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) place_[nodes_[k]] = k;
    if (are_constant()) return nullptr;
    decide_kept();
    // Rows that have shapes of their own are no loops.
    if (!make_rows() || groups_.size() * kShortestLoop > rows_.size()) return nullptr;
    for (const auto& [key, rows] : groups_) add_group(key.second, rows);
    if (loops_->loops_.size() * kShortestLoop > rows_.size()) return nullptr;
    loops_->outputs_ = outputs_.size();
    for (const Loops::Program& program : programs_)
      loops_->registers_ = std::max<std::size_t>(loops_->registers_, program.registers);
    for (const Loops::Loop& loop : loops_->loops_)
      loops_->width_ = std::max(loops_->width_, std::min(Loops::kLanes, loop.rows));
    loops_->programs_ = std::make_shared<const std::vector<Loops::Program>>(std::move(programs_));
    return loops_;
  }

 private:
  // The instructions of a row with its inputs, as numbers by which equal ones are found.
  using Signature = std::vector<std::uint32_t>;

  struct SignatureHash {
    std::size_t operator()(const Signature& signature) const {
      std::size_t hash = signature.size();
      for (const std::uint32_t number : signature) hash = (hash ^ number) * 0x100000001B3U;
      return hash;
    }
  };

  struct Row {
    std::uint32_t first_number = 0;  // in numbers_, of its inputs
    std::uint32_t output = 0;        // number of the output, or place of the node that is kept
  };

  const Node& node(std::uint32_t place) const { return graph_[nodes_[place]]; }
  bool is_leaf(NodeId id) const { return operand_count(graph_[id].operation) == 0; }

  bool are_constant() const {
    return std::all_of(outputs_.begin(), outputs_.end(), [&](NodeId id) { return graph_.is_constant(id); });
  }

  void decide_kept() {
    std::vector<std::uint8_t> users(nodes_.size(), 0);
    const auto use = [&](NodeId id) {
      std::uint8_t& count = users[place_[id]];
      if (count < 2) ++count;
    };
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) for_operands(node(k), use);
    for (const NodeId output : outputs_) use(output);
    std::vector<std::uint8_t> size(nodes_.size(), 0), costly(nodes_.size(), 0);
    kept_.assign(nodes_.size(), 0);
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      if (is_leaf(nodes_[k])) continue;
      const auto total = [&] {
        std::uint32_t sum = 1;
        for_operands(node(k), [&](NodeId id) { sum += kept_[place_[id]] != 0 ? 0U : size[place_[id]]; });
        return sum;
      };
      if (total() > kLongestRow)
        for_operands(node(k), [&](NodeId id) {
          if (size[place_[id]] > kLongestCopied) kept_[place_[id]] = 1;
        });
      size[k] = static_cast<std::uint8_t>(total());
      costly[k] = is_costly(node(k).operation);
      for_operands(node(k), [&](NodeId id) {
        if (kept_[place_[id]] == 0 && costly[place_[id]] != 0) costly[k] = 1;
      });
      if (users[k] > 1 && (size[k] > kLongestCopied || costly[k] != 0)) kept_[k] = 1;
    }
    level_.assign(nodes_.size(), 0);
    for (std::uint32_t k = 0; k < nodes_.size(); ++k)
      for_operands(node(k), [&](NodeId id) {
        const std::uint32_t before = level_[place_[id]] + kept_[place_[id]];
        level_[k] = std::max(level_[k], before);
      });
  }

  // make_rows() returns false where most rows seen so far have shapes of their own.
  bool make_rows() {
    const auto are_alike = [&] {
      return groups_.size() < kShortestLoop * kFewestOutputs + rows_.size() / kShortestLoop;
    };
    for (std::uint32_t k = 0; k < nodes_.size() && are_alike(); ++k)
      if (kept_[k] != 0) add_row(nodes_[k], k, level_[k]);
    first_output_row_ = rows_.size();
    for (std::uint32_t k = 0; k < outputs_.size() && are_alike(); ++k) {
      const NodeId id = outputs_[k];
      if (graph_.is_constant(id)) {
        loops_->fixed_.push_back({k, graph_.value(id)});
        continue;
      }
      const std::uint32_t place = place_[id];
      add_row(id, k, level_[place] + kept_[place]);
    }
    return are_alike();
  }

  void add_row(NodeId id, std::uint32_t output, std::uint32_t level) {
    const bool is_kept = first_output_row_ == kNowhere;
    root_ = is_kept ? id : kNowhere;
    made_.clear();
    program_ = {};
    signature_.clear();
    Row row;
    row.first_number = static_cast<std::uint32_t>(numbers_.size());
    row.output = output;
    program_.result = build(id);
    signature_.push_back(program_.result);
    const auto next = static_cast<std::uint32_t>(programs_.size());
    const auto [known, added] = known_.try_emplace(signature_, next);
    if (added) programs_.push_back(program_);
    groups_[{2 * level + (is_kept ? 0 : 1), known->second}].push_back(
        static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back(row);
  }

  // The register of a node in the program of the row.
  std::uint32_t build(NodeId id) {
    for (const auto& [known, place] : made_)
      if (known == id) return place;
    const Node& one = graph_[id];
    if (is_leaf(id) || (kept_[place_[id]] != 0 && id != root_)) return input(id, one);
    Instruction made{code_of(one.operation), 0, build(one.a), 0, 0};
    const int operands = operand_count(one.operation);
    if (operands > 1) made.b = build(one.b);
    if (operands > 2) made.c = build(one.c);
    if (one.operation == Operation::select) made.c = relay(one.c);
    made.target = program_.registers++;
    made = instruction_of(graph_, one, made);
    program_.instructions.push_back(made);
    signature_.insert(signature_.end(), {made.code, made.a, made.b, made.c});
    made_.emplace_back(id, made.target);
    return made.target;
  }

  // Constants that happen to be equal are inputs of their own, so that rows do not differ by that.
  std::uint32_t input(NodeId id, const Node& one) {
    switch (one.operation) {
      case Operation::constant: return add_input(Loops::Kind::constant, id);
      case Operation::time: made_.emplace_back(id, add_input(Loops::Kind::time, 0)); break;
      case Operation::impact: made_.emplace_back(id, add_input(Loops::Kind::impact, 0)); break;
      case Operation::state: made_.emplace_back(id, add_input(Loops::Kind::state, one.a)); break;
      case Operation::lambda: made_.emplace_back(id, relay(one.a)); break;
      default: made_.emplace_back(id, add_input(Loops::Kind::kept, place_[id]));
    }
    return made_.back().second;
  }

  std::uint32_t relay(std::uint32_t surface) {
    const std::uint32_t number = lambda_index_.empty() ? surface : lambda_index_[surface];
    for (std::size_t k = 0; k < program_.inputs.size(); ++k)
      if (program_.inputs[k].kind == Loops::Kind::lambda &&
          numbers_[numbers_.size() - program_.inputs.size() + k] == number)
        return program_.inputs[k].target;
    return add_input(Loops::Kind::lambda, number);
  }

  std::uint32_t add_input(Loops::Kind kind, std::uint32_t number) {
    program_.inputs.push_back({kind, program_.registers});
    numbers_.push_back(number);
    signature_.push_back(kNowhere - 1 - static_cast<std::uint32_t>(kind));
    return program_.registers++;
  }

  // ---- ranges -----------------------------------------------------------------------------------------

  // A group holds rows of one program. No row of it needs a value that another row of it computes, so that they may be evaluated at once.
  void add_group(std::uint32_t program, const std::vector<std::uint32_t>& rows) {
    const std::vector<Loops::Input> inputs = programs_[program].inputs;
    const bool is_kept = rows.front() < first_output_row_;
    // The numbers of every input by row, and those of the results.
    std::vector<std::vector<std::uint32_t>> numbers(inputs.size() + 1);
    for (std::size_t k = 0; k <= inputs.size(); ++k) {
      numbers[k].reserve(rows.size());
      for (const std::uint32_t row : rows) numbers[k].push_back(number_of(inputs, k, rows_[row], is_kept));
    }
    std::vector<char> is_table(numbers.size(), 0);
    std::vector<std::size_t> breaks;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::vector<std::size_t> own = breaks_of(numbers[k], is_constant(inputs, k));
      if (own.size() * kRowsByBreak > rows.size())
        is_table[k] = 1;
      else
        breaks.insert(breaks.end(), own.begin(), own.end());
    }
    breaks.push_back(rows.size());
    std::sort(breaks.begin(), breaks.end());
    for (std::size_t begin = 0, next = 0; begin < rows.size(); begin = breaks[next]) {
      while (breaks[next] <= begin) ++next;
      Loops::Loop loop{program, is_kept, breaks[next] - begin, loops_->ranges_.size()};
      for (std::size_t k = 0; k < numbers.size(); ++k)
        loops_->ranges_.push_back(
            range_of(numbers[k], is_constant(inputs, k), is_table[k] != 0, begin, breaks[next]));
      loops_->loops_.push_back(loop);
    }
  }

  static bool is_constant(const std::vector<Loops::Input>& inputs, std::size_t k) {
    return k < inputs.size() && inputs[k].kind == Loops::Kind::constant;
  }

  std::uint32_t number_of(const std::vector<Loops::Input>& inputs, std::size_t k, const Row& row,
                          bool is_kept) {
    if (k == inputs.size()) {
      if (!is_kept) return row.output;
      // The level of a node is above that of all kept ones in it, and levels are numbered in their order.
      level_[row.output] = static_cast<std::uint32_t>(loops_->kept_++);
      return level_[row.output];
    }
    const std::uint32_t number = numbers_[row.first_number + k];
    return inputs[k].kind == Loops::Kind::kept ? level_[number] : number;
  }

  // The rows from which on the numbers go on by another stride, and constants have another value.
  std::vector<std::size_t> breaks_of(const std::vector<std::uint32_t>& numbers, bool is_constant) const {
    std::vector<std::size_t> found;
    std::size_t begin = 0;
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      const std::uint32_t stride = is_constant ? 0 : numbers[begin + 1] - numbers[begin];
      if (numbers[i] - numbers[i - 1] == stride) continue;
      found.push_back(i);
      begin = i;
    }
    return found;
  }

  Loops::Range range_of(const std::vector<std::uint32_t>& numbers, bool is_constant, bool is_table,
                        std::size_t begin, std::size_t end) {
    Loops::Range range;
    range.is_table = is_table;
    if (!is_table) {
      range.first = numbers[begin];
      if (is_constant)
        range.value = graph_.value(numbers[begin]);
      else if (end > begin + 1)
        range.stride = std::size_t{numbers[begin + 1]} - std::size_t{numbers[begin]};
      return range;
    }
    if (is_constant) {
      range.first = loops_->constants_.size();
      for (std::size_t i = begin; i < end; ++i) loops_->constants_.push_back(graph_.value(numbers[i]));
    } else {
      range.first = loops_->numbers_.size();
      for (std::size_t i = begin; i < end; ++i) loops_->numbers_.push_back(numbers[i]);
    }
    return range;
  }

  const ExpressionGraph& graph_;
  const std::vector<NodeId>& outputs_;
  const std::vector<std::uint32_t>& lambda_index_;
  std::shared_ptr<Loops> loops_ = std::make_shared<Loops>();
  std::vector<Loops::Program> programs_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> place_;  // of a node of the graph in nodes_
  std::vector<std::uint8_t> kept_;    // by place, as the next
  std::vector<std::uint32_t>
      level_;  // how many rows must come before; of a row that is done, the number of its value
  std::vector<Row> rows_;
  std::size_t first_output_row_ = kNowhere;
  std::vector<std::uint32_t>
      numbers_;  // of the inputs of all rows; of constants, and of what is kept, the nodes
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>
      groups_;  // by level and program
  std::unordered_map<Signature, std::uint32_t, SignatureHash> known_;
  // The row that is being built.
  NodeId root_ = 0;
  Loops::Program program_;
  Signature signature_;
  std::vector<std::pair<NodeId, std::uint32_t>> made_;
};

std::shared_ptr<const Loops> find_loops(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
                                        const std::vector<std::uint32_t>& lambda_index) {
  return LoopFinder(graph, outputs, lambda_index).find();
}

std::size_t Loops::instructions() const {
  std::size_t count = 0;
  for (const Program& program : *programs_) count += program.instructions.size();
  return count;
}

namespace {

// No target is an operand, so that the compiler may take several lanes at once.
template <class Scalar>
void run_lanes(const std::vector<Instruction>& instructions, Scalar* registers, std::size_t width,
               std::size_t lanes) {
  using std::sin, std::cos, std::exp, std::sqrt, std::pow, std::atan2;
  for (const Instruction& one : instructions) {
    Scalar* __restrict const r = registers + one.target * width;
    const auto at = [&](std::uint32_t place) -> const Scalar* { return registers + place * width; };
    const auto each = [&](const auto& value) {
      for (std::size_t i = 0; i < lanes; ++i) r[i] = value(i);
    };
    const Scalar* const a = at(one.a);
    if (one.code == code_integer_power) {
      const int exponent = static_cast<int>(one.b);
      each([=](std::size_t i) { return integer_power(a[i], exponent); });
      continue;
    }
    const Scalar* const b = at(one.b);
    const Scalar* const c = at(one.c);
    switch (one.code) {
      case code_of(Operation::add): each([=](std::size_t i) { return a[i] + b[i]; }); break;
      case code_of(Operation::subtract): each([=](std::size_t i) { return a[i] - b[i]; }); break;
      case code_of(Operation::multiply): each([=](std::size_t i) { return a[i] * b[i]; }); break;
      case code_of(Operation::divide): each([=](std::size_t i) { return a[i] / b[i]; }); break;
      case code_of(Operation::chain): each([=](std::size_t i) { return chain_of(a[i], b[i]); }); break;
      case code_of(Operation::negate): each([=](std::size_t i) { return -a[i]; }); break;
      case code_square: each([=](std::size_t i) { return a[i] * a[i]; }); break;
      case code_constant_power: each([=](std::size_t i) { return pow(a[i], value_of(b[i])); }); break;
      case code_of(Operation::power): each([=](std::size_t i) { return pow(a[i], b[i]); }); break;
      case code_of(Operation::sin): each([=](std::size_t i) { return sin(a[i]); }); break;
      case code_of(Operation::cos): each([=](std::size_t i) { return cos(a[i]); }); break;
      case code_of(Operation::exp): each([=](std::size_t i) { return exp(a[i]); }); break;
      case code_of(Operation::sqrt): each([=](std::size_t i) { return sqrt(a[i]); }); break;
      case code_of(Operation::atan2): each([=](std::size_t i) { return atan2(a[i], b[i]); }); break;
      case code_of(Operation::choose): each([=](std::size_t i) { return a[i] > 0.0 ? b[i] : c[i]; }); break;
      case code_blend: each([=](std::size_t i) { return blend_of(a[i], b[i], c[i]); }); break;
      default:
        each([=, operation = static_cast<Operation>(one.code)](std::size_t i) {
          return apply_unary(operation, a[i]);
        });
    }
  }
}

}  // namespace

void Loops::run(const Program& program, double* registers, std::size_t lanes) const {
  run_lanes(program.instructions, registers, width_, lanes);
}
void Loops::run(const Program& program, Dual<double>* registers, std::size_t lanes) const {
  run_lanes(program.instructions, registers, width_, lanes);
}
void Loops::run(const Program& program, Dual<Dual<double>>* registers, std::size_t lanes) const {
  run_lanes(program.instructions, registers, width_, lanes);
}
void Loops::run(const Program& program, Rounded* registers, std::size_t lanes) const {
  run_lanes(program.instructions, registers, width_, lanes);
}

}  // namespace slideway::reader
