#include "report/trace.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "spec_flags.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  SpecFlags spec;
  TextOption replica, rounds;
  ColorFlag color;
  bool csv = false;
};

/// "40" or "100..140".
report::Rounds parse_rounds(const Flags& flags) {
  report::Rounds rounds;
  if (const std::string* text = flags.rounds.value()) {
    const std::size_t dots = text->find("..");
    const std::string_view words = *text;
    const auto first = parse_number<std::int64_t>(dots == std::string::npos ? "1" : words.substr(0, dots));
    const auto last = parse_number<std::int64_t>(dots == std::string::npos ? words : words.substr(dots + 2));
    if (!first || !last || *first < 1 || *last < *first || *last > report::kMostTraced) {
      throw UserError(fmt::format("--rounds: {} is not LAST or FIRST..LAST with 1 <= FIRST <= LAST <= {}", dbandit::quoted(*text),
                                  report::kMostTraced));
    }
    rounds.first = *first, rounds.last = *last;
  }
  if (const std::string* text = flags.replica.value()) {
    const auto replica = parse_number<std::int64_t>(*text);
    if (!replica || *replica < 0) throw UserError(fmt::format("--replica: {} is not an integer from 0", dbandit::quoted(*text)));
    rounds.replica = static_cast<std::uint64_t>(*replica);
  }
  return rounds;
}

ExitCode trace(const Flags& flags) {
  const report::Style style = flags.color.style();
  report::Rounds rounds = parse_rounds(flags);
  const sim::Spec spec = report::trace_spec(flags.spec.draft(), rounds);
  print(flags.csv ? report::trace_csv(spec, rounds) : report::trace_table(spec, rounds, style));
  return ExitCode::done;
}

}  // namespace

Action declare_trace(Usage& command) {
  auto flags = std::make_shared<Flags>();
  flags->spec.declare(command, {"theta", "delay", "censor", "horizon", "assume-delay", "policies", "seed", "epsilon", "clamp", "ties",
                                "start", "radius", "gamma", "prior-shape", "prior-rate"});
  flags->replica.declare(command, "--replica", "R", "which one, counted from 0; default 0", "Output");
  flags->rounds.declare(command, "--rounds", "LAST|FIRST..LAST", "which are shown; default 1..40", "Output");
  command.flag("--csv", flags->csv, "print a row for every round and arm, with all digits", "Output");
  flags->color.declare(command);
  return [flags] { return trace(*flags); };
}

}  // namespace dbandit::cli
