// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dalembert/expr/expr.h"

namespace dalembert {

/// Whether an expression of a model contains an integral over the run (Model::integral).
bool reads_integral(const Expr& expression);

}  // namespace dalembert
