// SPDX-License-Identifier: Apache-2.0
// Counts, numbers and units as they appear in sentences and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// A count with its noun: "3 rows", "1 row".
std::string counted(int count, std::string_view singular, std::string_view plural);

/// A number for people: no -0, and 0 for round-off (below 1e-30 in SI, smaller than any quantity of a mechanism).
std::string shown_number(double value, int digits);

/// The unit of a coordinate as people write it: "rad", not "1", for an angle.
std::string coordinate_unit(const std::string& unit);
/// The unit after a space (" rad"); empty for "1" or no unit.
std::string unit_suffix(const std::string& unit);
/// Unit per second: "m" gives "m/s", "rad" gives "rad/s", "1" gives "1/s"; empty stays empty.
std::string rate_unit(const std::string& unit);

/// The names whose flag is `wanted`.
std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted);

}  // namespace dalembert
