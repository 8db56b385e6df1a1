// The target of libFuzzer: any bytes must give a model or a report, never a crash, and what they give must make sense.
//
// An input that begins with '=' is one expression, put into a small model; any other is a whole file.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "expression/expression.hpp"
#include "slideway/io/model_file.hpp"

namespace {

using namespace slideway;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

bool same(double first, double second) {
  return first == second || (std::isnan(first) && std::isnan(second));
}

// The field and its derivatives at one point, by both kinds of numbers.
void evaluate(const ModelInstance& run, double side) {
  const SystemDefinition& definition = run.system.definition();
  const Index n = run.system.states();
  const Index m = run.system.surfaces();
  const Vector lambda = Vector::Constant(m, side);
  Vector dx(n), dx_again(n), dx_dot(n);
  run.system.field(run.start, run.state, lambda, dx);
  definition.field_along(run.start, run.state, lambda, 1, Vector::Ones(n), Vector::Zero(m), dx_again, dx_dot);
  for (Index i = 0; i < n; ++i)
    require(same(dx[i], dx_again[i]), "a dual number has the value of the plain one");
  Matrix jacobian(n, n);
  if (definition.field_dx) definition.field_dx(run.start, run.state, lambda, jacobian);
  if (m == 0) return;
  Vector h(m), h_again(m), h_dot(m);
  run.system.guards(run.start, run.state, h);
  definition.guards_along(run.start, run.state, 1, dx, h_again, h_dot);
  for (Index i = 0; i < m; ++i)
    require(same(h[i], h_again[i]), "a dual guard has the value of the plain one");
  definition.guards_mixed(run.start, run.state, 1, dx, 1, dx, dx, h_dot);
  Matrix by_lambda(n, m), by_state(m, n);
  if (definition.field_dlambda) definition.field_dlambda(run.start, run.state, lambda, by_lambda);
  if (definition.guards_dx) definition.guards_dx(run.start, run.state, by_state);
  if (definition.guards_dt) definition.guards_dt(run.start, run.state, h);
  if (definition.normal_dx) definition.normal_dx(run.start, run.state, lambda, by_state);
}

void check_report(const ModelFileError& error) {
  const std::string report = error.what();
  require(report.rfind("fuzz.toml:", 0) == 0, "a report begins with the name of the file");
  require(!error.mistakes().empty(), "an error has mistakes");
  for (const char c : report)
    require(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t',
            "a report has no control characters");
}

void read_file(const std::string& text) {
  ModelFileLimits limits;
  limits.states = 100;
  limits.operations = 20'000;
  try {
    const Model model = parse_model(text, "fuzz.toml", limits);
    try {
      const ModelInstance run = model.instantiate({});
      require(static_cast<std::size_t>(run.system.states()) == model.state_names.size(),
              "every state has a name");
      for (const double side : {1.0, -1.0, 0.25}) evaluate(run, side);
      if (!model.parameters.empty()) model.instantiate({{model.parameters.front().name, 3}});
      model.instantiate({{model.state_names.back(), 0.5}});
    } catch (const std::invalid_argument& refusal) {
      require(*refusal.what() != '\0', "a refusal has a reason");
    }
  } catch (const ModelFileError& error) {
    check_report(error);
  }
}

void read_expression(const std::string& text) {
  const reader::ParsedExpression parsed = reader::parse_expression(text);
  if (parsed.error) {
    require(parsed.error->offset <= text.size(), "a syntax error is inside the text");
  } else {
    const std::string printed = print_expression(parsed.expression);
    const reader::ParsedExpression again = reader::parse_expression(printed);
    require(!again.error, "what is printed can be read");
    require(again.expression.tokens.size() == parsed.expression.tokens.size(),
            "what is printed has the same tokens");
    require(print_expression(again.expression) == printed, "what is printed is printed the same again");
  }
  if (text.find('\'') == std::string::npos)
    read_file(
        "[parameters]\na = 2\nb = 0\n[states]\nx = 0.5\ny = -1\nu = { size = 3, value = \"i\", ends = "
        "\"zero\" }\n"
        "[time]\nend = 1\n[definitions]\nd = \"sgn(x) + y\"\n[surfaces]\nh = \"x - y\"\n[derivatives]\ny = "
        "\"d\"\n"
        "x = '''" +
        text + "'''\nu = '''" + text + "'''\n");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!text.empty() && text[0] == '=')
    read_expression(text.substr(1));
  else
    read_file(text);
  return 0;
}
