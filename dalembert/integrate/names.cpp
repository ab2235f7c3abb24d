// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/names.h"

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert::integration {

std::string when(double t) { return fmt::format("at t = {} s", to_text(t, 8)); }

}  // namespace dalembert::integration
