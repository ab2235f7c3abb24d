// SPDX-License-Identifier: Apache-2.0
// Options whose value is `NAME=TEXT`, as those of studies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"
#include "dalembert/model/statements.h"

namespace dalembert::app {

/// `NAME=TEXT`, or with another `sign`, each part with its place. Throws Failure (E0403) with the example.
StudyStatement::Named read_named(const std::string& option, const std::string& text, char sign, const char* example);

/// The texts of such options.
std::vector<std::string> texts_of(const std::vector<StudyStatement::Named>& named);

/// The value of --seed. Throws Failure (E0403).
std::optional<std::int64_t> read_seed(const Arguments& arguments);

}  // namespace dalembert::app
