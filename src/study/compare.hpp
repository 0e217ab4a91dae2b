#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dbandit/sim/run.hpp"
#include "report/columns.hpp"
#include "report/stored.hpp"
#include "study/interval.hpp"

/// Two stored results side by side: what was different, and what came of it.
namespace dbandit::study {

/// How a difference was estimated: replica by replica in the same worlds, or from the two means and their errors alone.
enum class Method { paired, welch };

struct Setting {
  std::string key, a, b;
};

struct PolicyChange {
  std::string policy;
  stats::Moments a, b;
  Interval difference;  ///< final regret in B minus in A
  /// Whether B is worse by more than `threshold`, a share of A's regret, beyond its interval.
  [[nodiscard]] bool regressed(double threshold) const { return difference.low > threshold * a.mean; }
};

struct Comparison {
  std::vector<Setting> settings;  ///< those that differ
  std::vector<std::string> only_a, only_b;
  std::vector<PolicyChange> policies;  ///< those of both
  Method method = Method::welch;
  bool pairable = false;   ///< whether the worlds are the same, so that a rerun could pair them
  bool identical = false;  ///< the same spec and numbers
};

/// From the files: Welch's interval, which does not ask for equal variances.
Comparison compare(const report::StoredResult& a, const report::StoredResult& b);
/// Makes the differences paired by simulating both again.
void pair_by_rerun(Comparison& comparison, const sim::Spec& a, const sim::Spec& b, const sim::RunOptions& options);

/// For a terminal.
std::string comparison_text(const Comparison& comparison, const report::StoredResult& a, const report::StoredResult& b, double threshold,
                            const report::Style& style);
/// dbandit.compare.v1.
std::string comparison_json(const Comparison& comparison, const report::StoredResult& a, const report::StoredResult& b, double threshold);

/// Difference b − a of independent means: Student's quantile at the degrees of freedom of Welch and Satterthwaite.
Interval welch(const stats::Moments& a, const stats::Moments& b);

}  // namespace dbandit::study
