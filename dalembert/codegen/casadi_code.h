// SPDX-License-Identifier: Apache-2.0
// Models for CasADi: the code in C, and a file with functions of CasADi's C interface for external functions around it
// (https://web.casadi.org/docs, "Using the generated C code"; as CasADi 3.6 reads it).
//
// For each routine of the C code that has a meaning of its own there is a function NAME_motion, NAME_outputs … with the arguments of the routine and then
// p, the parameters. jac_NAME_fn_motion … has its Jacobian by all arguments in blocks, each with its sparsity. Memory comes from the caller (`w`).
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/codegen/export_code.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// NAME.h, NAME.c, NAME_casadi.c, NAME_selftest.c. Errors: those of make_code_model().
Result<ExportedCode> export_casadi(const Equations& equations);

}  // namespace dalembert
