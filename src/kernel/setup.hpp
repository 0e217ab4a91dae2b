#pragma once

#include <array>
#include <memory>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "model/delay_table.hpp"
#include "rng/gamma.hpp"

namespace dbandit::kernel {

/// Tables of the laws met so far: a thread keeps them from block to block. Parts say beforehand how far they read a
/// table, so that it is made once, or only its size is told.
class Tables {
 public:
  /// The table of a law is read up to these delays; −1: not at all. The law must live until `make`.
  void want(const model::DelayLaw& law, std::int64_t reach, std::int64_t cdf);
  void want_cdfs(const model::Delays& delays, std::int64_t last) {
    for (const model::DelayLaw& law : delays.laws) want(law, -1, last);
  }
  /// Forgets what was wanted, and everything once there is much more than so many arms can use.
  void begin(std::size_t arms);
  void make();
  [[nodiscard]] double bytes() const;

  model::DelayTable& of(const model::DelayLaw& law);
  /// Of the shapes `first`, first + 1, …; valid until two other first shapes have been asked for.
  const rng::QuantileFit* quantile_fits(double first);
  static constexpr std::size_t kQuantileFits = 1024;
  /// [arm] τ_0 … τ_last.
  void cdfs(const model::Delays& delays, std::size_t arms, std::int64_t last, const double** rows) {
    for (std::size_t arm = 0; arm < arms; ++arm) rows[arm] = of(delays[arm]).cdf(last);
  }

 private:
  struct Wanted {
    const model::DelayLaw* law;
    std::int64_t reach, cdf;
  };
  std::vector<std::unique_ptr<model::DelayTable>> tables_;
  std::vector<Wanted> wanted_;
  struct FirstFits {
    double first = 0;  ///< 0: none
    std::array<rng::QuantileFit, kQuantileFits> fits{};
  };
  std::array<FirstFits, 2> first_fits_{};
  std::size_t next_fits_ = 0;  ///< which of them gives way
};

/// What the parts of a block are prepared from. A part has `size` (how long its rows are), `declare` (the rows) and, where not all of
/// them begin with zeros, `fill`.
struct Setup {
  const model::Experiment& experiment;
  model::Exposure exposure;
  model::Solver solver;
  Tables& tables;
};

}  // namespace dbandit::kernel
