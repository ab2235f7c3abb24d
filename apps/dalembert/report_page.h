// SPDX-License-Identifier: Apache-2.0
// Pages (study/report_page.h) as files.
#pragma once

#include <string>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/study/report_page.h"

namespace dalembert::app {

/// What --output or --report says, before there is work to lose. Throws Failure: exit 2 (E0403) for another ending than
/// .html, exit 5 (E0501) for a path that cannot be written.
void require_page_path(const char* option, const std::string& path);

/// As it was typed.
std::string command_of(const Arguments& arguments);

/// A page of the RUN or MODEL that is the operand, with the options of `report`. Returns the exit status.
int report_operand(const Arguments& arguments, const std::string& path, PageParts parts, Terminal& terminal);

/// Writes the page, to standard output for "-", and notes where. Throws Failure, exit 5: E0501.
void write_report(const ReportRequest& request, const std::string& path, Terminal& terminal);

}  // namespace dalembert::app
