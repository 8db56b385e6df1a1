// Everything a user of slideway needs. Nothing in lib/ includes this header.
#pragma once

#include "slideway/autodiff/dual.hpp"
#include "slideway/core/version.hpp"
#include "slideway/filippov/classify.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/model/check.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_regions.hpp"
#include "slideway/model/from_signs.hpp"
#include "slideway/model/system.hpp"
#include "slideway/simulate/alternatives.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/passivity.hpp"
#include "slideway/simulate/preconditioner.hpp"
#include "slideway/simulate/simulator.hpp"
