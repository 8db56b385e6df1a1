#include "run/checkpoint_log.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "run/field_saver.hpp"

namespace slideway {

namespace {

using Json = FieldsJson;

std::vector<Mode> modes_from(const Json& words) {
  std::vector<Mode> modes;
  for (const Json& word : words) modes.emplace_back(word.get<std::string>());
  return modes;
}

Vector vector_from(const Json& json) {
  const std::vector<double> numbers = from_hexadecimals(json.get_ref<const std::string&>());
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

EventKind kind_from(const std::string& word) {
  for (int kind = 0; kind <= static_cast<int>(EventKind::stop); ++kind) {
    if (to_string(static_cast<EventKind>(kind)) == word) return static_cast<EventKind>(kind);
  }
  throw std::runtime_error("'" + word + "' is no kind of event");
}

// A line of the log for an event. The text is made without a document, since there may be millions; fields with their default values
// are left out.
class EventLine {
 public:
  EventLine(const EventRecord& event, std::string& text) : text_(text) {
    text_ += "{\"event\":{\"t\":\"";
    append_hexadecimal(event.t, text_);
    text_ += '"';
    add("kind", std::string_view(to_string(event.kind)));
    add_list("surfaces", event.surfaces, [&](Index surface) { text_ += std::to_string(surface); });
    add_list("surface_names", event.surface_names, [&](const std::string& name) { append(name); });
    add_text("name", event.name);
    add_mode("from", event.from);
    add_mode("to", event.to);
    add_text("from_location", event.from_location);
    add_text("to_location", event.to_location);
    add_numbers("w_minus", event.w_minus);
    add_numbers("w_plus", event.w_plus);
    add_numbers("lambda", event.lambda);
    add_text("codeword", event.codeword);
    add_list("continuations", event.continuations, [&](const Mode& mode) { append(mode.word()); });
    add_list("in_convex_hull", event.in_convex_hull, [&](const Mode& mode) { append(mode.word()); });
    add_numbers("before", event.before);
    // Most events change no state.
    if (event.before.size() > 0 && are_same_bits(event.before, event.after)) {
      text_ += ",\"after\":\"before\"";
    } else {
      add_numbers("after", event.after);
    }
    if (event.listed_only) text_ += ",\"listed_only\":true";
    if (event.round != 0) text_ += ",\"round\":" + std::to_string(event.round);
    add("reason", event.reason);
    text_ += "}}\n";
  }

 private:
  void append(std::string_view text) {
    const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
    if (std::all_of(text.begin(), text.end(), is_plain)) {
      text_ += '"';
      text_ += text;
      text_ += '"';
    } else {
      text_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  void begin(std::string_view name) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":";
  }
  static bool are_same_bits(const Vector& one, const Vector& other) {
    return one.size() == other.size() &&
           std::memcmp(one.data(), other.data(), static_cast<std::size_t>(one.size()) * sizeof(double)) == 0;
  }
  void add(std::string_view name, std::string_view text) {
    begin(name);
    append(text);
  }
  void add_text(std::string_view name, const std::optional<std::string>& text) {
    if (text) add(name, *text);
  }
  void add_mode(std::string_view name, const std::optional<Mode>& mode) {
    if (mode) add(name, mode->word());
  }
  template <class Numbers>
  void add_numbers(std::string_view name, const Numbers& numbers) {
    if (numbers.size() == 0) return;
    begin(name);
    text_ += '"';
    append_hexadecimals(numbers.data(), static_cast<std::size_t>(numbers.size()), text_);
    text_ += '"';
  }
  template <class List, class Append>
  void add_list(std::string_view name, const List& list, const Append& append_one) {
    if (list.size() == 0) return;
    begin(name);
    text_ += '[';
    for (const auto& one : list) {
      append_one(one);
      text_ += ',';
    }
    text_.back() = ']';
  }

  std::string& text_;
};

EventRecord event_from(const Json& line) {
  EventRecord event;
  const auto read = [&](const char* name, const auto& use) {
    const auto found = line.find(name);
    if (found != line.end()) use(*found);
  };
  const auto read_text = [&](const char* name, std::optional<std::string>& text) {
    read(name, [&](const Json& value) { text = value.get<std::string>(); });
  };
  const auto read_mode = [&](const char* name, std::optional<Mode>& mode) {
    read(name, [&](const Json& value) { mode = Mode(value.get<std::string>()); });
  };
  const auto read_numbers = [&](const char* name, ShortList<double>& numbers) {
    read(name, [&](const Json& value) { numbers = from_hexadecimals(value.get_ref<const std::string&>()); });
  };
  event.t = from_hexadecimal(line.at("t").get_ref<const std::string&>());
  event.kind = kind_from(line.at("kind").get<std::string>());
  read("surfaces", [&](const Json& value) { event.surfaces = value.get<std::vector<Index>>(); });
  read("surface_names",
       [&](const Json& value) { event.surface_names = value.get<std::vector<std::string>>(); });
  read_text("name", event.name);
  read_mode("from", event.from);
  read_mode("to", event.to);
  read_text("from_location", event.from_location);
  read_text("to_location", event.to_location);
  read_numbers("w_minus", event.w_minus);
  read_numbers("w_plus", event.w_plus);
  read_numbers("lambda", event.lambda);
  read_text("codeword", event.codeword);
  read("continuations", [&](const Json& value) { event.continuations = modes_from(value); });
  read("in_convex_hull", [&](const Json& value) { event.in_convex_hull = modes_from(value); });
  read("before", [&](const Json& value) { event.before = vector_from(value); });
  read("after", [&](const Json& value) {
    event.after = value.get_ref<const std::string&>() == "before" ? event.before : vector_from(value);
  });
  read("listed_only", [&](const Json& value) { event.listed_only = value.get<bool>(); });
  read("round", [&](const Json& value) { event.round = value.get<int>(); });
  event.reason = line.at("reason").get<std::string>();
  return event;
}

// append_step_line() writes the text by hand, since there may be millions of lines.
void append_step_line(const Trajectory::StepPolynomial& step, std::string& text) {
  text += "{\"step\":\"";
  for (const double value : {step.start, step.end, step.center, step.scale}) {
    append_hexadecimal(value, text);
    text += ' ';
  }
  for (Index k = 0; k < step.coefficients.size(); ++k) {
    append_hexadecimal(step.coefficients.data()[k], text);
    text += ' ';
  }
  text.back() = '"';
  text += "}\n";
}

void add_step_line(const std::string& numbers, Trajectory& trajectory) {
  const std::vector<double> values = from_hexadecimals(numbers);
  constexpr std::size_t kBefore = 4;
  const auto states = static_cast<std::size_t>(trajectory.states());
  if (trajectory.empty() || values.size() <= kBefore || states == 0 ||
      (values.size() - kBefore) % states != 0)
    throw std::runtime_error("a step does not fit the states");
  const Eigen::Map<const Matrix> coefficients(values.data() + kBefore, trajectory.states(),
                                              static_cast<Index>((values.size() - kBefore) / states));
  trajectory.add_step(values[0], values[1], values[2], values[3], coefficients);
}

}  // namespace

std::uint64_t checksum_after(std::uint64_t before, const std::string& text) {
  constexpr std::uint64_t kPrime = 0x100000001b3ULL;
  for (const char character : text) {
    before ^= static_cast<unsigned char>(character);
    before *= kPrime;
  }
  return before;
}

std::string log_lines(const Solution& solution, LogPosition& position) {
  std::string text;
  for (; position.events < solution.events.size(); ++position.events)
    EventLine(solution.events[position.events], text);
  const std::vector<Segment>& segments = solution.trajectory.segments();
  const std::size_t steps = solution.trajectory.steps();
  const auto append_steps = [&](std::size_t end) {
    for (; position.steps < end; ++position.steps)
      append_step_line(solution.trajectory.step(position.steps), text);
  };
  for (; position.segments < segments.size(); ++position.segments) {
    const Segment& segment = segments[position.segments];
    append_steps(segment.first_step);
    if (segment.first_step == steps) break;
    text +=
        Json{{"segment", {hexadecimal(segment.start), segment.mode.word(), segment.location}}}.dump() + '\n';
  }
  append_steps(steps);
  position.bytes += text.size();
  position.checksum = checksum_after(position.checksum, text);
  return text;
}

void read_log_lines(const std::string& lines, Solution& solution) {
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const Json line = Json::parse(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                  lines.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end + 1;
    if (line.contains("event")) {
      solution.events.push_back(event_from(line.at("event")));
    } else if (line.contains("segment")) {
      const Json& segment = line.at("segment");
      solution.trajectory.begin_segment(from_hexadecimal(segment.at(0).get_ref<const std::string&>()),
                                        Mode(segment.at(1).get<std::string>()),
                                        segment.at(2).get<std::string>());
    } else {
      add_step_line(line.at("step").get_ref<const std::string&>(), solution.trajectory);
    }
  }
}

}  // namespace slideway
