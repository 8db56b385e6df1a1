// The source tree keeps the rules of the house, and the rules notice when it does not.
#include <doctest/doctest.h>

#include "test/architecture/rules.hpp"
#include "test/architecture/source_tree.hpp"

using namespace architecture;

namespace {

std::string joined(const Breaches& breaches) {
  std::string text;
  for (const std::string& line : breaches) text += "\n  " + line;
  return text;
}

Breaches upward(const std::string& path, const std::string& include) {
  return upward_includes({path, "// A comment.\n#include " + include + "\n"});
}

}  // namespace

TEST_CASE("the source tree keeps every rule") {
  const SourceFiles files = read_source_tree(SLIDEWAY_SOURCE_DIR);
  REQUIRE(files.size() > 20);
  const Breaches breaches = all_breaches(files);
  CHECK_MESSAGE(breaches.empty(), joined(breaches));
}

TEST_CASE("the top level holds what belongs there and nothing else") {
  const auto entries = tracked_top_level(SLIDEWAY_SOURCE_DIR);
  if (!entries) {
    MESSAGE("not a git checkout: the top level is not checked");
    return;
  }
  REQUIRE(entries->size() > 5);
  const Breaches breaches = top_level(*entries);
  CHECK_MESSAGE(breaches.empty(), joined(breaches));
}

TEST_CASE("an include that points up is noticed") {
  CHECK(upward("lib/src/core/errors.cpp", "\"slideway/model/system.hpp\"").size() == 1);
  CHECK(upward("lib/include/slideway/model/system.hpp", "\"slideway/filippov/mode.hpp\"").size() == 1);
  CHECK(upward("lib/include/slideway/model/system.hpp", "<slideway/simulate/options.hpp>").size() == 1);
  CHECK(upward("lib/include/slideway/detail/model/evaluator.hpp", "\"slideway/filippov/mode.hpp\"").size() ==
        1);
  CHECK(upward("lib/src/core/errors.cpp", "\"slideway/detail/model/evaluator.hpp\"").size() == 1);
  CHECK(upward("models/ball.hpp", "\"slideway/detail/model/evaluator.hpp\"").size() == 1);
  CHECK(upward("lib/src/filippov/classify.cpp", "\"slideway/simulate/simulator.hpp\"").size() == 1);
  CHECK(upward("lib/src/simulate/simulator.cpp", "\"slideway/io/csv.hpp\"").size() == 1);
  CHECK(upward("lib/src/simulate/simulator.cpp", "  \"io/writer.hpp\"").size() == 1);
}

TEST_CASE("an include that points sideways is noticed") {
  CHECK(upward("lib/src/integrate/cvode_stepper.cpp", "\"slideway/model/system.hpp\"").size() == 1);
  CHECK(upward("lib/src/integrate/cvode_stepper.cpp", "\"slideway/filippov/mode.hpp\"").size() == 1);
  CHECK(upward("lib/src/filippov/sliding.cpp", "\"slideway/integrate/stepper.hpp\"").size() == 1);
}

TEST_CASE("an include that points down or stays is allowed") {
  CHECK(upward("lib/src/simulate/simulator.cpp", "\"slideway/filippov/mode.hpp\"").empty());
  CHECK(upward("lib/src/simulate/simulator.cpp", "\"slideway/integrate/stepper.hpp\"").empty());
  CHECK(upward("lib/src/integrate/cvode_stepper.cpp", "\"integrate/sundials.hpp\"").empty());
  CHECK(upward("lib/src/integrate/cvode_stepper.cpp", "\"slideway/core/errors.hpp\"").empty());
  CHECK(upward("models/belt.cpp", "\"slideway/model/from_functor.hpp\"").empty());
  CHECK(upward("apps/run.cpp", "\"validation/cases.hpp\"").empty());
  CHECK(upward("validation/cases.cpp", "<slideway.hpp>").empty());
  CHECK(upward("test/core/errors_test.cpp", "<core/anything.hpp>").empty());
}

TEST_CASE("an include across the roots is noticed") {
  CHECK(upward("lib/src/core/errors.cpp", "\"models/registry.hpp\"").size() == 1);
  CHECK(upward("models/registry.cpp", "\"validation/cases.hpp\"").size() == 1);
  CHECK(upward("validation/cases.cpp", "\"apps/run.hpp\"").size() == 1);
  CHECK(upward("models/belt.cpp", "\"slideway/simulate/simulator.hpp\"").size() == 1);
  CHECK(upward("models/belt.cpp", "<slideway.hpp>").size() == 1);
}

TEST_CASE("the umbrella header, a parent folder and an unknown folder are noticed") {
  CHECK(upward("lib/src/simulate/simulator.cpp", "<slideway.hpp>").size() == 1);
  CHECK(upward("lib/src/simulate/simulator.cpp", "\"../model/system.hpp\"").size() == 1);
  CHECK(upward("lib/src/simulate/simulator.cpp", "\"slideway/detail/system.hpp\"").size() == 1);
  CHECK(upward("lib/src/detail/help.cpp", "\"slideway/core/errors.hpp\"").size() == 1);
}

TEST_CASE("SUNDIALS and Odeint are noticed outside their folder") {
  CHECK(integrator_headers({"lib/src/simulate/a.cpp", "#include <cvode/cvode.h>\n"}).size() == 1);
  CHECK(integrator_headers({"lib/include/slideway/integrate/a.hpp", "#include <nvector/nvector_serial.h>"})
            .size() == 1);
  CHECK(integrator_headers({"apps/a.cpp", "#include <boost/numeric/odeint.hpp>"}).size() == 1);
  CHECK(integrator_headers({"lib/src/integrate/a.cpp", "#include <cvode/cvode.h>\n"}).empty());
  CHECK(integrator_headers({"validation/benchmarks/a.cpp", "#include <cvode/cvode.h>\n"}).empty());
}

TEST_CASE("headers of one kind of system are noticed outside their folder") {
  CHECK(system_headers({"lib/src/report/a.cpp", "#include <unistd.h>\n"}).size() == 1);
  CHECK(system_headers({"apps/a.cpp", "#include <sys/stat.h>\n#include <windows.h>\n"}).size() == 2);
  CHECK(system_headers({"apps/a.cpp", "#include <spawn.h>\n#include <csignal>\n"}).size() == 1);
  CHECK(system_headers({"lib/src/core/platform/a.cpp", "#include <unistd.h>\n"}).empty());
  CHECK(system_headers({"test/cli/a.cpp", "#include <unistd.h>\n"}).empty());
}

TEST_CASE("a public header that names SUNDIALS or includes a private dependency is noticed") {
  const std::string path = "lib/include/slideway/integrate/a.hpp";
  CHECK(public_header_contents({path, "// A.\nSUNContext context;\n"}).size() == 1);
  CHECK(public_header_contents({path, "// A.\nvoid f(N_Vector x);\n"}).size() == 1);
  CHECK(public_header_contents({path, "// A.\nsunrealtype x; /* N_Vector */\n"}).size() == 1);
  CHECK(public_header_contents({path, "// A.\n#include <fmt/format.h>\n"}).size() == 1);
  CHECK(public_header_contents({path, "// A.\n#include \"integrate/sundials.hpp\"\n"}).size() == 1);
  CHECK(public_header_contents({path, "// Wraps N_Vector.\n#include <Eigen/Core>\n#include <vector>\n"})
            .empty());
  CHECK(public_header_contents({path, "int a = 1'000; const char* b = \"N_Vector // \"; int c;\n"}).empty());
  CHECK(public_header_contents({path, "int a = 1'000; const char* b = \"//\"; N_Vector c;\n"}).size() == 1);
  CHECK(public_header_contents({"lib/src/integrate/a.hpp", "SUNContext context;\n"}).empty());
}

TEST_CASE("a header without an opening comment or a guard is noticed") {
  CHECK(header_opening({"lib/src/core/a.hpp", "#pragma once\n// Late.\n"}).size() == 1);
  CHECK(header_opening({"lib/src/core/a.hpp", "// What it is for.\nint a;\n"}).size() == 1);
  CHECK(header_opening({"lib/src/core/a.hpp", "// What it is for.\n#pragma once\n"}).empty());
}

TEST_CASE("a comment that begins with a relative clause is noticed") {
  const auto count = [](const std::string& text) {
    return comment_openings({"lib/src/core/a.cpp", text}).size();
  };
  CHECK(count("// What the file is for.\n\nint a;\n") == 0);
  CHECK(count("// A file.\n\n// What is none of several.\nint a;\n") == 1);
  CHECK(count("// A file.\n\nint a;\n  // It is one. What is not waits.\n") == 1);
  CHECK(count("// A file.\n\nint a;\n  // It is one.\n  // Those of b.\n") == 1);
  CHECK(count("// A file.\n\n// The value that decides what is\n// What comes after it.\nint a;\n") == 0);
  CHECK(comment_openings({"test/core/a_test.cpp", "// A.\n\n// What is none.\n"}).empty());
}

TEST_CASE("a factor of the run outside the table is noticed, and a table that is too long") {
  const std::string factor = "// Half.\nconstexpr double kHalf = 0.5;\n";
  CHECK(factors_outside_table({"lib/src/rules/a.cpp", factor}).size() == 1);
  CHECK(factors_outside_table({"lib/src/rules/a.hpp", "  static constexpr double kHalf = 0.5;\n"}).size() ==
        1);
  CHECK(factors_outside_table({"lib/src/rules/a.cpp", "constexpr double kNever = kInfinity;\n"}).empty());
  CHECK(factors_outside_table({"lib/src/report/a.cpp", factor}).empty());
  const std::string table = "lib/src/simulate/precision.hpp";
  CHECK(factors_outside_table({table, factor}).empty());
  std::string many;
  for (int k = 0; k <= 100; ++k) many += "constexpr Index k" + std::to_string(k) + " = 1;\n";
  CHECK(factors_outside_table({table, many}).size() == 1);
}

TEST_CASE("a class of too many members is noticed, and a second class in a header of the run") {
  const auto class_of = [](int members) {
    std::string text = "// A.\nclass A {\n public:\n  int f(int, int) const { return a0_; }\n private:\n";
    text += "  using B = int;\n  struct C {\n    int a, b, c;\n  };\n  static constexpr int kMost = 3;\n";
    for (int k = 0; k < members - 2; ++k)
      text += "  std::map<int, int> a" + std::to_string(k) + "_ = {1, 2};\n";
    return text + "  int b_{1}, c_;\n};\n";
  };
  CHECK(large_classes({"lib/src/core/a.hpp", class_of(25)}).empty());
  CHECK(large_classes({"lib/src/core/a.hpp", class_of(26)}).size() == 1);
  CHECK(large_classes({"test/core/a.hpp", class_of(26)}).empty());
  const std::string two = class_of(3) + "class D : public A {\n  class E {};\n};\n";
  CHECK(large_classes({"lib/src/rules/a.hpp", two}).size() == 1);
  CHECK(large_classes({"lib/src/rules/a.cpp", two}).empty());
  CHECK(large_classes({"lib/src/report/a.hpp", two}).empty());
}

TEST_CASE("a test name that a filter would misread, or that occurs twice, is noticed") {
  const std::string good = "TEST_CASE(\"a ball, at rest (x' = -x), stays\") {}\n";
  CHECK(test_names({{"test/core/a_test.cpp", good}}).empty());
  CHECK(test_names({{"test/core/a_test.cpp", "TEST_CASE(\"a * b\") {}\n"}}).size() == 1);
  CHECK(test_names({{"test/core/a_test.cpp", "TEST_CASE(\"x[0] is one\") {}\n"}}).size() == 1);
  CHECK(test_names({{"test/core/a_test.cpp", good}, {"test/core/b_test.cpp", good}}).size() == 1);
  CHECK(test_names({{"test/core/a_test.cpp", good}, {"test/model/a_test.cpp", good}}).empty());
}

TEST_CASE("two classes of one name in one namespace are noticed") {
  const auto count = [](const std::string& a, const std::string& b) {
    return repeated_class_names({{"lib/src/rules/a.hpp", a}, {"lib/src/report/b.cpp", b}}).size();
  };
  const std::string jump = "#pragma once\nnamespace slideway {\n\nstruct Jump {\n  int a;\n};\n}\n";
  CHECK(count(jump, jump) == 1);
  CHECK(count(jump, "namespace slideway {\nvoid f() { if (true) {} }\nclass Jump final : public A {};\n}") ==
        1);
  CHECK(count(jump, "namespace slideway {\nenum class Jump { up, down };\n}") == 1);
  CHECK(count(jump, "namespace slideway {\ntemplate <class T, class = A<T>>\nclass Jump {};\n}") == 1);
  CHECK(count(jump, "namespace slideway {\ntemplate <>\nstruct Jump<int> {};\n}") == 0);
  CHECK(count(jump, "namespace slideway {\nstruct Jump;\nJump f() { return Jump(); }\n}") == 0);
  CHECK(count(jump, "namespace slideway {\nnamespace {\nstruct Jump {};\n}\n}") == 0);
  CHECK(count(jump, "namespace slideway::report {\nstruct Jump {};\n}") == 0);
  CHECK(count(jump, "namespace slideway {\nclass A {\n  struct Jump {};\n};\n}") == 0);
  CHECK(count(jump, "namespace slideway {\nnamespace {\nint a;\n}\nstruct Jump {};\n}") == 1);
}

TEST_CASE("a heavy header in a second source file, or in a header, is noticed") {
  const std::string toml = "#include <toml++/toml.h>\n";
  CHECK(heavy_headers({{"lib/src/io/a.cpp", toml}}).empty());
  CHECK(heavy_headers({{"lib/src/io/a.cpp", toml}, {"lib/src/io/b.cpp", toml}}).size() == 1);
  CHECK(heavy_headers({{"lib/src/io/a.hpp", toml}}).size() == 1);
}

TEST_CASE("headers that include each other are noticed") {
  const SourceFile a = {"lib/include/slideway/core/a.hpp", "#include \"slideway/core/b.hpp\"\n"};
  const SourceFile b = {"lib/include/slideway/core/b.hpp", "#include \"slideway/core/a.hpp\"\n"};
  const SourceFile leaf = {"lib/include/slideway/core/b.hpp", "#include <vector>\n"};
  CHECK(include_cycles({a, b}).size() == 1);
  CHECK(include_cycles({a, leaf}).empty());
}

TEST_CASE("a stray entry of the top level is noticed") {
  CHECK(top_level({"lib", "README.md"}).empty());
  CHECK(top_level({"lib", "notes.txt"}).size() == 1);
}
