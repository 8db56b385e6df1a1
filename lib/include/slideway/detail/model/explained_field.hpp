// A field that can say more than its values, as SystemDefinition::field holds it: where a value that is not finite comes from, which relays take
// part in it, and how it depends on time and state.
//
//     definition.field = ExplainedField(fields);
//     …
//     if (const auto* field = definition.field.target<ExplainedField>()) field->explain(t, x, lambda, row);
//
// It must not know how a field is written down.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "slideway/core/types.hpp"

namespace slideway {

class ExplainedField {
 public:
  class Source {
   public:
    virtual ~Source() = default;
    virtual void evaluate(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) const = 0;
    // explain() says where the derivative of a state is written, and which part of it is not finite. It
    // returns "" when it has nothing to say.
    virtual std::string explain(double t, ConstVectorRef x, ConstVectorRef lambda, Index state) const = 0;
    // has_branches() tells whether there are surfaces that are in force on some sides of others only; is_in_force() returns false of a
    // surface that stands in no branch that may hold where λ is ±1 on the known sides, and between where both may hold.
    virtual bool has_branches() const { return false; }
    virtual bool is_in_force(ConstVectorRef /*lambda*/, Index /*surface*/) const { return true; }
    // follow() sets states that follow from the others, such as the root that the next search for it starts from, after a jump of these.
    virtual void follow(double /*t*/, VectorRef /*x*/) const {}
    // is_affine_by_mode() tells whether f is known to be affine in (t, x) for every λ, as that of a switched linear network is.
    virtual bool is_affine_by_mode() const { return false; }
  };

  explicit ExplainedField(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  void operator()(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) const {
    source_->evaluate(t, x, lambda, dx);
  }
  std::string explain(double t, ConstVectorRef x, ConstVectorRef lambda, Index state) const {
    return source_->explain(t, x, lambda, state);
  }
  bool has_branches() const { return source_->has_branches(); }
  bool is_in_force(ConstVectorRef lambda, Index surface) const {
    return source_->is_in_force(lambda, surface);
  }
  void follow(double t, VectorRef x) const { source_->follow(t, x); }
  bool is_affine_by_mode() const { return source_->is_affine_by_mode(); }

 private:
  std::shared_ptr<const Source> source_;
};

}  // namespace slideway
