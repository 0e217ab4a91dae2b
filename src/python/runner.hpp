#pragma once

#include <pybind11/pybind11.h>

namespace dbandit::python {

/// run(file, {key: text}, [(name, function)], threads, progress): see runner.cpp.
void declare_runner(pybind11::module_& module);

}  // namespace dbandit::python
