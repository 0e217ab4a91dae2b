#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/result.hpp"

namespace dbandit::python {

using Texts = std::map<std::string, std::string>;                         ///< the keys of a spec, as their flags have them
using Functions = std::vector<std::pair<std::string, pybind11::object>>;  ///< policies in Python by their names
using Samples = std::shared_ptr<std::vector<double>>;                     ///< [policy][replica] final regrets; none: not kept

/// A file that the texts override, and the policies in Python after the others.
sim::SpecDraft draft_of(const std::optional<std::string>& file, const Texts& texts, const Functions& functions);

/// Runs as one job; a signal raises what its handler raises, progress is a function of (done, all) or None.
std::vector<sim::Result> play(std::vector<sim::Spec> specs, const Functions& functions, int threads, const pybind11::object& progress,
                              Samples samples = {});

/// run(file, {key: text}, [(name, policy)], threads, progress, samples): see runner.cpp.
void declare_runner(pybind11::module_& module);

}  // namespace dbandit::python
