// SPDX-License-Identifier: Apache-2.0
// Samples of an input from a CSV file.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/work.h"

namespace dalembert::modelfile {

struct Samples {
  std::vector<double> time;  ///< times in s, strictly ascending
  std::vector<double> value;
};

/// Reads the column `column`, and the times from the column `time` or else from the first column. The header is one row of names. Errors at
/// the given places, or inside the file: E0502 (unreadable, or more than `bytes` allows), E0503 (no such column), E0505 (not a number),
/// E0504 (times do not ascend, or no samples). `bytes` counts what is read for all inputs of a model.
Result<Samples> read_samples(const std::string& path, const std::string& column, const Span& file_place,
                             const Span& column_place, WorkMeter& bytes);

}  // namespace dalembert::modelfile
