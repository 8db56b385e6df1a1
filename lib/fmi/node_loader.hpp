// Node is the discrete part of an FMU as it was left by an event, and NodeLoader brings the FMU back to any of them: by its saved state,
// where it has such states, and else by a new start and the same events once more.
//
// It must not know what the events mean for a run.
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "lib/fmi/inputs.hpp"
#include "lib/fmi/instance.hpp"
#include "slideway/core/types.hpp"

namespace slideway::fmi {

// Where an event is made: the FMU enters its event mode there.
struct EventPlace {
  double t = 0;
  Vector x = {};
};

struct Node {
  // The event at `place` led from `parent` here; the start has no parent. It is mutable since the destructor of a later node empties it.
  mutable std::shared_ptr<const Node> parent = {};
  EventPlace place = {};  // of the event that leads from the parent here
  EventPlace back = {};   // of the event that leads from here to the parent, for relays; else x is empty
  std::size_t piece = 0;  // of the inputs
  // The end of a step may change it, as what a delay remembers.
  mutable std::shared_ptr<SavedState> saved = {};

  // The destructor releases the chain of parents by a loop: the chain has a node for each event, and recursion would overflow the stack.
  ~Node() {
    std::shared_ptr<const Node> last = std::move(parent);
    while (last && last.use_count() == 1) last = std::move(last->parent);
  }
};

// An event as the FMU has answered it.
struct EventAnswer {
  std::shared_ptr<Node> node = {};
  Vector x = {};                                               // the states after it
  double next_time = std::numeric_limits<double>::infinity();  // of the next time event
  bool terminates = false;
};

class NodeLoader {
 public:
  NodeLoader(std::shared_ptr<const Fmu> fmu, StartValues values, std::shared_ptr<const Inputs> inputs,
             double start, std::optional<double> tolerance);

  // The answer of the start.
  const EventAnswer& first() const { return first_; }
  // Brings the FMU to this node, at (t, x) in its mode of continuous time.
  Instance& at(const std::shared_ptr<const Node>& node, double t, ConstVectorRef x);
  // The event that the FMU makes from this node there, with the inputs of the node, or of this piece. Throws std::runtime_error where its
  // updates reach no fixed point.
  EventAnswer make_event(const std::shared_ptr<const Node>& node, const EventPlace& place) {
    return make_event(node, place, node->piece);
  }
  EventAnswer make_event(const std::shared_ptr<const Node>& node, const EventPlace& place, std::size_t piece);
  // Tells the FMU of a step of the integrator that ends there. Returns whether it wants an event.
  bool complete_step(const std::shared_ptr<const Node>& node, double t, ConstVectorRef x);

 private:
  void load(const std::shared_ptr<const Node>& node);
  void replay(const Node& node);
  // From the event mode into that of continuous time.
  EventAnswer iterate();
  EventAnswer enter(const EventPlace& place, std::size_t piece);
  void start();
  // Inputs that are no continuous variables are set in the event mode alone.
  void set_inputs(double t, std::size_t piece, bool is_event);

  std::shared_ptr<const Fmu> fmu_;
  StartValues values_;
  std::shared_ptr<const Inputs> inputs_;
  double start_;
  std::optional<double> tolerance_;
  std::unique_ptr<Instance> instance_;
  EventAnswer first_;
  std::shared_ptr<const Node> loaded_;
  double t_ = 0;  // what the FMU has been given last
  Vector x_ = {};
  bool is_set_ = false;
};

}  // namespace slideway::fmi
