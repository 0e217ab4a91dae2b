#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/columns.hpp"
#include "study/evidence.hpp"
#include "study/interval.hpp"

/// What the paper says that can be measured, and what we find. A claim is a value: its sentence, the runs it needs, the function
/// that judges it and the verdict that is expected; to add one, write a judge and a row of the table in claims.cpp.
namespace dbandit::study {

/// undecided: the interval is too wide to tell, more replicas would. open: about a limit, which no horizon we can run decides; the finding
/// says how it goes.
enum class Verdict { holds, partly, fails, undecided, open };
inline constexpr std::size_t kVerdicts = 5;

/// definition: true by how things are defined here or in the paper; that it holds checks this program, not the paper.
enum class Kind { measured, definition };

struct Quantity {
  std::string what;
  Interval value;
  std::string unit = {};
};

struct Finding {
  Verdict verdict = Verdict::undecided;
  std::vector<Quantity> measured;
  std::string scope = {};  ///< partly: what it holds for; open: the trend
  bool against = false;    ///< open: the trend is against the claim
};

struct Claim {
  std::string id;
  std::string source;     ///< where the paper says so
  std::string sentence;   ///< in our words
  std::string criterion;  ///< what has to be measured for it to hold
  Verdict expected;
  std::vector<std::string> runs;  ///< names of named_runs()
  Finding (*judge)(const Evidence&);
  Kind kind = Kind::measured;
};

/// In the order of the paper; what it did not see comes last.
std::span<const Claim> claims();

struct Judged {
  const Claim* claim = nullptr;
  Finding finding;
  [[nodiscard]] bool changed() const { return finding.verdict != claim->expected || finding.against; }
};

/// Those of the wanted ids for which there is evidence; no ids: all of them.
std::vector<Judged> judge(const Evidence& evidence, std::span<const std::string> ids = {});
/// The runs that these claims need, each once; no ids: all claims. Throws UserError for an id that does not exist.
std::vector<NamedRun> runs_for(std::span<const std::string> ids);
/// With the replicas and the seed of the evidence that is to be had.
std::vector<sim::Spec> specs_for(std::span<const NamedRun> runs, const Evidence& evidence);

/// What words without a number mean, the same for every claim: "much" and "clearly" are by half or more, "not negligible" by a fifth or
/// more, "not significant" and "little" by less than that; "well" is within a quarter, "at no cost" within a twentieth.
inline constexpr double kMuch = 0.5, kNotNegligible = 0.2, kWell = 0.25, kNoCost = 0.05;

/// Whether a number is beyond a threshold, its whole interval considered.
Verdict above(const Interval& interval, double threshold);
Verdict below(const Interval& interval, double threshold);
/// Zero as far as can be told: within twice the half-width, so that hundreds of honest rows raise no false alarm.
Verdict nothing(const Interval& interval);
/// Of several conditions that must all hold: the worst.
Verdict all_of(std::span<const Verdict> verdicts);
/// Holds when both do; when only the first does, it holds for `scope` only.
Finding only_for(std::string scope, Verdict there, Verdict elsewhere, std::vector<Quantity> measured);

/// "holds", "holds only for …", "fails", "undecided: intervals too wide", "undecided at any horizon we can run: …".
std::string verdict_text(const Finding& finding);
/// The same, and whether it is so by definition.
std::string verdict_text(const Judged& judged);
std::string_view name_of(Verdict verdict);
std::string measured_text(const Finding& finding);
/// "38 claims: 21 hold (5 of them by definition), 10 hold only for …".
std::string tally(std::span<const Judged> judged);

std::string claims_markdown(std::span<const Judged> judged, const Evidence& evidence);
std::string claims_json(std::span<const Judged> judged, const Evidence& evidence);
/// What is claimed where, without a verdict.
std::string claim_list_json();
/// For a terminal.
std::string claims_table(std::span<const Judged> judged, const report::Style& style);

}  // namespace dbandit::study
