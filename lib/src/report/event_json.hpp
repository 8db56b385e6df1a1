// The common part of the JSON document of a run and the data of its page: numbers, names and an event with its classification.
//
// It must not know the documents.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "slideway/simulate/event_log.hpp"

namespace slideway {

using Json = nlohmann::ordered_json;

inline Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json numbers_or_null(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_or_null(value));
  return list;
}

template <class Text>
Json text_or_null(const std::optional<Text>& text) {
  return text ? Json(*text) : Json(nullptr);
}

// `word` makes the word of a mode.
template <class Word>
Json words_of(const std::vector<Mode>& modes, const Word& word) {
  Json words = Json::array();
  for (const Mode& mode : modes) words.push_back(word(mode));
  return words;
}

// The event but for its continuations, its states and the reason.
template <class Word>
Json event_json(const EventRecord& record, const Word& word) {
  const auto word_or_null = [&](const std::optional<Mode>& mode) {
    return mode ? Json(word(*mode)) : Json(nullptr);
  };
  return {{"t", number_or_null(record.t)},
          {"kind", to_string(record.kind)},
          {"surfaces", record.surface_names},
          {"name", text_or_null(record.name)},
          {"from", word_or_null(record.from)},
          {"to", word_or_null(record.to)},
          {"from_location", text_or_null(record.from_location)},
          {"to_location", text_or_null(record.to_location)},
          {"w_minus", numbers_or_null(record.w_minus)},
          {"w_plus", numbers_or_null(record.w_plus)},
          {"lambda", numbers_or_null(record.lambda)},
          {"codeword", text_or_null(record.codeword)},
          {"round", record.round > 0 ? Json(record.round) : Json(nullptr)}};
}

}  // namespace slideway
