// The fields of a run as bytes, in this process: a run goes through them at every pause. They hold the same values as the JSON of
// field_saver.hpp, bit for bit, in the order in which visit_fields() names the fields.
//
// It must not know what the fields mean.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "run/guard_numbers.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/guard.hpp"

namespace slideway {

class FieldWriter {
 public:
  static constexpr bool kLoads = false;

  explicit FieldWriter(const GuardNumbers& guards) : guards_(guards) {}

  template <class Type>
  void operator()(const char*, Type& value) {
    write(value);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <class Type>
  void write(const Type& value) requires std::is_arithmetic_v<Type> {
    append(&value, sizeof(Type));
  }
  // The text of a checkpoint has one not-a-number.
  void write(double value) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    append(&value, sizeof(double));
  }
  void write_numbers(const double* values, std::size_t count) {
    write(count);
    for (std::size_t k = 0; k < count; ++k) write(values[k]);
  }
  void write(const std::string& text) {
    write(text.size());
    append(text.data(), text.size());
  }
  void write(const Vector& value) { write_numbers(value.data(), static_cast<std::size_t>(value.size())); }
  void write(const std::vector<double>& value) { write_numbers(value.data(), value.size()); }
  template <std::size_t kSize>
  void write(const std::array<double, kSize>& value) {
    write_numbers(value.data(), kSize);
  }
  void write(const Mode& value) { write(value.word()); }
  void write(const Guard& value) { write(guards_.number(value)); }
  template <class Type>
  void write(std::vector<Type>& values) {
    write(values.size());
    for (Type& value : values) write(value);
  }
  template <class Key, class Type>
  void write(std::map<Key, Type>& values) {
    write(values.size());
    for (auto& [key, value] : values) {
      write(key);
      write(value);
    }
  }
  template <class Type>
  void write(Type& value) requires requires(Type& fields, FieldWriter& visit) {
    fields.visit_fields(visit);
  }
  { value.visit_fields(*this); }

  const GuardNumbers& guards_;
  std::vector<std::byte> bytes_;
};

}  // namespace slideway
