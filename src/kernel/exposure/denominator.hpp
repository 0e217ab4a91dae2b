#pragma once

#include "kernel/books.hpp"
#include "kernel/lanes.hpp"

namespace dbandit::kernel {

/// What an index divides by, and where it is kept.
struct Denominator {
  enum class Kind {
    recursion,  ///< (N − over · M) − unseen · w
    matured,    ///< over · M
    pulls,      ///< N
    row         ///< a row of its own
  };
  Kind kind = Kind::row;
  const double* pulls = nullptr;
  const double* matured = nullptr;
  const double* row = nullptr;  ///< w for the recursion
  double over = 0;
  double unseen = 0;

  /// The operations of Below, in their order. For files of the baseline CPU.
  template <Kind of>
  [[nodiscard]] double at(std::size_t cell) const {
    if constexpr (of == Kind::recursion) return (pulls[cell] - over * matured[cell]) - unseen * row[cell];
    if constexpr (of == Kind::matured) return over * matured[cell];
    if constexpr (of == Kind::pulls) return pulls[cell];
    return row[cell];
  }
  [[nodiscard]] double operator()(std::size_t cell) const {
    switch (kind) {
      case Kind::recursion:
        return at<Kind::recursion>(cell);
      case Kind::matured:
        return at<Kind::matured>(cell);
      case Kind::pulls:
        return at<Kind::pulls>(cell);
      case Kind::row:
        break;
    }
    return at<Kind::row>(cell);
  }

  /// Hands Below of its kind to `visit`.
  template <class Arch, class Visit>
  void with_kind(Visit visit) const;
};

/// A vector of denominators, in the exact order of operations that the scalar form repeats.
template <class Arch, Denominator::Kind kKind>
struct Below {
  using D = Doubles<Arch>;
  static constexpr Denominator::Kind kind = kKind;
  explicit Below(const Denominator& from) : pulls(from.pulls), matured(from.matured), row(from.row), over(from.over), unseen(from.unseen) {}
  D operator()(std::size_t cell) const {
    if constexpr (kind == Denominator::Kind::recursion) {
      return (D::load_aligned(pulls + cell) - D(over) * D::load_aligned(matured + cell)) - D(unseen) * D::load_aligned(row + cell);
    } else if constexpr (kind == Denominator::Kind::matured) {
      return D(over) * D::load_aligned(matured + cell);
    } else if constexpr (kind == Denominator::Kind::pulls) {
      return D::load_aligned(pulls + cell);
    } else {
      return D::load_aligned(row + cell);
    }
  }
  const double *pulls, *matured, *row;
  double over, unseen;
};

template <class Arch, class Visit>
inline void Denominator::with_kind(Visit visit) const {
  switch (kind) {
    case Kind::recursion:
      return visit(Below<Arch, Kind::recursion>(*this));
    case Kind::matured:
      return visit(Below<Arch, Kind::matured>(*this));
    case Kind::pulls:
      return visit(Below<Arch, Kind::pulls>(*this));
    case Kind::row:
      return visit(Below<Arch, Kind::row>(*this));
  }
}

}  // namespace dbandit::kernel
