// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/new_model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/model_source.h"
#include "apps/dalembert/system.h"
#include "dalembert/store/file.h"

namespace dalembert::app {

std::string choose_model_output(const Arguments& arguments, const Model& model) {
  const std::optional<std::string> path = arguments.value("--output");
  if (!path) return "";
  if (!path->ends_with(".toml"))
    fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`: it is a model file", *path),
         {"write FILE.toml"});
  for (const Override& set : overrides_of(arguments))
    if (!stated_value(model, set.name))
      fail(kExitUsage, "E0436", fmt::format("`--output` cannot write what `--set` gives `{}`", set.name),
           {"it writes parameters and initial values; change the others in the model file"});
  require_writable(*path);
  return *path;
}

void write_new_model(const std::string& path, const Arguments& arguments, const Model& model,
                     std::vector<NewValue> values, Terminal& terminal) {
  for (const Override& set : overrides_of(arguments))
    if (std::ranges::find(values, set.name, &NewValue::name) == values.end())
      values.push_back({set.name, *stated_value(model, set.name)});
  LoadOptions reading;
  reading.directory = read_model_source(arguments.operands.at(0)).directory;
  reading.allow_files = true;  // those that the model has read already
  const Result<std::string> text = with_new_values(model, values, reading);
  if (!text) fail(kExitModel, text.diagnostics());
  const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << *text; });
  if (!problems.empty()) fail(kExitIo, problems);
  terminal.note(fmt::format("wrote {}\n", path));
}

}  // namespace dalembert::app
