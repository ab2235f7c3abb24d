// SPDX-License-Identifier: Apache-2.0
// Studies in NetCDF files; study_output.h says what is in them.
#pragma once

#include "dalembert/study/sweep/study_output.h"

namespace dalembert::sweeping {

/// Writes the file at `place`, which is to become `path`. As write_study().
Diagnostics write_study_netcdf(const std::string& place, const std::string& path, const StudyHead& head,
                               const RowSource& rows);
/// As visit_study().
Diagnostics visit_study_netcdf(const std::string& path, const std::function<void(const StudyHead& head)>& begin,
                               const std::function<bool(const StudyLine& line)>& take);

}  // namespace dalembert::sweeping
