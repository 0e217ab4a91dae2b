#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "reference/learner.hpp"
#include "reference/regret.hpp"

/// Exact expectations of small cases: every start order, tie, conversion and delay that a learner can meet, weighted by its
/// probability. The decisions are the ones of reference::Learner, the probabilities are written here, and no random number is drawn.
namespace dbandit::testing {

struct Expectation {
  double mass = 0;            ///< of all paths: 1
  double regret = 0;          ///< E[L(T)]
  double conversions = 0;     ///< E[Σ_k S_k(T)]: disclosed, of all arms
  std::vector<double> pulls;  ///< E[N_k(T)]
  std::size_t paths = 0;
};

/// `Learner` is a parameter so that a test can enumerate a wrong one.
template <class Learner>
class Enumeration {
 public:
  explicit Enumeration(const model::Experiment& experiment)
      : experiment_(experiment),
        gaps_(reference::gaps(experiment.problem)),
        best_(reference::best_arm(experiment.problem, experiment.window)),
        tau_(reference::visibilities(experiment.problem.delay, experiment.window, experiment.horizon)) {}

  Expectation expectation() {
    total_ = {.pulls = std::vector<double>(gaps_.size())};
    std::vector<std::size_t> start(gaps_.size());
    std::iota(start.begin(), start.end(), 0);
    // A new one for every order: some remember what they were asked.
    const auto newcomer = [&] { return Learner(experiment_, model::Exposure::history); };
    if (experiment_.rule.start == model::StartOrder::fixed) {
      follow(newcomer(), start, 1);
      return total_;
    }
    double orders = 1;
    for (std::size_t k = 2; k <= start.size(); ++k) orders *= static_cast<double>(k);
    do follow(newcomer(), start, 1 / orders);
    while (std::next_permutation(start.begin(), start.end()));
    return total_;
  }

 private:
  void follow(const Learner& learner, const std::vector<std::size_t>& start, double probability) {
    if (learner.round() == experiment_.horizon) return leaf(learner, probability);
    std::vector<std::size_t> arms = learner.candidates(start);
    if (experiment_.rule.ties == model::Ties::lowest) arms.resize(1);
    for (const std::size_t arm : arms) {
      const double theta = experiment_.problem.theta[arm], chosen = probability / static_cast<double>(arms.size());
      after(learner, start, arm, false, 0, chosen * (1 - theta));
      // A delay that shows within the horizon and the window is a case of its own; all others are one: "later".
      const model::DelayLaw& delay = experiment_.problem.delay[arm];
      std::int64_t d = 0;
      for (; d < experiment_.horizon - learner.round() && d <= experiment_.window.value_or(d); ++d) {
        after(learner, start, arm, true, d, chosen * theta * (model::cdf(delay, d) - model::cdf(delay, d - 1)));
      }
      after(learner, start, arm, true, d, chosen * theta * model::survival(delay, d - 1));
    }
  }

  void after(const Learner& learner, const std::vector<std::size_t>& start, std::size_t arm, bool converts, std::int64_t delay,
             double probability) {
    if (probability == 0) return;
    Learner next = learner;
    next.play(arm, converts, delay);
    follow(next, start, probability);
  }

  void leaf(const Learner& learner, double probability) {
    ++total_.paths;
    total_.mass += probability;
    total_.regret += probability * (tau_.size() == 1 ? reference::regret(gaps_, learner.actions(), tau_.front())
                                                     : reference::regret_by_arm(experiment_.problem, best_, learner.actions(), tau_));
    for (const auto& arm : learner.statistics()) total_.conversions += probability * arm.conversions;
    for (const auto arm : learner.actions()) total_.pulls[arm] += probability;
  }

  model::Experiment experiment_;
  std::vector<double> gaps_;
  std::size_t best_;
  std::vector<std::vector<double>> tau_;
  Expectation total_;
};

template <class Learner = reference::Learner>
Expectation enumerate(const model::Experiment& experiment) {
  return Enumeration<Learner>(experiment).expectation();
}

}  // namespace dbandit::testing
