// SPDX-License-Identifier: Apache-2.0
// Texts of friction (friction_*.program, contact_friction.program) for a model: with contacts rows of open ones do not act, and friction in a plane has
// two directions.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/codegen/program.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// What the frictions of a model need.
struct FrictionShape {
  bool acting = false;  ///< a mode says for each row whether it acts, after what frictions do
  bool planes = false;  ///< some frictions are in a plane (Layout::planes)
  bool steps =
      true;  ///< steps of fixed length follow what slides in a plane; false: the steps of FMUs, which control their errors, do
};

/// The routines of a text of friction.
std::string friction_text(std::string_view text, const FrictionShape& shape);
/// solve_mode and what decides modes.
std::string decide_mode_text(const FrictionShape& shape);
std::string solve_mode_text(const FrictionShape& shape);

/// Adds the table in_plane: 1 and 2 for the directions of a friction in a plane, 0 for a friction along a line.
void add_plane_table(Program& program, const Layout& layout);

}  // namespace dalembert
