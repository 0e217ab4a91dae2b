#include "core/gamma_function.hpp"

#include <array>
#include <cstddef>

namespace dbandit {

namespace {

constexpr double kLarge = 16;
constexpr DoubleDouble kRootTwoPi{0x1.40d931ff62706p+1, -0x1.a6a0d6f814637p-53};

/// ln Γ(b) − ((b − ½) ln b − b + ½ ln 2π), Stirling's series; b ≥ 16, where its next term is below 1e-26.
DoubleDouble stirling(const DoubleDouble& b) {
  struct Ratio {
    double above, below;
  };
  constexpr std::array<Ratio, 12> kTerms{{{1, 12},
                                          {-1, 360},
                                          {1, 1260},
                                          {-1, 1680},
                                          {1, 1188},
                                          {-691, 360360},
                                          {1, 156},
                                          {-3617, 122400},
                                          {43867, 244188},
                                          {-174611, 125400},
                                          {77683, 5796},
                                          {-236364091, 1506960}}};
  const DoubleDouble r = DoubleDouble(1) / b, s = r * r;
  DoubleDouble sum = 0;
  for (std::size_t i = kTerms.size(); i-- > 0;) sum = sum * s + DoubleDouble(kTerms[i].above) / kTerms[i].below;
  return sum * r;
}

DoubleDouble gamma(DoubleDouble a) {
  DoubleDouble product = 1;
  for (; a < kLarge; a += 1.0) product *= a;
  return kRootTwoPi * exp((a - 0.5) * log(a) - a + stirling(a)) / product;
}

}  // namespace

DoubleDouble gamma_ratio(DoubleDouble b) {
  DoubleDouble factor = 1;
  for (; b < kLarge; b += 1.0) factor *= b / (b + 0.5);
  // The parts of Stirling's formula that are as large as b ln b meet in one logarithm near 0.
  return factor * sqrt(b) * exp(b * log1p(DoubleDouble(0.5) / b) - 0.5 + (stirling(b + 0.5) - stirling(b)));
}

DoubleDouble upper_gamma(const DoubleDouble& a, const DoubleDouble& x) {
  if (!(x.high < 745)) return 0;
  if (x < a + 1.0) {
    // Γ(a) − x^a e^−x Σ x^n / (a (a+1) … (a+n))
    DoubleDouble term = DoubleDouble(1) / a, sum = term;
    for (DoubleDouble n = a + 1.0; term.high > sum.high * 1e-24; n += 1.0) sum += (term *= x / n);
    return gamma(a) - pow(x, a) * exp(-x) * sum;
  }
  // x^a e^−x / (x+1−a − 1(1−a)/(x+3−a − 2(2−a)/(x+5−a − …)))
  const int terms = 60 + static_cast<int>(600 / x.high);
  DoubleDouble fraction = x + 1.0 - a + 2.0 * terms;
  for (int n = terms; n >= 1; --n) fraction = x + (2.0 * n - 1) - a - (DoubleDouble(n) - a) * static_cast<double>(n) / fraction;
  return pow(x, a) * exp(-x) / fraction;
}

}  // namespace dbandit
