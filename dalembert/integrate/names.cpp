// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/names.h"

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert::integration {

std::string name_of(const std::vector<std::string>& names, int i, const char* kind) {
  return index(i) < names.size() ? names[index(i)] : fmt::format("{} {}", kind, i + 1);
}

std::string when(double t) { return fmt::format("at t = {} s", to_text(t, 8)); }

}  // namespace dalembert::integration
