// Guards of which rounding tells more than the tolerances do: at tight tolerances, late on the clock, or flat where they are zero.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <sstream>
#include <string>

#include "slideway/model/from_functor.hpp"
#include "test/simulate/model_text.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kSpeed = 1.12, kSize = 0.525, kFrequency = 2.69, kPhase = 5.68;

// x follows kSize·sin(kFrequency·t + kPhase) at kSpeed at most, from t = 0; the crossings are found by halving.
double followed(double x, double end) {
  const auto target = [](double t) { return kSize * std::sin(kFrequency * t + kPhase); };
  const auto speed = [](double t) { return kSize * kFrequency * std::cos(kFrequency * t + kPhase); };
  const auto first_zero = [&](const auto& f, double from) {
    constexpr double step = 1e-3;
    // The function is zero at its begin.
    double low = from + step / 16;
    const bool is_below = f(low) < 0;
    while (low < end && (f(low + step) < 0) == is_below) low += step;
    double high = low + step;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      ((f(middle) < 0) == is_below ? low : high) = middle;
    }
    return high;
  };
  double t = 0;
  for (;;) {
    const double direction = x < target(t) ? 1 : -1;
    const double start = t, x_start = x;
    const auto chase = [&](double s) { return x_start + direction * kSpeed * (s - start); };
    t = first_zero([&](double s) { return chase(s) - target(s); }, start);
    if (t >= end) return chase(end);
    if (std::abs(speed(t)) < kSpeed) t = first_zero([&](double s) { return std::abs(speed(s)) - kSpeed; }, t);
    if (t >= end) return target(end);
    // The target runs away, or through x.
    x = target(t) - (speed(t) > 0 ? 1e-14 : -1e-14);
  }
}

std::string follower(double start) {
  const std::string late = start == 0 ? "t" : "(t - " + std::to_string(start) + ")";
  return "name = \"follower\"\n[states]\nx = -0.151\nb = 100\nv = 0\n[time]\nstart = " +
         std::to_string(start) + "\nend = " + std::to_string(start + 10) +
         "\n[derivatives]\nx = \"-1.12*sgn(x - 0.525*sin(2.69*" + late +
         " + 5.68))\"\nb = \"v\"\nv = \"-2 + sin(t)\"\n"
         "[[contacts]]\ngap = \"b - 100\"\nacts_on = { v = \"1\" }\nrestitution = 0.3\n";
}

}  // namespace

TEST_CASE(
    "A body that rests holds no surface that has nothing to do with the body, however tight the tolerances") {
  for (const double start : {0.0, 10000.0}) {
    for (const double unit : {1.0, 0.1, 100.0}) {
      CAPTURE(start);
      CAPTURE(unit);
      const auto check = [&](const Finished& finished, double) {
        // Rounding of the clock moves an exit by about 1e-12.
        CHECK(finished.end(0) == doctest::Approx(followed(-0.151, 10)).epsilon(start == 0 ? 1e-10 : 1e-9));
      };
      for_all_methods(follower(start), {1e-12}, check, Vector::Constant(3, unit));
    }
  }
}

TEST_CASE("Terms that cancel in every state make no surface, whatever rounding leaves of them") {
  const std::string head =
      "name = \"cancel\"\n[states]\nk = 0\nx = -117000\n[time]\nend = 8\n[derivatives]\nk = \"1e6*(1 + "
      "0.4*exp(-sin(t)^2))\"\nx = \"1e6*(";
  const std::string tail =
      " - x/1e6 - 0.662*sgn(x/1e6 - 0.224*sin(1.7*t + 3.76)))\"\n[[resets]]\nwhen = \"k/1e6 - 1\"\ndirection "
      "= \"rising\"\nset = { k = \"k - 1e6\" }\n";
  for (const char* const same :
       {"min(0.5*(k/1e6 - 0.5) + 0.5*(k/1e6 - 0.5), k/1e6 - 0.5)", "max(0.3*k/1e6 + 0.7*k/1e6, k/1e6) - 0.5",
        "if(k/1e6 - 0.1*k/1e6 >= 0.9*k/1e6, k/1e6, k/1e6) - 0.5"}) {
    CAPTURE(same);
    for_all_methods(head + same + tail, {1e-6, 1e-9}, [&](const Finished& finished, double rtol) {
      const double plain = run(head + "k/1e6 - 0.5" + tail, finished.method, rtol).end(1);
      CHECK(finished.instance.system.surfaces() == 1);
      CHECK(finished.end(1) == doctest::Approx(plain).epsilon(100 * rtol));
    });
  }
}

TEST_CASE("A kink whose two values part like the third power of the state is no matter of choice") {
  const std::string head = "name = \"kink\"\n[states]\ne = 0.585\n[time]\nend = 8\n[derivatives]\ne = \"";
  const std::string tail = " - e - 0.891*sgn(e - 0.346*sin(1.71*t + 3.15))\"\n";
  const auto check = [&](const Finished& finished, double rtol) {
    // The smaller one is e/(1 + e²) above zero.
    const double plain =
        run(head + "(e + abs(e))/2/(1 + e^2) + (e - abs(e))/2" + tail, finished.method, rtol).end(0);
    CHECK(finished.end(0) == doctest::Approx(plain).epsilon(1000 * rtol));
  };
  for_all_methods(head + "min(e/(1 + e^2), e)" + tail, {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}, check);
}

TEST_CASE(
    "A step of a value that touches it, flat by rounding, is not taken while another surface holds the "
    "motion") {
  const auto text = [](const std::string& value) {
    return "name = \"touch\"\n[states]\ne = 0.0145\n[time]\nend = 9\n[surfaces]\nS = { value = \"e - "
           "0.395*sin(0.52*t + 2.46)\", break_away = 1.33 }\n[derivatives]\ne = \"" +
           value + " - e - 0.354*sgn(S)\"\n";
  };
  for (const auto& [stepped, smooth] :
       {std::pair("mod(log(1 + e*e), 0.7)", "log(1 + e*e)"), std::pair("0.7*floor(1 - cos(e))", "0"),
        std::pair("0.7*ceil(cosh(e) - 1)", "0.7")}) {
    CAPTURE(stepped);
    for_all_methods(text(stepped), {1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12},
                    [&](const Finished& finished, double rtol) {
                      const Finished plain = run(text(smooth), finished.method, rtol);
                      for (const double t : {1.0, 1.5, 3.0, 5.0, 7.0, 8.0})
                        CHECK(std::abs(finished.solution.trajectory(t)[0] -
                                       plain.solution.trajectory(t)[0]) <= 1000 * rtol);
                    });
  }
}

TEST_CASE("Fields that push onto the zero of a guard hold no motion where the guard only touches zero") {
  // Beside y = 0 each guard is positive, flat by rounding within 1e-8: y' = −0.4 + 0.1y all the way.
  const auto text = [](const std::string& relay, double y) {
    std::ostringstream made;
    made << "name = \"touch\"\n[states]\ny = " << y
         << "\n[time]\nend = 3\n[derivatives]\ny = \"-0.1 + 0.1*y - 0.3*" << relay << "\"\n";
    return made.str();
  };
  for (const char* const relay :
       {"sgn(log(1 + y*y))", "-sgn(-log(1 + y*y))", "-sgn(-1 - cos(3*y + 3.141592653589793))",
        "sgn(exp(y*y) - 1)", "sgn(sqrt(1 + y*y) - 1)", "if(cosh(y) >= 1, 1, -1)", "sgn(y^2)"}) {
    // The last three begin where the guard is zero, by rounding or not.
    for (const double start : {0.436, 1e-9, -1e-9, 0.0}) {
      CAPTURE(relay);
      CAPTURE(start);
      const double end = 4 + (start - 4) * std::exp(0.3);
      for_all_methods(text(relay, start), {1e-4, 1e-6, 1e-8, 1e-10, 1e-12},
                      [&](const Finished& finished, double rtol) {
                        CHECK(finished.end(0) == doctest::Approx(end).epsilon(1000 * rtol));
                      });
    }
  }
}

TEST_CASE("A tank that runs dry where rounding hides the zero of another guard has a field to its end") {
  // h = (h₀^½ − kt/2)² until it is 0; 0.3 + 0.6(h − 0.5) is 0.6h and rounds by 1e-16.
  const double root = std::sqrt(0.637), k = 0.449;
  for_all_methods(
      "name = \"dry\"\n[states]\ng = 0\nh = 0.637\n[time]\nend = 6\n[derivatives]\ng = "
      "\"max(0.3 + 0.6*(h - 0.5), 0)\"\nh = \"-0.449*sqrt(max(h, 0))\"\n",
      {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}, [&](const Finished& finished, double rtol) {
        CHECK(finished.end(0) == doctest::Approx(0.4 * root * root * root / k).epsilon(1000 * rtol));
        CHECK(std::abs(finished.end(1)) <= 100 * rtol);
      });
}

TEST_CASE("An event whose guard has states of an empty tank needs no state beside the tank's own surface") {
  // The event follows the sine where the tank is empty: sin(2.49t + 4.95) falls through −0.102/0.309.
  for_all_methods(
      "name = \"empty\"\n[states]\nh = 0\n[time]\nend = 7\n[derivatives]\nh = "
      "\"-0.213*sqrt(max(h, 0))\"\n[[records]]\nname = \"low\"\nwhen = \"h - 0.5 < -0.462 and not "
      "min(0.309*sin(2.49*t + 4.95) + 0.403, 0.301) >= 0.301\"\n",
      {1e-4, 1e-8, 1e-12}, [&](const Finished& finished, double rtol) {
        std::vector<double> times;
        for (const EventRecord& event : finished.solution.events)
          if (event.name == "low") times.push_back(event.t);
        REQUIRE(times.size() == 3);
        for (int turn = 0; turn < 3; ++turn) {
          const double angle = std::numbers::pi + std::asin(0.102 / 0.309);
          const double expected = (angle + 2 * std::numbers::pi * (turn + 1) - 4.95) / 2.49;
          CHECK(times[static_cast<std::size_t>(turn)] == doctest::Approx(expected).epsilon(1e-9));
        }
        CHECK(std::abs(finished.end(0)) <= 10 * rtol);
      });
}

TEST_CASE("A step of a large formula that no relay moves costs no equations of higher order") {
  const std::string text =
      "name = \"formula\"\n[states]\np = -0.988\nf = 0\nj = -0.542\nU = { size = 4, value = \"0.142*i\", "
      "ends = "
      "\"clamped\" }\nT = 1\n[time]\nend = 7000\n[mass]\nf = { f = \"1090\", j = \"130*cos(p)\" }\n"
      "j = { f = \"130*cos(p)\", j = \"1200\" }\n[derivatives]\np = \"0.001*j\"\n"
      "f = \"1.09*mod(1.45*(t/1000), 1) - f - 0.316*sgn(f)\"\nj = \"-2*sin(p) - 0.5*j + 0.5*(f/(1 + f^2))\"\n"
      "U = \"0.001*(0.896 + 0.05*i + 0.2*sin(0.681*(t/1000) + i) - 0.2*U[i] + 0.0468*(U[i-1] - U[i]))\"\n"
      "T = \"0.001*(1.5*if(T < 0.145, 1, 0) - 0.565*(T + 0.3) + "
      "0.2*(0.3*round(3*tan(0.5*tanh(0.5*sum(U))))))\"\n[[resets]]\nsize = 4\nwhen = \"U[i] >= 0.61\"\n"
      "delay = 116\nset = { \"U[i]\" = \"0.0389\" }\n";
  for_all_methods(text, {1e-6},
                  [](const Finished& finished, double) { CHECK(finished.solution.outcome.reached_end()); });
}

namespace {

// Where 500 + 1.3·sin(2.24·t + 300) is 500.4, as it falls, between start and start + 5; and 1 where it is below 500.4 at the start.
int fallen_below(double start) {
  const double angle = std::numbers::pi - std::asin(0.4 / 1.3);
  const auto turns = [&](double t) { return (2.24 * t + 300 - angle) / (2 * std::numbers::pi); };
  const int crossings = static_cast<int>(std::floor(turns(start + 5)) - std::floor(turns(start)));
  return crossings + (1.3 * std::sin(2.24 * start + 300) < 0.4 ? 1 : 0);
}

std::ptrdiff_t count_low(const Solution& solution) {
  return std::count_if(solution.events.begin(), solution.events.end(),
                       [](const EventRecord& one) { return one.name == "low"; });
}

struct Pushed {
  template <class Scalar, class State, class Relay, class Out>
  void field(const Scalar& t, const State& x, const Relay& lambda, Out& dx) const {
    using std::cos;
    dx[0] = -0.4 * lambda[0] - 0.1 * x[0] + 0.2 * cos(1.3 * t);
  }
  template <class Scalar, class State, class Out>
  void guards(const Scalar&, const State& x, Out& h) const {
    h[0] = x[0] - 1.0;
  }
};

}  // namespace

TEST_CASE("An event at the zero of larger terms that cancel happens once, by whichever door it comes") {
  const auto level = [](const auto& t) {
    using std::sin;
    return 500 + 1.3 * sin(2.24 * t + 300) - 500.4;
  };
  const Event generic{.name = "low",
                      .when = Guard([level](auto t, const auto&) { return level(t); }),
                      .direction = Direction::falling,
                      .initially = Initially::fire};
  Event opaque = generic;
  opaque.when = Guard([level](double t, ConstVectorRef) { return level(t); });
  const System bare = from_functor(Pushed(), {.states = 1, .surfaces = 1});
  for (const double start : {0.0, 1.3, 2.6, 600.0, 601.1, 602.2}) {
    for (const Event& event : {generic, opaque}) {
      for (const Method method :
           {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
        for (const double rtol : {1e-4, 1e-8, 1e-12}) {
          Options options;
          options.method = method;
          options.rtol = rtol;
          const Solution solution = Simulator(bare.with_events({event}), options)
                                        .run({.start = start, .end = start + 5, .state = Vector::Zero(1)});
          CAPTURE(start);
          CAPTURE(rtol);
          CAPTURE(to_string(method));
          CHECK(count_low(solution) == fallen_below(start));
        }
      }
    }
    const std::string text = "name = \"pushed\"\n[states]\nx = 0\n[time]\nstart = " + std::to_string(start) +
                             "\nend = " + std::to_string(start + 5) +
                             "\n[derivatives]\nx = \"-0.4*sgn(x - 1) - 0.1*x + 0.2*cos(1.3*t)\"\n"
                             "[[records]]\nname = \"low\"\nwhen = \"500 + 1.3*sin(2.24*t + 300) <= 500.4\"\n"
                             "initially = \"fire\"\n";
    for_all_methods(text, {1e-4, 1e-8, 1e-12}, [&](const Finished& finished, double) {
      CHECK(count_low(finished.solution) == fallen_below(start));
    });
  }
}
