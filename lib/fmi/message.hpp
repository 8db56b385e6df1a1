// Message is a row of values as bytes, for another process of this program.
//
// It must not know who sends it.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway::fmi {

class Message {
 public:
  // put() takes a number, flag or name of an enumeration. A structure is put part by part, since its padding has no value.
  template <class Value>
  void put(const Value& value) {
    static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
    put_bytes(&value, sizeof value);
  }
  void put(const std::optional<double>& value) {
    put(value.has_value());
    put(value.value_or(0));
  }
  void put(ConstVectorRef values) {
    put(values.size());
    put_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
  void put(const std::string& text) {
    put(text.size());
    put_bytes(text.data(), text.size());
  }

  // Values are taken in the order in which they were put. Throws std::runtime_error where there are no more.
  template <class Value>
  Value take() {
    static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
    Value value;
    take_bytes(&value, sizeof value);
    return value;
  }
  std::optional<double> take_optional() {
    const bool is_there = take<bool>();
    const auto value = take<double>();
    return is_there ? std::optional(value) : std::nullopt;
  }
  Vector take_vector() {
    Vector values(take<Index>());
    take_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
    return values;
  }
  std::string take_text() {
    std::string text(take<std::size_t>(), '\0');
    take_bytes(text.data(), text.size());
    return text;
  }

  std::vector<char>& bytes() { return bytes_; }

 private:
  void put_bytes(const void* from, std::size_t count) {
    const char* const begin = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }
  void take_bytes(void* to, std::size_t count) {
    if (count > bytes_.size() - taken_) throw std::runtime_error("a message between processes is too short");
    if (count > 0) std::memcpy(to, bytes_.data() + taken_, count);
    taken_ += count;
  }

  std::vector<char> bytes_ = {};
  std::size_t taken_ = 0;
};

}  // namespace slideway::fmi
