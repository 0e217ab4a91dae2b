#pragma once

#include <pybind11/pybind11.h>

namespace dbandit::python {

/// bounds, plan, fit, claims, trace, sweep, compare, page: the functions under the commands of the same names.
void declare_studies(pybind11::module_& module);

}  // namespace dbandit::python
