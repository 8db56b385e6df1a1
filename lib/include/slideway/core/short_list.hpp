// A list that nearly always holds one value, which it keeps in itself: such lists allocate nothing.
//
// It must not know what the values mean.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace slideway {

template <class Value>
class ShortList {
 public:
  using value_type = Value;
  using size_type = std::size_t;
  using iterator = Value*;
  using const_iterator = const Value*;

  ShortList() = default;
  ShortList(std::initializer_list<Value> values) { assign(values.begin(), values.end()); }
  ShortList(const std::vector<Value>& values) { assign(values.begin(), values.end()); }

  std::size_t size() const { return has_one_ ? 1 : several_.size(); }
  bool empty() const { return size() == 0; }
  const Value* data() const { return has_one_ ? &one_ : several_.data(); }
  Value* data() { return has_one_ ? &one_ : several_.data(); }
  const Value* begin() const { return data(); }
  const Value* end() const { return data() + size(); }
  Value* begin() { return data(); }
  Value* end() { return data() + size(); }
  const Value& operator[](std::size_t k) const { return data()[k]; }
  Value& operator[](std::size_t k) { return data()[k]; }
  const Value& front() const { return *begin(); }
  const Value& back() const { return *(end() - 1); }

  void push_back(Value value) {
    if (empty()) {
      one_ = std::move(value);
      has_one_ = true;
      return;
    }
    if (has_one_) several_.push_back(std::move(one_));
    has_one_ = false;
    several_.push_back(std::move(value));
  }
  template <class Iterator>
  void assign(Iterator from, Iterator to) {
    clear();
    for (; from != to; ++from) push_back(*from);
  }
  void clear() {
    has_one_ = false;
    several_.clear();
  }

  operator std::vector<Value>() const { return std::vector<Value>(begin(), end()); }
  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  bool has_one_ = false;
  Value one_ = {};
  std::vector<Value> several_;  // where there are not exactly one
};

}  // namespace slideway
