// Every mistake in a model file is told with its place, what was expected and what was got; several at once.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "test/io/model_text.hpp"
#include "test/temporary_folder.hpp"

using namespace slideway;
using namespace model_text;

namespace {

// A model of three states and two parameters that is in order; lines 1 … 14.
const char* const sound =
    "[parameters]\n"            // 1
    "mu = 0.4\n"                // 2
    "w = 0.5\n"                 // 3
    "[states]\n"                // 4
    "x = 2.0\n"                 // 5
    "v = 0.0\n"                 // 6
    "[time]\n"                  // 7
    "end = 100.0\n"             // 8
    "[derivatives]\n"           // 9
    "x = \"v\"\n"               // 10
    "v = \"-x - mu*sgn(v)\"\n"  // 11
    "[surfaces]\n"              // 12
    "stick = \"v\"\n"           // 13
    "[definitions]\n";          // 14

// `sound` with one line replaced, or with lines after its end.
std::string with_line(int number, const std::string& line) {
  std::string text = sound;
  std::size_t begin = 0;
  for (int k = 1; k < number; ++k) begin = text.find('\n', begin) + 1;
  return text.replace(begin, text.find('\n', begin) - begin, line);
}
std::string with_end(const std::string& lines) { return sound + lines; }

// Checks that the text has one mistake, and that it is told like this.
void check_mistake(const std::string& text, const std::string& first_line, const std::string& hint = "") {
  CAPTURE(text);
  try {
    parse_model(text, "m.toml");
    FAIL("no mistake was found");
  } catch (const ModelFileError& error) {
    const std::string told = error.what();
    CAPTURE(told);
    REQUIRE(error.mistakes().size() == 1);
    CHECK(error.mistakes()[0].message == first_line);
    if (!hint.empty()) CHECK(error.mistakes()[0].advice == hint);
    CHECK(told.rfind(first_line, 0) == 0);
    if (hint.empty())
      CHECK(told.find("\n        ") == std::string::npos);
    else
      CHECK(told.find("\n        " + hint + "\n") != std::string::npos);
  }
}

// The same for some of what is told.
void check_told(const std::string& text, const std::string& part) {
  const std::string told = report(text);
  CAPTURE(text);
  CAPTURE(told);
  CHECK(told.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a model file in order has no mistakes") {
  const std::string told = report(sound);
  CHECK(told == "");
}

TEST_CASE("a mistake is shown with its line and a caret and the near name") {
  CHECK(report(with_line(11, "v = \"-x - mu*sgn(stik)\"")) ==
        "test.toml:11:18: unknown name in the derivative of 'v', expected a parameter, state, definition or "
        "surface, "
        "got 'stik'\n"
        "   11 | v = \"-x - mu*sgn(stik)\"\n"
        "      |                  ^^^^\n"
        "        did you mean 'stick'?\n");
}

TEST_CASE("all mistakes of a file are told in its order") {
  const std::string text =
      with_line(11, "v = \"-x - nu*sgn(v) + (\"") + "a = \"b\"\n" + "[options]\nrtol = 7\n";
  try {
    parse_model(text, "m.toml");
    FAIL("no mistake was found");
  } catch (const ModelFileError& error) {
    REQUIRE(error.mistakes().size() == 3);
    CHECK(error.mistakes()[0].line == 11);
    CHECK(error.mistakes()[0].column == 24);
    CHECK(error.mistakes()[1].line == 15);
    CHECK(error.mistakes()[1].column == 6);
    CHECK(error.mistakes()[2].line == 17);
  }
  // Names and shapes first; numbers only when those are in order.
  std::string many = sound;
  for (int k = 0; k < 70; ++k) many += "d" + std::to_string(k) + " = \"unknown" + std::to_string(k) + "\"\n";
  CHECK(report(many).find("test.toml: and 20 more mistakes") != std::string::npos);
}

TEST_CASE("what is no TOML is told with its place") {
  check_told(with_line(2, "mu = = 0.4"), "test.toml:2:6: not valid TOML: ");
  check_told(with_line(2, "mu = \"abc"), "test.toml:2:");
  check_told(with_line(3, "mu = 0.5"), "test.toml:3:");
  check_told("[states", "test.toml:1:");
  check_told("\"", "test.toml:1:");
}

TEST_CASE("a quote inside a word is told with its place") {
  check_told(with_line(2, "mu = 0'''x'''"), "test.toml:2:7: not valid TOML: a quote");
  check_told(with_line(2, "mu = \"x\" \"y\""), "test.toml:2:10: not valid TOML: a quote");
  CHECK(report("name=\"a # b\" # \"c\n" + with_line(10, "'x' = { \"value\"=\"v\" }") +
               "[[stops]]\n'name' = 'far'\n\"when\" = 'x'\n") == "");
}

TEST_CASE("invalid UTF-8 is told with its place and shown without harm") {
  for (const char* bytes : {"\xff\xfe", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const std::string told = report(with_line(3, std::string("w = 0.5 # u ") + bytes));
    CHECK(told.find("test.toml:3:13: not valid UTF-8, got the byte 0x") == 0);
    CHECK(told.find(bytes) == std::string::npos);
  }
}

TEST_CASE("control characters are told with their place and shown without harm") {
  check_told(std::string("a = 1\n\0b = 2", 12),
             "test.toml:2:1: not valid TOML: a control character, got the byte 0x00");
  const std::string escape = report(with_line(3, "w = 0.5 # \x1b[31m"));
  CHECK(escape.find("test.toml:3:11: not valid TOML: a control character, got the byte 0x1B") == 0);
  CHECK(escape.find('\x1b') == std::string::npos);
  // Escapes of TOML can still make them.
  const std::string made = report(with_line(11, "v = \"x \\u001b y\""));
  CHECK(made.find("test.toml:11:8: not an expression") == 0);
  CHECK(made.find('\x1b') == std::string::npos);
}

TEST_CASE("characters that are not ASCII stand in quotes and comments only") {
  CHECK(report(with_line(3, "w = 0.5 # \u00d7 \u2212") + "[options] # \u00e9\n") == "");
  CHECK(report("name = \"caf\u00e9 \u00d7\"\nsummary = \"\"\"\n\u00d7 \"\"quoted\"\" \u00d7\"\"\"\"\"\n" +
               std::string(sound)) == "");
  check_told(with_line(3, "w = 0.5 \u00d7 2"),
             "test.toml:3:9: not valid TOML: a character that is not ASCII");
  check_told(with_line(3, "\u00d7 = 0.5"), "test.toml:3:1: not valid TOML: a character that is not ASCII");
  check_told(with_line(3, "w = 0X.'\u01e6'"), "test.toml:3:9: a character that is not ASCII in a dotted key");
  check_told(with_line(11, "v = \"\"\"x \\\n  \u00d7\"\"\""),
             "test.toml:12:3: a character that is not ASCII after a line end that is escaped");
}

TEST_CASE("an empty file lacks everything") {
  const std::string told = report("");
  CHECK(told.find("test.toml: no states, expected a table [states]") != std::string::npos);
  CHECK(told.find("test.toml: no end time, expected a table [time]") != std::string::npos);
}

TEST_CASE("missing sections are told once") {
  check_mistake(
      "[states]\nx = 0\n[time]\nend = 1\n",
      "m.toml: no derivatives, expected a table [derivatives] with a line for every state, got none");
  check_mistake("[states]\n[time]\nend = 1\n[derivatives]\n",
                "m.toml:1:2: no states, expected a line such as x = 0.0 for every state, got none");
  check_mistake(with_line(8, "start = 1"), "m.toml:7:2: [time] lacks a key, expected 'end', got 'start'");
}

TEST_CASE("unknown sections and keys get the near name") {
  check_told("[paramters]\n" + std::string(sound).substr(13), "did you mean 'parameters'?");
  check_mistake(
      with_end("[options]\nrtoll = 1e-6\n"),
      "m.toml:16:1: unknown key in [options], expected 'rtol', 'atol', 'method', 'linear_solver', "
      "'max_step', "
      "'on_ambiguity', 'sliding_rule', 'selection', 'max_events', 'max_steps' or 'observe', got 'rtoll'",
      "did you mean 'rtol'?");
  check_mistake(with_end("[[stops]]\nwhen = \"x\"\nset = { x = 1 }\n"),
                "m.toml:17:1: unknown key in [[stops]], expected 'name', 'size', 'when', 'direction', "
                "'across_jumps' or 'initially', got 'set'");
  check_mistake(with_end("[[resets]]\nwhen = \"x\"\nset = { x = 1 }\nzeno = \"rest\"\n"),
                "m.toml:18:1: unknown key in [[resets]], expected 'name', 'size', 'when', 'direction', "
                "'across_jumps', "
                "'initially', 'set', 'delay', 'values' or 'priority', got 'zeno'",
                "'zeno' belongs to [[edges]]");
}

TEST_CASE("sections of the wrong kind are told") {
  check_told("states = 3\n", "a section of the wrong kind, expected a table [states], got a number");
  check_told(
      with_end("[stops]\nwhen = \"x\"\n"),
      "test.toml:15:2: a section of the wrong kind, expected an array of tables [[stops]], got a table");
  check_mistake(
      with_line(2, "mu = true"),
      "m.toml:2:6: parameter 'mu' is of the wrong kind, expected a number or an expression in quotes, got "
      "true or false");
  check_mistake(with_line(2, "mu = inf"),
                "m.toml:2:6: parameter 'mu' is not finite, expected a finite number, got inf");
  check_told(with_end("[[resets]]\nwhen = \"x\"\nset = 3\n"),
             "expected a table such as { v = \"-v\" }, got a number");
}

TEST_CASE("the place of an error inside a string is followed through escapes and lines") {
  check_told(with_line(11, "v = \"-x \\u002D mu*sgn(stik)\""), "test.toml:11:23: unknown name");
  check_told(with_line(11, "v = '-x - mu*sgn(stik)'"), "test.toml:11:18: unknown name");
  check_told(with_line(11, "v = \"\"\"\n-x -\n  mu*sgn(stik)\"\"\""), "test.toml:13:10: unknown name");
  check_told(with_line(11, "v = \"\"\"-x \\\n   - mu*sgn(stik)\"\"\""), "test.toml:12:13: unknown name");
  check_told(with_line(11, "v = '''\r\n-x -\r\n  mu*sgn(stik)'''"), "test.toml:13:10: unknown name");
  check_told(with_line(11, "\"v\" = \"-x - mu*sgn(stik)\" # \u00fc"), "test.toml:11:20: unknown name");
  check_told("# \u00fc\u00fc\u00fc\n" + with_line(11, "v = \"-x +\""), "test.toml:12:10: not an expression");
}

TEST_CASE("errors of syntax name the expression and what could stand there") {
  check_mistake(with_line(11, "v = \"-x - mu*sgn(v\""),
                "m.toml:11:19: not an expression (the derivative of 'v'), expected an operator, ',' or ')', "
                "got the end");
  check_mistake(
      with_line(11, "v = \"-x - 2mu\""),
      "m.toml:11:12: not an expression (the derivative of 'v'), expected an operator or the end, got 'mu'",
      "write a product with '*'");
  check_mistake(with_line(11, "v = \"\""),
                "m.toml:11:6: not an expression (the derivative of 'v'), expected a number, a name or '(', "
                "got an empty "
                "text");
}

TEST_CASE("deep nesting is refused wherever it is") {
  const auto deep = [](const std::string& open, std::size_t depth, const std::string& close) {
    std::string text;
    for (std::size_t k = 0; k < depth; ++k) text += open;
    text += "x";
    for (std::size_t k = 0; k < depth; ++k) text += close;
    return text;
  };
  check_mistake(
      with_line(11, "v = \"" + deep("(", 201, ")") + "\""),
      "m.toml:11:206: too many brackets inside each other (the derivative of 'v'), expected at most 200, got "
      "one more",
      "give a part of the expression a name in [definitions]");
  CHECK(report(with_line(11, "v = \"" + deep("(", 200, ")") + "\"")) == "");
  check_told(with_line(11, "v = \"" + deep("sin(", 100'000, ")") + "\""),
             "too many brackets inside each other");
  check_told("a = " + deep("[", 100'000, "]"), "test.toml:1:");
  check_told("a = " + deep("{a=", 100'000, "}"), "test.toml:1:");
  check_told("a" + deep(".a", 100'000, "") + " = 1", "a key of too many parts");
  check_told("[a" + deep(".a", 100'000, "") + "]", "a key of too many parts");
}

TEST_CASE("a chain of definitions may be long but not endless") {
  std::string text = sound;
  for (int k = 0; k < 900; ++k)
    text += "d" + std::to_string(k) + " = \"d" + std::to_string(k + 1) + " + 1\"\n";
  CHECK(report(text + "d900 = \"x\"\n") == "");
  for (int k = 900; k < 3000; ++k)
    text += "d" + std::to_string(k) + " = \"d" + std::to_string(k + 1) + " + 1\"\n";
  check_told(text + "d3000 = \"x\"\n", "definitions and brackets too deep inside each other");
}

TEST_CASE("huge files and huge models are refused") {
  ModelFileLimits limits;
  limits.bytes = 100;
  CHECK_THROWS_WITH_AS(parse_model(sound, "m.toml", limits),
                       "m.toml: a file that is too large, expected at most 100 bytes, got more\n",
                       ModelFileError);
  limits = {};
  limits.operations = 4;
  CHECK_THROWS_WITH_AS(parse_model(sound, "m.toml", limits),
                       "m.toml: a model that is too large, got the model has more than 4 operations\n",
                       ModelFileError);
  check_mistake("[states]\nx = { size = 1e8, value = 0 }\n[time]\nend = 1\n[derivatives]\nx = 1\n",
                "m.toml:2:14: the size of 'x', expected an integer from 1, and at most 10000000 elements in "
                "all, got 1e+08");
}

TEST_CASE("definitions in a circle are told with the way round") {
  check_mistake(
      with_end("a = \"2*b\"\nb = \"c + x\"\nc = \"sin(a)\"\n"),
      "m.toml:15:1: a definition that goes in a circle, expected definitions that end at states, parameters "
      "and numbers, got a -> b -> c -> a");
  check_mistake(
      with_end("a = \"a\"\n"),
      "m.toml:15:1: a definition that goes in a circle, expected definitions that end at states, parameters "
      "and numbers, got a -> a");
  check_told(with_line(13, "stick = \"d\"") + "d = \"stick\"\n", "got d -> stick -> d");
}

TEST_CASE("names are unique and not reserved") {
  check_mistake(with_end("mu = \"x\"\n"),
                "m.toml:15:1: the name 'mu' is given twice, expected a name that nothing else has, got a "
                "parameter (line "
                "2) and a definition");
  check_mistake(with_end("[[stops]]\nname = \"stick\"\nwhen = \"x\"\n"),
                "m.toml:15:1: the name 'stick' is given twice, expected a name that nothing else has, got a "
                "surface (line "
                "13) and a stop");
  check_mistake(with_line(2, "mu = 1\nt = 3"),
                "m.toml:3:1: a reserved name, expected another name, got 't', the time");
  check_mistake(with_line(2, "mu = 1\npi = 3"),
                "m.toml:3:1: a reserved name, expected another name, got 'pi', a constant");
  check_mistake(with_line(2, "mu = 1\nsgn = 3"),
                "m.toml:3:1: a reserved name, expected another name, got 'sgn', a function");
  check_mistake(with_line(2, "mu = 1\n\"a b\" = 3"),
                "m.toml:3:1: not a name for an expression, expected letters, digits and '_', a digit not "
                "first, got 'a b'");
  CHECK(report(with_line(2, "mu = 1\ni = 3")) == "");
  CHECK(report(with_line(2, "mu = 1\ne = 3")) == "");
}

TEST_CASE("names of vectors must not clash with their elements") {
  const std::string vectors = "[states]\nx = { size = 12, value = 0 }\n";
  const std::string rest = "[time]\nend = 1\n[derivatives]\nx = 1\n";
  check_mistake(vectors + "x3 = 1\n" + rest + "x3 = 1\n",
                "m.toml:3:1: a clash of names, expected a name that no element of a vector has, got 'x3', "
                "which element 3 "
                "of 'x' (line 2) has, too");
  CHECK(report(vectors + "x13 = 1\n" + rest + "x13 = 1\n") == "");
  CHECK(report(vectors + "x03 = 1\n" + rest + "x03 = 1\n") == "");
  check_told(vectors + "x1 = { size = 2, value = 0 }\n" + rest + "x1 = 1\n",
             "got 'x11', which element 11 of 'x'");
  check_mistake(vectors + "i = 1\n" + rest + "i = 1\n",
                "m.toml:3:1: a reserved name, expected another name, got 'i', the index of vectors");
}

TEST_CASE("states and derivatives must match") {
  check_mistake(with_line(6, "v = 0.0\nz = 1"),
                "m.toml:7:1: state 'z' has no derivative, expected a line z = \"…\" in [derivatives]");
  check_mistake(with_line(11, "v = \"x\"\nvv = \"1\""),
                "m.toml:12:1: the derivative of an unknown state, expected the name of a state, got 'vv'",
                "did you mean 'v'?");
  check_mistake(with_end("[[resets]]\nname = \"hit\"\nwhen = \"x\"\nset = { u = \"1\" }\n"),
                "m.toml:18:9: reset 'hit' sets an unknown state, expected the name of a state, got 'u'");
}

TEST_CASE("parameters use earlier ones and constants only") {
  check_mistake(
      with_line(2, "mu = \"2*w\""),
      "m.toml:2:9: a name that may not stand in parameter 'mu', expected a number, got 'w', a parameter",
      "parameters are found in the order of the file");
  check_mistake(with_line(3, "w = \"t\""),
                "m.toml:3:6: a name that may not stand in parameter 'w', expected a number or a parameter "
                "that is defined "
                "earlier, got 't', the time");
  check_mistake(
      with_line(5, "x = \"t\""),
      "m.toml:5:6: a name that may not stand in the initial value of 'x', expected a number, a parameter "
      "or another state, got 't', the time");
  check_told(with_line(8, "end = \"x\""),
             "in the end time, expected a number or a parameter, got 'x', a state");
}

TEST_CASE("functions and comparisons are used as they are meant") {
  check_mistake(
      with_line(11, "v = \"sine(x)\""),
      "m.toml:11:6: unknown function in the derivative of 'v', expected 'sin', 'cos', 'tan', 'asin', 'acos', "
      "'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'sqrt', 'pow', 'sgn', 'step', 'if', 'abs', "
      "'min', "
      "'max', 'sum', 'floor', 'ceil', 'round', 'mod', 'square', 'triangle', 'sawtooth', 'pulse', 'hypot', "
      "'sat', "
      "'deadzone' or 'hysteresis', got 'sine'",
      "did you mean 'sin'?");
  check_told(with_line(11, "v = \"-x + 0.1*rand()\""), "there is no noise");
  check_told(with_line(11, "v = \"-delay(x, 1)\""), "the past of a state is not kept");
  check_told(with_line(11, "v = \"-x(t - 1)\""), "the past of a state is not kept");
  check_told(with_line(11, "v = \"if x > 0 then -1 else 1\""), "write a choice as if(a > b, p, q)");
  check_mistake(
      with_line(11, "v = \"atan2(x)\""),
      "m.toml:11:6: a call of 'atan2' in the derivative of 'v', expected 2 arguments, got 1 argument");
  check_mistake(
      with_line(11, "v = \"sin + 1\""),
      "m.toml:11:6: a function without its argument in the derivative of 'v', expected sin(…), got 'sin'");
  check_mistake(
      with_line(11, "v = \"x(1 + v)\""),
      "m.toml:11:6: not a function in the derivative of 'v', expected an operator after 'x', got '('",
      "write a product with '*', an element of a vector with [ ]");
  check_mistake(
      with_line(11, "v = \"x > 0\""),
      "m.toml:11:8: a comparison in the derivative of 'v', expected one only in the 'when' of an event, "
      "and as the first argument of if(a > b, p, q), got '>'",
      "write step(a - b), which is 1 where a > b and else 0");
  check_mistake(
      with_line(11, "v = \"if(x, 1, 2)\""),
      "m.toml:11:6: 'if' without a comparison in the derivative of 'v', expected if(a > b, p, q), got 'x'");
  check_told(with_line(11, "v = \"if(sin(x > 0), 1, 2)\""), "expected if(a > b, p, q), got 'sin(x > 0)'");
}

TEST_CASE("vectors are indexed and scalars are not") {
  const std::string start =
      "[states]\nx = { size = 3, value = 0 }\ny = 0\n[time]\nend = 1\n[derivatives]\ny = \"1\"\nx = ";
  check_mistake(
      start + "\"x\"\n",
      "m.toml:8:6: a vector without an index in the derivative of 'x', expected x[i] or x[1], got 'x'");
  check_mistake(start + "\"y[i]\"\n",
                "m.toml:8:6: an index of what is no vector in the derivative of 'x', expected a vector, got "
                "'y', a state");
  check_mistake(
      start + "\"x[i+1]\"\n",
      "m.toml:8:6: an index out of range in the derivative of 'x' (i = 3), expected an index from 1 to 3, "
      "got 4",
      "ends = \"zero\", \"periodic\" or \"clamped\" beside the value says what lies beyond the ends");
  check_mistake(start + "\"x[i/2]\"\n",
                "m.toml:8:8: an index that is no integer in the derivative of 'x' (i = 1), expected an "
                "integer expression "
                "of i, numbers and parameters, got 0.5");
  check_told(start + "\"x[x1]\"\n", "an integer expression of i, numbers and parameters, got 'x1'");
  check_mistake(start + "\"x4\"\n",
                "m.toml:8:6: an element that does not exist in the derivative of 'x' (i = 1), expected at "
                "most 3 elements, "
                "got 'x4'");
  check_mistake(
      start + "{ value = \"x[i]\", ends = \"open\" }\n",
      "m.toml:8:30: unknown 'ends', expected 'zero', 'periodic' or 'clamped', got the string 'open'");
  check_told(with_line(11, "v = \"i\""), "the index i has a meaning for vectors only");
  check_told("[states]\nx = { size = 3, value = 0 }\n[time]\nend = 1\n[derivatives]\nx = \"1\"\nx1 = \"2\"\n",
             "'x' is a vector: one line for 'x', with the index i, holds for every element");
  check_mistake("[states]\nx = { value = 0 }\n[time]\nend = 1\n[derivatives]\nx = \"1\"\n",
                "m.toml:2:1: state 'x' lacks a key, expected 'size', got 'value'");
}

TEST_CASE("division by a zero parameter and other values that are no numbers are told") {
  check_mistake(with_line(11, "v = \"-x/(w - 0.5) - mu*sgn(v)\""),
                "m.toml:11:10: division by zero in the derivative of 'v', expected a divisor that is not 0, "
                "got w - 0.5 = 0");
  check_mistake(
      with_line(3, "w = \"1/(mu - 0.4)\""),
      "m.toml:3:9: division by zero in parameter 'w', expected a divisor that is not 0, got mu - 0.4 = 0");
  check_mistake(with_line(5, "x = \"log(mu - 1)\""),
                "m.toml:5:6: a value that is not finite in the initial value of 'x', expected a finite "
                "number, got log(mu "
                "- 1) = nan");
  check_mistake(
      with_line(11, "v = \"x*exp(1000)\""),
      "m.toml:11:8: a value that is not finite in the derivative of 'v', expected a finite number, got "
      "exp(1000) = inf");
  check_mistake(with_end("unused = \"x/(w - 0.5)\"\n"),
                "m.toml:15:14: division by zero in definition 'unused', expected a divisor that is not 0, "
                "got w - 0.5 = 0");
  // A branch that is never in force may say what it likes.
  CHECK(report(with_line(11, "v = \"if(w > 0.5, x/(w - 0.5), 0)\"")) == "");
}

TEST_CASE("a discontinuity inside a guard is refused with a reason") {
  const std::string reason = "a discontinuity inside a guard in the ";
  const std::string smooth = ", expected a guard that is smooth, because its own sign is what jumps, got ";
  const std::string smooth_event = ", expected a guard that does not jump, got ";
  check_told(with_line(13, "stick = \"v - abs(x)\""),
             "test.toml:13:14: " + reason + "guard of 'stick'" + smooth + "'abs', which has a kink");
  check_told(with_line(13, "stick = \"v - abs(x)\""), "move it to [definitions]");
  std::string signs = "v";
  for (int k = 1; k <= 7; ++k) signs += " + sgn(x - " + std::to_string(k) + ")";
  check_told(with_line(11, "v = \"sgn(" + signs + ")\""), reason + "derivative of 'v'" + smooth);
  check_told(with_end("drive = \"floor(x)\"\n[[stops]]\nname = \"far\"\nwhen = \"x - drive\"\n"),
             "test.toml:18:13: " + reason + "guard of stop 'far'" + smooth_event + "'drive', which has one");
  check_told(with_end("[[stops]]\nwhen = \"floor(x) > 1\"\n"), "got 'floor', which jumps");
  check_told(with_end("drive = \"max(x, 0)\"\n[[contacts]]\ngap = \"drive\"\nacts_on = { v = \"1\" }\n"
                      "restitution = 0\n"),
             "expected a gap that is smooth, got 'drive', which has one");
  CHECK(report(with_end("drive = \"max(x, 0)\"\n[[stops]]\nwhen = \"drive - abs(v) - 1\"\n")) == "");
}

TEST_CASE(
    "a guard that is zero over an interval between both of its signs is refused with the conditions to "
    "write") {
  check_told(
      with_end("[[stops]]\nwhen = \"deadzone(x, -1, 1)\"\n"),
      "test.toml:16:9: a guard that is zero over an interval, and has both signs beside it in the guard of "
      "the stop, expected a condition, got 'deadzone(x, -1, 1)'");
  check_told(
      with_end("[[stops]]\nwhen = \"deadzone(x, -1, 1)\"\n"),
      "write when = \"deadzone(x, -1, 1) > 0\" or when = \"deadzone(x, -1, 1) < 0\", whichever is meant");
  for (const char* const when :
       {"sgn(x)", "if(x > 0, v, 1)", "min(x, 2) - step(v)", "max(0, x - 1)", "deadzone(x, -1, 1) > 0"})
    CHECK(report(with_end("[[stops]]\nwhen = \"" + std::string(when) + "\"\n")) == "");
}

TEST_CASE("a condition that holds at an instant only, or at all others, is refused with the guard to write") {
  check_told(with_end("[[stops]]\nwhen = \"x >= 1 and x <= 1\"\n"),
             "test.toml:16:9: a condition that holds at an instant only in the guard of the stop, expected a "
             "condition that holds for some time, got 'x >= 1 and x <= 1'");
  check_told(with_end("[[stops]]\nwhen = \"not (2*x > 2 or x < 1)\"\n"), "a guard is zero there: write ");
  check_told(with_end("[[stops]]\nwhen = \"x > 1 or x < 1\"\n"),
             "a condition that holds at all times except instants");
}

TEST_CASE("a surface that can never be met is refused") {
  check_mistake(with_line(13, "stick = \"mu - w\""),
                "m.toml:13:9: surface 'stick' can never be met, expected a guard that depends on a state or "
                "on t, got the "
                "constant -0.09999999999999998");
}

TEST_CASE("an event or contact that can never be met is refused") {
  const std::string expected =
      " can never be met, expected a guard that depends on a state or on t, got the constant ";
  check_mistake(with_end("[[stops]]\nname = \"far\"\nwhen = \"w - 1\"\n"),
                "m.toml:17:8: stop 'far'" + expected + "-0.5");
  check_mistake(with_end("[[records]]\nwhen = \"x - x\"\n"), "m.toml:16:8: the record" + expected + "0");
  check_mistake(with_end("one = 1\n[[resets]]\nwhen = \"one\"\nset = { v = \"-v\" }\n"),
                "m.toml:17:8: the reset" + expected + "1");
  check_mistake(
      with_end("[[contacts]]\nname = \"wall\"\ngap = \"mu\"\nacts_on = { v = 1 }\nrestitution = 0\n"),
      "m.toml:17:7: contact 'wall' can never be met, expected a gap that depends on a state or on t, got "
      "the constant 0.4");
  CHECK(report(with_end("[[stops]]\nwhen = \"t - 3\"\n")) == "");
}

TEST_CASE("a setting may put an event out of action") {
  const std::string text = with_end("[[stops]]\nwhen = \"mu*x - 1\"\n");
  CHECK(refusal(parse_model(text, "m.toml"), {{"mu", 0}}) == "");
}

TEST_CASE("a jump that sets nothing is refused") {
  check_mistake(
      with_end("[[resets]]\nname = \"kick\"\nwhen = \"x\"\nset = {}\n"),
      "m.toml:15:1: reset 'kick' lacks a key, expected 'set', with a state at least, got 'name', 'when' "
      "and 'set'");
  check_mistake(
      "initial = \"a\"\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-1\"\n[[locations]]\nname = "
      "\"a\"\n"
      "[[edges]]\nfrom = \"a\"\nto = \"a\"\nwhen = \"x\"\nset = {}\n",
      "m.toml:14:1: the edge sets nothing, expected a state at least, or no line at all, got {}");
}

TEST_CASE("a force of friction that no equation uses is refused") {
  const std::string force = "[friction]\nF = { law = \"coulomb\", velocity = \"v\", Fc = 1 }\n";
  const std::string hint = "write it where it acts: v = \"… - F\"";
  check_mistake(with_end(force),
                "m.toml:16:1: friction 'F' has no effect, expected an equation that uses it, got none", hint);
  CHECK(report(with_end("[friction]\nF = { law = \"dahl\", velocity = \"v\", Fc = 1, sigma = 9 }\n")) == "");
  CHECK(report(with_end(force + "[options]\nobserve = \"F\"\n")) == "");
  CHECK(report(with_end("power = \"F*v\"\n" + force)) == "");
}

TEST_CASE("a linear solver beside a method that has no use for it is refused") {
  for (const std::string method : {"adams", "dopri5", "dop853"})
    check_mistake(with_end("[options]\nmethod = \"" + method + "\"\nlinear_solver = \"klu\"\n"),
                  "m.toml:17:1: " + method +
                      " solves no linear equations, expected method = \"bdf\", \"rodas\" or \"auto\" beside "
                      "'linear_solver', got 'klu'");
  CHECK(report(with_end("[options]\nmethod = \"bdf\"\nlinear_solver = \"klu\"\n")) == "");
  CHECK(report(with_end("[options]\nmethod = \"adams\"\nlinear_solver = \"auto\"\n")) == "");
}

TEST_CASE("no state has the name of a column that every table has") {
  for (const std::string name : {"mode", "location"}) {
    const std::string text = "[states]\n" + name + " = 0\n[time]\nend = 1\n[derivatives]\n" + name + " = 1\n";
    check_mistake(text, "m.toml:2:1: a reserved name, expected another name, got '" + name +
                            "', a column of every table");
  }
  CHECK(report(with_end("mode = 1\n")) == "");
  check_told(with_end("mode = 1\n[options]\nobserve = \"mode\"\n"), "got 'mode', a column of every table");
}

TEST_CASE("one mistake is told once") {
  const std::string one = "[states]\nx = 1\n[time]\nend = 1\n[derivatives]\n";
  for (const std::string key : {"dx", "x'", "dx/dt", "x_dot", "xdot", "der(x)"})
    check_mistake(
        one + "\"" + key + "\" = \"-x\"\n",
        "m.toml:6:1: the derivative of an unknown state, expected the name of a state, got '" + key + "'",
        "write x = \"…\" for its derivative");
  for (const std::string key : {"ends", "t_end"})
    check_mistake("[states]\nx = 1\n[time]\n" + key + " = 3\n[derivatives]\nx = \"-x\"\n",
                  "m.toml:4:1: unknown key in [time], expected 'start' or 'end', got '" + key + "'",
                  "did you mean 'end'?");
  check_mistake(one + "x = \"v\"\nv = \"-x - v\"\n[options]\natol = { x = 1e-6, v = 1e-6 }\n",
                "m.toml:7:1: the derivative of an unknown state, expected the name of a state, got 'v'",
                "a state has a line in [states] with its initial value: v = 0.0");
  for (const char* derivative : {"-x", "-x[i]"})
    check_mistake(
        "[states]\nx = [1, 2, 3]\n[time]\nend = 1\n[derivatives]\nx = \"" + std::string(derivative) + "\"\n",
        "m.toml:2:5: the initial value of 'x' is of the wrong kind, expected a number or an expression in "
        "quotes, got an array",
        "a vector has one expression with the index i: x = { size = \"3\", value = \"if(i > 1, p, q)\" }");
  check_mistake(with_end("[options]\natol = { y = 1e-9 }\n"),
                "m.toml:16:10: 'atol' of an unknown state, expected the name of a state, got 'y'");
  check_mistake(
      "[states]\nx = { size = 3, value = 1 }\n[time]\nend = 1\n[derivatives]\n\"x[i]\" = \"-x[i]\"\n",
      "m.toml:6:1: the derivative of an unknown state, expected the name of a state, got 'x[i]'",
      "'x' is a vector: one line for 'x', with the index i, holds for every element; if(i > 1, p, q) "
      "tells them apart");
  check_mistake(with_end("k = { vale = \"x\" }\n") + "[[stops]]\nwhen = \"k - v\"\n",
                "m.toml:15:7: unknown key in definition 'k', expected 'size', 'value' or 'ends', got 'vale'",
                "did you mean 'value'?");
  check_mistake(with_end("[[stops]]\nguard = \"x\"\n"),
                "m.toml:16:1: unknown key in [[stops]], expected 'name', 'size', 'when', 'direction', "
                "'across_jumps' or 'initially', got 'guard'");
}

TEST_CASE("what is no expression is answered with what is meant") {
  const auto hinted = [](const std::string& expression, const std::string& hint) {
    check_told(with_line(11, "v = \"" + expression + "\""), "\n        " + hint);
  };
  hinted("-|x|", "write an absolute value as abs(x)\n");
  hinted("-sin x", "write sin(x)\n");
  hinted("-sgn v", "write sgn(v)\n");
  hinted("if(!x > 0, 1, 2)", "for the opposite of a condition, write not a > b\n");
  hinted("-sin^2(x)", "write sin(x)^2\n");
  hinted("x!", "there is no factorial: write its value\n");
  hinted("if(x = 1, 1, 2)", "a comparison is one of > < >= <= == !=");
  hinted(
      "if(x != 1, 1, 2)",
      "a value that moves passes another one in an instant: compare by >= or <=, which hold where both are "
      "equal");
  hinted("1.2.3", "a number has one point\n");
  hinted("0x10", "'0x10' is not a number: write it as 16, 0.5 or 1e-3\n");
  hinted("1e", "'1e' is not a number");
  hinted("x // 2", "write floor(a/b)\n");
  hinted("x % 2", "write mod(a, b)\n");
  hinted("sin()", "'sin' takes an argument: sin(x)\n");
  hinted("wobble()", "there is no function 'wobble'\n");
  hinted("random()", "there is no noise: write a sample of it into a file, and name that under [inputs]\n");
  hinted("if(0 < x < 1, 1, 2)", "a comparison has two sides; for both conditions, write a > b and c > d\n");
  hinted("x'", "the derivative of a state has no name: write it out, or make it a state of its own\n");
  hinted("2(x)", "write a product with '*'\n");
  hinted("2 x", "leave out a unit; write a product with '*'\n");
  hinted("[x]", "group with round brackets, ( and )\n");
  check_told(with_line(2, "mu = \"0.1 m\""), "leave out a unit");
  check_told(with_line(8, "end = \"3 s\""), "leave out a unit");
  check_told(with_end("[[stops]]\nwhen = \"x == 1\"\n"), "a guard is zero there: write x - 1\n");
  check_told(with_end("[[stops]]\nwhen = \"x = w - 1\"\n"), "a guard is zero there: write x - (w - 1)\n");
  check_told(with_end("[[stops]]\nwhen = \"x == 0\"\n"), "a guard is zero there: write x\n");
}

TEST_CASE("what other languages write is answered with what to write here") {
  const auto hinted = [](const std::string& expression, const std::string& hint) {
    check_told(with_line(11, "v = \"" + expression + "\""), "\n        " + hint + "\n");
  };
  hinted("-sign(v)", "write sgn(x)");
  hinted("-Signum(v)", "write sgn(x)");
  hinted("-ln(2)*v", "write log(x)");
  hinted("heaviside(v)", "write step(x)");
  hinted("-x\u00b2", "write a power with '^': ^2");
  hinted("x > 0 ? 1 : 2", "write a choice as if(a > b, p, q)");
  hinted("if(x > 0 && v > 0, 1, 2)", "for both conditions, write a > b and c > d");
  hinted("if(x > 0 || v > 0, 1, 2)", "for either condition, write a > b or c > d");
  hinted("(x > 0)*v", "write step(a - b), which is 1 where a > b and else 0");
  hinted("-x;", "leave out the ';'");
  hinted("-0,5*x", "write the fraction of a number after a point, '.'");
  hinted("v = -x", "write what stands on the right of the '=' alone");
  hinted("max(x, 0, 1)", "write max(max(a, b), c)");
  hinted("-np.sign(v)", "names and functions stand without a module: sign");
  hinted("1 if x > 0 else -1", "write a choice as if(a > b, p, q)");
  hinted("-\u221ex", "a name is made of letters, digits and '_'");
  hinted("fmod(t, 2)", "write mod(a, b), which has the sign of b");
  hinted("clip(x, 0, 1)", "write sat(x, low, high)");
  hinted("trunc(x)", "write sgn(x)*floor(abs(x))");
}

TEST_CASE("a section that others call by another name is answered with its name here") {
  const std::string rest = "[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-x\"\n";
  check_told(rest + "[equations]\ny = 1\n", "\n        write [derivatives]\n");
  check_told(rest + "[constants]\nk = 1\n", "\n        write [parameters]\n");
  check_told(rest + "[[events]]\nwhen = \"x\"\n", "\n        write [[resets]]\n");
}

TEST_CASE("an expression without quotes is answered with quotes") {
  check_told("[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = -x\n",
             "\n        an expression and a word stand in quotes: \"-x\"\n");
}

TEST_CASE("one mistake is told once and not by what follows from it") {
  const auto mistakes = [](const std::string& text) {
    try {
      parse_model(text, "m.toml");
    } catch (const ModelFileError& error) {
      CAPTURE(error.what());
      return error.mistakes().size();
    }
    return std::size_t{0};
  };
  CHECK(mistakes("[state]\nx = 1.0\n[time]\nend = 1.0\n[derivatives]\nx = \"-x\"\n") == 1);
  CHECK(mistakes("[states]\nx = 1.0\n[times]\nend = 1.0\n[derivatives]\nx = \"-x\"\n") == 1);
  CHECK(mistakes("[states]\nx = 1.0\n[time]\nend = 1.0\n[derivative]\nx = \"-x\"\n") == 1);
  CHECK(mistakes("[states]\nx = 1.0\n[time]\nend = 1.0\n[friction]\n"
                 "F = { law = \"colomb\", velocity = \"x\", Fc = 1 }\n[derivatives]\nx = \"-F\"\n") == 1);
  CHECK(mistakes("[states]\nx = 1.0\ntime = 5\n[derivatives]\nx = \"-x\"\n") == 1);
  CHECK(mistakes("[parameters]\nstates = [\"x\"]\n[time]\nend = 1.0\n[derivatives]\nx = \"-x\"\n") == 1);
  check_told(with_end("[options]\nrtolerance = 1e-6\n"), "did you mean 'rtol'?");
  check_told(with_line(2, "mu = nan"), "expected a finite number, got nan");
  check_told(with_line(2, "mu = \"1/0\""), "expected a divisor that is not 0, got 0\n");
}

TEST_CASE("conditions stand where they may, and join comparisons") {
  check_mistake(
      with_line(13, "stick = \"v > 0\""),
      "m.toml:13:12: a comparison in the guard of 'stick', expected one only in the 'when' of an event, "
      "and as the first argument of if(a > b, p, q), got '>'",
      "a surface is where an expression changes its sign: write a - b instead of a > b");
  const auto when = [](const std::string& text) { return with_end("[[stops]]\nwhen = \"" + text + "\"\n"); };
  check_told(when("x and v > 0"),
             "test.toml:16:9: no condition beside 'and' in the guard of the stop, expected a "
             "comparison, as a > b, got 'x'");
  check_told(when("not x"), "no condition beside 'not' in the guard of the stop");
  check_told(when("(x > 0) + 1"), "a comparison in the guard of the stop");
  check_told(when("1 - (x > 0 or v > 0)"), "a condition in the guard of the stop");
  check_told(when("x > 0 and"),
             "not an expression (the guard of the stop), expected a number, a name or '(', got "
             "the end");
  check_told(with_line(2, "and = 0.4"),
             "a reserved name, expected another name, got 'and', which joins conditions");
  check_told(when("1 > 2 and x > 0"), "can never be met");
}

TEST_CASE("options are checked") {
  check_told(with_end("[options]\nrtol = 0\n"),
             "'rtol' out of range, expected a number from 1e-14 on and below 1, got 0");
  check_told(with_end("[options]\natol = -1e-6\n"),
             "'atol' out of range, expected a positive number, got -1e-06");
  check_told(with_end("[options]\natol = [1e-6]\n"),
             "'atol' of the wrong length, expected 2 numbers, one per state, got 1");
  check_told(with_end("[options]\natol = { x = 1e-6 }\n"),
             "'atol' lacks a state, expected a line for every state, got none for 'v'");
  check_told(with_end("[options]\natol = { x = 1e-6, v = 1, z = 2 }\n"), "'atol' of an unknown state");
  check_told(with_end("[options]\nmethod = \"bfd\"\n"), "did you mean 'bdf'?");
  check_told(with_end("[options]\non_ambiguity = \"guess\"\n"),
             "expected 'stop', 'minus', 'plus', 'slide' or 'branches', got the string 'guess'");
  check_told(with_end("[options]\nsliding_rule = 3\n"), "unknown 'sliding_rule'");
}

TEST_CASE("the end is not before the start") {
  check_mistake(with_line(8, "end = 1\nstart = 2"),
                "m.toml:8:7: the end is before the start, expected an end time of at least 2, got 1");
}

TEST_CASE("automata are checked in full") {
  const std::string top = "initial = \"up\"\n";
  const std::string model = "[states]\nx = 0\n[time]\nend = 1\n[derivatives]\nx = \"1\"\n";
  const std::string locations = "[[locations]]\nname = \"up\"\n[[locations]]\nname = \"down\"\n";
  const std::string edge =
      "[[edges]]\nfrom = \"up\"\nto = \"down\"\nwhen = \"x - 1\"\ndirection = \"rising\"\n";
  CHECK(report(top + model + locations + edge) == "");
  check_mistake(
      model + locations + edge,
      "m.toml:7:1: no initial location, expected a line initial = \"up\" before the first [table], got none");
  check_mistake("initial = \"pu\"\n" + model + locations + edge,
                "m.toml:1:11: 'initial' is an unknown location, expected 'up' or 'down', got 'pu'",
                "did you mean 'up'?");
  check_mistake(
      top + model + locations + edge + "zeno = \"rest\"\n",
      "m.toml:17:8: 'zeno' of the edge is an unknown location, expected 'up' or 'down', got 'rest'");
  check_mistake(top + model + locations + "[[edges]]\nfrom = \"up\"\nwhen = \"x\"\n",
                "m.toml:12:1: the edge lacks a key, expected 'to', got 'from' and 'when'");
  check_told(model + edge,
             "'from' of the edge is an unknown location, expected [[locations]] that define it, got 'up'");
  check_told(top + model + "[[locations]]\n", "the location lacks a key, expected 'name', got none");
  check_mistake(
      top + "[states]\nx = 0\n[time]\nend = 1\n" + locations + "[locations.derivatives]\nx = \"1\"\n",
      "m.toml:6:1: state 'x' has no derivative in location 'up', expected a line x = \"…\" in [derivatives] "
      "or "
      "in its [locations.derivatives]");
  check_mistake(top + model + locations + locations.substr(0, 26),
                "m.toml:12:1: the name 'up' is given twice, expected a name that nothing else has, got a "
                "location (line 8) "
                "and a location");
}

TEST_CASE("the initial location after a table gets a hint") {
  const std::string locations = "[[locations]]\nname = \"up\"\n";
  const std::string hint = "'initial' is a top-level key: write it before the first [table]";
  check_told("[states]\nx = 0\ninitial = \"up\"\n[time]\nend = 1\n[derivatives]\nx = \"1\"\n" + locations,
             hint);
  check_told("[states]\nx = 0\n[time]\nend = 1\ninitial = \"up\"\n[derivatives]\nx = \"1\"\n" + locations,
             hint);
  check_told("[states]\nx = 0\n[time]\nend = 1\n[derivatives]\nx = \"1\"\ninitial = \"up\"\n" + locations,
             hint);
  check_told(
      "[states]\nx = 0\n[time]\nend = 1\n[derivatives]\nx = \"1\"\n" + locations + "initial = \"up\"\n",
      hint);
}

TEST_CASE("contacts are checked in full") {
  const std::string contact = "[[contacts]]\nname = \"wall\"\ngap = \"3 - x\"\n";
  const std::string acts = "acts_on = { v = \"-1/mu\" }\n";
  const std::string bounce = "restitution = \"0.8 - 0.1*impact\"\n";
  CHECK(report(with_end(contact + acts + bounce)) == "");
  CHECK(report(with_end(contact + acts + "restitution = 0.8\n")) == "");
  check_told(with_end(contact + bounce),
             "contact 'wall' lacks a key, expected 'acts_on', with a state at least");
  check_told(with_end(contact + acts), "contact 'wall' lacks a key, expected 'restitution'");
  check_told(with_end("[[contacts]]\n" + acts + bounce), "the contact lacks a key, expected 'gap'");
  check_told(with_end(contact + "acts_on = { v = \"sgn(v)\" }\n" + bounce),
             "a discontinuity in contact 'wall' acts on 'v', expected a smooth expression, because the "
             "impulse of an "
             "impact follows it, got 'sgn', which jumps");
  check_told(
      with_end(contact + acts + "restitution = \"x\"\n"),
      "in the restitution of contact 'wall', expected a number, a parameter or 'impact', got 'x', a state");
  check_told(with_line(11, "v = \"impact\"") + contact + acts + bounce,
             "'impact' is known only in the restitution of a contact");
}

TEST_CASE("files that cannot be read are told") {
  CHECK_THROWS_WITH_AS(
      read_model_file("/no/such/model.toml"),
      "/no/such/model.toml: cannot be read, expected a model file, got No such file or directory\n",
      ModelFileError);
  const std::string directory = std::filesystem::temp_directory_path().string();
  CHECK_THROWS_WITH_AS(read_model_file(directory),
                       doctest::Contains("expected a model file, got a directory"), ModelFileError);
}

TEST_CASE("a file is the same with a byte order mark and with other line ends") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "model.toml";
  std::string text = sound;
  for (std::size_t k = text.find('\n'); k != std::string::npos; k = text.find('\n', k + 2))
    text.insert(k, "\r");
  std::ofstream(path, std::ios::binary) << "\xEF\xBB\xBF" << text;
  CHECK(read_model_file(path).state_names.size() == 2);
  const std::string wrong = "\xEF\xBB\xBF" + std::string("mu = \"x +\"\n");
  check_told(wrong, "test.toml:1:1: unknown section or key");
}

TEST_CASE("initial values that go in a circle are told where they close it") {
  check_mistake(
      with_line(6, "v = \"2*v\""),
      "m.toml:6:6: a circle of initial values in the initial value of 'v', expected initial values that end "
      "at numbers and parameters, got 'v', which is made of itself");
  check_told(with_line(2, "mu = \"2*x\""), "expected a number, got 'x', a state\n    2 | ");
}

TEST_CASE("conditions of other languages in the guard of an event are answered with ours") {
  const auto hinted = [](const std::string& when, const std::string& hint) {
    check_told(with_end("[[stops]]\nwhen = \"" + when + "\"\n"), hint);
  };
  for (const char* when : {"x < 1 && v < 0", "0 < x < 1"}) hinted(when, "write a > b and c > d\n");
  hinted("x < 1 || v < 0", "write a > b or c > d\n");
  check_told(with_line(13, "stick = \"x < 1 and v < 0\""),
             "a surface is where an expression changes its sign");
  for (const char* when : {"max(x - 1, v)", "min(1 - x, -v)"})
    CHECK_NOTHROW(parse_model(with_end("[[stops]]\nwhen = \"" + std::string(when) + "\"\n"), "m.toml"));
}
