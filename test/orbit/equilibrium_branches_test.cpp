// Branches of equilibria and pseudo-equilibria, whose bifurcations have closed forms.
#include "slideway/orbit/equilibrium_branches.hpp"

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::vector<EquilibriumBranch> branches_of(const std::string& text, double first, double last) {
  const auto problem = [=](double value) { return instance_of(text, {{"p", value}}).problem(); };
  const ModelInstance instance = instance_of(text);
  const Index n = instance.state.size();
  return follow_equilibria(
      problem, {.start = 0, .end = 1, .state = instance.state},
      {.equilibria = {.lower = Vector::Constant(n, -2), .upper = Vector::Constant(n, 2), .starts = 20},
       .first = first,
       .last = last,
       .points = 11});
}

// The only branch of a mode.
EquilibriumBranch branch_of(const std::vector<EquilibriumBranch>& branches, const std::string& mode) {
  std::vector<EquilibriumBranch> matching;
  for (const EquilibriumBranch& branch : branches)
    if (branch.points.front().equilibrium.mode.word() == mode) matching.push_back(branch);
  CAPTURE(mode);
  REQUIRE(matching.size() == 1);
  return matching.front();
}

void check_only(const EquilibriumBranch& branch, EquilibriumBifurcation kind, double parameter,
                const Vector& state, double allowed = 1e-14) {
  CAPTURE(branch.message);
  REQUIRE(branch.bifurcations.size() == 1);
  const EquilibriumBranchBifurcation& found = branch.bifurcations.front();
  CAPTURE(found.reason);
  CAPTURE(found.parameter - parameter);
  CAPTURE((found.equilibrium.state - state).transpose());
  CHECK(found.kind == kind);
  CHECK(std::abs(found.parameter - parameter) <= allowed);
  CHECK((found.equilibrium.state - state).norm() <= 1e-7);
  CHECK(branch.message.empty());
}

std::string smooth(const std::string& x, const std::string& y) {
  return "[parameters]\np = 0.5\n[states]\nx = 0.5\ny = 0.2\n[time]\nend = 1.0\n[derivatives]\nx = \"" + x +
         "\"\ny = \"" + y + "\"\n";
}

}  // namespace

TEST_CASE("a branch of equilibria turns at its fold, from either end of the range") {
  for (const double first : {-0.3, 1.0}) {
    const auto branches = branches_of(smooth("p + 0.1 - x^2", "x - y"), first, 0.7 - first);
    REQUIRE(branches.size() == 1);
    check_only(branches.front(), EquilibriumBifurcation::fold, -0.1, Vector::Zero(2));
    for (const EquilibriumPoint& point : branches.front().points) {
      const double x = point.equilibrium.state[0];
      CHECK(std::abs(x * x - point.parameter - 0.1) <= 1e-14);
    }
    // Both halves come to the same end of the range.
    CHECK(std::abs(branches.front().points.front().parameter - 1) <= 1e-15);
    CHECK(std::abs(branches.front().points.back().parameter - 1) <= 1e-15);
  }
}

TEST_CASE("a pair of eigenvalues comes to the imaginary axis at a Hopf bifurcation") {
  const auto branches =
      branches_of(smooth("(p - 0.2)*x - 2*y - x*(x^2 + y^2)", "2*x + (p - 0.2)*y - y*(x^2 + y^2)"), -1, 1);
  REQUIRE(branches.size() == 1);
  check_only(branches.front(), EquilibriumBifurcation::hopf, 0.2, Vector::Zero(2));
  CHECK(std::abs(branches.front().bifurcations.front().equilibrium.eigenvalues[0].imag()) ==
        doctest::Approx(2));
}

TEST_CASE("two real eigenvalues of opposite sign are no Hopf bifurcation") {
  const auto branches = branches_of(smooth("(p - 0.2 + 1)*x", "-y + 0.1*p"), -0.5, 0.6);
  REQUIRE(branches.size() == 1);
  CHECK(branches.front().bifurcations.empty());
}

TEST_CASE("a branch goes on through its branch point, where the parameter does not turn") {
  // A pitchfork with x = 0 and x = +-sqrt(p - 0.15).
  const auto branches = branches_of(smooth("(p - 0.15)*x - x^3", "x - y"), -0.5, 0.5);
  bool found = false;
  for (const EquilibriumBranch& branch : branches) {
    CAPTURE(branch.message);
    if (std::abs(branch.points.front().equilibrium.state[0]) > 1e-3) continue;
    if (std::abs(branch.points.front().parameter + 0.5) > 1e-9) continue;
    check_only(branch, EquilibriumBifurcation::branch_point, 0.15, Vector::Zero(2), 1e-9);
    found = true;
  }
  CHECK(found);
}

TEST_CASE("pseudo-equilibria have folds and Hopf bifurcations along their surface") {
  const std::string sliding = "[surfaces]\nside = \"z\"\n[derivatives]\nz = \"x - 2*sgn(side)\"\n";
  const std::string begin = "[parameters]\np = 0.5\n[states]\nx = 0.5\ny = 0.2\nz = 0.1\n[time]\nend = 1.0\n";
  const auto folding = branches_of(begin + sliding + "x = \"p - x^2\"\ny = \"x - y\"\n", 1, -0.3);
  const EquilibriumBranch fold = branch_of(folding, "0");
  check_only(fold, EquilibriumBifurcation::fold, 0, Vector::Zero(3));
  CHECK(fold.points.front().equilibrium.kind == EquilibriumKind::pseudo);
  const auto turning = branches_of(
      begin + sliding + "x = \"p*x - y - x*(x^2 + y^2)\"\ny = \"x + p*y - y*(x^2 + y^2)\"\n", -0.55, 0.5);
  check_only(branch_of(turning, "0"), EquilibriumBifurcation::hopf, 0, Vector::Zero(3));
}

TEST_CASE("a branch goes on as virtual behind its boundary equilibrium") {
  // For x > 0 the equilibrium x = 3 p + 1, y = p + 1/2, and along x = 0 the pseudo-equilibrium y = 1/6.
  const auto branches = branches_of(
      "[parameters]\np = 0.0\n[states]\nx = 0.5\ny = 0.2\n[time]\nend = 1.0\n[surfaces]\nside = \"x\"\n"
      "[derivatives]\nx = \"if(side > 0, -x + 2*y + p, 1)\"\ny = \"x - 3*y + 0.5\"\n",
      -1, 0.5);
  const EquilibriumBranch regular = branch_of(branches, "+"), pseudo = branch_of(branches, "0");
  for (const EquilibriumBranch& branch : {regular, pseudo})
    check_only(branch, EquilibriumBifurcation::boundary_equilibrium, -1.0 / 3, Vector{{0.0, 1.0 / 6}});
  CHECK_FALSE(regular.points.front().equilibrium.admissible);
  CHECK(regular.points.back().equilibrium.admissible);
  CHECK(pseudo.points.front().equilibrium.admissible);
  CHECK_FALSE(pseudo.points.back().equilibrium.admissible);
}

TEST_CASE("equilibria that are followed in one value are refused") {
  CHECK_THROWS_AS(branches_of(smooth("p - x", "-y"), 1, 1), std::invalid_argument);
}
