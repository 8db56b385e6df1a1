// A user's preconditioner for GMRES: what it is told, and what is said when it fails.
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/simulate/hybrid.hpp"

namespace slideway {
namespace {

// n stiff decays, one as fast as all others together, driven by a relay that sees the first.
struct Decays {
  Index states = 4;
  static double rate(Index i) { return std::pow(10.0, static_cast<double>(i)); }
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 0.25; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    for (Index i = 0; i < states; ++i) dx[i] = -rate(i) * (x[i] - cos(t));
    dx[0] = cos(t) - 3 * lambda[0] - x[0];
  }
};

System decays(Index states) { return from_functor(Decays{states}, {.states = states, .surfaces = 1}); }

struct Log {
  int made = 0, setups = 0, solves = 0;
  bool saw_sliding = false;
  double largest_gamma = 0;
};

// The diagonal of I − γJ.
class Diagonal : public Preconditioner {
 public:
  explicit Diagonal(std::shared_ptr<Log> log) : log_(std::move(log)) { ++log_->made; }
  void setup(const LinearisationPoint& point) override {
    ++log_->setups;
    log_->saw_sliding = log_->saw_sliding || point.mode.word() == "0";
    log_->largest_gamma = std::max(log_->largest_gamma, point.gamma);
    CHECK(point.gamma > 0);
    CHECK(point.location.empty());
    diagonal_.resize(point.x.size());
    for (Index i = 0; i < diagonal_.size(); ++i) diagonal_[i] = 1 + point.gamma * Decays::rate(i);
  }
  void solve(ConstVectorRef r, VectorRef z) override {
    ++log_->solves;
    z = r.cwiseQuotient(diagonal_);
  }

 private:
  std::shared_ptr<Log> log_;
  Vector diagonal_;
};

struct Failing : Preconditioner {
  bool throws_in_setup = false, throws_in_solve = false;
  void setup(const LinearisationPoint&) override {
    if (throws_in_setup) throw std::runtime_error("no factors");
  }
  void solve(ConstVectorRef r, VectorRef z) override {
    if (throws_in_solve) throw std::runtime_error("no solution");
    z = r * std::numeric_limits<double>::quiet_NaN();
  }
};

Options gmres(MakePreconditioner make) {
  Options options;
  options.method = Method::bdf;
  options.linear_solver = LinearSolver::gmres;
  options.preconditioner = std::move(make);
  return options;
}

Solution run(const System& system, const Options& options) {
  return Simulator(system, options)
      .run({.start = 0, .end = 3, .state = Vector::Constant(system.states(), 1)});
}

std::string message_of(bool throws_in_setup, bool throws_in_solve) {
  const Solution solution = run(decays(4), gmres([=] {
                                  auto made = std::make_unique<Failing>();
                                  made->throws_in_setup = throws_in_setup;
                                  made->throws_in_solve = throws_in_solve;
                                  return made;
                                }));
  CHECK(solution.outcome.status == Status::user_function_failed);
  return solution.outcome.message;
}

}  // namespace

TEST_CASE(
    "a preconditioner of one's own is told the point, the mode and gamma, and changes nothing but the "
    "iterations") {
  const auto log = std::make_shared<Log>();
  Options dense = gmres({});
  dense.linear_solver = LinearSolver::dense;
  const Solution reference = run(decays(6), dense);
  const Solution solution = run(decays(6), gmres([log] { return std::make_unique<Diagonal>(log); }));
  REQUIRE(solution.outcome.reached_end());
  CHECK(log->made == 1);
  CHECK(log->setups > 5);
  CHECK(log->solves > log->setups);
  CHECK(log->saw_sliding);
  CHECK(log->largest_gamma > 1e-3);
  REQUIRE(solution.events.size() == reference.events.size());
  for (std::size_t k = 0; k < reference.events.size(); ++k) {
    CHECK(solution.events[k].kind == reference.events[k].kind);
    CHECK(solution.events[k].t == doctest::Approx(reference.events[k].t).epsilon(1e-5));
  }
  CHECK((solution.final.state - reference.final.state).lpNorm<Eigen::Infinity>() < 1e-5);
}

TEST_CASE("every run has a preconditioner of its own") {
  const auto log = std::make_shared<Log>();
  const Simulator simulator(decays(3), gmres([log] { return std::make_unique<Diagonal>(log); }));
  for (int k = 0; k < 3; ++k) {
    CHECK(simulator.run({.start = 0, .end = 1, .state = Vector::Ones(3)}).outcome.reached_end());
  }
  CHECK(log->made == 3);
}

TEST_CASE("GMRES counts its iterations, the other solvers have none") {
  const auto log = std::make_shared<Log>();
  Options options = gmres([log] { return std::make_unique<Diagonal>(log); });
  const Solution own = run(decays(6), options);
  CHECK(own.statistics.krylov_iterations > 0);
  CHECK(own.statistics.krylov_iterations <= log->solves);
  options.preconditioner = {};
  options.linear_solver = LinearSolver::dense;
  CHECK(run(decays(6), options).statistics.krylov_iterations == 0);
}

TEST_CASE("a preconditioner that fails ends the run with one message that says so") {
  CAPTURE(message_of(true, false));
  CHECK(message_of(true, false).find("the setup of the preconditioner threw at t = ") == 0);
  CHECK(message_of(true, false).find(": no factors") != std::string::npos);
  CAPTURE(message_of(false, true));
  CHECK(message_of(false, true).find("the preconditioner threw at t = ") == 0);
  CHECK(message_of(false, true).find(": no solution") != std::string::npos);
  CAPTURE(message_of(false, false));
  CHECK(message_of(false, false).find("the result of the preconditioner is not finite at t = ") == 0);
  CHECK(message_of(false, false).find("entry [0] is nan") != std::string::npos);
}

TEST_CASE(
    "a preconditioner for a solver without use for it is refused, and so is none from the function that "
    "makes it") {
  Options options = gmres([] { return std::make_unique<Failing>(); });
  options.linear_solver = LinearSolver::klu;
  CHECK_THROWS_WITH_AS(run(decays(3), options), doctest::Contains("expected linear_solver gmres, got klu"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(run(decays(3), gmres([] { return nullptr; })),
                       doctest::Contains("there is no preconditioner"), std::invalid_argument);
}

}  // namespace slideway
