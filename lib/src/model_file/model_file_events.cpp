// read_events: the tables of resets, stops, records, contacts, locations and edges.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"

#include "model_file/model_file_tables.hpp"

namespace slideway::reader {
namespace {

class EventReader {
 public:
  EventReader(TableReader& reader, ModelDescription& model) : reader_(reader), model_(model) {}

  void read() {
    read_locations();
    read_every();
    read_events("resets", "reset", model_.resets,
                {"name", "size", "when", "direction", "across_jumps", "initially", "set", "delay", "values",
                 "priority"});
    read_events("stops", "stop", model_.stops,
                {"name", "size", "when", "direction", "across_jumps", "initially"});
    read_events("records", "record", model_.records,
                {"name", "size", "when", "direction", "across_jumps", "initially"});
    read_events("edges", "edge", model_.edges,
                {"name", "size", "from", "to", "when", "direction", "across_jumps", "initially", "set",
                 "zeno", "delay", "values", "priority"});
    read_contacts();
    read_initial_location();
  }

  EventDescription read_one(const TomlEntry& table, const std::string& kind, const Words& keys) {
    EventDescription event;
    event.position = table.position;
    reader_.check_keys(table.value, table.key, keys);
    reader_.read_text(table.value, "name", event.name);
    const std::string who = title(kind, event.name);
    if (contains(keys, "size")) read_size(table.value, who, event.size);
    event.when = reader_.required_formula(table, "when", "the guard of " + who, who);
    const auto direction = reader_.read_word(table.value, "direction", {"rising", "falling", "any"});
    if (direction)
      event.direction = static_cast<Direction>(*direction);
    else if (!event.when.empty() && is_condition(event.when.expression.tokens.back().kind))
      event.direction = Direction::rising;
    reader_.read_flag(table.value, "across_jumps", event.across_jumps);
    read_initially(table.value, event);
    const TomlEntry* const set = table.value.find("set");
    if (set != nullptr && contains(keys, "set")) reader_.read_assignments(*set, who + " sets", event.set);
    const bool sets_nothing =
        set != nullptr && set->value.kind == TomlKind::table && set->value.table.empty();
    if (kind == "reset" && (set == nullptr || sets_nothing))
      reader_.lacks_key(table, who, "'set', with a state at least");
    else if (sets_nothing && contains(keys, "set"))
      reader_.mistake(*set, who + " sets nothing", "a state at least, or no line at all", "{}");
    if (contains(keys, "delay")) read_delay(table, who, event);
    if (contains(keys, "priority")) read_priority(table.value, event.priority);
    return event;
  }

 private:
  void read_size(const TomlValue& table, const std::string& who, std::optional<Formula>& size) {
    if (const TomlEntry* const entry = table.find("size"))
      size = reader_.read_formula(entry->value, "the size of " + who);
  }

  static std::string title(const std::string& kind, const std::string& name) {
    return name.empty() ? "the " + kind : kind + " " + in_quotes(name);
  }

  void read_events(const std::string& key, const std::string& kind, std::vector<EventDescription>& events,
                   const Words& keys) {
    for (const TomlEntry& table : reader_.tables(key)) {
      events.push_back(read_one(table, kind, keys));
      if (kind == "edge") read_ends_of_edge(table, title(kind, events.back().name), events.back());
    }
  }

  void read_initially(const TomlValue& table, EventDescription& event) {
    const auto initially = reader_.read_word(table, "initially", {"fire", "wait"});
    if (!initially) return;
    event.initially = *initially == 0 ? Initially::fire : Initially::wait;
    if (*initially == 0 && event.direction == Direction::any)
      reader_.mistake(*table.find("initially"), "'initially' of an event in any direction",
                      "a line direction = \"rising\" or \"falling\" beside it", "none",
                      "past zero is above it for rising, below it for falling");
  }

  void read_delay(const TomlEntry& table, const std::string& who, EventDescription& event) {
    if (const TomlEntry* const entry = table.value.find("delay"))
      event.delay = reader_.read_formula(entry->value, "the delay of " + who);
    const auto values = reader_.read_word(table.value, "values", {"trigger", "execution"});
    if (values) event.values = static_cast<DelayedValues>(*values);
    if (values && !event.delay)
      reader_.mistake(*table.value.find("values"), "'values' of what is not delayed",
                      "a line delay = \"…\" beside it", "none");
  }

  void read_priority(const TomlValue& table, int& priority) {
    const TomlEntry* const entry = table.find("priority");
    if (entry == nullptr) return;
    constexpr double most = 1e6;
    const TomlValue& value = entry->value;
    if (value.kind == TomlKind::number && value.number == std::floor(value.number) &&
        std::abs(value.number) <= most)
      priority = static_cast<int>(value.number);
    else
      reader_.mistake(value.position, 1, "'priority' out of range",
                      "a whole number, the highest of an instant acting first, 0 where it is not given",
                      value.kind == TomlKind::number ? exact_text(value.number) : describe(value));
  }

  void read_every() {
    for (const TomlEntry& table : reader_.tables("every")) {
      EveryDescription every;
      every.position = table.position;
      reader_.check_keys(table.value, table.key,
                         {"name", "size", "period", "offset", "count", "at", "set", "priority"});
      reader_.read_text(table.value, "name", every.name);
      const std::string who = title("time event", every.name);
      read_size(table.value, who, every.size);
      for (const auto& [key, formula] :
           {std::pair{"period", &every.period}, std::pair{"offset", &every.offset},
            std::pair{"count", &every.count}}) {
        if (const TomlEntry* const entry = table.value.find(key))
          *formula = reader_.read_formula(entry->value, std::string("the ") + key + " of " + who);
      }
      read_times(table, who, every);
      read_priority(table.value, every.priority);
      const TomlEntry* const set = table.value.find("set");
      if (set != nullptr) reader_.read_assignments(*set, who + " sets", every.set);
      if (set == nullptr || (set->value.kind == TomlKind::table && set->value.table.empty()))
        reader_.lacks_key(table, who, "'set', with a state at least");
      model_.every.push_back(std::move(every));
    }
  }

  // Either a period, which an offset and a count may go with, or times.
  void read_times(const TomlEntry& table, const std::string& who, EveryDescription& every) {
    const TomlEntry* const at = table.value.find("at");
    if (at == nullptr) {
      if (!every.period) reader_.lacks_key(table, who, "'period' = \"Ts\", or 'at' with a list of times");
      return;
    }
    every.at_position = at->value.position;
    for (const char* const key : {"period", "offset", "count"}) {
      if (const TomlEntry* const entry = table.value.find(key))
        reader_.mistake(*entry, in_quotes(key) + " beside 'at'", "either 'at' or 'period'", "both",
                        "for both, write two tables [[every]]");
    }
    const bool is_list = at->value.kind == TomlKind::array;
    const std::vector<TomlValue> times = is_list ? at->value.array : std::vector<TomlValue>{at->value};
    for (std::size_t k = 0; k < times.size(); ++k)
      every.at.push_back(reader_.read_formula(times[k], "time " + std::to_string(k + 1) + " of " + who));
    if (times.empty())
      reader_.mistake(at->value.position, 1, "'at' without a time", "times such as at = [1, \"t2\"]", "none");
  }

  void read_ends_of_edge(const TomlEntry& table, const std::string& who, EventDescription& edge) {
    for (const char* const key : {"from", "to"})
      if (table.value.find(key) == nullptr) reader_.lacks_key(table, who, std::string("'") + key + "'");
    edge.from = read_location(table.value, "from", who).value_or(0);
    edge.to = read_location(table.value, "to", who).value_or(0);
    edge.zeno = read_location(table.value, "zeno", who);
  }

  std::optional<std::size_t> read_location(const TomlValue& table, const std::string& key,
                                           const std::string& who) {
    const TomlEntry* const entry = table.find(key);
    if (entry == nullptr) return std::nullopt;
    return find_location(entry->value, "'" + key + "'" + (who.empty() ? "" : " of " + who));
  }

  std::optional<std::size_t> find_location(const TomlValue& value, const std::string& what) {
    if (!reader_.expect(value, TomlKind::string, what, "the name of a location")) return std::nullopt;
    Words names;
    for (const LocationDescription& location : model_.locations) names.push_back(location.name);
    const auto place = std::find(names.begin(), names.end(), value.string);
    if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
    reader_.mistake(value.position, value.string.size() + 2, what + " is an unknown location",
                    names.empty() ? "[[locations]] that define it" : one_of(names), in_quotes(value.string),
                    suggestion(value.string, names));
    return std::nullopt;
  }

  void read_locations() {
    for (const TomlEntry& table : reader_.tables("locations")) {
      LocationDescription location;
      location.position = table.position;
      reader_.check_keys(table.value, table.key, {"name", "derivatives"});
      reader_.read_text(table.value, "name", location.name);
      if (table.value.find("name") == nullptr) reader_.lacks_key(table, "the location", "'name'");
      const TomlEntry* const derivatives = table.value.find("derivatives");
      if (derivatives != nullptr && reader_.expect(derivatives->value, TomlKind::table, "'derivatives'",
                                                   "a table [locations.derivatives]"))
        reader_.read_derivatives(derivatives->value, location.derivatives);
      model_.locations.push_back(std::move(location));
    }
  }

  void read_initial_location() {
    if (reader_.root().find("initial") != nullptr) {
      model_.initial_location = read_location(reader_.root(), "initial", "").value_or(0);
    } else if (!model_.locations.empty() && !reader_.found_misplaced_initial()) {
      reader_.mistake(model_.locations.front().position, 1, "no initial location",
                      "a line initial = \"" + model_.locations.front().name + "\" before the first [table]",
                      "none");
    }
  }

  void read_contacts() {
    for (const TomlEntry& table : reader_.tables("contacts")) {
      ContactDescription contact;
      contact.position = table.position;
      reader_.check_keys(table.value, table.key,
                         {"name", "size", "gap", "acts_on", "restitution", "friction", "impact_law"});
      reader_.read_text(table.value, "name", contact.name);
      const std::string who = title("contact", contact.name);
      read_size(table.value, who, contact.size);
      contact.gap = reader_.required_formula(table, "gap", "the gap of " + who, who);
      contact.restitution = reader_.required_formula(table, "restitution", "the restitution of " + who, who);
      const TomlEntry* const acts_on = table.value.find("acts_on");
      if (acts_on != nullptr) reader_.read_assignments(*acts_on, who + " acts on", contact.acts_on);
      if (acts_on == nullptr || (acts_on->value.kind == TomlKind::table && acts_on->value.table.empty()))
        reader_.lacks_key(table, who, "'acts_on', with a state at least");
      const auto law = reader_.read_word(table.value, "impact_law", {"newton", "poisson"});
      if (law) contact.impact_law = *law == 0 ? ImpactLaw::newton : ImpactLaw::poisson;
      if (const TomlEntry* const friction = table.value.find("friction"))
        read_contact_friction(*friction, who, contact);
      model_.contacts.push_back(std::move(contact));
    }
  }

  void read_contact_friction(const TomlEntry& entry, const std::string& contact_name,
                             ContactDescription& contact) {
    const std::string who = "the friction of " + contact_name;
    if (!reader_.expect(entry.value, TomlKind::table, who,
                        "a table { mu = 0.3, velocity = \"v\", acts_on = { v = \"1/m\" } }"))
      return;
    reader_.check_keys(entry.value, who, {"name", "mu", "mu_s", "velocity", "acts_on", "in_impact"});
    ContactFrictionDescription friction;
    friction.position = entry.position;
    friction.coefficient = reader_.required_formula(entry, "mu", "mu of " + who, who);
    if (const TomlEntry* const at_rest = entry.value.find("mu_s"))
      friction.at_rest = reader_.read_formula(at_rest->value, "mu_s of " + who);
    const TomlEntry* const velocity = entry.value.find("velocity");
    const bool is_in_plane = velocity != nullptr && velocity->value.kind == TomlKind::array;
    const std::size_t parts = is_in_plane ? 2 : 1;
    const auto parts_of = [&](const TomlEntry& key, const std::string& what, const std::string& example) {
      std::vector<TomlEntry> found;
      if (!is_in_plane && key.value.kind != TomlKind::array) return std::vector<TomlEntry>{key};
      for (const TomlValue& value : key.value.array) found.push_back({key.key, value.position, value});
      if (key.value.kind == TomlKind::array && found.size() == parts) return found;
      reader_.mistake(
          key, what + " of " + who + (is_in_plane ? ", which is in a plane" : ", which is along a line"),
          is_in_plane ? "two of them, " + example : "one, or a list of two velocities as well",
          key.value.kind == TomlKind::array ? std::to_string(found.size()) : "one", "");
      return std::vector<TomlEntry>();
    };
    if (is_in_plane) {
      for (const TomlEntry& part : parts_of(*velocity, "the velocities", "velocity = [\"vx\", \"vy\"]"))
        friction.velocities.push_back(reader_.read_formula(part.value, "a velocity of " + who));
    } else {
      friction.velocities = {reader_.required_formula(entry, "velocity", "the velocity of " + who, who)};
    }
    if (const TomlEntry* const name = entry.value.find("name")) {
      for (const TomlEntry& part : parts_of(*name, "the names", "name = [\"Fx\", \"Fy\"]")) {
        if (!reader_.expect(part.value, TomlKind::string, "the name of " + who, "a text")) return;
        friction.names.push_back(part.value.string);
        if (is_identifier(part.value.string)) continue;
        reader_.mistake(part, "not a name for " + who, "letters, digits and '_', a digit not first",
                        in_quotes(part.value.string), "it stands in --observe");
      }
    }
    const TomlEntry* const acts_on = entry.value.find("acts_on");
    if (acts_on == nullptr || (acts_on->value.kind == TomlKind::table && acts_on->value.table.empty())) {
      reader_.lacks_key(entry, who, "'acts_on', with a state at least");
    } else {
      for (const TomlEntry& part :
           parts_of(*acts_on, "'acts_on'", "acts_on = [{ vx = \"1/m\" }, { vy = \"1/m\" }]")) {
        reader_.read_assignments(part, who + " acts on", friction.acts_on.emplace_back());
        if (part.value.kind == TomlKind::table && part.value.table.empty())
          reader_.lacks_key(entry, who, "'acts_on', with a state at least in each part");
      }
    }
    if (const auto sign = reader_.read_word(entry.value, "in_impact", {"through", "end"})) {
      friction.in_impact = *sign == 0 ? ImpactFriction::followed : ImpactFriction::at_end;
      if (is_in_plane && *sign == 0) {
        reader_.mistake(*entry.value.find("in_impact"), "in_impact of " + who + ", which is in a plane",
                        "\"end\", or no in_impact", "\"through\"",
                        "only friction along a line is followed through an impact");
      }
    }
    if (friction.velocities.size() != parts || friction.acts_on.size() != parts) return;
    contact.friction = std::move(friction);
  }

  TableReader& reader_;
  ModelDescription& model_;
};

}  // namespace

EventDescription read_event(TableReader& reader, ModelDescription& model, const TomlEntry& table,
                            const std::string& kind, const Words& keys) {
  return EventReader(reader, model).read_one(table, kind, keys);
}

void read_events(TableReader& reader, ModelDescription& model) { EventReader(reader, model).read(); }

}  // namespace slideway::reader
