// SPDX-License-Identifier: Apache-2.0
// study UNTIL < MODEL: derives, audits and simulates a model by the interpreter, and writes everything that comes out: the
// equations as text and LaTeX, the verdict of each claim, every number of the motion to the last bit. Compiled for this
// machine and for WebAssembly, it should write the same.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/store/json_writer.h"
#include "dalembert/store/run_files.h"

namespace dalembert {
namespace {

int fail(const Diagnostics& diagnostics) {
  std::cerr << render(diagnostics);
  return 1;
}

void write_audit(const AuditReport& report) {
  for (const AuditedClaim& claim : report.claims) {
    std::cout << fmt::format("{}: {}, {}\n  correct {}\n  difference {}\n  note {}\n", claim.entry,
                             to_text(claim.verdict), claim.exact ? "exact" : "random points", claim.correct,
                             claim.difference, claim.note);
    for (const std::string& text : claim.assuming) std::cout << "  assuming " << text << '\n';
    if (!claim.point) continue;
    for (const auto& [name, value] : claim.point->at) std::cout << "  " << name << " = " << value.to_string() << '\n';
    std::cout << "  " << claim.point->correct_digits << " for " << claim.point->claimed_digits << '\n';
  }
}

int study(std::string text, double until) {
  Result<Model> model = load_model(make_source("<stdin>", std::move(text)));
  if (!model) return fail(model.diagnostics());
  const Result<Equations> equations = derive(std::make_shared<const Model>(std::move(model).value()));
  if (!equations) return fail(equations.diagnostics());
  std::cout << print_equations(*equations, {});
  EquationsFormat latex;
  latex.notation = Notation::kLatex;
  std::cout << print_equations(*equations, latex);

  const Result<AuditReport> report = audit(*equations);
  if (!report) return fail(report.diagnostics());
  write_audit(*report);

  const Dynamics dynamics = compile(*equations, {.machine_code = false});
  const AssembleOptions held = held_values(*equations->model);
  const Assembly start = assemble(dynamics, initial_state(*equations->model), held);
  if (!start.ok()) return fail({explain_failure(dynamics, start, held)});
  Result<IntegrateOptions> options = run_options(*equations->model);
  if (!options) return fail(options.diagnostics());
  options->until = until;
  Trajectory path = integrate(dynamics, start.state, *options);
  path.wall_seconds = 0;
  write_csv(path, std::cout);
  JsonWriter json(std::cout);
  json.begin_object();
  write_run(path, json);
  json.end_object();
  std::cout << '\n';
  return path.status == RunStatus::kOk ? 0 : 1;
}

}  // namespace
}  // namespace dalembert

int main(int count, char** arguments) {
  const auto until = dalembert::parse_double(count == 2 ? arguments[1] : "");
  if (!until) {
    std::cerr << "usage: study UNTIL < MODEL\n";
    return 2;
  }
  std::string text;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, stdin)) text.append(piece, got);
  return dalembert::study(std::move(text), *until);
}
