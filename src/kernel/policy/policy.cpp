#include "kernel/policy/policy.hpp"

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

Policy::Traits Policy::traits(const model::Experiment& experiment) {
  using model::IndexForm;
  using model::Statistic;
  if (experiment.guest != nullptr) return {.kind = Kind::guests, .wants_exposure = true};
  const IndexForm form = experiment.rule.index;
  const Kind kind = form == IndexForm::thompson                               ? Kind::thompson
                    : form == IndexForm::batches || form == IndexForm::phases ? Kind::turns
                                                                              : Kind::index;
  switch (experiment.rule.statistic) {
    case Statistic::exposure:
      return {.kind = kind, .wants_exposure = true};
    case Statistic::matured:
      return {.kind = kind, .feedback = Feedback::at_window_end};
    case Statistic::immediate:
      return {.kind = kind, .feedback = Feedback::at_once};
    case Statistic::agnostic_window:
    case Statistic::agnostic_mean:
    case Statistic::agnostic_likelihood:
    case Statistic::uncorrected:
      return {.kind = kind};
    case Statistic::queue_naive:
    case Statistic::queue:
      return {.kind = Kind::queues};
    case Statistic::queue_heuristic:
      return {.kind = Kind::queues, .wants_exposure = true};
    case Statistic::none:
      break;
  }
  return {.kind = Kind::uniform, .feedback = Feedback::never};
}

void Policy::size(const Setup& setup, const Books& books) {
  kind = traits(setup.experiment).kind;
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
