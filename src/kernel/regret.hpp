#pragma once

#include "core/double_double.hpp"
#include "kernel/exposure/exposure.hpp"

namespace dbandit::kernel {

/// What is recorded of a block. The regret is start + Σ_k weight_k Ñ_k, Ñ by the world's law. With one law for all arms that is Σ Δ_k Ñ_k
/// (§2.1, Lemma 1). With a law each a pull loses θ* τ* − θ_k τ^k of its age, and the sum of the first terms is the same whatever is
/// played: `start` − Σ θ_k Ñ_k.
struct Regret {
  bool is_summed = false;              ///< over the ring, when recorded: the exposure that is kept is not the world's
  double* start = nullptr;             ///< [record]
  double* weight = nullptr;            ///< [arm]
  double* gap = nullptr;               ///< [arm] Δ
  const double** world_cdf = nullptr;  ///< [arm] τ_0 … τ_m of the world
  double* run = nullptr;               ///< scratch of the sum
  DoubleDouble* sum = nullptr;

  void size(const Setup& setup, const Books& books, const Exposure& exposure);
  void declare(Rows& rows, const Setup& setup, const Books& books);
  void fill(const Setup& setup, const Books& books);

  /// The regret, P = Σ Δ_k N_k and the realised regret of `count` lanes into one row of the paths, from column `offset` on.
  void record(const Books& books, const Exposure& exposure, std::int64_t round, std::size_t row, std::size_t offset, std::size_t count,
              model::Paths& paths) const;

 private:
  template <class ArmId>
  void sum_world(const Books& books, std::int64_t round, std::size_t count, double* regret) const;
};

}  // namespace dbandit::kernel
