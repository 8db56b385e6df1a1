#include "rules/second_order_sliding.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "simulate/precision.hpp"

namespace slideway {

std::string order_of_sliding(const LocationTools& tools) {
  Index highest = 2;
  if (tools.staying) {
    for (const SecondOrder::Chain& chain : tools.staying->of->chains)
      highest = std::max(highest, chain.count + 1);
  }
  return highest == 2 ? "second order" : highest == 3 ? "third order" : "order " + std::to_string(highest);
}

LocationTools* second_order_tools(RunState& now, const std::vector<Index>& surfaces) {
  return now.tools.in_second_order(now.regime.place.location, surfaces);
}

// has_no_field() tells whether the field has no value, as a quotient 0/0 has none: the relays are then unknown.
bool has_no_field(RunState& now, const std::vector<Index>& surfaces) {
  if (now.regime.in_second_order() || now.regime.in_pair() || surfaces.empty()) return false;
  Vector there = now.x, field(now.x.size());
  if (!now.here->geometry.project(now.t, surfaces, now.weights, there)) return false;
  now.here->evaluator.field(now.t, there, now.regime.lambda(), field);
  if (field.allFinite()) return false;
  const LocationTools* const tools = second_order_tools(now, surfaces);
  return tools && !tools->bound().empty();
}

std::optional<Vector> state_in_second_order(RunState& now, LocationTools& tools,
                                            const std::vector<Index>& surfaces,
                                            const std::vector<Index>& coming, Vector& lambda) {
  SurfaceGeometry& plain = now.tools.of_location(now.regime.place.location).geometry;
  Vector x = now.x, values(now.regime.mode().size()), rates(now.regime.mode().size()), minus(x.size()),
         plus(x.size());
  const auto put_on_surfaces = [&](Vector& state) {
    if (tools.staying) {
      tools.staying->geometry.project(now.t, tools.staying->all, now.weights, state);
    } else {
      plain.project(now.t, surfaces, now.weights, state);
    }
    tools.geometry.project(now.t, surfaces, now.weights, state);
  };
  for (const Index i : coming) {
    tools.evaluator.guards(now.t, x, values);
    tools.evaluator.neighbour_fields(now.t, x, lambda, i, minus, plus);
    const double speed = values[i];
    if (!minus.allFinite() || !plus.allFinite()) {
      // A field need not have a value beside the surfaces on the side that is not in force.
      Vector there = x;
      put_on_surfaces(there);
      tools.evaluator.neighbour_fields(now.t, there, lambda, i, minus, plus);
    }
    plus -= minus;
    tools.evaluator.guard_directional(now.t, x, 0, plus, rates);
    const double time = -speed / rates[i];
    const double excursion =
        tools.staying ? tools.staying->excursion(now.t, x, i, speed, rates[i]) : std::abs(speed * time);
    if (!(excursion <= plain.tolerance(now.t, x, i, now.weights))) return std::nullopt;
    x += time * plus;
  }
  for (int turn = 0; turn < kProjectionTurns; ++turn) put_on_surfaces(x);
  return x;
}

void list_entered(const RunState& now, EventRecord& record) {
  record.surfaces.clear();
  record.surface_names.clear();
  for (ShortList<double>* values : {&record.w_minus, &record.w_plus, &record.lambda}) values->clear();
  const Mode word = now.word();
  for (Index i = 0; i < now.regime.mode().size(); ++i) {
    if (word.slides_on(i) && !(record.from && record.from->slides_on(i))) now.list(i, record);
  }
}

std::vector<Index> ends_of_second_order(const RunState& now) {
  std::vector<Index> leaving;
  std::copy_if(now.regime.place.second_order.begin(), now.regime.place.second_order.end(),
               std::back_inserter(leaving), [&](Index i) { return !now.regime.mode().slides_on(i); });
  return leaving;
}

}  // namespace slideway
