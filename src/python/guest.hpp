#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "dbandit/sim/guest.hpp"
#include "heartbeat.hpp"

namespace dbandit::python {

/// How many replica-rounds the Python policies of a run have played, of how many.
struct Played {
  double rounds = 0, all = 0;
};

/// A Python object as a policy: `choose(t, books)`, and if it has them `start(arms, replicas, rng)` and `observe(t, arms, disclosed)`.
/// It answers with an arm for each replica, or with an index for each arm and replica.
sim::Guest python_guest(const std::string& name, pybind11::object policy, std::shared_ptr<PythonHeartbeat> heartbeat,
                        std::shared_ptr<Played> played);

/// Books and Rng, which policies are shown.
void declare_guest(pybind11::module_& module);

}  // namespace dbandit::python
