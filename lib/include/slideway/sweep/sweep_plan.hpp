// Runs of a sweep, numbered from 0: every combination of the values of its axes, the last axis fastest, or samples of
// their ranges. Runs that follow one another make a chain.
//
// It must not know how a run is made, nor files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/sweep/samples.hpp"

namespace slideway {

// A parameter, or the initial value of a state, and what it takes: a list of values, `count` values from first to last,
// or a range to draw from.
struct SweepAxis {
  std::string name = {};
  std::vector<double> values = {};
  double first = 0;
  double last = 0;
  Index count = 0;           // of equally spaced values; with equal ratios where `logarithmic`
  bool logarithmic = false;  // also of a range: equal ratios are drawn with equal probability
  bool is_range = false;

  // The number of values; 0 of a range.
  Index size() const { return count > 0 ? count : static_cast<Index>(values.size()); }
  // The ends are hit exactly.
  double value(Index place) const;
};

// The order in which the runs of a chain follow one another along the first axis.
enum class Follow { nothing, up, down, both };

// One of several parts of a sweep, which are made apart: every `of`-th chain, from chain `number` − 1.
struct Shard {
  Index number = 1;
  Index of = 1;
};

struct SweepDesign {
  std::vector<SweepAxis> axes = {};
  Settings fixed = {};
  Sampling sampling = Sampling::grid;
  Index samples = 0;
  std::uint64_t seed = 1;
  Follow follow = Follow::nothing;
  Shard shard = {};
};

// The most runs of a sweep.
inline constexpr Index most_sweep_runs = 10'000'000;

class SweepPlan {
 public:
  // Throws std::invalid_argument for no axes, too many runs, a name varied twice or set as well, and for axes that do
  // not fit the sampling.
  explicit SweepPlan(SweepDesign design);

  const SweepDesign& design() const { return design_; }
  const std::vector<SweepAxis>& axes() const { return design_.axes; }
  Sampling sampling() const { return design_.sampling; }
  Follow follow() const { return design_.follow; }
  // The number of runs in all shards together.
  Index runs() const { return design_.follow == Follow::both ? 2 * points_ : points_; }
  // is_here() is true for a run of this shard; runs_here() counts them.
  bool is_here(Index run) const { return chain_of(run) % design_.shard.of == design_.shard.number - 1; }
  Index runs_here() const;
  // One value per axis.
  std::vector<double> values(Index run) const;
  // The fixed settings, then the values of the axes.
  Settings settings(Index run) const;
  // "up" or "down" along the first axis; "" where runs do not follow one another.
  std::string direction(Index run) const;

  // The chains of the shard: a run by itself, or the runs that begin where the one before ended, in this order.
  Index chains() const;
  std::vector<Index> chain(Index number) const;

 private:
  void refuse_unfit_axes() const;
  Index chain_of(Index run) const;
  Index runs_per_chain() const { return design_.follow == Follow::nothing ? 1 : runs() / all_chains_; }

  SweepDesign design_;
  std::shared_ptr<const Samples> samples_ = nullptr;
  Index points_ = 1;           // combinations or samples
  Index all_chains_ = 1;       // of all shards
  std::vector<Index> ascent_;  // the places of the first axis, by their values
};

}  // namespace slideway
