#include "slideway/orbit/lyapunov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/QR>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr double kWipedOut = 1e-13;  // of the largest stretch in a block, below which a direction is rounding
// The error that 20 batch means give for their mean is itself uncertain by 1/√(2·19), a sixth.
constexpr std::size_t kBatches = 20;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// The run in pieces, each of which goes on where the one before ended.
class LyapunovRun {
 public:
  LyapunovRun(const Automaton& problem, const Run& run, const LyapunovOptions& options)
      : problem_(problem), run_(run), options_(options), n_(run.state.size()) {
    run_options_ = options.run;
    run_options_.sensitivities = {};
    run_options_.recording = Recording::nothing;
    run_options_.output_times.clear();
    run_options_.on_step = {};
    run_options_.on_event = {};
    result_.exists_until = std::numeric_limits<double>::infinity();
  }

  LyapunovExponents execute() {
    const double begin = run_.start + options_.transient;
    const auto blocks = static_cast<Index>(std::floor((run_.end - begin) / options_.block * (1 + 1e-12)));
    if (options_.transient > 0) {
      const Solution solution = follow_until(begin, run_options_);
      if (!take(solution)) return finished();
    }
    Matrix directions = Matrix::Identity(n_, n_);
    result_.complete = true;
    for (Index k = 1; k <= blocks; ++k) {
      Options differentiated = run_options_;
      differentiated.sensitivities.initial = directions;
      for (Index j = 0; j < directions.cols(); ++j)
        differentiated.sensitivities.names.push_back("direction " + std::to_string(j + 1));
      const Solution solution = follow_until(begin + static_cast<double>(k) * options_.block, differentiated);
      if (!take(solution)) break;
      result_.exists_until = std::min(result_.exists_until, solution.sensitivities->exists_until());
      if (!add_block(solution.sensitivities->final(), directions)) break;
      if (directions.cols() == 0) break;
    }
    return finished();
  }

 private:
  Solution follow_until(double end, const Options& options) {
    run_.end = end;
    return Simulator(problem_, options).run(run_);
  }

  bool take(const Solution& solution) {
    if (!solution.outcome.reached_end()) {
      result_.complete = false;
      result_.message = "the solution ends at t = " + number_text(solution.outcome.t) + " as " +
                        to_string(solution.outcome.status) +
                        (solution.outcome.message.empty() ? "" : ": " + solution.outcome.message);
      return false;
    }
    run_.start = solution.final.t;
    run_.state = solution.final.state;
    run_.location = solution.final.location;
    run_.mode = solution.final.mode;
    run_.pending = solution.pending;
    return true;
  }

  bool add_block(const Matrix& derivative, Matrix& directions) {
    if (!derivative.allFinite()) {
      result_.complete = false;
      result_.message = "there is no derivative at t = " + number_text(run_.start);
      return false;
    }
    const Index q = directions.cols();
    const Eigen::HouseholderQR<Matrix> qr(derivative);
    const Vector stretch = qr.matrixQR().diagonal().head(q).cwiseAbs();
    const double largest = stretch.maxCoeff();
    Index kept = 0;
    while (kept < q && stretch[kept] > kWipedOut * largest) ++kept;
    directions = Matrix(qr.householderQ()).leftCols(kept);
    Vector logs = Vector::Constant(n_, kNever);
    logs.head(kept) = stretch.head(kept).array().log() / options_.block;
    blocks_.push_back(logs);
    sum_ = blocks_.size() == 1 ? logs : Vector(sum_ + logs);
    result_.times.push_back(run_.start);
    result_.running.push_back(sum_ / static_cast<double>(blocks_.size()));
    return true;
  }

  LyapunovExponents finished() {
    if (blocks_.empty()) return result_;
    result_.values = result_.running.back();
    result_.errors = Vector::Constant(n_, std::numeric_limits<double>::quiet_NaN());
    const std::size_t batches = std::min(kBatches, blocks_.size());
    const std::size_t length = blocks_.size() / batches;
    for (Index i = 0; batches > 1 && i < n_; ++i) {
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
  Options run_options_ = {};
  std::vector<Vector> blocks_ = {};
  Vector sum_ = {};
  LyapunovExponents result_ = {};
};

}  // namespace

LyapunovExponents lyapunov_exponents(const Automaton& problem, const Run& run,
                                     const LyapunovOptions& options) {
  const char* const where = "lyapunov_exponents";
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
  if (!problem.system().time_events().empty() || problem.system().discrete() > 0) {
    refuse({.what = "the problem acts at known times, through which runs have no derivatives",
            .where = where,
            .expected = "a problem without time events and discrete states",
            .got = std::to_string(problem.system().time_events().size()) + " time events"});
  }
  return LyapunovRun(problem, run, options).execute();
}

}  // namespace slideway
