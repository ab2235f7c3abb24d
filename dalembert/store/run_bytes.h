// SPDX-License-Identifier: Apache-2.0
// A complete run as bytes, and back, for programs that exchange runs. Only the version that wrote the bytes reads them;
// use CSV or JSON (run_files.h) for files to keep.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

std::string run_bytes(const Trajectory& run);

/// The run that run_bytes() was given, bit for bit. Errors: E0502 for bytes that are not a run, are cut short, or come
/// from another version.
Result<Trajectory> run_from_bytes(std::string_view bytes);

}  // namespace dalembert
