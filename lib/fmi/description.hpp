// Description is what modelDescription.xml says of an FMU, in the words of neither version of the standard.
//
// It must not know the functions of an FMU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slideway::fmi {

enum class Version { two, three };

// The kind tells who integrates: this program, or the FMU itself.
enum class Kind { model_exchange, co_simulation };

enum class Type {
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  text,
  binary,
  clock
};

// The role of a variable for whoever runs the FMU.
enum class Role { parameter, calculated, input, output, local, independent, structural };

struct Variable {
  std::string name = {};
  std::string description = {};
  std::string unit = {};
  std::uint32_t reference = 0;
  Type type = Type::float64;
  Role role = Role::local;
  bool is_continuous = false;
  bool is_settable_at_start = false;  // its initial is exact, and it is no constant
  bool is_tunable = false;            // a parameter that may be set between events
  // An array of 3.0 is a variable for each element, whose place and number these are.
  std::size_t element = 0;
  std::size_t count = 1;
  // The value of the description; an element that only other lengths of its array make has none.
  std::optional<double> start = {};
  std::optional<double> nominal = {};
};

struct State {
  Variable variable = {};
  Variable derivative = {};
};

struct Description {
  Version version = Version::three;
  std::string model_name = {};
  std::string description = {};
  std::string tool = {};
  std::string token = {};  // the GUID of 2.0
  Kind kind = Kind::model_exchange;
  std::string model_identifier = {};  // of this kind
  bool saves_state = false;
  bool has_directional_derivatives = false;
  bool only_one_instance = false;
  bool wants_steps = false;      // Model Exchange: it is to hear of every step of the integrator
  bool has_event_mode = false;   // Co-Simulation of 3.0
  bool has_fixed_steps = false;  // Co-Simulation: all communication steps are to be the same
  std::optional<double> start = {}, end = {}, tolerance = {}, step = {};
  std::vector<Variable> variables = {};
  std::vector<State> states = {};
  bool has_sized_states = false;             // structural parameters decide the number of states
  std::vector<std::string> indicators = {};  // a name for each event indicator
};

// The values of structural parameters, by name.
using Configuration = std::map<std::string, double>;

// Without a kind it is Model Exchange, where the FMU has that. Arrays have the lengths of the configuration. Throws std::invalid_argument where the file is absent or no XML, or where it
// describes none of this kind, or what cannot be run here.
Description read_description(const std::filesystem::path& file, std::optional<Kind> kind,
                             const Configuration& configuration = {});

}  // namespace slideway::fmi
