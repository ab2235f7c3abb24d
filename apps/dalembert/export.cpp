// SPDX-License-Identifier: Apache-2.0
// dalembert export: writes the model as source code, LaTeX or an FMU into a folder.
#include <fmt/format.h>

#include <filesystem>
#include <list>
#include <ostream>
#include <system_error>

#include "apps/dalembert/export_fmu.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/study/export_model.h"

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

// Writes all files, or none.
void write_files(const fs::path& folder, const std::vector<CodeFile>& files) {
  std::error_code error;
  const bool made = fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error))
    fail(kExitIo, "E0501",
         fmt::format("`{}` cannot be written: {}", folder.string(), error ? error.message() : "it is not a folder"));
  // Write all files under temporary names first. Then only the renaming is left, which can hardly fail.
  std::list<UnfinishedFile> unfinished;
  Diagnostics problems;
  const auto cannot = [&](const CodeFile& file, const std::string& why) {
    problems.push_back(
        dalembert::error("E0501", fmt::format("`{}` cannot be written: {}", (folder / file.name).string(), why)));
  };
  for (const CodeFile& file : files) {
    if (!problems.empty()) break;
    if (fs::is_directory(folder / file.name, error)) {
      cannot(file, "it is a folder");
      break;
    }
    const UnfinishedFile& place = unfinished.emplace_back((folder / file.name).string());
    if (!place.problem().empty())
      cannot(file, place.problem());
    else
      problems = write_file(place.place(), [&](std::ostream& out) { out << file.text; });
  }
  auto each = unfinished.begin();
  for (std::size_t i = 0; i < files.size() && problems.empty(); ++i, ++each)
    if (const std::string why = each->become_final(); !why.empty()) cannot(files[i], why);
  unfinished.clear();
  if (problems.empty()) return;
  if (made) fs::remove(folder, error);
  fail(kExitIo, problems);
}

}  // namespace

int run_export(const Arguments& arguments, Terminal& terminal) {
  const std::optional<std::string> to = arguments.value("--to");
  if (!to) {
    std::vector<std::string> languages = export_languages();
    languages.emplace_back("fmu");
    fail(kExitUsage, "E0408", "`export` needs `--to` and a language",
         {fmt::format("the languages are {}", join_words(languages))});
  }
  LoadedModel loaded = load(arguments.operands[0], overrides_of(arguments));
  const Result<Equations> equations = derive(loaded.model);
  if (!equations) fail(kExitModel, equations.diagnostics());
  terminal.report(loaded.warnings);
  const std::string output = arguments.value("--output").value_or(".");

  const std::vector<std::string> only = arguments.listed("--only");
  const std::string numbers = arguments.value("--precision").value_or("double");
  const CodePrecision precision = parse_code_precision(numbers).value();
  if (*to == "fmu" && only.empty() && precision == CodePrecision::kDouble) {
    const WrittenFmu fmu = write_fmu(*equations, output, terminal);
    if (arguments.json()) {
      std::vector<std::string> platforms;
      if (!fmu.platform.empty()) platforms.push_back(fmu.platform);
      terminal.out(document_text(Json{{"model", loaded.model->name},
                                      {"to", *to},
                                      {"files", std::vector<std::string>{fmu.path}},
                                      {"platforms", platforms}}));
      return kExitOk;
    }
    terminal.note(fmt::format("wrote {}\n", fmu.path));
    return kExitOk;
  }
  const Result<std::vector<CodeFile>> exported = export_model(*equations, *to, only, precision);
  if (!exported) {
    const std::string& code = exported.diagnostics().front().code;
    fail(code == "E0442" || code == "E0445" ? kExitUsage : kExitModel, exported.diagnostics());
  }
  const std::vector<CodeFile>& files = *exported;
  const fs::path folder = output;
  write_files(folder, files);
  std::vector<std::string> paths;
  for (const CodeFile& file : files) paths.push_back((folder / file.name).lexically_normal().string());
  if (arguments.json()) {
    Json document = {{"model", loaded.model->name}, {"to", *to}, {"files", paths}};
    if (*to != "latex") document["precision"] = numbers;
    terminal.out(document_text(document));
    return kExitOk;
  }
  for (const std::string& path : paths) terminal.note(fmt::format("wrote {}\n", path));
  return kExitOk;
}

}  // namespace dalembert::app
