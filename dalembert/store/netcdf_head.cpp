// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dalembert/store/netcdf.h"

namespace dalembert {

std::string attribute_of(const NetcdfHead::Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &std::pair<std::string, std::string>::first);
  return found == attributes.end() ? "" : found->second;
}

}  // namespace dalembert
