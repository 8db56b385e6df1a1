// A room with a thermostat: the heating goes on below T_low and off above T_high, a hysteresis that needs a memory.
//
//     T' = −a (T − T_out) + heat        in `on`,       until T rises to T_high
//     T' = −a (T − T_out)               in `off`,      until T falls to T_low
//
// A cycle lasts ln((T_max − T_low)/(T_max − T_high))/a + ln((T_high − T_out)/(T_low − T_out))/a with
// T_max = T_out + heat/a.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

struct Room {
  double a = 0.1;
  double T_out = 18;
  double heat = 2;

  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = -a * (x[0] - T_out) + heat;
  }
};

Model thermostat();

}  // namespace slideway::models
