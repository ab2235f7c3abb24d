// SPDX-License-Identifier: Apache-2.0
// A page of a study: what was varied and measured, a picture of each measure, which runs failed and why. One HTML file without scripts, which
// loads nothing.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/study/sweep/study_output.h"

namespace dalembert {

struct StudyPageRequest {
  std::string command = {};  ///< that made the page; may be empty
};

/// Errors: E0502 and E0510 if the study cannot be read or has no runs.
Result<std::string> study_page(const sweeping::StudySource& study, const StudyPageRequest& request = {});

}  // namespace dalembert
