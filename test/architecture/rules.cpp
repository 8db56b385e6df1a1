#include "test/architecture/rules.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace architecture {
namespace {

struct Include {
  int line = 0;
  std::string target;
};

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }
bool ends_with(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}
bool is_header(const SourceFile& file) { return ends_with(file.path, ".hpp"); }
bool is_public(const SourceFile& file) { return starts_with(file.path, "lib/include/"); }
std::string first_component(const std::string& path) { return path.substr(0, path.find('/')); }
std::string directory(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::string breach(const std::string& path, int line, const std::string& what) {
  return path + ":" + std::to_string(line) + ": " + what;
}

std::vector<Include> includes(const SourceFile& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Include> result;
  int number = 0;
  for (const std::string& line : lines(file.text)) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, pattern)) result.push_back({number, match[1]});
  }
  return result;
}

// The folders that each folder of lib may include besides itself.
const std::map<std::string, std::set<std::string>> folders_below = {
    {"core", {}},
    {"autodiff", {"core"}},
    {"model", {"core", "autodiff"}},
    {"filippov", {"core", "autodiff", "model"}},
    {"integrate", {"core"}},
    {"simulate", {"core", "autodiff", "model", "filippov", "integrate"}},
    {"locate", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"log", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"rules", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "locate", "log"}},
    {"sensitivity", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"local", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "log"}},
    {"run",
     {"core", "autodiff", "model", "filippov", "integrate", "simulate", "locate", "log", "rules",
      "sensitivity", "local"}},
    {"alternatives", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"io", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"orbit", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"manifolds", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "orbit"}},
    {"fit", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"sweep", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "io", "audit"}},
    {"basins", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "io", "orbit", "sweep"}},
    {"diagram",
     {"core", "autodiff", "model", "filippov", "integrate", "simulate", "io", "orbit", "sweep", "basins"}},
    {"fmi", {"core", "autodiff", "model", "filippov", "integrate", "simulate"}},
    {"expression", {"core", "autodiff", "model"}},
    {"audit", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "expression", "model_file"}},
    {"model_file", {"core", "autodiff", "model", "filippov", "integrate", "simulate", "io", "expression"}},
    {"report",
     {"core", "autodiff", "model", "filippov", "integrate", "simulate", "io", "expression", "audit"}},
};

// The folder of lib that a path or an include belongs to, if any.
std::optional<std::string> folder_of_path(const std::string& path) {
  static const std::regex pattern("^lib/(include/slideway/detail|include/slideway|src)/([^/]+)/");
  std::smatch match;
  if (std::regex_search(path, match, pattern)) return match[2].str();
  return std::nullopt;
}
std::optional<std::string> folder_of_include(const std::string& target) {
  for (const std::string root : {"slideway/detail/", "slideway/"})
    if (starts_with(target, root)) return first_component(target.substr(root.size()));
  const std::string first = first_component(target);
  if (first != target && folders_below.count(first) > 0) return first;
  return std::nullopt;
}

// The other roots that a root may include from.
const std::map<std::string, std::set<std::string>> roots_below = {
    {"lib", {}},
    {"models", {}},
    {"validation", {"models"}},
    {"apps", {"models", "validation"}},
    {"lib/python", {"lib", "models", "apps"}},
    {"lib/c", {"lib", "models", "apps"}},
    {"lib/fmu", {"lib", "models"}},
    {"test", {"models", "validation", "apps"}},
};

bool is_integrator_header(const std::string& target) {
  static const std::regex pattern(
      "^((cvode|cvodes|arkode|kinsol|nvector|sundials|sunmatrix|sunlinsol|sunnonlinsol)/|boost/"
      "numeric/odeint)");
  return std::regex_search(target, pattern);
}

// The text with comments and string literals blanked, line for line.
std::string code_only(const std::string& text) {
  std::string result = text;
  enum class Place { code, line_comment, block_comment, literal };
  Place place = Place::code;
  char quote = '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (place == Place::code) {
      if (c == '/' && next == '/') place = Place::line_comment;
      if (c == '/' && next == '*') place = Place::block_comment;
      const bool digit_separator =
          c == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(text[i - 1])) != 0;
      if ((c == '"' || c == '\'') && !digit_separator) {
        place = Place::literal;
        quote = c;
        continue;
      }
    } else if (place == Place::line_comment) {
      if (c == '\n') place = Place::code;
    } else if (place == Place::block_comment) {
      if (c == '*' && next == '/') {
        place = Place::code;
        result[i] = result[i + 1] = ' ';
        ++i;
        continue;
      }
    } else if (c == '\\') {
      result[i] = ' ';
      if (next != '\n') result[++i] = ' ';
      continue;
    } else if (c == quote) {
      place = Place::code;
      continue;
    }
    if (place != Place::code && c != '\n') result[i] = ' ';
  }
  return result;
}

// The statement without what stands in <…>, […] and {…}, and the parts of a list of declarators after the first.
std::string outline(const std::string& statement) {
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const char c = statement[i];
    const bool arrow = c == '>' && i > 0 && statement[i - 1] == '-';
    if (c == '<' || c == '[' || c == '{') ++depth;
    if (depth == 0) result += c;
    if ((c == '>' && !arrow) || c == ']' || c == '}') --depth;
  }
  return result;
}

// How many members the statement declares in a class: none for functions, types and constants of the class.
int declared_members(const std::string& statement) {
  static const std::regex access(R"(^(\s*(public|private|protected)\s*:)*\s*)");
  static const std::regex other(R"(^(using|typedef|friend|static|template|class|struct|enum)\b)");
  const std::string text = std::regex_replace(outline(statement), access, "");
  if (text.empty() || std::regex_search(text, other)) return 0;
  const std::string declared = text.substr(0, text.find('='));
  if (declared.find('(') != std::string::npos) return 0;
  return 1 + static_cast<int>(std::count(declared.begin(), declared.end(), ','));
}

// The position after the brace that closes the one before `begin`.
std::size_t after_block(const std::string& code, std::size_t begin) {
  for (int depth = 1; begin < code.size(); ++begin) {
    if (code[begin] == '{') ++depth;
    if (code[begin] == '}' && --depth == 0) return begin + 1;
  }
  return code.size();
}

// Of a class whose body begins there.
int members_of_class(const std::string& code, std::size_t begin) {
  static const std::regex type(R"(\b(class|struct|enum)\s[^()]*$)");
  const std::size_t end = after_block(code, begin) - 1;
  int members = 0;
  std::string statement;
  for (std::size_t i = begin; i < end; ++i) {
    if (code[i] == '{') {
      const std::string head = outline(statement);
      const bool is_function = head.substr(0, head.find('=')).find('(') != std::string::npos;
      i = after_block(code, i + 1) - 1;
      if (is_function) statement.clear();
      if (is_function || std::regex_search(head, type)) continue;
    } else if (code[i] == ';') {
      members += declared_members(statement);
      statement.clear();
    } else {
      statement += code[i];
    }
  }
  return members;
}

// The statement without the `template <…>` that it begins with.
std::string without_template(const std::string& statement) {
  static const std::regex opening(R"(^\s*template\s*<)");
  std::string rest = statement;
  for (std::smatch match; std::regex_search(rest, match, opening);) {
    auto end = static_cast<std::size_t>(match.length());
    for (int depth = 1; end < rest.size() && depth > 0; ++end) {
      if (rest[end] == '<') ++depth;
      if (rest[end] == '>') --depth;
    }
    rest.erase(0, end);
  }
  return rest;
}

struct ClassDefinition {
  std::string name;  // with its namespaces
  int line = 0;
};

// The classes and enumerations that `code` defines in named namespaces. Specialisations of templates are left out.
std::vector<ClassDefinition> classes_in_namespaces(const std::string& code) {
  static const std::regex space(R"(^\s*(?:inline\s+)?namespace\s*([\w:]*)\s*$)");
  static const std::regex type(
      R"(^\s*(?:enum\s+class|enum|class|struct|union)\s+(?:(?:\[\[.*\]\]|alignas\(\w+\))\s*)*(\w+)\s*(?:final\s*)?(?::[^:(=]|:$|$))");
  static const std::regex directive(R"(\n?[ \t]*#[^\n]*)");
  std::vector<ClassDefinition> result;
  std::vector<std::string> namespaces = {""};  // with those around them; "-" in an anonymous one
  std::size_t begin = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == ';') begin = i + 1;
    if (code[i] == '}') {
      begin = i + 1;
      if (namespaces.size() > 1) namespaces.pop_back();
    }
    if (code[i] != '{') continue;
    const std::string statement =
        without_template(std::regex_replace(code.substr(begin, i - begin), directive, ""));
    std::smatch match;
    if (std::regex_search(statement, match, space)) {
      const bool is_anonymous = match[1].length() == 0 || namespaces.back() == "-";
      namespaces.push_back(is_anonymous ? "-" : namespaces.back() + match[1].str() + "::");
      begin = i + 1;
      continue;
    }
    if (std::regex_search(statement, match, type) && namespaces.back() != "-") {
      const int line =
          1 + static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
      result.push_back({namespaces.back() + match[1].str(), line});
    }
    i = after_block(code, i + 1) - 1;
    begin = i + 1;
  }
  return result;
}

}  // namespace

Breaches upward_includes(const SourceFile& file) {
  Breaches result;
  const std::string root = starts_with(file.path, "lib/python/") ? "lib/python"
                           : starts_with(file.path, "lib/c/")    ? "lib/c"
                           : starts_with(file.path, "lib/fmu/")  ? "lib/fmu"
                                                                 : first_component(file.path);
  const auto roots = roots_below.find(root);
  if (roots == roots_below.end()) return result;
  const auto folder = folder_of_path(file.path);
  for (const Include& include : includes(file)) {
    const std::string& target = include.target;
    const auto report = [&](const std::string& what) {
      result.push_back(breach(file.path, include.line, what));
    };
    const std::string target_root = first_component(target);
    const auto target_folder = folder_of_include(target);

    if (target.find("..") != std::string::npos) {
      report("includes \"" + target + "\" by \"..\"; write the path from the root");
    } else if (roots_below.count(target_root) > 0 && target_root != target && target_root != root &&
               roots->second.count(target_root) == 0) {
      report(root + " must not include from " + target_root + ": \"" + target + "\"");
    } else if (target_folder && folders_below.count(*target_folder) == 0) {
      report("\"" + target + "\" is in no folder of the library");
    } else if (root == "lib") {
      if (target == "slideway.hpp")
        report("slideway.hpp is for users of the library; include what is needed");
      if (folder && target_folder && folders_below.count(*folder) == 0) report("unknown folder " + *folder);
      if (folder && target_folder && folders_below.count(*folder) > 0 && *folder != *target_folder &&
          folders_below.at(*folder).count(*target_folder) == 0)
        report(*folder + " must not include from " + *target_folder + ": \"" + target + "\"");
    } else if (root == "models" && target_folder && *target_folder != "model" &&
               folders_below.at("model").count(*target_folder) == 0) {
      report("a model needs the folder model only, not " + *target_folder + ": \"" + target + "\"");
    } else if (root == "models" && (target == "slideway.hpp" || starts_with(target, "slideway/detail/"))) {
      report("a model needs the folder model only, not " + target);
    }
  }
  return result;
}

Breaches integrator_headers(const SourceFile& file) {
  Breaches result;
  for (const char* allowed : {"lib/src/integrate/", "validation/benchmarks/", "test/integrate/"})
    if (starts_with(file.path, allowed)) return result;
  for (const Include& include : includes(file))
    if (is_integrator_header(include.target))
      result.push_back(breach(file.path, include.line, "<" + include.target + "> outside lib/src/integrate"));
  return result;
}

Breaches system_headers(const SourceFile& file) {
  static const std::regex pattern(
      R"(^(sys/.*|unistd\.h|fcntl\.h|dlfcn\.h|spawn\.h|signal\.h|pthread\.h|poll\.h|termios\.h|dirent\.h|io\.h|process\.h|windows\.h)$)");
  Breaches result;
  if (!starts_with(file.path, "lib/") && !starts_with(file.path, "apps/") &&
      !starts_with(file.path, "models/"))
    return result;
  if (starts_with(file.path, "lib/src/core/platform/")) return result;
  for (const Include& include : includes(file))
    if (std::regex_match(include.target, pattern) && ends_with(file.path, "pp"))
      result.push_back(
          breach(file.path, include.line, "<" + include.target + "> outside lib/src/core/platform"));
  return result;
}

Breaches public_header_contents(const SourceFile& file) {
  Breaches result;
  if (!is_public(file)) return result;
  for (const Include& include : includes(file)) {
    const std::string& target = include.target;
    const bool standard = target.find('/') == std::string::npos && target.find('.') == std::string::npos;
    if (!standard && !starts_with(target, "slideway/") && !starts_with(target, "Eigen/"))
      result.push_back(
          breach(file.path, include.line, "a public header must not include \"" + target + "\""));
  }
  static const std::regex sundials_name(
      R"(\b(SUN[A-Z]\w*|N_V\w*|CV[A-Z]\w*|CVode\w+|KIN[A-Z]\w*|sunrealtype|sunindextype|sunbooleantype|realtype|booleantype)\b)");
  int number = 0;
  for (const std::string& line : lines(code_only(file.text))) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, sundials_name))
      result.push_back(breach(file.path, number, "a public header must not name " + match[1].str()));
  }
  return result;
}

Breaches header_opening(const SourceFile& file) {
  Breaches result;
  if (!is_header(file)) return result;
  if (!starts_with(file.text, "// "))
    result.push_back(breach(file.path, 1, "a header opens with a comment that says what it is for"));
  if (file.text.find("#pragma once") == std::string::npos)
    result.push_back(breach(file.path, 1, "#pragma once is missing"));
  return result;
}

Breaches comment_openings(const SourceFile& file) {
  Breaches result;
  const std::string root = first_component(file.path);
  if ((root != "lib" && root != "apps") || starts_with(file.path, "lib/python/")) return result;
  static const std::regex comment(R"(^\s*//\s?(.*)$)");
  static const std::regex at_begin(R"(^(What|Those|That of|Who)\b)");
  static const std::regex within(R"([.:;] (What|Those|That of|Who)\b)");
  int number = 0;
  bool opens_file = true;
  std::string before;  // the comment line before; empty where a comment begins
  for (const std::string& line : lines(file.text)) {
    ++number;
    std::smatch match;
    if (!std::regex_match(line, match, comment)) {
      opens_file = false;
      before.clear();
      continue;
    }
    const std::string text = match[1];
    const bool begins = before.empty() || std::string(".:;").find(before.back()) != std::string::npos;
    if (!opens_file && ((begins && std::regex_search(text, at_begin)) || std::regex_search(text, within)))
      result.push_back(
          breach(file.path, number, "a comment begins with its subject, not with a relative clause"));
    before = text;
  }
  return result;
}

Breaches factors_outside_table(const SourceFile& file) {
  constexpr int most_factors = 100;
  static const std::string table = "lib/src/simulate/precision.hpp";
  static const std::regex heart(R"(^lib/src/(simulate|locate|rules|run|log)/)");
  static const std::regex factor(R"(\bconstexpr double \w+ = [0-9.])");
  static const std::regex constant(R"(^constexpr \w[\w:]* \w+ = )");
  Breaches result;
  if (!std::regex_search(file.path, heart)) return result;
  int number = 0;
  int factors = 0;
  for (const std::string& line : lines(code_only(file.text))) {
    ++number;
    if (file.path == table) {
      factors += std::regex_search(line, constant) ? 1 : 0;
      if (factors == most_factors + 1)
        result.push_back(breach(file.path, number, "the table holds more than 100 factors"));
    } else if (std::regex_search(line, factor)) {
      result.push_back(breach(file.path, number, "a factor of the run belongs in the table of " + table));
    }
  }
  return result;
}

Breaches large_classes(const SourceFile& file) {
  constexpr int most_members = 25;
  static const std::regex heart(R"(^lib/src/(simulate|locate|rules|run|log)/)");
  static const std::regex opening(R"((?:^|\n)[ \t]*class\s+(\w+)[^;{}()=]*\{)");
  Breaches result;
  const std::string root = first_component(file.path);
  if (root != "lib" && root != "apps") return result;
  const std::string code = code_only(file.text);
  std::size_t outside = 0;
  int classes = 0;
  for (std::sregex_iterator match(code.begin(), code.end(), opening), none; match != none; ++match) {
    const auto begin = static_cast<std::size_t>(match->position() + match->length());
    const int line = 1 + static_cast<int>(std::count(code.begin(), code.begin() + match->position(1), '\n'));
    const int members = members_of_class(code, begin);
    if (members > most_members) {
      result.push_back(breach(
          file.path, line,
          (*match)[1].str() + " has " + std::to_string(members) + " members: split it by what they are for"));
    }
    if (static_cast<std::size_t>(match->position()) < outside) continue;
    outside = after_block(code, begin);
    if (++classes == 2 && is_header(file) && std::regex_search(file.path, heart))
      result.push_back(
          breach(file.path, line, "one class, one file: " + (*match)[1].str() + " needs its own"));
  }
  return result;
}

Breaches test_names(const SourceFiles& files) {
  static const std::regex pattern(
      R"re(^\s*(?:TEST_CASE|TEST_CASE_FIXTURE\([^,]*,|TEST_CASE_TEMPLATE)\s*\(?\s*"(.*)")re");
  Breaches result;
  std::map<std::string, std::set<std::string>> known;
  for (const SourceFile& file : files) {
    if (!ends_with(file.path, "_test.cpp")) continue;
    int number = 0;
    for (const std::string& line : lines(file.text)) {
      ++number;
      std::smatch match;
      if (!std::regex_search(line, match, pattern)) continue;
      const std::string name = match[1];
      if (name.find_first_of(";[]*\\\"$") != std::string::npos)
        result.push_back(breach(file.path, number, "a test name must not contain any of ;[]*\\\"$: " + name));
      // doctest's filters do not tell upper from lower case.
      std::string folded = name;
      std::transform(folded.begin(), folded.end(), folded.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      if (!known[directory(file.path)].insert(folded).second)
        result.push_back(breach(file.path, number, "another test of this folder has the same name: " + name));
    }
  }
  return result;
}

Breaches repeated_class_names(const SourceFiles& files) {
  Breaches result;
  std::map<std::string, std::string> first;  // the place of each name
  for (const SourceFile& file : files) {
    const std::string root = first_component(file.path);
    if (root != "lib" && root != "apps") continue;
    for (const ClassDefinition& found : classes_in_namespaces(code_only(file.text))) {
      const std::string place = file.path + ":" + std::to_string(found.line);
      const auto [known, is_new] = first.emplace(found.name, place);
      if (!is_new) {
        result.push_back(breach(file.path, found.line,
                                found.name + " is defined in " + known->second +
                                    " already: a linker keeps one of the two; name each by what it is"));
      }
    }
  }
  return result;
}

Breaches heavy_headers(const SourceFiles& files) {
  const std::map<std::string, std::string> heavy = {
      {"toml++", "^toml(\\+\\+|plusplus)/"},
      {"CLI11", "^CLI/"},
      {"Spirit", "^boost/spirit"},
      {"Odeint", "^boost/numeric/odeint"},
  };
  Breaches result;
  for (const auto& [name, expression] : heavy) {
    const std::regex pattern(expression);
    std::string first;
    for (const SourceFile& file : files) {
      const std::string root = first_component(file.path);
      if (root != "lib" && root != "apps") continue;
      for (const Include& include : includes(file)) {
        if (!std::regex_search(include.target, pattern)) continue;
        if (is_header(file)) {
          result.push_back(
              breach(file.path, include.line, name + " belongs in a source file, not in a header"));
        } else if (first.empty()) {
          first = file.path;
        } else if (first != file.path) {
          result.push_back(breach(file.path, include.line, name + " is included already by " + first));
        }
      }
    }
  }
  return result;
}

Breaches include_cycles(const SourceFiles& files) {
  std::map<std::string, std::vector<std::string>> graph;
  std::set<std::string> paths;
  for (const SourceFile& file : files) paths.insert(file.path);
  for (const SourceFile& file : files) {
    for (const Include& include : includes(file)) {
      const std::string& target = include.target;
      for (const std::string& candidate :
           {"lib/include/" + target, "lib/src/" + target, directory(file.path) + target, target})
        if (paths.count(candidate) > 0) graph[file.path].push_back(candidate);
    }
  }

  Breaches result;
  std::set<std::string> finished;
  std::vector<std::string> trail;
  const std::function<void(const std::string&)> visit = [&](const std::string& path) {
    const auto again = std::find(trail.begin(), trail.end(), path);
    if (again != trail.end()) {
      std::string circle;
      for (auto it = again; it != trail.end(); ++it) circle += *it + " -> ";
      result.push_back("headers include each other: " + circle + path);
      return;
    }
    if (finished.count(path) > 0) return;
    trail.push_back(path);
    for (const std::string& next : graph[path]) visit(next);
    trail.pop_back();
    finished.insert(path);
  };
  for (const std::string& path : paths) visit(path);
  return result;
}

Breaches top_level(const std::vector<std::string>& entries) {
  static const std::set<std::string> allowed = {
      ".ci",          ".clang-format", ".github",        ".gitignore",
      "CHANGELOG.md", "CITATION.cff",  "CMakeLists.txt", "CMakePresets.json",
      "LICENSE",      "README.md",     "apps",           "cmake",
      "lib",          "models",        "test",           "validation"};
  Breaches result;
  for (const std::string& entry : entries)
    if (allowed.count(entry) == 0) result.push_back(entry + ": does not belong at the top level");
  return result;
}

Breaches all_breaches(const SourceFiles& files) {
  Breaches result;
  const auto append = [&](const Breaches& more) { result.insert(result.end(), more.begin(), more.end()); };
  for (const SourceFile& file : files) {
    append(upward_includes(file));
    append(integrator_headers(file));
    append(system_headers(file));
    append(public_header_contents(file));
    append(header_opening(file));
    append(comment_openings(file));
    append(factors_outside_table(file));
    append(large_classes(file));
  }
  append(test_names(files));
  append(repeated_class_names(files));
  append(heavy_headers(files));
  append(include_cycles(files));
  return result;
}

}  // namespace architecture
