// Mistakes in what happens at known times, in discrete states and in functions that step: each told with its place and a cure.
#include <string>

#include "test/io/model_text.hpp"

using namespace slideway;
using namespace model_text;

namespace {

// A model with more sections, whose state is x and whose discrete state is u.
std::string with(const std::string& sections, const std::string& derivative = "-x + u") {
  return "[parameters]\nTs = 0.1\nzero = 0\n[states]\nx = 1\n[discrete]\nu = 0\n[time]\nend = "
         "1\n[derivatives]\nx = \"" +
         derivative + "\"\n" + sections;
}

void check_told(const std::string& text, const std::string& what, const std::string& expected,
                const std::string& line_and_caret = "") {
  const std::string told = report(text);
  CAPTURE(told);
  CHECK(told.find(what) != std::string::npos);
  CHECK(told.find(expected) != std::string::npos);
  CHECK(told.find(line_and_caret) != std::string::npos);
  CHECK(told.find('^') != std::string::npos);
}

}  // namespace

TEST_CASE("a correct time event is no mistake") {
  CHECK(report(with("[[every]]\nperiod = \"Ts\"\nset = { u = \"-x\" }\n")) == "");
}

TEST_CASE("a time event says what it lacks, and which numbers make no sense") {
  check_told(with("[[every]]\nset = { u = \"1\" }\n"), "the time event lacks a key",
             "'period' = \"Ts\", or 'at'");
  check_told(with("[[every]]\nperiod = 1\n"), "the time event lacks a key", "'set', with a state at least");
  check_told(with("[[every]]\nname = \"p\"\nperiod = \"zero\"\nset = { u = \"1\" }\n"),
             "the period of time event 'p' is out of range", "a number > 0", "period = \"zero\"");
  check_told(with("[[every]]\nperiod = 1\ncount = 1.5\nset = { u = \"1\" }\n"), "the count of the time event",
             "a whole number from 1 on");
  check_told(with("[[every]]\nat = [1, 0.5]\nset = { u = \"1\" }\n"),
             "time 2 of the time event is out of range", "a time after 1");
  check_told(with("[[every]]\nat = [1]\nperiod = 1\nset = { u = \"1\" }\n"), "'period' beside 'at'",
             "write two tables [[every]]");
  check_told(with("[[every]]\nperiod = \"x\"\nset = { u = \"1\" }\n"), "a name that may not stand",
             "a number or a parameter");
  check_told(with("[[every]]\nperiods = 1\nset = { u = \"1\" }\n"), "unknown key in [[every]]",
             "did you mean 'period'?");
  check_told(with("[[every]]\nperiod = 1\npriority = 0.5\nset = { u = \"1\" }\n"), "'priority' out of range",
             "a whole number");
  check_told(with("[[samples]]\nperiod = 1\n"), "unknown section or key", "write [[every]]");
}

TEST_CASE("a delay says what it may be") {
  const std::string reset = "[[resets]]\nname = \"r\"\nwhen = \"x - 0.5\"\nset = { u = \"1\" }\n";
  check_told(with(reset + "delay = -1\n"), "the delay of reset 'r' is out of range", "a number >= 0");
  check_told(with(reset + "values = \"trigger\"\n"), "'values' of what is not delayed", "a line delay");
  check_told(with(reset + "delay = 1\nvalues = \"tigger\"\n"), "unknown 'values'", "did you mean 'trigger'?");
}

TEST_CASE("a discrete state has no derivative, and no contact moves it") {
  check_told(with("u = \"1\"\n"), "a derivative of discrete state 'u'", "move its line to [states]",
             "u = \"1\"");
  check_told(with("[[contacts]]\ngap = \"x\"\nacts_on = { u = \"1\" }\nrestitution = 0\n"),
             "a contact force on discrete state 'u'", "a state of [states]");
}

TEST_CASE("functions that step refuse what makes no sense where it stands") {
  check_told(with("", "mod(x, 0)"), "'mod' by zero", "a divisor that is not 0");
  check_told(with("", "sat(x, 1, -1)"), "limits in the wrong order", "sat(u, low, high) with low <= high");
  check_told(with("", "hysteresis(x, 1, -1)"), "limits in the wrong order", "low <= high");
  check_told(with("", "pulse(t, 2)"), "the width of a pulse out of range", "from 0 to 1");
  check_told(with("", "floor(x + sgn(x))"), "a discontinuity under 'floor'", "what does not jump");
  check_told(with("[surfaces]\ns = \"x - floor(x)\"\n"), "a discontinuity inside a guard",
             "'floor', which jumps");
  check_told(with("", "floor(x, 1)"), "a call of 'floor'", "1 argument");
}
