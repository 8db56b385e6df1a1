// The sub-commands: what each is asked, as read from the command line, and the function that does it.
//
// They must not know how a command line is parsed. Wrong input throws std::exception; the main function reports it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/fmi/import.hpp"
#include "slideway/model/model.hpp"
#include "slideway/sweep/sweep_plan.hpp"
#include "slideway/sweep/sweep_workers.hpp"

namespace slideway::apps {

// The arguments of every command that runs a model. An argument that was not given is empty; model files and built-in defaults
// follow, in this order.
struct SimulationArguments {
  std::string model = {};
  Settings settings = {};  // in the order given; the last one wins
  std::optional<double> end = {};
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  std::optional<double> max_step = {};
  std::optional<Index> max_events = {};
  std::optional<Index> max_steps = {};
  std::string method = {};
  std::string linear_solver = {};
  std::string on_ambiguity = {};
  std::string sliding_rule = {};
  std::string selection = {};
  std::string local_events = {};
  std::string audit = {};  // of `run` and `sweep`: "off", "quick" or "full"; empty: quick
  FmuImport fmu_import = {};
};

// CheckpointInterval is the distance between two checkpoints of a run: this many steps or, where these are 0, this
// many seconds.
struct CheckpointInterval {
  std::int64_t steps = 0;
  double seconds = 60;
};

struct RunArguments : SimulationArguments {
  std::vector<std::string> models = {};  // all of them; `model` is the first
  std::vector<SweepAxis> axes = {};      // several values of parameters, a run for each combination
  std::string checkpoint = {};           // the file that is written
  std::optional<CheckpointInterval> every = {};
  std::string from = {};  // the checkpoint that the run goes on from
  std::optional<Index> points = {};
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  std::vector<std::string> report = {};
  std::vector<std::string> states = {};                  // with a panel over time
  std::vector<std::string> phase = {};                   // the states of the phase portrait
  std::string markers = {};                              // the events marked in the picture; empty: all
  std::optional<std::pair<int, int>> picture_size = {};  // width and height, in pixels
  std::optional<std::pair<double, double>> picture_times = {};  // the part of the run in the picture
  std::string title = {};  // of the picture; empty: the name of the model
  std::vector<std::pair<std::string, std::string>> labels =
      {};                                       // of the picture's axes: names, and what is written
  std::vector<std::string> log = {};            // the names with a logarithmic axis
  bool raster = false;                          // rows of surfaces in place of curves
  std::vector<std::string> observe = {};        // "F" or "E = 0.5*v^2": what is written beside the states
  std::vector<std::string> sensitivities = {};  // parameters and initial values to differentiate by
  std::vector<std::string> adjoints = {};       // quantities whose gradients at the end are told
  std::string section = {};                     // the surface or events whose arrivals are listed
  std::string direction = {};                   // "rising", "falling" or "any"
  std::vector<std::string> section_file = {};
  std::vector<std::string> section_plot = {};
  bool all_events = false;   // on the screen
  bool full_events = false;  // with whole states and modes, on the screen and in the documents
  bool passivity = false;    // look at the work of friction
  bool quiet = false;
};

struct SweepArguments : SimulationArguments {
  std::vector<SweepAxis> axes = {};
  std::optional<Index> random = {};  // so many samples of the ranges
  std::optional<Index> latin = {};
  std::optional<Index> seed = {};
  std::string follow = {};  // "up", "down" or "both"
  std::optional<Index> jobs = {};
  std::optional<std::pair<Index, Index>> shard = {};  // the number, from 1, and how many there are
  std::optional<double> run_time_limit = {};          // seconds
  std::optional<double> transient = {};
  std::vector<std::string> observe = {};  // "F" or "E = 0.5*v^2"
  std::string section = {};
  std::string direction = {};
  std::optional<Index> section_points = {};
  std::string csv = {};
  std::vector<std::string> columns = {};  // names of columns and groups; empty: what tells something
  std::string section_file = {};
  std::vector<std::string> merge = {};  // the tables of shards
  std::vector<std::string> json = {};   // statistics
  std::vector<std::string> plot = {};
  std::vector<std::string> states = {};  // of the picture
  bool summary = false;
  bool resume = false;
  bool quiet = false;
};

struct OrbitArguments : SimulationArguments {
  // `axes` is empty, or names the parameter in which the orbit is followed, or the two parameters in whose plane curves are followed.
  std::vector<SweepAxis> axes = {};
  std::string bifurcation = {};  // of curves: "SN", "GR", …, or empty for the first on the branch
  std::string section = {};
  std::string direction = {};  // "rising", "falling" or "any"
  std::optional<Index> returns = {};
  std::string period = {};  // a number, or an expression of parameters
  std::optional<double> transient = {};
  std::optional<Index> shots = {};
  std::optional<Index> iterations = {};
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  bool quiet = false;
};

struct LyapunovArguments : SimulationArguments {
  std::optional<double> transient = {};
  std::string block = {};  // a number, or an expression of parameters
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  bool quiet = false;
};

struct EquilibriaArguments : SimulationArguments {
  // `axes` is empty, or names the parameter in which equilibria are followed, or the two parameters in whose plane curves are followed.
  std::vector<SweepAxis> axes = {};
  std::string bifurcation = {};  // of curves: "SN", "HB", "BE", or empty for all
  std::vector<std::pair<std::string, std::pair<double, double>>> box = {};  // of states
  std::optional<Index> starts = {};
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  bool quiet = false;
};

// A plane whose cells are coloured by attractors.
struct PlaneArguments : SimulationArguments {
  std::vector<SweepAxis> plane = {};                           // two names with the ends of their intervals
  std::optional<std::pair<Index, Index>> size = {};            // cells across and up
  std::string period = {};                                     // a number, or an expression of parameters
  std::string step = {};                                       // likewise
  std::vector<std::pair<std::string, std::string>> wrap = {};  // angles, and their periods as expressions
  std::optional<Index> most_steps = {};
  std::optional<double> reach = {};
  std::optional<Index> jobs = {};
  std::string csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  bool resume = false;
  bool quiet = false;
};

struct BasinsArguments : PlaneArguments {
  bool thorough = false;
  std::optional<Index> samples = {};
  std::optional<Index> seed = {};
};

struct DiagramArguments : PlaneArguments {
  std::optional<Index> parts = {};
  bool no_curves = false;
  std::optional<Index> most_rounds = {};
  std::optional<Index> most_followed = {};
  std::vector<std::string> curves = {};
};

// Manifolds of equilibria, of an orbit where a section or a period is given, or with `connect` the connections of equilibria.
struct ManifoldArguments : SimulationArguments {
  std::string only = {};  // "stable", "unstable", or empty for both
  std::optional<double> length = {};
  std::optional<double> time = {};
  std::optional<Index> fan = {};
  std::vector<std::pair<std::string, std::pair<double, double>>> box = {};  // of states
  std::optional<Index> starts = {};
  std::string section = {};
  std::string direction = {};  // "rising", "falling" or "any"
  std::optional<Index> returns = {};
  std::string period = {};  // a number, or an expression of parameters
  std::optional<double> transient = {};
  std::optional<Index> max_runs = {};
  std::optional<std::pair<std::string, double>> connect = {};  // the state and the value of the section
  std::vector<SweepAxis> axes = {};
  std::vector<std::string> phase = {};  // the states of the picture
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  bool quiet = false;
};

struct FitArguments : SimulationArguments {
  std::string data = {};  // the file of the measurements
  std::vector<std::string> parameters = {};
  std::vector<std::string> observe = {};                        // "E = 0.5*v^2"
  std::vector<std::pair<std::string, double>> deviations = {};  // of columns
  std::optional<Index> max_runs = {};
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  bool quiet = false;
};

struct CompareArguments : SimulationArguments {
  std::optional<double> epsilon = {};
  std::optional<double> step = {};
  std::optional<double> error = {};
  std::optional<Index> bisections = {};
  std::optional<Index> checkpoints = {};
  std::optional<Index> levels = {};
  std::optional<Index> repeats = {};
  std::optional<Index> evaluations = {};
  std::vector<std::string> csv = {};
  std::vector<std::string> json = {};
  std::vector<std::string> plot = {};
  bool quiet = false;
};

struct CheckArguments : SimulationArguments {
  std::vector<std::string> json = {};
};

struct CompletionArguments {
  std::string shell = {};  // "bash" or "zsh"
};

struct ShowArguments {
  std::string model = {};
  Settings settings = {};
};

struct ExportArguments : SimulationArguments {
  std::string fmu = {};         // the version of the standard, "2.0" or "3.0"; empty: "3.0"
  bool model_exchange = false;  // of the two kinds both, where neither or both are asked for
  bool co_simulation = false;
  std::vector<std::string> observe = {};  // outputs
  std::vector<std::string> inputs = {};   // parameters that become inputs
  std::vector<std::string> tunable = {};  // parameters that may change in a run
  std::string out = {};                   // the file; empty: the name of the model
  bool quiet = false;
};

struct ValidateArguments {
  std::vector<std::string> names = {};
  double rtol = 1e-6;
  std::string method = {};  // empty: all of them
  bool has_rtol = false;
  std::optional<Index> random = {};  // so many random models instead of the suite
  std::optional<Index> seed = {};
  std::optional<Index> only = {};
  std::optional<Index> jobs = {};         // of random models
  std::vector<std::string> classes = {};  // of random models; empty: all
  std::string json = {};                  // of random models: "-"
  bool derivatives = false;               // of random models in place of their motions
  bool language = false;                  // random models of the whole language of model files
};

int run(const RunArguments& arguments, std::ostream& out, std::ostream& err);
// Null workers are threads of this process.
int sweep(const SweepArguments& arguments, SweepWorkers* workers, std::ostream& err);
int orbit(const OrbitArguments& arguments, std::ostream& out, std::ostream& err);
int lyapunov(const LyapunovArguments& arguments, std::ostream& out, std::ostream& err);
int equilibria(const EquilibriaArguments& arguments, std::ostream& out, std::ostream& err);
// Null workers are threads of this process.
int basins(const BasinsArguments& arguments, SweepWorkers* workers, std::ostream& out, std::ostream& err);
int diagram(const DiagramArguments& arguments, SweepWorkers* workers, std::ostream& out, std::ostream& err);
int manifolds(const ManifoldArguments& arguments, std::ostream& out, std::ostream& err);
int fit(const FitArguments& arguments, std::ostream& out, std::ostream& err);
int compare(const CompareArguments& arguments, std::ostream& out, std::ostream& err);
int check(const CheckArguments& arguments, std::ostream& out);
int completion(const CompletionArguments& arguments, std::ostream& out);
int man_page(std::ostream& out);
int list_models(std::ostream& out);
int show(const ShowArguments& arguments, std::ostream& out);
int export_fmu(const ExportArguments& arguments, std::ostream& out);

}  // namespace slideway::apps
