// The pictures of `slideway run`: labels, logarithmic axes, several runs, rasters, and what LaTeX reads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include "test/cli/program.hpp"
#include "test/gnuplot_here.hpp"

using slideway::test::contains;
using slideway::test::Finished;
using slideway::test::Workplace;

namespace {

// The text that a picture shows, without the marks of svg.
std::string words_of_svg(const std::string& svg) {
  std::string words;
  bool in_mark = false;
  for (const char character : svg) {
    if (character == '<') in_mark = true;
    if (!in_mark && character != '\n' && character != '\t') words += character;
    if (character == '>') in_mark = false;
  }
  return words;
}

std::string script(const Workplace& place, std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--plot", "p.gp", "--quiet"});
  const Finished done = place.slideway(words);
  CAPTURE(done.err);
  CHECK(done.status == 0);
  return place.read("p.gp");
}

void check_run_is_refused(const Workplace& place, std::vector<std::string> words,
                          const std::string& message) {
  words.insert(words.begin(), "run");
  const Finished done = place.slideway(words);
  CAPTURE(done.err);
  CHECK(done.status == 2);
  CHECK(contains(done.err, message));
  CHECK(done.out == "");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

}  // namespace

TEST_CASE("labels stand at the axes, with subscripts, superscripts and symbols as in TeX") {
  const Workplace place;
  const std::string text =
      script(place, {"dry-friction", "--labels", "x=position x_{rel} [m], left,v=\\dot{x} [m s^{-1}]",
                     "--labels", "t=time \\tau_0"});
  CHECK(contains(text, " enhanced font"));
  CHECK(contains(text, "set ylabel 'position x_{rel} [m], left' enhanced"));
  CHECK(contains(text, "set ylabel 'ẋ [m s^{−1}]' enhanced") !=
        contains(text, "set ylabel 'x\u0307 [m s^{−1}]' enhanced"));
  CHECK(contains(text, "set xlabel 'time τ_{0}' enhanced"));
  CHECK(contains(text, "set label 'dry-friction' font ':Bold' noenhanced"));
  // No character is left that gnuplot takes for a mark, and braces keep a comma in one label.
  CHECK(contains(script(place, {"dry-friction", "--labels", "v=v_{/s} [m/s]"}),
                 "set ylabel 'v_{{}/s} [m/s]' enhanced"));
  CHECK(contains(script(place, {"dry-friction", "--labels", "x=a@b & c~ {d, v=e}/ \\{f\\}"}),
                 "set ylabel 'a\\@b \\& c\\~ d, v=e/ \\{f\\}' enhanced"));
}

TEST_CASE("labels and units of a model file stand at the axes, and the command line wins") {
  const Workplace place;
  place.write("m.toml",
              "[states]\nx = 1\nv = 0\n[time]\nend = 1\n[derivatives]\nx = \"v\"\nv = \"-x\"\n"
              "[labels]\nx = \"position x_{rel}\"\nv = \"speed\"\n[units]\nx = \"mm\"\nt = \"s\"\n");
  const std::string text = script(place, {"m.toml", "--labels", "v=velocity"});
  CHECK(contains(text, "set ylabel 'position x_{rel} in mm' enhanced"));
  CHECK(contains(text, "set ylabel 'velocity' enhanced"));
  CHECK(contains(text, "set xlabel 't in s' enhanced"));
}

TEST_CASE("labels reach every format of a picture, and names without a label are left as they are") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  place.write("m.toml",
              "[states]\nx_1 = 1\nx_2 = 0\n[time]\nend = 3\n[derivatives]\nx_1 = \"x_2\"\n"
              "x_2 = \"-x_1 - 0.3*sgn(x_2)\"\n");
  const Finished done =
      place.slideway({"run", "m.toml", "--labels", "x_1=way s_{rel} [\\mu{}m/s^2]", "--plot", "p.svg",
                      "--plot", "p.png", "--plot", "p.pdf", "--plot", "p.tex", "--quiet"});
  CAPTURE(done.err);
  CHECK(done.status == 0);
  CHECK(done.err == "");
  const std::string words = words_of_svg(place.read("p.svg"));
  CHECK(contains(words, "way srel [μm/s2]"));
  CHECK(contains(words, "x_2"));
  CHECK(place.read("p.png").substr(1, 3) == "PNG");
  CHECK(place.read("p.pdf").starts_with("%PDF"));
  const std::string tex = place.read("p.tex");
  CHECK(contains(tex, "way s\\textsubscript{rel} [\\ensuremath{\\mu}m/s\\textsuperscript{2}]"));
  CHECK(contains(tex, "{\\strut{}x\\_2}"));
}

TEST_CASE("a label that means nothing is refused with what was probably meant") {
  const Workplace place;
  const auto label = [&](const std::string& text, const std::string& message) {
    check_run_is_refused(place, {"dry-friction", "--labels", text, "--plot", "p.svg"}, message);
  };
  label("vv=speed", "did you mean 'v'?");
  label("v=\\muu", "did you mean '\\mu'?");
  label("v=a_{b", "a { without its }");
  label("v=a}", "a } without its {");
  label("v=a_", "nothing follows _");
  label("speed", "NAME=TEXT");
  check_run_is_refused(place, {"dry-friction", "--labels", "v=speed"}, "--plot FILE");
  CHECK(place.files().empty());
}

TEST_CASE("a logarithmic axis shows what is above zero, and the command says what it leaves out") {
  const Workplace place;
  const std::string text = script(place, {"evaporator", "--log", "t,L"});
  CHECK(contains(text, "set logscale x\n"));
  CHECK(contains(text, "set logscale y\n"));
  CHECK(contains(text, "unset logscale y\n"));
  CHECK_FALSE(contains(script(place, {"evaporator"}), "logscale"));

  place.write(
      "decay.toml",
      "[states]\nx = 1\ny = -1\nz = 1\n[time]\nend = 9\n[derivatives]\nx = \"-x\"\ny = \"-y\"\nz = \"-1\"\n");
  const Finished positive = place.slideway({"run", "decay.toml", "--log", "x", "--plot", "d.gp", "--quiet"});
  CHECK(positive.status == 0);
  CHECK(positive.err == "");
  const Finished never = place.slideway({"run", "decay.toml", "--log", "y", "--plot", "d.gp", "--quiet"});
  CHECK(never.status == 0);
  CHECK(contains(never.err, "'y' is never above 0, so its axis is not logarithmic"));
  CHECK_FALSE(contains(place.read("d.gp"), "logscale"));
  const Finished partly =
      place.slideway({"run", "decay.toml", "--log", "z", "--plot", "d.gp", "--plot", "e.gp", "--quiet"});
  CHECK(partly.status == 0);
  CHECK(count(partly.err, "'z' is drawn where it is above 0: 89 % of its points are not") == 1);
  check_run_is_refused(place, {"decay.toml", "--log", "w", "--plot", "d.gp"},
                       "there is no 'w' in the picture");
  check_run_is_refused(place, {"decay.toml", "--log", "x"}, "--plot FILE");
  if (!slideway::test::gnuplot_is_here()) return;
  const Finished drawn = place.slideway({"run", "evaporator", "--log", "t,L", "--plot", "l.svg", "--quiet"});
  CHECK(drawn.status == 0);
  CHECK(contains(words_of_svg(place.read("l.svg")), "0.001"));
}

TEST_CASE("several models are drawn over each other, with the summary of each") {
  const Workplace place;
  place.write(
      "soft.toml",
      "name = \"soft\"\n[states]\nx = 1\nv = 0\n[time]\nend = 5\n[derivatives]\nx = \"v\"\nv = \"-x\"\n");
  place.write("hard.toml",
              "name = \"hard\"\n[states]\nx = 1\nv = 0\nz = 0\n[time]\nend = 4\n[derivatives]\nx = \"v\"\n"
              "v = \"-9*x - 0.2*sgn(v)\"\nz = \"x\"\n");
  const Finished done = place.slideway({"run", "soft.toml", "hard.toml", "--plot", "p.gp"});
  CAPTURE(done.err);
  CHECK(done.status == 0);
  CHECK(contains(done.out, "soft   t = 0 … 5"));
  CHECK(contains(done.out, "hard   t = 0 … 4"));
  CHECK(done.out.find("soft ") < done.out.find("hard "));
  CHECK(count(done.out, "written") == 1);
  const std::string text = place.read("p.gp");
  CHECK(contains(text, "set label 'soft'"));
  CHECK(contains(text, "set label 'hard'"));
  CHECK(contains(text, "set xrange [0:5]"));
  // Only one of them has the third state.
  CHECK(count(text, "$run0 using 1:") == 2);
  CHECK(count(text, "$run1 using 1:") == 3);
  if (!slideway::test::gnuplot_is_here()) return;
  CHECK(place.slideway({"run", "soft.toml", "hard.toml", "--phase", "x,v", "--plot", "p.svg", "--quiet"})
            .status == 0);
  CHECK(contains(words_of_svg(place.read("p.svg")), "soft"));
}

TEST_CASE("one model is drawn with several values of a parameter") {
  const Workplace place;
  const std::string text = script(place, {"dry-friction", "--vary", "mu=0.1,0.25"});
  CHECK(contains(text, "set label 'dry-friction'"));
  CHECK(contains(text, "set label 'mu = 0.1'"));
  CHECK(contains(text, "set label 'mu = 0.25'"));
  const Finished told = place.slideway({"run", "dry-friction", "--vary", "mu=0.1,0.25"});
  CHECK(contains(told.out, "dry-friction, mu = 0.25   t = "));
  check_run_is_refused(place, {"dry-friction", "--vary", "mu=0.1:0.9:50", "--plot", "p.gp"},
                       "slideway sweep");
  check_run_is_refused(place, {"dry-friction", "--vary", "nu=0.1,0.2"}, "nu");
}

TEST_CASE("what several runs cannot have is refused before they are made") {
  const Workplace place;
  for (const char* option : {"--csv", "--json", "--report"})
    check_run_is_refused(
        place, {"dry-friction", "belt", option, option == std::string("--report") ? "r.html" : "r.txt"},
        "holds one run, not several");
  check_run_is_refused(place, {"dry-friction", "evaporator", "--plot", "p.gp"}, "no state in common");
  check_run_is_refused(place, {"dry-friction", "belt", "--raster", "--plot", "p.gp"},
                       "a raster shows one run");
  check_run_is_refused(place, {"dry-friction", "belt", "--on-ambiguity", "branches"}, "one solution of each");
  check_run_is_refused(place, {"dry-friction", "nonsense"}, "there is no model 'nonsense'");
  place.write("m.toml", "[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-x\"\n");
  check_run_is_refused(place, {"dry-friction", "m.toml", "--plot", "m.toml"}, "");
  CHECK(contains(place.read("m.toml"), "[states]"));
  CHECK(place.files().size() == 1);
}

TEST_CASE("one run of several that stops early decides the exit status") {
  const Workplace place;
  const Finished done = place.slideway({"run", "dry-friction", "belt", "--max-events", "1", "--quiet"});
  CHECK(done.status == 3);
  CHECK(contains(done.err, "dry-friction: "));
  CHECK(contains(done.err, "belt: "));
}

TEST_CASE("a raster has a row for each surface and named event") {
  const Workplace place;
  const std::string chain = script(place, {"friction-chain", "--set", "N=20", "--raster"});
  CHECK(contains(chain, "'stick1' 0"));
  CHECK(contains(chain, "'stick20' 19"));
  CHECK(contains(chain, "$bars << EOD"));
  CHECK(contains(chain, "$dots << EOD"));
  CHECK_FALSE(
      contains(script(place, {"friction-chain", "--set", "N=20", "--raster", "--markers", "none"}), "$dots"));
  const std::string neuron = script(place, {"gallery/integrate_and_fire", "--raster"});
  CHECK(contains(neuron, "'spike' 0"));
  CHECK_FALSE(contains(neuron, "$bars"));
  check_run_is_refused(place, {"dry-friction", "--raster", "--phase", "x,v", "--plot", "p.gp"},
                       "--raster with --phase");
  check_run_is_refused(place, {"dry-friction", "--raster"}, "--plot FILE");
}

TEST_CASE("bars of a raster are the intervals of sliding") {
  const Workplace place;
  const Finished done =
      place.slideway({"run", "evaporator", "--raster", "--plot", "p.gp", "--json", "r.json", "--quiet"});
  CHECK(done.status == 0);
  const std::string text = place.read("p.gp");
  const std::size_t at = text.find("$bars << EOD\n") + 13;
  CHECK(count(text.substr(at, text.find("EOD\n", at) - at), "\n") == 1);
  const std::string entry = text.substr(at, 5);
  CHECK(contains(place.read("r.json"), entry));
}

TEST_CASE("the rows of a table of events are in order, with a dot for each event") {
  const Workplace place;
  // Oscillator i fires first at (13 - i)/12, and then every unit of time: the last fires first.
  place.write(
      "fire.toml",
      "[states]\nx = { size = 12, value = \"(i - 1)/12\" }\n[time]\nend = 3.001\n[derivatives]\nx = \"1\"\n"
      "[[resets]]\nname = \"fire\"\nsize = 12\nwhen = \"x[i] - 1\"\nset = { \"x[i]\" = \"0\" }\n");
  const std::string text = script(place, {"fire.toml", "--raster"});
  CHECK(contains(text, "'fire1' 0, 'fire2' 1, "));
  CHECK(contains(text, ", 'fire11' 10, 'fire12' 11)"));
  const std::size_t at = text.find("$dots << EOD\n") + 13;
  CHECK(count(text.substr(at, text.find("EOD\n", at) - at), "\n") == 36);
}

TEST_CASE("a raster of a thousand rows is drawn in seconds and names some of its rows") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const Finished chain = place.slideway(
      {"run", "friction-chain", "--set", "N=1000", "--t-end", "5", "--raster", "--plot", "c.svg", "--quiet"});
  CAPTURE(chain.err);
  CHECK(chain.status == 0);
  const std::string svg = place.read("c.svg");
  CHECK(svg.size() < 20'000'000);
  const std::string words = words_of_svg(svg);
  CHECK(contains(words, "stick1"));
  CHECK(count(words, "stick") > 20);
  CHECK(count(words, "stick") < 120);
}

TEST_CASE("a picture for LaTeX is a text and the drawing it includes") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const Finished done = place.slideway({"run", "evaporator", "--title", "50 % & {x_1}", "--plot", "e.tex"});
  CAPTURE(done.err);
  CHECK(done.status == 0);
  CHECK(contains(done.out, "e.tex, e-inc.pdf"));
  CHECK(place.files().size() == 2);
  CHECK(place.read("e-inc.pdf").starts_with("%PDF"));
  const std::string tex = place.read("e.tex");
  CHECK(contains(tex, "\\usepackage{graphicx,xcolor}"));
  CHECK(contains(tex, "{e-inc.pdf}"));
  CHECK(contains(tex, "\\textbf{50 \\% \\& \\{x\\_1\\}}"));
  CHECK(count(tex, "\\begin{picture}") == 1);
  CHECK(count(tex, "\\end{picture}") == 1);
  // Braces of TeX are balanced.
  CHECK(count(tex, "{") - count(tex, "\\{") == count(tex, "}") - count(tex, "\\}"));
  CHECK(place.slideway({"run", "evaporator", "--size", "12x8cm", "--plot", "e.tex", "--quiet"}).status == 0);
  CHECK(contains(place.read("e.tex"), "\\begin{picture}(6800.00,4520.00)"));
}

TEST_CASE("sweeps and comparisons are drawn for LaTeX too") {
  if (!slideway::test::gnuplot_is_here()) return;
  const Workplace place;
  const Finished sweep = place.slideway({"sweep", "evaporator", "--vary", "R_b=1,2", "--plot", "s.tex"});
  CAPTURE(sweep.err);
  CHECK(sweep.status == 0);
  CHECK(contains(place.read("s.tex"), "{\\strut{}R\\_b}"));
  CHECK(contains(place.read("s.tex"), "{s-inc.pdf}"));
  const Finished compared =
      place.slideway({"compare", "evaporator", "--levels", "0", "--repeats", "1", "--plot", "c.tex"});
  CHECK(compared.status == 0);
  CHECK(contains(compared.out, "c.tex, c-inc.pdf"));
  CHECK(place.read("c-inc.pdf").starts_with("%PDF"));
}

TEST_CASE("a picture for LaTeX does not take the place of another document") {
  const Workplace place;
  check_run_is_refused(place, {"evaporator", "--plot", "e.tex", "--plot", "e-inc.pdf"},
                       "would write to the same place");
  check_run_is_refused(place, {"evaporator", "--plot", "my picture.tex"}, "letters, digits");
  check_run_is_refused(place, {"evaporator", "--plot", "absent/e.tex"}, "absent");
  CHECK(place.files().empty());
}

TEST_CASE("a size may be in centimetres") {
  const Workplace place;
  CHECK(contains(script(place, {"evaporator", "--size", "16x9cm"}), "size 640,360"));
  check_run_is_refused(place, {"evaporator", "--size", "16.5x9", "--plot", "p.gp"}, "16x9cm");
  check_run_is_refused(place, {"evaporator", "--size", "1x9cm", "--plot", "p.gp"}, "16x9cm");
}

TEST_CASE("what is constant up to rounding is drawn as a line in the middle of its panel") {
  const Workplace place;
  place.write("o.toml",
              "name = \"oscillator\"\n[states]\nx = 1\nv = 0\n[time]\nend = 10\n[derivatives]\nx = \"v\"\nv "
              "= \"-x\"\n");
  const std::string text = script(place, {"o.toml", "--observe", "E = x^2 + v^2", "--rtol", "1e-12"});
  const std::size_t label = text.find("set ylabel 'E'");
  REQUIRE(label != std::string::npos);
  const std::size_t range = text.rfind("set yrange [", label);
  double low = 0, high = 0;
  REQUIRE(std::sscanf(text.c_str() + range, "set yrange [%lf:%lf]", &low, &high) == 2);
  CHECK(low == doctest::Approx(0.9));
  CHECK(high == doctest::Approx(1.1));

  // A variation far above rounding fills the panel, with numbers long enough to tell its tics apart.
  const std::string large = script(place, {"o.toml", "--observe", "E = 1784.8 + 1e-4*x"});
  CHECK(contains(large, "set yrange [1784.79"));
  CHECK(contains(large, "set format y '%."));
  CHECK(contains(large, "set label 'E' noenhanced at graph"));
  if (!slideway::test::gnuplot_is_here()) return;
  for (const char* observed :
       {"E = x^2 + v^2", "E = 1784.8 + 1e-13*x", "E = 1e9 + 1e-1*x", "E = 1e-300*x", "E = 0*x"}) {
    CAPTURE(observed);
    const Finished done =
        place.slideway({"run", "o.toml", "--observe", observed, "--rtol", "1e-12", "--plot", "c.svg"});
    CAPTURE(done.err);
    CHECK(done.status == 0);
    CHECK(contains(done.out, "c.svg"));
  }
  place.write("s.toml",
              "[parameters]\na = 1\n[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"1e-13*a\"\n");
  const Finished sweep = place.slideway(
      {"sweep", "s.toml", "--vary", "a=1:2:3", "--plot", "s.svg", "--csv", "s.csv", "--quiet"});
  CAPTURE(sweep.err);
  CHECK(sweep.status == 0);
  CHECK(
      place.slideway({"sweep", "s.toml", "--vary", "a=1:2:3", "--plot", "s.gp", "--csv", "t.csv", "--quiet"})
          .status == 0);
  const std::string of_sweep = place.read("s.gp");
  const std::size_t at = of_sweep.find("set yrange [");
  REQUIRE(at != std::string::npos);
  REQUIRE(std::sscanf(of_sweep.c_str() + at, "set yrange [%lf:%lf]", &low, &high) == 2);
  CHECK(low == doctest::Approx(0.9));
  CHECK(high == doctest::Approx(1.1));
}

TEST_CASE("a picture that fails does not take the summary with it") {
  const Workplace place;
  place.write("gnuplot", "#!/bin/sh\ncat > /dev/null\necho 'no range' >&2\nexit 3\n");
  std::filesystem::permissions(place.path() / "gnuplot", std::filesystem::perms::owner_all);
  const std::string path = "PATH=" + place.path().string() + ":$PATH";
  const Finished done =
      place.slideway({"run", "relay", "--plot", "p.svg", "--csv", "p.csv", "--report", "p.html"}, path);
  CHECK(done.status == 1);
  CHECK(contains(done.out, "events"));
  CHECK(contains(done.out, "p.csv"));
  CHECK(contains(done.out, "p.html"));
  CHECK(contains(done.err, "'p.svg' is not written: gnuplot failed: no range"));
  CHECK(place.has("p.html"));
  CHECK_FALSE(place.has("p.svg"));
  CHECK(place.slideway({"run", "relay", "--plot", "p.svg", "--quiet"}, path).status == 1);
  const Finished several = place.slideway({"run", "relay", "relay", "--plot", "p.svg"}, path);
  CHECK(several.status == 1);
  CHECK(contains(several.out, "events"));
}

TEST_CASE("a small jump beside a large state breaks the curve of its own state only") {
  const Workplace place;
  place.write(
      "clock.toml",
      "[states]\nv = 1000\nphase = 0\n[time]\nend = 4.5e-4\n[derivatives]\nv = \"-v\"\nphase = \"1\"\n"
      "[[resets]]\nname = \"tick\"\nwhen = \"phase - 1e-4\"\ndirection = \"rising\"\nset = { phase = \"0\" "
      "}\n");
  const std::string text = script(place, {"clock.toml"});
  const std::string whole =
      text.substr(text.find("$whole << EOD"), text.find("EOD\n$jumps") - text.find("$whole << EOD"));
  CHECK(count(whole, " NaN\n") == 4);
  CHECK(count(whole, " NaN ") == 0);
  CHECK(contains(text, "$jumps using 1:3 with lines"));
  CHECK(contains(text, "$jumps using 2:3 with lines"));
  // A crossing without a jump breaks nothing.
  CHECK_FALSE(contains(script(place, {"relay"}), "NaN"));
}

TEST_CASE("an event is marked in the panels of the states that it changes") {
  const Workplace place;
  place.write("three.toml",
              "[states]\na = 0\nb = 0\nc = 0\n[time]\nend = 3.5\n[derivatives]\na = \"1\"\nb = \"1\"\nc = "
              "\"-sgn(c - 0.5)\"\n"
              "[[resets]]\nwhen = \"a - 1\"\ndirection = \"rising\"\nset = { a = \"0\" }\n");
  const std::string text = script(place, {"three.toml"});
  // The reset belongs to a, the begin of sliding to c.
  CHECK(count(text, "using 1:2 with points") == 1);
  CHECK(count(text, "using 1:3 with points") == 0);
  CHECK(count(text, "using 1:4 with points") == 1);
  // With two panels each shows all.
  const std::string two = script(place, {"three.toml", "--states", "a,b"});
  CHECK(count(two, "using 1:3 with points") == 2);
}

TEST_CASE("marks leave the curve to be seen, and the legend says how many there are") {
  const Workplace place;
  place.write("clock.toml",
              "[states]\nphase = 0\n[time]\nend = 1000\n[derivatives]\nphase = \"1\"\n"
              "[[resets]]\nwhen = \"phase - 1\"\ndirection = \"rising\"\nset = { phase = \"0\" }\n");
  const std::string many = script(place, {"clock.toml"});
  const std::size_t at = many.find("jump, contact or switch (");
  REQUIRE(at != std::string::npos);
  int drawn = 0, all = 0;
  REQUIRE(std::sscanf(many.c_str() + at, "jump, contact or switch (%d of %d)", &drawn, &all) == 2);
  CHECK(all >= 999);
  CHECK(drawn > 30);
  CHECK(drawn < 70);
  CHECK_FALSE(contains(many, "$jumps"));
  CHECK(contains(script(place, {"clock.toml", "--t-end", "20.5"}), "'jump, contact or switch'"));
}

TEST_CASE("the locations of a run are a band below its panels where their names fit") {
  const Workplace place;
  const std::string model =
      "initial = \"up\"\n[states]\nx = 0\n[time]\nend = 5.5\n[[locations]]\nname = \"up\"\nderivatives = { x "
      "= \"1\" }\n"
      "[[locations]]\nname = \"down\"\nderivatives = { x = \"-1\" }\n"
      "[[edges]]\nfrom = \"up\"\nto = \"down\"\nwhen = \"x - 1\"\ndirection = \"rising\"\n"
      "[[edges]]\nfrom = \"down\"\nto = \"up\"\nwhen = \"x\"\ndirection = \"falling\"\n";
  place.write("saw.toml", model);
  const std::string text = script(place, {"saw.toml"});
  CHECK(count(text, "set label 'up' noenhanced at first") == 3);
  CHECK(count(text, "set label 'down' noenhanced at first") == 3);
  CHECK_FALSE(contains(script(place, {"saw.toml", "--t-end", "100"}), "set label 'up' noenhanced at first"));
}

TEST_CASE("a phase portrait shows observed quantities, too, without the surfaces of states") {
  const Workplace place;
  place.write("loop.toml",
              "[states]\nx = 1\nv = 0\n[time]\nend = 9\n[derivatives]\nx = \"v\"\n"
              "v = \"-4*x - 0.1*sgn(v) - 0.5*v\"\n");
  const Finished done =
      place.slideway({"run", "loop.toml", "--observe", "F = -0.5*v", "--phase", "v,F", "--plot", "loop.gp"});
  CAPTURE(done.err);
  REQUIRE(done.status == 0);
  const std::string text = place.read("loop.gp");
  CHECK(contains(text, "set xlabel 'v'"));
  CHECK(contains(text, "set ylabel 'F'"));
  CHECK_FALSE(contains(text, "$portrait_0"));
  const std::size_t portrait = text.rfind("$whole using ");
  REQUIRE(portrait != std::string::npos);
  int across = 0, up = 0;
  REQUIRE(std::sscanf(text.c_str() + portrait, "$whole using %d:%d", &across, &up) == 2);
  // A row of the data is t, x, v, F.
  CHECK(across == 3);
  CHECK(up == 4);
  const std::vector<std::string> observed = {"loop.toml", "--observe", "F = -0.5*v",
                                             "--plot",    "p.gp",      "--phase"};
  for (const auto& [phase, message] : {std::pair{"v,G", "'G'"}, std::pair{"t,F", "no axis of time"}}) {
    std::vector<std::string> words = observed;
    words.emplace_back(phase);
    check_run_is_refused(place, words, message);
  }
}

TEST_CASE("the states over time are chosen, with or without a phase portrait") {
  const Workplace place;
  place.write("four.toml",
              "[states]\na = 1\nb = 1\nc = 1\nd = 1\n[time]\nend = 1\n[derivatives]\na = \"-a\"\nb = "
              "\"-b\"\nc = \"-c\"\nd = \"-d\"\n");
  const auto panels = [&](std::vector<std::string> words) {
    std::string names;
    const std::string text = script(place, std::move(words));
    for (const char* column : {"1:2", "1:3", "1:4", "1:5"})
      names += count(text, std::string("$whole using ") + column + " with lines") == 1 ? column + 2 : "-";
    return names;
  };
  CHECK(panels({"four.toml"}) == "2345");
  CHECK(panels({"four.toml", "--states", "d,b"}) == "-3-5");
  CHECK(panels({"four.toml", "--phase", "a,c"}) == "2-4-");
  CHECK(panels({"four.toml", "--phase", "a,c", "--states", "b"}) == "-3--");
  CHECK(contains(script(place, {"four.toml", "--phase", "a,c", "--states", "b"}),
                 "$whole using 2:4 with lines"));
  CHECK(contains(script(place, {"four.toml", "four.toml", "--phase", "a,c", "--states", "b"}),
                 "$run1 using 1:"));
  check_run_is_refused(place, {"four.toml", "--states", "e", "--plot", "p.gp"}, "there is no state 'e'");
  check_run_is_refused(place, {"four.toml", "--states", "a,a", "--plot", "p.gp"}, "two panels of 'a'");
  check_run_is_refused(place, {"four.toml", "--states", "a"}, "--plot FILE or --report FILE");
  check_run_is_refused(place, {"four.toml", "--states", "a", "--raster", "--plot", "p.gp"},
                       "--raster with --states");
}
