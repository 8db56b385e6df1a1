#include "run/checkpoint_log.hpp"

#include <stdexcept>

#include "run/checkpoint_fields.hpp"

namespace slideway {

namespace {

using Json = FieldsJson;

template <class Numbers>
std::string numbers_text(const Numbers& numbers) {
  return hexadecimals(numbers.data(), static_cast<std::size_t>(numbers.size()));
}

Json mode_words(const std::vector<Mode>& modes) {
  Json words = Json::array();
  for (const Mode& mode : modes) words.push_back(mode.word());
  return words;
}

std::vector<Mode> modes_from(const Json& words) {
  std::vector<Mode> modes;
  for (const Json& word : words) modes.emplace_back(word.get<std::string>());
  return modes;
}

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json or_null(const std::optional<Mode>& mode) { return mode ? Json(mode->word()) : Json(nullptr); }

std::optional<std::string> text_or_none(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<std::string>(json.get<std::string>());
}
std::optional<Mode> mode_or_none(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<Mode>(Mode(json.get<std::string>()));
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

Json event_line(const EventRecord& event) {
  return {{"t", hexadecimal(event.t)},
          {"kind", to_string(event.kind)},
          {"surfaces", std::vector<Index>(event.surfaces)},
          {"surface_names", std::vector<std::string>(event.surface_names)},
          {"name", or_null(event.name)},
          {"from", or_null(event.from)},
          {"to", or_null(event.to)},
          {"from_location", or_null(event.from_location)},
          {"to_location", or_null(event.to_location)},
          {"w_minus", numbers_text(event.w_minus)},
          {"w_plus", numbers_text(event.w_plus)},
          {"lambda", numbers_text(event.lambda)},
          {"codeword", or_null(event.codeword)},
          {"continuations", mode_words(event.continuations)},
          {"in_convex_hull", mode_words(event.in_convex_hull)},
          {"before", numbers_text(event.before)},
          {"after", numbers_text(event.after)},
          {"listed_only", event.listed_only},
          {"round", event.round},
          {"reason", event.reason}};
}

EventRecord event_from(const Json& line) {
  EventRecord event;
  const auto numbers = [&](const char* name) {
    return from_hexadecimals(line.at(name).get_ref<const std::string&>());
  };
  event.t = from_hexadecimal(line.at("t").get_ref<const std::string&>());
  event.kind = kind_from(line.at("kind").get<std::string>());
  event.surfaces = line.at("surfaces").get<std::vector<Index>>();
  event.surface_names = line.at("surface_names").get<std::vector<std::string>>();
  event.name = text_or_none(line.at("name"));
  event.from = mode_or_none(line.at("from"));
  event.to = mode_or_none(line.at("to"));
  event.from_location = text_or_none(line.at("from_location"));
  event.to_location = text_or_none(line.at("to_location"));
  event.w_minus = numbers("w_minus");
  event.w_plus = numbers("w_plus");
  event.lambda = numbers("lambda");
  event.codeword = text_or_none(line.at("codeword"));
  event.continuations = modes_from(line.at("continuations"));
  event.in_convex_hull = modes_from(line.at("in_convex_hull"));
  event.before = vector_from(line.at("before"));
  event.after = vector_from(line.at("after"));
  event.listed_only = line.at("listed_only").get<bool>();
  event.round = line.at("round").get<int>();
  event.reason = line.at("reason").get<std::string>();
  return event;
}

// By hand: there may be millions.
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
    text += Json{{"event", event_line(solution.events[position.events])}}.dump(
                -1, ' ', false, Json::error_handler_t::replace) +
            '\n';
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
