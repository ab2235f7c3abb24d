// SPDX-License-Identifier: Apache-2.0
// The whole library in one include, with overloads that make C++ programs short:
//
//   using namespace dalembert;
//   const Equations equations = derive(model);                      // throws ModelError
//   const Dynamics dynamics = compile(equations);
//   const State start = assemble(dynamics, {.fixed = {{theta, 1.05, 4.0}}, .guess = {{phi, 2.8}, {x, 0.8}}}).state();
//   const NamedSolution now = named(dynamics, solve_kkt(dynamics, start));  // now.qdd[theta], now.lambda["pin[1]"]
//   const Trajectory path = integrate(dynamics, start, {.until = 10.0, .rtol = 1e-9});
// or, in one call that begins at the model's own start,
//   const Path path = simulate(model, {.until = 10.0});             // path["q/theta"], path.at(2.0).q("theta")
//
// This header only forwards. runs.h, named.h and vec2.h add overloads to the functions of the layers. The arguments tell
// them apart: derive(Model) throws ModelError, derive(shared_ptr<const Model>) returns a Result; assemble() of values by
// coordinate or of a model's own start throws ModelError where there is none, assemble() of a State returns an Assembly. How
// a run or a solution ended is a value (path.status, now.status), never an exception. The headers of the layers document
// everything else. The package installs these headers and all that they include.
#pragma once

#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/named.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/json_documents.h"
#include "dalembert/runs.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/run_files.h"
#include "dalembert/vec2.h"
