#pragma once

#include <array>
#include <ostream>
#include <string_view>

#include "dbandit/model/experiment.hpp"

namespace dbandit::testing {

/// Two arms, θ = (0.5, 0.25), geometric delay of mean 1, start order 0, 1, ε = 0: expectations computed in rational arithmetic.
struct ExactCase {
  std::string_view name;
  std::int64_t horizon;
  model::Window window;
  model::IndexForm index;
  model::Clamp clamp;
  model::Ties ties;
  double regret;  ///< E[L(T)]
  double pulls;   ///< E[N] of the second arm

  friend void PrintTo(const ExactCase& one, std::ostream* out) { *out << one.name; }
  [[nodiscard]] model::Experiment experiment() const {
    return {.problem = {.theta = {0.5, 0.25}, .delay = model::Geometric{1}},
            .window = window,
            .rule = {.index = index, .clamp = clamp, .ties = ties, .start = model::StartOrder::fixed},
            .horizon = horizon,
            .seed = 20170626,
            .at = {horizon}};
  }
};

inline constexpr model::Window kUncensored;

inline constexpr auto kExactCases = std::to_array<ExactCase>({
    {"ucb", 3, kUncensored, model::IndexForm::ucb, model::Clamp::one, model::Ties::random, 0.271484375, 1.671875},
    {"klucb", 3, kUncensored, model::IndexForm::klucb, model::Clamp::one, model::Ties::random, 0.25, 1.5},
    {"klucb_lowest_index", 3, kUncensored, model::IndexForm::klucb, model::Clamp::one, model::Ties::lowest, 0.1875, 1},
    {"klucb_unclamped", 3, kUncensored, model::IndexForm::klucb, model::Clamp::none, model::Ties::random, 0.271484375, 1.671875},
    {"censored_ucb", 6, 2, model::IndexForm::ucb, model::Clamp::one, model::Ties::random, 0.480064630508, 2.328844070435},
    {"censored_klucb", 6, 2, model::IndexForm::klucb, model::Clamp::one, model::Ties::random, 0.573118671775, 2.870883822441},
});

}  // namespace dbandit::testing
