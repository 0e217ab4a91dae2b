#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// What a C library's logarithm returns in its last bit depends on the library and on the processor. So what defines a result calls none
/// of its functions but those whose result is one number everywhere.
namespace {

/// Exact, or the nearest double as IEEE 754 says.
const std::set<std::string> kExact = {"sqrt", "ldexp", "frexp", "floor", "ceil", "trunc", "llround", "llrint", "ilogb"};
/// By object, what defines no result there.
const std::map<std::string, std::set<std::string>> kAllowed = {
    // rng::quantile_fit: the filter of Thompson sampling, whose error is certified; what it cannot tell apart is evaluated by our
    // functions.
    {"rng/gamma.cpp.o", {"cos", "cbrt", "erfc"}},
};
const std::regex kOfLibm(
    "(log|log1p|log2|log10|exp|exp2|exp10|expm1|pow|sin|cos|sincos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot|"
    "erf|erfc|"
    "tgamma|lgamma|fma|ldexp|frexp|scalbn|scalbln|floor|ceil|trunc|round|lround|llround|lrint|llrint|rint|nearbyint|fmod|remainder|sqrt|"
    "ilogb|"
    "logb|modf)[fl]?(_r)?(_finite)?");
/// Software's long double, whose digits differ from one processor to the next.
const std::regex kOfLongDouble("__(add|sub|mul|div|extenddf|trunctfd|floatsi|floatdi|fixtf)(tf[0-9]?|xf[0-9]?)\\w*");

const std::vector<std::string> kFolders = {"core", "rng", "stats", "model", "kernel", "reference", "policy", "sim"};

struct Use {
  std::string object, symbol;
};

std::vector<Use> undefined_symbols() {
  const auto close = [](std::FILE* pipe) { EXPECT_EQ(pclose(pipe), 0) << "nm failed"; };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(DBANDIT_NM " -A -u '@" DBANDIT_OBJECTS "'", "r"), close);
  std::vector<Use> uses;
  std::array<char, 65536> line;
  while (pipe && std::fgets(line.data(), line.size(), pipe.get())) {
    const std::string text = line.data();
    const auto colon = text.rfind(':');
    std::istringstream rest(text.substr(colon + 1));
    std::string type, name;
    if (!(rest >> type >> name)) continue;
    uses.push_back({text.substr(0, colon), name.substr(0, name.find('@'))});
  }
  return uses;
}

/// Whether the object is one of what defines a result.
bool defines_results(const std::string& object) {
  for (const std::string& folder : kFolders)
    if (object.find("dbandit_" + folder + ".dir/") != std::string::npos) return true;
  return false;
}

bool is_allowed(const std::string& object, const std::string& symbol) {
  if (std::regex_match(symbol, kOfLongDouble)) return false;
  if (!std::regex_match(symbol, kOfLibm) || kExact.contains(symbol)) return true;
  for (const auto& [file, symbols] : kAllowed)
    if (object.ends_with(file) && symbols.contains(symbol)) return true;
  return false;
}

TEST(CLibrary, GivesNoResultItsLastBit) {
  int seen = 0;
  for (const auto& [object, symbol] : undefined_symbols()) {
    if (!defines_results(object)) continue;
    seen += symbol == "sqrt" || symbol == "ldexp";
    EXPECT_TRUE(is_allowed(object, symbol)) << object << " calls " << symbol;
  }
  EXPECT_GT(seen, 3) << "the objects of the library were not read";
}

TEST(CLibrary, TheRuleItselfTellsOneFromTheOther) {
  for (const char* symbol : {"log", "powl", "expm1f", "erfc", "lgamma_r", "__multf3", "__addtf3"})
    EXPECT_FALSE(is_allowed("a.o", symbol)) << symbol;
  for (const char* symbol : {"sqrt", "ldexp", "memcpy", "_ZN7dbandit3logERKNS_12DoubleDoubleE"})
    EXPECT_TRUE(is_allowed("a.o", symbol)) << symbol;
  EXPECT_TRUE(is_allowed("src/rng/gamma.cpp.o", "erfc"));
}

}  // namespace
