// SPDX-License-Identifier: Apache-2.0
// Texts of friction (friction_*.program) for models with contacts: rows of open contacts do not act.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

/// The routines of a text of friction in which a mode says for each row whether it acts, after what frictions do.
std::string with_acting_rows(std::string_view text);

/// stop and advance_in_mode, with such modes.
std::string advance_with_acting_rows();

}  // namespace dalembert
