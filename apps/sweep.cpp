// Many runs in threads. The table is replaced as a whole every few seconds, so that at any moment the file is
// absent, old or a valid table of runs that were done; --resume adds those that are missing.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <ostream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/load_model.hpp"
#include "apps/progress_bar.hpp"
#include "apps/simulation.hpp"
#include "apps/sweep_run.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/version.hpp"
#include "slideway/io/files.hpp"
#include "slideway/io/sweep_plot.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interruption(int) { interrupted = true; }

// While it lives, Ctrl-C and a request to terminate set `interrupted`; the second one ends the program at once.
class SignalWatch {
 public:
  SignalWatch() {
    struct sigaction action {};
    action.sa_handler = note_interruption;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    interrupted = false;
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~SignalWatch() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

std::string file_contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// FNV-1a, of everything that decides the numbers of a sweep.
std::string fingerprint(const SweepArguments& arguments, const Model& model, const Options& options) {
  std::string text = fmt::format("{}\n{}\n", version(), model.name);
  if (is_model_file(arguments.model)) text += file_contents(arguments.model);
  for (const std::string& line : model.equations) text += line + '\n';
  for (const Parameter& parameter : model.parameters)
    text += fmt::format("{}={}\n", parameter.name, parameter.value);
  for (const SweepAxis& axis : arguments.axes)
    text += fmt::format("{}:{}\n", axis.name, fmt::join(axis.values, ","));
  for (const auto& [name, value] : arguments.settings) text += fmt::format("{}={}\n", name, value);
  const Vector& atol = options.atol.values();
  text += fmt::format("{} {} {} {} {} {} {} {} {} {}\n", options.rtol,
                      fmt::join(atol.data(), atol.data() + atol.size(), ","), to_string(options.method),
                      options.max_step, options.max_events, to_string(options.on_ambiguity),
                      to_string(options.sliding_rule), to_string(options.selection),
                      arguments.end.value_or(0), arguments.end.has_value());
  text += fmt::format("{} {}\n", to_string(options.linear_solver), options.max_steps);
  text += fmt::format("{} {} {} {}", arguments.transient.value_or(0), arguments.section, arguments.direction,
                      arguments.section_points.value_or(0));
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

// The first instance that the model takes; throws what is wrong with the first run if there is none.
ModelInstance some_instance(const Model& model, const SweepPlan& plan) {
  constexpr Index most_tried = 1000;
  std::exception_ptr first;
  for (Index run = 0; run < std::min(plan.runs(), most_tried); ++run) {
    try {
      return model.instantiate(plan.settings(run));
    } catch (const std::exception&) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first);
}

// A name that the model does not know is wrong in every run, and told before the first one.
void check_names(const Model& model, const SweepPlan& plan) {
  std::vector<std::string> known = model.state_names;
  for (const Parameter& parameter : model.parameters) known.push_back(parameter.name);
  for (const SweepAxis& axis : plan.axes()) {
    if (std::find(known.begin(), known.end(), axis.name) != known.end()) continue;
    // The elements of vectors whose length is itself a parameter.
    static_cast<void>(model.instantiate(plan.settings(0)));
  }
}

// Surfaces, and what else has a name in the event table.
std::vector<std::string> section_names(const ModelInstance& instance) {
  std::vector<std::string> names = instance.system.surface_names();
  for (const Event& event : instance.system.events()) names.push_back(event.name);
  for (const Contact& contact : instance.system.contacts()) names.push_back(contact.name);
  const Automaton problem = instance.problem();
  for (const Edge& edge : problem.edges()) names.push_back(edge.name);
  names.erase(std::remove(names.begin(), names.end(), ""), names.end());
  return names;
}

Section section_of(const SweepArguments& arguments, const ModelInstance& instance) {
  Section section;
  section.name = arguments.section;
  if (arguments.direction == "falling") section.direction = SectionDirection::falling;
  if (arguments.direction == "any") section.direction = SectionDirection::any;
  if (arguments.section_points) section.most = *arguments.section_points;
  const std::vector<std::string> names = section_names(instance);
  if (std::find(names.begin(), names.end(), section.name) == names.end()) {
    const std::string near = nearest_name(section.name, names);
    refuse({.what = "the model has nothing of this name to take a section at",
            .where = "--section",
            .expected = names.empty()       ? "a model with surfaces or events"
                        : names.size() > 12 ? fmt::format("one of its {} surfaces and events", names.size())
                                            : fmt::format("one of {}", fmt::join(names, ", ")),
            .got = "'" + section.name + "'",
            .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  return section;
}

class Sweep {
 public:
  Sweep(const SweepTask& task, const SweepTable& table, std::string path)
      : task_(task),
        table_(table),
        path_(std::move(path)),
        lines_(static_cast<std::size_t>(task.plan.runs())),
        finished_(lines_.size(), 0) {}

  // Takes over the rows that an earlier sweep left, but for a last one that was cut off, and tells whether there was such a
  // one. Throws std::invalid_argument when they are not its own.
  bool take_over() {
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored)) return false;
    std::string text = file_contents(path_);
    const std::size_t whole = SweepTable::whole_lines(text);
    const bool is_cut = whole < text.size();
    // A first line that is cut says nothing of whose table it was.
    if (whole > 0) text.resize(whole);
    try {
      for (SweepRow& row : table_.read(text)) {
        if (row.run < 0 || row.run >= task_.plan.runs() || row.values != task_.plan.values(row.run))
          throw std::invalid_argument(fmt::format("it has a run {} that this sweep does not have", row.run));
        const auto index = static_cast<std::size_t>(row.run);
        if (finished_[index]) throw std::invalid_argument(fmt::format("it has run {} twice", row.run));
        lines_[index] = table_.line(row);
        finished_[index] = 1;
        ++done_;
      }
    } catch (const std::invalid_argument& error) {
      refuse({.what = "this file does not belong to this sweep",
              .where = path_,
              .expected = "the table of the same model, values and options, made by the same version",
              .got = error.what(),
              .advice = "leave out --resume to begin again, or choose another file"});
    }
    taken_over_ = done_;
    return is_cut;
  }

  // Returns whether all the runs were made.
  bool execute(Index jobs) {
    const SignalWatch watch;
    ProgressBar bar(STDERR_FILENO, task_.plan.runs(), done_);
    std::vector<std::thread> workers;
    const Index missing = task_.plan.runs() - done_;
    active_ = std::min(jobs, missing);
    for (Index job = 0; job < std::min(jobs, missing); ++job) workers.emplace_back([this] { work(); });
    std::exception_ptr failure;
    try {
      watch_over(bar);
    } catch (...) {
      failure = std::current_exception();
      cancelled_ = true;
    }
    for (std::thread& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
    write(*std::max_element(finished_.begin(), finished_.end()) != 0 || task_.plan.runs() == 0);
    return done_ == task_.plan.runs();
  }

  Index done() const { return done_; }
  Index taken_over() const { return taken_over_; }
  // The finished runs, as the table has them.
  std::vector<SweepRow> rows() const {
    std::string text = table_.header();
    for (std::size_t run = 0; run < lines_.size(); ++run) {
      if (finished_[run]) text += lines_[run];
    }
    return table_.read(text);
  }

 private:
  void work() {
    while (!cancelled_) {
      const Index run = next_++;
      if (run >= task_.plan.runs()) break;
      const auto index = static_cast<std::size_t>(run);
      if (finished_before(index)) continue;
      const std::optional<SweepRow> row = sweep_run(task_, run, cancelled_);
      if (!row) break;
      std::string line = table_.line(*row);
      const std::lock_guard lock(mutex_);
      lines_[index] = std::move(line);
      finished_[index] = 1;
      ++done_;
    }
    const std::lock_guard lock(mutex_);
    if (--active_ == 0) all_stopped_.notify_all();
  }

  bool finished_before(std::size_t index) {
    const std::lock_guard lock(mutex_);
    return finished_[index] != 0;
  }

  void watch_over(ProgressBar& bar) {
    using namespace std::chrono_literals;
    Clock::duration pause = 200ms;
    Clock::time_point next_writing = Clock::now() + pause;
    while (true) {
      Index done = 0;
      {
        std::unique_lock lock(mutex_);
        if (all_stopped_.wait_for(lock, 100ms, [this] { return active_ == 0; })) return;
        done = done_;
      }
      if (interrupted) cancelled_ = true;
      bar.show(done);
      if (Clock::now() < next_writing) continue;
      const Clock::time_point began = Clock::now();
      if (!is_standard_output(path_)) write(true);
      // A large table is written less often.
      pause = std::max<Clock::duration>(2s, 30 * (Clock::now() - began));
      next_writing = Clock::now() + pause;
    }
  }

  // All the rows that are done, in the order of the runs. A line does not change once it is finished.
  void write(bool any) {
    if (path_.empty() || !any) return;
    std::vector<char> finished;
    {
      const std::lock_guard lock(mutex_);
      finished = finished_;
    }
    write_whole(path_, [&](std::ostream& out) {
      out << table_.header();
      for (std::size_t run = 0; run < finished.size(); ++run) {
        if (finished[run]) out << lines_[run];
      }
    });
  }

  const SweepTask& task_;
  const SweepTable& table_;
  std::string path_;
  std::vector<std::string> lines_;  // by run
  std::vector<char> finished_;
  std::mutex mutex_;
  std::condition_variable all_stopped_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<Index> next_ = 0;
  Index active_ = 0;
  Index done_ = 0;
  Index taken_over_ = 0;
};

// Whether a section tells anything about a state: on the surface v = 0 nothing about v.
bool varies(const std::vector<SweepRow>& rows, std::size_t state) {
  double least = 0, greatest = 0, size = 0;
  bool any = false;
  for (const SweepRow& row : rows) {
    for (const double value : row.section[state]) {
      least = any ? std::min(least, value) : value;
      greatest = any ? std::max(greatest, value) : value;
      any = true;
    }
    if (std::isfinite(row.greatest[state])) size = std::max({size, row.greatest[state], -row.least[state]});
  }
  return greatest - least > 1e-6 * size;
}

// The first four, but for those that a section says nothing about.
std::vector<std::string> states_to_show(const SweepTask& task, const std::vector<SweepRow>& rows) {
  constexpr std::size_t most_panels = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < task.states.size() && shown.size() < most_panels; ++i) {
    if (task.plan.axes().size() > 1 || !task.section || varies(rows, i)) shown.push_back(task.states[i]);
  }
  if (shown.empty()) shown.push_back(task.states.front());
  return shown;
}

SweepPicture picture_of(const SweepTask& task, const std::vector<SweepRow>& rows, const Model& model,
                        std::vector<std::string> shown) {
  if (shown.empty()) shown = states_to_show(task, rows);
  SweepPicture picture;
  picture.title = model.name;
  for (const SweepAxis& axis : task.plan.axes())
    picture.axes.push_back({axis.name, axis.values, axis.logarithmic});
  picture.states = shown;
  if (task.section) picture.section = task.section->name;
  std::vector<std::size_t> numbers;
  for (const std::string& name : shown) {
    numbers.push_back(static_cast<std::size_t>(std::find(task.states.begin(), task.states.end(), name) -
                                               task.states.begin()));
  }
  for (const SweepRow& row : rows) {
    SweepPicturePoint point;
    point.values = row.values;
    point.succeeded =
        row.status == to_string(Status::reached_end) || row.status == to_string(Status::stopped_by_event);
    for (const std::size_t state : numbers) {
      point.least.push_back(row.least[state]);
      point.greatest.push_back(row.greatest[state]);
      if (task.section) point.section.push_back(row.section[state]);
    }
    picture.points.push_back(std::move(point));
  }
  return picture;
}

// Without a section there is nothing they could choose from.
void check_section_options(const SweepArguments& arguments) {
  if (!arguments.section.empty()) return;
  if (!arguments.direction.empty() || arguments.section_points) {
    refuse({.what = "there are no arrivals to choose from",
            .where = arguments.section_points ? "--section-points" : "--direction",
            .expected = "--section NAME beside it"});
  }
}

void check_states_shown(const SweepArguments& arguments, const System& system) {
  check_option("--states", [&] {
    for (const std::string& name : arguments.states) system.state_index(name);
  });
  if (!arguments.states.empty() && arguments.plot.empty())
    refuse(
        {.what = "there is no picture of states", .where = "--states", .expected = "--plot FILE beside it"});
  if (!arguments.plot.empty() && arguments.axes.size() > 2) {
    refuse({.what = "no picture of this sweep can be drawn",
            .where = "--plot",
            .expected = "one or two varied parameters",
            .got = std::to_string(arguments.axes.size())});
  }
}

// An axis is a column beside those that every table has.
void check_columns(const SweepTable& table, const SweepPlan& plan) {
  const std::vector<std::string> columns = table.columns();
  for (const SweepAxis& axis : plan.axes()) {
    if (std::count(columns.begin(), columns.end(), axis.name) > 1) {
      refuse({.what = "two columns of the table would have one name",
              .where = "--vary",
              .expected = "a parameter or state with another name",
              .got = "'" + axis.name + "'"});
    }
  }
}

}  // namespace

int sweep(const SweepArguments& arguments, std::ostream& err) {
  const Model model = load_model(arguments.model);
  const SweepPlan plan(arguments.axes, arguments.settings);
  check_names(model, plan);
  ModelInstance instance = some_instance(model, plan);
  set_end(arguments, instance);

  SweepTask task{.model = model, .plan = plan};
  task.states = instance.system.state_names();
  task.options = make_options(arguments, model.defaults);
  task.options.validate(instance.system.states());
  task.end = arguments.end;
  task.transient = arguments.transient.value_or(0);
  if (task.transient > instance.end - instance.start) {
    refuse({.what = "nothing is left of the runs",
            .where = "--transient",
            .expected = fmt::format("at most the length of the runs, {}", instance.end - instance.start),
            .got = fmt::format("{}", task.transient)});
  }
  if (!arguments.section.empty()) {
    task.section = section_of(arguments, instance);
    task.options.full_events = true;
  }
  check_section_options(arguments);
  check_states_shown(arguments, instance.system);

  const bool only_pictures = arguments.csv.empty() && !arguments.plot.empty();
  const std::string path = only_pictures ? "" : arguments.csv.empty() ? "-" : arguments.csv;
  std::vector<Target> wanted;
  if (!path.empty()) wanted.push_back({"--csv", path});
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});
  if (arguments.resume && (path.empty() || is_standard_output(path))) {
    refuse({.what = "there is nothing to resume",
            .where = "--resume",
            .expected = "--csv with the file of a sweep"});
  }

  std::vector<std::string> axes;
  for (const SweepAxis& axis : plan.axes()) axes.push_back(axis.name);
  const SweepTable table(axes, task.states, task.section.has_value(),
                         fingerprint(arguments, model, task.options));
  check_columns(table, plan);
  Sweep work(task, table, path);
  if (arguments.resume && work.take_over() && !arguments.quiet)
    fmt::print(err, "slideway: the last row of '{}' was cut off; its run is made again\n", path);
  const Index jobs = arguments.jobs.value_or(std::max<Index>(1, std::thread::hardware_concurrency()));
  const bool complete = work.execute(jobs);

  const std::vector<SweepRow> rows = work.rows();
  if (!rows.empty()) {
    for (const std::string& picture : arguments.plot) {
      const auto draw = [&] {
        write_picture(sweep_script(picture_of(task, rows, model, arguments.states), picture_format(picture)),
                      picture);
      };
      draw_or_warn(picture, draw, err);
    }
  }
  const auto failed =
      std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.message.empty(); });
  if (!complete) {
    fmt::print(
        err, "slideway: interrupted after {} of {} runs{}\n", work.done(), plan.runs(),
        path.empty() || is_standard_output(path) ? "" : fmt::format("; --resume completes '{}'", path));
  } else if (!arguments.quiet) {
    fmt::print(err, "{} runs{}{}\n", plan.runs(),
               work.taken_over() > 0 ? fmt::format(", {} of them taken over", work.taken_over()) : "",
               failed > 0 ? fmt::format(", {} stopped early (see the column message)", failed) : "");
  }
  return complete ? exit_success : exit_stopped_early;
}

}  // namespace slideway::apps
