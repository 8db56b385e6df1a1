#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "models/registry.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

EventLog events_of_rod(Index cells, double rtol) {
  const ModelInstance rod = models::find_model("heat-rod").instantiate({{"n", static_cast<double>(cells)}});
  Options options;
  options.rtol = rtol;
  options.method = Method::bdf;
  options.recording = Recording::nothing;
  const Solution solution = Simulator(rod.system, options).run({.end = 6, .state = rod.state});
  REQUIRE(solution.outcome.status == Status::reached_end);
  return solution.events;
}

// The rod without its relay: I − γJ is tridiagonal. While the relay holds the mean, a term of rank one is missing.
class Tridiagonal : public Preconditioner {
 public:
  void setup(const LinearisationPoint& point) override {
    const Index n = point.x.size();
    const double conduction = point.gamma * static_cast<double>(n * n);
    off_ = -conduction;
    pivots_.resize(n);
    for (Index i = 0; i < n; ++i) {
      const double neighbours = i == 0 ? 1 : i == n - 1 ? 3 : 2;
      pivots_[i] = 1 + neighbours * conduction - (i == 0 ? 0 : off_ * off_ / pivots_[i - 1]);
    }
  }
  void solve(ConstVectorRef r, VectorRef z) override {
    const Index n = r.size();
    z = r;
    for (Index i = 1; i < n; ++i) z[i] -= off_ / pivots_[i - 1] * z[i - 1];
    z[n - 1] /= pivots_[n - 1];
    for (Index i = n - 2; i >= 0; --i) z[i] = (z[i] - off_ * z[i + 1]) / pivots_[i];
  }

 private:
  double off_ = 0;
  Vector pivots_;
};

Solution run_rod(Index cells, LinearSolver solver, MakePreconditioner preconditioner = {}) {
  const ModelInstance rod = models::find_model("heat-rod").instantiate({{"n", static_cast<double>(cells)}});
  Options options;
  options.rtol = 1e-5;
  options.method = Method::bdf;
  options.linear_solver = solver;
  options.preconditioner = std::move(preconditioner);
  options.recording = Recording::nothing;
  const Solution solution = Simulator(rod.system, options).run({.end = 3, .state = rod.state});
  REQUIRE(solution.outcome.status == Status::reached_end);
  return solution;
}

}  // namespace

TEST_CASE("GMRES takes few iterations with a tridiagonal preconditioner of the rod, to the same result") {
  const Solution direct = run_rod(1000, LinearSolver::klu);
  const Solution blocks = run_rod(1000, LinearSolver::gmres);
  const Solution own = run_rod(1000, LinearSolver::gmres, [] { return std::make_unique<Tridiagonal>(); });
  CAPTURE(own.statistics.steps);
  CAPTURE(own.statistics.krylov_iterations);
  CAPTURE(blocks.statistics.krylov_iterations);
  CHECK(own.statistics.krylov_iterations > 0);
  CHECK(own.statistics.krylov_iterations < 4 * own.statistics.steps);
  CHECK(3 * own.statistics.krylov_iterations < blocks.statistics.krylov_iterations);
  REQUIRE(own.events.size() == direct.events.size());
  for (std::size_t k = 0; k < own.events.size(); ++k) {
    CHECK(own.events[k].kind == direct.events[k].kind);
    CHECK(own.events[k].t == doctest::Approx(direct.events[k].t).epsilon(1e-4));
  }
  CHECK((own.final.state - direct.final.state).lpNorm<Eigen::Infinity>() < 1e-4);
}

// The errors of the state, times n³, hide how the relay's force changes: only the run itself shows that it falls.
TEST_CASE("the relay of a rod of many cells lets go when that of a rod of fewer cells does") {
  const EventLog coarse = events_of_rod(400, 1e-8);
  REQUIRE(coarse.size() == 4);
  for (const Index cells : {4000, 6000}) {
    CAPTURE(cells);
    const EventLog fine = events_of_rod(cells, 1e-6);
    REQUIRE(fine.size() == coarse.size());
    for (std::size_t i = 0; i < fine.size(); ++i) {
      CHECK(fine[i].kind == coarse[i].kind);
      CHECK(fine[i].t == doctest::Approx(coarse[i].t).epsilon(1e-4));
    }
  }
}
