#include "sweep/fingerprint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "slideway/core/version.hpp"

namespace slideway {

// FNV-1a.
void Fingerprint::add(const std::string& text) {
  for (const char character : text)
    hash_ = (hash_ ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
}

void Fingerprint::add(const Model& model, const std::string& identity) {
  add(fmt::format("{}\n{}\n{}\n", version(), model.name, identity));
  for (const std::string& line : model.equations) add(line + '\n');
  for (const Parameter& parameter : model.parameters)
    add(fmt::format("{}={}\n", parameter.name, parameter.value));
}

void Fingerprint::add(const Options& options) {
  const Vector& atol = options.atol.values();
  add(fmt::format("{} {} {} {} {} {} {} {}\n", options.rtol,
                  fmt::join(atol.data(), atol.data() + atol.size(), ","), to_string(options.method),
                  options.max_step, options.max_events, to_string(options.on_ambiguity),
                  to_string(options.sliding_rule), to_string(options.selection)));
  add(fmt::format("{} {} {}\n", to_string(options.linear_solver), options.max_steps,
                  static_cast<bool>(options.preconditioner)));
}

std::string Fingerprint::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace slideway
