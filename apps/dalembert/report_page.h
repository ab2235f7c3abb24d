// SPDX-License-Identifier: Apache-2.0
// A page about a model and a run of it, from what is known of both.
#pragma once

#include <string>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/system_at.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/store/table.h"

namespace dalembert::app {

enum class PageParts {
  kAll,
  kMotion,  ///< the scene and the curves alone
};

struct ReportRequest {
  const SystemAt& given;
  const dalembert::Table& rows;     ///< of the run
  const Trajectory* run = nullptr;  ///< how it ran; null where the rows were read
  std::string command;              ///< that makes the page again
  std::string path;                 ///< "-": standard output
  PageParts parts = PageParts::kAll;
};

/// What --output or --report says, before there is work to lose. Throws Failure: exit 2 (E0403) for another ending than
/// .html, exit 5 (E0501) for a path that cannot be written.
void require_page_path(const char* option, const std::string& path);

/// Rows for a page, where nobody asked for others: equally far from each other, and as many as make smooth curves.
void choose_rows(double from, IntegrateOptions& options);

/// As it was typed.
std::string command_of(const Arguments& arguments);

/// A page of the RUN or MODEL that is the operand, with the options of `report`. Returns the exit status.
int report_operand(const Arguments& arguments, const std::string& path, PageParts parts, Terminal& terminal);

/// A page of the equations alone: no start is needed, and nothing runs.
std::string equations_page(const System& system, const EquationsFormat& format, const std::string& command);

/// Writes the page and notes where. Throws Failure, exit 5: E0501.
void write_report(const ReportRequest& request, Terminal& terminal);

}  // namespace dalembert::app
