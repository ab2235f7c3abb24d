// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/message_names.h"

#include <fmt/format.h>

#include "dalembert/base/numeric.h"

namespace dalembert {

std::string name_of(const std::vector<std::string>& names, int i, const char* kind) {
  return index(i) < names.size() ? names[index(i)] : fmt::format("{} {}", kind, i + 1);
}

}  // namespace dalembert
