// SPDX-License-Identifier: Apache-2.0
// Counts, numbers and units as sentences and tables have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// "3 rows", "1 row"
std::string counted(int count, std::string_view singular, std::string_view plural);

/// A number for people: no -0, and 0 for the round-off of a projection (below 1e-30 in SI, which no mechanism has).
std::string shown_number(double value, int digits);

/// The unit of a coordinate as people write it: an angle's is "rad", not "1".
std::string coordinate_unit(const std::string& unit);
/// " rad", or nothing where there is no unit worth writing.
std::string unit_suffix(const std::string& unit);
/// Unit per second: "m/s", "rad/s", "1/s" of "1"; empty stays empty.
std::string rate_unit(const std::string& unit);

/// Those whose flag is `wanted`.
std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted);

}  // namespace dalembert
