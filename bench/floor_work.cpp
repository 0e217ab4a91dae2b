#include "floor_work.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "dbandit/core/aligned.hpp"
#include "engine_work.hpp"
#include "kernels.hpp"
#include "reference/index.hpp"
#include "rng/draws.hpp"

namespace dbandit::bench {
namespace {

constexpr double kRatio = 500.0 / 501.0;  // ρ of μ = 500

/// A block before round K + 1: every arm has been played once, nothing has converted.
class FloorBlock {
 public:
  FloorBlock(model::IndexForm index, std::int64_t horizon) : beta_(static_cast<std::size_t>(horizon) + 1) {
    FloorState& s = state;
    s.lanes = 128;
    draw_from(low_rates(FloorState::kArms));
    for (int j = 0; j <= FloorState::kPeriod; ++j) s.power[j] = std::pow(kRatio, j);
    for (int j = 0; j < FloorState::kPeriod; ++j) s.pull[j] = std::pow(kRatio, -j);
    for (std::size_t t = 1; t < beta_.size(); ++t) {
      const double beta = std::log(static_cast<double>(t));
      beta_[t] = index == model::IndexForm::ucb ? std::sqrt(beta) : beta;
    }
    s.beta = beta_.data();
    const std::size_t cells = FloorState::kArms * s.lanes;
    rows_.resize(5 * cells + 4 * s.lanes);
    double* at = rows_.data();
    for (double** row : {&s.pulls, &s.deficit, &s.conversions, &s.base, &s.gain}) *row = std::exchange(at, at + cells);
    s.action = std::exchange(at, at + s.lanes);
    s.touched = at;
    changed_.resize(s.lanes);
    s.changed = changed_.data();
    std::fill_n(s.pulls, cells, 1.0);
    std::fill_n(s.gain, cells, std::sqrt(0.5));
    for (std::size_t k = 0; k < FloorState::kArms; ++k) std::fill_n(s.deficit + k * s.lanes, s.lanes, s.pull[k]);  // played in round k + 1
  }

  FloorState state;
  std::vector<double> rates;

 private:
  void draw_from(std::vector<double> given) {
    rates = std::move(given);
    kernel::Draws& d = state.draws;
    d.candidates = rng::Candidates::of(1, rates);
    for (const double rate : rates) limits_.push_back(d.candidates.limit(rate));
    d.limit = limits_.data();
    d.batch = 8;
    const std::size_t most = 8 * state.lanes + 32, groups = kernel::Draws::groups(state.lanes) * 64;
    words_.resize(3 * most + 2 * groups);
    std::uint64_t* at = words_.data();
    for (std::uint64_t** row : {&d.by_lane, &d.by_round}) *row = std::exchange(at, at + groups);
    for (std::uint64_t** row : {&d.replica, &d.round, &d.mark}) *row = std::exchange(at, at + most);
  }

  std::vector<Uint128> limits_;
  AlignedVector<std::uint64_t> words_;
  std::vector<double> beta_;
  AlignedVector<double> rows_;
  std::vector<std::uint32_t> changed_;
};

/// The index that the reference gives the arm, from statistics recomputed by the plain definitions.
double reference_index(model::IndexForm index, double conversions, double exposure, double pulls, std::int64_t round) {
  const reference::ArmStatistics arm{conversions, exposure, pulls};
  const double beta = reference::exploration(0, round);
  return index == model::IndexForm::ucb ? reference::ucb_index(arm, beta) : reference::klucb_index(arm, beta, model::Clamp::one);
}

/// Follows some lanes round by round: the arm played is one of largest index, up to the error of a tangent, and S counts its conversions.
std::string fault(Floor floor, model::IndexForm index) {
  constexpr std::int64_t last = 600;
  FloorBlock block(index, last);
  FloorState& s = block.state;
  const auto cells = FloorState::kArms * s.lanes;
  std::vector<double> unseen(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t arm = cell / s.lanes;
    unseen[cell] = std::pow(kRatio, 3 - static_cast<double>(arm));
  }
  for (std::int64_t round = FloorState::kArms + 1; round <= last; ++round) {
    const std::vector<double> pulls(s.pulls, s.pulls + cells), conversions(s.conversions, s.conversions + cells);
    floor(s, round, round);
    for (std::size_t lane = 0; lane < s.lanes; lane += 5) {
      double largest = 0, chosen = 0;
      std::size_t played = FloorState::kArms;
      for (std::size_t k = 0; k < FloorState::kArms; ++k) {
        const std::size_t cell = k * s.lanes + lane;
        const double value = reference_index(index, conversions[cell], pulls[cell] - unseen[cell], pulls[cell], round);
        largest = std::max(largest, value);
        if (s.pulls[cell] != pulls[cell]) played = k, chosen = value;
      }
      if (played == FloorState::kArms || chosen < largest * (1 - 1e-4)) return "plays an arm whose index is not the largest";
      for (std::size_t k = 0; k < FloorState::kArms; ++k) {
        const std::size_t cell = k * s.lanes + lane;
        if (s.conversions[cell] - conversions[cell] !=
            (k == played && s.draws.candidates.converts(lane, static_cast<std::uint64_t>(round), block.rates[k]) ? 1 : 0))
          return "miscounts conversions";
        unseen[cell] = kRatio * (unseen[cell] + (k == played ? 1 : 0));
      }
    }
  }
  return {};
}

}  // namespace

Work floor_work(const kernel::Target& target, model::IndexForm index, std::int64_t horizon) {
  const Floor floor = index == model::IndexForm::ucb ? kernels(target).floor_ucb : kernels(target).floor_klucb;
  const std::size_t lanes = FloorBlock(index, 1).state.lanes;
  return {.items = static_cast<double>(lanes) * static_cast<double>(horizon),
          .run =
              [floor, index, horizon] {
                FloorBlock block(index, horizon);
                floor(block.state, FloorState::kArms + 1, horizon);
                keep(block.state.pulls);
              },
          .fault = [floor, index] { return fault(floor, index); }};
}

}  // namespace dbandit::bench
