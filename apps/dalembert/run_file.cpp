// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/model_source.h"
#include "dalembert/store/file.h"
#include "dalembert/store/run_files.h"

namespace dalembert::app {
namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Reads FILE.units.json, which `simulate --units` writes. If the file cannot be understood, there is a warning, and the
// run is drawn without units.
void read_units(const std::string& path, dalembert::Table& table) {
  std::error_code ignored;
  const std::string beside = path + ".units.json";
  if (!std::filesystem::is_regular_file(beside, ignored)) return;
  const Result<SourcePtr> source = read_file(beside);
  if (!source) fail(kExitIo, source.diagnostics());
  const auto units = nlohmann::json::parse((*source)->text(), nullptr, false);
  if (!units.is_object()) fail(kExitIo, "E0502", fmt::format("`{}` holds no units of series", beside));
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto unit = units.find(table.names[i]);
    if (unit != units.end() && unit->is_string()) table.units[i] = unit->get<std::string>();
  }
}

}  // namespace

bool is_run_path(const std::string& path) {
  const std::string name = lower_case(path);
  return std::ranges::any_of(std::vector<std::string_view>{".csv", ".json", ".csv.partial", ".json.partial"},
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

RunFile read_run(const std::string& path) {
  RunFile run{path, {}};
  const bool standard_input = path == "-";
  const Result<SourcePtr> source =
      standard_input ? Result<SourcePtr>(make_source("<stdin>", read_text("-"))) : read_file(path);
  const auto with_help = [](Diagnostics problems) {
    problems.back().help.push_back("runs are written by `dalembert simulate MODEL -o run.csv` (or .json)");
    return problems;
  };
  if (!source) fail(kExitIo, with_help(source.diagnostics()));
  const std::string& text = (*source)->text();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  Result<dalembert::Table> table = json ? parse_json(*source) : parse_csv(*source);
  if (!table) fail(kExitIo, with_help(table.diagnostics()));
  run.table = std::move(table).value();
  run.table.units.resize(run.table.names.size());
  if (run.table.rows() == 0)
    fail(kExitIo, "E0502", fmt::format("`{}` holds a run without rows: there is nothing to show", path));
  if (!standard_input && !json) read_units(path, run.table);
  add_known_units(run.table);
  return run;
}

std::string model_of_run(const Arguments& arguments) {
  if (const auto model = arguments.value("--model")) return *model;
  const std::filesystem::path run(arguments.operands[0]);
  std::error_code ignored;
  std::filesystem::path beside = run;
  beside.replace_extension(".toml");
  if (std::filesystem::exists(beside, ignored)) return beside.string();
  if (find_shipped(run.stem().string())) return run.stem().string();
  fail(kExitUsage, "E0521", fmt::format("`{}` does not say which model it belongs to", run.string()),
       {fmt::format("dalembert {} {} --model MODEL", arguments.verb->name, run.string())});
}

void require_run_of(const RunFile& run, const Names& names) {
  Diagnostics problems = check_run_of(run, names);
  if (!problems.empty()) fail(kExitUsage, std::move(problems));
}

}  // namespace dalembert::app
