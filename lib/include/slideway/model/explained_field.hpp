// A field that can say where a value that is not finite comes from, as SystemDefinition::field holds it:
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
  };

  explicit ExplainedField(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  void operator()(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) const {
    source_->evaluate(t, x, lambda, dx);
  }
  std::string explain(double t, ConstVectorRef x, ConstVectorRef lambda, Index state) const {
    return source_->explain(t, x, lambda, state);
  }

 private:
  std::shared_ptr<const Source> source_;
};

}  // namespace slideway
