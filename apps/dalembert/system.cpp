// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/system.h"

#include <algorithm>

#include "apps/dalembert/failure.h"
#include "dalembert/expr/mentions.h"

namespace dalembert::app {
namespace {

bool files_are_allowed = false;

// Exit status: 5 if a file that the model names cannot be read; 2 if all errors are in the values of --set; else 1.
int exit_code_of_model(const Diagnostics& diagnostics, const std::vector<Override>& overrides) {
  bool all_behind_set = true;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.level != Level::kError) continue;
    if (diagnostic.code == "E0001") return kExitIo;
    const SourcePtr& source = diagnostic.primary.span.source;
    all_behind_set = all_behind_set && source && std::ranges::any_of(overrides, [&](const Override& override) {
                       return override.name_span.source == source || override.value.source == source;
                     });
  }
  return all_behind_set ? kExitUsage : kExitModel;
}

}  // namespace

void allow_files() { files_are_allowed = true; }

std::vector<Override> overrides_of(const Arguments& arguments) {
  std::vector<Override> overrides;
  Diagnostics problems;
  for (const std::string& assignment : arguments.values("--set")) {
    Result<Override> parsed = parse_override(assignment);
    if (parsed)
      overrides.push_back(std::move(parsed).value());
    else
      append_new(problems, parsed.diagnostics());
  }
  if (!problems.empty()) fail(kExitUsage, problems);
  return overrides;
}

LoadedModel load(const std::string& model, std::vector<Override> overrides) {
  return load(read_model_source(model), std::move(overrides));
}

LoadedModel load(const ModelSource& source, std::vector<Override> overrides) {
  const LoadOptions options{
      .overrides = std::move(overrides), .directory = source.directory, .allow_files = files_are_allowed};
  Result<Model> loaded = load_model(source.source, options);
  if (!loaded) fail(exit_code_of_model(loaded.diagnostics(), options.overrides), loaded.diagnostics());
  Diagnostics warnings = loaded.diagnostics();
  return {std::make_shared<const Model>(std::move(loaded).value()), std::move(warnings)};
}

void leave_out_read_parameters(Diagnostics& warnings, const Model& model, std::span<const std::string> expressions) {
  std::erase_if(warnings, [&](const Diagnostic& one) {
    if (one.code != "W0101") return false;
    return std::ranges::any_of(model.parameters, [&](const Parameter& parameter) {
      return one.message.find("`" + parameter.name + "`") != std::string::npos &&
             std::ranges::any_of(expressions, [&](const std::string& text) { return mentions(text, parameter.name); });
    });
  });
}

System build(LoadedModel loaded, const CompileOptions& options) {
  Result<System> built = build_model(std::move(loaded.model), std::move(loaded.warnings), options);
  if (!built) fail(kExitModel, built.diagnostics());
  return std::move(built).value();
}

System build_system(const Arguments& arguments) {
  return build(load(arguments.operands.at(0), overrides_of(arguments)), {.machine_code = !arguments.has("--no-jit")});
}

}  // namespace dalembert::app
