#include "dbandit/policy/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace dbandit::policy {
namespace {

using model::IndexForm;
using model::Statistic;

/// Beside the table itself: a row that is moved, lost or miswired there differs from this one.
struct Expected {
  std::string_view id;
  Setting setting;
  Statistic statistic;
  IndexForm index;
};
const std::vector<Expected> kPaper = {
    {"d-ucb", Setting::censored, Statistic::exposure, IndexForm::ucb},
    {"d-klucb", Setting::censored, Statistic::exposure, IndexForm::klucb},
    {"ud-ucb", Setting::uncensored, Statistic::exposure, IndexForm::ucb},
    {"ud-klucb", Setting::uncensored, Statistic::exposure, IndexForm::klucb},
    {"discard-ucb", Setting::censored, Statistic::matured, IndexForm::ucb},
    {"discard-klucb", Setting::censored, Statistic::matured, IndexForm::klucb},
    {"agnostic-ucb", Setting::censored, Statistic::agnostic_window, IndexForm::ucb},
    {"agnostic-klucb", Setting::censored, Statistic::agnostic_window, IndexForm::klucb},
    {"ud-agnostic-ucb", Setting::uncensored, Statistic::agnostic_mean, IndexForm::ucb},
    {"ud-agnostic-klucb", Setting::uncensored, Statistic::agnostic_mean, IndexForm::klucb},
    {"ud-agnostic-mle-ucb", Setting::uncensored, Statistic::agnostic_likelihood, IndexForm::ucb},
    {"ud-agnostic-mle-klucb", Setting::uncensored, Statistic::agnostic_likelihood, IndexForm::klucb},
    {"oracle-ucb", Setting::as_given, Statistic::immediate, IndexForm::ucb},
    {"oracle-klucb", Setting::as_given, Statistic::immediate, IndexForm::klucb},
};

const std::vector<Expected> kRivals = {
    {"d-ts", Setting::censored, Statistic::exposure, IndexForm::thompson},
    {"ud-ts", Setting::uncensored, Statistic::exposure, IndexForm::thompson},
    {"agnostic-ts", Setting::censored, Statistic::agnostic_window, IndexForm::thompson},
    {"discard-ts", Setting::censored, Statistic::matured, IndexForm::thompson},
    {"uncorrected-ts", Setting::as_given, Statistic::uncorrected, IndexForm::thompson},
    {"d-imed", Setting::censored, Statistic::exposure, IndexForm::imed},
    {"uncorrected-ucb", Setting::as_given, Statistic::uncorrected, IndexForm::ucb},
    {"uncorrected-klucb", Setting::as_given, Statistic::uncorrected, IndexForm::klucb},
    {"patient-ucb", Setting::as_given, Statistic::uncorrected, IndexForm::patient},
    {"discard-bernkl", Setting::censored, Statistic::matured, IndexForm::bernkl},
    {"qpmd-ucb", Setting::censored, Statistic::queue, IndexForm::ucb},
    {"qpmd-klucb", Setting::censored, Statistic::queue, IndexForm::klucb},
    {"qpmd-ucb-naive", Setting::as_given, Statistic::queue_naive, IndexForm::ucb},
    {"qpmd-klucb-naive", Setting::as_given, Statistic::queue_naive, IndexForm::klucb},
    {"sdb", Setting::censored, Statistic::queue_heuristic, IndexForm::klucb},
    {"etc", Setting::censored, Statistic::matured, IndexForm::batches},
    {"phased-elimination", Setting::censored, Statistic::matured, IndexForm::phases},
};

TEST(Catalogue, WiresEveryPolicyOfThePaperAndItsRivals) {
  std::vector<Expected> all = kPaper;
  all.insert(all.end(), kRivals.begin(), kRivals.end());
  for (const Expected& expected : all) {
    const Entry* entry = find(expected.id);
    ASSERT_NE(entry, nullptr) << expected.id;
    EXPECT_EQ(entry->id, expected.id);
    EXPECT_EQ(entry->setting, expected.setting) << expected.id;
    EXPECT_EQ(entry->statistic, expected.statistic) << expected.id;
    EXPECT_EQ(entry->index, expected.index) << expected.id;
  }
  ASSERT_NE(find("uniform"), nullptr);
  EXPECT_EQ(find("uniform")->setting, Setting::as_given);
  EXPECT_EQ(find("uniform")->statistic, Statistic::none);
  EXPECT_EQ(catalogue().size(), all.size() + 1);
}

TEST(Catalogue, KnowsItsOwnNamesAndNoOthers) {
  for (const Entry& entry : catalogue()) EXPECT_EQ(find(entry.id), &entry);
  for (const char* stranger : {"", "D-UCB", "d-ucb ", "d_ucb", "ucb", "ts"}) EXPECT_EQ(find(stranger), nullptr) << stranger;
}

TEST(Catalogue, SaysInOneShortLineWhatAPolicyIsAndWhereItComesFrom) {
  std::set<std::string_view> summaries;
  for (const Entry& entry : catalogue()) {
    const auto says = [&](std::string_view word) { return entry.summary.find(word) != std::string_view::npos; };
    EXPECT_TRUE(says("§") || says("appendix") || says(" 20")) << entry.id;  // a section of the paper, or another paper's year
    EXPECT_EQ(entry.summary.find('\n'), std::string_view::npos) << entry.id;
    EXPECT_LE(entry.summary.size(), 90u) << entry.id;
    EXPECT_TRUE(summaries.insert(entry.summary).second) << entry.id;
  }
}

}  // namespace
}  // namespace dbandit::policy
