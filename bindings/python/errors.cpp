// SPDX-License-Identifier: Apache-2.0
// Diagnostics as an exception with the same text, and as Python values.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/python/core.h"

namespace dalembert::python {
namespace {

std::string level(const Diagnostic& d) { return d.level == Level::kError ? "error" : "warning"; }

std::optional<SourceText::Position> place(const Diagnostic& d) {
  if (!d.primary.span) return std::nullopt;
  return d.primary.span.source->position(d.primary.span.begin);
}

py::handle model_error;

// (level, code, message, sources, labels, notes, help): sources are (name, text), labels (source, begin, end, text) with the primary one first, and
// a source of -1 where a label has no place.
py::tuple to_state(const Diagnostic& d) {
  std::vector<SourcePtr> sources;
  py::list named, labels;
  const auto add = [&](const Label& label) {
    std::ptrdiff_t at = -1;
    if (label.span) {
      const auto known = std::ranges::find(sources, label.span.source);
      at = known - sources.begin();
      if (known == sources.end()) {
        sources.push_back(label.span.source);
        named.append(py::make_tuple(label.span.source->name(), py::bytes(label.span.source->text())));
      }
    }
    labels.append(py::make_tuple(at, label.span.begin, label.span.end, label.text));
  };
  add(d.primary);
  for (const Label& label : d.secondary) add(label);
  return py::make_tuple(d.level == Level::kError, d.code, d.message, named, labels, d.notes, d.help);
}

Diagnostic from_state(const py::tuple& state) {
  Diagnostic d;
  d.level = state[0].cast<bool>() ? Level::kError : Level::kWarning;
  d.code = state[1].cast<std::string>();
  d.message = state[2].cast<std::string>();
  std::vector<SourcePtr> sources;
  for (const auto& [name, text] : state[3].cast<std::vector<std::pair<std::string, std::string>>>())
    sources.push_back(make_source(name, text));
  bool primary = true;
  for (const auto& [at, begin, end, text] :
       state[4].cast<std::vector<std::tuple<std::ptrdiff_t, std::uint32_t, std::uint32_t, std::string>>>()) {
    const SourcePtr source = at < 0 ? nullptr : sources.at(static_cast<std::size_t>(at));
    Label label{{source, begin, end}, text};
    if (primary)
      d.primary = std::move(label);
    else
      d.secondary.push_back(std::move(label));
    primary = false;
  }
  d.notes = state[5].cast<std::vector<std::string>>();
  d.help = state[6].cast<std::vector<std::string>>();
  return d;
}

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
      .def("__repr__", [](const Diagnostic& d) { return fmt::format("<{} {}: {}>", level(d), d.code, d.message); })
      .def(py::pickle(&to_state, &from_state));

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
