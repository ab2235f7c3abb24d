// SPDX-License-Identifier: Apache-2.0
// From a model to its equations, with invalid input reported as an exception.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "dalembert/base/source.h"
#include "dalembert/derive/equations.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/report/equations_text.h"

namespace dalembert {

/// A model from the text of a model file. Throws ModelError. From a file: or_throw(load_model_file(path)).
inline Model parse_model(std::string text) { return or_throw(load_model(make_source("<model>", std::move(text)))); }

/// Derives the equations of motion. Throws ModelError. Warnings are in equations.model->diagnostics().
inline Equations derive(Model model) { return or_throw(derive(std::make_shared<const Model>(std::move(model)))); }

/// The equations as LaTeX, printed with the default options of print_equations().
inline std::string latex(const Equations& equations) {
  EquationsFormat format;
  format.notation = Notation::kLatex;
  return print_equations(equations, format);
}

}  // namespace dalembert
