// LiveRun for Python: a run that Python drives, with callbacks, signals and exceptions of Python functions.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "lib/python/src/callbacks.hpp"
#include "lib/python/src/live.hpp"
#include "lib/python/src/run.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/simulate/live_run.hpp"

namespace slideway::python {

namespace py = pybind11;

namespace {

class PythonLiveRun {
 public:
  PythonLiveRun(std::shared_ptr<const Problem> problem, Run where, const py::dict& given, py::object on_event)
      : problem_(std::move(problem)),
        where_(std::move(where)),
        options_(options_from(given, problem_->model ? problem_->model->defaults : ModelDefaults{})),
        on_event_(std::move(on_event)) {
    Options attended = options_;
    attended.on_step = [this](const StepView&) { return look(); };
    attended.on_event = [this](const EventRecord& event) { return tell(event); };
    tell_steps(problem_->instance, attended);
    guarded([&] { live_.emplace(Simulator(problem_->instance.problem(), std::move(attended)), where_); });
  }

  py::tuple advance_to(double t) {
    guarded([&] { live_->advance_to(t); });
    return outcome();
  }
  py::object next_event(double t_end) {
    const EventRecord* event = nullptr;
    guarded([&] { event = live_->next_event(t_end); });
    return event ? py::object(event_tuple(*event)) : py::none();
  }
  py::tuple outcome() const {
    const Outcome& now = live_->outcome();
    return py::make_tuple(to_string(now.status), now.t, now.message);
  }
  py::array_t<double> state() {
    Vector x;
    guarded([&] { x = live_->state(); });
    return array_of(std::move(x));
  }
  std::string mode() const { return live_->mode().word(); }
  SavedRun save() {
    std::optional<SavedRun> saved;
    guarded([&] { saved = live_->save(); });
    return *saved;
  }
  std::shared_ptr<MadeRun> result(bool forgets) {
    auto made = std::make_shared<MadeRun>();
    made->problem = problem_;
    made->options = options_;
    made->end = live_->t();
    made->where = where_;
    guarded([&] { made->solution = forgets ? live_->take() : live_->solution(); });
    made->where.start = made->solution.initial.t;
    return made;
  }
  LiveRun& live() { return *live_; }

  // Work of the run, whose exceptions of Python are raised where it was asked for. Other threads of Python run meanwhile, unless Python is
  // in the problem.
  template <class Work>
  void guarded(const Work& work) {
    CallErrors errors;
    errors_ = &errors;
    stops_ = false;
    try {
      if (problem_->calls_python) {
        work();
      } else {
        const py::gil_scoped_release unlocked;
        work();
      }
    } catch (const std::exception&) {
      errors_ = nullptr;
      if (errors.error().is_none()) throw;
    }
    errors_ = nullptr;
    if (errors.error().is_none()) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(errors.error().ptr())), errors.error().ptr());
    throw py::error_already_set();
  }

 private:
  // Signals are looked for every 30 ms, so that Ctrl-C ends an advance within a tenth of a second.
  Answer look() {
    constexpr std::chrono::milliseconds pause(30);
    const auto now = std::chrono::steady_clock::now();
    if (stops_) return Answer::stop;
    if (now - last_look_ < pause) return Answer::go_on;
    last_look_ = now;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) keep_what_was_raised();
    return stops_ ? Answer::stop : Answer::go_on;
  }
  Answer tell(const EventRecord& event) {
    const Answer answer_so_far = look();
    if (answer_so_far == Answer::stop || on_event_.is_none()) return answer_so_far;
    const py::gil_scoped_acquire lock;
    PyObject* const answer = PyObject_CallFunctionObjArgs(on_event_.ptr(), event_tuple(event).ptr(), nullptr);
    if (!answer) {
      keep_what_was_raised();
    } else {
      stops_ = answer == Py_True;
      Py_DECREF(answer);
    }
    return stops_ ? Answer::stop : Answer::go_on;
  }
  // The run ends where it is, and goes on when it is asked again.
  void keep_what_was_raised() {
    py::error_already_set raised;
    if (errors_) errors_->keep(raised.value());
    stops_ = true;
  }

  std::shared_ptr<const Problem> problem_;
  Run where_;
  Options options_;
  py::object on_event_;
  CallErrors* errors_ = nullptr;
  bool stops_ = false;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  std::optional<LiveRun> live_;
};

std::optional<Mode> mode_from(const std::optional<std::string>& word) {
  return word ? std::optional<Mode>(Mode(*word)) : std::nullopt;
}

}  // namespace

void bind_live_runs(py::module_& module) {
  py::class_<SavedRun>(module, "SavedRun").def_property_readonly("t", &SavedRun::t);

  using Bound = PythonLiveRun;
  py::class_<Bound>(module, "LiveRun")
      .def(py::init([](std::shared_ptr<Problem> problem, double start, double end, Vector state,
                       std::string location, const std::optional<std::string>& mode, const py::dict& options,
                       py::object on_event) {
        return std::make_unique<Bound>(std::move(problem),
                                       Run{.start = start,
                                           .end = end,
                                           .state = std::move(state),
                                           .location = std::move(location),
                                           .mode = mode_from(mode)},
                                       options, std::move(on_event));
      }))
      .def("advance_to", &Bound::advance_to)
      .def("next_event", &Bound::next_event)
      .def("cancel", [](Bound& self) { self.live().cancel(); })
      .def("set_state", [](Bound& self, const Vector& x) { self.guarded([&] { self.live().set_state(x); }); })
      .def("set_discrete",
           [](Bound& self, const std::string& name, double value) { self.live().set_discrete(name, value); })
      .def("field_changed", [](Bound& self) { self.live().field_changed(); })
      .def("follow", [](Bound& self,
                        const std::string& mode) { self.guarded([&] { self.live().follow(Mode(mode)); }); })
      .def("save", &Bound::save)
      .def("restore",
           [](Bound& self, const SavedRun& saved) { self.guarded([&] { self.live().restore(saved); }); })
      .def("result", &Bound::result)
      .def("event_count", [](Bound& self) { return self.live().events().size(); })
      .def("event",
           [](Bound& self, std::size_t k) {
             const EventLog& events = self.live().events();
             if (k >= events.size()) throw py::index_error("no such event");
             return event_tuple(events[k]);
           })
      .def_property_readonly("t", [](Bound& self) { return self.live().t(); })
      .def_property_readonly("state", &Bound::state)
      .def_property_readonly("mode", &Bound::mode)
      .def_property_readonly("location", [](Bound& self) { return self.live().location(); })
      .def_property_readonly("outcome", &Bound::outcome);
}

}  // namespace slideway::python
