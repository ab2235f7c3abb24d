// SPDX-License-Identifier: Apache-2.0
// A page about a model and a run of it, from what is known of both: one HTML file that needs nothing else.
#pragma once

#include <string>

#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/store/table.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

enum class PageParts {
  kAll,
  kMotion,  ///< the scene and the curves alone
};

struct ReportRequest {
  const SystemAt& given;
  const Table& rows;                ///< of the run
  const Trajectory* run = nullptr;  ///< how it ran; null where the rows were read
  std::string command;              ///< that makes the page again
  PageParts parts = PageParts::kAll;
};

/// Rows for a page, where nobody asked for others: equally far from each other, and as many as make smooth curves.
void choose_report_rows(double from, IntegrateOptions& options);

/// A page of the equations alone: no start is needed, and nothing runs.
std::string equations_page(const BuiltModel& system, const EquationsFormat& format, const std::string& command);

std::string report_html(const ReportRequest& request);

}  // namespace dalembert
