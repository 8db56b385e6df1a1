#include "lib/fmu/jacobian_along.hpp"

#include <utility>

#include "sensitivity/segment_field.hpp"

namespace slideway::fmu {

std::vector<std::shared_ptr<const RelayStructure>> structures_of(const Automaton& problem) {
  std::vector<std::shared_ptr<const RelayStructure>> structures;
  for (const Location& location : problem.locations())
    structures.push_back(std::make_shared<const RelayStructure>(location.system));
  return structures;
}

struct JacobianAlong::Content {
  Content(Automaton of, const Options& how, double duration)
      : problem(std::move(of)),
        options(how),
        structures(structures_of(problem)),
        field(problem, structures, options, duration, problem.system().states()) {}

  Automaton problem;
  Options options;
  std::vector<std::shared_ptr<const RelayStructure>> structures;
  SegmentField field;
  Segment segment;
  bool is_taken = false;
  Matrix jacobian;
};

JacobianAlong::JacobianAlong(Automaton problem, const Options& options, double duration)
    : content_(std::make_unique<Content>(std::move(problem), options, duration)) {}
JacobianAlong::~JacobianAlong() = default;

const Matrix& JacobianAlong::find(double t, ConstVectorRef x, const Mode& mode, const std::string& location,
                                  ConstVectorRef lambda) {
  Content& own = *content_;
  if (!own.is_taken || own.segment.mode != mode || own.segment.location != location) {
    own.segment.mode = mode;
    own.segment.location = location;
    own.is_taken = false;
    own.field.take(own.segment, t, x, lambda);
    own.is_taken = true;
  }
  own.field.jacobian(t, x, own.jacobian);
  return own.jacobian;
}

}  // namespace slideway::fmu
