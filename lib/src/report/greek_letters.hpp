// Greek letters by their names.
//
// It must not know how a text is set.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace slideway {

struct NamedGlyph {
  const char* name;
  const char* glyph;
};

inline constexpr std::array greek_letters = {
    NamedGlyph{"alpha", "α"}, NamedGlyph{"beta", "β"},    NamedGlyph{"gamma", "γ"},
    NamedGlyph{"delta", "δ"}, NamedGlyph{"epsilon", "ε"}, NamedGlyph{"zeta", "ζ"},
    NamedGlyph{"eta", "η"},   NamedGlyph{"theta", "θ"},   NamedGlyph{"iota", "ι"},
    NamedGlyph{"kappa", "κ"}, NamedGlyph{"lambda", "λ"},  NamedGlyph{"mu", "μ"},
    NamedGlyph{"nu", "ν"},    NamedGlyph{"xi", "ξ"},      NamedGlyph{"pi", "π"},
    NamedGlyph{"rho", "ρ"},   NamedGlyph{"sigma", "σ"},   NamedGlyph{"tau", "τ"},
    NamedGlyph{"phi", "φ"},   NamedGlyph{"chi", "χ"},     NamedGlyph{"psi", "ψ"},
    NamedGlyph{"omega", "ω"}, NamedGlyph{"Gamma", "Γ"},   NamedGlyph{"Delta", "Δ"},
    NamedGlyph{"Theta", "Θ"}, NamedGlyph{"Lambda", "Λ"},  NamedGlyph{"Xi", "Ξ"},
    NamedGlyph{"Pi", "Π"},    NamedGlyph{"Sigma", "Σ"},   NamedGlyph{"Phi", "Φ"},
    NamedGlyph{"Psi", "Ψ"},   NamedGlyph{"Omega", "Ω"}};

// Null where no glyph among these has the name.
template <class Glyphs>
const char* glyph_named(const Glyphs& glyphs, std::string_view name) {
  const auto found =
      std::find_if(glyphs.begin(), glyphs.end(), [&](const NamedGlyph& one) { return name == one.name; });
  return found == glyphs.end() ? nullptr : found->glyph;
}

}  // namespace slideway
