// Contacts beside the model file: gaps that are not negative, forces that closed contacts can give, and impacts by the written law.
#pragma once

#include <string>
#include <vector>

#include "audit/errors_within.hpp"
#include "audit/findings.hpp"
#include "audit/written_field.hpp"
#include "slideway/simulate/event_log.hpp"

namespace slideway::auditing {

// A contact whose gap is zero within the errors.
struct NearContact {
  const WrittenContact* contact = nullptr;
  double move = 0;  // what the errors do to its gap
};

// Forces are sums of columns with factors above zero: a contact without friction has one, with friction the edges of its cone.
struct ForceColumns {
  std::vector<Vector> columns = {};
  std::vector<std::size_t> owners = {};  // into the contacts that are near
};

class ContactAudit {
 public:
  ContactAudit(WrittenField& field, const ErrorsWithin& errors, Findings& findings)
      : field_(field), errors_(errors), findings_(findings) {}

  bool any() const { return !field_.contacts().empty(); }
  // A gap below zero is a failure.
  void look(double t, const Vector& x, PointErrors& errors);
  // The contacts that may be closed at a point.
  std::vector<NearContact> near(double t, const Vector& x, PointErrors& errors);
  // Friction is against the slip, or anywhere in its cone where `any_direction` says so.
  ForceColumns columns(double t, const Vector& x, const std::vector<NearContact>& near, bool any_direction);
  // An impact changes the state as impulses of near contacts can, by their restitution, and makes no energy.
  void judge_impact(const std::string& location, const EventRecord& record);

 private:
  struct Speed {
    double value = 0;
    double move = 0;  // what the errors do to it
  };
  double gap(const WrittenContact& contact, double t, const Vector& x);
  double move_of(const WrittenContact& contact, double gap_here, double t, PointErrors& errors);
  std::vector<double> velocities(const WrittenContact& contact, double t, const Vector& x);
  // The rate of a gap, with what rounding does to its differences; speed() adds what the errors of the state do.
  Speed rate(const WrittenContact& contact, const std::string& location, double t, const Vector& x);
  Speed speed(const WrittenContact& contact, const std::string& location, double t, const Vector& x);
  void judge_restitution(const WrittenContact& contact, const EventRecord& record, const Speed& approach,
                         const Speed& departure);
  static std::string name_of(const WrittenContact& contact) {
    return contact.name.empty() ? "a contact" : contact.name;
  }

  WrittenField& field_;
  const ErrorsWithin& errors_;
  Findings& findings_;
};

}  // namespace slideway::auditing
