// The tables and the documents that the command `slideway manifolds` writes.
//
// It must not know how manifolds are followed.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/manifolds/connections.hpp"
#include "slideway/manifolds/equilibrium_manifolds.hpp"
#include "slideway/manifolds/orbit_manifolds.hpp"
#include "slideway/model/model.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway::apps {

// Refers to the instance and the manifolds, which must outlive it.
struct ShownManifolds {
  std::string model = {};
  const ModelInstance& instance;
  const std::vector<EquilibriumManifolds>& saddles;
};

void print_manifolds(const ShownManifolds& shown, const std::vector<std::string>& written,
                     const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.manifolds/1".
void write_manifolds_json(const ShownManifolds& shown, std::ostream& out);
// A row for each point: the numbers of the saddle and of the piece, what it is, time, arclength, mode and states.
void write_manifolds_csv(const ShownManifolds& shown, std::ostream& out);

struct ShownOrbitManifolds {
  std::string model = {};
  const ModelInstance& instance;
  const PeriodicOrbit& orbit;
  const OrbitManifolds& manifolds;
};

void print_orbit_manifolds(const ShownOrbitManifolds& shown, const std::vector<std::string>& written,
                           const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.orbit-manifolds/1".
void write_orbit_manifolds_json(const ShownOrbitManifolds& shown, std::ostream& out);
// A row for each point: the number of the curve, what it is, returns, arclength and states.
void write_orbit_manifolds_csv(const ShownOrbitManifolds& shown, std::ostream& out);

struct ShownConnections {
  std::string model = {};
  std::string parameter = {};
  const ModelInstance& instance;  // at the first value of the parameter
  const ConnectionOptions& options;
  const Connections& connections;
};

// "homoclinic" or "heteroclinic".
const char* kind_of(const Connection& connection);

void print_connections(const ShownConnections& shown, const std::vector<std::string>& written,
                       const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.connections/1".
void write_connections_json(const ShownConnections& shown, std::ostream& out);
// A row for each gap that was found at a value of the parameter.
void write_connections_csv(const ShownConnections& shown, std::ostream& out);

}  // namespace slideway::apps
