#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "dbandit/model/bounds.hpp"
#include "model/truncated_mean.hpp"
#include "rng/draws.hpp"
#include "study/judges.hpp"

namespace dbandit::study {
namespace {

const std::vector<double> kLow{0.1, 0.05, 0.03};
const model::DelayLaw kDelay = model::Geometric{500};
constexpr std::int64_t kWindow = 1000;

/// Rounding, not mathematics.
constexpr double kSlack = 1e-9;

/// Law of the number of successes of independent trials with these probabilities.
std::vector<double> successes(std::span<const double> chances) {
  std::vector<double> law{1};
  for (const double chance : chances) {
    law.push_back(0);
    for (std::size_t n = law.size() - 1; n > 0; --n) law[n] = law[n] * (1 - chance) + law[n - 1] * chance;
    law[0] *= 1 - chance;
  }
  return law;
}

/// 0.01, 0.02, …, 0.99.
std::vector<double> unit_grid() {
  std::vector<double> grid(99);
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = 0.01 * static_cast<double>(i + 1);
  return grid;
}

}  // namespace

Finding bound_rises_with_visibility(const Evidence&) {
  const auto bound = [](std::int64_t window) { return exactly(model::slopes({kLow, kDelay}, window, 0).lower); };
  const std::array<std::int64_t, 5> windows{50, 100, 300, 1000, 10'000};
  bool rises = true;
  for (std::size_t i = 1; i < windows.size(); ++i) rises = rises && bound(windows[i]).value > bound(windows[i - 1]).value;
  Finding finding{rises ? Verdict::holds : Verdict::fails, {}};
  for (const std::int64_t window : windows) {
    finding.measured.push_back({window == windows[0] ? "lower bound per ln T at m = 50" : "m = " + std::to_string(window), bound(window)});
  }
  return finding;
}

Finding scaled_problem(const Evidence&) {
  std::vector<double> visible = kLow;
  for (double& rate : visible) rate *= model::cdf(kDelay, kWindow);
  const double scaled = model::slopes({visible, kDelay}, {}, 0).lower, censored = model::slopes({kLow, kDelay}, kWindow, 0).lower;
  const Interval off = exactly(std::abs(scaled / censored - 1));
  return {below(off, kSlack), {{"relative difference of the two lower bounds", off}}};
}

// Pulls in a row, so of ages 0 … 199: S is a sum of independent trials with chances θτ, whose law is known exactly.
Finding poisson_coverage(const Evidence&) {
  Finding finding;
  double worst = 0;
  for (const double theta : {0.03, 0.1, 0.5, 0.9}) {
    std::vector<double> chances;
    for (std::int64_t age = 0; age < 200; ++age)
      chances.push_back(theta * model::cdf(model::Geometric{50}, std::min<std::int64_t>(age, 100)));
    const double exposure = std::accumulate(chances.begin(), chances.end(), 0.0) / theta;
    const std::vector<double> law = successes(chances);
    double largest = 0;
    for (double delta = 0.25; delta <= 10; delta += 0.25) {
      double outside = 0;
      for (std::size_t s = 0; s < law.size(); ++s) {
        const double estimate = static_cast<double>(s) / exposure;
        if (estimate < theta && exposure * model::poisson_divergence(estimate, theta) > delta) outside += law[s];
      }
      largest = std::max(largest, outside * std::exp(delta));
    }
    worst = std::max(worst, largest);
    finding.measured.push_back({theta == 0.03 ? "largest chance of missing over e^-δ, 200 pulls, mean delay 50, m = 100, θ = 0.03"
                                              : "θ = " + std::to_string(theta).substr(0, 3),
                                exactly(largest)});
  }
  finding.verdict = below(exactly(worst), 1);
  return finding;
}

Finding divergences_are_ordered(const Evidence&) {
  double least = 1e300, largest = 0;
  for (const double q : unit_grid()) {
    for (const double p : unit_grid()) {
      if (p >= q) break;
      const double bernoulli = model::bernoulli_divergence(p, q), poisson = model::poisson_divergence(p, q);
      least = std::min(least, poisson / ((1 - q) * bernoulli));
      largest = std::max(largest, poisson / bernoulli);
    }
  }
  const std::array verdicts{above(exactly(least), 1 - kSlack), below(exactly(largest), 1 + kSlack)};
  return {all_of(verdicts),
          {{"least d_Pois/((1−q)d) over p < q in steps of 0.01", exactly(least)}, {"largest d_Pois/d", exactly(largest)}}};
}

Finding laplace_is_bounded(const Evidence&) {
  double largest = -1e300;
  for (const double mean : unit_grid()) {
    for (double lambda = -8; lambda <= 8; lambda += 0.125) {
      if (lambda == 0) continue;  // both sides are zero
      const double poisson = mean * std::expm1(lambda);
      largest = std::max(largest, (std::log1p(poisson) - poisson) / std::abs(poisson));
    }
  }
  return {below(exactly(largest), 0), {{"largest relative excess of Bernoulli's log-Laplace transform over Poisson's", exactly(largest)}}};
}

Finding divergence_is_convex(const Evidence&) {
  double least_step = 1e300, least_bend = 1e300;
  const std::vector<double> grid = unit_grid();
  for (std::size_t i = 4; i < grid.size(); i += 5) {
    for (std::size_t j = 4; j < grid.size(); j += 5) {
      if (i == j) continue;
      const auto d = [&](double alpha) { return model::bernoulli_divergence(alpha * grid[i], alpha * grid[j]); };
      for (double alpha = 0.05; alpha < 0.99; alpha += 0.05) {
        least_step = std::min(least_step, (d(alpha + 0.01) - d(alpha)) / d(1));
        least_bend = std::min(least_bend, (d(alpha + 0.01) - 2 * d(alpha) + d(alpha - 0.01)) / d(1));
      }
    }
  }
  const std::array verdicts{above(exactly(least_step), 0), above(exactly(least_bend), -kSlack)};
  return {
      all_of(verdicts),
      {{"least first difference of d(αp, αq) in α, over d(p, q)", exactly(least_step)}, {"least second difference", exactly(least_bend)}}};
}

// Z of M matured pulls is binomial(M, θτ_m), so Hoeffding's inequality asks for a radius of sqrt(β/2M)/τ_m.
Finding discarding_radius_covers(const Evidence&) {
  constexpr int pulls = 200;
  const auto largest = [](double tau, auto radius) {
    double most = 0;
    for (double theta = 0.05; theta < 1; theta += 0.05) {
      const std::vector<double> law = successes(std::vector<double>(pulls, theta * tau));
      for (double beta = 1; beta <= 10; beta += 0.5) {
        double missed = 0;
        for (std::size_t z = 0; z < law.size(); ++z) {
          if (theta > static_cast<double>(z) / (tau * pulls) + radius(tau, beta)) missed += law[z];
        }
        most = std::max(most, missed * std::exp(beta));
      }
    }
    return exactly(most);
  };
  const auto printed = [](double tau, double beta) { return std::sqrt(beta / (2 * tau * pulls)); };
  const auto covering = [](double tau, double beta) { return std::sqrt(beta / (2 * pulls)) / tau; };
  const double usual = model::cdf(kDelay, kWindow);
  return only_for("windows that see most conversions", below(largest(usual, printed), 1), below(largest(0.5, printed), 1),
                  {{"largest chance of missing over e^-β with the printed radius, 200 pulls, τ_m = 0.86", largest(usual, printed)},
                   {"τ_m = 0.5", largest(0.5, printed)},
                   {"with the radius over sqrt(τ_m), τ_m = 0.5", largest(0.5, covering)}});
}

// One pull a round: those of age u show a delay of at most s with chance τ_min(u,s).
Finding observed_delays_are_unbiased(const Evidence&) {
  const std::int64_t half = kWindow / 2;
  const auto bias = [&](std::int64_t rounds) {
    double at_most = 0, observed = 0;
    for (std::int64_t age = 0; age < rounds; ++age) {
      at_most += model::cdf(kDelay, std::min(age, half));
      observed += model::cdf(kDelay, std::min(age, kWindow));
    }
    return exactly(at_most / observed - model::cdf(kDelay, half) / model::cdf(kDelay, kWindow));
  };
  return only_for("rounds far beyond the window: before that, short delays are seen first", below(bias(100 * kWindow), 0.01),
                  below(bias(kWindow), 0.01),
                  {{"bias of the share of observed delays below m/2 at t = m", bias(kWindow)},
                   {"at 10 m", bias(10 * kWindow)},
                   {"at 100 m", bias(100 * kWindow)}});
}

// One pull a round converting at a rate of 0.1. The mean of what is observed is known exactly; the likelihood's estimate is sampled.
Finding observed_mean_is_the_mean_delay(const Evidence& evidence) {
  const double mu = model::mean(kDelay);
  const auto bias = [&](double t) { return exactly(100 * (model::mean_of_observed_delays(mu, t) / mu - 1)); };
  const auto likelihood_bias = [&](std::int64_t t) {
    std::mt19937_64 random(evidence.seed);
    const auto uniform = [&] { return rng::open_uniform(random() >> 12); };
    std::vector<double> estimates;
    for (int path = 0; path < (evidence.effort == Effort::quick ? 200 : 2000); ++path) {
      double count = 0, total = 0;
      for (std::int64_t s = 1; s <= t; ++s) {
        if (uniform() > 0.1) continue;
        const std::int64_t delay = model::delay_at(kDelay, uniform());
        if (delay > t - s) continue;
        count += 1;
        total += static_cast<double>(delay);
      }
      if (count > 0) estimates.push_back(100 * (model::truncated_mean(count, total, static_cast<double>(t)) / mu - 1));
    }
    return interval_of(stats::moments(estimates));
  };
  const auto cost = [&](const std::string& run, const std::string& policy) { return relative_lag(evidence.run(run), policy, "ud-klucb"); };
  return only_for("rounds far beyond the mean delay: before, only short delays can have been observed", above(bias(200 * mu), -1),
                  above(bias(2 * mu), -10),
                  {{"bias of the mean of observed delays at t = 2μ", bias(2 * mu), " %"},
                   {"at 20μ", bias(20 * mu), " %"},
                   {"at 200μ", bias(200 * mu), " %"},
                   {"bias of the likeliest mean given that truncation, at 2μ", likelihood_bias(1000), " %"},
                   {"at 20μ", likelihood_bias(10'000), " %"},
                   percent("regret beyond ud-klucb's with the running mean, low rates", cost("agnostic/low", "ud-agnostic-klucb")),
                   percent("with the likelihood", cost("agnostic/low", "ud-agnostic-mle-klucb")),
                   percent("with the running mean, central rates", cost("agnostic/high", "ud-agnostic-klucb")),
                   percent("with the likelihood", cost("agnostic/high", "ud-agnostic-mle-klucb"))});
}

// O(t+1) = λ O(t) + 1 with one arm in every round, and what Ñ = N − O should be.
Finding printed_recursion(const Evidence&) {
  constexpr int rounds = 1000;
  const double rho = 500.0 / 501;
  const auto printed = [](double ratio, int until) {
    double outstanding = 0;
    for (int t = 1; t <= until; ++t) outstanding = ratio * outstanding + 1;
    return until - outstanding;
  };
  double exposure = 0;
  for (int age = 0; age < rounds; ++age) exposure += model::cdf(kDelay, age);
  const Interval literal = exactly(printed(1.0 / 500, rounds) / exposure), repaired = exactly(printed(rho, rounds) / exposure);
  const std::array verdicts{above(literal, 1 - kSlack), below(literal, 1 + kSlack)};
  return {all_of(verdicts),
          {{"printed Ñ over Ñ after 1000 pulls, mean delay 500, λ = 1/μ", literal},
           {"with λ = μ/(1+μ)", repaired},
           {"after the first pull", exactly(printed(rho, 1) / model::cdf(kDelay, 0))},
           {"mean delay that λ = 1/μ stands for", exactly((1.0 / 500) / (1 - 1.0 / 500))}}};
}

// Markov: a finite mean is enough for 1 − τ_m ≤ c/m, with c = μ.
Finding tails_fall_like_the_mean_allows(const Evidence&) {
  Finding finding;
  std::vector<Verdict> verdicts;
  const std::array<std::pair<const char*, model::DelayLaw>, 3> laws{
      {{"largest m(1 − τ_m)/μ over m up to 10^5, geometric delays of mean 500", model::Geometric{500}},
       {"uniform up to 1000", model::Uniform{1000}},
       {"constant 500", model::Constant{500}}}};
  for (const auto& [what, law] : laws) {
    double largest = 0;
    for (std::int64_t m = 1; m <= 100'000; ++m)
      largest = std::max(largest, static_cast<double>(m) * (1 - model::cdf(law, m)) / model::mean(law));
    finding.measured.push_back({what, exactly(largest)});
    verdicts.push_back(below(exactly(largest), 1));
  }
  finding.verdict = all_of(verdicts);
  return finding;
}

// The mean is Σ (1 − τ_m). With tails like m^-γ a decade adds 10^(1−γ) times what the one before added, so the sum ends if and only if
// γ > 1. But the sentence has an upper bound on the tail, and that may be generous.
Finding exponent_decides_the_mean(const Evidence&) {
  Finding finding;
  std::vector<Verdict> verdicts;
  for (const double gamma : {0.5, 1.0, 1.5}) {
    const model::DelayLaw law = model::parse_delay_law(fmt::format("pareto:{},1", gamma));
    const auto added = [&](std::int64_t from) {
      double sum = 0;
      for (std::int64_t m = from; m < 10 * from; ++m) sum += model::survival(law, m);
      return sum;
    };
    const Interval more = exactly(added(100'000) / added(10'000));
    finding.measured.push_back({gamma == 0.5
                                    ? "what the decade from 10^5 on adds to the mean over what that from 10^4 on adds, tail like m^-γ, "
                                      "γ = 0.5"
                                    : fmt::format("γ = {}", gamma),
                                more});
    verdicts.push_back(gamma > 1 ? below(more, 0.9) : above(more, 0.99));
  }
  double constant = 0;
  for (std::int64_t m = 1; m <= 100'000; ++m) constant = std::max(constant, std::sqrt(static_cast<double>(m)) * model::survival(kDelay, m));
  finding.measured.push_back({"geometric delays of mean 500 obey 1 − τ_m ≤ c/m^0.5 too, with c", exactly(constant)});
  return only_for("tails that fall like m^-γ; the bound alone says nothing for γ ≤ 1, geometric delays obey it", all_of(verdicts),
                  std::isfinite(constant) && std::isfinite(model::mean(kDelay)) ? Verdict::fails : Verdict::holds, finding.measured);
}

}  // namespace dbandit::study
