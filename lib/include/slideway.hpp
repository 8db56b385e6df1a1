// Everything a user of slideway needs to write a system, to run it and to look at the solution. Model files and documents have
// headers of their own: slideway/io/model_file.hpp, csv.hpp, json.hpp, plot.hpp and html_report.hpp.
// Nothing in lib/ includes this header.
#pragma once

#include "slideway/autodiff/dual.hpp"
#include "slideway/core/version.hpp"
#include "slideway/filippov/classify.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/model/check.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_network.hpp"
#include "slideway/model/from_regions.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/model/input.hpp"
#include "slideway/model/system.hpp"
#include "slideway/orbit/equilibria.hpp"
#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/orbit_branch.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/alternatives.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/checkpoint.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"
#include "slideway/simulate/passivity.hpp"
#include "slideway/simulate/preconditioner.hpp"
#include "slideway/simulate/sensitivity.hpp"
#include "slideway/simulate/simulator.hpp"
