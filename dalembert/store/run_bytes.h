// SPDX-License-Identifier: Apache-2.0
// A run as bytes, with everything that is known of it, and back: for programs that hand runs to each other. It is read by
// the version that wrote it; files for keeps are CSV and JSON (csv.h, json.h).
#pragma once

#include <string>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

std::string run_bytes(const Trajectory& run);

/// The same run, bit for bit. E0502 for bytes that are no run, are cut short, or come from another version.
Result<Trajectory> run_from_bytes(std::string_view bytes);

}  // namespace dalembert
