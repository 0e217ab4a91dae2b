#include "fit/threads.hpp"

#include <tbb/global_control.h>

namespace dbandit::fit {

struct ThreadLimit::Control : tbb::global_control {
  using tbb::global_control::global_control;
};

ThreadLimit::ThreadLimit(int threads)
    : control_(std::make_unique<Control>(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads))) {}
ThreadLimit::~ThreadLimit() = default;

}  // namespace dbandit::fit
