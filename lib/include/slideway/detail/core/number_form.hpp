// The digits and the bits of a double, the same with every standard library: libc++ before 14 has neither std::bit_cast nor
// std::to_chars and std::from_chars for doubles.
//
// It must not know what the numbers mean.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace slideway {

// Digits hold what a function below writes: 32 characters are enough for every number in each form.
class Digits {
 public:
  Digits() = default;
  std::string_view text() const { return {text_.data(), size_}; }

  char* begin() { return text_.data(); }
  char* end() { return text_.data() + text_.size(); }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - text_.data()); }

 private:
  std::array<char, 32> text_ = {};
  std::size_t size_ = 0;
};

// The shortest decimal text that reads back as `value`; of two texts of one length that without an exponent.
Digits shortest_digits(double value);
// As printf writes by %g with this precision, which is 17 at most.
Digits rounded_digits(double value, int precision);
// As printf writes by %a, without 0x.
Digits hexadecimal_digits(double value);

struct DigitsRead {
  const char* end;  // `first` where there is no number
  bool is_number;   // false where no double holds the number, too
};
// The longest number at the begin of a text, by the rules of std::from_chars: neither blanks, nor a plus, nor 0x. It leaves `value`
// alone where it reads none.
DigitsRead read_digits(const char* first, const char* last, double& value);
DigitsRead read_hexadecimal_digits(const char* first, const char* last, double& value);

inline std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The same functions by what C has. Where the standard library has none these are used, and tests compare both.
namespace by_c {
Digits shortest_digits(double value);
Digits rounded_digits(double value, int precision);
Digits hexadecimal_digits(double value);
DigitsRead read_digits(const char* first, const char* last, double& value);
DigitsRead read_hexadecimal_digits(const char* first, const char* last, double& value);
}  // namespace by_c

}  // namespace slideway
