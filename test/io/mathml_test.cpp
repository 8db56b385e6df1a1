// Formulas and lines of equations as MathML.

#include <filesystem>
#include <regex>
#include <vector>

#include <doctest/doctest.h>

#include "models/registry.hpp"
#include "report/mathml.hpp"
#include "report/typeset_equations.hpp"
#include "slideway/io/model_file.hpp"

using slideway::Model;
using slideway::typeset_equations;

namespace {

// The formula's elements, in brackets by their first letters, and their text: mi sin is "sin", a fraction "frac(a)(b)".
std::string shape(const std::string& formula) {
  const auto parsed = slideway::reader::parse_expression(formula);
  REQUIRE_MESSAGE(!parsed.error, formula);
  std::string text = slideway::mathml(parsed.expression);
  const auto replace = [&](const char* pattern, const char* with) {
    text = std::regex_replace(text, std::regex(pattern), with);
  };
  replace("<mspace[^>]*>", " ");
  replace("<mo[^>]*>([^<]*)</mo>", "$1");
  replace("<m[in]>([^<]*)</m[in]>", "$1");
  replace("<mtext>([^<]*)</mtext>", "'$1'");
  replace("<mrow>", "{");
  replace("</mrow>", "}");
  replace("<m(\\w+)[^>]*>", "$1(");
  replace("</m\\w+>", ")");
  return text;
}

// An error in the nesting of elements, or "".
std::string disorder(const std::string& text) {
  static const std::regex tag("<(/?)([a-z]+)([^<>]*)>");
  std::vector<std::string> open;
  std::size_t tags = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at, ++tags) {
    const std::string rest = (*at)[3];
    if ((!rest.empty() && rest.back() == '/') || (*at)[2] == "wbr") continue;
    if ((*at)[1].length() == 0) {
      open.push_back((*at)[2]);
    } else if (open.empty() || open.back() != (*at)[2]) {
      return "</" + (*at)[2].str() + "> without its beginning";
    } else {
      open.pop_back();
    }
  }
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '<')) != tags)
    return "a '<' that begins no tag";
  return open.empty() ? "" : "<" + open.back() + "> without its end";
}

// A line's text between its formulas.
std::string prose(const std::string& html) {
  std::string text = std::regex_replace(html, std::regex("<math[^>]*>.*?</math>"), "§");
  return std::regex_replace(text, std::regex("<[^>]*>"), "");
}

std::string one_line(const std::string& line, const std::set<std::string>& names = {}) {
  return typeset_equations({line}, names).front();
}

std::vector<Model> every_model() {
  std::vector<Model> models = slideway::models::catalogue();
  const auto gallery = std::filesystem::path(SLIDEWAY_SOURCE_DIR) / "models" / "gallery";
  for (const auto& entry : std::filesystem::directory_iterator(gallery)) {
    if (entry.path().extension() == ".toml")
      models.push_back(slideway::read_model_file(entry.path().string()));
  }
  return models;
}

}  // namespace

TEST_CASE("names are symbols with subscripts, and words are upright words") {
  const auto symbol = slideway::mathml_symbol;
  CHECK(symbol("x") == "<mi>x</mi>");
  CHECK(symbol("mu") == "<mi>μ</mi>");
  CHECK(symbol("Omega") == "<mi>Ω</mi>");
  CHECK(symbol("speed") == "<mi>speed</mi>");
  CHECK(symbol("x1") == "<msub><mi>x</mi><mrow><mn>1</mn></mrow></msub>");
  CHECK(symbol("sigma0") == "<msub><mi>σ</mi><mrow><mn>0</mn></mrow></msub>");
  CHECK(symbol("x_rel") == "<msub><mi>x</mi><mrow><mi>rel</mi></mrow></msub>");
  CHECK(symbol("k_alpha") == "<msub><mi>k</mi><mrow><mi>α</mi></mrow></msub>");
  CHECK(symbol("x1_max") ==
        "<msub><mi>x</mi><mrow><mn>1</mn><mo separator=\"true\">,</mo><mi>max</mi></mrow></msub>");
  for (const char* odd : {"x_", "_x", "a__b", "_"}) {
    CAPTURE(odd);
    CHECK(symbol(odd) == std::string("<mi>") + odd + "</mi>");
  }
}

TEST_CASE("a formula has the brackets that print needs, and no others") {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"a + b - c", "a+b−c"},
      {"a - (b - c)", "a−{(b−c)}"},
      {"a - (b*c)", "a−b c"},
      {"(a + b)*c", "{(a+b)} c"},
      {"((a*b))*c", "a b c"},
      {"-x - 1", "−x−1"},
      {"-(x - 1)", "−{(x−1)}"},
      {"-(-x)", "−{(−x)}"},
      {"a*(-b)", "a {(−b)}"},
      {"a + (-b)", "a+{(−b)}"},
      {"(-a)*b", "−a b"},
      {"a + (-b)*c", "a+{(−b c)}"},
      {"2*3*x", "2⋅3 x"},
      {"2*x", "2 x"},
      {"x*2", "x⋅2"},
      {"a/b", "frac({a}{b})"},
      {"(a + b)/(c*d)", "frac({a+b}{c d})"},
      {"-k*x/m", "−frac({k x}{m})"},
      {"(-k*x - F)/m", "frac({−k x−F}{m})"},
      {"-(R/I)*p", "−frac({R}{I}) p"},
      {"2*(1/3)", "2⋅frac({1}{3})"},
      {"x^2", "sup({x}{2})"},
      {"-x^2", "−sup({x}{2})"},
      {"(-x)^2", "sup({{(−x)}}{2})"},
      {"(a*b)^2", "sup({{(a b)}}{2})"},
      {"(a/b)^2", "sup({{(frac({a}{b}))}}{2})"},
      {"a^b^c", "sup({a}{sup({b}{c})})"},
      {"(a^b)^c", "sup({{(sup({a}{b}))}}{c})"},
      {"x^(1/3)", "sup({x}{1/3})"},
      {"x^-1", "sup({x}{−1})"},
      {"pow(x, a)", "sup({x}{a})"},
      {"x[i + 1]", "sub(x{i+1})"},
      {"T_out[i]", "sub(T{out,i})"},
      {"1e-6*x", "sup(10{−6}) x"},
      {"2.5e+03*x", "{2.5⋅sup(10{3})} x"},
      {"a > b", "a&gt;b"},
      {"a - x >= 0", "a−x≥0"},
      {"slideway_derivative(x)", "over(x˙)"},
      {"slideway_derivative(x1)", "sub(over(x˙){1})"},
      {"slideway_derivative(speed)", "over(speed˙)"},
      {"slideway_derivative(v[i])", "sub(over(v˙){i})"},
  };
  for (const auto& [formula, printed] : expected) {
    CAPTURE(formula);
    CHECK(shape(formula) == printed);
  }
}

TEST_CASE("functions are printed as in books") {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"sqrt(x^2 + y^2)", "sqrt({sup({x}{2})+sup({y}{2})})"},
      {"abs(x)", "{|x|}"},
      {"abs(v)^(1/3)", "sup({{|v|}}{1/3})"},
      {"sgn(v)", "{sgn\u2061{(v)}}"},
      {"log(x)", "{ln\u2061{(x)}}"},
      {"atan2(y, x)", "{atan2\u2061{(y,x)}}"},
      {"sin(alpha)^2", "{sup(sin{2})\u2061{(α)}}"},
      {"sin(alpha)^-1", "sup({{sin\u2061{(α)}}}{−1})"},
      {"sin(alpha)^(1/2)", "sup({{sin\u2061{(α)}}}{1/2})"},
      {"sum(x + y)", "{∑{(x+y)}}"},
      {"if(a > b, 1, -x)", "{{table(tr(td(1)td('if\u00a0'{a&gt;b}))tr(td(−x)td('otherwise')))}"},
      {"if(a > b, 1, 0)*c", "{({{table(tr(td(1)td('if\u00a0'{a&gt;b}))tr(td(0)td('otherwise')))})} c"},
      {"c*if(a > b, 1, 0)", "c {{table(tr(td(1)td('if\u00a0'{a&gt;b}))tr(td(0)td('otherwise')))}"},
  };
  for (const auto& [formula, printed] : expected) {
    CAPTURE(formula);
    CHECK(shape(formula) == printed);
  }
}

TEST_CASE("a long sum is in parts between which a line can be broken") {
  const auto parsed = slideway::reader::parse_expression("-a - b*(c + d) + e");
  const std::vector<std::string> terms = slideway::mathml_terms(parsed.expression);
  REQUIRE(terms.size() == 3);
  CHECK(terms[0] == "<mo form=\"prefix\">−</mo><mi>a</mi>");
  CHECK(terms[2] == "<mo form=\"infix\">+</mo><mi>e</mi>");
  const std::string sum = one_line("x' = aaaaaaa + bbbbbbb + ccccccc + ddddddd");
  CHECK(prose(sum) == "§§§§");
  CHECK(prose(one_line("x' = a + b + c + d")) == "§");
  std::string many = "x' = 0";
  for (int k = 0; k < 300; ++k) many += " + x" + std::to_string(k);
  CHECK(prose(one_line(many)).size() > 600);
  for (int k = 0; k < 3000; ++k) many += " + x" + std::to_string(k);
  CHECK(one_line(many) == many);
}

TEST_CASE("words stay words, and formulas among them are found") {
  const std::set<std::string> names = {"e", "q", "v_th"};
  const auto words = [&](const std::string& line) { return prose(one_line(line, names)); };
  CHECK(words("x' = v") == "§");
  CHECK(words("x[i]' = v[i]   (i = 1 … N, 0 beyond the ends)") == "§ (§, § beyond the ends)");
  CHECK(words("edge take-off: contact -> flight when push - 1 falls through 0: z = z_cam, v = v_cam") ==
        "edge take-off: contact → flight when § falls through §: §, §");
  CHECK(words("edge: on -> off when -x rises through 0") == "edge: on → off when § rises through §");
  CHECK(words("reset off: when T[i] - 1 falls through 0: m[i] = 0   (i = 1 … N - 1)") ==
        "reset off: when § falls through §: § (§)");
  CHECK(words("contact left: a + x >= 0, a unit force adds v = -1, restitution e") ==
        "contact left: §, a unit force adds §, restitution §");
  CHECK(words("contact cam: z - 1 >= 0, restitution e from the approach speed v_th on, 0 below") ==
        "contact cam: §, restitution § from the approach speed § on, § below");
  CHECK(words("surface s (2)") == "surface s (2)");
  CHECK(words("surface x - 1, break-away ratio 1.5") == "surface §, break-away ratio §");
  CHECK(words("stop overturned: |q| = pi/2") == "stop overturned: §");
  CHECK(words("y_i(0) = (i - 1)*h + i*gap,  v_i(0) = 0") == "§, §");
  CHECK(words("q' = w_q' = 0   in location standing") == "§ in location standing");
  CHECK(words("location contact:") == "location contact:");
  CHECK(words("F the force of the q at v_th") == "F the force of the q at §");
  CHECK(words("dahl                 F = z,  z' = sigma0*(u - abs(u)*z/Fc)") == "dahl §, §");
  CHECK(words("<b>bold</b> & x < y \"z\"") == "&lt;b&gt;bold&lt;/b&gt; &amp; § &quot;z&quot;");
}

TEST_CASE("the equations of every model are typeset in order, and none of their formulas is left as text") {
  std::size_t formulas = 0;
  for (const Model& model : every_model()) {
    CAPTURE(model.name);
    std::set<std::string> names(model.state_names.begin(), model.state_names.end());
    for (const slideway::Parameter& parameter : model.parameters) names.insert(parameter.name);
    const std::vector<std::string> lines = typeset_equations(model.equations, names);
    REQUIRE(lines.size() == model.equations.size());
    for (std::size_t k = 0; k < lines.size(); ++k) {
      CAPTURE(model.equations[k]);
      CHECK(disorder(lines[k]) == "");
      const std::string words = prose(lines[k]);
      // Text that no word holds: a sign of a formula that was not seen as one.
      CHECK_MESSAGE(words.find_first_of("=*^/+[]{}'|_") == std::string::npos, words);
      CHECK_MESSAGE(std::regex_search(words, std::regex(" - |[<>]|\\.\\.\\.")) == false, words);
      for (std::size_t at = lines[k].find("<math"); at != std::string::npos;
           at = lines[k].find("<math", at + 1))
        ++formulas;
    }
  }
  CHECK(formulas > 400);
}
