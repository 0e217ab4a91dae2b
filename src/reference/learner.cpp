#include "dbandit/reference/learner.hpp"

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
      outstanding_(arms_) {}

std::vector<std::size_t> Learner::candidates(std::span<const std::size_t> start) const {
  const std::int64_t t = round() + 1, arms = static_cast<std::int64_t>(arms_);
  const bool maturing = rule_.statistic == Statistic::matured && (!window_ || t <= *window_ + arms);
  if (t <= arms || maturing) return {start[static_cast<std::size_t>((t - 1) % arms)]};

  const double beta = exploration(rule_.epsilon, t);
  std::vector<double> indices;
  for (const ArmStatistics& arm : statistics()) indices.push_back(index(rule_, arm, beta));
  return maximisers(indices);
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
  const double ratio = delay_mean_.ratio();
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
    if (rule_.statistic == Statistic::agnostic_window) delay_counts_.add(t - s);
    if (rule_.statistic == Statistic::agnostic_mean) delay_mean_.add(t - s);
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
      if (delay_mean_.observed > 0) {
        for (std::size_t k = 0; k < arms_; ++k) exposure[k] = static_cast<double>(pulls_[k]) - outstanding_[k];
      }
      break;
    case Statistic::immediate:
      exposure.assign(pulls_.begin(), pulls_.end());
      break;
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
  const bool printed_radius = rule_.statistic == Statistic::matured && rule_.radius == model::Radius::paper;
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
