#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

/// Names and texts as anybody may write them into a file that is later drawn or shown.
namespace dbandit::test {

/// The command that each of them tries to run.
inline constexpr std::string_view kPlanted = "touch PLANTED";

/// Every way out of a quoted string, a line, a data block, a script element or an attribute that we know of.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{
      "it's",
      "'; system('touch PLANTED'); '",
      "'\nsystem('touch PLANTED')\n'",
      "\"; system('touch PLANTED'); \"",
      "`touch PLANTED`",
      "$(touch PLANTED)",
      "\\'; system('touch PLANTED') #",
      "''; system('touch PLANTED') #",
      "' ! touch PLANTED",
      "\n! touch PLANTED\n",
      "\r! touch PLANTED\r",
      "\nEOD\n! touch PLANTED\n",
      "\"\nEOD\nsystem('touch PLANTED')\n",
      "| touch PLANTED",
      "@PLANTED {/Symbol touch PLANTED} %s%n%g \\",
      "</script><script>touch PLANTED</script>",
      "</title></pre></style><!--<script>touch PLANTED",
      "\" onload=\"touch PLANTED\" '>&<img src=x onerror=touch PLANTED>",
      "${`touch PLANTED`}\xe2\x80\xa8touch PLANTED",
      "]]>--></textarea>&lt;\\u003cscript>{{script}}{{data}}",
  };
  return texts;
}

/// What gnuplot takes for commands: the script without its data blocks ($name << EOD … EOD) and without what stands in single
/// quotes, where '' is a quote and nothing else means anything. Double quotes are commands: `…` runs in them. A quote that its line
/// does not close is a failure.
inline std::string gnuplot_commands(const std::string& script) {
  std::string commands;
  bool in_block = false;
  for (std::size_t from = 0; from < script.size();) {
    const std::size_t end = std::min(script.find('\n', from), script.size());
    const std::string_view line = std::string_view(script).substr(from, end - from);
    from = end + 1;
    if (in_block) {
      in_block = line != "EOD";
      continue;
    }
    bool quoted = false;
    for (const char c : line) {
      if (c == '\'') quoted = !quoted;  // '' closes and opens again
      if (!quoted) commands += c;
    }
    EXPECT_FALSE(quoted) << line;
    commands += '\n';
    in_block = line.ends_with("<< EOD");
  }
  EXPECT_FALSE(in_block);
  return commands;
}

}  // namespace dbandit::test
