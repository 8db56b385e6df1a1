#include "audit/written_events.hpp"

#include <limits>

namespace slideway::auditing {
namespace {

class EventReader {
 public:
  EventReader(const reader::ModelDescription& model, WrittenField& field) : model_(model), field_(field) {}

  std::vector<WrittenEvent> all() {
    for (const auto& event : model_.resets) read(event, WrittenEvent::Kind::reset);
    for (const auto& event : model_.stops) read(event, WrittenEvent::Kind::stop);
    for (const auto& event : model_.records) read(event, WrittenEvent::Kind::record);
    for (const auto& edge : model_.edges) {
      for (WrittenEvent* made : read(edge, WrittenEvent::Kind::edge)) {
        made->from = model_.locations[edge.from].name;
        made->to = model_.locations[edge.to].name;
      }
    }
    for (const auto& automaton : model_.automata)
      for (const auto& edge : automaton.edges) read_edge(automaton, edge);
    for (const auto& every : model_.every) read_every(every);
    return std::move(events_);
  }

 private:
  static std::string numbered(const std::string& name, bool is_many, std::uint32_t k) {
    return name.empty() || !is_many ? name : name + std::to_string(k);
  }

  // The pointers hold until the next one is read.
  std::vector<WrittenEvent*> read(const reader::EventDescription& event, WrittenEvent::Kind kind) {
    const Root when = field_.tree().compile(event.when);
    const std::uint32_t count = field_.count_of(event.size);
    const std::size_t first = events_.size();
    for (std::uint32_t k = 1; k <= count; ++k) {
      WrittenEvent made;
      made.kind = kind;
      made.name = numbered(event.name, event.size.has_value(), k);
      made.when = when;
      made.i = event.size ? k : 0;
      made.direction = event.direction;
      made.across_jumps = event.across_jumps;
      made.waits = event.initially == Initially::wait;
      made.text = event.when.expression.text;
      made.set = field_.lines_of(event.set, made.i);
      if (event.delay) made.delay = field_.constant(*event.delay, {made.i, 0});
      made.sets_at_trigger = reader::delayed_values(model_, event) == DelayedValues::trigger;
      events_.push_back(std::move(made));
    }
    std::vector<WrittenEvent*> made;
    for (std::size_t k = first; k < events_.size(); ++k) made.push_back(&events_[k]);
    return made;
  }

  // An edge of several automata that are one vector stands for one of each.
  void read_edge(const reader::AutomatonDescription& automaton, const reader::EventDescription& edge) {
    const std::uint32_t first = field_.tree().first_state(automaton.state);
    for (WrittenEvent* made : read(edge, WrittenEvent::Kind::automaton_edge)) {
      made->automaton = first + (made->i > 0 ? made->i - 1 : 0);
      made->from_number = static_cast<double>(edge.from + 1);
      made->to_number = static_cast<double>(edge.to + 1);
    }
  }

  void read_every(const reader::EveryDescription& every) {
    const std::uint32_t count = field_.count_of(every.size);
    for (std::uint32_t k = 1; k <= count; ++k) {
      WrittenEvent made;
      made.kind = WrittenEvent::Kind::sample;
      made.name = numbered(every.name, every.size.has_value(), k);
      made.i = every.size ? k : 0;
      const Indices at{made.i, 0};
      for (const reader::Formula& time : every.at) made.times.push_back(field_.constant(time, at));
      if (every.period) made.period = field_.constant(*every.period, at);
      if (every.offset) made.offset = field_.constant(*every.offset, at);
      made.count = every.count ? field_.constant(*every.count, at) : std::numeric_limits<double>::infinity();
      made.set = field_.lines_of(every.set, made.i);
      events_.push_back(std::move(made));
    }
  }

  const reader::ModelDescription& model_;
  WrittenField& field_;
  std::vector<WrittenEvent> events_ = {};
};

}  // namespace

std::vector<WrittenEvent> written_events(const WrittenModel& written, WrittenField& field) {
  return EventReader(*written.description, field).all();
}

}  // namespace slideway::auditing
