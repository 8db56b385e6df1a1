#include "models/cam_follower.hpp"

#include <cmath>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

Model cam_follower() {
  Model model;
  model.name = "cam-follower";
  model.summary = "a rod follows a rotating cam, lifts off where the cam falls too fast, and lands again";
  model.source =
      "P. J. Mosterman, F. Zhao, G. Biswas, Sliding mode model semantics and simulation for hybrid systems, "
      "Hybrid Systems V, LNCS 1567, 1999, eqs. (3)-(4) with gravity as -g; the cam's profile is not stated "
      "there";
  model.equations = {
      "z' = v",
      "v' = -g - z/(C*m) - R*v/m + cam/m",
      "contact cam: z - lift*(1 - cos(w*t)) >= 0, restitution e from the approach speed v_th on, 0 below",
  };
  model.parameters = {
      {"R", 10, "friction of the rocker arm"},
      {"m", 0.5, "mass of the rod"},
      {"C", 0.02, "compliance of the valve spring"},
      {"g", 9.81, "acceleration of fall"},
      {"lift", 0.05, "half the lift of the cam"},
      {"w", 20, "angular speed of the cam"},
      {"e", 0, "restitution of an impact"},
      {"v_th", 0, "approach speed below which an impact is inelastic"},
  };
  model.state_names = {"z", "v"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("m", "the rod's acceleration is force/m");
    values.require_positive("C", "the spring's force is z/C");
    values.require_from_zero_to_one("e", "an impact does not add energy");
    const CamFollower functor{.R = values["R"], .m = values["m"], .C = values["C"], .g = values["g"]};
    const double lift = values["lift"];
    const double w = values["w"];
    const double e = values["e"];
    const double threshold = values["v_th"];
    Contact cam;
    cam.name = "cam";
    cam.gap = Guard([lift, w](auto t, const auto& x) {
      using std::cos;
      return x[0] - lift * (1.0 - cos(w * t));
    });
    cam.acts_on = [m = functor.m](double, ConstVectorRef, VectorRef b) { b[1] = 1 / m; };
    cam.restitution = [e, threshold](double approach) { return approach < threshold ? 0.0 : e; };
    return ModelInstance{.system = from_functor(functor, {.states = 2,
                                                          .name = description.name,
                                                          .state_names = description.state_names})
                                       .with_contacts({cam}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 1,
                         .state = values.state(Eigen::Vector2d(0, 0))};
  };
  return model;
}

}  // namespace slideway::models
