// The fields of a run as JSON. A class whose state is saved has a template `visit_fields(visit)` that calls visit("name", member) for
// each of its fields; the same function serves to save and to load (field_loader.hpp).
//
// It must not know what the fields mean.
#pragma once

#include <array>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "run/guard_numbers.hpp"
#include "run/hexadecimal.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

using FieldsJson = nlohmann::ordered_json;

class FieldSaver {
 public:
  static constexpr bool kLoads = false;

  explicit FieldSaver(const GuardNumbers& guards) : guards_(guards) {}

  template <class Type>
  void operator()(const char* name, Type& value) {
    object_[name] = saved(value);
  }
  const FieldsJson& object() const { return object_; }

  template <class Type>
  FieldsJson saved(Type& value) const {
    if constexpr (std::is_same_v<Type, double>) {
      return hexadecimal(value);
    } else if constexpr (std::is_same_v<Type, char>) {
      return static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<Type> || std::is_same_v<Type, std::string>) {
      return value;
    } else if constexpr (std::is_same_v<Type, Guard>) {
      return guards_.number(value);
    } else {
      FieldSaver inner(guards_);
      value.visit_fields(inner);
      return inner.object_;
    }
  }
  FieldsJson saved(Vector& value) const {
    return hexadecimals(value.data(), static_cast<std::size_t>(value.size()));
  }
  FieldsJson saved(Mode& value) const { return value.word(); }
  FieldsJson saved(std::vector<double>& value) const { return hexadecimals(value.data(), value.size()); }
  template <std::size_t kSize>
  FieldsJson saved(std::array<double, kSize>& value) const {
    return hexadecimals(value.data(), kSize);
  }
  template <class Type>
  FieldsJson saved(std::vector<Type>& values) const {
    FieldsJson list = FieldsJson::array();
    for (Type& value : values) list.push_back(saved(value));
    return list;
  }
  template <class Key, class Type>
  FieldsJson saved(std::map<Key, Type>& values) const {
    FieldsJson list = FieldsJson::array();
    for (auto& [key, value] : values) list.push_back(FieldsJson::array({key, saved(value)}));
    return list;
  }

 private:
  const GuardNumbers& guards_;
  FieldsJson object_ = FieldsJson::object();
};

}  // namespace slideway
