// sw_findings holds the results of a search, a section or a file of measurements for the C interface: one document, and lists of names and
// numbers.
//
// It must not know how any of it was found.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/c/handle.hpp"

struct sw_findings final : slideway::door::Handle {
  std::map<std::string, std::vector<std::string>, std::less<>> name_lists = {};
  std::map<std::string, slideway::Vector, std::less<>> value_lists = {};
  std::string json = {};  // "" where there is no document

  std::optional<std::vector<std::string>> names(std::string_view list) const override;
  std::optional<slideway::Vector> values(std::string_view list) const override;
  std::string document(std::string_view format) override;
};
