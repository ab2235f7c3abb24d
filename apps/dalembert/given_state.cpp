// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/given_state.h"

#include <utility>

#include "apps/dalembert/failure.h"

namespace dalembert::app {
namespace {

// Exit status: 1 if the given state or samples are wrong, 3 if no consistent state was found.
int exit_code_of_state(const Diagnostics& problems) {
  const std::string& code = problems.front().code;
  return code == "E0506" || code == "E0406" ? kExitModel : kExitNumerical;
}

System build_within(LoadedModel loaded, const SizeLimit& limit) {
  const std::shared_ptr<const Model> model = loaded.model;
  const auto refuse = [&] {
    if (std::optional<Diagnostic> large = limit.refuse(*model)) fail(limit.exit_code, {*std::move(large)});
  };
  refuse();
  Graph& graph = *model->graph;
  const std::size_t before = graph.most_parts();
  graph.limit_parts(limit.parts);
  Result<System> built = build_model(model, std::move(loaded.warnings));
  if (graph.exhausted()) refuse();
  graph.limit_parts(before);
  if (!built) fail(kExitModel, built.diagnostics());
  return std::move(built).value();
}

}  // namespace

std::pair<System, std::optional<StateFile>> read_given_state(const Arguments& arguments, const SizeLimit* limit) {
  const std::string model = arguments.operands[0];
  const std::optional<std::string> path = arguments.value("--at");
  if (path && *path == "-" && model == "-") fail(kExitUsage, "E0403", "MODEL and `--at` cannot both be standard input");
  std::vector<Override> overrides = overrides_of(arguments);
  const ModelSource source = read_model_source(model);
  LoadedModel loaded = load(source, overrides);
  std::optional<StateFile> file;
  if (path) {
    file = read_state_file(*path);
    require_names(*file, *loaded.model);
    const std::vector<Override> more = overrides_of(*file);
    overrides.insert(overrides.end(), more.begin(), more.end());
    if (!more.empty()) loaded = load(source, overrides);
  }
  return {limit == nullptr ? build(std::move(loaded)) : build_within(std::move(loaded), *limit), std::move(file)};
}

SystemAt build_system_at(const Arguments& arguments, const SizeLimit* limit) {
  auto [system, file] = read_given_state(arguments, limit);
  Result<SystemAt> found = system_at(std::move(system), file ? &*file : nullptr);
  if (!found) fail(exit_code_of_state(found.diagnostics()), found.diagnostics());
  return std::move(found).value();
}

}  // namespace dalembert::app
