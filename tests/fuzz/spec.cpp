// libFuzzer: the parser of spec files. tests/fuzz/fuzz.sh builds and runs it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/spec_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dbandit::sim;
  try {
    const Spec spec = Spec(read_spec_text(std::string(reinterpret_cast<const char*>(data), size), "fuzz"));
    // A spec that was understood is written such that it is understood alike.
    if (Spec(read_spec_text(spec_text(spec), "again")) != spec) std::abort();
  } catch (const dbandit::UserError&) {
  }
  return 0;
}
