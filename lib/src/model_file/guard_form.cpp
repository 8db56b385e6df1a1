#include "model_file/guard_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway::reader {
namespace {

constexpr std::size_t kMostFormTerms = 64;
constexpr int kDeepestForm = 64;
constexpr double kLargestExpandedPower = 8;
// A sum below this part of its terms is rounding, as is a difference of two coefficients.
constexpr double kFormRounding = 64 * std::numeric_limits<double>::epsilon();

struct FormSum {
  double value = 0;
  double size = 0;  // of the terms

  double rounded() const { return std::abs(value) <= kFormRounding * size ? 0 : value; }
};

using FormPolynomial = std::map<Monomial, FormSum>;

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial result;
  auto first = a.begin();
  auto second = b.begin();
  while (first != a.end() || second != b.end()) {
    if (second == b.end() || (first != a.end() && first->first < second->first)) {
      result.push_back(*first++);
    } else if (first == a.end() || second->first < first->first) {
      result.push_back(*second++);
    } else {
      const int power = first->second + second->second;
      if (power != 0) result.emplace_back(first->first, power);
      ++first;
      ++second;
    }
  }
  return result;
}

class FormMaker {
 public:
  FormMaker(const ExpressionGraph& graph, const KnownStates& known) : graph_(graph), known_(known) {}

  std::optional<GuardForm> make(NodeId guard) {
    GuardForm form;
    guard = without_factors(guard, form.sign);
    std::optional<FormPolynomial> sum = polynomial(guard, kDeepestForm);
    if (!sum) return std::nullopt;
    std::erase_if(*sum, [](const auto& term) { return term.second.rounded() == 0; });
    divide_by_common_factors(*sum, form.sign);
    const auto first =
        std::find_if(sum->begin(), sum->end(), [](const auto& term) { return !term.first.empty(); });
    if (first == sum->end()) return std::nullopt;
    const double scale = first->second.value;
    if (scale < 0) form.sign = -form.sign;
    for (const auto& [monomial, coefficient] : *sum) {
      form.monomials.push_back(monomial);
      form.coefficients.push_back(coefficient.value / scale);
      if (!std::isfinite(form.coefficients.back())) return std::nullopt;
    }
    return form;
  }

 private:
  // The sign of what has the same one for all states, 0 of anything else.
  int sign_of(NodeId id) const {
    if (graph_[id].operation == Operation::exp) return 1;
    if (!has_one_sign(graph_, id, known_)) return 0;
    return is_positive(graph_, id, known_) ? 1 : -1;
  }

  // The guard without factors of one sign, and without odd functions that are zero where their operand is.
  NodeId without_factors(NodeId id, int& sign) const {
    for (;;) {
      const Node& node = graph_[id];
      switch (node.operation) {
        case Operation::negate: sign = -sign; [[fallthrough]];
        case Operation::sinh:
        case Operation::tanh:
        case Operation::asin:
        case Operation::atan: id = node.a; continue;
        case Operation::power: {
          const bool is_odd = graph_.is_whole(node.b) && !graph_.is_even(node.b) && graph_.value(node.b) > 0;
          if (!is_odd) return id;
          id = node.a;
          continue;
        }
        case Operation::multiply:
        case Operation::divide: {
          if (const int divisor = sign_of(node.b)) {
            sign *= divisor;
            id = node.a;
            continue;
          }
          const int factor = node.operation == Operation::multiply ? sign_of(node.a) : 0;
          if (factor == 0) return id;
          sign *= factor;
          id = node.b;
          continue;
        }
        default: return id;
      }
    }
  }

  static FormPolynomial single(const Monomial& monomial, double coefficient) {
    return {{monomial, {coefficient, std::abs(coefficient)}}};
  }

  std::optional<FormPolynomial> sum_of(NodeId a, NodeId b, double sign, int depth) const {
    std::optional<FormPolynomial> first = polynomial(a, depth);
    const std::optional<FormPolynomial> second = first ? polynomial(b, depth) : std::nullopt;
    if (!second) return std::nullopt;
    for (const auto& [monomial, coefficient] : *second) {
      FormSum& sum = (*first)[monomial];
      sum.value += sign * coefficient.value;
      sum.size += coefficient.size;
    }
    if (first->size() > kMostFormTerms) return std::nullopt;
    return first;
  }

  static std::optional<FormPolynomial> product_of(const FormPolynomial& a, const FormPolynomial& b) {
    if (a.size() * b.size() > kMostFormTerms) return std::nullopt;
    FormPolynomial result;
    for (const auto& [first, x] : a)
      for (const auto& [second, y] : b) {
        FormSum& sum = result[product(first, second)];
        sum.value += x.value * y.value;
        sum.size += x.size * y.size;
      }
    return result;
  }

  std::optional<FormPolynomial> polynomial(NodeId id, int depth) const {
    const Node& node = graph_[id];
    if (depth == 0) return single({{id, 1}}, 1);
    switch (node.operation) {
      case Operation::constant: return single({}, node.value);
      case Operation::negate: {
        std::optional<FormPolynomial> inside = polynomial(node.a, depth - 1);
        if (inside)
          for (auto& [monomial, coefficient] : *inside) coefficient.value = -coefficient.value;
        return inside;
      }
      case Operation::add: return sum_of(node.a, node.b, 1, depth - 1);
      case Operation::subtract: return sum_of(node.a, node.b, -1, depth - 1);
      case Operation::multiply: {
        const std::optional<FormPolynomial> a = polynomial(node.a, depth - 1);
        const std::optional<FormPolynomial> b = a ? polynomial(node.b, depth - 1) : std::nullopt;
        return b ? product_of(*a, *b) : std::nullopt;
      }
      case Operation::divide: {
        const std::optional<FormPolynomial> a = polynomial(node.a, depth - 1);
        const std::optional<FormPolynomial> b = a ? polynomial(node.b, depth - 1) : std::nullopt;
        if (!b) return std::nullopt;
        // A divisor of one term is a factor; a sum in a divisor stays together.
        if (b->size() != 1 || b->begin()->second.value == 0) return product_of(*a, single({{node.b, -1}}, 1));
        Monomial inverse = b->begin()->first;
        for (auto& [factor, power] : inverse) power = -power;
        return product_of(*a, single(inverse, 1 / b->begin()->second.value));
      }
      case Operation::power: {
        const bool expands = graph_.is_whole(node.b) && graph_.value(node.b) > 0 &&
                             graph_.value(node.b) <= kLargestExpandedPower;
        if (!expands) return single({{id, 1}}, 1);
        const std::optional<FormPolynomial> base = polynomial(node.a, depth - 1);
        std::optional<FormPolynomial> result = base;
        for (int k = 1; result && k < static_cast<int>(graph_.value(node.b)); ++k)
          result = product_of(*result, *base);
        return result ? result : single({{id, 1}}, 1);
      }
      default: return single({{id, 1}}, 1);
    }
  }

  // Powers of nodes of one sign that all terms have are factors.
  void divide_by_common_factors(FormPolynomial& sum, int& sign) const {
    std::map<NodeId, int> least;
    for (const auto& [monomial, coefficient] : sum)
      for (const auto& [factor, power] : monomial) least.try_emplace(factor, power);
    for (auto& [factor, power] : least)
      for (const auto& [monomial, coefficient] : sum) {
        const auto has = std::find_if(monomial.begin(), monomial.end(),
                                      [f = factor](const auto& one) { return one.first == f; });
        power = std::min(power, has == monomial.end() ? 0 : has->second);
      }
    Monomial inverse;
    for (const auto& [factor, power] : least) {
      const int one = power == 0 ? 0 : sign_of(factor);
      if (one == 0) continue;
      inverse.emplace_back(factor, -power);
      if (one < 0 && power % 2 != 0) sign = -sign;
    }
    if (inverse.empty()) return;
    FormPolynomial divided;
    for (const auto& [monomial, coefficient] : sum) divided[product(monomial, inverse)] = coefficient;
    sum = std::move(divided);
  }

  const ExpressionGraph& graph_;
  const KnownStates& known_;
};

// A sum by which nearly equal forms are neighbours and others seldom are; and the size of its terms.
FormSum weighted(const std::vector<double>& coefficients) {
  FormSum sum;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    const double term = coefficients[k] / (1 + 0.618 * static_cast<double>(k));
    sum.value += term;
    sum.size += std::abs(term);
  }
  return sum;
}

bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::abs(a[k] - b[k]) > kFormRounding * std::abs(a[k])) return false;
  return true;
}

}  // namespace

std::optional<GuardForm> guard_form(const ExpressionGraph& graph, NodeId guard, const KnownStates& known) {
  return FormMaker(graph, known).make(guard);
}

std::optional<std::uint32_t> NumbersByForm::find(const GuardForm& form) const {
  const auto alike = entries_.find(form.monomials);
  if (alike == entries_.end()) return std::nullopt;
  const FormSum sum = weighted(form.coefficients);
  const double most = 2 * kFormRounding * sum.size;
  const auto end = alike->second.upper_bound(sum.value + most);
  for (auto entry = alike->second.lower_bound(sum.value - most); entry != end; ++entry)
    if (are_equal(form.coefficients, entry->second.coefficients)) return entry->second.number;
  return std::nullopt;
}

void NumbersByForm::add(const GuardForm& form, std::uint32_t number) {
  entries_[form.monomials].emplace(weighted(form.coefficients).value, Entry{form.coefficients, number});
}

}  // namespace slideway::reader
