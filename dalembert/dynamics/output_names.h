// SPDX-License-Identifier: Apache-2.0
// Names of outputs that are quasi-velocities. If a model states quasi-velocities, its system lists them and their rates
// after the model's own outputs, under the names of their series, "v/u" and "vdot/u". An output of the model
// itself never has a `/` in its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

inline bool is_series_name(std::string_view output) { return output.find('/') != std::string_view::npos; }

/// The outputs whose names begin with `group`, "v/" or "vdot/", without that prefix. An empty `group`
/// selects the model's own outputs.
struct NamedOutputs {
  std::vector<std::string> names;
  std::vector<double> values;
};
inline NamedOutputs outputs_of(std::string_view group, const std::vector<std::string>& names,
                               const std::vector<double>& values) {
  NamedOutputs chosen;
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
    if (group.empty() ? is_series_name(names[i]) : !names[i].starts_with(group)) continue;
    chosen.names.push_back(names[i].substr(group.size()));
    chosen.values.push_back(values[i]);
  }
  return chosen;
}

}  // namespace dalembert
