// SPDX-License-Identifier: Apache-2.0
// The equations as text, LaTeX and JSON, single entries, equations without multipliers, and audits of claims.
#include "bindings/python/core.h"

#include "dalembert/analyze/audit.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/report/equation_layout.h"

namespace dalembert::python {
namespace {

std::string print(PyModel& m, const std::string& notation, const std::vector<std::string>& only) {
  EquationsFormat format;
  format.notation = notation == "latex"     ? Notation::kLatex
                    : notation == "unicode" ? Notation::kUnicode
                                            : Notation::kText;
  format.only = only;
  const std::vector<std::string> known = equation_parts();
  for (const std::string& part : only) face::find(known, part, "part");
  return print_equations(m.equations(), format);
}

// The listing in blocks: (title, formulas in LaTeX, remark).
std::vector<std::tuple<std::string, std::vector<std::string>, std::string>> blocks(
    PyModel& m, const std::vector<std::string>& only) {
  EquationsFormat format;
  format.only = only;
  std::vector<std::tuple<std::string, std::vector<std::string>, std::string>> all;
  for (const LatexBlock& block : equation_blocks(m.equations(), format))
    all.emplace_back(block.title, block.displays, block.remark);
  return all;
}

// The entry is built in the model's graph, so that it can be combined with the model's expressions.
PyExpr entry(PyModel& m, const std::string& name) {
  return m.expression(or_throw(find_entry(m.equations(), MappedText::of(name, "<entry>"))));
}

}  // namespace

void bind_equations(py::module_& module) {
  module.def("equations_text", &print, py::arg("model"), py::arg("notation"), py::arg("only"));
  module.def(
      "equations_json",
      [](PyModel& m, const std::vector<std::string>& only) {
        return to_python(equations_json(m.equations(), Form::kCanonical, only));
      },
      py::arg("model"), py::arg("only"));
  module.def("equation_blocks", &blocks, py::arg("model"), py::arg("only"));
  module.def("entry", &entry, py::arg("model"), py::arg("name"));
  module.def("multipliers", [](PyModel& m) {
    py::list all;
    for (const MultiplierMeaning& meaning : explain_multipliers(m.equations()))
      all.append(
          py::dict(py::arg("row") = meaning.row, py::arg("unit") = meaning.unit, py::arg("words") = meaning.words));
    return all;
  });
  module.def("audit", [](PyModel& m) { return to_python(audit_json(m.model->name, or_throw(audit(m.equations())))); });
  module.def(
      "audit_against",
      [](PyModel& m, PyModel& other, const std::map<std::string, std::string>& map) {
        std::vector<StudyStatement::Named> formulas;
        for (const auto& [name, formula] : map)
          formulas.push_back({name, MappedText::of(formula, name), MappedText::of(name, "map").span()});
        return to_python(
            comparison_json(m.model->name, other.model->name,
                            or_throw(compare_models(m.equations(), other.equations(), Notation::kText, formulas))));
      },
      py::arg("model"), py::arg("other"), py::arg("map"));
}

}  // namespace dalembert::python
