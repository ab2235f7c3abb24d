// SPDX-License-Identifier: Apache-2.0
// The names of units, for who proposes them.
#pragma once

#include <string_view>
#include <vector>

namespace dalembert {

/// The names that parse_unit() takes (units.h), without prefixes, in the order of its table.
std::vector<std::string_view> unit_names();

}  // namespace dalembert
