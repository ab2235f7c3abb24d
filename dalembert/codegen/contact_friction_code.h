// SPDX-License-Identifier: Apache-2.0
// Texts of friction (friction_*.program) for models with contacts: rows of open contacts do not act.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

/// The routines of a text of friction; with `acting` those in which a mode says for each row whether it acts, after what frictions do.
std::string friction_text(std::string_view text, bool acting);

}  // namespace dalembert
