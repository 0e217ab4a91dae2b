#include "report/page.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/run.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/hostile.hpp"
#include "report/stored.hpp"
#include "sim/small_problem.hpp"
#include "sim/sums.hpp"

namespace dbandit::report {
namespace {

using test::read_file;
using test::Scratch;
using test::write_file;

/// The page's own pieces, short enough to be looked for: the build may have no chart library.
constexpr PageAssets kPlain{
    .chart_script = {"chart()", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    .chart_style = {"a{}", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    .script = {"page()", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    .style = {"b{}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    .chart_licence = "Copyright <someone>",
    .skeleton =
        "<meta content=\"{{policy}}\"><title>{{title}}</title><style>{{style}}</style>{{chart-style}}{{chart-licence}}"
        "<script type=json>{{data}}</script><script>{{chart-script}}{{script}}</script>",
};

/// A small result as `run --out` leaves it.
const sim::Result& small_result() {
  static const sim::Result result = sim::run(sim::small_problem(60, {"d-klucb", "d-ucb", "ud-ucb"}, 200, {10, 30, 60}), {});
  return result;
}

void store(const std::string& folder) { Directory(folder).write(result_files(small_result(), manifest(small_result()))); }

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

void rewrite(const std::string& file, std::string_view from, const std::string& to) {
  write_file(file, replaced(read_file(file), from, to));
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "was accepted";
  return {};
}

TEST(PageSection, HasWhatTheFolderHas) {
  const Scratch scratch;
  store(scratch / "r");
  const PageSection section = read_section(scratch / "r");
  ASSERT_EQ(section.policies.size(), 3U);
  EXPECT_EQ(section.policies[0].name, "d-klucb");
  EXPECT_EQ(section.policies[0].setting, "censored");
  EXPECT_EQ(section.policies[2].setting, "uncensored");
  EXPECT_EQ(section.policies[0].final_quantiles.size(), 99U);
  EXPECT_DOUBLE_EQ(*section.policies[1].best_share, small_result().stats.policies[1].pulls[0].mean / 60);
  ASSERT_EQ(section.slices.size(), 1U);
  ASSERT_EQ(section.slices[0].measures.size(), sim::kMeasures.size());
  EXPECT_EQ(section.slices[0].measures[1].name, "pseudo_regret");
  EXPECT_EQ(section.slices[0].measures[0].curves[1].mean[2].mean, small_result().stats.policies[1].regret[2].mean);
  const auto& band = section.slices[0].measures[0].curves[1].band;
  ASSERT_EQ(band.size(), 3U);
  EXPECT_EQ(band[2].low, small_result().stats.policies[1].final_regret().quantile(0.1));
  EXPECT_EQ(band[2].high, small_result().stats.policies[1].final_regret().quantile(0.9));
  ASSERT_EQ(section.cells.size(), 1U);
  ASSERT_EQ(section.cells[0].pairs.size(), 3U);
  EXPECT_EQ(section.cells[0].pairs[2].mean, small_result().stats.paired[2].mean);
  EXPECT_EQ(section.spec, read_file(scratch / "r/spec.toml"));
  // Lower and upper bounds of the censored setting, for both indices; of the uncensored one only UCB's, which is there.
  EXPECT_EQ(section.bounds.size(), 5U);
  EXPECT_EQ(section.bounds[1].policies, std::vector<std::string>{"d-ucb"});
  EXPECT_DOUBLE_EQ(section.bounds[0].slope, small_result().censored.lower);
}

TEST(StoredResult, HasTheMeansAndErrorsOfTheRun) {
  const Scratch scratch;
  store(scratch / "r");
  const StoredResult stored = read_result(scratch / "r");
  ASSERT_EQ(stored.policies.size(), 3U);
  for (std::size_t p = 0; p < 3; ++p) {
    const stats::Moments& regret = small_result().stats.policies[p].regret.back();
    EXPECT_EQ(stored.policies[p].regret.count, 200);
    EXPECT_EQ(stored.policies[p].regret.mean, regret.mean);
    EXPECT_DOUBLE_EQ(stored.policies[p].regret.standard_error(), regret.standard_error());
  }
}

TEST(PageSection, WithoutDistributionAndBandFallsBackOnTheSummary) {
  const Scratch scratch;
  store(scratch / "r");
  std::filesystem::remove(scratch / "r/distribution.csv");
  std::filesystem::remove(scratch / "r/band.csv");
  const PageSection section = read_section(scratch / "r");
  EXPECT_EQ(section.policies[0].final_quantiles.size(), 3U);
  EXPECT_TRUE(section.slices[0].measures[0].curves[0].band.empty());
}

TEST(PageSection, CommandIsTheSpecInFlags) {
  const Scratch scratch;
  store(scratch / "r");
  EXPECT_EQ(read_section(scratch / "r").command,
            "dbandit run --theta 0.5,0.3 --delay geometric:5 --censor 10 --horizon 60 --policies d-klucb,d-ucb,ud-ucb --replicas 200 --at "
            "10,30,60 --out again");
}

TEST(PageSection, CommandQuotesWhatAShellWouldNotTakeAsItIs) {
  sim::Settings spec = *small_result().spec;
  const std::vector<std::string> more{"--out", "it's; rm -r $HOME"};
  EXPECT_TRUE(command_line("run", spec, {}, more).ends_with(R"(--out 'it'\''s; rm -r $HOME')"));
}

TEST(PageSection, CommandNamesTheSpecWhereALawIsTooLongToType) {
  sim::Settings settings = *small_result().spec;
  std::string law = "empirical:1*1";
  for (int delay = 2; delay < 1000; ++delay) law += "+1*" + std::to_string(delay);
  settings.delay = model::parse_delays(law);
  settings.exposure = sim::Settings().exposure;
  EXPECT_EQ(command_line("run", sim::Spec(settings), {}, std::vector<std::string>{"--out", "again"}), "dbandit run spec.toml --out again");
}

/// What a shell makes of the last word of a command.
std::string last_word_for_a_shell(const std::string& command) {
  const Scratch scratch;
  write_file(scratch / "script", "dbandit() { for last; do :; done; printf %s \"$last\"; }\n" + command);
  FILE* const shell = ::popen(("cd " + scratch.path().string() + " && sh ./script").c_str(), "r");
  std::string word;
  for (int c; (c = std::fgetc(shell)) != EOF;) word += static_cast<char>(c);
  EXPECT_EQ(::pclose(shell), 0) << command;
  EXPECT_FALSE(std::filesystem::exists(scratch / "PLANTED")) << command;
  return word;
}

TEST(PageSection, CommandIsTakenByAShellWordForWord) {
  for (const std::string& text : test::hostile_texts()) {
    const std::string command = command_line("run", small_result().spec, {}, std::vector<std::string>{"--out", text});
    EXPECT_EQ(last_word_for_a_shell(command), text);
  }
}

TEST(PageSection, OfAMissingFileSaysWhichOne) {
  for (const char* file : {"spec.toml", "curve.csv", "summary.json", "manifest.json"}) {
    const Scratch scratch;
    store(scratch / "r");
    std::filesystem::remove(scratch / std::string("r/") + file);
    EXPECT_NE(refusal([&] { read_section(scratch / "r"); }).find(file), std::string::npos) << file;
  }
}

TEST(PageSection, OfAFileCutShortAnywhereIsRefused) {
  // The table of quantiles may end in the middle of its last number and still be one; everything else shows.
  for (const char* file : {"curve.csv", "summary.json", "manifest.json", "distribution.csv", "risk.csv", "band.csv"}) {
    const Scratch scratch;
    store(scratch / "r");
    const std::string path = scratch / (std::string("r/") + file), whole = read_file(path);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, whole.size() / 3, whole.size() / 2, whole.rfind('\n', whole.size() - 2) + 1}) {
      write_file(path, whole.substr(0, size));
      if (size == whole.size()) continue;
      EXPECT_NE(refusal([&] { read_section(scratch / "r"); }).find(file), std::string::npos) << file << " " << size;
    }
  }
}

TEST(PageSection, OfFilesThatContradictEachOtherIsRefused) {
  const Scratch scratch;
  store(scratch / "r");
  rewrite(scratch / "r/spec.toml", ", \"ud-ucb\"", "");
  refusal([&] { read_section(scratch / "r"); });
}

TEST(PageSection, OfSomethingElseIsRefused) {
  const Scratch scratch;
  store(scratch / "r");
  write_file(scratch / "r/summary.json", std::string(200'000, '['));
  refusal([&] { read_section(scratch / "r"); });
  write_file(scratch / "r/summary.json", R"({"schema": "dbandit.result.v1", "policies": [1, 2, 3], "paired": 4})");
  refusal([&] { read_section(scratch / "r"); });
  store(scratch / "s");
  write_file(scratch / "s/manifest.json", "[1]");
  refusal([&] { read_section(scratch / "s"); });
}

const std::string kHostile = R"(</script><script>alert(1)</script><!--"'>&<img src=x onerror=alert(2)>)";

TEST(Page, TextFromFilesCannotLeaveItsPlace) {
  const Scratch scratch;
  const std::string folder = scratch / "<b>&\"'";
  store(folder);
  for (const char* file : {"/curve.csv", "/band.csv", "/distribution.csv", "/risk.csv"}) rewrite(folder + file, "d-klucb,", kHostile + ",");
  rewrite(folder + "/summary.json", "\"d-klucb\"", "\"</script><script>alert(3)//\"");
  rewrite(folder + "/manifest.json", "\"cpu\"", "\"<!--<script>\"");
  rewrite(folder + "/manifest.json", "\"version\":\"", "\"version\":\"\\u2028<svg onload=alert(4)>");
  write_file(folder + "/spec.toml", "# </pre></script><script>alert(5)</script>\n" + read_file(folder + "/spec.toml"));
  const PageSection section = read_section(folder);
  EXPECT_EQ(section.policies[0].name, kHostile);
  const std::string page = page_html(std::vector{section}, kPlain);

  const std::size_t open = page.find("<script type=json>") + 18, close = page.find("</script>", open);
  const std::string data = page.substr(open, close - open);
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_TRUE(data.ends_with("]}")) << "the first end of a script is our own";
  EXPECT_NE(data.find("alert(1)"), std::string::npos);
  for (const char c : data) ASSERT_TRUE(c >= ' ' && c <= '~');
  std::string rest = page;
  rest.erase(open, data.size());
  EXPECT_EQ(rest.find("alert"), std::string::npos);
  EXPECT_NE(rest.find("&lt;b&gt;&amp;&quot;&#39;</title>"), std::string::npos);
}

/// A section in which every text that there is is this one.
PageSection section_of(const std::string& text) {
  const StoredCurve curve{.policy = text, .mean = {{1, 2, 1, 3}}, .band = {{1, 1, 3}}};
  PageSection section;
  section.name = section.x_name = section.spec = section.command = text;
  section.problem = section.provenance = {{text, text}};
  section.policies = {{.name = text, .setting = text, .final_quantiles = {{50, 1}}, .best_share = 0.5}};
  section.slices = {{.name = text, .measures = {{.name = text, .curves = {curve}}}}};
  section.bounds = {{.name = text, .slope = 1, .lower = true, .policies = {text}}};
  section.cells = {{.name = text, .pairs = {{.a = text, .b = text, .mean = 1, .low = 0, .high = 2}}}};
  return section;
}

/// The text between the end of `open` and the next `close`, which is cut out of the page.
std::string cut(std::string& page, std::string_view open, std::string_view close) {
  const std::size_t from = page.find(open) + open.size(), end = page.find(close, from);
  const std::string text = page.substr(from, end - from);
  page.erase(from, end - from);
  return text;
}

std::size_t count_texts(const nlohmann::json& json, const std::string& text) {
  if (json.is_string()) return json == text ? 1 : 0;
  std::size_t found = 0;
  if (json.is_structured()) {
    for (const auto& part : json) found += count_texts(part, text);
  }
  return found;
}

TEST(Page, EveryTextOfASectionIsDataAndTheRestOfThePageDoesNotDependOnIt) {
  std::vector<const PageAssets*> all{&kPlain};
  if (page_assets() != nullptr) all.push_back(page_assets());
  for (const PageAssets* assets : all) {
    const std::string open = assets == &kPlain ? "<script type=json>" : "id=\"data\">";
    std::string plain = page_html(std::vector{section_of("x")}, *assets);
    const std::size_t texts = count_texts(nlohmann::json::parse(cut(plain, open, "</script>")), "x");
    EXPECT_EQ(texts, 18U) << "one for each text of a section";
    cut(plain, "<title>", "</title>");
    for (const std::string& text : test::hostile_texts()) {
      std::string page = page_html(std::vector{section_of(text)}, *assets);
      const std::string data = cut(page, open, "</script>");
      EXPECT_EQ(count_texts(nlohmann::json::parse(data), text), texts) << text;
      for (const char c : data) ASSERT_TRUE(c >= ' ' && c <= '~') << text;
      EXPECT_EQ(data.find_first_of("<>&"), std::string::npos) << text;
      const std::string title = cut(page, "<title>", "</title>");
      EXPECT_EQ(title.find_first_of("<>\"'"), std::string::npos) << title;
      EXPECT_EQ(page, plain) << text;
    }
  }
}

TEST(Page, ScriptsHaveNoWayToTurnTextIntoMarkupOrCode) {
  for (const char* file : {"format.js", "chart.js", "strips.js", "table.js", "page.js"}) {
    const std::string script = read_file(std::string(DBANDIT_SOURCE "/src/report/page/") + file);
    for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "DOMParser",
                            "srcdoc", "eval(", "Function(", "setTimeout(\"", "import("}) {
      EXPECT_EQ(script.find(way), std::string::npos) << file << " has " << way;
    }
  }
}

TEST(Page, BytesThatAreNoTextAreReplaced) {
  PageSection section = [] {
    const Scratch scratch;
    store(scratch / "r");
    return read_section(scratch / "r");
  }();
  section.policies[0].name = section.spec = "\xff\xc0 \x01";
  EXPECT_NE(page_html(std::vector{section}, kPlain).find("\\ufffd"), std::string::npos);
}

TEST(Page, NamesOfPlacesInTextAreNotFilledIn) {
  PageSection section;
  section.name = "{{script}}{{data}}";
  const std::string page = page_html(std::vector{section}, kPlain);
  EXPECT_NE(page.find("<title>dbandit · {{script}}{{data}}</title>"), std::string::npos);
}

TEST(Page, PolicyLetsThroughItsOwnScriptsAndStylesAndNothingElse) {
  const std::string page = page_html({}, kPlain);
  const std::size_t open = page.find("content=\"") + 9;
  const std::string policy = page.substr(open, page.find('"', open) - open);
  // SHA-256 of "abc" and of nothing, as every table of examples has them.
  const std::string abc = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='",
                    nothing = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
  EXPECT_EQ(policy, "default-src 'none'; script-src " + abc + " " + abc + "; style-src " + nothing + " " + abc +
                        "; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
}

TEST(Page, KeepsTheLicenceOfTheChartLibrary) {
  EXPECT_NE(page_html({}, kPlain).find("Copyright &lt;someone&gt;"), std::string::npos);
  if (page_assets() == nullptr) GTEST_SKIP() << "built without npm";
  const std::string page = page_html({}, *page_assets());
  EXPECT_NE(page.find("The MIT License"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
}

TEST(SpecFlags, GiveTheSpecBack) {
  sim::Settings odd = *small_result().spec;
  odd.seed = 9'007'199'254'740'993;
  odd.epsilon = 0.1;
  odd.clamp = model::Clamp::none;
  odd.ties = model::Ties::lowest;
  odd.engine = sim::Engine::reference;
  odd.exposure = model::Exposure::history;
  odd.solver = model::Solver::bisection;
  sim::Settings plain = *small_result().spec;
  plain.at = sim::default_rounds(plain.horizon);
  for (const sim::Settings& spec : {odd, plain}) {
    sim::SpecDraft draft;
    for (const sim::Flag& flag : sim::spec_flags(spec)) sim::assign(draft, flag.key, flag.value);
    EXPECT_EQ(sim::Spec(draft), spec);
  }
  EXPECT_EQ(sim::spec_flags(plain).size(), 6U) << "what goes without saying is not said";
}

}  // namespace
}  // namespace dbandit::report
