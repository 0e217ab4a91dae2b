#include <cxxabi.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Of a weak symbol (an inline function, an instance of a template) that several objects define, the linker keeps any one.
/// If that is the copy compiled for a wider instruction set, the program dies of SIGILL on a machine without it, far from
/// any kernel. So nothing weak may leave the kernels of a wider target but what bears its name.
namespace {

struct Symbol {
  std::string object;
  char type;         ///< as nm prints it: W is weak code; V and u are weak data, which no instruction set can spoil
  std::string name;  ///< mangled
};

/// What `nm -A` lists: "object:address type name" a line.
std::vector<Symbol> parse(std::istream& listing) {
  std::vector<Symbol> symbols;
  for (std::string line; std::getline(listing, line);) {
    const auto colon = line.rfind(':');
    std::istringstream rest(line.substr(colon + 1));
    std::string address;
    Symbol symbol{line.substr(0, colon), ' ', {}};
    if (rest >> address >> symbol.type >> symbol.name) symbols.push_back(std::move(symbol));
  }
  return symbols;
}

std::stringstream output_of(const std::string& command) {
  const auto close = [&](std::FILE* pipe) { EXPECT_EQ(pclose(pipe), 0) << command; };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::stringstream listing;
  std::array<char, 65536> chunk;
  while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get())) listing << chunk.data();
  return listing;
}

/// The symbols that the objects of the library and of the program define.
std::vector<Symbol> symbols_of_the_build() {
  std::stringstream listing = output_of(DBANDIT_NM " -A --defined-only '@" DBANDIT_OBJECTS "'");
  return parse(listing);
}

std::string readable(std::string_view mangled) {
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, nullptr),
                                                         &std::free);
  return name ? name.get() : std::string(mangled);
}

/// Every target but the baseline.
const std::vector<std::string_view> kWideTargets = {DBANDIT_WIDE_TARGETS};

/// "avx2" for …/target_avx2.cpp.o; empty for an object of the baseline.
std::string_view wide_target(std::string_view object) {
  for (const std::string_view target : kWideTargets)
    if (object.find("target_" + std::string(target) + ".cpp") != object.npos) return target;
  return {};
}

std::vector<std::string> strays(const std::vector<Symbol>& symbols) {
  std::map<std::string_view, std::set<std::string_view>> definers;
  for (const auto& symbol : symbols)
    if (symbol.type == 'W') definers[symbol.name].insert(symbol.object);
  std::vector<std::string> lines;
  for (const auto& [name, objects] : definers)
    for (const auto object : objects) {
      const auto target = wide_target(object);
      if (target.empty()) continue;
      if (name.find(target) == name.npos) lines.push_back(std::string(target) + " leaves a copy of " + readable(name));
      if (objects.size() > 1) lines.push_back(std::string(target) + " is not alone with " + readable(name));
    }
  return lines;
}

#ifdef NDEBUG  // a debug build inlines next to nothing, and runs where it was made
TEST(WideTargets, LeaveNoWeakSymbolThatTheBaselineCouldBeGiven) {
  const auto symbols = symbols_of_the_build();
  std::set<std::string_view> seen;
  for (const auto& symbol : symbols) seen.insert(wide_target(symbol.object));
  std::set<std::string_view> expected(kWideTargets.begin(), kWideTargets.end());
  expected.insert("");
  ASSERT_EQ(seen, expected) << "not all objects of the build were read";
  for (const auto& line : strays(symbols)) ADD_FAILURE() << line;
}
#endif

#if defined(__x86_64__)
/// With AForcedTarget.IsTheOneWhoseRoundsRan (tests/kernel) this says what ran, also on a CPU that has all targets: the rounds name the
/// instruction set that they were instantiated for, and their file is the one that uses its registers.
TEST(WideTargets, UseTheRegistersOfTheirInstructionSet) {
  const std::map<std::string, std::pair<bool, bool>> uses = {{"avx512", {true, true}}, {"avx2", {true, false}}, {"sse2", {false, false}}};
  std::set<std::string> looked_at;
  for (const auto& symbol : symbols_of_the_build()) {
    for (const auto& [target, wide] : uses) {
      if (symbol.object.find("target_" + target + ".cpp") == std::string::npos || !looked_at.insert(target).second) continue;
      const std::string code = output_of(DBANDIT_OBJDUMP " -d --no-show-raw-insn '" + symbol.object + "'").str();
      EXPECT_EQ(std::make_pair(code.find("%ymm") != code.npos, code.find("%zmm") != code.npos), wide) << target;
    }
  }
  EXPECT_EQ(looked_at.size(), uses.size());
}
#endif

/// An initialiser of a static runs before main can ask the CPU what it has.
TEST(WideTargets, RunNothingBeforeMain) {
  for (const auto& [object, type, name] : symbols_of_the_build()) {
    EXPECT_FALSE(!wide_target(object).empty() && name.starts_with("_GLOBAL__sub_I")) << object;
  }
}

TEST(WideTargets, TheRuleItselfFindsAStray) {
  if (kWideTargets.empty()) GTEST_SKIP() << "this processor has its baseline only";
  const auto found = [](const std::string& first, const std::string& second) {
    std::istringstream listing(first + ":0000000000000000 W _ZNKSt6vectorIdSaIdEE4sizeEv\n" +   //
                               first + ":0000000000000010 W _Z8simulateIN5xsimd4avx2EEvi\n" +   //
                               second + ":0000000000000000 W _Z8simulateIN5xsimd4avx2EEvi\n" +  //
                               second + ":0000000000000000 V _ZTI7Problem\n");
    return strays(parse(listing));
  };
  const std::vector<std::string> copy = {"avx2 leaves a copy of std::vector<double, std::allocator<double> >::size() const"};
  EXPECT_EQ(found("kernel/target_avx2.cpp.o", "kernel/target_avx2.cpp.o"), copy);
  EXPECT_EQ(found("kernel/target_avx2.cpp.o", "kernel/target_avx512.cpp.o").size(), 4U);
  EXPECT_EQ(found("kernel/target_sse2.cpp.o", "sim/run.cpp.o").size(), 0U);
}

}  // namespace
