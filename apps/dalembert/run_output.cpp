// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "dalembert/store/file.h"
#include "dalembert/store/run_files.h"

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

RunFormat format_of(const std::string& path) {
  std::string suffix = fs::path(path).extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix == ".csv") return RunFormat::kCsv;
  if (suffix == ".json") return RunFormat::kJson;
  if (suffix == ".h5" || suffix == ".hdf5")
    fail(kExitUsage, "E0407", fmt::format("`{}`: writing HDF5 is not supported yet", path), {"use .csv or .json"});
  // Devices and pipes have no suffix; they get CSV.
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored))
    return RunFormat::kCsv;
  if (fs::is_directory(path, ignored))
    fail(kExitUsage, "E0403", fmt::format("`{}` is a folder", path),
         {fmt::format("write `{}`", (fs::path(path) / "run.csv").lexically_normal().string())});
  fail(kExitUsage, "E0403",
       suffix.empty() ? fmt::format("`{}` has no suffix, which would choose the format", path)
                      : fmt::format("`{}`: no format is known by the suffix `{}`", path, suffix),
       {fmt::format("write `{}.csv` or `{}.json`", path, path)});
}

}  // namespace

std::optional<RunOutput> choose_output(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.value("--output");
  if (!path) return std::nullopt;
  if (*path == "-") {
    if (arguments.json())
      fail(kExitUsage, "E0403", "`--json` and `--output -` both want standard output", {"write the run to a file"});
    return RunOutput{"-", RunFormat::kCsv};
  }
  const RunOutput output{*path, format_of(*path)};
  require_writable(*path);
  return output;
}

RunOutput partial_output(const std::string& model) {
  std::string stem;
  for (const char c : model) stem += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '-';
  if (stem.empty()) stem = "run";
  return {free_name(stem + ".partial", ".csv"), RunFormat::kCsv};
}

RunOutput partial_output(const RunOutput& output) {
  std::error_code ignored;
  if (output.to_standard_output() || !fs::is_regular_file(output.path, ignored)) return output;
  const fs::path path(output.path);
  return {free_name(fs::path(path).replace_extension().string() + ".partial", path.extension().string()),
          output.format};
}

bool has_partial_file(const RunOutput& output) {
  std::error_code ignored;
  return !output.to_standard_output() &&
         (!fs::exists(output.path, ignored) || fs::is_regular_file(output.path, ignored));
}

Diagnostics write_run_file(const Trajectory& trajectory, const RunOutput& output, PartialRun* partial) {
  if (partial != nullptr && output.format == RunFormat::kCsv) return partial->become(output.path, trajectory);
  Diagnostics problems =
      output.format == RunFormat::kJson ? write_json(trajectory, output.path) : write_csv(trajectory, output.path);
  if (partial != nullptr && problems.empty()) partial->discard();
  return problems;
}

}  // namespace dalembert::app
