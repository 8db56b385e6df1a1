#include "expression/loop_rows.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace slideway::reader {

// The rows that are wanted and those that these need, by loops: first what is kept, in the order of all loops, then the outputs by
// their programs.
class LoopRows::Selection {
 public:
  explicit Selection(const LoopRows& rows) : rows_(rows), all_(*rows.all_) {}

  std::shared_ptr<const Loops> make(const std::vector<Index>& outputs) {
    const auto made = std::make_shared<Loops>();
    made->outputs_ = outputs.size();
    made->programs_ = all_.programs_;
    made->registers_ = all_.registers_;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Row row = rows_.places_[static_cast<std::size_t>(outputs[k])];
      const auto number = static_cast<std::uint32_t>(k);
      if (row.loop == all_.loops_.size()) {
        made->fixed_.push_back({number, all_.fixed_[row.row].value});
        continue;
      }
      wanted_[all_.loops_[row.loop].program].emplace_back(row, number);
      need_what_it_takes(row);
    }
    for (auto& [loop, rows] : kept_rows_) {
      std::sort(rows.begin(), rows.end());
      for (const std::uint32_t row : rows) number_of_kept_[kept_number({loop, row})] = made->kept_++;
    }
    for (const auto& [loop, rows] : kept_rows_) {
      std::vector<std::pair<Row, std::uint32_t>> members;
      for (const std::uint32_t row : rows) members.emplace_back(Row{loop, row}, 0U);
      add_loop(*made, members, true);
    }
    for (const auto& [program, members] : wanted_) add_loop(*made, members, false);
    return made;
  }

 private:
  const Loops::Program& program_of(const Row& row) const {
    return (*all_.programs_)[all_.loops_[row.loop].program];
  }

  // The number of what a row takes as its input k, or is.
  std::size_t number_at(const Row& row, std::size_t k) const {
    const Loops::Range& range = all_.ranges_[all_.loops_[row.loop].first_range + k];
    return range.is_table ? all_.numbers_[range.first + row.row] : range.first + range.stride * row.row;
  }
  std::size_t kept_number(const Row& row) const { return number_at(row, program_of(row).inputs.size()); }

  void need_what_it_takes(const Row& row) {
    const Loops::Program& program = program_of(row);
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      if (program.inputs[k].kind != Loops::Kind::kept) continue;
      const std::size_t number = number_at(row, k);
      if (!number_of_kept_.try_emplace(number, 0).second) continue;
      const Row keeper = rows_.row_that_keeps(number);
      kept_rows_[keeper.loop].push_back(keeper.row);
      need_what_it_takes(keeper);
    }
  }

  void add_loop(Loops& made, const std::vector<std::pair<Row, std::uint32_t>>& members, bool is_kept) const {
    const Row& first = members.front().first;
    const Loops::Program& program = program_of(first);
    made.loops_.push_back({all_.loops_[first.loop].program, is_kept, members.size(), made.ranges_.size()});
    made.width_ = std::max(made.width_, std::min(Loops::kLanes, members.size()));
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      Loops::Range range;
      range.is_table = true;
      switch (program.inputs[k].kind) {
        case Loops::Kind::time:
        case Loops::Kind::impact: break;
        case Loops::Kind::constant: {
          range.first = made.constants_.size();
          for (const auto& [row, output] : members) {
            const Loops::Range& of = all_.ranges_[all_.loops_[row.loop].first_range + k];
            made.constants_.push_back(of.is_table ? all_.constants_[of.first + row.row] : of.value);
          }
          break;
        }
        default:
          range.first = made.numbers_.size();
          for (const auto& [row, output] : members) {
            const std::size_t number = number_at(row, k);
            const bool takes_kept = program.inputs[k].kind == Loops::Kind::kept;
            made.numbers_.push_back(
                static_cast<std::uint32_t>(takes_kept ? number_of_kept_.at(number) : number));
          }
      }
      made.ranges_.push_back(range);
    }
    Loops::Range to;
    if (is_kept) {
      to.first = number_of_kept_.at(kept_number(first));
      to.stride = 1;
    } else {
      to.is_table = true;
      to.first = made.numbers_.size();
      for (const auto& [row, output] : members) made.numbers_.push_back(output);
    }
    made.ranges_.push_back(to);
  }

  const LoopRows& rows_;
  const Loops& all_;
  std::map<std::uint32_t, std::vector<std::pair<Row, std::uint32_t>>> wanted_;  // by program
  std::map<std::uint32_t, std::vector<std::uint32_t>> kept_rows_;               // by loop
  std::unordered_map<std::size_t, std::size_t> number_of_kept_;
};

LoopRows::LoopRows(std::shared_ptr<const Loops> all) : all_(std::move(all)), places_(all_->outputs()) {
  const auto count = static_cast<std::uint32_t>(all_->loops_.size());
  for (std::uint32_t k = 0; k < count; ++k) {
    const Loops::Loop& loop = all_->loops_[k];
    if (loop.is_kept) {
      keepers_.push_back(k);
      continue;
    }
    const Loops::Range& to = all_->ranges_[loop.first_range + (*all_->programs_)[loop.program].inputs.size()];
    for (std::uint32_t row = 0; row < loop.rows; ++row)
      places_[to.is_table ? all_->numbers_[to.first + row] : to.first + to.stride * row] = {k, row};
  }
  for (std::uint32_t k = 0; k < all_->fixed_.size(); ++k) places_[all_->fixed_[k].output] = {count, k};
}

LoopRows::Row LoopRows::row_that_keeps(std::size_t number) const {
  const auto first_kept = [&](std::uint32_t loop) {
    const Loops::Loop& one = all_->loops_[loop];
    return all_->ranges_[one.first_range + (*all_->programs_)[one.program].inputs.size()].first;
  };
  const auto after =
      std::upper_bound(keepers_.begin(), keepers_.end(), number,
                       [&](std::size_t one, std::uint32_t loop) { return one < first_kept(loop); });
  const std::uint32_t loop = *(after - 1);
  return {loop, static_cast<std::uint32_t>(number - first_kept(loop))};
}

std::shared_ptr<const Loops> LoopRows::some(const std::vector<Index>& outputs) const {
  return Selection(*this).make(outputs);
}

}  // namespace slideway::reader
