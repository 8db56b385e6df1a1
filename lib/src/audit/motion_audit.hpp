// The motion beside the model: at a point of a step the derivative of the trajectory is what the model says, with signs that
// are open and forces of contacts within their bounds; states of algebraic variables solve their equations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/audited_field.hpp"
#include "audit/contact_audit.hpp"
#include "audit/errors_within.hpp"
#include "audit/findings.hpp"
#include "audit/step_nodes.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::auditing {

// A step of length h at its nodes, a column for each, with the derivative of the trajectory, and the largest size of each state in it.
struct MotionStep {
  const std::string& location;
  double h = 0;
  const double* times = nullptr;
  const Matrix& states;
  const Matrix& rates;
  const Vector& sizes;
};

class MotionAudit {
 public:
  MotionAudit(AuditedField& field, const ErrorsWithin& errors, SlidingRule rule,
              const std::vector<std::string>& state_names, ContactAudit* contacts, Findings& findings)
      : field_(field),
        errors_(errors),
        rule_(rule),
        state_names_(state_names),
        contacts_(contacts),
        findings_(findings) {}

  // look() compares the trajectory at a node, and between all nodes where its derivative there is too far from the model's.
  void look(const MotionStep& step, int node, PointErrors& errors);

 private:
  // A point of a step.
  struct MotionPoint {
    const std::string& location;
    double t = 0;
    const Vector& x;
  };
  struct Residual {
    double ratio = 0;  // of the row with the largest defect, in units of what is allowed
    Index row = 0;
    Vector r = {};
    Vector allowed = {};
  };
  // Reach is how far errors move f, and the guards of the sites in it.
  struct Reach {
    Vector of_f = {};
    std::map<SiteKey, double> of_guards = {};
  };
  void scale_to(const MotionStep& step, int node);
  std::optional<Residual> defect(const MotionStep& step, int node, PointErrors& errors);
  std::optional<Residual> integrated(const MotionStep& step, const Residual& at_node);
  Residual judged(Vector r, const Vector& allowed) const;
  std::optional<Residual> judged_closely(const MotionPoint& point, const Vector& left, const Vector& allowed,
                                         PointErrors& errors);
  std::optional<Residual> judged_within(const MotionPoint& point, const Vector& left, Vector allowed,
                                        const Met& met, const Vector& f, const Reach& reach,
                                        PointErrors& errors);
  void look_at_followers(double t, const Vector& x);
  bool add_behind(const MotionPoint& point, Met& met, std::vector<SiteKey>& open, PointErrors& errors);
  bool add_memories(const MotionPoint& point, Met& met, std::vector<SiteKey>& open);
  std::optional<Vector> fitted(const MotionPoint& point, const Vector& left, const Vector& allowed, Met met,
                               std::vector<SiteKey> open, const std::vector<NearContact>& near);
  std::optional<Vector> in_range(const MotionPoint& point, const Vector& left,
                                 const std::vector<SiteKey>& open);
  bool has_motion(Index k) const {
    return k < errors_.discrete_from && field_.is_written(static_cast<std::uint32_t>(k));
  }
  const std::string& name_of(Index k) const { return state_names_[static_cast<std::size_t>(k)]; }

  AuditedField& field_;
  const ErrorsWithin& errors_;
  SlidingRule rule_;
  const std::vector<std::string>& state_names_;
  ContactAudit* contacts_;  // null where no contacts are known
  Findings& findings_;
  StepNodes nodes_ = {};
  Vector f_, scale_, left_, allowed_, x_, rates_;  // of the point at hand
};

}  // namespace slideway::auditing
