#include "run/checkpoint_problem.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "run/checkpoint_log.hpp"

namespace slideway {

namespace {

using Json = FieldsJson;

// Points at which the functions are asked for values, and parts of its size by which each state is moved there.
constexpr int kPoints = 3;
constexpr int kPartsOfState = 64;

std::string text_checksum(const std::string& text) {
  return fmt::format("{:016x}", checksum_after(LogPosition{}.checksum, text));
}

class Fingerprint {
 public:
  template <class Ask>
  void add(const Ask& ask) {
    try {
      ask();
    } catch (...) {
      text_ += "none;";
    }
  }
  void add_numbers(const Vector& numbers) {
    text_ += hexadecimals(numbers.data(), static_cast<std::size_t>(numbers.size())) + ';';
  }
  void add_number(double number) { text_ += hexadecimal(number) + ';'; }
  void add_name(const std::string& name) { text_ += name + ';'; }
  std::string value() const { return text_checksum(text_); }

 private:
  std::string text_;
};

void add_reset(const ResetFunction& reset, double t, const Vector& x, Fingerprint& print) {
  if (!reset) return;
  print.add([&] {
    Vector after = x;
    reset(t, x, after);
    print.add_numbers(after);
  });
}

void add_delay(const Delay& delay, int priority, Fingerprint& print) {
  print.add_number(delay.time);
  print.add_number(static_cast<double>(delay.values));
  for (const Index j : delay.sets) print.add_number(static_cast<double>(j));
  print.add_number(priority);
}

void add_time_event(const TimeEvent& event, double t, const Vector& x, Fingerprint& print) {
  print.add_name(event.name);
  for (const double number : {event.period, event.offset, static_cast<double>(event.count)})
    print.add_number(number);
  for (const double at : event.at) print.add_number(at);
  print.add_number(event.priority);
  add_reset(event.reset, t, x, print);
}

void add_system(const System& system, double t, const Vector& x, int point, Fingerprint& print) {
  Vector lambda(system.surfaces());
  for (Index i = 0; i < lambda.size(); ++i) lambda[i] = ((i >> point) + point) % 2 == 0 ? 1 : -1;
  print.add([&] {
    Vector velocity = Vector::Zero(x.size());
    system.field(t, x, lambda, velocity);
    print.add_numbers(velocity);
  });
  print.add([&] {
    Vector values = Vector::Zero(lambda.size());
    system.guards(t, x, values);
    print.add_numbers(values);
  });
  for (const Event& event : system.events()) {
    print.add_name(event.name);
    print.add([&] { print.add_number(event.when.value(t, x)); });
    print.add_number(static_cast<double>(event.direction));
    print.add_number(static_cast<double>(event.action));
    print.add_number(event.across_jumps ? 1 : 0);
    print.add_number(static_cast<double>(event.initially));
    print.add_number(static_cast<double>(event.at_zero));
    add_delay(event.delay, event.priority, print);
    add_reset(event.reset, t, x, print);
  }
  for (const TimeEvent& event : system.time_events()) add_time_event(event, t, x, print);
  print.add_number(static_cast<double>(system.discrete()));
  for (const Contact& contact : system.contacts()) {
    print.add_name(contact.name);
    print.add([&] { print.add_number(contact.gap.value(t, x)); });
    print.add([&] {
      Vector acts_on = Vector::Zero(x.size());
      contact.acts_on(t, x, acts_on);
      print.add_numbers(acts_on);
    });
    print.add([&] { print.add_number(contact.restitution(1 + point)); });
    if (contact.cone) {
      print.add([&] { print.add_number(contact.cone->coefficient(t, x)); });
      for (std::size_t k = 0; k < 2; ++k) {
        print.add([&] { print.add_number(contact.cone->velocities[k].value(t, x)); });
        print.add([&] {
          Vector along = Vector::Zero(x.size());
          contact.cone->acts_on[k](t, x, along);
          print.add_numbers(along);
        });
      }
    }
    if (!contact.friction) continue;
    print.add_number(static_cast<double>(contact.impact_law));
    print.add_number(static_cast<double>(contact.impact_friction));
    print.add_number(static_cast<double>(contact.friction->surface));
    print.add([&] { print.add_number(contact.friction->coefficient(t, x)); });
    print.add([&] {
      Vector along = Vector::Zero(x.size());
      contact.friction->acts_on(t, x, along);
      print.add_numbers(along);
    });
  }
}

std::string fingerprint_of(const Automaton& automaton, const Run& run) {
  Fingerprint print;
  for (int point = 0; point < kPoints; ++point) {
    Vector x = run.state;
    for (Index j = 0; j < x.size(); ++j)
      x[j] += static_cast<double>(point) * (1 + std::abs(x[j])) /
              static_cast<double>(kPartsOfState + j % kPartsOfState);
    const double t = run.start + (run.end - run.start) * point / kPoints;
    for (const Location& location : automaton.locations()) {
      print.add_name(location.name);
      add_system(location.system, t, x, point, print);
    }
    for (const Edge& edge : automaton.edges()) {
      for (const std::string& name : {edge.name, edge.from, edge.to, edge.zeno}) print.add_name(name);
      print.add([&] { print.add_number(edge.when.value(t, x)); });
      print.add_number(static_cast<double>(edge.direction));
      print.add_number(edge.across_jumps ? 1 : 0);
      print.add_number(static_cast<double>(edge.initially));
      print.add_number(static_cast<double>(edge.at_zero));
      add_delay(edge.delay, edge.priority, print);
      add_reset(edge.reset, t, x, print);
    }
  }
  return print.value();
}

std::string vector_text(const Vector& numbers) {
  return hexadecimals(numbers.data(), static_cast<std::size_t>(numbers.size()));
}

Json pending_of(const std::vector<PendingAction>& pending) {
  Json list = Json::array();
  for (const PendingAction& action : pending)
    list.push_back({{"t", hexadecimal(action.t)},
                    {"is_edge", action.is_edge},
                    {"of", action.of},
                    {"by", static_cast<int>(action.by)},
                    {"values", vector_text(action.values)}});
  return list;
}

Json fired_of(const std::vector<FiredGuard>& fired) {
  Json list = Json::array();
  for (const FiredGuard& one : fired)
    list.push_back({{"is_edge", one.is_edge}, {"of", one.of}, {"near_zero", hexadecimal(one.near_zero)}});
  return list;
}

Json options_of(const Options& options, Index states) {
  return {{"rtol", hexadecimal(options.rtol)},
          {"atol", vector_text(options.atol.expand(states, options.rtol))},
          {"method", to_string(options.method)},
          {"linear_solver", to_string(options.linear_solver)},
          {"preconditioner", static_cast<bool>(options.preconditioner)},
          {"max_step", hexadecimal(options.max_step)},
          {"max_events", options.max_events},
          {"max_steps", options.max_steps},
          {"on_ambiguity", to_string(options.on_ambiguity)},
          {"sliding_rule", to_string(options.sliding_rule)},
          {"selection", to_string(options.selection)},
          {"recording", options.recording == Recording::dense ? "dense" : "nothing"},
          {"full_events", options.full_events},
          {"output_times", hexadecimals(options.output_times.data(), options.output_times.size())}};
}

// A number as people write it.
std::string shown(const Json& value) {
  if (!value.is_string()) return value.dump();
  const std::string& text = value.get_ref<const std::string&>();
  try {
    if (text.find("0x") != std::string::npos) {
      std::string decimal;
      for (const double number : from_hexadecimals(text))
        decimal += fmt::format("{}{}", decimal.empty() ? "" : " ", number);
      constexpr std::size_t kMostShown = 100;
      return decimal.size() > kMostShown ? decimal.substr(0, kMostShown) + " ..." : decimal;
    }
  } catch (const std::exception&) {
  }
  return text;
}

}  // namespace

Json problem_of(const Simulator& simulator, const Run& run, const std::string& model,
                std::int64_t steps_to_pause) {
  const Index states = simulator.system().states();
  return {{"model", text_checksum(model)},
          {"functions", fingerprint_of(simulator.automaton(), run)},
          {"states", states},
          {"surfaces", simulator.system().surfaces()},
          {"run",
           {{"start", hexadecimal(run.start)},
            {"end", hexadecimal(run.end)},
            {"state", vector_text(run.state)},
            {"location", run.location},
            {"pending", pending_of(run.pending)},
            {"fired", fired_of(run.fired)},
            {"mode", run.mode ? Json(run.mode->word()) : Json(nullptr)}}},
          {"options", options_of(simulator.options(), states)},
          {"steps_to_pause", steps_to_pause}};
}

Run run_of(const Json& problem) {
  const Json& of = problem.at("run");
  Run run;
  run.start = from_hexadecimal(of.at("start").get<std::string>());
  run.end = from_hexadecimal(of.at("end").get<std::string>());
  const std::vector<double> state = from_hexadecimals(of.at("state").get<std::string>());
  run.state = Eigen::Map<const Vector>(state.data(), static_cast<Index>(state.size()));
  run.location = of.at("location").get<std::string>();
  for (const Json& action : of.at("pending")) {
    const std::vector<double> values = from_hexadecimals(action.at("values").get<std::string>());
    run.pending.push_back(
        {.t = from_hexadecimal(action.at("t").get<std::string>()),
         .is_edge = action.at("is_edge").get<bool>(),
         .by = static_cast<BroughtBy>(action.value("by", 0)),
         .of = action.at("of").get<std::size_t>(),
         .values = Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()))});
  }
  for (const Json& one : of.value("fired", Json::array())) {
    run.fired.push_back({.is_edge = one.at("is_edge").get<bool>(),
                         .of = one.at("of").get<std::size_t>(),
                         .near_zero = from_hexadecimal(one.at("near_zero").get<std::string>())});
  }
  if (!of.at("mode").is_null()) run.mode = Mode(of.at("mode").get<std::string>());
  return run;
}

void check_same_problem(const Json& of_checkpoint, const Json& here) {
  for (const char* size : {"states", "surfaces"}) {
    if (of_checkpoint.at(size) != here.at(size)) {
      throw CheckpointError(
          fmt::format("the checkpoint is of another model: it has {} {}, and this one has {}",
                      of_checkpoint.at(size).dump(), size, here.at(size).dump()));
    }
  }
  const Json& options = of_checkpoint.at("options");
  for (const auto& [name, value] : here.at("options").items()) {
    if (options.at(name) == value) continue;
    throw CheckpointError(fmt::format(
        "the checkpoint is of a run with another option {}, which changes the result (expected {}, "
        "got {}); go on with the options of that run, or begin it again",
        name, shown(options.at(name)), shown(value)));
  }
  if (of_checkpoint.at("steps_to_pause") != here.at("steps_to_pause")) {
    throw CheckpointError(fmt::format(
        "the checkpoint is of a run that goes through one every {} steps, and this one would every {}, "
        "which changes the result; leave the interval out, or begin the run again",
        of_checkpoint.at("steps_to_pause").dump(), here.at("steps_to_pause").dump()));
  }
  for (const char* of : {"model", "functions"}) {
    if (of_checkpoint.at(of) != here.at(of)) {
      throw CheckpointError(
          fmt::format("the checkpoint is of another model: its equations or parameters are not these (their "
                      "checksum is {}, and "
                      "not {}); go on with the model as it was, or begin the run again",
                      here.at(of).get<std::string>(), of_checkpoint.at(of).get<std::string>()));
    }
  }
}

}  // namespace slideway
