#include "study/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/draft.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> ids;
  JobFlags job;
  KeepFlags keep;
  TextOption seed;
  ColorFlag color;
  bool quick = false, list = false, json = false;
};

std::string list() {
  report::Columns columns{.align = {report::Align::left, report::Align::left, report::Align::left},
                          .rows = {{"claim", "where", "what the paper says, or should have"}},
                          .highlight = {}};
  for (const study::Claim& claim : study::claims()) columns.rows.push_back({claim.id, claim.source, claim.sentence});
  return columns.text({});
}

/// All claims are stored; a selection only when somebody says where.
std::optional<std::string> folder(const Flags& flags) {
  if (const std::string* out = flags.keep.out()) return *out;
  if (!flags.ids.empty()) return std::nullopt;
  return flags.quick ? "out/quick/claims" : "results/claims";
}

ExitCode claims(const Flags& flags) {
  if (const std::string* folder = flags.keep.resume()) return continue_study(*folder, "claims");
  const report::Style style = flags.color.style();
  if (flags.list) {
    print(flags.json ? study::claim_list_json() : list());
    return ExitCode::done;
  }
  sim::SpecDraft draft;
  if (const std::string* seed = flags.seed.value()) sim::assign(draft, "seed", *seed);
  study::Evidence evidence{.effort = flags.quick ? study::Effort::quick : study::Effort::full, .seed = draft.settings.seed, .runs = {}};
  const std::vector<study::NamedRun> runs = study::runs_for(flags.ids);
  const std::vector<sim::Spec> specs = study::specs_for(runs, evidence);
  const std::optional<std::string> out = folder(flags);
  std::optional<RunSession> session;
  if (out) session.emplace(flags.keep, *out);
  std::optional<std::vector<sim::Result>> played;
  if (session) {
    played = run_study(specs, flags.job, flags.keep, *session);
    if (!played) return ExitCode::done;
  } else {
    JobOutcome outcome = run_job(specs, flags.job, nullptr, nullptr);
    if (!outcome.complete) throw UserError("interrupted: nothing was stored; with --out it would be", ExitCode::interrupted);
    played = std::move(outcome.results);
  }
  std::vector<sim::Result>& results = *played;
  for (std::size_t i = 0; i < runs.size(); ++i) evidence.runs.emplace(runs[i].name, std::move(results[i]));
  const std::vector<study::Judged> judged = study::judge(evidence, flags.ids);

  const std::string json = study::claims_json(judged, evidence);
  print(flags.json ? json : study::claims_table(judged, style));
  if (session) {
    session->write(std::vector<report::File>{{"claims.md", study::claims_markdown(judged, evidence)}, {"claims.json", json}});
    if (!flags.json) print(fmt::format("\nwritten: {0}/claims.md {0}/claims.json\n", *out));
  }
  std::string changed;
  for (const study::Judged& row : judged) {
    if (row.changed()) changed += (changed.empty() ? "" : " ") + row.claim->id;
  }
  if (!changed.empty()) throw UserError("claims: the verdict changed of: " + changed, ExitCode::failure);
  return ExitCode::done;
}

}  // namespace

Action declare_claims(Usage& command) {
  auto flags = std::make_shared<Flags>();
  std::vector<std::string> ids;
  std::ranges::transform(study::claims(), std::back_inserter(ids), &study::Claim::id);
  command.argument("CLAIM", flags->ids, choice(ids), "which claims; default all");
  command.flag("--quick", flags->quick, "few replicas: about a minute on two cores", "Simulation");
  flags->seed.declare(command, "--seed", "N", "all randomness is a function of it; default 1", "Simulation");
  command.flag("--json", flags->json, "print one JSON document (dbandit.claims.v1), that of claims.json", "Output");
  command.flag("--list", flags->list, "only show what is claimed where", "Output");
  flags->keep.declare(command,
                      "where claims.md and claims.json go; default results/claims, out/quick/claims when quick, nowhere for a selection");
  flags->job.declare(command);
  flags->color.declare(command);
  return [flags] { return claims(*flags); };
}

}  // namespace dbandit::cli
