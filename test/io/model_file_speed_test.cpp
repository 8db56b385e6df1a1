// The reader's time grows with the size of the file, not with its square.
#include <algorithm>
#include <ctime>
#include <string>

#include <doctest/doctest.h>

#include "slideway/io/model_file.hpp"

namespace {

using namespace slideway;

// A chain of blocks on a rough floor, every state and every surface with a name of its own.
std::string named_chain(int blocks) {
  std::string states = "[states]\n";
  std::string surfaces = "[surfaces]\n";
  std::string derivatives = "[derivatives]\n";
  for (int i = 1; i <= blocks; ++i) {
    const std::string number = std::to_string(i);
    const std::string left = i > 1 ? "p_" + std::to_string(i - 1) : "0";
    const std::string right = i < blocks ? "p_" + std::to_string(i + 1) : "0";
    states += "p_" + number + " = 0.1\nv_" + number + " = 0\n";
    surfaces += "slip_" + number + " = \"v_" + number + "\"\n";
    derivatives += "p_" + number + " = \"v_" + number + "\"\nv_" + number + " = \"" + right + " - 2*p_" +
                   number + " + " + left + " - 0.3*sgn(slip_" + number + ")\"\n";
  }
  return "[time]\nend = 1\n" + states + surfaces + derivatives;
}

std::string vector_chain(int blocks) {
  return "[parameters]\nN = " + std::to_string(blocks) + R"toml(
[states]
x = { size = "N", value = "0.01*i" }
v = { size = "N", value = "0" }
[time]
end = 1
[surfaces]
slip = { size = "N", value = "v[i]" }
[derivatives]
x = "v[i]"
v = { value = "x[i+1] - 2*x[i] + x[i-1] - 0.3*sgn(slip[i])", ends = "zero" }
)toml";
}

// Balls in a row, each of which touches the next.
std::string row_of_balls(int balls) {
  return "[parameters]\nN = " + std::to_string(balls) + R"toml(
[states]
x = { size = "N", value = "i" }
v = { size = "N", value = "0" }
[time]
end = 1
[derivatives]
x = "v[i]"
v = "0"
[[contacts]]
name = "pair"
size = "N - 1"
gap = "x[i+1] - x[i] - 0.9"
acts_on = { "v[i]" = "-1", "v[i+1]" = "1" }
restitution = 0.5
[[resets]]
name = "wrap"
size = "N"
when = "x[i] - 2*N"
set = { "x[i]" = "0" }
)toml";
}

// Processor time, which other programs hardly disturb, and the best of several.
double seconds_to_read(const std::string& text, int blocks) {
  double best = 1e300;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const std::clock_t before = std::clock();
    const ModelInstance instance = parse_model(text, "chain.toml").instantiate({});
    best = std::min(best, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    CHECK(instance.state.size() == 2 * blocks);
  }
  return best;
}

}  // namespace

TEST_CASE("four times the blocks take about four times as long to read") {
  for (const auto& chain : {named_chain, vector_chain, row_of_balls}) {
    const double some = seconds_to_read(chain(1250), 1250);
    const double many = seconds_to_read(chain(5000), 5000);
    CAPTURE(some);
    CAPTURE(many);
    // 4 when linear, 16 when quadratic.
    CHECK(many < 9 * std::max(some, 1e-3));
#ifdef NDEBUG
    CHECK(many < 1);
#endif
  }
}
