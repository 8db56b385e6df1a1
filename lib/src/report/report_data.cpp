#include "report/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "report/event_json.hpp"
#include "report/refine_curves.hpp"

namespace slideway {

namespace {

// More is not looked at, nor does it do a browser any good.
constexpr Index most_states = 40;
// The search for the states that a surface depends on is left out for more states than these.
constexpr Index most_states_searched = 12;
constexpr std::ptrdiff_t most_states_shown = 4;
constexpr std::size_t most_numbers = 240000;
constexpr std::size_t most_segments = 40000;
constexpr std::size_t first_events = 9000;
constexpr std::size_t last_events = 1000;
// Events of a kind between the first and the last ones have this many marks, evenly over time.
constexpr double most_marks_between = 400;
constexpr Index most_surfaces_in_word = 100;
constexpr Index most_surfaces_drawn = 12;

// The shortest text that is read as the same number: a curve may move in the last digits only.
std::string number_json(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

// JSON inside a page: nothing in it can end the element it is in.
std::string embedded(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    if (character == '<')
      result += "\\u003c";
    else
      result += character;
  }
  return result;
}

std::size_t most_samples_of(std::size_t curves) {
  return std::clamp(most_numbers / (curves + 1), std::size_t{2000}, std::size_t{20000});
}

// The samples kept, and at which of them a new piece begins.
struct Thinned {
  std::vector<const Sample*> samples = {};
  std::vector<std::size_t> breaks = {};
};

// thin() keeps the first and the last sample of every stretch of time, and the lowest and the highest of every
// state.
Thinned thin(const RunCurves& curves, std::size_t most) {
  struct Place {
    const Sample* sample;
    std::size_t piece;
  };
  std::vector<Place> all;
  for (std::size_t p = 0; p < curves.whole.size(); ++p) {
    for (const Sample& sample : curves.whole[p]) all.push_back({&sample, p});
  }
  std::vector<char> keep(all.size(), all.size() <= most ? 1 : 0);
  if (all.size() > most) {
    const auto states = static_cast<std::size_t>(all.front().sample->state.size());
    const auto stretches = std::max<std::size_t>(most / (2 * states + 2), 100);
    const double width = curves.time.width() / static_cast<double>(stretches);
    for (std::size_t begin = 0; begin < all.size();) {
      const auto stretch = [&](std::size_t i) {
        return std::floor((all[i].sample->t - curves.time.low) / width);
      };
      std::size_t end = begin + 1;
      while (end < all.size() && stretch(end) == stretch(begin)) ++end;
      keep[begin] = keep[end - 1] = 1;
      for (std::size_t j = 0; j < states; ++j) {
        const auto by_value = [&](const Place& a, const Place& b) {
          return a.sample->state(static_cast<Index>(j)) < b.sample->state(static_cast<Index>(j));
        };
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto to = all.begin() + static_cast<std::ptrdiff_t>(end);
        const auto [low, high] = std::minmax_element(from, to, by_value);
        keep[static_cast<std::size_t>(low - all.begin())] =
            keep[static_cast<std::size_t>(high - all.begin())] = 1;
      }
      begin = end;
    }
  }
  Thinned result;
  std::size_t piece = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!keep[i]) continue;
    if (!result.samples.empty() && all[i].piece != piece) result.breaks.push_back(result.samples.size());
    piece = all[i].piece;
    result.samples.push_back(all[i].sample);
  }
  return result;
}

std::vector<double> roots(const Eigen::Ref<const Vector>& values, const Range& range) {
  std::vector<double> found;
  const auto at = [&](double index) {
    return range.low + range.width() * index / static_cast<double>(values.size() - 1);
  };
  for (Index i = 0; i + 1 < values.size(); ++i) {
    if (values[i] == 0) {
      found.push_back(at(static_cast<double>(i)));
    } else if (values[i] * values[i + 1] < 0) {
      found.push_back(at(static_cast<double>(i) + values[i] / (values[i] - values[i + 1])));
    }
  }
  return found;
}

// append_zero_set() draws, in each cell of the grid with both signs, the line between the zeros of its edges.
void append_zero_set(const GuardGrid& grid, Json& lines) {
  const Matrix& h = grid.values;
  const auto x = [&](double column) {
    return grid.x.low + grid.x.width() * column / static_cast<double>(h.cols() - 1);
  };
  const auto y = [&](double row) {
    return grid.y.low + grid.y.width() * row / static_cast<double>(h.rows() - 1);
  };
  for (Index row = 0; row + 1 < h.rows(); ++row) {
    for (Index column = 0; column + 1 < h.cols(); ++column) {
      std::vector<double> points;
      const auto edge = [&](double a, double b, double row_a, double column_a, double row_step,
                            double column_step) {
        if ((a < 0) == (b < 0)) return;
        const double part = a / (a - b);
        points.push_back(x(column_a + part * column_step));
        points.push_back(y(row_a + part * row_step));
      };
      const auto r = static_cast<double>(row);
      const auto c = static_cast<double>(column);
      edge(h(row, column), h(row, column + 1), r, c, 0, 1);
      edge(h(row + 1, column), h(row + 1, column + 1), r + 1, c, 0, 1);
      edge(h(row, column), h(row + 1, column), r, c, 1, 0);
      edge(h(row, column + 1), h(row + 1, column + 1), r, c + 1, 1, 0);
      if (points.size() >= 4) lines.push_back({points[0], points[1], points[2], points[3]});
    }
  }
}

Json event_of(const EventRecord& record, const System& system) {
  const auto word = [&](const Mode& mode) {
    return record.listed_only || mode.size() > most_surfaces_in_word ? listed_word(record, mode)
                                                                     : mode.word();
  };
  Json object = event_json(record, word);
  object["reason"] = record.reason;
  for (const auto& [name, list] : {std::pair{"continuations", &record.continuations},
                                   std::pair{"in_convex_hull", &record.in_convex_hull}}) {
    if (!list->empty()) object[name] = words_of(*list, word);
  }
  for (const auto& [name, state] : {std::pair{"before", &record.before}, std::pair{"after", &record.after}}) {
    if (state->size() == 0) continue;
    Json values = Json::object();
    for (Index i = 0; i < state->size() && i < 2 * most_states; ++i)
      values[system.state_names()[static_cast<std::size_t>(i)]] = number_or_null((*state)(i));
    object[name] = std::move(values);
  }
  return object;
}

}  // namespace

std::string mode_word(const Mode& mode) {
  if (mode.size() <= most_surfaces_in_word) return mode.word();
  return fmt::format("{} of {} surfaces slide", mode.codimension(), mode.size());
}

ReportData::ReportData(const RunReport& report, const PlotOptions& picture)
    : report_(report), system_(report.instance.system), solution_(report.solution) {
  check_phase(picture, curve_names(report));
  check_states(picture, system_.state_names());
  const auto add_states = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (const Index curve = curve_index(report, name); curve < system_.states()) add_state(curve);
  };
  add_states(picture.states.empty() ? picture.phase : picture.states);
  const std::ptrdiff_t asked_for = std::ssize(kept_);
  add_states(picture.phase);
  for (Index i = 0; i < system_.states() && static_cast<Index>(kept_.size()) < most_states; ++i) add_state(i);
  // The states keep the order of the model; the first ones are shown without a choice.
  std::vector<Index> chosen(kept_.begin(), kept_.begin() + asked_for);
  std::sort(kept_.begin(), kept_.end());
  if (chosen.empty())
    chosen.assign(kept_.begin(), kept_.begin() + std::min(std::ssize(kept_), most_states_shown));
  const Index observables = report.observation ? std::min(report.observation->size(), most_states) : 0;
  for (Index k = 0; k < observables; ++k) {
    kept_.push_back(system_.states() + k);
    if (k < most_states_shown) chosen.push_back(kept_.back());
  }
  for (const Index curve : chosen) chosen_.push_back(place_of(curve));
  std::sort(chosen_.begin(), chosen_.end());
  for (const std::string& name : picture.phase) phase_.push_back(place_of(curve_index(report, name)));
  if (phase_.empty() && system_.states() == 2) phase_ = {0, 1};
  if (phase_.size() > 2) phase_.clear();
  curves_ = sample_run(solution_, kept_, report.observation);
  refine_curves(curves_, solution_, kept_, report.observation, most_samples_of(kept_.size()));
}

Index ReportData::states() const {
  return std::count_if(kept_.begin(), kept_.end(), [&](Index curve) { return curve < system_.states(); });
}

void ReportData::add_state(Index state) {
  if (std::find(kept_.begin(), kept_.end(), state) == kept_.end()) kept_.push_back(state);
}

std::size_t ReportData::place_of(Index state) const {
  return static_cast<std::size_t>(std::find(kept_.begin(), kept_.end(), state) - kept_.begin());
}

void ReportData::write(std::ostream& out) const {
  out << "{\"model\":" << embedded(Json(report_.model))
      << ",\"start\":" << number_json(report_.instance.start)
      << ",\"end\":" << number_json(solution_.outcome.succeeded() ? solution_.final.t : report_.instance.end)
      << ",\"solved\":" << number_json(solution_.final.t) << ",\"shown\":" << Json(chosen_).dump()
      << ",\"portrait\":" << (phase_.empty() ? "null" : Json(phase_).dump()) << ",\n";
  write_curves(out);
  write_segments(out);
  write_surfaces(out);
  write_events(out);
  out << "}\n";
}

void ReportData::write_curves(std::ostream& out) const {
  Json names = Json::array();
  for (const Index curve : kept_) names.push_back(curve_name(report_, curve));
  const Thinned thinned = thin(curves_, most_samples_of(kept_.size()));
  std::string text = "\"curves\":{\"names\":" + embedded(names) +
                     ",\n\"breaks\":" + Json(thinned.breaks).dump() + ",\n\"t\":[";
  const auto append_list = [&](const auto& value) {
    for (std::size_t i = 0; i < thinned.samples.size(); ++i) {
      if (i > 0) text += ',';
      text += number_json(value(*thinned.samples[i]));
    }
    text += ']';
  };
  append_list([](const Sample& sample) { return sample.t; });
  text += ",\n\"x\":[";
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    text += k > 0 ? ",\n[" : "[";
    append_list([k](const Sample& sample) { return sample.state(static_cast<Index>(k)); });
  }
  out << text << "]},\n";
}

void ReportData::write_segments(std::ostream& out) const {
  // Neighbours that nobody can tell apart are one band.
  std::vector<Range> bands;
  for (const Range& interval : curves_.intervals) {
    if (!bands.empty() && interval.low - bands.back().high < curves_.time.width() / 20000)
      bands.back().high = interval.high;
    else
      bands.push_back(interval);
  }
  Json band_list = Json::array();
  for (const Range& band : bands) band_list.push_back({band.low, band.high});
  out << "\"bands\":" << band_list.dump() << ",\n";

  std::map<std::string, std::size_t> words, places;
  Json modes = Json::array(), locations = Json::array(), t = Json::array(), mode = Json::array(),
       slides = Json::array(), location = Json::array();
  const auto index = [](std::map<std::string, std::size_t>& known, Json& list, const std::string& text) {
    const auto [found, is_new] = known.try_emplace(text, known.size());
    if (is_new) list.push_back(text);
    return found->second;
  };
  const std::vector<Segment>& all = solution_.trajectory.segments();
  if (all.size() <= most_segments) {
    for (const Segment& segment : all) {
      t.push_back(number_or_null(segment.start));
      mode.push_back(index(words, modes, mode_word(segment.mode)));
      slides.push_back(segment.mode.codimension() > 0 ? 1 : 0);
      location.push_back(index(places, locations, segment.location));
    }
  }
  const bool has_locations = !solution_.initial.location.empty();
  out << "\"modes\":" << embedded(modes) << ",\"locations\":" << embedded(locations)
      << ",\n\"segments\":{\"t\":" << t.dump() << ",\"mode\":" << mode.dump()
      << ",\"slides\":" << slides.dump() << ",\"location\":" << (has_locations ? location.dump() : "null")
      << "},\n";
}

// Surfaces that are a fixed value of one state, and those that are a fixed line in the plane of two.
void ReportData::write_surfaces(std::ostream& out) const {
  Json levels = Json::array();
  Json lines = Json::array();
  const bool drawable = system_.states() <= most_states_searched && system_.states() == states() &&
                        system_.surfaces() <= most_surfaces_drawn && !curves_.whole.empty();
  for (Index surface = 0; drawable && surface < system_.surfaces(); ++surface) {
    std::vector<Index> of;
    for (Index state = 0; state < system_.states(); ++state) {
      std::vector<Index> others;
      for (Index other = 0; other < system_.states(); ++other)
        if (other != state) others.push_back(other);
      if (!depends_only_on(system_, surface, others, curves_)) of.push_back(state);
    }
    if (of.empty() || of.size() > 2 || guard_moves(system_, surface, curves_)) continue;
    if (of.size() == 1) {
      const auto grid = guard_over_time(system_, surface, of[0], curves_);
      if (!grid) continue;
      for (const double value : roots(grid->values.col(0), grid->y))
        levels.push_back({{"state", of[0]}, {"surface", surface}, {"value", value}});
      continue;
    }
    Json pieces = Json::array();
    append_zero_set(
        guard_over_plane(system_, surface, curves_.time.high, solution_.final.state, of[0], of[1], curves_),
        pieces);
    if (!pieces.empty()) lines.push_back({{"across", of[0]}, {"up", of[1]}, {"pieces", std::move(pieces)}});
  }
  out << "\"levels\":" << levels.dump() << ",\n\"lines\":" << lines.dump() << ",\n";
}

void ReportData::write_events(std::ostream& out) const {
  const EventLog& all = solution_.events;
  const bool gap = all.size() > first_events + last_events;
  out << "\"gap\":"
      << (gap ? fmt::format("{{\"after\":{},\"count\":{}}}", first_events,
                            all.size() - first_events - last_events)
              : std::string("null"))
      << ",\n\"events\":[";
  const char* separator = "\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (gap && i >= first_events && i + last_events < all.size()) continue;
    out << separator << embedded(event_of(all[i], system_));
    separator = ",\n";
  }
  out << "],\n\"between\":";
  if (gap)
    write_between(out, first_events, all.size() - last_events);
  else
    out << "[]\n";
}

// The marks of the events that are left out: kind, time and the value of each curve.
void ReportData::write_between(std::ostream& out, std::size_t begin, std::size_t end) const {
  const EventLog& all = solution_.events;
  const Trajectory& trajectory = solution_.trajectory;
  const double apart = (all[end - 1].t - all[begin].t) / most_marks_between;
  std::map<EventKind, double> last;
  const char* separator = "[\n";
  for (std::size_t i = begin; i < end; ++i) {
    const EventRecord event = all[i];
    const auto [of_kind, is_first] = last.try_emplace(event.kind, event.t);
    if (!is_first && event.t < of_kind->second + apart) continue;
    of_kind->second = event.t;
    const Vector state = event.after.size() > 0 ? event.after : trajectory(event.t);
    const Vector values = keep(
        kept_, {event.t, trajectory.mode(event.t), state, trajectory.location(event.t)}, report_.observation);
    out << separator << "{\"kind\":" << Json(to_string(event.kind)).dump()
        << ",\"t\":" << number_json(event.t) << ",\"values\":[";
    for (Index k = 0; k < values.size(); ++k) out << (k > 0 ? "," : "") << number_json(values(k));
    out << "]}";
    separator = ",\n";
  }
  out << "]\n";
}

}  // namespace slideway
