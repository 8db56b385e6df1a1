// One run in a process of its own: what it took, the memory at its peak, and a limit on its time.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <exception>
#include <functional>
#include <vector>

namespace slideway::benchmarks {

// The report of a program on its run; `final` is the state at the end.
struct Report {
  std::vector<double> final = {};
  std::int64_t events = 0;
  std::int64_t steps = 0;
  std::int64_t integrator_evaluations = 0;
  std::int64_t field_evaluations = 0;  // those of the event location and classification too
  bool reached_end = false;
};

struct Measurement {
  Report report = {};
  double seconds =
      0;  // of processor time, the median of the repetitions within the process; set-up is not counted
  double peak_mebibytes = 0;
  bool finished = false;  // false: over the limit, or failed
};

// Runs are repeated until they have taken so long together: the first of short ones measure cold caches.
inline constexpr double kLeastSeconds = 0.05;
inline constexpr int kMostRepetitions = 500;

namespace detail {

struct Header {
  double seconds;
  std::int64_t events, steps, integrator_evaluations, field_evaluations, reached_end, size;
};

inline bool write_all(int descriptor, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(descriptor, bytes, size);
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

inline bool read_all(int descriptor, void* data, std::size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(descriptor, bytes, size);
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// The time of this thread: the clock of a process that has a limit is only as fine as the system's ticks.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[noreturn]] inline void run_in_child(int descriptor, double limit,
                                      const std::function<std::function<Report()>()>& prepare) {
  const auto most = static_cast<rlim_t>(std::max(1.0, limit));
  const rlimit processor_time{most, most + 1};
  setrlimit(RLIMIT_CPU, &processor_time);
  try {
    const std::function<Report()> run = prepare();
    std::vector<double> seconds;
    Report report;
    double sum = 0;
    while (seconds.empty() || (sum < kLeastSeconds && static_cast<int>(seconds.size()) < kMostRepetitions)) {
      const double began = processor_seconds();
      report = run();
      seconds.push_back(processor_seconds() - began);
      sum += seconds.back();
    }
    std::sort(seconds.begin(), seconds.end());
    const Header header{seconds[seconds.size() / 2],
                        report.events,
                        report.steps,
                        report.integrator_evaluations,
                        report.field_evaluations,
                        report.reached_end ? 1 : 0,
                        static_cast<std::int64_t>(report.final.size())};
    const bool sent = write_all(descriptor, &header, sizeof header) &&
                      write_all(descriptor, report.final.data(), report.final.size() * sizeof(double));
    _exit(sent ? 0 : 1);
  } catch (const std::exception&) {
    _exit(1);
  }
}

}  // namespace detail

// `prepare` is called in the process of the run, once, and what it returns is run there.
inline Measurement measure(double limit, const std::function<std::function<Report()>()>& prepare) {
  Measurement result;
  int descriptors[2];
  if (pipe(descriptors) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    close(descriptors[0]);
    detail::run_in_child(descriptors[1], limit, prepare);
  }
  close(descriptors[1]);
  detail::Header header{};
  if (child > 0 && detail::read_all(descriptors[0], &header, sizeof header)) {
    result.report.final.resize(static_cast<std::size_t>(header.size));
    result.finished = detail::read_all(descriptors[0], result.report.final.data(),
                                       result.report.final.size() * sizeof(double));
    result.seconds = header.seconds;
    result.report.events = header.events;
    result.report.steps = header.steps;
    result.report.integrator_evaluations = header.integrator_evaluations;
    result.report.field_evaluations = header.field_evaluations;
    result.report.reached_end = header.reached_end != 0;
  }
  close(descriptors[0]);
  int status = 0;
  rusage usage{};
  if (child > 0) wait4(child, &status, 0, &usage);
  result.peak_mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return result;
}

}  // namespace slideway::benchmarks
