// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/layout.h"
#include "dalembert/store/file.h"
#include "dalembert/study/sweep/study_page.h"

namespace dalembert::app {

void require_page_path(const char* option, const std::string& path) {
  if (path == "-") return;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".html" && ending != ".htm")
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`", option, path),
         {"a report is a page: FILE.html, or `-` for standard output"});
  require_writable(path);
}

std::string command_of(const Arguments& arguments) {
  std::string command = "dalembert " + arguments.verb->name;
  for (const std::string& operand : arguments.operands) command += " " + shell_word(operand);
  for (const auto& [name, values] : arguments.options)
    for (const std::string& value : values) command += " " + name + (value.empty() ? "" : " " + shell_word(value));
  return command;
}

namespace {

void write_page(const std::string& page, const std::string& path, Terminal& terminal) {
  if (path == "-") {
    terminal.out(page);
    return;
  }
  if (const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << page; }); !problems.empty())
    fail(kExitIo, problems);
  terminal.note(fmt::format("wrote {} ({:.0f} kB)\n", path, static_cast<double>(page.size()) / 1000));
}

}  // namespace

void write_report(const ReportRequest& request, const std::string& path, Terminal& terminal) {
  write_page(report_html(request), path, terminal);
}

int report_study(const Arguments& arguments, const std::string& path, Terminal& terminal) {
  const Result<std::string> page = study_page(arguments.operands[0], {.command = command_of(arguments)});
  if (!page) fail(kExitIo, page.diagnostics());
  write_page(*page, path, terminal);
  return kExitOk;
}

}  // namespace dalembert::app
