// libFuzzer: the reader of click logs. tests/fuzz/fuzz.sh builds and runs it.
#include "fit/log.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dbandit/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dbandit::fit;
  static const int file = ::memfd_create("log", 0);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  // The last byte chooses what the command line says; an `end` before the clicks and a round far too short among it.
  LogOptions options;
  const unsigned choice = size == 0 ? 0 : data[size - 1];
  if ((choice & 1) != 0) options.round = (choice & 2) != 0 ? 1e-9 : 2;
  if ((choice & 4) != 0) options.end = (choice & 8) != 0 ? -1e17 : 50;
  if ((choice & 16) != 0) options.window = 10;
  try {
    const Log log = read_log("/proc/self/fd/" + std::to_string(file), options);
    // What was counted is in the file, and every click is counted once or named as too young.
    std::int64_t observed = 0;
    for (const ArmCounts& arm : log.counts) observed += arm.clicks();
    if (observed + log.too_young != log.rows || log.counted() + log.not_counted != log.conversions) std::abort();
  } catch (const dbandit::UserError&) {
  }
  return 0;
}
