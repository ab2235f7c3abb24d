// SPDX-License-Identifier: Apache-2.0
// Names and numbers for people who read a terminal: θ̈, L₁, ω_α, x⁻¹, ½.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dalembert/expr/rational.h"

namespace dalembert {

/// A name in Unicode. Greek names become letters, and trailing digits become subscripts: `theta_1` is θ₁. Other subscripts keep the `_`: `I_c`,
/// ω_α for `omega_alpha`. One or two dots are put over a single letter (θ̇₁). Names of several letters keep the prime as typed (`pos''`), and so
/// do i and j, where the letter's own dot would hide it.
std::string unicode_name(std::string_view name, int dots = 0);

/// An integer as superscript: ², ⁻¹, ¹²; `digits` may have a sign.
std::string superscript(std::string_view digits);
/// A positive fraction as a person writes it: ½, ⅔, ⁵⁄₁₂.
std::string unicode_fraction(const Rational& value);
/// A unit with superscripts: `kg*m^2/s` is kg·m²/s.
std::string unicode_unit(std::string_view unit);

/// Number of terminal columns of a UTF-8 text: one for each code point, none for combining characters.
std::size_t terminal_columns(std::string_view text);

}  // namespace dalembert
