// The fields of a run from the bytes of a FieldWriter, visited in the same order.
//
// It must not know what the fields mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "run/guard_numbers.hpp"
#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/guard.hpp"

namespace slideway {

// Throws std::logic_error past the end.
class FieldReader {
 public:
  static constexpr bool kLoads = true;

  FieldReader(const std::vector<std::byte>& bytes, const GuardNumbers& guards)
      : bytes_(bytes), guards_(guards) {}

  template <class Type>
  void operator()(const char*, Type& value) {
    read(value);
  }

 private:
  const std::byte* take(std::size_t size) {
    if (size > bytes_.size() - position_) throw std::logic_error("the fields of a run end before the last");
    const std::byte* first = bytes_.data() + position_;
    position_ += size;
    return first;
  }
  template <class Type>
  void read(Type& value) requires std::is_arithmetic_v<Type> {
    std::memcpy(&value, take(sizeof(Type)), sizeof(Type));
  }
  std::size_t count() {
    std::size_t number = 0;
    read(number);
    return number;
  }
  void read_numbers(double* values, std::size_t number) {
    for (std::size_t k = 0; k < number; ++k) read(values[k]);
  }
  void read(std::string& text) {
    const std::size_t size = count();
    text.assign(reinterpret_cast<const char*>(take(size)), size);
  }
  void read(Vector& value) {
    value.resize(static_cast<Index>(count()));
    read_numbers(value.data(), static_cast<std::size_t>(value.size()));
  }
  void read(std::vector<double>& value) {
    value.resize(count());
    read_numbers(value.data(), value.size());
  }
  template <std::size_t kSize>
  void read(std::array<double, kSize>& value) {
    if (count() != kSize) throw std::logic_error("a list of numbers has another length");
    read_numbers(value.data(), kSize);
  }
  void read(Mode& value) {
    std::string word;
    read(word);
    value = Mode(word);
  }
  void read(Guard& value) {
    Index number = 0;
    read(number);
    value = guards_.guard(number);
  }
  template <class Type>
  void read(std::vector<Type>& values) {
    values.clear();
    values.resize(count());
    for (Type& value : values) read(value);
  }
  template <class Key, class Type>
  void read(std::map<Key, Type>& values) {
    values.clear();
    for (std::size_t left = count(); left > 0; --left) {
      Key key{};
      read(key);
      read(values[key]);
    }
  }
  template <class Type>
  void read(Type& value) requires requires(Type& fields, FieldReader& visit) {
    fields.visit_fields(visit);
  }
  { value.visit_fields(*this); }

  const std::vector<std::byte>& bytes_;
  const GuardNumbers& guards_;
  std::size_t position_ = 0;
};

}  // namespace slideway
