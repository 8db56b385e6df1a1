#include "slideway/orbit/lyapunov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/numbered_states.hpp"
#include "model/refuse_cones.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// A direction that an event shrinks below this part of the largest stretch is wiped out by it: rounding makes about 1e-14 of a zero.
constexpr double kWipedOut = 1e-9;
// The derivative of a run has errors of about rtol of its largest entries. A direction that is larger by this factor than
// these is known to a thousandth, which is 1e-3 in the logarithm of its stretch.
constexpr double kKnownWell = 1000;
// The largest condition of a part. The formula that follows the derivative damps directions that shrink by more in
// one of its steps, and need not know by how much.
constexpr double kLargestCondition = 100;
// More parts of one block would take longer than to tell the user to make it shorter.
constexpr int kMostParts = 4096;
// The error that 20 batch means give for their mean is itself uncertain by 1/√(2·19), a sixth.
constexpr std::size_t kBatches = 20;
// The sizes of states are sampled this often: the largest of 40 values per turn of a state is within 1 % of its
// size, over five turns.
constexpr Index kSizeSamples = 200;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// Orthonormal ones that lie along no axis: one that a solution keeps apart from the others would otherwise be taken for the first.
Matrix general_directions(Index n) {
  std::mt19937_64 random(1);
  Matrix entries(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      entries(i, j) = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;  // from -1 to 1
  return orthogonal_factor(Eigen::HouseholderQR<Matrix>(entries));
}

double largest_over_least(const Vector& values) {
  return values.size() == 0 ? 1 : values.maxCoeff() / values.minCoeff();
}

// The run in pieces, each of which goes on where the one before ended. Directions are those of states divided by their sizes.
class LyapunovRun {
 public:
  LyapunovRun(const Automaton& problem, const Run& run, const LyapunovOptions& options)
      : problem_(problem),
        run_(run),
        options_(options),
        n_(run.state.size()),
        count_(n_ - numbered_states(problem)),
        condition_(std::min(kLargestCondition, 1 / (kKnownWell * options.run.rtol))) {
    run_options_ = plain_options(options.run, Recording::nothing);
    result_.exists_until = std::numeric_limits<double>::infinity();
  }

  LyapunovExponents execute() {
    const double begin = run_.start + options_.transient;
    const auto blocks = static_cast<Index>(std::floor((run_.end - begin) / options_.block * (1 + 1e-12)));
    if (!find_sizes()) return finished();
    // The number of what holds between events of an FMU moves by events alone.
    directions_ = Matrix::Zero(n_, count_);
    directions_.topRows(count_) = general_directions(count_);
    result_.complete = true;
    while (run_.start < begin && directions_.cols() > 0) {
      const double left = begin - run_.start;
      if (!begin_block(left <= 1.5 * options_.block ? begin : run_.start + options_.block)) return finished();
    }
    result_.exists_until = std::numeric_limits<double>::infinity();
    for (Index k = 1; k <= blocks && result_.complete; ++k) {
      const double end = begin + static_cast<double>(k) * options_.block;
      if (begin_block(end)) end_block(end);
    }
    return finished();
  }

 private:
  Solution follow_until(double end, const Options& options) {
    Run run = run_;
    run.end = end;
    return Simulator(problem_, options).run(run);
  }

  bool fail(const std::string& message) {
    result_.complete = false;
    result_.message = message;
    return false;
  }

  bool has_reached_end(const Solution& solution) {
    if (solution.outcome.reached_end()) return true;
    return fail("the solution ends at t = " + number_text(solution.outcome.t) + " as " +
                to_string(solution.outcome.status) +
                (solution.outcome.message.empty() ? "" : ": " + solution.outcome.message));
  }

  void take(const Solution& solution) {
    run_.start = solution.final.t;
    run_.state = solution.final.state;
    run_.location = solution.final.location;
    run_.mode = solution.final.mode;
    run_.pending = solution.pending;
    run_.fired = solution.fired;
  }

  // find_sizes() uses the first half of the transient, to whose end it goes, or the first block, from whose
  // begin it then starts. Directions turn to where they belong in the second half.
  bool find_sizes() {
    const bool has_transient = options_.transient > 0;
    const double length = has_transient ? 0.5 * options_.transient : options_.block;
    Options options = run_options_;
    for (Index k = 0; k < kSizeSamples; ++k)
      options.output_times.push_back(run_.start +
                                     length * static_cast<double>(k) / static_cast<double>(kSizeSamples));
    const Solution solution = follow_until(run_.start + length, options);
    sizes_ = run_.state.cwiseAbs();
    for (Index k = 0; k < solution.outputs.cols(); ++k)
      if (solution.outputs.col(k).allFinite())
        sizes_ = sizes_.cwiseMax(solution.outputs.col(k).cwiseAbs()).eval();
    for (double& size : sizes_)
      if (!(size > 0)) size = 1;
    if (!has_transient) return true;
    if (!has_reached_end(solution)) return false;
    take(solution);
    return true;
  }

  Matrix scaled(const Matrix& derivative) const { return sizes_.cwiseInverse().asDiagonal() * derivative; }

  bool begin_block(double end) {
    logs_ = Vector::Zero(count_);
    parts_ = 0;
    return follow_block(end);
  }

  // follow_block() goes to `end` in as many parts as it takes to keep all directions known; it returns false
  // where something ends that.
  bool follow_block(double end) {
    if (directions_.cols() == 0) return true;
    if (++parts_ > kMostParts)
      return fail("directions shrink so fast that a block has more than " + std::to_string(kMostParts) +
                  " parts; shorter blocks are needed, or a smaller relative tolerance");
    Options options = run_options_;
    options.sensitivities.initial = sizes_.asDiagonal() * directions_;
    for (Index j = 0; j < directions_.cols(); ++j)
      options.sensitivities.names.push_back("direction " + std::to_string(j + 1));
    options.output_times = {run_.start};
    const Solution solution = follow_until(end, options);
    if (!has_reached_end(solution)) return false;
    const Sensitivities& found = *solution.sensitivities;
    if (!found.final().allFinite())
      return fail("there is no derivative at t = " + number_text(std::min(end, found.exists_until())) +
                  (found.reason().empty() ? "" : ": " + found.reason()));
    if (take_onto_surfaces(found)) return follow_block(end);
    Matrix kept = Matrix::Identity(directions_.cols(), directions_.cols());
    if (!find_surviving(solution, kept)) return follow_halves(end);
    const Eigen::HouseholderQR<Matrix> qr(scaled(found.final()) * kept);
    const Index rank = kept.cols();
    const Vector stretch = qr.matrixQR().diagonal().head(rank).cwiseAbs();
    if (!(largest_over_least(stretch) <= condition_)) return follow_halves(end);
    logs_.head(rank).array() += stretch.array().log();
    directions_ = orthogonal_factor(qr).leftCols(rank);
    result_.exists_until = std::min(result_.exists_until, found.exists_until());
    take(solution);
    return true;
  }

  bool follow_halves(double end) {
    const double middle = run_.start + 0.5 * (end - run_.start);
    if (!(middle > run_.start && middle < end))
      return fail("directions shrink too fast at t = " + number_text(middle) +
                  " for the relative tolerance of the run");
    return follow_block(middle) && follow_block(end);
  }

  // A run that begins on a surface is taken onto it without an event, and so are its directions.
  bool take_onto_surfaces(const Sensitivities& found) {
    const Matrix begin = scaled(found.outputs().front());
    if (!begin.allFinite()) return false;
    const Eigen::JacobiSVD<Matrix> svd(begin, Eigen::ComputeThinU);
    const Index rank = rank_of(svd.singularValues());
    if (rank == directions_.cols()) return false;
    directions_ = svd.matrixU().leftCols(rank);
    return true;
  }

  static Index rank_of(const Vector& singular) {
    Index rank = 0;
    while (rank < singular.size() && singular[rank] > kWipedOut * singular[0]) ++rank;
    return rank;
  }

  // The combinations of the directions, in columns, that no event wipes out; false where they are not known well enough.
  bool find_surviving(const Solution& solution, Matrix& kept) const {
    const Sensitivities& found = *solution.sensitivities;
    const auto reduce = [&](const Matrix& derivative) {
      if (!derivative.allFinite() || kept.cols() == 0) return;
      const Eigen::JacobiSVD<Matrix> svd(scaled(derivative) * kept, Eigen::ComputeThinV);
      const Index rank = rank_of(svd.singularValues());
      if (rank < kept.cols()) kept = (kept * svd.matrixV().leftCols(rank)).eval();
    };
    for (const EventSensitivity& event : found.events()) {
      if (!event.before.allFinite() || kept.cols() == 0) continue;
      const Eigen::JacobiSVD<Matrix> before(scaled(event.before) * kept);
      if (!(largest_over_least(before.singularValues()) <= condition_)) return false;
      reduce(event.after);
    }
    return true;
  }

  void end_block(double end) {
    logs_.tail(count_ - directions_.cols()).setConstant(kNever);
    blocks_.push_back(logs_ / options_.block);
    sum_ = blocks_.size() == 1 ? blocks_.back() : Vector(sum_ + blocks_.back());
    result_.times.push_back(end);
    result_.running.push_back(sum_ / static_cast<double>(blocks_.size()));
  }

  LyapunovExponents finished() {
    if (blocks_.empty()) return result_;
    result_.values = result_.running.back();
    result_.errors = Vector::Constant(count_, std::numeric_limits<double>::quiet_NaN());
    const std::size_t batches = std::min(kBatches, blocks_.size());
    const std::size_t length = blocks_.size() / batches;
    for (Index i = 0; batches > 1 && i < count_; ++i) {
      if (!std::isfinite(result_.values[i])) continue;
      std::vector<double> means;
      for (std::size_t b = 0; b < batches; ++b) {
        double mean = 0;
        for (std::size_t k = b * length; k < (b + 1) * length; ++k) mean += blocks_[k][i];
        means.push_back(mean / static_cast<double>(length));
      }
      const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(batches);
      double squares = 0;
      for (const double value : means) squares += (value - mean) * (value - mean);
      result_.errors[i] = std::sqrt(squares / static_cast<double>(batches * (batches - 1)));
    }
    return result_;
  }

  const Automaton& problem_;
  Run run_;
  const LyapunovOptions& options_;
  Index n_;
  Index count_;       // of the exponents
  double condition_;  // of a derivative, up to which all of its directions are known well
  Options run_options_ = {};
  Vector sizes_ = {};
  Matrix directions_ = {};  // orthonormal columns
  Vector logs_ = {};        // of the stretches of the block so far
  int parts_ = 0;           // of the block so far
  std::vector<Vector> blocks_ = {};
  Vector sum_ = {};
  LyapunovExponents result_ = {};
};

}  // namespace

LyapunovExponents lyapunov_exponents(const Automaton& problem, const Run& run,
                                     const LyapunovOptions& options) {
  const char* const where = "lyapunov_exponents";
  refuse_cone_friction(problem, "Lyapunov exponents");
  if (!(options.block > 0) || !std::isfinite(options.block) || !(options.transient >= 0)) {
    refuse({.what = "the blocks make no sense",
            .where = where,
            .expected = "a block above 0 and a transient of 0 or above",
            .got = number_text(options.block) + " and " + number_text(options.transient)});
  }
  if (!(run.start + options.transient + options.block <= run.end * (1 + 1e-12) + 1e-300)) {
    refuse({.what = "the run has no whole block after its transient",
            .where = where,
            .expected = "an end of at least " + number_text(run.start + options.transient + options.block),
            .got = number_text(run.end)});
  }
  return LyapunovRun(problem, run, options).execute();
}

}  // namespace slideway
