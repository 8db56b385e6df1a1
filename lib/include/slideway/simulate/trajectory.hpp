// The continuous part of a solution: the integrator's own interpolating polynomial of every step, so that the
// state can be had at any time to the accuracy of the integrator. Sliding pieces are projected onto their surfaces.
//
// On a step [a, b] with the expansion point c and scale s,
//     x(t) = Σₖ Cₖ ((t − c)/s)ᵏ,   k = 0…q.
// Where events were followed with the states around them alone, the pieces of a step between events share its polynomial, and parts
// with polynomials of their own stand for the states that had events. So an event takes no memory that the other states would need.
// It must not know integrators or file formats.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/detail/core/large_pages.hpp"
#include "slideway/detail/core/number_chunks.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

// A stretch of time in one mode, without an event inside.
struct Segment {
  double start = 0;
  double end = 0;
  Mode mode = {};
  std::string location = {};   // "" where the problem has no locations
  std::size_t first_step = 0;  // index of its first step; the last is the next segment's first minus one
};

class Trajectory {
 public:
  // Projects a state at time t onto the sliding surfaces and closed contacts of a segment, in place.
  using Projection = std::function<void(double t, const Segment& segment, VectorRef x)>;

  Trajectory() = default;
  Trajectory(Index states, Projection projection);

  bool empty() const { return segments_.empty(); }
  Index states() const { return states_; }
  double start() const;
  double end() const;

  // The state at t in [start, end]; at an event the state after it. Throws std::invalid_argument outside.
  Vector operator()(double t) const;
  // The limit from the left; at the start the initial state.
  Vector before(double t) const;
  // The mode in force at t; at an event the one after it.
  const Mode& mode(double t) const;
  // Likewise from the left.
  const Mode& mode_before(double t) const;
  // The location at t, as of the mode; "" where there are none.
  const std::string& location(double t) const;

  const std::vector<Segment>& segments() const { return segments_; }
  // The state at t inside segment `index` (its closed interval), projected when it slides.
  void evaluate(std::size_t index, double t, VectorRef x) const;
  // dx/dt of the polynomial at t inside segment `index`, which is not projected.
  void derivative(std::size_t index, double t, VectorRef dx) const;
  // The times of all accepted steps of segment `index`, its start first.
  std::vector<double> step_times(std::size_t index) const;

  // The polynomial of one step, and whether parts stand for some of its states; the steps of all segments are numbered in one row.
  struct StepPolynomial {
    double start;
    double end;
    double center;
    double scale;
    Eigen::Map<const Matrix> coefficients;
    bool has_parts;
  };
  std::size_t steps() const { return steps_.size(); }
  StepPolynomial step(std::size_t index) const;

  // Appending, for the Simulator. `coefficients` is n×(q+1), column k is Cₖ; the polynomial holds on [start, end].
  // A segment that was left before its first step is forgotten when the next one begins; the last one needs a state.
  bool ends_without_state() const;
  void begin_segment(double t, const Mode& mode, const std::string& location = "");
  void add_step(double start, double end, double center, double scale, Eigen::Ref<const Matrix> coefficients);
  // The same, where the caller writes the n×terms coefficients into what is returned, one column after the other, before it appends
  // anything else.
  double* add_step(double start, double end, double center, double scale, Index terms);
  // A segment of zero length (a run that ends where it begins) is one state.
  void add_point(double t, ConstVectorRef x);
  // keep() removes all but the first `segments` segments and the first `steps` steps. The last segment then ends where its last step does.
  void keep(std::size_t segments, std::size_t steps);
  // All segments and steps of another one of as many states, but for points: its end needs what follows, or a state.
  void append(const Trajectory& other);
  // The polynomial that the pieces share which are added next, up to the next call.
  void share_polynomial(double center, double scale, Eigen::Ref<const Matrix> coefficients);
  // The steps of `part` stand for these states in the pieces added by add_piece(), one entry per state of
  // `part`. `part` has no parts itself.
  void add_part(const std::vector<Index>& states, const Trajectory& part);
  void add_piece(double start, double end);

 private:
  struct Step {
    double start = 0;
    double end = 0;
    double center = 0;
    double scale = 1;
    NumberChunks::Place coefficients = {};
    std::uint32_t columns = 0;
    std::uint32_t shared = kNone;  // the number in shared_ of the parts
  };
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
  using Steps = std::vector<Step, LargePages<Step>>;
  struct Part {
    std::vector<Index> states;
    Steps steps;
  };
  struct Shared {
    Step whole;  // of all states
    std::vector<Part> parts;
  };
  const Step& step_at(std::size_t index, double t) const;
  // Calls visit(states, step) for the steps at t that stand for states with polynomials of their own.
  template <class Visit>
  void for_parts(const Step& piece, double t, const Visit& visit) const;
  std::size_t segment_index(double t, bool from_left) const;

  Index states_ = 0;
  Projection projection_;
  std::vector<Segment> segments_;
  Steps steps_;
  std::vector<Shared> shared_;
  NumberChunks coefficients_;
};

}  // namespace slideway
