// Mistakes of [tables], told with a place, a caret and a cure.
#include <doctest/doctest.h>

#include <string>

#include "slideway/io/model_file.hpp"

using namespace slideway;

namespace {

void check_table_told(const std::string& table, const std::string& derivative, const std::string& what,
                      const std::string& cure) {
  const std::string text = "[states]\nn = 0.2\n[time]\nend = 1\n[tables]\n" + table +
                           "\n[derivatives]\nn = \"" + derivative + "\"\n";
  std::string told;
  try {
    parse_model(text, "test.toml");
  } catch (const ModelFileError& error) {
    told = error.what();
  }
  CAPTURE(told);
  CHECK(told.find(what) != std::string::npos);
  CHECK(told.find(cure) != std::string::npos);
  CHECK(told.find('^') != std::string::npos);
}

const char* const kPlain = "f = { x = [0, 1], values = [1, 2] }";

}  // namespace

TEST_CASE("a table says what it lacks, and which of its numbers make no sense") {
  check_table_told("f = 1", "f(n)", "table 'f'", "{ x = [0, 1, 2], values = [0, 3, 4] }");
  check_table_told("f = { x = [0, 1] }", "f(n)", "table 'f' lacks a key", "'values'");
  check_table_told("f = { interpolation = \"linear\" }", "f(n)", "table 'f' lacks a key",
                   "'x' and 'values', or 'file'");
  check_table_told("f = { x = [0, 1], value = [1, 2] }", "f(n)", "unknown key in table 'f'",
                   "did you mean 'values'?");
  check_table_told("f = { x = [0], values = [1] }", "f(n)", "too few knots of table 'f'", "two or more");
  check_table_told("f = { x = [0, 1, 0.5], values = [1, 2, 3] }", "f(n)",
                   "6:18: knots of table 'f' in the wrong order", "more than 1");
  check_table_told("f = { x = [0, 1, 2], values = [1, 2] }", "f(n)",
                   "the wrong number of values of table 'f'", "as many as knots, 3");
  check_table_told("f = { x = [0, 1], values = [1, 2], extrapolation = \"periodic\" }", "f(n)",
                   "unknown 'extrapolation'", "'error', 'hold' or 'linear'");
  check_table_told("f = { file = \"f.csv\", x = [0, 1], values = [1, 2] }", "f(n)",
                   "table 'f' has a file and lists", "either 'file' or 'x' and 'values'");
  check_table_told("f = { file = \"no.csv\", column = \"y\" }", "f(n)", "'no.csv' cannot be read (table 'f')",
                   "a path is one from the folder of the model file on");
}

TEST_CASE("a table of two variables says how its values are written") {
  check_table_told("f = { x = [0, 1], y = [0, 1], values = [1, 2] }", "f(n, n)", "an entry of 'values'",
                   "a list, with a number for every entry of y");
  check_table_told("f = { x = [0, 1], y = [0, 1], values = [[1, 2], [3]] }", "f(n, n)",
                   "a row of 'values' of the wrong length", "2 numbers, one for every entry of y");
  check_table_told("f = { x = [0, 1], y = [0, 1], values = [[1, 2]] }", "f(n, n)", "the wrong number of rows",
                   "2, one for every entry of x");
  check_table_told("f = { x = [0, 1], y = [0, 1], values = [[1, 2], [3, 4]], interpolation = \"cubic\" }",
                   "f(n, n)", "table 'f' of two variables", "interpolation = \"linear\" or \"hold\"");
}

TEST_CASE("a table that shall be monotone is refused where it is not") {
  check_table_told("f = { x = [0, 1, 2], values = [1, 2, 2], monotone = true }", "f(n)",
                   "table 'f' is not monotone", "more than 2 at 2");
  check_table_told("f = { x = [0, 1, 2], values = [3, 2, 2.5], monotone = true }", "f(n)",
                   "table 'f' is not monotone", "less than 2 at 2");
  check_table_told("f = { x = [0, 1, 2], values = [1, 2, 3], monotone = true, interpolation = \"cubic\" }",
                   "f(n)", "a monotone table 'f' with splines", "\"pchip\"");
  CHECK_NOTHROW(
      parse_model("[states]\nn = 0.2\n[time]\nend = 1\n[tables]\nf = { x = [0, 1, 2], values = [1, 2, "
                  "3], monotone = true, interpolation = \"pchip\" }\n[derivatives]\nn = \"f(n)\"\n",
                  "test.toml"));
}

TEST_CASE("a call of a table says what is wrong with it") {
  check_table_told(kPlain, "f + 1", "a table without its argument", "f(…)");
  check_table_told(kPlain, "f(n, 1)", "a call of the table 'f'", "1 argument");
  check_table_told(kPlain, "ff(n)", "unknown function", "did you mean 'f'?");
  check_table_told(kPlain, "f(3)", "an argument beyond the knots of a table",
                   "extrapolation = \"hold\" or \"linear\" in the table 'f'");
  check_table_told("sin = { x = [0, 1], values = [1, 2] }", "n", "a reserved name", "'sin', a function");
  check_table_told("n = { x = [0, 1], values = [1, 2] }", "n", "the name 'n' is given twice",
                   "a state (line 2) and a table");
  check_table_told(std::string(kPlain) + "\n[surfaces]\ns = \"f(n) - 1\"", "sgn(s)",
                   "a discontinuity inside a guard", "'f', which has kinks at its knots");
}
