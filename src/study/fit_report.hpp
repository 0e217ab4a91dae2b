#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/report/directory.hpp"
#include "dbandit/stats/moments.hpp"
#include "fit/fit.hpp"
#include "fit/log.hpp"
#include "report/columns.hpp"
#include "report/gnuplot.hpp"

/// What `dbandit fit` says of a log.
namespace dbandit::study {

/// What the league's best would lose in the world that was found, behind the window that shows 90 % of the conversions: a small run.
struct ExpectedRegret {
  std::int64_t horizon = 0, replicas = 0;
  stats::Moments regret;
  double uniform = 0;  ///< of random play, by formula
};
inline constexpr std::string_view kLeaguesBest = "d-ts";

struct FittedLog {
  fit::Log log;
  std::vector<fit::Fit> fits;                        ///< the least BIC first, which is the one with estimates
  std::vector<std::vector<fit::SharePoint>> shares;  ///< P–P of the first kDrawn of them
  std::optional<fit::OneLawTest> one_law;            ///< of the first
  std::optional<ExpectedRegret> expected;            ///< none where there is one arm, or more than a second's work

  [[nodiscard]] const fit::Fit& best() const { return fits.front(); }
  /// Whether each arm should have a law of its own.
  [[nodiscard]] bool arms_differ() const { return one_law && one_law->p < 0.01 && one_law->arms.size() == log.counts.size(); }
};
inline constexpr std::size_t kDrawn = 3;

/// Throws UserError where no law fits.
FittedLog fit_log(fit::Log log, std::span<const fit::Family* const> families);

/// The law as a spec has it, to five digits: reads back by parse_delay_law.
std::string law_text(const model::DelayLaw& law);
/// The lines `theta = …`, `delay = …` of a spec, and `censor = …` where the log has a window.
std::string spec_lines(const FittedLog& fitted);

std::string fit_table(const FittedLog& fitted, const report::Style& style);
/// One document, dbandit.fit.v1.
std::string fit_json(const FittedLog& fitted);
/// pp.csv: law,delay,expected,observed.
std::string fit_csv(const FittedLog& fitted);
/// P–P of the best laws with a band, and the same without the diagonal.
report::Drawing fit_drawing(const FittedLog& fitted);

}  // namespace dbandit::study
