#include "kernel/policy/policy.hpp"

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

namespace {

using model::IndexForm;
using model::Statistic;

Policy::Family family_of(const model::Experiment& experiment) {
  const model::Rule& rule = experiment.rule;
  if (experiment.guest != nullptr) return Policy::Family::guests;
  switch (rule.statistic) {
    case Statistic::none:
      return Policy::Family::uniform;
    case Statistic::queue_naive:
    case Statistic::queue:
    case Statistic::queue_heuristic:
      return Policy::Family::queues;
    case Statistic::exposure:
    case Statistic::matured:
    case Statistic::agnostic_window:
    case Statistic::agnostic_mean:
    case Statistic::agnostic_likelihood:
    case Statistic::immediate:
    case Statistic::uncorrected:
      break;
  }
  switch (rule.index) {
    case IndexForm::thompson:
      return Policy::Family::sampling;
    case IndexForm::batches:
    case IndexForm::phases:
      return Policy::Family::turns;
    case IndexForm::ucb:
    case IndexForm::klucb:
    case IndexForm::bernkl:
    case IndexForm::patient:
      break;
  }
  return Policy::Family::index;
}

}  // namespace

bool Policy::wants_exposure(const model::Experiment& experiment) {
  const model::Rule& rule = experiment.rule;
  return experiment.guest != nullptr || rule.statistic == Statistic::exposure || rule.statistic == Statistic::queue_heuristic;
}

Feedback Policy::feedback(const model::Experiment& experiment) {
  if (experiment.guest != nullptr) return Feedback::delayed;
  switch (experiment.rule.statistic) {
    case Statistic::immediate:
      return Feedback::at_once;
    case Statistic::matured:
      return Feedback::at_window_end;
    case Statistic::none:
      return Feedback::never;
    case Statistic::exposure:
    case Statistic::agnostic_window:
    case Statistic::agnostic_mean:
    case Statistic::agnostic_likelihood:
    case Statistic::uncorrected:
    case Statistic::queue_naive:
    case Statistic::queue:
    case Statistic::queue_heuristic:
      break;
  }
  return Feedback::delayed;
}

void Policy::size(const Setup& setup, const Books& books) {
  const model::Rule& rule = setup.experiment.rule;
  family = family_of(setup.experiment);
  ties.lowest = rule.ties == model::Ties::lowest;
  switch (family) {
    case Family::index:
      index.size(setup, books);
      learned.size(setup.experiment, books);
      break;
    case Family::sampling:
      break;
    case Family::queues:
      queues.size(rule, books);
      break;
    case Family::turns:
      turns.size(setup.experiment, books);
      break;
    case Family::uniform:
      break;
    case Family::guests:
      guests.guest = setup.experiment.guest;
      break;
  }
  if (samples()) sampling.size(rule);
}

void Policy::declare(Rows& rows, const Books& books) {
  ties.declare(rows, books);
  switch (family) {
    case Family::index:
      index.declare(rows, books);
      learned.declare(rows, books);
      break;
    case Family::sampling:
      break;
    case Family::queues:
      queues.declare(rows, books);
      break;
    case Family::turns:
      turns.declare(rows, books);
      break;
    case Family::uniform:
      break;
    case Family::guests:
      guests.declare(rows, books);
      break;
  }
  if (samples()) sampling.declare(rows, books);
}

void Policy::fill(const Setup& setup, const Books& books) {
  if (family == Family::guests) guests.fill(books);
  if (family == Family::index) {
    index.fill(setup, books);
    learned.fill(books);
  }
}

void resolve(Policy& policy, const Books& books, const Exposure& exposure, std::int64_t round) {
  for (std::size_t i = 0; i < policy.ties.count; ++i) {
    const std::size_t lane = policy.ties.undecided[i];
    std::size_t winner = 0;
    if (policy.family == Policy::Family::index) {
      winner = resolve(policy.index, books, policy.denominator(books, exposure), policy.ties, round, lane);
    } else if (policy.samples()) {
      winner = resolve(policy.sampling, books, exposure.denominator(books), policy.ties, round, lane);
    } else {
      Contest contest(books, policy.ties, round, lane);
      for (std::size_t arm = 0; arm < books.arms; ++arm) contest.enter(arm, 1, 1);
      winner = contest.winner();
    }
    books.action[lane] = static_cast<double>(winner);
  }
  policy.ties.count = 0;
}

}  // namespace dbandit::kernel
