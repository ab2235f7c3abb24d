// SPDX-License-Identifier: Apache-2.0
// The routines of exported code for friction (friction_*.program, contact_friction.program), adapted to a model: with contacts, the rows of open
// contacts do not act; friction in a plane has two directions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/program.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Properties of a model that determine the routines for its frictions.
struct FrictionShape {
  bool acting = false;  ///< a mode also holds, after the states of the frictions, whether each row acts
  bool planes = false;  ///< some frictions are in a plane (Layout::planes)
  bool steps =
      true;  ///< exported steps of fixed length follow sliding in a plane; false: steps with error control, as in FMUs, do
};

/// The text of routines for friction, adapted to the shape.
std::string friction_text(std::string_view text, const FrictionShape& shape);
/// The routines that decide modes, and solve_mode.
std::string decide_mode_text(const FrictionShape& shape);
std::string solve_mode_text(const FrictionShape& shape);

/// Adds the tables in_plane: 1 and 2 for the directions of a friction in a plane, 0 for a friction along a line; and, where modes hold which rows act,
/// one_sided: 1 for the rows of contacts.
void add_friction_tables(Program& program, const Layout& layout, const std::vector<int>& contacts, bool acting);

}  // namespace dalembert
