// The motion beside the model file: at a point of a step the derivative of the trajectory is what the file says, with signs that
// are open and forces of contacts within their bounds; states of algebraic variables solve their equations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/contact_audit.hpp"
#include "audit/errors_within.hpp"
#include "audit/findings.hpp"
#include "audit/written_field.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::auditing {

// A point of a step of length h, with the derivative of the trajectory, and the largest size of each state in the step.
struct MotionPoint {
  const std::string& location;
  double t = 0;
  double h = 0;
  const Vector& x;
  const Vector& rates;
  const Vector& sizes;
};

class MotionAudit {
 public:
  MotionAudit(WrittenField& field, const ErrorsWithin& errors, SlidingRule rule,
              const std::vector<std::string>& state_names, ContactAudit& contacts, Findings& findings)
      : field_(field),
        errors_(errors),
        rule_(rule),
        state_names_(state_names),
        contacts_(contacts),
        findings_(findings) {}

  void look(const MotionPoint& point, PointErrors& errors);

 private:
  struct Residual {
    double ratio = 0;  // of the row with the largest defect, in units of what is allowed
    Index row = 0;
    Vector r = {};
  };
  Residual judged(Vector r, const Vector& allowed) const;
  std::optional<Residual> judged_closely(const MotionPoint& point, const Vector& left, Vector allowed,
                                         PointErrors& errors);
  void look_at_followers(double t, const Vector& x);
  std::optional<Vector> fitted(const MotionPoint& point, const Vector& left, const Vector& allowed,
                               const Met& met, const std::vector<SiteKey>& open,
                               const std::vector<NearContact>& near);
  std::optional<Vector> in_range(const MotionPoint& point, const Vector& left,
                                 const std::vector<SiteKey>& open);
  bool has_motion(Index k) const {
    return k < errors_.discrete_from && field_.is_written(static_cast<std::uint32_t>(k));
  }
  const std::string& name_of(Index k) const { return state_names_[static_cast<std::size_t>(k)]; }

  WrittenField& field_;
  const ErrorsWithin& errors_;
  SlidingRule rule_;
  const std::vector<std::string>& state_names_;
  ContactAudit& contacts_;
  Findings& findings_;
  Vector f_, scale_, left_, allowed_;  // of the point at hand
};

}  // namespace slideway::auditing
