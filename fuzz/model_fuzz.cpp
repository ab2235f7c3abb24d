// SPDX-License-Identifier: Apache-2.0
// Model files: any bytes give a model or diagnostics that can be shown; small models are derived and printed.
#include "dalembert/derive/equations.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/report/equations_text.h"
#include "fuzz.h"

using namespace dalembert;

FUZZ(const std::string& text) {
  Result<Model> model = load_model(make_source("fuzz.toml", text), {.overrides = {}, .directory = "/nonexistent"});
  use(render(model.diagnostics()));
  if (!model || model->coordinates.size() > 12 || model->rows().size() > 12 || model->graph->size() > 2000) return;
  const Result<Equations> equations = derive(std::make_shared<const Model>(std::move(*model)));
  use(render(equations.diagnostics()));
  if (!equations) return;
  require(equations->B.size() == equations->q.size() && equations->gamma.size() == equations->rows.size(), "sizes");
  if (equations->model->graph->size() < 4000)
    use(print_equations(*equations, {Form::kAsDerived, Notation::kText, {"eom"}}));
}
