// Mosterman, Zhao & Biswas' evaporator whose overflow opens at L_th + eps and closes at L_th − eps (their Fig. 12).
//
//     p' = −(R_pipe/I) p + s L,      L' = (f_in − L/R_b − s p/I)/C,      s = 0 in `closed`, 1 in `open`
//
// The level chatters across the band at a rate of 1/eps; as eps → 0 the motion becomes the sliding motion of the model
// `evaporator`, with an error proportional to eps.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

Model hysteresis_evaporator();

}  // namespace slideway::models
