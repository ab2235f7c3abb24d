// SPDX-License-Identifier: Apache-2.0
// Names and numbers as a person reads them on a terminal: θ̈, L₁, ω_α, x⁻¹, ½.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dalembert/expr/rational.h"

namespace dalembert {

/// Greek names become letters, trailing digits subscripts: `theta_1` is θ₁; what else follows `_` stays there: `I_c`,
/// `omega_alpha` as ω_α. One or two dots go over a single letter (θ̇₁); names of several letters keep the prime that is
/// typed (`pos''`), and so do i and j, whose own dot would hide it.
std::string unicode_name(std::string_view name, int dots = 0);

/// ², ⁻¹, ¹²; `digits` is an integer, with a sign or without.
std::string superscript(std::string_view digits);
/// ½, ⅔, ⁵⁄₁₂ for a positive fraction.
std::string unicode_fraction(const Rational& value);
/// `kg*m^2/s` as kg·m²/s.
std::string unicode_unit(std::string_view unit);

/// Columns that UTF-8 text takes on a terminal: one for each code point but those that combine with the one before.
std::size_t terminal_columns(std::string_view text);

}  // namespace dalembert
