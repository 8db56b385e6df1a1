#include <doctest/doctest.h>

#include <chrono>

#include "slideway/model/check.hpp"
#include "test/io/model_text.hpp"

using namespace slideway;
using namespace model_text;

namespace {

using Names = std::vector<std::string>;

// x[i]' = x[i+1] + 10*x[i-1] with what lies beyond the ends, for x = 1, 2, 3.
Vector with_ends(const std::string& in_state, const std::string& derivative) {
  const ModelInstance run =
      instance("[parameters]\nN = 3\n[states]\nx = { size = \"N\", value = \"i\"" + in_state +
               " }\n[time]\nend = 1\n[derivatives]\nx = " + derivative + "\n");
  return field(run.system, 0, run.state, Vector(0));
}

const char* const sum = "\"x[i+1] + 10*x[i-1]\"";

const char* const chain = R"toml(
name = "chain of blocks"
[parameters]
N = 4
k = 2.0
[states]
q = { size = "N", value = "0.1*i" }
v = { size = "N", value = "if(i > 2, 1, -1)" }
[time]
end = 10
[definitions]
force = { size = "N", value = "k*(q[i+1] - 2*q[i] + q[i-1])", ends = "zero" }
total = "q[1] + q[N] + q2"
[surfaces]
stick = { size = "N", value = "v[i] - 0.1" }
[derivatives]
q = "v[i]"
v = "force[i] - sgn(stick[i]) + total"
)toml";

}  // namespace

TEST_CASE("a vector becomes numbered states") {
  const Model model = parse_model(chain, "chain.toml");
  CHECK(model.state_names == Names{"q1", "q2", "q3", "q4", "v1", "v2", "v3", "v4"});
  const ModelInstance run = model.instantiate({});
  Vector expected(8);
  expected << 0.1, 0.2, 0.1 * 3, 0.4, -1, -1, 1, 1;
  CHECK(run.state == expected);
  CHECK(run.system.surface_names() == Names{"stick1", "stick2", "stick3", "stick4"});
  const Vector lambda = Eigen::Vector4d(1, -1, 0.5, 1);
  const Vector dx = field(run.system, 0, run.state, lambda);
  const double total = 0.1 + 0.4 + 0.2;
  CHECK(dx.head(4) == run.state.tail(4));
  CHECK(dx[4] == doctest::Approx(2 * (0.2 - 2 * 0.1) - 1 + total));
  CHECK(dx[6] == doctest::Approx(2 * (0.4 - 2 * 0.3 + 0.2) - 0.5 + total));
  CHECK(dx[7] == doctest::Approx(2 * (0.3 - 2 * 0.4) - 1 + total));
  CHECK(guards(run.system, 0, run.state)[0] == -1.1);
  CHECK(check_derivatives(run.system, 0, run.state, lambda, 1e-6).passed);
}

TEST_CASE("the equations of a vector are one line") {
  CHECK(parse_model(chain, "chain.toml").equations ==
        Names{"q[i]' = v[i]   (i = 1 … N)", "v[i]' = force[i] - sgn(stick[i]) + total   (i = 1 … N)",
              "force[i] = k*(q[i + 1] - 2*q[i] + q[i - 1])   (i = 1 … N, 0 beyond the ends)",
              "total = q[1] + q[N] + q2", "surface stick[i]: v[i] - 0.1   (i = 1 … N)"});
}

TEST_CASE("what lies beyond the ends of a vector is said beside the value or beside the vector") {
  CHECK(with_ends(", ends = \"zero\"", sum) == Vector(Eigen::Vector3d(2, 13, 20)));
  CHECK(with_ends(", ends = \"periodic\"", sum) == Vector(Eigen::Vector3d(32, 13, 21)));
  CHECK(with_ends(", ends = \"clamped\"", sum) == Vector(Eigen::Vector3d(12, 13, 23)));
  const std::string table = std::string("{ value = ") + sum;
  CHECK(with_ends("", table + ", ends = \"periodic\" }") == Vector(Eigen::Vector3d(32, 13, 21)));
  CHECK(with_ends(", ends = \"zero\"", table + ", ends = \"clamped\" }") ==
        Vector(Eigen::Vector3d(12, 13, 23)));
  CHECK(with_ends(", ends = \"periodic\"", "\"x[i+7] + 100*x[i-7]\"") ==
        Vector(Eigen::Vector3d(302, 103, 201)));
}

TEST_CASE("an index may be computed and tell the elements apart") {
  CHECK(with_ends("", "\"if(i > 1, x[i-1], 0) + 10*if(i < N, x[i+1], 0)\"") ==
        Vector(Eigen::Vector3d(20, 31, 2)));
  CHECK(with_ends("", "\"x[N + 1 - i]*i^2\"") == Vector(Eigen::Vector3d(3, 8, 9)));
  CHECK(with_ends("", "\"x[1 + abs(i - 2)]\"") == Vector(Eigen::Vector3d(2, 1, 2)));
}

TEST_CASE("unnamed surfaces of a vector are called by their elements") {
  const System system =
      instance(
          "[parameters]\nN = 3\nw = 2\n[states]\nx = { size = \"N\", value = \"i\", ends = \"zero\" }\n"
          "[time]\nend = 1\n[derivatives]\nx = \"sgn(x[i] - w*x[i-1]) + abs(x[i+1])\"\n")
          .system;
  CHECK(system.surface_names() == Names{"x1 - w*0", "x2 - w*x1", "x3 - w*x2", "x2", "x3"});
}

TEST_CASE("a structural parameter changes the length of vectors") {
  const Model model = parse_model(chain, "chain.toml");
  const ModelInstance run = model.instantiate({{"v6", 7}, {"N", 6}});
  CHECK(run.system.states() == 12);
  CHECK(run.system.surfaces() == 6);
  CHECK(run.state[11] == 7);
  CHECK(run.state[10] == 1);
  CHECK(refusal(model, {{"v6", 7}}).find("no such parameter or state: 'v6'") != std::string::npos);
  CHECK(refusal(model, {{"v6", 7}}).find("did you mean 'v1'?") != std::string::npos);
  CHECK(refusal(model, {{"N", 1}}).find("an element that does not exist") != std::string::npos);
  CHECK(refusal(model, {{"N", 2.5}}).find("the size of 'q', expected an integer from 1") !=
        std::string::npos);
  CHECK(refusal(model, {{"N", 0}}).find("the size of 'q', expected an integer from 1") != std::string::npos);
  CHECK(refusal(model, {{"N", 1e9}}).find("at most 1000000 elements in all") != std::string::npos);
}

TEST_CASE("elements and whole vectors can be set in a reset") {
  const std::string start =
      "[states]\nv = { size = \"3\", value = \"i\" }\n[time]\nend = 1\n[derivatives]\nv = \"1\"\n[[resets]]\n"
      "when = \"v1 - v[2]\"\nset = ";
  CHECK(report(start + "{ v = \"-v[i]\" }") == "");
  CHECK(report(start + "{ v1 = \"-v2\", v3 = 0 }") == "");
  CHECK(report(start + "{ v4 = \"0\" }").find("an element that does not exist") != std::string::npos);
  CHECK(report(start + "{ v = \"0\", v3 = \"1\" }").find("the same state twice") != std::string::npos);
  CHECK(report(start + "{ v1 = \"v[i]\" }").find("i has a value only in an expression for the elements") !=
        std::string::npos);
}

TEST_CASE("a chain of five thousand blocks is read and made in under a second") {
  std::string text = chain;
  text.replace(text.find("N = 4"), 5, "N = 5000");
  const auto start = std::chrono::steady_clock::now();
  const Model model = parse_model(text, "chain.toml");
  const ModelInstance run = model.instantiate({{"k", 3}});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(run.system.states() == 10'000);
  CHECK(run.system.surfaces() == 5'000);
  CHECK(run.system.definition().field_dlambda_pattern->entries() == 5'000);
  MESSAGE("read and made twice in " << taken.count() << " s");
  CHECK(taken.count() < 2);
}
