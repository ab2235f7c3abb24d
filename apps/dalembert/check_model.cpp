// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/check_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/start.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/report/equation_phrases.h"
#include "dalembert/study/massless.h"
#include "dalembert/study/start_warnings.h"
#include "dalembert/study/sweep.h"

namespace dalembert::app {
namespace {

// A residual far below the spacing of doubles near 1 is shown as 0.
std::string residual_text(double residual) { return residual < 1e-30 ? "0" : fmt::format("{:.1e}", residual); }

Json empty_document(const std::string& model) {
  return {{"model", model},
          {"ok", false},
          {"N", nullptr},
          {"m", nullptr},
          {"rank", nullptr},
          {"dof", {{"velocity", nullptr}}},
          {"diagnostics", Json::array()}};
}

std::vector<std::string> with_units(const std::vector<std::string>& names, const std::vector<std::string>& units) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < names.size(); ++i)
    items.push_back(units[i].empty() ? names[i] : fmt::format("{} [{}]", names[i], units[i]));
  return items;
}

// Describes the constraint rows, and how many of them constrain velocities only.
std::string constraint_lines(const System& system) {
  const Names& names = system.dynamics.names();
  const int m = system.equations.m(), holonomic = static_cast<int>(system.equations.holonomic.size());
  std::string kind = m == 0           ? ""
                     : holonomic == m ? " (holonomic)"
                     : holonomic == 0 ? " (of velocity)"
                                      : fmt::format(" ({} of velocity)", m - holonomic);
  return fmt::format("  {:<14}{}{}\n", "constraints", m, kind) +
         labelled_list("", with_units({names.rows.begin(), names.rows.begin() + m}, names.row_units)) +
         labelled_list("prescribed", {names.rows.begin() + m, names.rows.end()});
}

void describe(const System& system, const ModelStart& start, Findings& findings) {
  const Names& names = system.dynamics.names();
  const int n = system.dynamics.nq();
  findings.document["N"] = n;
  findings.document["m"] = system.equations.m();
  findings.text += fmt::format("  {:<14}{}\n", "coordinates", n) +
                   labelled_list("", with_units(names.coordinates, coordinate_units(names)));
  findings.text += constraint_lines(system);
  if (!start.assembly.ok()) return;
  const int nv = system.dynamics.nv();
  const int rank = rank_of_constraints(system.dynamics, start.assembly.state, start.rank());
  findings.document["rank"] = rank_json(rank);
  findings.document["dof"]["velocity"] = rank < 0 ? Json(nullptr) : Json(nv - rank);
  findings.text +=
      rank < 0
          ? fmt::format("  {:<14}unknown: too large for the rank of W\n", "freedoms")
          : fmt::format("  {:<14}{}   {} - rank {}{}\n", "freedoms", nv - rank, counted(nv, "velocity", "velocities"),
                        rank, names.actuated > 0 ? fmt::format(", {} of them prescribed", names.actuated) : "");
  if (system.equations.m() > 0 && nv == rank) findings.text += labelled_list("", {why_nothing_moves(system, start)});
  std::vector<std::string> conserved;
  for (const ConservedQuantity& quantity : conserved_quantities(system.equations)) conserved.push_back(quantity.name);
  if (const std::string remark = conserved_remark(*system.model); !conserved.empty() && !remark.empty())
    conserved.back() += " " + remark;
  findings.text += labelled_list("conserved", conserved);
  findings.text += describe_start(system, start);
  if (system.dynamics.m() > 0)
    findings.text +=
        fmt::format("  {:<14}position {}, velocity {}\n", "residual", residual_text(start.assembly.position_residual),
                    residual_text(start.assembly.velocity_residual));
}

}  // namespace

Findings check_model(const std::string& name, const std::function<LoadedModel()>& read, const CompileOptions& options) {
  Findings findings;
  findings.document = empty_document(name);
  try {
    findings.system = std::make_shared<const System>(build(read(), options));
    const System& system = *findings.system;
    findings.document["model"] = system.model->name;
    findings.text = system.model->name + "\n";
    findings.diagnostics = system.warnings;
    findings.start = find_start(system);
    const ModelStart& start = *findings.start;
    describe(system, start, findings);
    if (start.assembly.ok()) {
      const Diagnostics twice = overdetermined(system, start);
      if (!twice.empty()) findings.exit_code = kExitModel;
      findings.diagnostics.insert(findings.diagnostics.end(), twice.begin(), twice.end());
      const Diagnostics redundant = twice.empty() ? start_warnings(system, start) : Diagnostics();
      findings.diagnostics.insert(findings.diagnostics.end(), redundant.begin(), redundant.end());
      const Diagnostics negative = inertia_warnings(system, start.assembly.state);
      findings.diagnostics.insert(findings.diagnostics.end(), negative.begin(), negative.end());
      // At the start every allowed motion must have inertia, otherwise accelerations are undefined.
      if (auto none = no_accelerations(system, start.assembly.state, "at the start"))
        findings.diagnostics.push_back(*std::move(none));
    } else {
      findings.diagnostics.push_back(explain_start(system, start));
      findings.exit_code = exit_code_of_start(findings.diagnostics.back());
    }
    if (const Diagnostics study = Sweep::check(*system.model); !study.empty()) {
      append_new(findings.diagnostics, study);
      findings.exit_code = kExitModel;
    }
  } catch (const Failure& failure) {
    findings.diagnostics = failure.diagnostics;
    findings.exit_code = failure.exit_code;
  }
  return findings;
}

}  // namespace dalembert::app
