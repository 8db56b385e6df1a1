// The events of a model file as it is written: resets, stops, records, edges of locations and of automata, and known times.
#pragma once

#include <string>
#include <vector>

#include "audit/written_field.hpp"

namespace slideway::auditing {

struct WrittenEvent {
  enum class Kind { reset, stop, record, edge, automaton_edge, sample };
  Kind kind = Kind::record;
  std::string name = {};  // with the number of its element; "" where the file gives none
  Root when = no_root;    // none of a sample
  std::uint32_t i = 0;
  Direction direction = Direction::any;
  bool across_jumps = true;
  bool waits = false;  // `initially` is "wait"
  std::string text = {};
  std::vector<Line> set = {};
  double delay = 0;
  bool sets_at_trigger = false;  // a delayed one sets what its values are at its trigger
  // Edges: of locations by their names, of automata by the state that holds the number.
  std::string from = {};
  std::string to = {};
  std::uint32_t automaton = 0;
  double from_number = 0;
  double to_number = 0;
  // Samples: `times` where they are listed, or offset + k·period.
  std::vector<double> times = {};
  double offset = 0;
  double period = 0;
  double count = 0;  // infinite without end

  bool is_edge() const { return kind == Kind::edge || kind == Kind::automaton_edge; }
  bool sets_states() const { return kind != Kind::stop && kind != Kind::record; }
};

std::vector<WrittenEvent> written_events(const WrittenModel& written, WrittenField& field);

}  // namespace slideway::auditing
