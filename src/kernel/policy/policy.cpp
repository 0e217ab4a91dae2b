#include "kernel/policy/policy.hpp"

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

namespace {

/// The place of the family that takes the experiment, and its traits.
struct Choice {
  int place = 0;
  Traits traits;
};
template <class... F>
Choice choice(List<F...>, const model::Experiment& experiment) {
  Choice choice;
  const auto takes = [&]<class Candidate>(Held<Candidate>*) {
    if (!Candidate::takes(experiment)) return ++choice.place, false;
    choice.traits = Candidate::traits(experiment);
    return true;
  };
  if (!(takes(static_cast<Held<F>*>(nullptr)) || ...)) choice.traits = Index::traits(experiment);
  return choice;
}

}  // namespace

Traits traits(const model::Experiment& experiment) { return choice(Families{}, experiment).traits; }

Traits Family::traits(const model::Experiment& experiment) {
  using model::Statistic;
  switch (experiment.rule.statistic) {
    case Statistic::exposure:
    case Statistic::queue_heuristic:
      return {.wants_exposure = true};
    case Statistic::matured:
      return {.feedback = Feedback::at_window_end};
    case Statistic::immediate:
      return {.feedback = Feedback::at_once};
    case Statistic::agnostic_window:
    case Statistic::agnostic_mean:
    case Statistic::agnostic_likelihood:
    case Statistic::uncorrected:
    case Statistic::queue_naive:
    case Statistic::queue:
      return {};
    case Statistic::none:
      break;
  }
  return {.feedback = Feedback::never};
}

void Policy::size(const Setup& setup, const Books& books) {
  chosen = choice(Families{}, setup.experiment).place;
  ties.lowest = setup.experiment.rule.ties == model::Ties::lowest;
  with_family([&](auto& family) { family.size(setup, books); });
}

void Policy::declare(Rows& rows, const Books& books) {
  with_family([&](auto& family) { family.declare(rows, books); });
  ties.declare(rows, books);
}

void Policy::fill(const Setup& setup, const Books& books) {
  with_family([&](auto& family) { family.fill(setup, books); });
}

std::size_t Uniform::resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const {
  Contest contest(books, ties, round, lane);
  for (std::size_t arm = 0; arm < books.arms; ++arm) contest.enter(arm, 1, 1);
  return contest.winner();
}

}  // namespace dbandit::kernel
