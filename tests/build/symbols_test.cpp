#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Of a weak symbol (an inline function, an instance of a template) that several objects define, the linker keeps any one.
/// If that is the copy compiled for a wider instruction set, the program dies of SIGILL on a machine without it, far from
/// any kernel. So nothing weak may leave the kernels of a wider target but what bears its name.
namespace {

struct Symbol {
  char type;  ///< as nm prints it: W is weak code; V and u are weak data, which no instruction set can spoil
  std::string name;
};

/// File names of all objects of the library and the program, one a line.
std::vector<std::string> objects() {
  std::vector<std::string> names;
  std::ifstream list(DBANDIT_OBJECTS);
  for (std::string line; std::getline(list, line);)
    if (!line.empty()) names.push_back(line);
  return names;
}

/// What a listing of `nm -C --defined-only` says: "address type name" a line.
std::vector<Symbol> parse(std::istream& listing) {
  std::vector<Symbol> symbols;
  std::string address;
  for (Symbol symbol; listing >> address >> symbol.type && std::getline(listing >> std::ws, symbol.name);) symbols.push_back(symbol);
  return symbols;
}

std::vector<Symbol> defined_in(const std::string& object) {
  const auto close = [](std::FILE* pipe) { EXPECT_EQ(pclose(pipe), 0) << "nm failed"; };
  const std::string command = std::string(DBANDIT_NM) + " -C --defined-only '" + object + "'";
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::stringstream listing;
  std::array<char, 65536> chunk;
  while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get())) listing << chunk.data();
  return parse(listing);
}

/// "avx2" for …/target_avx2.cpp.o; empty for an object of the baseline.
std::string_view wide_target(std::string_view object) {
  for (const std::string_view target : {"avx2", "avx512"})
    if (object.find("target_" + std::string(target) + ".cpp") != object.npos) return target;
  return {};
}

using Objects = std::map<std::string, std::vector<Symbol>>;

std::vector<std::string> strays(const Objects& all) {
  std::map<std::string_view, std::set<std::string_view>> definers;
  for (const auto& [object, symbols] : all)
    for (const auto& symbol : symbols)
      if (symbol.type == 'W') definers[symbol.name].insert(object);
  std::vector<std::string> lines;
  for (const auto& [name, where] : definers)
    for (const auto object : where) {
      const auto target = wide_target(object);
      if (target.empty()) continue;
      if (name.find(target) == name.npos)
        lines.push_back(std::string(target) + " leaves a copy of " + std::string(name));
      else if (where.size() > 1)
        lines.push_back(std::string(target) + " is not alone with " + std::string(name));
    }
  return lines;
}

#ifdef NDEBUG  // a debug build inlines next to nothing, and runs where it was made
TEST(WideTargets, LeaveNoWeakSymbolThatTheBaselineCouldBeGiven) {
  Objects all;
  for (const auto& object : objects()) all[object] = defined_in(object);
  ASSERT_GT(all.size(), 10U) << "the objects of the build were not found";
  for (const auto& line : strays(all)) ADD_FAILURE() << line;
}
#endif

/// An initialiser of a static runs before main can ask the CPU what it has.
TEST(WideTargets, RunNothingBeforeMain) {
  for (const auto& object : objects()) {
    if (wide_target(object).empty()) continue;
    for (const auto& symbol : defined_in(object)) EXPECT_FALSE(symbol.name.starts_with("_GLOBAL__sub_I")) << object;
  }
}

TEST(WideTargets, TheRuleItselfFindsAStray) {
  std::istringstream listing(
      "0000000000000000 W std::vector<double>::size() const\n"
      "0000000000000010 W void simulate<xsimd::avx2>(int)\n"
      "0000000000000000 V typeinfo for int\n");
  const auto wide = parse(listing);
  ASSERT_EQ(wide.size(), 3U);
  EXPECT_EQ(wide[1].name, "void simulate<xsimd::avx2>(int)");
  EXPECT_EQ(strays({{"kernel/target_avx2.cpp.o", wide}}).size(), 1U);
  EXPECT_EQ(strays({{"kernel/target_avx2.cpp.o", wide}, {"kernel/target_avx512.cpp.o", wide}}).size(), 4U);
  EXPECT_EQ(strays({{"kernel/target_sse2.cpp.o", wide}, {"sim/run.cpp.o", wide}}).size(), 0U);
}

}  // namespace
