// What a whole simulation costs: every policy × setting × target × K, blocks of several sizes, and the slower ways to the same result.
// Names: engine/POLICY/SETTING/TARGET/K3[/VARIANT]; items are replica-rounds.
#include <string>

#include "dbandit/policy/catalogue.hpp"
#include "engine_work.hpp"
#include "sim/names.hpp"

namespace dbandit::bench {
namespace {

constexpr std::size_t kArms[] = {2, 3, 10, 100};
constexpr std::size_t kBlocks[] = {8, 16, 32, 64, 128};

void add_case(const EngineCase& given, const std::string& variant = {}) {
  const std::string name = "engine/" + given.policy + (given.window ? "/censored/" : "/uncensored/") + target_name(given.target) + "/K" +
                           std::to_string(given.arms) + (variant.empty() ? "" : "/" + variant);
  add(name, [given] { return engine_work(given); });
}

void add_catalogue(const kernel::Target* target) {
  for (const policy::Entry& entry : policy::catalogue()) {
    for (const model::Window window : {model::Window(1000), model::Window()}) {
      if (entry.setting == policy::Setting::censored && !window) continue;
      if (entry.setting == policy::Setting::uncensored && window) continue;
      for (const std::size_t arms : kArms) {
        add_case({.target = target, .policy = std::string(entry.id), .arms = arms, .window = window});
      }
    }
  }
}

}  // namespace

void declare() {
  for (const kernel::Target* target : supported_targets()) add_catalogue(target);
  for (const auto* policy : {"d-ucb", "d-klucb"}) add_case({.policy = policy, .arms = 30});
  for (const std::size_t lanes : kBlocks) add_case({.lanes = lanes}, "block" + std::to_string(lanes));
  for (const model::Solver solver : {model::Solver::newton, model::Solver::bisection}) {
    add_case({.lanes = 32, .solver = solver}, std::string(sim::name_of(solver)));
  }
  add_case({.lanes = 32, .exposure = model::Exposure::buffer}, "buffer");
  for (const auto* policy : {"d-ucb", "d-klucb", "oracle-ucb", "oracle-klucb"}) add_case({.target = nullptr, .policy = policy});
}

}  // namespace dbandit::bench
