// One run: the mutable state behind Simulator::run.
//     classify → freeze the mode → step → locate → resolve → append
//
// It must not know file formats.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "simulate/accumulation_watch.hpp"
#include "simulate/chattering_watch.hpp"
#include "simulate/event_resolver.hpp"
#include "simulate/mode_ode.hpp"
#include "slideway/integrate/guard_scan.hpp"
#include "slideway/integrate/stepper.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

class RunEngine {
 public:
  // The references must outlive the engine.
  RunEngine(const System& system, std::shared_ptr<const RelayStructure> structure, const Options& options,
            const Run& run);
  Solution execute();

 private:
  // How the following of one mode ended.
  enum class ModeEnd { event, finished };

  bool find_initial_mode();
  bool begin_mode();
  ModeEnd follow_mode();
  // Resolves the guards that arrived at t_; false when the run is over.
  bool handle_arrival(const std::vector<char>& slots);
  // Resolves the surfaces met at t_; false when the run is over.
  bool resolve(const Meeting& meeting);
  void set_thresholds();
  // Takes over what a resolution says about the mode.
  void adopt(const Resolution& resolution);
  void report(const Resolution& resolution);
  void finish_ambiguous(const Resolution& resolution);
  bool chatters(const Resolution& resolution);
  // Goes on from the limit of crossings that accumulate; false when the run is over.
  bool jump_to_accumulation(const Accumulation& accumulation);
  // Flags the guards that reach zero at the end time; false when there are none.
  bool arrives_at_end(double end, std::vector<char>& slots);
  void append_step(double start, double end);
  void write_outputs(double start, double end);
  // Puts x_ onto the surfaces it slides on.
  void project_state();
  void finish(Status status, std::string message);
  std::string surface_name(Index surface) const;
  std::string names(const std::vector<Index>& surfaces) const;

  // The guards along the dense output of the last step.
  class DenseGuards final : public GuardSampler {
   public:
    explicit DenseGuards(RunEngine& engine) : engine_(engine) {}
    void sample(double t, VectorRef values) override;
    void noise(double t, VectorRef values) override;

   private:
    RunEngine& engine_;
  };

  const System& system_;
  const Options& options_;
  const Run& run_;
  Evaluator evaluator_;
  std::shared_ptr<const RelayStructure> structure_;
  ModeOde ode_;
  EventResolver resolver_;
  SurfaceGeometry geometry_;
  std::unique_ptr<Stepper> stepper_;
  GuardScan scan_;
  DenseGuards sampler_;
  ChatteringWatch chattering_;
  AccumulationWatch accumulation_;

  double t_ = 0;
  Vector x_;
  Mode mode_;
  Vector lambda_;          // the relays, a first guess for those that slide
  bool repelling_ = false;  // the only surface that slides repels
  // The surfaces of the last event, which the mode has only just left or begun to slide on.
  std::vector<Index> involved_;
  double mode_since_ = 0;
  double carried_march_step_ = 0;
  Index quiet_restarts_ = 0;
  double quiet_since_ = 0;
  std::size_t next_output_ = 0;
  bool can_project_ = false;  // the integrator keeps sliding on the surface by itself

  Vector weights_, guard_values_, noise_, nudged_values_, state_, arm_above_, arrive_below_;
  Solution solution_;
};

}  // namespace slideway
