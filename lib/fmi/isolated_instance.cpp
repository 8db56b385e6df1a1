#include "lib/fmi/isolated_instance.hpp"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "lib/fmi/fmu.hpp"
#include "lib/fmi/message.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/child_process.hpp"

namespace slideway::fmi {
namespace {

using platform::ChildProcess;
using platform::ParentLink;

enum class Request : std::uint32_t {
  start,
  reset,
  enter_event_mode,
  update,
  continue_time,
  complete_step,
  enter_step_mode,
  step,
  set_time,
  set_states,
  get_states,
  derivatives,
  indicators,
  set,
  values,
  derivatives_by_state,
  save,
  restore,
  release
};

// Words for messages, that tell where the FMU was.
const char* words_of(Request request) {
  switch (request) {
    case Request::start: return "its start";
    case Request::reset: return "its reset";
    case Request::enter_event_mode: return "the begin of an event";
    case Request::update: return "an update of discrete states";
    case Request::continue_time: return "the end of an event";
    case Request::complete_step: return "the end of a step of the integrator";
    case Request::enter_step_mode: return "the begin of a step";
    case Request::step: return "a step of Co-Simulation";
    case Request::set_time:
    case Request::set_states:
    case Request::set: return "the setting of values";
    case Request::get_states:
    case Request::values: return "the reading of values";
    case Request::derivatives:
    case Request::derivatives_by_state: return "the evaluation of its derivatives";
    case Request::indicators: return "the evaluation of its event indicators";
    case Request::save:
    case Request::restore:
    case Request::release: return "the keeping of its state";
  }
  return "a call";
}

bool has_answer(Request request) {
  return request != Request::set_time && request != Request::set_states && request != Request::set &&
         request != Request::release && request != Request::restore;
}

void put(Message& message, const Update& update) {
  message.put(update.needs_another);
  message.put(update.terminates);
  message.put(update.states_changed);
  message.put(update.next_time);
}

Update take_update(Message message) {
  Update update;
  update.needs_another = message.take<bool>();
  update.terminates = message.take<bool>();
  update.states_changed = message.take<bool>();
  update.next_time = message.take_optional();
  return update;
}

void put(Message& message, const StepAnswer& answer) {
  message.put(answer.t);
  message.put(answer.has_event);
  message.put(answer.terminates);
}

StepAnswer take_step(Message message) {
  StepAnswer answer;
  answer.t = message.take<double>();
  answer.has_event = message.take<bool>();
  answer.terminates = message.take<bool>();
  return answer;
}

enum class Outcome : std::uint8_t { done, error, no_value, refused };

// ---- the child

struct Failure {
  Outcome outcome = Outcome::done;
  std::string text = {};
};

// Calls, and turns an exception into words.
template <class Call>
Failure failure_of(const Call& call) {
  try {
    call();
    return {};
  } catch (const std::domain_error& none) {
    return {Outcome::no_value, none.what()};
  } catch (const std::invalid_argument& refused) {
    return {Outcome::refused, refused.what()};
  } catch (const std::exception& error) {
    return {Outcome::error, error.what()};
  } catch (...) {
    return {Outcome::error, "the binary of the FMU has thrown an exception"};
  }
}

class Server {
 public:
  Server(std::shared_ptr<const Fmu> fmu, const ParentLink& link) : fmu_(std::move(fmu)), link_(link) {}

  void serve() {
    Message nothing;
    const Failure failed = failure_of([&] { instance_ = make_local_instance(fmu_); });
    if (!reply(failed, nothing)) return;
    Failure kept;  // of a request that has no answer
    while (instance_) {
      std::size_t size = 0;
      Message request;
      if (!link_.receive(&size, sizeof size)) return;
      request.bytes().resize(size);
      if (!link_.receive(request.bytes().data(), size)) return;
      const auto what = request.take<Request>();
      Message answer;
      if (kept.outcome == Outcome::done) kept = failure_of([&] { obey(what, request, answer); });
      if (!has_answer(what)) continue;
      if (!reply(kept, answer)) return;
      kept = {};
    }
  }

 private:
  bool reply(const Failure& failed, Message& answer) const {
    Message whole;
    whole.put(failed.outcome);
    whole.put(failed.text);
    whole.bytes().insert(whole.bytes().end(), answer.bytes().begin(), answer.bytes().end());
    const std::size_t size = whole.bytes().size();
    return link_.send(&size, sizeof size) && link_.send(whole.bytes().data(), size);
  }

  const Variable* variable(Message& request) const {
    return &fmu_->description().variables.at(request.take<std::size_t>());
  }

  void obey(Request what, Message& request, Message& answer) {
    Instance& fmu = *instance_;
    const auto vector = [&](const auto& fill) {
      Vector values = Vector::Zero(request.take<Index>());
      fill(values);
      answer.put(ConstVectorRef(values));
    };
    switch (what) {
      case Request::start: {
        const auto time = request.take<double>();
        const auto tolerance = request.take_optional();
        StartValues values;
        for (auto left = request.take<std::size_t>(); left > 0; --left) {
          const Variable* const one = variable(request);
          values.emplace_back(one, request.take<double>());
        }
        return fmu.start(time, tolerance, values);
      }
      case Request::reset: return fmu.reset();
      case Request::enter_event_mode: return fmu.enter_event_mode();
      case Request::update: return put(answer, fmu.update());
      case Request::continue_time: return fmu.continue_time();
      case Request::complete_step: return answer.put(fmu.complete_step());
      case Request::enter_step_mode: return fmu.enter_step_mode();
      case Request::step: {
        const auto t = request.take<double>();
        return put(answer, fmu.step(t, request.take<double>()));
      }
      case Request::set_time: return fmu.set_time(request.take<double>());
      case Request::set_states: return fmu.set_states(request.take_vector());
      case Request::get_states: return vector([&](Vector& x) { fmu.get_states(x); });
      case Request::derivatives: return vector([&](Vector& dx) { fmu.derivatives(dx); });
      case Request::indicators: return vector([&](Vector& z) { fmu.indicators(z); });
      case Request::set: {
        const Variable* const one = variable(request);
        return fmu.set(*one, request.take<double>());
      }
      case Request::values: {
        std::vector<const Variable*> wanted;
        for (auto left = request.take<std::size_t>(); left > 0; --left) wanted.push_back(variable(request));
        return answer.put(ConstVectorRef(fmu.values(wanted)));
      }
      case Request::derivatives_by_state: {
        const auto state = request.take<std::size_t>();
        return vector([&](Vector& column) { fmu.derivatives_by_state(state, column); });
      }
      case Request::save: states_[++last_state_] = fmu.save(); return answer.put(last_state_);
      case Request::restore: return fmu.restore(*states_.at(request.take<std::uint64_t>()));
      case Request::release: states_.erase(request.take<std::uint64_t>()); return;
    }
  }

  std::shared_ptr<const Fmu> fmu_;
  const ParentLink& link_;
  std::unique_ptr<Instance> instance_;
  std::map<std::uint64_t, std::shared_ptr<SavedState>> states_;
  std::uint64_t last_state_ = 0;
};

// ---- the parent

class Link {
 public:
  explicit Link(std::shared_ptr<const Fmu> fmu)
      : fmu_(std::move(fmu)), child_([fmu = fmu_](const ParentLink& link) { Server(fmu, link).serve(); }) {
    answer_to("the loading of its binary");
  }

  const Fmu& fmu() const { return *fmu_; }

  Message ask(Request what, Message request = {}) {
    if (!broken_.empty()) throw std::runtime_error(broken_);
    Message whole;
    const std::size_t size = sizeof what + request.bytes().size();
    whole.put(size);
    whole.put(what);
    whole.bytes().insert(whole.bytes().end(), request.bytes().begin(), request.bytes().end());
    if (!child_.send(whole.bytes().data(), whole.bytes().size())) fail(words_of(what), false);
    return has_answer(what) ? answer_to(words_of(what)) : Message();
  }

  std::size_t number_of(const Variable& variable) const {
    return static_cast<std::size_t>(&variable - fmu_->description().variables.data());
  }

 private:
  Message answer_to(const std::string& what) {
    std::size_t size = 0;
    receive(&size, sizeof size, what);
    Message answer;
    answer.bytes().resize(size);
    receive(answer.bytes().data(), size, what);
    const auto outcome = answer.take<Outcome>();
    const std::string text = answer.take_text();
    switch (outcome) {
      case Outcome::done: break;
      case Outcome::error: throw std::runtime_error(text);
      case Outcome::no_value: throw std::domain_error(text);
      case Outcome::refused: throw std::invalid_argument(text);
    }
    return answer;
  }

  void receive(void* bytes, std::size_t count, const std::string& what) {
    const ChildProcess::Arrival arrival = child_.receive(bytes, count, fmu_->how().patience);
    if (arrival != ChildProcess::Arrival::whole) fail(what, arrival == ChildProcess::Arrival::late);
  }

  [[noreturn]] void fail(const std::string& what, bool is_late) {
    const std::string end = child_.end();
    broken_ = is_late
                  ? fmt::format("{}: the FMU hangs: {} has taken more than {:g} s, and its process was ended",
                                fmu_->file(), what, fmu_->how().patience)
                  : fmt::format("{}: the FMU has crashed in {}: its process ended with {}", fmu_->file(),
                                what, end);
    throw std::runtime_error(broken_);
  }

  std::shared_ptr<const Fmu> fmu_;
  ChildProcess child_;
  std::string broken_ = {};
};

class IsolatedState : public SavedState {
 public:
  IsolatedState(std::shared_ptr<Link> link, std::uint64_t given) : number(given), link_(std::move(link)) {}
  ~IsolatedState() override {
    try {
      Message request;
      request.put(number);
      link_->ask(Request::release, std::move(request));
    } catch (const std::exception&) {  // The process is gone, and its states with it.
    }
  }

  const std::uint64_t number;

 private:
  std::shared_ptr<Link> link_;
};

class IsolatedInstance : public Instance {
 public:
  explicit IsolatedInstance(std::shared_ptr<const Fmu> fmu) : link_(std::make_shared<Link>(std::move(fmu))) {}

  void start(double time, std::optional<double> tolerance, const StartValues& values) override {
    Message request;
    request.put(time);
    request.put(tolerance);
    request.put(values.size());
    for (const auto& [variable, value] : values) {
      request.put(link_->number_of(*variable));
      request.put(value);
    }
    link_->ask(Request::start, std::move(request));
  }
  void reset() override { link_->ask(Request::reset); }
  void enter_event_mode() override { link_->ask(Request::enter_event_mode); }
  Update update() override { return take_update(link_->ask(Request::update)); }
  void continue_time() override { link_->ask(Request::continue_time); }
  bool complete_step() override { return link_->ask(Request::complete_step).take<bool>(); }
  void enter_step_mode() override { link_->ask(Request::enter_step_mode); }
  StepAnswer step(double t, double size) override {
    Message request;
    request.put(t);
    request.put(size);
    return take_step(link_->ask(Request::step, std::move(request)));
  }

  void set_time(double time) override {
    Message request;
    request.put(time);
    link_->ask(Request::set_time, std::move(request));
  }
  void set_states(ConstVectorRef x) override {
    Message request;
    request.put(x);
    link_->ask(Request::set_states, std::move(request));
  }
  void get_states(VectorRef x) override { fill(Request::get_states, {}, x); }
  void derivatives(VectorRef dx) override { fill(Request::derivatives, {}, dx); }
  void indicators(VectorRef z) override { fill(Request::indicators, {}, z); }
  void set(const Variable& variable, double value) override {
    Message request;
    request.put(link_->number_of(variable));
    request.put(value);
    link_->ask(Request::set, std::move(request));
  }
  Vector values(const std::vector<const Variable*>& variables) override {
    Message request;
    request.put(variables.size());
    for (const Variable* const one : variables) request.put(link_->number_of(*one));
    return link_->ask(Request::values, std::move(request)).take_vector();
  }
  void derivatives_by_state(std::size_t state, VectorRef column) override {
    Message request;
    request.put(state);
    fill(Request::derivatives_by_state, std::move(request), column);
  }

  std::shared_ptr<SavedState> save() override {
    return std::make_shared<IsolatedState>(link_, link_->ask(Request::save).take<std::uint64_t>());
  }
  void restore(const SavedState& state) override {
    Message request;
    request.put(dynamic_cast<const IsolatedState&>(state).number);
    link_->ask(Request::restore, std::move(request));
  }

 private:
  void fill(Request what, Message request, VectorRef values) {
    request.put(values.size());
    values = link_->ask(what, std::move(request)).take_vector();
  }

  std::shared_ptr<Link> link_;
};

}  // namespace

std::unique_ptr<Instance> make_isolated_instance(std::shared_ptr<const Fmu> fmu) {
  return std::make_unique<IsolatedInstance>(std::move(fmu));
}

std::unique_ptr<Instance> make_instance(std::shared_ptr<const Fmu> fmu) {
  if (fmu->how().isolated) return make_isolated_instance(std::move(fmu));
  // The process of an isolated one turns exceptions into words by itself.
  std::unique_ptr<Instance> made;
  const Failure failure = failure_of([&] { made = make_local_instance(fmu); });
  if (failure.outcome == Outcome::refused) throw std::invalid_argument(failure.text);
  if (!made) throw std::runtime_error(failure.text);
  return made;
}

}  // namespace slideway::fmi
