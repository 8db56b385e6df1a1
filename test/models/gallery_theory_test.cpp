// The gallery, theory: model files beside what is known of them, a closed form, a period or a balance. What is
// expected is computed here from the formulas, not taken from a run.
#include <cmath>

#include "test/models/gallery_run.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("the spiral of Filippov ends in the origin at half the distance") {
  const GalleryRun run = follow("filippov_spiral");
  const EventLog zeno = run.events(EventKind::zeno);
  REQUIRE(zeno.size() == 1);
  CHECK(zeno[0].t == near((1 + 0.5) / 2));
  CHECK(run.solution.final.state.norm() < 1e-12);
  CHECK(run.solution.final.mode.word() == "00");
  for (const EventRecord& event : run.events(EventKind::crossing))
    CHECK(std::abs(event.after.lpNorm<1>() - (1.5 - 2 * event.t)) < 1e-7);
}

TEST_CASE("agents who follow signs merge one by one at the times that plateaus take, and agree on the mean") {
  const GalleryRun run = follow("total_variation");
  struct Plateau {
    double height;
    double agents;
  };
  std::vector<Plateau> plateaus;
  for (const double height : run.instance.state) plateaus.push_back({height, 1});
  const double mean = run.instance.state.mean();
  const auto sign = [](double value) { return value > 0 ? 1.0 : -1.0; };
  const EventLog& events = run.solution.events;
  REQUIRE(events.size() == plateaus.size() - 1);
  double t = 0;
  for (const EventRecord& event : events) {
    const std::size_t count = plateaus.size();
    std::vector<double> speed(count, 0);
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double pull = sign(plateaus[k + 1].height - plateaus[k].height);
      speed[k] += pull / plateaus[k].agents;
      speed[k + 1] -= pull / plateaus[k + 1].agents;
    }
    double wait = 1e300;
    std::size_t first = 0;
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double closing = (speed[k] - speed[k + 1]) / (plateaus[k + 1].height - plateaus[k].height);
      if (closing > 0 && 1 / closing < wait) {
        wait = 1 / closing;
        first = k;
      }
    }
    t += wait;
    for (std::size_t k = 0; k < count; ++k) plateaus[k].height += wait * speed[k];
    plateaus[first].agents += plateaus[first + 1].agents;
    plateaus.erase(plateaus.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    CHECK(event.kind == EventKind::sliding_entry);
    CHECK(event.t == near(t, 1e-9));
  }
  CHECK((run.solution.final.state.array() - mean).abs().maxCoeff() < 1e-9);
  // They take evaluations by the tens, however many surfaces are coupled.
  CHECK(static_cast<std::size_t>(run.solution.statistics.field_evaluations) < 60 * events.size());
}
