// Formulas as MathML: an expression's names become symbols with subscripts, its quotients fractions, its powers raised.
//
// It must not know models or pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expression/expression.hpp"

namespace slideway {

// A function of this name stands for the derivative of the name or element it is applied to.
inline constexpr std::string_view derivative_function = "slideway_derivative";

// The text with the characters replaced that have a meaning in markup.
std::string escaped_markup(std::string_view text);

// The elements of a name: "x_rel" is x with the subscript rel, "sigma0" is σ with the subscript 0.
std::string mathml_symbol(std::string_view name);

// The elements of an expression, without the <math> round them, one string per term of the outermost sum: a line may be
// broken between two of them.
std::vector<std::string> mathml_terms(const reader::Expression& expression);
// The same in one string.
std::string mathml(const reader::Expression& expression);

}  // namespace slideway
