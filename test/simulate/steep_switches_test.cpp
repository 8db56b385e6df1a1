// Smooth switches that are narrower than the tolerances: they are told, and nothing else is.
#include "slideway/model/steep_switches.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// A block on a spring, under a friction with this dependence on v.
std::string block(const std::string& friction) {
  return "[states]\nx = 2\nv = 1e-3\n[time]\nend = 20\n[derivatives]\nx = \"v\"\nv = \"-x - 0.4*(" +
         friction + ") + cos(t/2)\"\n";
}

std::vector<std::string> warnings(const std::string& text, Method method, double atol) {
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  Options options{.rtol = 1e-8, .method = method};
  options.atol = Vector(Vector::Constant(instance.state.size(), atol));
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state})
      .warnings;
}

bool tells(const std::vector<std::string>& warnings, const std::string& state) {
  const std::string words = " of '" + state + "' at t = ";
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& text) {
    return text.find("switches by ") != std::string::npos && text.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a smooth switch that is narrower than the tolerances is told, with its state") {
  for (const char* const friction :
       {"v/sqrt(v^2 + 1e-16)", "tanh(v/1e-9)", "tanh(1e6*v)", "2/pi*atan(1e6*v)", "v/(abs(v) + 1e-10)"}) {
    CAPTURE(friction);
    CHECK(tells(warnings(block(friction), Method::rodas, 1e-6), "v"));
  }
  // In front of a belt, too.
  const std::string belt =
      "[states]\nx = 0\nv = 0\n[time]\nend = 20\n[derivatives]\nx = \"v\"\nv = \"-x - tanh((v - "
      "0.1)/1e-9)\"\n";
  CHECK(tells(warnings(belt, Method::rodas, 1e-6), "v"));
}

TEST_CASE("switches that the tolerances see, relays, and stiff motions are not told") {
  CHECK_FALSE(tells(warnings(block("tanh(v/1e-2)"), Method::rodas, 1e-6), "v"));
  CHECK_FALSE(tells(warnings(block("tanh(v/1e-4)"), Method::rodas, 1e-10), "v"));
  CHECK_FALSE(tells(warnings(block("sgn(v)"), Method::rodas, 1e-6), "v"));
  for (const char* const rates :
       {"x = \"-1e8*(x - sin(t))\"\ny = \"-y\"", "x = \"-1e4*x^3\"\ny = \"-sqrt(abs(y))\"",
        "x = \"y\"\ny = \"1000*(1 - x^2)*y - x\""}) {
    CAPTURE(rates);
    const std::string text =
        "[states]\nx = 1\ny = 1\n[time]\nend = 10\n[derivatives]\n" + std::string(rates) + "\n";
    const std::vector<std::string> told = warnings(text, Method::rodas, 1e-6);
    CHECK_FALSE(tells(told, "x"));
    CHECK_FALSE(tells(told, "y"));
  }
}
