// What Ñ costs a round: the definition, the buffer of the last m pulls, and the recursion, over m and K, with the window full.
// Names: exposure/FORM/TARGET/m1000/K3; items are replica-rounds. A SIMD figure is the whole bookkeeping of the round (pulls, matured
// pulls, ring and exposure); a scalar one is Ñ alone.
#include "reference/exposure.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine_work.hpp"
#include "kernel/workspace.hpp"
#include "kernels.hpp"
#include "sim/plan.hpp"

namespace dbandit::bench {
namespace {

constexpr std::int64_t kWindows[] = {1, 3, 10, 100, 1000, 10000, 100000};
constexpr std::size_t kArms[] = {3, 10, 30, 100};
constexpr std::size_t kActionRows = 61;

/// A state whose window is full, as if random arms had been played for twice its length.
class Books {
 public:
  Books(const kernel::Target& target, model::Exposure form, std::int64_t window, std::size_t arms)
      : books_(kernels(target).books), round_(2 * window) {
    const sim::Settings spec = bench::spec({.arms = arms, .window = window, .horizon = 1'000'000'000});
    experiment_ = sim::experiment(spec, "d-klucb");
    const std::size_t lanes = std::min(sim::plan(spec).block_lanes, kernel::lanes_together(experiment_, form));
    state_ = &workspace_.prepare(experiment_, {0, lanes}, form, model::Solver::direct);
    std::mt19937_64 random(1);
    rows_.resize(kActionRows);
    for (auto& row : rows_) {
      for (std::size_t lane = 0; lane < lanes; ++lane) row.push_back(static_cast<double>(random() % arms));
    }
    if (form == model::Exposure::recursion) {
      for (std::int64_t round = 1; round <= round_; ++round) play(round);
    } else {
      fill_ring(window);
    }
  }

  void next() { play(++round_); }

  [[nodiscard]] std::size_t lanes() const { return state_->books.lanes; }

  /// Against the definition, by the reference.
  [[nodiscard]] std::string fault() {
    next();
    const auto tau = reference::visibility(experiment_.problem.delay, experiment_.window, experiment_.horizon);
    for (const std::size_t lane : {std::size_t{0}, state_->books.lanes - 1}) {
      reference::Actions actions;
      for (std::int64_t round = 1; round <= round_; ++round) actions.push_back(static_cast<std::uint16_t>(row(round)[lane]));
      const auto expected = reference::exposure_by_definition<double>(actions, state_->books.arms, tau);
      for (std::size_t arm = 0; arm < state_->books.arms; ++arm) {
        if (!(std::abs(exposure(arm * state_->books.lanes + lane) - expected[arm]) <= 1e-9 * (1 + expected[arm])))
          return "Ñ is not the definition's";
      }
    }
    return {};
  }

 private:
  [[nodiscard]] const std::vector<double>& row(std::int64_t round) const {
    return rows_[static_cast<std::size_t>(round * 37 % static_cast<std::int64_t>(kActionRows))];
  }

  void play(std::int64_t round) {
    std::copy(row(round).begin(), row(round).end(), state_->books.action);
    books_(*state_, round);
  }

  /// The buffer would take m² steps to fill by playing.
  void fill_ring(std::int64_t window) {
    auto* const ring = static_cast<double*>(state_->books.ring.ids);
    for (std::int64_t round = 1; round <= round_; ++round) {
      for (std::size_t lane = 0; lane < state_->books.lanes; ++lane) {
        const std::size_t cell = static_cast<std::size_t>(row(round)[lane]) * state_->books.lanes + lane;
        state_->books.pulls[cell] += 1;
        if (round <= round_ - window) state_->books.matured[cell] += 1;
        if (round > round_ - window) ring[static_cast<std::size_t>(round % window) * state_->books.lanes + lane] = row(round)[lane];
      }
    }
  }

  [[nodiscard]] double exposure(std::size_t cell) const { return state_->exposure.denominator(state_->books)(cell); }

  void (*books_)(kernel::State&, std::int64_t);
  std::int64_t round_;
  model::Experiment experiment_;
  kernel::Workspace workspace_;
  kernel::State* state_ = nullptr;
  std::vector<std::vector<double>> rows_;
};

std::string name(const std::string& form, const std::string& target, std::int64_t window, std::size_t arms) {
  return "exposure/" + form + "/" + target + "/m" + std::to_string(window) + "/K" + std::to_string(arms);
}

void add_books(const kernel::Target* target, std::int64_t window, std::size_t arms) {
  for (const model::Exposure form : {model::Exposure::buffer, model::Exposure::recursion}) {
    add(name(form == model::Exposure::buffer ? "buffer" : "recursion", target_name(target), window, arms), [=] {
      auto books = std::make_shared<Books>(*target, form, window, arms);
      // Google Benchmark's own overhead is of the order of a round: time several of them at once where they are short.
      const int rounds = form == model::Exposure::recursion || window <= 100 ? 64 : 1;
      return Work{.items = static_cast<double>(books->lanes()) * rounds,
                  .run =
                      [=] {
                        for (int i = 0; i < rounds; ++i) books->next();
                        keep(books.get());
                      },
                  .fault = [=] { return books->fault(); }};
    });
  }
}

/// The reference's sums for one replica: `history` over t = 10^4 rounds, `buffer` over the last m of them.
void add_scalar(std::int64_t window) {
  constexpr std::int64_t rounds_played = 10000;
  struct Past {
    reference::Actions actions;
    std::vector<std::int64_t> matured = std::vector<std::int64_t>(3);
    std::vector<double> tau, exposure;
  };
  const auto past = [=] {
    auto made = std::make_shared<Past>();
    std::mt19937_64 random(1);
    const std::int64_t rounds = std::max(rounds_played, 2 * window);
    for (std::int64_t s = 1; s <= rounds; ++s) {
      made->actions.push_back(static_cast<std::uint16_t>(random() % 3));
      if (s <= rounds - window) ++made->matured[made->actions.back()];
    }
    made->tau = reference::visibility(model::Geometric{500}, window, rounds);
    return made;
  };
  add(name("buffer", "scalar", window, 3), [=] {
    auto p = past();
    return Work{.items = 1,
                .run =
                    [=] {
                      p->exposure = reference::exposure_by_buffer<double>(p->actions, p->matured, p->tau);
                      keep(p->exposure.data());
                    },
                .fault =
                    [=] {
                      const auto expected = reference::exposure_by_definition<double>(p->actions, 3, p->tau);
                      const auto actual = reference::exposure_by_buffer<double>(p->actions, p->matured, p->tau);
                      for (std::size_t k = 0; k < 3; ++k)
                        if (!(std::abs(actual[k] - expected[k]) <= 1e-9 * expected[k])) return std::string("Ñ is not the definition's");
                      return std::string();
                    }};
  });
  if (window != 1000) return;
  add(name("history", "scalar", window, 3), [=] {
    auto p = past();
    return Work{.items = 1,
                .run =
                    [=] {
                      p->exposure = reference::exposure_by_definition<double>(p->actions, 3, p->tau);
                      keep(p->exposure.data());
                    },
                .fault = [] { return std::string(); }};  // it is the definition
  });
}

}  // namespace

void declare() {
  const kernel::Target& best = kernel::best_target();
  for (const std::int64_t window : kWindows) {
    add_books(&best, window, 3);
    add_scalar(window);
  }
  for (const std::size_t arms : kArms) {
    if (arms != 3) add_books(&best, 1000, arms);
  }
  for (const kernel::Target* target : supported_targets()) {
    if (target != &best) add_books(target, 1000, 3);
  }
}

}  // namespace dbandit::bench
