#include "slideway/core/errors.hpp"

namespace slideway {

std::string message(const Refusal& refusal) {
  std::string text;
  if (!refusal.where.empty()) text += refusal.where + ": ";
  text += refusal.what;
  if (!refusal.expected.empty() && !refusal.got.empty()) {
    text += " (expected " + refusal.expected + ", got " + refusal.got + ")";
  } else if (!refusal.expected.empty()) {
    text += " (expected " + refusal.expected + ")";
  } else if (!refusal.got.empty()) {
    text += " (got " + refusal.got + ")";
  }
  if (!refusal.advice.empty()) text += "; " + refusal.advice;
  return text;
}

void refuse(const Refusal& refusal) { throw std::invalid_argument(message(refusal)); }

}  // namespace slideway
