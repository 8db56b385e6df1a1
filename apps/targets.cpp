#include "apps/targets.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/plot.hpp"

namespace slideway::apps {

namespace {

// same_file() tells whether two names mean one file: the same path when written out, or links to the same file.
bool same_file(const std::string& first, const std::string& second) {
  if (first == second) return true;
  if (is_standard_output(first) || is_standard_output(second)) return false;
  std::error_code error;
  if (std::filesystem::equivalent(to_path(first), to_path(second), error) && !error) return true;
  const auto whole = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(to_path(name), error), error);
  };
  const std::filesystem::path one = whole(first);
  const std::filesystem::path other = whole(second);
  return !error && one == other;
}

void check_page_name(const std::string& path) {
  if (is_standard_output(path) || path.ends_with(".html")) return;
  refuse(
      {.what = "not the name of a page", .where = path, .expected = "a file name that ends in .html, or -"});
}

}  // namespace

void add_targets(const std::string& option, const std::vector<std::string>& paths, TargetKind kind,
                 std::vector<Target>& wanted) {
  for (const std::string& path : paths) wanted.push_back({option, path, kind});
}

void check_targets(const std::vector<Target>& asked, const std::vector<std::string>& models) {
  std::vector<Target> wanted = asked;
  for (const Target& target : asked) {
    if (target.kind != TargetKind::picture) continue;
    check_option(target.option, [&] {
      if (const std::string beside = file_beside(target.path); !beside.empty())
        wanted.push_back({target.option, beside, TargetKind::text});
    });
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_model = std::any_of(models.begin(), models.end(), [&](const std::string& model) {
      return is_model_file(model) && same_file(wanted[i].path, model);
    });
    if (is_model) {
      refuse({.what = fmt::format("{}: the output is the model file", wanted[i].option),
              .where = wanted[i].path,
              .expected = "another file for the result"});
    }
    for (std::size_t j = i + 1; j < wanted.size(); ++j) {
      if (same_file(wanted[i].path, wanted[j].path)) {
        const bool standard = is_standard_output(wanted[i].path);
        refuse({.what = fmt::format("{} and {} would write to the same place", wanted[i].option,
                                    wanted[j].option),
                .where = standard ? "standard output" : wanted[i].path,
                .expected = standard ? "one document on standard output" : "a file for each"});
      }
    }
    check_option(wanted[i].option, [&] {
      if (wanted[i].kind == TargetKind::picture) picture_format(wanted[i].path);
      if (wanted[i].kind == TargetKind::page) check_page_name(wanted[i].path);
      check_writable(wanted[i].path);
    });
  }
}

void check_option(const std::string& option, const std::function<void()>& check) {
  try {
    check();
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("{}: {}", option, error.what()));
  }
}

bool any_on_standard_output(const std::vector<Target>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [](const Target& target) { return is_standard_output(target.path); });
}

void Written::add(const std::string& path, const std::function<std::vector<std::string>()>& write) {
  try {
    for (const std::string& file : write()) files.push_back(file);
  } catch (const FileError& error) {
    const std::string message = error.what();
    const bool is_named = message.find(path) != std::string::npos;
    failures.push_back(is_named ? message : fmt::format("'{}' is not written: {}", path, message));
  } catch (const GnuplotMissing& missing) {
    failures.push_back(fmt::format("'{}' is not written: {}", path, missing.what()));
  }
}

void Written::add_picture(const std::string& path, const std::function<void()>& draw) {
  add(path, [&] {
    draw();
    const std::string beside = file_beside(path);
    return beside.empty() ? std::vector{path} : std::vector{path, beside};
  });
}

void Written::add_document(const std::string& path, const std::function<void(std::ostream&)>& write) {
  add(path, [&] {
    write_whole(path, write);
    return std::vector{path};
  });
}

int Written::report_failures(std::ostream& out, std::ostream& err, int status) const {
  out.flush();
  for (const std::string& failure : failures) fmt::print(err, "slideway: {}\n", failure);
  return failures.empty() ? status : exit_failure;
}

}  // namespace slideway::apps
