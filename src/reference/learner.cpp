#include "reference/learner.hpp"

#include <algorithm>

#include "rng/draws.hpp"
#include "rng/gamma.hpp"

namespace dbandit::reference {

using model::Statistic;

Learner::Learner(const model::Experiment& experiment, model::Exposure exposure)
    : rule_(experiment.rule),
      window_(experiment.window),
      form_(exposure),
      arms_(experiment.problem.theta.size()),
      tau_(visibilities(experiment.believed(), experiment.window, experiment.horizon)),
      pulls_(arms_),
      conversions_(arms_),
      immediate_(arms_),
      matured_(arms_),
      matured_conversions_(arms_),
      delay_counts_{.at_most = std::vector<std::int64_t>(tau_.front().size())},
      delay_mean_{.gamma = rule_.gamma},
      outstanding_(arms_),
      seed_(experiment.seed),
      queue_(arms_),
      elimination_(arms_, experiment.horizon, experiment.window.value_or(experiment.horizon)),
      own_(literal(rule_.family)) {}

std::vector<std::size_t> Learner::candidates(std::span<const std::size_t> start) const {
  const std::int64_t t = round() + 1, arms = static_cast<std::int64_t>(arms_);
  if (own_) return {own_(t, start, statistics())};
  if (model::queues(rule_.statistic)) return {wish_of_base(start)};
  if (rule_.index == model::IndexForm::batches || rule_.index == model::IndexForm::phases) return {in_turn(start)};
  const bool maturing = rule_.statistic == Statistic::matured && (!window_ || t <= *window_ + arms);
  if (t <= arms || maturing) return {start[static_cast<std::size_t>((t - 1) % arms)]};

  if (rule_.index == model::IndexForm::thompson) return maximisers(samples());
  if (rule_.index == model::IndexForm::imed) return minimisers(imed_indices(statistics()));
  const double beta = exploration(rule_.epsilon, t);
  std::vector<double> indices;
  for (const ArmStatistics& arm : statistics()) indices.push_back(index(rule_, arm, beta));
  return maximisers(indices);
}

/// The largest tie key wins, the lowest arm if keys are equal.
std::size_t Learner::settle(std::span<const std::size_t> tied, std::int64_t at) const {
  if (rule_.ties == model::Ties::lowest) return tied.front();
  const auto key = [&](std::size_t arm) { return rng::tie_key(seed_, replica_, static_cast<std::uint64_t>(at), arm); };
  return *std::max_element(tied.begin(), tied.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
}

/// Thompson sampling for delayed conversions (ours): Bernoulli conversions that show with chances τ of their ages are, for small rates, a
/// Poisson count S of mean θÑ (§5.3 bounds their deviations by it), whose conjugate prior is the gamma law. So θ_k is drawn from
/// Gamma(a + S_k, rate b + Ñ_k) and the largest is played; S and Ñ are those of d-klucb (d-ts), of agnostic-klucb (agnostic-ts), or S and
/// N (uncorrected-ts). Nothing is capped at 1. On matured pulls nothing is on its way and no approximation is needed (discard-ts): with
/// τ_m θ_k ~ Beta(a, b) the posterior is Beta(a + Z_k, b + M_k − Z_k), and a draw of it over τ_m is one of θ_k (the draw itself where τ_m =
/// 0: nothing can be learned there).
std::vector<double> Learner::samples() const {
  std::vector<double> drawn;
  for (const ArmStatistics& arm : statistics()) {
    if (rule_.statistic == Statistic::matured) {
      const double share = rng::beta_at(seed_, replica_, static_cast<std::uint64_t>(round() + 1), drawn.size(),
                                        rule_.prior_shape + arm.conversions, rule_.prior_rate + arm.pulls - arm.conversions);
      drawn.push_back(arm.exposure > 0 ? share * arm.pulls / arm.exposure : share);
      continue;
    }
    const double gamma =
        rng::gamma_at(seed_, replica_, static_cast<std::uint64_t>(round() + 1), drawn.size(), rule_.prior_shape + arm.conversions);
    drawn.push_back(gamma / (rule_.prior_rate + arm.exposure));
  }
  return drawn;
}

/// The base's wish once it was fed what it could be. SDB (Mandel, Liu, Brunskill, Popović, AAAI 2015) is the same queue with a heuristic
/// that is free to play another arm meanwhile; fixed here: the heuristic is Thompson sampling on everything seen, and it is overruled when
/// its arm already has m pulls that the base has not been fed.
std::size_t Learner::wish_of_base(std::span<const std::size_t> start) const {
  std::size_t wish = arms_;
  for (;;) {
    const std::int64_t step = queue_.steps + 1;
    if (step <= static_cast<std::int64_t>(arms_)) {
      wish = start[static_cast<std::size_t>(step - 1)];
    } else {
      std::vector<double> indices;
      for (const ArmStatistics& arm : queue_.fed) indices.push_back(index(rule_, arm, exploration(rule_.epsilon, step)));
      wish = settle(maximisers(indices), step);
    }
    if (queue_.waiting[wish].empty()) break;
    queue_.feed(wish);
  }
  if (rule_.statistic != Statistic::queue_heuristic) return wish;
  const std::size_t favourite = settle(maximisers(samples()), round() + 1);
  const double owed = static_cast<double>(pulls_[favourite]) - queue_.fed[favourite].pulls;
  return owed < static_cast<double>(*window_) ? favourite : wish;
}

std::size_t Learner::in_turn(std::span<const std::size_t> start) const {
  std::vector<Matured> arms;
  for (std::size_t k = 0; k < arms_; ++k) arms.push_back({matured_conversions_[k], matured_[k]});
  return rule_.index == model::IndexForm::batches ? elimination_.by_batches(round() + 1, start, arms) : elimination_.by_phases(start, arms);
}

void Learner::play(std::size_t arm, bool converts, std::int64_t delay) {
  actions_.push_back(static_cast<std::uint16_t>(arm));
  disclosed_.push_back(false);
  ++pulls_[arm];
  if (converts) {
    ++immediate_[arm];
    if (!window_ || delay <= *window_) pending_.emplace(round() + delay, round());
  }
  disclose();
  mature();
  // (eq:O) with the current estimate. The printed λO + 1 would give this round's pull weight 0; it has weight 1 − ρ̂ = τ̂_0.
  const double ratio = rule_.statistic == Statistic::agnostic_likelihood ? delay_likelihood_.ratio() : delay_mean_.ratio();
  for (std::size_t k = 0; k < arms_; ++k) outstanding_[k] = ratio * (outstanding_[k] + (k == arm ? 1 : 0));
}

/// Y_t (§2.1): every conversion with s + D_s = t.
void Learner::disclose() {
  const std::int64_t t = round();
  const auto [first, last] = pending_.equal_range(t);
  for (auto due = first; due != last; ++due) {
    const std::int64_t s = due->second;
    ++conversions_[actions_[static_cast<std::size_t>(s - 1)]];
    disclosed_[static_cast<std::size_t>(s - 1)] = true;
    if (model::queues(rule_.statistic)) queue_.arrive(actions_[static_cast<std::size_t>(s - 1)], true);
    if (rule_.statistic == Statistic::agnostic_window) delay_counts_.add(t - s);
    if (rule_.statistic == Statistic::agnostic_mean) delay_mean_.add(t - s);
    if (rule_.statistic == Statistic::agnostic_likelihood) delay_likelihood_.add(t - s, t);
  }
  pending_.erase(first, last);
}

/// The pull of age m can disclose nothing more. Its conversion is counted however late it came: what had been *seen by* round t − m,
/// as printed for Discarding, is biased low.
void Learner::mature() {
  if (!window_ || round() <= *window_) return;
  const std::size_t s = static_cast<std::size_t>(round() - *window_);
  ++matured_[actions_[s - 1]];
  if (disclosed_[s - 1]) ++matured_conversions_[actions_[s - 1]];
  const bool timeout = rule_.statistic == Statistic::queue || rule_.statistic == Statistic::queue_heuristic;
  if (timeout && !disclosed_[s - 1]) queue_.arrive(actions_[s - 1], false);
}

template <class Weight>
std::vector<Weight> Learner::exposure_with(std::span<const Weight> weight) const {
  return form_ == model::Exposure::history ? exposure_by_definition(actions_, arms_, weight)
                                           : exposure_by_buffer(actions_, std::span<const std::int64_t>(matured_), weight);
}

/// Ñ with the law that the policy believes in, each arm's with its own.
std::vector<double> Learner::believed_exposure() const {
  std::vector<double> exposure = exposure_with(std::span<const double>(tau_.front()));
  for (std::size_t k = 1; k < tau_.size(); ++k) exposure[k] = exposure_with(std::span<const double>(tau_[k]))[k];
  return exposure;
}

/// Ñ_k as the rule knows it; 0 where nothing is known.
std::vector<double> Learner::exposure() const {
  std::vector<double> exposure(arms_);
  switch (rule_.statistic) {
    case Statistic::exposure:
    case Statistic::queue_heuristic:
      return believed_exposure();
    case Statistic::matured:
      for (std::size_t k = 0; k < arms_; ++k) exposure[k] = tau_[tau_.size() == 1 ? 0 : k].back() * static_cast<double>(matured_[k]);
      break;
    case Statistic::agnostic_window:
      if (delay_counts_.observed > 0) {
        const auto counts = exposure_with(std::span<const std::int64_t>(delay_counts_.at_most));
        for (std::size_t k = 0; k < arms_; ++k) exposure[k] = static_cast<double>(counts[k]) / static_cast<double>(delay_counts_.observed);
      }
      break;
    case Statistic::agnostic_mean:
    case Statistic::agnostic_likelihood:
      if (delay_mean_.observed + delay_likelihood_.observed > 0) {
        for (std::size_t k = 0; k < arms_; ++k) exposure[k] = static_cast<double>(pulls_[k]) - outstanding_[k];
      }
      break;
    case Statistic::immediate:
    case Statistic::uncorrected:
      exposure.assign(pulls_.begin(), pulls_.end());
      break;
    case Statistic::queue_naive:
    case Statistic::queue:
    case Statistic::none:
      break;
  }
  return exposure;
}

std::vector<ArmStatistics> Learner::statistics() const {
  const auto& conversions = rule_.statistic == Statistic::immediate ? immediate_
                            : rule_.statistic == Statistic::matured ? matured_conversions_
                                                                    : conversions_;
  const auto& pulls = rule_.statistic == Statistic::matured ? matured_ : pulls_;
  // The printed radius of Discarding, sqrt(β/(2 τ_m M)), is that of τ_m M pulls; it covers too little, since M pulls make the noise.
  const bool printed_radius =
      rule_.statistic == Statistic::matured && rule_.index == model::IndexForm::ucb && rule_.radius == model::Radius::paper;
  const std::vector<double> exposed = exposure();

  std::vector<ArmStatistics> arms(arms_);
  for (std::size_t k = 0; k < arms_; ++k) {
    arms[k] = {.conversions = static_cast<double>(conversions[k]),
               .exposure = exposed[k],
               .pulls = printed_radius ? exposed[k] : static_cast<double>(pulls[k])};
  }
  return arms;
}

}  // namespace dbandit::reference
