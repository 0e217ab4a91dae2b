#pragma once

#include "kernel/exposure/buffer.hpp"
#include "kernel/exposure/deficit.hpp"
#include "kernel/exposure/echo.hpp"
#include "kernel/exposure/parts.hpp"
#include "kernel/exposure/stages.hpp"
#include "kernel/exposure/sums.hpp"

namespace dbandit::kernel {

/// Ñ as the policy believes (or, where it has no use for it, as the world is), in the one way that its law and the run ask for. A form's
/// state is its own file's.
struct Exposure {
  enum class Form {
    deficit,  ///< geometric law
    parts,    ///< mixture, or a fit
    sums,     ///< uniform law
    echo,     ///< constant delay
    stages,   ///< negative binomial
    buffer,   ///< any law
    none      ///< the policy does not need it, or it stays 0
  };
  Form form = Form::none;
  bool is_worlds = true;      ///< whether this is the exposure of the regret too; else that is summed at the recorded rounds
  double* row = nullptr;      ///< Ñ, unless it is a deficit
  double* leaving = nullptr;  ///< [lane] the arm that leaves the window, or the form's ring
  Deficit deficit;
  Parts parts;
  Sums sums;
  Echo echo;
  Stages stages;
  Buffer buffer;

  /// `wanted`: the policy's index needs it. Sets the ring of the books, which is the form's to say.
  void size(const Setup& setup, Books& books, bool wanted);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books) {
    with_form([&](auto& live) { live.fill(setup, books); });
  }

  /// Hands the form that is live to `visit`: with declare, fill and follow.
  template <class Visit>
  [[gnu::always_inline]] void with_form(Visit visit) {
    switch (form) {
      case Form::deficit:
        return visit(deficit);
      case Form::parts:
        return visit(parts);
      case Form::sums:
        return visit(sums);
      case Form::echo:
        return visit(echo);
      case Form::stages:
        return visit(stages);
      case Form::buffer:
        return visit(buffer);
      case Form::none:
        return;
    }
  }

  [[nodiscard, gnu::always_inline]] Denominator denominator(const Books& books) const {
    if (form == Form::deficit) return deficit.denominator(books);
    return {Denominator::Kind::row, nullptr, nullptr, row, 0, 0};
  }
};

/// Before the round's arms overwrite those that leave the window.
template <class Arch>
inline void before_account(const Exposure& e, const Books& books, std::int64_t round) {
  if (e.form == Exposure::Form::parts || e.form == Exposure::Form::stages) note_leaving<Arch>(books.ring, books.lanes, round, e.leaving);
}

/// With N and M of the round.
template <class Arch>
inline void after_account(Exposure& e, const Books& books, std::int64_t round) {
  e.with_form([&](auto& form) { form.template follow<Arch>(books, e.leaving, e.row, round); });
}

}  // namespace dbandit::kernel
