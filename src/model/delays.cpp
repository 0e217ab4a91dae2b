#include "dbandit/model/delays.hpp"

#include <algorithm>
#include <cctype>

#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"

namespace dbandit::model {

namespace {

bool is_mixture(const DelayLaw& law) { return std::holds_alternative<Geometric>(law) || std::holds_alternative<Mixture>(law); }

template <class Text>
std::string joined(const Delays& delays, Text text) {
  std::string line;
  for (const DelayLaw& law : delays.laws) line.append(line.empty() ? "" : ",").append(text(law));
  return line;
}

/// "constant:5" and "criteo" begin a law, "50" is another parameter. (A FILE of empirical:FILE cannot have a comma in its name.)
bool begins_a_law(std::string_view piece) {
  return !piece.empty() && std::isalpha(static_cast<unsigned char>(piece.front())) != 0 &&
         (piece == "criteo" || piece.find(':') != std::string_view::npos);
}

}  // namespace

std::int64_t longest(const Delays& delays) {
  std::int64_t most = 0;
  for (const DelayLaw& law : delays.laws) most = std::max(most, longest_delay(law));
  return most;
}

double average_mean(const Delays& delays) {
  double sum = 0;
  for (const DelayLaw& law : delays.laws) sum += mean(law);
  return sum / static_cast<double>(delays.laws.size());
}

bool has_recursion(const Delays& delays) {
  if (std::all_of(delays.laws.begin(), delays.laws.end(), is_mixture)) return true;
  return delays.common() && (std::holds_alternative<Uniform>(delays[0]) || std::holds_alternative<Constant>(delays[0]) ||
                             std::holds_alternative<NegativeBinomial>(delays[0]));
}

std::string delays_text(const Delays& delays) { return joined(delays, to_text); }
std::string short_delays_text(const Delays& delays) { return joined(delays, short_text); }

Delays parse_delays(std::string_view text) {
  Delays delays;
  delays.laws.clear();
  std::string law;
  const auto add = [&] { delays.laws.push_back(parse_delay_law(law)); };
  const std::vector<std::string_view> pieces = split(text, ',');
  for (const std::string_view& piece : pieces) {
    const bool is_first = &piece == &pieces.front(), another_mean = law.starts_with("geometric:") && !begins_a_law(piece);
    if (!is_first && (begins_a_law(piece) || another_mean)) {
      add();
      law = another_mean ? "geometric:" : "";
      law.append(piece);
    } else {
      law.append(is_first ? "" : ",").append(piece);
    }
  }
  add();
  return delays;
}

}  // namespace dbandit::model
