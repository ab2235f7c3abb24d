// SPDX-License-Identifier: Apache-2.0
// Writes pages (study/report_page.h) to files.
#pragma once

#include <string>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/study/report_page.h"

namespace dalembert::app {

/// Checks --output or --report before any work is done. Throws Failure: exit 2 (E0403) unless the path ends with .html,
/// exit 5 (E0501) if it cannot be written.
void require_page_path(const char* option, const std::string& path);

/// The command as it was typed.
std::string command_of(const Arguments& arguments);

/// Writes a page of the RUN or MODEL given as operand, with the options of `report`. Returns the exit status.
int report_operand(const Arguments& arguments, const std::string& path, PageParts parts, Terminal& terminal);

/// Writes a page of a STUDY, a file of `sweep`. Returns the exit status.
int report_study(const Arguments& arguments, const std::string& path, Terminal& terminal);

/// Writes the page ("-": to standard output) and reports its path. Throws Failure, exit 5: E0501.
void write_report(const ReportRequest& request, const std::string& path, Terminal& terminal);

}  // namespace dalembert::app
