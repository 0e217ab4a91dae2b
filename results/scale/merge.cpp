// What one edge of the tree costs but for the network: the sums of a block as bytes, read again, and added. CPU seconds.
//   measure.py says how it is compiled
#include <cstdio>
#include <ctime>

#include "sim/job.hpp"

int main(int argc, char**) {
  using namespace dbandit::sim;
  Settings settings;
  settings.theta = {0.1, 0.05, 0.03};
  settings.delay = dbandit::model::Geometric{500};
  settings.censor = 1000;
  settings.horizon = 10000;
  settings.policies = {"d-klucb", "d-ucb"};
  settings.replicas = 256;
  for (int t = 1; t <= 200; ++t) settings.at.push_back(50 * t);
  if (argc > 1) settings.at = {10000};
  const Spec spec(settings);
  const RunOptions options;
  Run run(spec, options, 1);
  BlockScratch scratch;
  RunSums block;
  run.simulate(0, scratch, block);
  const RunState state{.whole = block, .last = {}};
  RunState all;
  constexpr int times = 2000;
  const std::clock_t start = std::clock();
  for (int i = 0; i < times; ++i) {
    Encoder encoder;
    encoder.state(state);
    const std::string bytes = encoder.take();
    Decoder decoder(bytes);
    const RunState other = decoder.state(spec);
    all.whole.blocks = {};
    all.whole.merge(other.whole);
  }
  std::printf("%.3g\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / times);
}
