// SPDX-License-Identifier: Apache-2.0
// A report page about a model and a run of it: one self-contained HTML file.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/store/run_files.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

enum class PageParts {
  kAll,
  kMotion,  ///< only the scene and the curves
};

struct ReportRequest {
  const SystemAt& given;
  const Table& rows;                ///< output rows of the run
  const Trajectory* run = nullptr;  ///< null if the rows were read from a file
  std::string command;              ///< the command that makes this page again
  PageParts parts = PageParts::kAll;
  bool degrees = false;     ///< the page begins with angles in degrees
  Diagnostics doubts = {};  ///< what is doubtful about the start, shown before all other content
};

/// Chooses equidistant output rows, enough for smooth curves, unless the user has chosen output rows.
void choose_report_rows(double from, IntegrateOptions& options);
/// `count` >= 2 times from `from` to `until`, both among them exactly.
std::vector<double> evenly_spaced(double from, double until, std::size_t count);

/// A page of the equations alone. It needs no start and no run.
std::string equations_page(const BuiltModel& system, const EquationsFormat& format, const std::string& command);

std::string report_html(const ReportRequest& request);

}  // namespace dalembert
