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

// Three states on a ring and a reset of each, which sets what `set` says.
std::string neurons(const std::string& set) {
  return "[parameters]\nN = 3\nw = 2\n[states]\nv = { size = \"N\", value = \"0\", ends = \"periodic\" "
         "}\n[time]\nend = "
         "1\n[derivatives]\nv = \"1\"\n[[resets]]\nname = \"spike\"\nsize = \"N\"\nwhen = \"v[i] - i\"\n" +
         set + "\n";
}

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
  CHECK(refusal(model, {{"v6", 7}}).find("there is no parameter or state 'v6'") != std::string::npos);
  CHECK(refusal(model, {{"v6", 7}}).find("did you mean 'v1'?") != std::string::npos);
  CHECK(refusal(model, {{"N", 1}}).find("an element that does not exist") != std::string::npos);
  CHECK(refusal(model, {{"N", 2.5}}).find("the size of 'q', expected an integer from 1") !=
        std::string::npos);
  CHECK(refusal(model, {{"N", 0}}).find("the size of 'q', expected an integer from 1") != std::string::npos);
  CHECK(refusal(model, {{"N", 1e9}}).find("at most 10000000 elements in all") != std::string::npos);
}

TEST_CASE("elements and whole vectors can be set in a reset") {
  const std::string start =
      "[states]\nv = { size = \"3\", value = \"i\" }\n[time]\nend = 1\n[derivatives]\nv = \"1\"\n[[resets]]\n"
      "when = \"v1 - v[2]\"\nset = ";
  CHECK(report(start + "{ v = \"-v[i]\" }") == "");
  CHECK(report(start + "{ v1 = \"-v2\", v3 = 0 }") == "");
  CHECK(report(start + "{ v4 = \"0\" }").find("an element that does not exist") != std::string::npos);
  CHECK(report(start + "{ v = \"0\", v3 = \"1\" }") == "");
  CHECK(report(start + "{ v1 = \"v[i]\" }").find("i has a value in an expression for the elements") !=
        std::string::npos);
}

TEST_CASE("a table with a size stands for one event for every i") {
  const System system =
      instance(neurons("set = { \"v[i]\" = \"w*i\", \"v[i+1]\" = \"v[i+1] + w*v[i]\" }")).system;
  REQUIRE(system.events().size() == 3);
  const Vector x = Eigen::Vector3d(10, 20, 30);
  // The last has its first for a neighbour.
  const Vector expected[] = {Eigen::Vector3d(2, 40, 30), Eigen::Vector3d(10, 4, 70),
                             Eigen::Vector3d(70, 20, 6)};
  for (Index i = 0; i < 3; ++i) {
    const Event& event = system.events()[static_cast<std::size_t>(i)];
    CHECK(event.name == "spike" + std::to_string(i + 1));
    CHECK(event.when.value(0, x) == x[i] - static_cast<double>(i + 1));
    Vector after = x;
    event.reset(0, x, after);
    CHECK(after == expected[i]);
  }
}

TEST_CASE("what an event sets for a whole vector gives way to what it sets for an element") {
  const System system = instance(neurons("set = { v = \"v[i] + 100*i\", \"v[i]\" = \"0\" }")).system;
  const Vector x = Eigen::Vector3d(1, 2, 3);
  Vector after = x;
  system.events()[1].reset(0, x, after);
  CHECK(after == Eigen::Vector3d(101, 0, 303));
}

TEST_CASE("an element beyond an end where all is zero is not set, and an event may so set nothing") {
  std::string text = neurons("set = { \"v[i+2]\" = \"-1\" }");
  text.replace(text.find("periodic"), 8, "zero");
  const System system = instance(text).system;
  const Vector x = Eigen::Vector3d(1, 2, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    Vector after = x;
    system.events()[i].reset(0, x, after);
    CHECK(after == (i == 0 ? Vector(Eigen::Vector3d(1, 2, -1)) : x));
  }
}

TEST_CASE("balls in a row by one table of contacts are the same as by a table for each") {
  const std::string start =
      "[parameters]\nN = 4\n[states]\nx = { size = \"N\", value = \"i\" }\nv = { size = \"N\", value = "
      "\"if(i > 1, 0, "
      "1)\" }\n[time]\nend = 9\n[derivatives]\nx = \"v[i]\"\nv = \"-0.1*v[i]\"\n";
  const std::string law = "restitution = \"0.9 - 0.1*impact\"\n";
  std::string by_hand = start;
  for (int i = 1; i < 4; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i + 1);
    by_hand += "[[contacts]]\nname = \"pair" + a + "\"\ngap = \"x" + b + " - x" + a + " - 0.5*" + a +
               "/4\"\nacts_on = { v" + a + " = \"-1\", v" + b + " = \"1/" + a + "\" }\n" + law;
  }
  const ModelInstance one = instance(
      start +
      "[[contacts]]\nname = \"pair\"\nsize = \"N - 1\"\ngap = \"x[i+1] - x[i] - 0.5*i/4\"\nacts_on = { "
      "\"v[i]\" = \"-1\", \"v[i+1]\" = \"1/i\" }\n" +
      law);
  const ModelInstance each = instance(by_hand);
  const std::vector<Contact>& contacts = one.system.contacts();
  REQUIRE(contacts.size() == 3);
  const Vector x = Vector::LinSpaced(8, 0.3, 2.7);
  for (std::size_t c = 0; c < 3; ++c) {
    const Contact& other = each.system.contacts()[c];
    CHECK(contacts[c].name == other.name);
    CHECK(contacts[c].gap.value(0, x) == other.gap.value(0, x));
    CHECK(contacts[c].restitution(0.5) == other.restitution(0.5));
    Vector force = Vector::Zero(8), other_force = Vector::Zero(8);
    contacts[c].acts_on(0, x, force);
    other.acts_on(0, x, other_force);
    CHECK(force == other_force);
    CHECK(force.lpNorm<1>() > 0);
  }
  // One ball has no neighbour.
  const Model model = parse_model(
      start + "[[contacts]]\nsize = \"N - 1\"\ngap = \"x[i+1] - x[i]\"\nacts_on = { \"v[i]\" = \"-1\" }\n" +
          law,
      "test.toml");
  CHECK(model.instantiate({{"N", 1}}).system.contacts().empty());
}

TEST_CASE("a line for one element wins over one for every element") {
  const auto after = [](const std::string& set) {
    const System system = instance(neurons("set = " + set)).system;
    Vector x = Eigen::Vector3d(10, 20, 30);
    const Vector before = x;
    system.events().at(1).reset(0, before, x);
    return x;
  };
  CHECK(after("{ v = \"v[i] + 1\", \"v[i]\" = \"0\" }") == Vector(Eigen::Vector3d(11, 0, 31)));
  CHECK(after("{ \"v[i]\" = \"0\", v = \"v[i] + 1\" }") == Vector(Eigen::Vector3d(11, 0, 31)));
  CHECK(after("{ v = \"v[i] + 1\", v3 = \"7\" }") == Vector(Eigen::Vector3d(11, 21, 7)));
}

TEST_CASE("in a value for every element j is the element where i is the number of the table") {
  const auto after = [](const std::string& set, std::size_t event) {
    const System system = instance(neurons("set = " + set)).system;
    Vector x = Eigen::Vector3d(10, 20, 30);
    const Vector before = x;
    system.events().at(event).reset(0, before, x);
    return x;
  };
  CHECK(after("{ v = \"v[j] + 100*i + j\", \"v[i]\" = \"0\" }", 1) == Vector(Eigen::Vector3d(211, 0, 233)));
  CHECK(after("{ v = \"v[j] + v[i]\" }", 0) == Vector(Eigen::Vector3d(20, 30, 40)));
  CHECK(after("{ v = \"v[j+1] + 100*i\" }", 2) == Vector(Eigen::Vector3d(320, 330, 310)));
  const std::string told = report(neurons("set = { \"v[i]\" = \"v[j]\" }"));
  CHECK(told.find("j is the number of the element in a value for every element of a vector") !=
        std::string::npos);
}

TEST_CASE("the equations of a model tell every element from the one that fires") {
  const auto line = [](const std::string& set) {
    const Model model = parse_model(neurons("set = " + set), "test.toml");
    for (const std::string& equation : model.equations)
      if (equation.find("reset") == 0) return equation;
    return std::string();
  };
  CHECK(line("{ \"v[i]\" = \"0\", v = \"v[i] + w\" }").find(": v[j] = v[j] + w, but v[i] = 0 ") !=
        std::string::npos);
  CHECK(line("{ v = \"v[j] + w*i\" }").find(": v[j] = v[j] + w*i ") != std::string::npos);
}

TEST_CASE("resets, stops and records may be told not to cross by jumps") {
  const auto with = [](const std::string& line) {
    return "[states]\nx = 0\n[derivatives]\nx = \"1\"\n[time]\nend = 1\n[[stops]]\nwhen = \"x - 2\"\n" +
           line + "[[records]]\nwhen = \"x - 3\"\n";
  };
  const auto crosses = [&](const std::string& line) {
    return instance(with(line)).system.events().front().across_jumps;
  };
  CHECK(crosses(""));
  CHECK(crosses("across_jumps = true\n"));
  CHECK_FALSE(crosses("across_jumps = false\n"));
  CHECK(instance(with("across_jumps = false\n")).system.events().back().across_jumps);
  CHECK(report(with("across_jumps = \"no\"\n")).find("expected true or false") != std::string::npos);
}

TEST_CASE("resets of a thousand oscillators that lift all others are read at the cost of their number") {
  const std::string text =
      "[parameters]\nN = 1000\neps = 0.001\n[states]\nx = { size = \"N\", value = \"i/(N + 1)\" "
      "}\n[derivatives]\n"
      "x = \"2 - x[i]\"\n[time]\nend = 1\n[[resets]]\nsize = \"N\"\nwhen = \"x[i] - 1\"\ndirection = "
      "\"rising\"\n"
      "set = { x = \"x[i] + eps\", \"x[i]\" = \"0\" }\n";
  const auto start = std::chrono::steady_clock::now();
  const ModelInstance run = instance(text);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  REQUIRE(run.system.events().size() == 1000);
  Vector after = run.state;
  run.system.events()[7].reset(0, run.state, after);
  CHECK(after[7] == 0);
  CHECK(after[8] == doctest::Approx(run.state[8] + 0.001));
  MESSAGE("read and made twice in " << taken.count() << " s");
  CHECK(taken.count() < 2);
}

TEST_CASE("mistakes in tables with a size are told where they are") {
  const auto told = [](const std::string& set, const std::string& what) {
    CAPTURE(set);
    CAPTURE(report(neurons("set = " + set)));
    CHECK(report(neurons("set = " + set)).find(what) != std::string::npos);
  };
  told("{ \"v[i\" = 0 }", "expected an operator or ']', got the end");
  told("{ \"v[i] + 1\" = 0 }",
       "what is no state, expected a state, or an element of a vector such as x[i + 1]");
  told("{ \"u[i]\" = 0 }", "what is no state");
  told("{ \"w[i]\" = 0 }", "what is no state");
  told("{ \"v[w*i/4]\" = 0 }", "an index that is no integer");
  told("{ \"v[i]\" = 0, \"v[i+3]\" = 0 }", "the same state twice");
  told("{ \"v[i]\" = 0, v2 = 0 }", "the same state twice");
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = neurons("set = { \"v[i]\" = \"0\" }");
    text.replace(text.find(from), from.size(), to);
    return report(text);
  };
  CHECK(changed("ends = \"periodic\"", "ends = \"periodic\"") == "");
  CHECK(changed("size = \"N\"\nwhen", "when").find("a table of an event, contact or") != std::string::npos);
  CHECK(changed("size = \"N\"\nwhen", "size = \"N/2\"\nwhen")
            .find("the size of reset 'spike', expected an integer from 0") != std::string::npos);
  CHECK(changed("size = \"N\"\nwhen", "size = \"v1\"\nwhen").find("the size of reset 'spike'") !=
        std::string::npos);
  CHECK(changed("[[resets]]", "[[records]]\nname = \"spike2\"\nwhen = \"v1\"\n[[resets]]")
            .find("a clash of names") != std::string::npos);
}

TEST_CASE("a sum is taken over all elements of a vector") {
  const auto with = [](const std::string& derivative, int count) {
    return "[parameters]\nN = " + std::to_string(count) +
           "\n[states]\nx = { size = \"N\", value = \"i\" }\ns = 0\n[time]\nend = 1\n"
           "[definitions]\ny = { size = \"N\", value = \"x[i]^2 + step(x[i] - 2.5)\" }\n"
           "[derivatives]\nx = \"x[i] - sum(x)/N\"\ns = \"" +
           derivative + "\"\n";
  };
  for (const int count : {1, 2, 5, 7}) {
    const ModelInstance run = instance(with("2*sum(x) + sum(y)", count));
    double total = 0, squares = 0;
    for (int i = 1; i <= count; ++i) {
      total += i;
      squares += i * i + (i > 2 ? 1 : 0);
    }
    const Vector lambda = guards(run.system, 0, run.state).array().sign().matrix();
    const Vector dx = field(run.system, 0, run.state, lambda);
    CHECK(dx[count] == doctest::Approx(2 * total + squares));
    CHECK(dx[0] == doctest::Approx(1 - total / count));
    CHECK(check_derivatives(run.system, 0, run.state, lambda).passed);
  }
  const auto told = [&](const std::string& derivative, const std::string& part) {
    const std::string text = report(with(derivative, 3));
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  told("sum(x[i])",
       "a sum of what is no vector in the derivative of 's', expected sum(x) with the name of a vector");
  told("sum(s)", "a sum of what is no vector");
  told("sum(2*x)", "give a name in [definitions] to what is summed");
  told("sum(x, s)", "1 argument");
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
