// Large systems with local events: slideway with events followed where they are, and with all states stopped, beside a dopri5 written by
// hand, leapfrog with exact friction, and CVODE's BDF with friction smoothed by tanh over a width of 1e-3. Each run has a process of its own; times are of the wall clock.
//
// The error is that of the final state, the largest entry, against a run at a tolerance a hundred times tighter than the tightest in the
// table; of thermostats, against exponentials. `growth` is the exponent of the wall time since the last size.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "validation/benchmarks/large_cvode.hpp"
#include "validation/benchmarks/large_dopri5.hpp"
#include "validation/benchmarks/local_problems.hpp"

namespace {

using namespace slideway;
using namespace slideway::benchmarks;

constexpr const char* kUsage =
    "usage: benchmark_large [--cases chain,lattice,...] [--sizes 100,1000,...] [--rtol 1e-6,...] [--end "
    "T]\n"
    "       [--most-at-once N] [--no-error] [--quick]\n";

struct Wishes {
  std::vector<std::string> cases = {"chain", "lattice", "governor", "rooms",
                                    "ring",  "ladder",  "rod",      "stiff-ladder"};
  std::vector<double> sizes = {100, 1000, 10000};
  std::vector<double> tolerances = {1e-4, 1e-6, 1e-8};
  double end = 50;
  double most_at_once = 1000;  // larger systems are not followed with all states stopped
  bool errors = true;
};

struct Result {
  std::int64_t events = 0;
  double seconds = 0;
  bool reached_end = false;
  std::vector<double> final = {};
  double error = NAN;  // where it is known without a reference
};

struct Line {
  double events = 0, seconds = 0, mebibytes = 0, error = NAN, reached_end = 0;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<double> numbers(const std::string& list) {
  std::vector<double> values;
  for (const std::string& word : split(list)) values.push_back(std::strtod(word.c_str(), nullptr));
  return values;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return NAN;
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

// In a process of its own.
Line measured(const std::function<Result()>& run, const std::vector<double>& reference) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const Result result = run();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    Line line{static_cast<double>(result.events), result.seconds, static_cast<double>(usage.ru_maxrss) / 1024,
              std::isnan(result.error) ? distance(result.final, reference) : result.error,
              result.reached_end ? 1.0 : 0.0};
    const ssize_t written = write(ends[1], &line, sizeof line);
    _exit(written == static_cast<ssize_t>(sizeof line) ? 0 : 1);
  }
  close(ends[1]);
  Line line;
  if (read(ends[0], &line, sizeof line) != static_cast<ssize_t>(sizeof line)) line = {};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return line;
}

LocalProblem problem_of(const std::string& name, Index size) {
  if (name == "chain") return chain_of_blocks(size);
  if (name == "lattice") return lattice_of_blocks(static_cast<Index>(std::lround(std::sqrt(size))));
  if (name == "governor") return governed_chain(size);
  if (name == "ring") return pulse_ring(size);
  if (name == "ladder") return diode_ladder(size);
  if (name == "stiff-ladder") return diode_ladder(size, 1e4);
  if (name == "rod") return heat_rod(size);
  return air_conditioners(size);
}

Result run_slideway(const std::string& name, Index size, double end, double rtol, LocalEvents local) {
  const LocalProblem problem = problem_of(name, size);
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = local;
  options.max_events = 1'000'000'000;
  const double began = now();
  const Solution solution =
      Simulator(problem.system, options).run({.start = 0, .end = end, .state = problem.start});
  Result result{.events = static_cast<std::int64_t>(solution.events.size()),
                .seconds = now() - began,
                .reached_end = solution.outcome.reached_end()};
  const Vector& state = solution.final.state;
  result.final.assign(state.data(), state.data() + state.size());
  if (name != "rooms") return result;
  // The times of all switchings, against the exact ones: infinite where one is missing or too many.
  const std::vector<std::vector<double>> exact = AirConditioners(size).exact(end);
  std::vector<std::size_t> count(exact.size(), 0);
  result.error = 0;
  for (const EventRecord& event : solution.events) {
    const auto room =
        static_cast<std::size_t>(std::stol(event.name->substr(event.name->find_first_of("0123456789"))));
    const std::size_t k = count[room]++;
    result.error =
        std::max(result.error, k < exact[room].size() ? std::abs(event.t - exact[room][k]) : INFINITY);
  }
  for (std::size_t room = 0; room < exact.size(); ++room) {
    if (count[room] != exact[room].size()) result.error = INFINITY;
  }
  return result;
}

Result run_by_hand(Index size, double end, double rtol) {
  const double began = now();
  const LargeResult made =
      LargeDopri5<HandWrittenChain>(HandWrittenChain(static_cast<std::size_t>(size)), rtol, rtol / 100)
          .run(end);
  return {.events = made.events, .seconds = now() - began, .reached_end = true, .final = made.final};
}

Result run_smoothed(Index size, double end, double rtol) {
  constexpr double width = 1e-3;
  const double began = now();
  const LargeResult made =
      LargeCvode<SmoothedChain>(SmoothedChain(static_cast<std::size_t>(size), width), rtol, rtol / 100)
          .run(end);
  return {.seconds = now() - began, .reached_end = true, .final = made.final};
}

// Half a step of places, a step of velocities with friction as far as it reaches, half a step of places.
Result run_leapfrog(const std::string& name, Index size, double end, double step) {
  const double began = now();
  const bool is_chain = name == "chain";
  const Index side = is_chain ? size : static_cast<Index>(std::lround(std::sqrt(size)));
  const Index blocks = is_chain ? size : side * side;
  std::vector<double> x(static_cast<std::size_t>(2 * blocks), 0.0);
  for (Index i = 0; i < blocks; ++i) x[static_cast<std::size_t>(i)] = place_of_block(i);
  double* const place = x.data();
  double* const speed = x.data() + blocks;
  const auto steps = static_cast<std::int64_t>(std::lround(end / step));
  std::vector<char> sticks(static_cast<std::size_t>(blocks), 0);
  Result result;
  for (std::int64_t k = 0; k < steps; ++k) {
    for (Index i = 0; i < blocks; ++i) place[i] += 0.5 * step * speed[i];
    for (Index i = 0; i < blocks; ++i) {
      const Index column = i % side;
      double force = (is_chain ? -2.1 : -4.1) * place[i];
      if (column > 0) force += place[i - 1];
      if (column + 1 < side) force += place[i + 1];
      if (!is_chain && i >= side) force += place[i - side];
      if (!is_chain && i + side < blocks) force += place[i + side];
      const double free = speed[i] + step * force - 0.1;
      const double most = 0.3 * step;
      const bool stuck = std::abs(free) <= most;
      speed[i] = 0.1 + (stuck ? 0.0 : free > 0 ? free - most : free + most);
      result.events += stuck != (sticks[static_cast<std::size_t>(i)] != 0) ? 1 : 0;
      sticks[static_cast<std::size_t>(i)] = stuck ? 1 : 0;
    }
    for (Index i = 0; i < blocks; ++i) place[i] += 0.5 * step * speed[i];
  }
  result.seconds = now() - began;
  result.reached_end = true;
  result.final = std::move(x);
  return result;
}

class Comparison {
 public:
  explicit Comparison(Wishes wishes) : wishes_(std::move(wishes)) {
    fmt::print("{:<8} {:>8} {:<16} {:>8} {:>9} {:>10} {:>8} {:>9} {:>7}\n", "case", "N", "who", "rtol",
               "events", "seconds", "MiB", "error", "growth");
  }

  void run() {
    for (const std::string& name : wishes_.cases)
      for (const double size : wishes_.sizes) run_size(name, static_cast<Index>(size));
  }

 private:
  void run_size(const std::string& name, Index size) {
    std::vector<double> reference;
    if (wishes_.errors && name != "rooms") {
      double tightest = 1;
      for (const double rtol : wishes_.tolerances) tightest = std::min(tightest, rtol);
      const LocalEvents how =
          static_cast<double>(size) > wishes_.most_at_once ? LocalEvents::on : LocalEvents::off;
      reference = run_slideway(name, size, wishes_.end, std::max(1e-12, tightest / 100), how).final;
    }
    for (const double rtol : wishes_.tolerances) {
      add(name, size, "local", rtol, reference,
          [&] { return run_slideway(name, size, wishes_.end, rtol, LocalEvents::on); });
      if (static_cast<double>(size) <= wishes_.most_at_once) {
        add(name, size, "all at once", rtol, reference,
            [&] { return run_slideway(name, size, wishes_.end, rtol, LocalEvents::off); });
        if (name != "chain") continue;
        add(name, size, "dopri5 by hand", rtol, reference,
            [&] { return run_by_hand(size, wishes_.end, rtol); });
        add(name, size, "tanh, CVODE", rtol, reference,
            [&] { return run_smoothed(size, wishes_.end, rtol); });
      }
    }
    if (name != "chain" && name != "lattice") return;
    for (const double step : {1e-3, 1e-4}) {
      if (static_cast<double>(size) * wishes_.end / step > 1e10) continue;
      add(name, size, "leapfrog", step, reference,
          [&] { return run_leapfrog(name, size, wishes_.end, step); });
    }
  }

  void add(const std::string& name, Index size, const std::string& who, double rtol,
           const std::vector<double>& reference, const std::function<Result()>& run) {
    const Line line = measured(run, reference);
    const std::string key = fmt::format("{} {} {}", name, who, rtol);
    const auto before = last_.find(key);
    const double growth = before == last_.end()
                              ? NAN
                              : std::log(line.seconds / before->second.second) /
                                    std::log(static_cast<double>(size) / before->second.first);
    last_[key] = {static_cast<double>(size), line.seconds};
    fmt::print("{:<8} {:>8} {:<16} {:>8.0e} {:>9.0f} {:>10.4f} {:>8.1f} {:>9.1e} {:>7.2f}{}\n", name, size,
               who, rtol, line.events, line.seconds, line.mebibytes, line.error, growth,
               line.reached_end > 0 ? "" : "  did not reach the end");
    std::cout.flush();
  }

  Wishes wishes_;
  std::map<std::string, std::pair<double, double>> last_;
};

}  // namespace

int main(int count, char** words) {
  Wishes wishes;
  for (int k = 1; k < count; ++k) {
    const std::string option = words[k];
    const bool has_value = k + 1 < count;
    if (option == "--no-error") {
      wishes.errors = false;
    } else if (option == "--quick") {
      wishes.sizes = {50, 500};
      wishes.tolerances = {1e-6};
      wishes.end = 5;
    } else if (option == "--cases" && has_value) {
      wishes.cases = split(words[++k]);
    } else if (option == "--sizes" && has_value) {
      wishes.sizes = numbers(words[++k]);
    } else if (option == "--rtol" && has_value) {
      wishes.tolerances = numbers(words[++k]);
    } else if (option == "--end" && has_value) {
      wishes.end = std::strtod(words[++k], nullptr);
    } else if (option == "--most-at-once" && has_value) {
      wishes.most_at_once = std::strtod(words[++k], nullptr);
    } else {
      std::cerr << kUsage;
      return 2;
    }
  }
  Comparison(wishes).run();
  return 0;
}
