// libFuzzer: checkpoints, as whole files and, since no fuzzer finds a checksum, as the content of a record that has a right one.
// tests/fuzz/fuzz.sh builds and runs it.
#include "sim/checkpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dbandit/core/error.hpp"
#include "sim/frames.hpp"

namespace {

using namespace dbandit::sim;

void read(std::string_view file) {
  try {
    const Stored stored = read_checkpoint(file, "fuzz");
    if (stored.bytes > file.size()) std::abort();
    for (const StoredRun& run : stored.runs) {
      if (run.state.blocks() > plan(run.spec).blocks) std::abort();
    }
  } catch (const dbandit::UserError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string header = checkpoint_header();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(header + record_frame(bytes));
  return 0;
}
