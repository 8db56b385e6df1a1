#include "model_file/friction_laws.hpp"

#include "core/letters.hpp"

namespace slideway::reader {

namespace {

constexpr LawParameter kKinetic{"Fc", "N", false, nullptr};
constexpr LawParameter kStatic{"Fs", "N", false, nullptr};
constexpr LawParameter kStribeckVelocity{"vs", "m/s", false, nullptr};
constexpr LawParameter kViscous{"B", "N s/m", true, "0"};

bool is_name_letter(char c) { return is_letter(c) || c == '_'; }

}  // namespace

const std::vector<FrictionLaw>& friction_laws() {
  constexpr const char* falling = "(Fc + (Fs - Fc)*exp(-(v/vs)^2))*sgn(v) + B*v";
  static const std::vector<FrictionLaw> laws = {
      {"viscous", {{"B", "N s/m", true, nullptr}}, {}, "B*v", nullptr, nullptr, nullptr, false, false},
      {"coulomb", {kKinetic, kViscous}, {}, "Fc*sgn(v) + B*v", nullptr, nullptr, nullptr, true, false},
      {"static", {kKinetic, kStatic, kViscous}, {}, "Fc*sgn(v) + B*v", nullptr, nullptr, "Fs/Fc", true, true},
      {"directional",
       {kKinetic,
        {"Fc_minus", "N", false, nullptr},
        {"Fs", "N", false, "Fc"},
        {"Fs_minus", "N", false, "Fc_minus"},
        kViscous},
       {},
       "(Fc + Fc_minus)/2*sgn(v) + (Fc - Fc_minus)/2 + B*v",
       nullptr,
       nullptr,
       "(2*Fs - Fc + Fc_minus)/(Fc + Fc_minus)",
       true,
       true,
       "(2*Fs_minus + Fc - Fc_minus)/(Fc + Fc_minus)"},
      {"stribeck",
       {kKinetic, kStatic, kStribeckVelocity, kViscous},
       {},
       falling,
       nullptr,
       nullptr,
       nullptr,
       true,
       true},
      {"stribeck-linear",
       {kKinetic, kStatic, kStribeckVelocity, kViscous},
       {},
       "(Fc + (Fs - Fc)*exp(-abs(v)/vs))*sgn(v) + B*v",
       nullptr,
       nullptr,
       nullptr,
       true,
       true},
      {"exponential",
       {kKinetic, kStatic, kStribeckVelocity, kViscous},
       {},
       falling,
       nullptr,
       nullptr,
       nullptr,
       true,
       true},
      {"exponential-literal",
       {kKinetic, kStatic, kStribeckVelocity, kViscous},
       {},
       "Fc*sgn(v) + (Fs - Fc)*exp(-(v/vs)^2) + B*v",
       nullptr,
       nullptr,
       nullptr,
       true,
       true},
      {"dahl",
       {{"sigma", "N/m", false, nullptr}, kKinetic},
       {},
       nullptr,
       "sigma*(v - abs(v)*z/Fc)",
       "z^2/(2*sigma)",
       nullptr,
       true,
       false},
      {"bouc-wen",
       {{"k", "N/m", false, nullptr},
        {"A", "1", false, "1"},
        {"beta", "1/m^n", true, nullptr},
        {"gamma", "1/m^n", true, nullptr, true},
        {"n", "1", false, "1"}},
       {},
       "k*z",
       "A*v - beta*abs(v)*abs(z)^(n - 1)*z - gamma*v*abs(z)^n",
       nullptr,
       nullptr,
       true,
       false},
      {"lugre",
       {{"sigma0", "N/m", false, nullptr},
        {"sigma1", "N s/m", true, nullptr},
        {"sigma2", "N s/m", true, "0"},
        kKinetic,
        kStatic,
        kStribeckVelocity},
       {{"g", "Fc + (Fs - Fc)*exp(-(v/vs)^2)"}, {"rate", "v - sigma0*abs(v)*z/g"}},
       "sigma0*z + sigma1*rate + sigma2*v",
       "rate",
       "sigma0*z^2/2",
       nullptr,
       true,
       true},
  };
  return laws;
}

std::string indexed(const std::string& formula) {
  std::string result;
  for (std::size_t k = 0; k < formula.size();) {
    if (is_digit(formula[k])) {
      while (k < formula.size() && (is_digit(formula[k]) || formula[k] == '.')) result += formula[k++];
    } else if (is_name_letter(formula[k])) {
      while (k < formula.size() && (is_name_letter(formula[k]) || is_digit(formula[k])))
        result += formula[k++];
      if (k == formula.size() || formula[k] != '(') result += "[i]";
    } else {
      result += formula[k++];
    }
  }
  return result;
}

}  // namespace slideway::reader
