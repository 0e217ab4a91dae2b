// How far from the machine's limit the engine is: the floor (floor.hpp) and the engine on the same problem, in one program.
// Names: floor/POLICY/TARGET and engine/POLICY/TARGET; items are replica-rounds.
#include "engine_work.hpp"
#include "floor_work.hpp"

namespace dbandit::bench {

void declare() {
  constexpr std::int64_t horizon = 10000;
  for (const kernel::Target* target : supported_targets()) {
    for (const auto& [policy, index] : {std::pair("d-ucb", model::IndexForm::ucb), std::pair("d-klucb", model::IndexForm::klucb)}) {
      add("floor/" + std::string(policy) + "/" + target_name(target), [=] { return floor_work(*target, index, horizon); });
      add("engine/" + std::string(policy) + "/" + target_name(target),
          [given = EngineCase{.target = target, .policy = policy}] { return engine_work(given); });
    }
  }
}

}  // namespace dbandit::bench
