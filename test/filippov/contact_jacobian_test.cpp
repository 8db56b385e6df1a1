// The Jacobian of a mode with closed contacts, sparse and of low rank, against differences of its velocity.
#include <cmath>
#include <memory>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "filippov/contact_dynamics.hpp"
#include "filippov/mode_jacobian.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

// Unit masses at heights x1 … xN, with stiff springs between neighbours that are not linear; a relay holds every third one,
// and pulls at the next.
struct Masses {
  Index bodies = 12;
  bool has_relays = false;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index r = 0; 3 * r < bodies && has_relays; ++r) h[r] = x[bodies + 3 * r] - 0.1;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    for (Index i = 0; i < bodies; ++i) {
      dx[i] = x[bodies + i];
      auto force = -10.0 + cos(t) - 2.0 * x[bodies + i];
      for (const Index j : {i - 1, i + 1}) {
        if (j < 0 || j >= bodies) continue;
        const auto stretch = x[j] - x[i];
        force += 1e3 * stretch + 200.0 * stretch * stretch * stretch;
      }
      if (has_relays) {
        if (i % 3 == 0) force -= 3.0 * lambda[i / 3];
        if (i % 3 == 1) force -= 0.5 * x[i] * lambda[i / 3];
      }
      dx[bodies + i] = force;
    }
  }
};

struct FreeMasses {
  Masses masses;
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const { masses.field(t, x, lambda, dx); }
};

System masses(Index bodies, bool has_relays) {
  if (!has_relays) return from_functor(FreeMasses{{bodies, false}}, {.states = 2 * bodies});
  return from_functor(Masses{bodies, true}, {.states = 2 * bodies, .surfaces = (bodies + 2) / 3});
}

struct Setting {
  Index bodies = 12;
  bool has_relays = false;
  std::vector<Contact> contacts = {};
  std::vector<Index> closed = {};
  std::string mode = "";
};

// Everything for the Jacobian of one mode.
class Subject {
 public:
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  explicit Subject(const Setting& setting)
      : plain_(masses(setting.bodies, setting.has_relays).with_contacts(setting.contacts)),
        dynamics_(std::make_shared<ContactDynamics>(plain_)),
        modes_(ContactModes(setting.contacts).with(setting.closed)),
        in_force_{dynamics_, &modes_, std::make_shared<ForceTerms>()},
        forced_(with_contact_forces(plain_, in_force_)),
        structure_(forced_),
        evaluator_(forced_),
        field_(evaluator_, structure_) {
    REQUIRE(ModeJacobian::available(forced_));
    jacobian_.emplace(field_, evaluator_, structure_, in_force_);
    Mode mode(plain_.surfaces());
    for (Index i = 0; i < mode.size(); ++i) {
      const char side = setting.mode[static_cast<std::size_t>(i)];
      mode.set(i, side == '0' ? Side::sliding : side == '+' ? Side::plus : Side::minus);
    }
    field_.begin(mode, Vector::Zero(mode.size()));
  }

  Matrix jacobian(const Vector& x) {
    jacobian_->compute(0.3, x, parts_);
    Matrix result(x.size(), x.size());
    fill(parts_, jacobian_->pattern(), result);
    return result;
  }
  Index rank() const { return parts_.left.cols() + parts_.corner.cols(); }
  Index entries() const { return jacobian_->pattern().entries(); }

  Matrix by_differences(const Vector& x) {
    const Index n = x.size();
    Matrix result(n, n);
    Vector moved = x, above(n), below(n);
    for (Index j = 0; j < n; ++j) {
      const double step = 2e-6;
      moved[j] = x[j] + step;
      field_.velocity(0.3, moved, above);
      moved[j] = x[j] - step;
      field_.velocity(0.3, moved, below);
      moved[j] = x[j];
      result.col(j) = (above - below) / (2 * step);
    }
    return result;
  }

  Matrix of_the_field_alone(const Vector& x) {
    Evaluator evaluator(plain_);
    Matrix result(x.size(), x.size());
    evaluator.field_dx(0.3, x, Vector::Zero(plain_.surfaces()), result);
    return result;
  }

 private:
  System plain_;
  std::shared_ptr<ContactDynamics> dynamics_;
  ContactModes modes_;
  ContactsInForce in_force_;
  System forced_;
  RelayStructure structure_;
  Evaluator evaluator_;
  ModeField field_;
  std::optional<ModeJacobian> jacobian_;
  SplitJacobian parts_;
};

void check_at_random_states(Subject& subject, Index states, double most = 1e-6) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-0.5, 0.5);
  for (int trial = 0; trial < 5; ++trial) {
    Vector x(states);
    for (double& value : x) value = number(random);
    const Matrix expected = subject.by_differences(x);
    const Matrix got = subject.jacobian(x);
    CAPTURE(trial);
    CHECK((got - expected).lpNorm<Eigen::Infinity>() <= most * expected.lpNorm<Eigen::Infinity>());
  }
}

// A floor under some bodies: none sees another's force.
std::vector<Contact> floors(Index bodies, const std::vector<Index>& under) {
  std::vector<Contact> contacts;
  for (const Index i : under) {
    Contact floor;
    floor.gap = Guard([i](auto, const auto& x) { return x[i] + 1.0; });
    floor.acts_on = [i, bodies](double, ConstVectorRef, VectorRef b) { b[bodies + i] = 2; };
    contacts.push_back(floor);
  }
  return contacts;
}

// Bodies on one another: every force is felt by the neighbours' gaps. `leaks`: it pushes the second next too.
std::vector<Contact> tower(Index bodies, bool leaks) {
  std::vector<Contact> contacts;
  for (Index i = 1; i < bodies; ++i) {
    Contact contact;
    contact.gap = Guard([i](auto, const auto& x) { return x[i] - x[i - 1]; });
    contact.acts_on = [=](double, ConstVectorRef, VectorRef b) {
      b[bodies + i] = 1;
      b[bodies + i - 1] = -1;
      if (leaks && i + 2 < bodies) b[bodies + i + 2] = 0.2;
    };
    contacts.push_back(contact);
  }
  return contacts;
}

// Curved: the distance of two bodies counts squared, and the force goes with it.
std::vector<Contact> curved_tower(Index bodies) {
  std::vector<Contact> contacts;
  for (Index i = 1; i < bodies; ++i) {
    Contact contact;
    contact.gap = Guard([i](auto t, const auto& x) {
      const auto distance = x[i] - x[i - 1] + 3.0;
      return distance * distance + 0.1 * t;
    });
    contact.acts_on = [=](double, ConstVectorRef x, VectorRef b) {
      b[bodies + i] = x[i] - x[i - 1] + 3;
      b[bodies + i - 1] = -(x[i] - x[i - 1] + 3);
    };
    contacts.push_back(contact);
  }
  return contacts;
}

}  // namespace

TEST_CASE("with open contacts the Jacobian is that of the field, exactly") {
  Subject subject({.contacts = floors(12, {0, 5, 11})});
  const Vector x = Vector::LinSpaced(24, -0.4, 0.3);
  CHECK((subject.jacobian(x) - subject.of_the_field_alone(x)).lpNorm<Eigen::Infinity>() == 0);
  CHECK(subject.rank() == 0);
}

TEST_CASE("contacts that see no other are part of the sparse Jacobian, however many are closed") {
  for (const Index bodies : {12, 40}) {
    std::vector<Index> under, closed;
    for (Index i = 0; i < bodies; ++i) under.push_back(i);
    for (Index i = 0; i < bodies; i += 2) closed.push_back(i);
    Subject subject({.bodies = bodies, .contacts = floors(bodies, under), .closed = closed});
    check_at_random_states(subject, 2 * bodies);
    CHECK(subject.rank() == 0);
    CHECK(subject.entries() < 12 * bodies);
  }
}

TEST_CASE("contacts that see each other are a term of low rank, one column for each that is closed") {
  for (const bool leaks : {false, true}) {
    Subject subject({.contacts = tower(12, leaks), .closed = {2, 3, 4, 9}});
    check_at_random_states(subject, 24);
    CHECK(subject.rank() == 4);
  }
  Subject curved({.contacts = curved_tower(12), .closed = {0, 5, 6, 7}});
  check_at_random_states(curved, 24);
  CHECK(curved.rank() == 4);
}

TEST_CASE("a curved contact that sees no other is local, with the change of its direction") {
  std::vector<Contact> one = {curved_tower(12)[4]};
  Subject subject({.contacts = one, .closed = {0}});
  check_at_random_states(subject, 24);
  CHECK(subject.rank() == 0);
}

TEST_CASE("surfaces slide while contacts are closed that their relays and forces both touch") {
  SUBCASE("local contacts") {
    Subject subject(
        {.has_relays = true, .contacts = floors(12, {1, 4, 5}), .closed = {0, 1, 2}, .mode = "0+0-"});
    check_at_random_states(subject, 24);
  }
  SUBCASE("local contacts, one surface") {
    Subject subject(
        {.has_relays = true, .contacts = floors(12, {1, 4, 5}), .closed = {0, 2}, .mode = "0+--"});
    check_at_random_states(subject, 24);
  }
  SUBCASE("far contacts") {
    Subject subject({.has_relays = true, .contacts = tower(12, true), .closed = {1, 4, 7}, .mode = "0+0-"});
    check_at_random_states(subject, 24);
    CHECK(subject.rank() == 5);
  }
  SUBCASE("far contacts, one surface") {
    Subject subject({.has_relays = true, .contacts = tower(12, true), .closed = {1, 4}, .mode = "+0+-"});
    check_at_random_states(subject, 24);
    CHECK(subject.rank() == 3);
  }
}

TEST_CASE("a gap and a force that say nothing of what they depend on are found out about by trying") {
  std::vector<Contact> contacts = tower(12, true);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const auto i = static_cast<Index>(c) + 1;
    GuardFunctions gap;
    gap.value = [i](double, ConstVectorRef x) { return x[i] - x[i - 1]; };
    gap.rate = [i](double, ConstVectorRef, double, ConstVectorRef dx, GuardFunctions::States) {
      return dx[i] - dx[i - 1];
    };
    gap.mixed = [i](double, ConstVectorRef, double, ConstVectorRef, double, ConstVectorRef,
                    ConstVectorRef mixed, GuardFunctions::States) { return mixed[i] - mixed[i - 1]; };
    contacts[c].gap = Guard(std::move(gap));
  }
  Subject subject({.contacts = contacts, .closed = {2, 3, 4, 9}});
  check_at_random_states(subject, 24);
  CHECK(subject.rank() == 4);
}

TEST_CASE("the states that a function depends on are found among thousands") {
  int calls = 0;
  const auto found = tried_states(10'000, 20, [&](const Vector& x) {
    ++calls;
    return Vector::Constant(1, x[3] * x[7777] + x[9999]);
  });
  CHECK(found == std::vector<Index>{3, 7777, 9999});
  CHECK(calls < 100);
  CHECK(tried_states(50, 4, [](const Vector& x) { return Vector::Constant(1, x.sum()); }).size() == 50);
}
