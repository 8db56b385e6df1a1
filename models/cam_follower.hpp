// Mosterman, Zhao & Biswas' cam-follower: a rod on a rotating cam, pressed down by the valve spring, with friction.
//
//     z' = v
//     m v' = −m g − z/C − R v + F,     gap z − x_cam(t) ≥ 0,     F ≥ 0 the force of the cam
//     x_cam = lift (1 − cos w t)
//
// The paper writes +g in its eq. (3), but means "up" to be positive where it compares the velocities, so gravity is −g
// here; it does not state the profile of the cam, nor its speed. An impact slower than v_th is inelastic, a faster one has
// the restitution e. While it touches, F = m x_cam'' + R x_cam' + x_cam/C + m g, and the rod leaves where that
// vanishes. With R = 10 and m = 0.5 the free rod is critically damped for C = 0.02 and oscillates for C = 0.01.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

struct CamFollower {
  double R = 10;
  double m = 0.5;
  double C = 0.02;
  double g = 9.81;

  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -g - x[0] / (C * m) - R / m * x[1];
  }
};

Model cam_follower();

}  // namespace slideway::models
