// Delay laws as text: "geometric:500", "mixture:0.3*20+0.7*2000", …
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/model/delay_law.hpp"
#include "model/continuous_law.hpp"

namespace dbandit::model {

namespace {

/// Longest mean that is accepted: the calendar of an uncensored run holds up to 37 means (longest_delay).
constexpr double kLongestMean = 1e7;
/// Longest delay of the laws that have one. A horizon of 10^9 rounds times this many is still an exact integer in a double.
constexpr std::int64_t kLongestFinite = 1'000'000;
constexpr std::size_t kMostParts = 16, kMostCounts = 4096;
constexpr std::int64_t kMostStages = 64;

template <class Number>
Number number(std::string_view text, std::string_view what, double low, double high) {
  const auto value = parse_number<Number>(text);
  if (!value) throw UserError(fmt::format("the {} is not {}", what, std::is_integral_v<Number> ? "an integer" : "a number"));
  if (!(low <= static_cast<double>(*value) && static_cast<double>(*value) <= high)) {
    throw UserError(fmt::format("the {} is out of range", what));
  }
  return *value;
}

double mean_from(std::string_view text) { return number<double>(text, "mean", 0, kLongestMean); }

/// The two numbers of a law with two parameters.
std::array<std::string_view, 2> two(std::string_view text, std::string_view first, std::string_view second) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) throw UserError(fmt::format("two numbers are needed, {} and {}", first, second));
  return {parts[0], parts[1]};
}

DelayLaw geometric(std::string_view text) { return Geometric{mean_from(text)}; }

DelayLaw mixture(std::string_view text) {
  Mixture law;
  double total = 0;
  for (const std::string_view part : split(text, '+')) {
    const std::size_t star = part.find('*');
    if (star == std::string_view::npos) throw UserError("a part is not WEIGHT*MEAN");
    const auto weight = number<double>(part.substr(0, star), "weight", 1e-12, 1);
    law.parts.push_back({weight, mean_from(part.substr(star + 1))});
    total += weight;
  }
  if (law.parts.size() > kMostParts) throw UserError(fmt::format("more than {} parts", kMostParts));
  if (std::abs(total - 1) > 1e-9) throw UserError(fmt::format("the weights add up to {:.10g}, not to 1", total));
  return law;
}

DelayLaw uniform(std::string_view text) {
  if (!text.starts_with("0..")) throw UserError("the range does not begin with 0..");
  return Uniform{number<std::int64_t>(text.substr(3), "longest delay", 0, kLongestFinite)};
}

DelayLaw constant(std::string_view text) { return Constant{number<std::int64_t>(text, "delay", 0, kLongestFinite)}; }

DelayLaw negbin(std::string_view text) {
  const auto [stages, mean] = two(text, "stages", "mean");
  return NegativeBinomial{number<std::int64_t>(stages, "number of stages", 1, kMostStages), mean_from(mean)};
}

DelayLaw empirical_from(const std::map<std::int64_t, std::int64_t>& counts) {
  Empirical law;
  for (const auto& [delay, count] : counts) {
    if (count > 0) law.counts.push_back({delay, count});
  }
  if (law.counts.empty()) throw UserError("there is no observation in it");
  if (law.counts.size() > kMostCounts) throw UserError(fmt::format("more than {} different delays; round them", kMostCounts));
  return law;
}

constexpr double kMostObservations = 1e12;
constexpr std::size_t kLongestFile = 64 << 20;

/// COUNT*DELAY+…, or the path of a file with two columns, delay and count.
DelayLaw empirical(std::string_view text) {
  std::map<std::int64_t, std::int64_t> counts;
  const auto add = [&](std::string_view delay, std::string_view count) {
    counts[number<std::int64_t>(trimmed(delay), "delay", 0, kLongestFinite)] +=
        number<std::int64_t>(trimmed(count), "count", 0, kMostObservations);
  };
  if (text.find('*') != std::string_view::npos) {
    for (const std::string_view part : split(text, '+')) {
      const std::size_t star = part.find('*');
      if (star == std::string_view::npos) throw UserError("a part is not COUNT*DELAY");
      add(part.substr(star + 1), part.substr(0, star));
    }
    return empirical_from(counts);
  }
  const Input input = read_input(text, kLongestFile);
  if (!input.wrong.empty()) throw UserError("the file " + input.wrong);
  int at = 0;
  for (const std::string_view line : split(input.bytes, '\n')) {
    const std::string_view row = trimmed(line);
    ++at;
    if (row.empty() || row.front() == '#') continue;
    const std::size_t gap = row.find_first_of(", \t");
    const bool heading = at == 1 && std::isalpha(static_cast<unsigned char>(row.front())) != 0;
    if (heading) continue;
    if (gap == std::string_view::npos) throw UserError(fmt::format("line {} has not two columns, delay and count", at));
    try {
      add(row.substr(0, gap), row.substr(gap + 1));
    } catch (const UserError& error) {
      throw UserError(fmt::format("line {}: {}", at, error.what()));
    }
  }
  return empirical_from(counts);
}

DelayLaw criteo_from(std::string_view text) {
  constexpr std::string_view kParameter = "minutes=";
  if (text.empty()) return criteo(1);
  if (!text.starts_with(kParameter)) throw UserError("the only parameter is minutes");
  return criteo(number<double>(text.substr(kParameter.size()), "number of minutes", 0.01, 10'080));
}

constexpr const char *kRecursion = "recursion buffer", *kBuffer = "buffer approx";

/// A way to write a law.
struct Law {
  std::string name;
  LawFamily shown;
  std::string allowed;  ///< in the words of a refusal
  std::function<DelayLaw(std::string_view parameters)> read;
};

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// A bound of a range: 1e7, not 1e+07.
std::string bound(double value) {
  std::string text = fmt::format("{:g}", value);
  if (const std::size_t plus = text.find("e+0"); plus != std::string::npos) text.erase(plus + 1, 2);
  return text;
}

Law discretised(const ContinuousLaw& law) {
  const auto& [one, other] = law.parameters;
  const auto range = [](const ContinuousLaw::Parameter& parameter) {
    return fmt::format("{} <= {} <= {}", bound(parameter.low), upper(parameter.name), bound(parameter.high));
  };
  const std::string form = fmt::format("{}:{},{}", law.name, upper(one.name), upper(other.name));
  const std::string example = fmt::format("{}:{}", law.name, law.example);
  const auto read = [&law](std::string_view text) -> DelayLaw {
    const auto& [first, second] = law.parameters;
    const auto texts = two(text, first.name, second.name);
    return Discretised{&law, number<double>(texts[0], first.name, first.low, first.high),
                       number<double>(texts[1], second.name, second.low, second.high)};
  };
  return {.name = std::string(law.name),
          .shown = {form, example, std::string(law.summary), kBuffer},
          .allowed = fmt::format("{} with {} and {}, as in {}", form, range(one), range(other), example),
          .read = read};
}

std::vector<Law> all_laws() {
  std::vector<Law> laws{
      {"geometric",
       {"geometric:MEAN", "geometric:500", "P(D = d) = (1-r)r^d for d = 0, 1, 2, ... with r = MEAN/(1+MEAN); MEAN in rounds", kRecursion},
       "geometric:MEAN with 0 <= MEAN <= 1e7, as in geometric:500",
       geometric},
      {"mixture",
       {"mixture:W*MEAN+...", "mixture:0.3*20+0.7*2000", "a share W of the conversions is geometric of that mean; the shares add up to 1",
        kRecursion},
       "mixture:WEIGHT*MEAN+..., weights that add up to 1, at most 16 parts, as in mixture:0.3*20+0.7*2000",
       mixture},
      {"uniform",
       {"uniform:0..LAST", "uniform:0..1000", "0, 1, ..., LAST, each as likely", kRecursion},
       "uniform:0..LAST with 0 <= LAST <= 1000000, as in uniform:0..1000",
       uniform},
      {"constant",
       {"constant:DELAY", "constant:100", "always DELAY rounds; nothing is known of an arm before", kRecursion},
       "constant:DELAY with 0 <= DELAY <= 1000000, as in constant:100",
       constant},
      {"negbin",
       {"negbin:STAGES,MEAN", "negbin:3,500", "the sum of STAGES independent geometric delays of mean MEAN/STAGES", kRecursion},
       "negbin:STAGES,MEAN with 1 to 64 stages and 0 <= MEAN <= 1e7, as in negbin:3,500",
       negbin},
  };
  for (const ContinuousLaw* const law : continuous_laws()) laws.push_back(discretised(*law));
  laws.push_back({"empirical",
                  {"empirical:FILE", "empirical:delays.csv",
                   "as often as counted: two columns, delay and count; stored in the spec as COUNT*DELAY+...", kBuffer},
                  "empirical:FILE with two columns, delay and count, or empirical:COUNT*DELAY+..., delays up to 1000000",
                  empirical});
  laws.push_back({"criteo",
                  {"criteo[:minutes=N]", "criteo:minutes=10",
                   "a mixture of three: 35 % within an hour, 50 % within a day, 13 % after two weeks; a round lasts N minutes (default 1)",
                   kRecursion},
                  "criteo or criteo:minutes=N with 0.01 <= N <= 10080, the length of a round",
                  criteo_from});
  return laws;
}

const std::vector<Law>& laws() {
  static const std::vector<Law> all = all_laws();
  return all;
}

std::string text_of(const Geometric& law) { return fmt::format("geometric:{}", law.mean); }
std::string text_of(const Mixture& law) {
  std::string text = "mixture:";
  for (const auto& part : law.parts) text += fmt::format("{}{}*{}", &part == law.parts.data() ? "" : "+", part.weight, part.mean);
  return text;
}
std::string text_of(const Uniform& law) { return fmt::format("uniform:0..{}", law.last); }
std::string text_of(const Constant& law) { return fmt::format("constant:{}", law.delay); }
std::string text_of(const NegativeBinomial& law) { return fmt::format("negbin:{},{}", law.stages, law.mean); }
std::string text_of(const Discretised& law) { return fmt::format("{}:{},{}", law.of->name, law.first, law.second); }
std::string text_of(const Empirical& law) {
  std::string text = "empirical:";
  for (const auto& point : law.counts) text += fmt::format("{}{}*{}", &point == law.counts.data() ? "" : "+", point.count, point.delay);
  return text;
}

}  // namespace

std::string to_text(const DelayLaw& law) {
  return std::visit([](const auto& known) { return text_of(known); }, law);
}

std::string short_text(const DelayLaw& law) {
  constexpr std::size_t kShort = 48;
  std::string whole = to_text(law);
  if (whole.size() <= kShort) return whole;
  if (const auto* known = std::get_if<Mixture>(&law)) {
    std::string text = "mixture:";
    for (const auto& part : known->parts)
      text += fmt::format("{}{:.4g}*{:.4g}", &part == known->parts.data() ? "" : "+", part.weight, part.mean);
    return text;
  }
  if (const auto* known = std::get_if<Empirical>(&law)) {
    return fmt::format("empirical, {} different delays up to {}, mean {:.4g}", known->counts.size(), known->counts.back().delay, mean(law));
  }
  return whole;
}

std::vector<LawFamily> law_families() {
  std::vector<LawFamily> families;
  for (const Law& law : laws()) families.push_back(law.shown);
  return families;
}

DelayLaw parse_delay_law(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto refuse = [&](const std::string& reason, std::string_view allowed) {
    throw UserError(fmt::format("{}: {}; allowed: {}", dbandit::quoted(text), reason, allowed));
  };
  const auto law = std::ranges::find(laws(), name, &Law::name);
  if (law == laws().end()) {
    std::vector<std::string_view> names;
    for (const Law& known : laws()) names.push_back(known.name);
    const bool is_number = colon == std::string_view::npos && parse_number<double>(name).has_value();
    const std::string hint = is_number                 ? fmt::format("a number is no law; did you mean 'geometric:{}'?", name)
                             : name.starts_with("exp") ? "unknown law; in whole rounds the exponential law is 'geometric'"
                                                       : "unknown law" + did_you_mean(name, names);
    refuse(hint, fmt::format("{} ('dbandit list delays')", fmt::join(names, " ")));
  }
  if (colon == std::string_view::npos && name != "criteo") {
    refuse(name == "geometric" ? "the mean is missing" : "the parameters are missing", law->allowed);
  }
  try {
    return law->read(colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1));
  } catch (const UserError& error) {
    refuse(error.what(), law->allowed);
  }
  return Geometric{0};
}

}  // namespace dbandit::model
