// SPDX-License-Identifier: Apache-2.0
// Programs (program.h) in single precision, the type `float`: IEEE 754 binary32. Programs are written with the limits of double precision; what these are
// in single precision follows from the two types alone, by one of three rules. A text says which one by `limit(1e-10)`, `round_off(2.3e-16)`,
// `range(1e-300)`.
#pragma once

#include <string>

namespace dalembert {

/// Distance from 1 to the next larger float; the least normal float; the largest float.
inline constexpr double kSingleEpsilon = 1.1920928955078125e-07, kLeastSingle = 1.1754943508222875e-38,
                        kMostSingle = 3.4028234663852886e+38;

/// A tolerance, or its inverse: eps^k becomes the same power of the epsilon of float, 1e-10 = eps^0.64 is 3.8e-5. To two digits.
double limit_in_single(double limit);
/// A multiple of the unit of round-off: k eps becomes k times the epsilon of float.
double round_off_in_single(double round_off);
/// A number that only has to be far from all others: the same part of the range of exponents, 1e-300 is 1e-37. To two digits.
double range_in_single(double number);

/// The nearest float; an infinity beyond the largest.
double to_single(double value);
/// The shortest literal of C that reads back as the nearest float, "0.1f".
std::string single_literal(double value);

}  // namespace dalembert
