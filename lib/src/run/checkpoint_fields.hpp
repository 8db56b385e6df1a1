// The fields of a run as JSON and back. A class whose state is saved has a template `visit_fields(visit)` that calls
// visit("name", member) for each of its fields; the same function serves to save and to load.
//
// Floating-point numbers are strings in hexadecimal notation, "0x1.8p+1", so that they read back bit for bit; of several there is one
// string with spaces between. It must not know what the fields mean.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "slideway/core/short_list.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/model/guard.hpp"

namespace slideway {

using FieldsJson = nlohmann::ordered_json;

// "0x1.8p+1", "-0x1p-3", "inf", "nan"; and back, throwing std::runtime_error for anything else.
void append_hexadecimal(double value, std::string& text);
std::string hexadecimal(double value);
double from_hexadecimal(std::string_view text);
void append_hexadecimals(const double* values, std::size_t count, std::string& text);
std::string hexadecimals(const double* values, std::size_t count);
std::vector<double> from_hexadecimals(std::string_view text);

// The guards of events and edges by their numbers: a guard is not text.
class GuardNumbers {
 public:
  explicit GuardNumbers(const Automaton& automaton);
  // −1 for one that is none of them.
  Index number(const Guard& guard) const;
  Guard guard(Index number) const;

 private:
  std::vector<Guard> guards_;
};

template <class Type, class Visit>
concept HasFields = requires(Type& value, Visit& visit) {
  value.visit_fields(visit);
};

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
