// SPDX-License-Identifier: Apache-2.0
// The equations as JSON: what `dalembert derive --json` prints (docs/command-line.md names the members).
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/report/format.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// Matrices with more columns are written as lists of entries [row, column, text], indices from 0.
inline constexpr int kMostJsonColumns = 1000;

/// `only`: the wanted parts (equation_parts()); if empty, all parts except the closed forms "lambda" and "qdd".
Json equations_json(const Equations& equations, Form form = Form::kCanonical,
                    const std::vector<std::string>& only = {});

}  // namespace dalembert
