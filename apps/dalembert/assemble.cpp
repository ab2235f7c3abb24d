// SPDX-License-Identifier: Apache-2.0
// dalembert assemble: computes a consistent start.
#include <fmt/format.h>

#include <ostream>

#include "apps/dalembert/alternatives.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/state_file.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/store/file.h"
#include "dalembert/study/start_warnings.h"

namespace dalembert::app {
namespace {

Json document(const System& system, const ModelStart& start, const Alternatives& others, const AssemblyProof& proof,
              const Diagnostics& diagnostics) {
  const std::vector<std::string>& names = system.dynamics.names().coordinates;
  const Assembly& assembly = start.assembly;
  return {{"model", system.model->name},
          {"ok", assembly.ok()},
          {"status", std::string(to_text(assembly.status))},
          {"t", assembly.state.t},
          {"q", named_json(names, assembly.state.q)},
          {"qd", named_json(system.dynamics.names().of_motion(), assembly.state.v)},
          {"held", held_json(system, start)},
          {"moved", moved_json(system.dynamics.names(), assembly)},
          {"alternatives", alternatives_json(system, start, others)},
          {"alternatives_search", alternatives_search_json(others, proof)},
          {"residual", residual_json(system.dynamics, assembly.state)},
          {"rank", rank_json(start.rank())},
          {"dof", {{"velocity", freedoms_json(system, start)}}},
          {"iterations", assembly.iterations},
          {"attempts", assembly.attempts},
          {"diagnostics", to_json(diagnostics)}};
}

std::string text(const System& system, const ModelStart& start, const Alternatives& others, const AssemblyProof& proof,
                 const Terminal& terminal) {
  const Assembly& assembly = start.assembly;
  std::string out = fmt::format("{} at t = {}: {}\n", system.model->name, assembly.state.t,
                                assembly.ok() ? terminal.green("consistent") : terminal.red(to_text(assembly.status)));
  out += describe_start(system, start);
  out += describe_alternatives(system, start, others, proof);
  if (system.dynamics.m() > 0)
    out += fmt::format("  {:<14}position {:.1e}, velocity {:.1e}\n", "residual", assembly.position_residual,
                       assembly.velocity_residual);
  if (assembly.attempts > 1)
    out += fmt::format("  {:<14}{}, because the search from the first guess failed\n", "attempts", assembly.attempts);
  return out;
}

}  // namespace

int run_assemble(const Arguments& arguments, Terminal& terminal) {
  const System system = build_system(arguments);
  const ModelStart start = find_start(system);
  Diagnostics diagnostics = system.warnings;
  const Alternatives others = other_assemblies(system, start, AlternativesEffort::kCovered);
  const AssemblyProof proof = decide_completeness(system, start, others);
  if (start.assembly.ok()) {
    const Diagnostics doubts = start_warnings(system, start, others);
    diagnostics.insert(diagnostics.end(), doubts.begin(), doubts.end());
  } else {
    diagnostics.push_back(explain_start(system, start));
  }
  terminal.report(diagnostics);
  const std::string shown = arguments.json() ? document_text(document(system, start, others, proof, diagnostics))
                                             : text(system, start, others, proof, terminal);
  if (!start.assembly.ok()) {
    terminal.out(shown);
    return kExitNumerical;
  }
  const std::string state = state_text(*system.model, start.assembly.state);
  const std::string path = arguments.value("--output").value_or("");
  terminal.out(path == "-" ? state : shown);
  if (!path.empty() && path != "-") {
    const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << state; });
    if (!problems.empty()) fail(kExitIo, problems);
    terminal.note(fmt::format("wrote {}\n", path));
  }
  return kExitOk;
}

}  // namespace dalembert::app
