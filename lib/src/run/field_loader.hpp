// The fields of a run from the JSON that FieldSaver makes of them.
//
// It must not know what the fields mean.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "run/field_saver.hpp"

namespace slideway {

// Throws nlohmann's exceptions and std::runtime_error for an object without these fields.
class FieldLoader {
 public:
  static constexpr bool kLoads = true;

  FieldLoader(const FieldsJson& object, const GuardNumbers& guards) : object_(object), guards_(guards) {}

  template <class Type>
  void operator()(const char* name, Type& value) {
    load(object_.at(name), value);
  }

  template <class Type>
  void load(const FieldsJson& json, Type& value) const {
    if constexpr (std::is_same_v<Type, double>) {
      value = from_hexadecimal(json.get_ref<const std::string&>());
    } else if constexpr (std::is_same_v<Type, char>) {
      value = static_cast<char>(json.get<int>());
    } else if constexpr (std::is_arithmetic_v<Type> || std::is_same_v<Type, std::string>) {
      value = json.get<Type>();
    } else if constexpr (std::is_same_v<Type, Guard>) {
      value = guards_.guard(json.get<Index>());
    } else {
      FieldLoader inner(json, guards_);
      value.visit_fields(inner);
    }
  }
  void load(const FieldsJson& json, Vector& value) const {
    const std::vector<double> numbers = from_hexadecimals(json.get_ref<const std::string&>());
    value = Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
  }
  void load(const FieldsJson& json, Mode& value) const { value = Mode(json.get<std::string>()); }
  void load(const FieldsJson& json, std::vector<double>& value) const {
    value = from_hexadecimals(json.get_ref<const std::string&>());
  }
  template <std::size_t kSize>
  void load(const FieldsJson& json, std::array<double, kSize>& value) const {
    const std::vector<double> numbers = from_hexadecimals(json.get_ref<const std::string&>());
    if (numbers.size() != kSize) throw std::runtime_error("a list of numbers has another length");
    std::copy(numbers.begin(), numbers.end(), value.begin());
  }
  template <class Type>
  void load(const FieldsJson& json, std::vector<Type>& values) const {
    values.clear();
    values.resize(json.size());
    for (std::size_t k = 0; k < values.size(); ++k) load(json.at(k), values[k]);
  }
  template <class Key, class Type>
  void load(const FieldsJson& json, std::map<Key, Type>& values) const {
    values.clear();
    for (const FieldsJson& entry : json) load(entry.at(1), values[entry.at(0).get<Key>()]);
  }

 private:
  const FieldsJson& object_;
  const GuardNumbers& guards_;
};

}  // namespace slideway
