// The table and the documents that the command `slideway lyapunov` writes.
//
// It must not know how exponents are found.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/layout.hpp"
#include "slideway/model/model.hpp"
#include "slideway/orbit/lyapunov.hpp"

namespace slideway::apps {

// Refers to the instance, the exponents and the options, which must outlive it.
struct ShownExponents {
  std::string model = {};
  const ModelInstance& instance;
  const LyapunovExponents& exponents;
  const LyapunovOptions& options;
};

// Why the exponents are not those of the whole run; "" where they are.
std::string doubt_of(const LyapunovExponents& exponents);

// The dimension of Kaplan and Yorke: k + (λ₁ + … + λₖ)/|λₖ₊₁|, with k the largest number of exponents whose sum is not negative; n
// where their whole sum is not.
double kaplan_yorke_dimension(const Vector& exponents);

void print_exponents(const ShownExponents& shown, const std::vector<std::string>& written,
                     const Screen& screen, std::ostream& out);
// Writes the JSON document, whose schema is "slideway.lyapunov/1".
void write_lyapunov_json(const ShownExponents& shown, std::ostream& out);
// A row for each block: its end and the estimates up to there.
void write_lyapunov_csv(const ShownExponents& shown, std::ostream& out);

}  // namespace slideway::apps
