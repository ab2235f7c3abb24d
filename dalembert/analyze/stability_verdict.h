// SPDX-License-Identifier: Apache-2.0
// The verdict on the stability of an equilibrium or a steady motion.
#pragma once

#include <string_view>

namespace dalembert {

enum class StabilityVerdict { kAsymptoticallyStable, kStable, kMarginal, kUnstable, kNone };
/// The verdict as text, "asymptotically stable", …; empty for kNone.
std::string_view to_text(StabilityVerdict verdict);

}  // namespace dalembert
