// SPDX-License-Identifier: Apache-2.0
// Diagnostics as an exception with the same text, and as Python values.
#include <fmt/format.h>

#include "bindings/python/core.h"

namespace dalembert::python {
namespace {

std::string level(const Diagnostic& d) { return d.level == Level::kError ? "error" : "warning"; }

std::optional<SourceText::Position> place(const Diagnostic& d) {
  if (!d.primary.span) return std::nullopt;
  return d.primary.span.source->position(d.primary.span.begin);
}

py::handle model_error;

}  // namespace

void bind_errors(py::module_& module) {
  py::class_<Diagnostic>(module, "Diagnostic",
                         "What is wrong or doubtful, where, and how to mend it: error.diagnostics[0].help.")
      .def_readonly("code", &Diagnostic::code, "Such as E0102; stable.")
      .def_readonly("message", &Diagnostic::message, "What is wrong, in a line.")
      .def_readonly("notes", &Diagnostic::notes, "More that is known, texts.")
      .def_readonly("help", &Diagnostic::help, "How to mend it, texts.")
      .def_property_readonly("level", level, "'error' or 'warning'.")
      .def_property_readonly(
          "file",
          [](const Diagnostic& d) -> std::optional<std::string> {
            if (!d.primary.span) return std::nullopt;
            return d.primary.span.source->name();
          },
          "Where it is: a path, a script, or None.")
      .def_property_readonly(
          "line",
          [](const Diagnostic& d) -> std::optional<int> {
            const auto at = place(d);
            return at ? std::optional(at->line) : std::nullopt;
          },
          "From 1, or None.")
      .def_property_readonly(
          "column",
          [](const Diagnostic& d) -> std::optional<int> {
            const auto at = place(d);
            return at ? std::optional(at->column) : std::nullopt;
          },
          "From 1, or None.")
      .def("__str__", [](const Diagnostic& d) { return render(d); })
      .def("__repr__", [](const Diagnostic& d) { return fmt::format("<{} {}: {}>", level(d), d.code, d.message); });

  model_error = PyErr_NewExceptionWithDoc(
      "dalembert.ModelError",
      "Wrong input. str() is what the command would show; `diagnostics` has the parts: error.diagnostics[0].code.",
      PyExc_ValueError, nullptr);
  module.attr("ModelError") = model_error;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ModelError& wrong) {
      py::object instance = py::reinterpret_borrow<py::object>(model_error)(wrong.what());
      instance.attr("diagnostics") = py::cast(wrong.diagnostics());
      PyErr_SetObject(model_error.ptr(), instance.ptr());
    }
  });
  module.def(
      "explain", [](const std::string& code) { return explain(code); }, py::arg("code"),
      "The long text of a code: explain(\"E0102\"); empty where there is no such code.");
}

}  // namespace dalembert::python
