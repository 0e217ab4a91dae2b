#include "kernel/regret.hpp"

#include <algorithm>

#include "model/best_arm.hpp"

namespace dbandit::kernel {

namespace {

/// How far the best arm's τ is read: it does not grow beyond.
std::int64_t last_age(const model::Experiment& e, std::size_t best) {
  const std::int64_t longest = model::longest_delay(e.problem.delay[best]);
  return std::min({e.window.value_or(longest), longest, e.horizon});
}

/// θ* Σ_{d<t} τ*_{min(d,m)} at every recorded round t: the conversions that the best arm, played in every round, is expected to show.
void always_the_best(const Setup& setup, double* shown) {
  const model::Experiment& e = setup.experiment;
  const std::size_t best = model::best_arm(e.problem, e.window);
  const std::int64_t last = last_age(e, best);
  const double* const cdf = setup.tables.of(e.problem.delay[best]).cdf(last);
  double sum = 0, lost = 0;  // compensated: up to millions of terms near 1, good to 1e-9
  std::int64_t age = 0;
  for (const std::int64_t t : e.at) {
    for (; age < std::min(t, last); ++age) {
      const double term = cdf[age] - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    *shown++ = e.problem.theta[best] * (sum + static_cast<double>(t - age) * cdf[last]);
  }
}

}  // namespace

void Regret::size(const Setup& setup, const Books& books, const Exposure& exposure) {
  const model::Experiment& e = setup.experiment;
  is_summed = !exposure.is_worlds;
  if (is_summed) setup.tables.want_cdfs(e.problem.delay, books.ring.length);
  if (e.problem.delay.common()) return;
  const std::size_t best = model::best_arm(e.problem, e.window);
  setup.tables.want(e.problem.delay[best], -1, last_age(e, best));
}

void Regret::declare(Rows& rows, const Setup& setup, const Books& books) {
  rows(start, setup.experiment.at.size());
  rows(weight, books.arms);
  rows(gap, books.arms);
  if (!is_summed) return;
  rows(world_cdf, books.arms);
  rows(run, books.cells());
  rows(sum, books.cells());
}

void Regret::fill(const Setup& setup, const Books& books) {
  const model::Problem& problem = setup.experiment.problem;
  const double best = *std::ranges::max_element(problem.theta);
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    gap[arm] = best - problem.theta[arm];
    weight[arm] = problem.delay.common() ? gap[arm] : -problem.theta[arm];
  }
  if (!problem.delay.common()) always_the_best(setup, start);
  if (is_summed) setup.tables.cdfs(problem.delay, books.arms, books.ring.length, world_cdf);
}

/// By the paper's buffer. Up to 37 μ terms near 1 are added when uncensored: in runs of 128, the runs in twice a double's digits.
template <class ArmId>
void Regret::sum_world(const Books& books, std::int64_t round, std::size_t count, double* regret) const {
  constexpr std::int64_t kRun = 128;
  const std::size_t cells = books.arms * count;
  std::fill_n(sum, cells, DoubleDouble());
  const std::int64_t filled = std::min(round, books.ring.length);
  for (std::int64_t begin = 0; begin < filled; begin += kRun) {
    std::fill_n(run, cells, 0.0);
    for (std::int64_t age = begin; age < std::min(begin + kRun, filled); ++age) {
      const ArmId* const slot = books.ring.slot<ArmId>(round - age, books.lanes);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const auto arm = static_cast<std::size_t>(slot[lane]);
        run[arm * count + lane] += world_cdf[arm][age];
      }
    }
    for (std::size_t i = 0; i < cells; ++i) sum[i] += run[i];
  }
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    if (weight[arm] == 0) continue;
    const double visible = world_cdf[arm][books.ring.length];
    for (std::size_t lane = 0; lane < count; ++lane) {
      regret[lane] += weight[arm] * static_cast<double>(sum[arm * count + lane] + visible * books.matured[arm * books.lanes + lane]);
    }
  }
}

void Regret::record(const Books& books, const Exposure& exposure, std::int64_t round, std::size_t row, std::size_t offset,
                    std::size_t count, model::Paths& paths) const {
  const std::size_t at = row * paths.lanes + offset;
  double* const __restrict regret = paths.regret.data() + at;
  double* const __restrict pseudo = paths.pseudo_regret.data() + at;
  std::fill_n(regret, count, start[row]);
  std::fill_n(pseudo, count, 0.0);
  if (is_summed) books.ring.with_type([&](auto id) { sum_world<decltype(id)>(books, round, count, regret); });
  using Kind = Denominator::Kind;
  const Denominator visible = exposure.denominator(books);
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    const std::size_t first = arm * books.lanes;
    const double delta = gap[arm], share = is_summed ? 0 : weight[arm];
    if (delta != 0) {
      for (std::size_t lane = 0; lane < count; ++lane) pseudo[lane] += delta * books.pulls[first + lane];
    }
    const auto add = [&]<Denominator::Kind kind>() {
      for (std::size_t lane = 0; lane < count; ++lane) regret[lane] += share * visible.at<kind>(first + lane);
    };
    if (share != 0) visible.kind == Kind::recursion ? add.operator()<Kind::recursion>() : add.operator()<Kind::row>();
  }
  std::copy_n(books.missed, count, paths.realised_regret.data() + at);
}

}  // namespace dbandit::kernel
