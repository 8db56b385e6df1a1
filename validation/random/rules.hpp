// What runs of a campaign may be off by: the numbers of the rules in comparison.hpp, which every judge of random models goes by.
//
// It must not know models or motions.
#pragma once

#include <string>
#include <vector>

namespace slideway::validation::random {

// Errors of times and states in units of rtol times their sizes.
inline constexpr double per_tolerance = 1000;
// A neighbour's derivatives are off by this many units of rtol times the size per tenth of the run; what moves by it may move
// change_per_drift times as far.
inline constexpr double drift_per_tolerance = 30;
inline constexpr double tenths = 10;
inline constexpr double change_per_drift = 10;
// A problem whose neighbours are further away than this part of its sizes says nothing.
inline constexpr double far_away = 0.05;
// The models go on for about this many of their natural times.
inline constexpr double natural_times = 20;

// A run makes an error of a tolerance per step, and at order five, the highest of BDF, takes rtol^(-1/6) steps: by this much errors grow
// below rtol = 1e-8.
double growth_by_steps(double rtol);

// The middles of the longest stretches of a run between instants, of those that take the part `least` of it, in their order.
std::vector<long double> times_between(const std::vector<long double>& instants, long double start,
                                       long double end, long double least);

// The kind of a difference or a message, without the numbers and names that follow.
std::string kind_of(const std::string& text);

}  // namespace slideway::validation::random
