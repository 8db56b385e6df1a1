#include "lib/fmi/node_loader.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "lib/fmi/fmu.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::fmi {

NodeLoader::NodeLoader(std::shared_ptr<const Fmu> fmu, StartValues values,
                       std::shared_ptr<const Inputs> inputs, double start, std::optional<double> tolerance)
    : fmu_(std::move(fmu)),
      values_(std::move(values)),
      inputs_(std::move(inputs)),
      start_(start),
      tolerance_(tolerance),
      instance_(make_instance(fmu_)) {
  for (const Inputs::Column& column : inputs_->columns())
    values_.emplace_back(column.variable, inputs_->value(column, start_, inputs_->piece_from(start_)));
  instance_->start(start_, tolerance_, values_);
  first_ = iterate();
  first_.node = std::make_shared<Node>(Node{.piece = inputs_->piece_from(start_)});
  if (fmu_->description().saves_state) first_.node->saved = instance_->save();
  loaded_ = first_.node;
}

Instance& NodeLoader::at(const std::shared_ptr<const Node>& node, double t, ConstVectorRef x) {
  load(node);
  if (!is_set_ || t != t_) {
    instance_->set_time(t);
    set_inputs(t, node->piece, false);
  }
  if (!is_set_ || x != x_) instance_->set_states(x);
  t_ = t;
  x_ = x;
  is_set_ = true;
  return *instance_;
}

EventAnswer NodeLoader::make_event(const std::shared_ptr<const Node>& node, const EventPlace& place,
                                   std::size_t piece) {
  load(node);
  // Until the event is over the FMU is at no node.
  loaded_ = nullptr;
  EventAnswer answer = enter(place, piece);
  answer.node = std::make_shared<Node>(Node{.parent = node, .place = place, .piece = piece});
  if (fmu_->description().saves_state) answer.node->saved = instance_->save();
  loaded_ = answer.node;
  return answer;
}

bool NodeLoader::complete_step(const std::shared_ptr<const Node>& node, double t, ConstVectorRef x) {
  const bool wants_event = at(node, t, x).complete_step();
  if (node->saved) node->saved = instance_->save();
  return wants_event;
}

void NodeLoader::set_inputs(double t, std::size_t piece, bool is_event) {
  for (const Inputs::Column& column : inputs_->columns())
    if (is_event || column.variable->is_continuous)
      instance_->set(*column.variable, inputs_->value(column, t, piece));
}

void NodeLoader::load(const std::shared_ptr<const Node>& node) {
  if (node == loaded_) return;
  const std::shared_ptr<const Node> from = std::exchange(loaded_, nullptr);
  is_set_ = false;
  if (node->saved)
    instance_->restore(*node->saved);
  else if (from && node->parent == from)
    enter(node->place, node->piece);
  else if (from && from->parent == node && from->back.x.size() > 0)
    enter(from->back, node->piece);
  else
    replay(*node);
  loaded_ = node;
}

void NodeLoader::replay(const Node& node) {
  std::vector<const Node*> way;
  for (const Node* at = &node; at->parent; at = at->parent.get()) way.push_back(at);
  instance_->reset();
  instance_->start(start_, tolerance_, values_);
  iterate();
  for (auto at = way.rbegin(); at != way.rend(); ++at) enter((*at)->place, (*at)->piece);
}

EventAnswer NodeLoader::enter(const EventPlace& place, std::size_t piece) {
  is_set_ = false;
  instance_->set_time(place.t);
  instance_->set_states(place.x);
  instance_->complete_step();
  instance_->enter_event_mode();
  set_inputs(place.t, piece, true);
  return iterate();
}

EventAnswer NodeLoader::iterate() {
  constexpr int most_updates = 1000;
  EventAnswer answer;
  for (int k = 0; true; ++k) {
    const Update update = instance_->update();
    answer.terminates = answer.terminates || update.terminates;
    answer.next_time = update.next_time.value_or(std::numeric_limits<double>::infinity());
    if (!update.needs_another || answer.terminates) break;
    if (k == most_updates)
      throw std::runtime_error(
          fmt::format("{}: the update of discrete states still asks for another one after {} updates at one "
                      "event: a cascade "
                      "of the model does not end",
                      fmu_->file(), most_updates));
  }
  instance_->continue_time();
  answer.x.resize(static_cast<Index>(fmu_->description().states.size()));
  instance_->get_states(answer.x);
  is_set_ = false;
  return answer;
}

}  // namespace slideway::fmi
