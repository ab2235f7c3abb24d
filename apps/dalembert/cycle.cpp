// SPDX-License-Identifier: Apache-2.0
// dalembert cycle: a periodic motion and its multipliers.
#include <cmath>

#include <fmt/format.h>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/study/cycle.h"
#include "dalembert/study/eigenvalues.h"

namespace dalembert::app {
namespace {

CycleRequest read_request(const Arguments& arguments, const Model& model) {
  CycleRequest request;
  Result<IntegrateOptions> chosen = run_options(model);
  if (!chosen) fail(kExitModel, chosen.diagnostics());
  request.run = std::move(chosen).value();
  request.period = arguments.quantity("--period", Dimension::time(), 0);
  request.section = arguments.value("--section").value_or("");
  if (arguments.has("--turns") && request.section.empty())
    fail(kExitUsage, "E0403", "`--turns` goes with `--section`: it counts passages of the section");
  request.turns = static_cast<int>(arguments.whole_number("--turns", 1000, "1 to 1000").value_or(1));
  return request;
}

std::string verdict(const Cycle& cycle, const Terminal& terminal) {
  if (cycle.multipliers.empty())
    return cycle.free.empty() ? "no verdict: the drives and constraints leave it no neighbours"
                              : "no verdict: every neighbour repeats itself as well";
  if (!cycle.stable) return "not decided: a multiplier is on the unit circle";
  return *cycle.stable ? terminal.bold("stable") + ": neighbours come closer in each turn"
                       : terminal.bold("unstable") + ": neighbours go away";
}

std::string text(const System& system, const Cycle& cycle, const Terminal& terminal) {
  const Names& names = system.dynamics.names();
  std::string out =
      fmt::format("{}: {}\n", terminal.bold(system.model->name),
                  cycle.found ? "a motion that repeats itself" : "no motion that repeats itself was found");
  if (!cycle.found) {
    out += fmt::format("  {:<14}{}\n", "because", cycle.reason);
    if (!std::isfinite(cycle.residual)) return out;
    out += "  nearest return:\n";
  }
  out += fmt::format("  {:<14}{} s\n", "period", to_text(cycle.period, 12));
  std::vector<std::string> state;
  for (std::size_t i = 0; i < cycle.state.q.size(); ++i)
    state.push_back(fmt::format("{} = {}{}", names.coordinates[i], to_text(cycle.state.q[i], 9),
                                unit_suffix(coordinate_unit(names.coordinate_units[i]))));
  for (std::size_t i = 0; i < cycle.state.v.size(); ++i)
    state.push_back(fmt::format("{} = {}", names.velocity(i), to_text(cycle.state.v[i], 9)));
  out += labelled_list("state", state);
  out += fmt::format("  {:<14}{:.1e}\n", "residual", cycle.residual);
  if (!cycle.found) return out;
  if (!cycle.reason.empty()) return out + fmt::format("  {}\n", cycle.reason);
  std::vector<std::string> multipliers, free;
  for (const std::complex<double>& m : cycle.multipliers) multipliers.push_back(complex_text(m));
  for (const Cycle::Free& one : cycle.free) free.push_back(one.because);
  out += labelled_list("multipliers", multipliers);
  out += fmt::format("  {:<14}{:.0e}\n", "known to", cycle.uncertainty);
  out += labelled_list("1 because of", free);
  out += fmt::format("  {}\n", verdict(cycle, terminal));
  if (!cycle.run.events.empty()) {
    out += "  events\n";
    for (const RunEvent& event : cycle.run.events)
      out += fmt::format("    {:<14} {:<8} {}\n", to_text(event.t, 9), std::string(to_text(event.kind)), event.name);
  }
  return out;
}

}  // namespace

int run_cycle(const Arguments& arguments, Terminal& terminal) {
  const SystemAt given = build_system_at(arguments);
  const Result<Cycle> found = find_cycle(given.system, given.state, read_request(arguments, *given.system.model));
  if (!found) fail(found.diagnostics().front().code == "E0102" ? kExitUsage : kExitModel, found.diagnostics());
  terminal.report(given.system.warnings);
  terminal.out(arguments.json() ? document_text(cycle_json(given.system, *found))
                                : text(given.system, *found, terminal));
  return found->found ? kExitOk : kExitNumerical;
}

}  // namespace dalembert::app
