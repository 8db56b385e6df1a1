// slideway beside programs written by hand, tanh and the bare sign: one table, and on request a CSV file and a work-precision
// picture. Every run has a process of its own; the contenders take turns, and times are medians of processor time.
//
// tanh is tried with ε smaller and smaller until its error is slideway's. Where the budget of a problem does not reach that
// far, the factor is a lower bound, marked >=: of the best that was reached, or of the time after which there was no result.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include <fmt/core.h>

#include "slideway/io/plot.hpp"
#include "validation/benchmarks/contenders.hpp"
#include "validation/benchmarks/rows.hpp"

namespace {

using namespace slideway;
using namespace slideway::benchmarks;

constexpr const char* kUsage =
    "usage: benchmark_work_precision [--cases evaporator,oscillator,belt,chain,rod,scaling,flat]\n"
    "       [--sizes 10,100,...] [--rtol 1e-4,...] [--repetitions N] [--limit SECONDS] [--budget SECONDS]\n"
    "       [--no-smoothing] [--csv FILE] [--svg FILE] [--quick]\n";

// Runs are repeated until they have taken so long together, in seconds.
constexpr double kPatience = 4;
// Chains of more blocks than this run at one tolerance.
constexpr Index kLargeChain = 1000;
constexpr double kToleranceOfLarge = 1e-6;

// An oscillator beside a relay that never switches.
struct IdleRelay {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] + 10.0; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - 0.1 * (lambda[0] - 1.0);
  }
};

struct Wishes {
  std::vector<std::string> cases = {"evaporator", "oscillator", "belt", "chain", "rod", "scaling", "flat"};
  std::vector<Index> sizes = {};  // empty: those of the case
  std::vector<double> tolerances = {1e-4, 1e-6, 1e-8, 1e-10};
  int repetitions = 5;
  double limit = 200;  // seconds of processor time for one process
  double budget = 30;  // of all attempts of one problem without events, for each method
  bool smoothing = true;
  bool quick = false;
  std::string csv, svg;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

Wishes read_settings(int count, char** words) {
  Wishes settings;
  for (int k = 1; k < count; ++k) {
    const std::string option = words[k];
    if (option == "--quick") {
      settings.quick = true;
      settings.cases = {"evaporator", "oscillator", "belt", "chain", "rod", "flat"};
      settings.tolerances = {1e-6};
      settings.repetitions = 1;
      settings.limit = 1;
      settings.budget = 1;
      continue;
    }
    if (option == "--no-smoothing") {
      settings.smoothing = false;
      continue;
    }
    if (k + 1 == count) throw std::invalid_argument(option + " needs a value, or is not known");
    const std::string value = words[++k];
    if (option == "--cases") {
      settings.cases = split(value);
    } else if (option == "--sizes") {
      for (const std::string& word : split(value)) settings.sizes.push_back(std::stol(word));
    } else if (option == "--rtol") {
      settings.tolerances.clear();
      for (const std::string& word : split(value)) settings.tolerances.push_back(std::stod(word));
    } else if (option == "--repetitions") {
      settings.repetitions = std::max(1, std::stoi(value));
    } else if (option == "--limit") {
      settings.limit = std::stod(value);
    } else if (option == "--budget") {
      settings.budget = std::stod(value);
    } else if (option == "--csv") {
      settings.csv = value;
    } else if (option == "--svg") {
      settings.svg = value;
    } else {
      throw std::invalid_argument("there is no option " + option);
    }
  }
  return settings;
}

double error_of(const std::vector<double>& final, const std::vector<double>& reference) {
  if (reference.empty() || final.size() != reference.size()) return NAN;
  double largest = 0;
  for (std::size_t i = 0; i < final.size(); ++i)
    largest = std::max(largest, std::abs(final[i] - reference[i]));
  return largest;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Benchmarks {
 public:
  explicit Benchmarks(const Wishes& settings) : settings_(settings) {}

  const std::vector<Row>& rows() const { return rows_; }

  void compare(const BenchmarkCase& problem) {
    fmt::print("{}\n{}", problem.title, heading());
    const std::vector<double> reference = reference_of(problem);
    const bool is_large = problem.name == "chain" && problem.size > kLargeChain;
    for (const double rtol : settings_.tolerances) {
      if (is_large && rtol != kToleranceOfLarge) continue;
      std::vector<Row> rows;
      std::vector<std::vector<double>> seconds(problem.contenders.size());
      for (const Contender& contender : problem.contenders) {
        rows.push_back({.problem = problem.title,
                        .who = contender.name,
                        .method = contender.method,
                        .rtol = rtol,
                        .status = ""});
      }
      for (int turn = 0; turn < settings_.repetitions; ++turn) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
          if (!rows[k].status.empty() ||
              std::accumulate(seconds[k].begin(), seconds[k].end(), 0.0) > kPatience) {
            continue;
          }
          rows[k].measurement = measure(settings_.limit, problem.contenders[k].at(rtol));
          if (!rows[k].measurement.finished) rows[k].status = "no result within the limit";
          seconds[k].push_back(rows[k].measurement.seconds);
        }
      }
      for (std::size_t k = 0; k < rows.size(); ++k) {
        Row& row = rows[k];
        row.measurement.seconds = median(seconds[k]);
        row.error = error_of(row.measurement.report.final, reference);
        row.factor = row.measurement.seconds / rows.front().measurement.seconds;
        if (row.status.empty() && !row.measurement.report.reached_end) row.status = "stopped early";
        keep(row);
      }
    }
    // Where the second strictest tolerance is met by smoothing it is expensive enough.
    const Row* ours = nullptr;
    for (const Row& row : rows_) {
      if (row.problem == problem.title && row.who == "slideway" && row.status.empty() &&
          row.rtol == smoothing_rtol() && (!ours || row.measurement.seconds < ours->measurement.seconds)) {
        ours = &row;
      }
    }
    if (settings_.smoothing && ours && std::isfinite(ours->error)) smooth(problem, Row(*ours), reference);
  }

  // The cost of one step and one event over the number of blocks.
  void scaling() {
    const std::vector<Index> sizes =
        settings_.sizes.empty() ? std::vector<Index>{100, 300, 1000, 3000, 10000} : settings_.sizes;
    fmt::print("friction chain, t = 10, rtol 1e-6: cost per step and event\n{}", heading());
    std::vector<double> x, y;
    for (const Index size : sizes) {
      const BenchmarkCase problem = chain_case(size, 10);
      Row row{.problem = problem.title, .who = "slideway", .method = "dopri5", .rtol = 1e-6, .status = ""};
      std::vector<double> seconds;
      for (int turn = 0; turn < (size > 1000 ? 1 : settings_.repetitions); ++turn) {
        row.measurement = measure(settings_.limit, problem.contenders.front().at(1e-6));
        seconds.push_back(row.measurement.seconds);
      }
      row.measurement.seconds = median(seconds);
      if (!row.measurement.finished) row.status = "no result within the limit";
      keep(row);
      if (!row.status.empty()) continue;
      const Report& report = row.measurement.report;
      x.push_back(std::log(static_cast<double>(size)));
      y.push_back(std::log(row.measurement.seconds / static_cast<double>(report.steps + report.events)));
    }
    if (x.size() < 2) return;
    double mean_x = 0, mean_y = 0, above = 0, below = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      mean_x += x[k] / static_cast<double>(x.size());
      mean_y += y[k] / static_cast<double>(x.size());
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      above += (x[k] - mean_x) * (y[k] - mean_y);
      below += (x[k] - mean_x) * (x[k] - mean_x);
    }
    fmt::print("  cost per step and event grows as N^{:.2f}\n", above / below);
  }

  // A run that records nothing takes no more memory for many steps than for few.
  void flat() {
    const std::vector<double> ends =
        settings_.quick ? std::vector<double>{1e3, 3e3} : std::vector<double>{1e4, 1e6};
    fmt::print("an oscillator beside a relay that never switches, max_step 0.1, nothing recorded: memory\n{}",
               heading());
    for (const double end : ends) {
      Row row{.problem = "flat memory", .who = "slideway", .method = "dopri5", .rtol = 1e-6, .status = ""};
      row.measurement = measure(settings_.limit, [end]() -> std::function<Report()> {
        Options options;
        options.method = Method::dopri5;
        options.max_step = 0.1;
        options.recording = Recording::nothing;
        const auto simulator = std::make_shared<const Simulator>(
            from_functor(IdleRelay{}, {.states = 2, .surfaces = 1}), options);
        return [=] {
          return report_of(simulator->run({.start = 0, .end = end, .state = Eigen::Vector2d(1, 0)}));
        };
      });
      if (!row.measurement.finished) row.status = "no result within the limit";
      keep(row);
    }
  }

 private:
  double smoothing_rtol() const {
    const auto& all = settings_.tolerances;
    return std::find(all.begin(), all.end(), 1e-6) != all.end() ? 1e-6 : all.front();
  }

  std::vector<double> reference_of(const BenchmarkCase& problem) {
    return measure(settings_.limit,
                   [&]() -> std::function<Report()> {
                     return [&] { return Report{.final = problem.reference(), .reached_end = true}; };
                   })
        .report.final;
  }

  void keep(const Row& row) {
    fmt::print("{}", line(row));
    std::fflush(stdout);
    rows_.push_back(row);
  }

  Row attempt(const BenchmarkCase& problem, const Row& ours, const std::string& method, double rtol,
              double epsilon, double limit, const Prepare& prepare, const std::vector<double>& reference) {
    Row row{.problem = problem.title,
            .who = "smoothed",
            .method = method,
            .rtol = rtol,
            .epsilon = epsilon,
            .status = ""};
    row.measurement = measure(limit, prepare);
    row.error = error_of(row.measurement.report.final, reference);
    row.factor = row.measurement.seconds / ours.measurement.seconds;
    row.is_bound = !(row.error <= ours.error);
    if (!row.measurement.finished) {
      row.status = fmt::format("no result within {:.0f} s", limit);
      row.factor = limit / ours.measurement.seconds;
    } else if (!row.measurement.report.reached_end) {
      row.status = "stopped early";
      row.is_bound = false;
    }
    return row;
  }

  // tanh(h/ε), ε smaller and smaller until the error is slideway's or the budget is spent; then the bare sign.
  void smooth(const BenchmarkCase& problem, const Row& ours, const std::vector<double>& reference) {
    for (const Smoothing& smoothing : problem.smoothed) {
      double left = settings_.budget;
      double least = std::numeric_limits<double>::infinity();
      for (double epsilon = 1e-2; epsilon > 1e-13 && left >= 1; epsilon /= 10) {
        // The steep flank must be resolved, or the error of the integrator hides that of the smoothing.
        const double rtol = std::max(1e-12, std::min({1e-6, ours.rtol, epsilon / 100}));
        Row row = attempt(problem, ours, smoothing.method, rtol, epsilon, std::floor(left),
                          smoothing.at(rtol, epsilon), reference);
        if (row.measurement.finished && row.error > least) row.is_bound = false;
        if (row.measurement.finished) least = std::min(least, row.error);
        keep(row);
        left -= row.measurement.finished ? row.measurement.seconds : left;
        if (!row.status.empty() || row.error <= ours.error) break;
      }
    }
    if (settings_.quick) return;
    Row bare = attempt(problem, ours, "sgn", 1e-6, 0, settings_.budget, problem.bare_signs, reference);
    bare.who = "naive";
    bare.is_bound = false;
    keep(bare);
  }

  Wishes settings_;
  std::vector<Row> rows_;
};

std::vector<Index> sizes_of(const Wishes& settings, std::vector<Index> usual, std::vector<Index> quick) {
  if (!settings.sizes.empty()) return settings.sizes;
  return settings.quick ? quick : usual;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 2 && std::string(words[1]) == "--help") {
      std::cout << kUsage;
      return 0;
    }
    const Wishes settings = read_settings(count, words);
    Benchmarks benchmarks(settings);
    for (const std::string& name : settings.cases) {
      if (name == "evaporator") {
        benchmarks.compare(evaporator_case());
      } else if (name == "oscillator") {
        benchmarks.compare(oscillator_case(settings.quick ? 10 : 200));
      } else if (name == "belt") {
        benchmarks.compare(belt_case(settings.quick ? 20 : 1000));
      } else if (name == "chain") {
        for (const Index size : sizes_of(settings, {10, 100, 1000, 5000}, {10}))
          benchmarks.compare(chain_case(size, settings.quick || size > kLargeChain ? 10 : 50));
      } else if (name == "rod") {
        for (const Index size : sizes_of(settings, {200, 2000, 20000}, {50}))
          benchmarks.compare(rod_case(size, settings.quick ? 2 : 10));
      } else if (name == "scaling") {
        benchmarks.scaling();
      } else if (name == "flat") {
        benchmarks.flat();
      } else {
        throw std::invalid_argument("there is no case " + name);
      }
    }
    if (!settings.csv.empty()) write(settings.csv, csv(benchmarks.rows()));
    if (!settings.svg.empty()) {
      const std::string script = picture(benchmarks.rows());
      if (!script.empty()) write_picture(script, settings.svg);
    }
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << "benchmark_work_precision: " << error.what() << '\n' << kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "benchmark_work_precision: " << error.what() << '\n';
    return 2;
  }
}
