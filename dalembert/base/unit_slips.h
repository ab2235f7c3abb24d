// SPDX-License-Identifier: Apache-2.0
// What people write for units that are not among ours: words, other letters' case, units of other systems.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

/// What is meant by a name that is no unit: the unit to write instead, or a sentence where no single unit fits. Both empty: nothing is known.
struct UnitSlip {
  std::string unit;  ///< `deg` for `degrees`, `kg` for `Kg`
  std::string help;  ///< for `grad`: what it may be
};
UnitSlip unit_meant_by(std::string_view name);

}  // namespace dalembert
