// SPDX-License-Identifier: Apache-2.0
// Inputs that are given as samples: tables of a program (program.h), and the routine that evaluates them as dynamics/dynamics.h
// and cubic_spline.h do.
#pragma once

#include <string>
#include <vector>

#include "dalembert/codegen/program.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// Adds the samples to program.tables, and sentences that describe them to `samples`. Returns the text of the routine
/// sampled_inputs(t, inout u) and of the routines that it calls; empty where no input is given as samples. O(samples).
std::string sampled_inputs_text(const Model& model, Program& program, std::vector<std::string>& samples);

}  // namespace dalembert
