// SPDX-License-Identifier: Apache-2.0
#include "bindings/python/core.h"

#include <unistd.h>

namespace dalembert::python {

Unlocked::~Unlocked() {
  while (_Py_IsFinalizing()) pause();
  PyEval_RestoreThread(state_);
}

py::object to_python(const Json& json) { return py::module_::import("json").attr("loads")(json.text()); }

}  // namespace dalembert::python

PYBIND11_MODULE(_core, module) {
  using namespace dalembert::python;
  module.doc() = "Bindings of the library; the package dalembert is what to use.";
  module.attr("__version__") = DALEMBERT_VERSION;
  bind_errors(module);
  bind_arrays(module);
  bind_expressions(module);
  bind_model(module);
  bind_equations(module);
  bind_functions(module);
  bind_motion(module);
}
