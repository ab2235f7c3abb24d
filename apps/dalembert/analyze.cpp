// SPDX-License-Identifier: Apache-2.0
// dalembert analyze: freedoms, redundancy, integrability, conserved quantities, equilibria and their stability.
#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/report/equation_phrases.h"
#include "dalembert/study/analysis.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/friction_at.h"

namespace dalembert::app {
namespace {

std::string sum_text(const System& system, const RedundantRow& row) {
  std::string sum;
  for (const auto& [other, coefficient] : row.combination)
    sum +=
        fmt::format("{}{} {}",
                    sum.empty()       ? (coefficient < 0 ? "-" : "")
                    : coefficient < 0 ? " - "
                                      : " + ",
                    six_digits(std::abs(coefficient)), system.dynamics.names().rows[static_cast<std::size_t>(other)]);
  return sum.empty() ? "0" : sum;
}

// Accuracy of a dependence that is only numerical: the part of the row that the other rows do not explain.
std::string gap_text(const RedundantRow& row) {
  if (row.exact) return "";
  return row.distance > 0 ? fmt::format(" here (to {:.0e})", row.distance) : " here";
}

// An equilibrium in words: what it is, where it is, and how it is judged.
struct EquilibriumText {
  std::string kind, at, judged;
};

EquilibriumText equilibrium_text(const System& system, const Found& equilibrium, const Terminal& terminal) {
  const Names& names = system.dynamics.names();
  const LinearMotion& motion = equilibrium.motion;
  std::vector<std::string> at;
  for (std::size_t i = 0; i < motion.at.q.size(); ++i)
    at.push_back(fmt::format("{} = {}", names.coordinates[i], six_digits(motion.at.q[i])));
  for (std::size_t i = 0; i < motion.at.v.size(); ++i)
    if (motion.at.v[i] != 0) at.push_back(fmt::format("{} = {}", names.velocity(i), six_digits(motion.at.v[i])));
  const std::string verdict(to_text(equilibrium.stability.verdict));
  const bool good = equilibrium.stability.verdict == StabilityVerdict::kStable ||
                    equilibrium.stability.verdict == StabilityVerdict::kAsymptoticallyStable;
  EquilibriumText out;
  out.kind = fmt::format("\n  {}, {}\n", to_text(motion.kind),
                         good                                                           ? terminal.green(verdict)
                         : equilibrium.stability.verdict == StabilityVerdict::kUnstable ? terminal.red(verdict)
                                                                                        : verdict);
  out.at = labelled_list("at", at);
  if (equilibrium.unheld) out.at += labelled_list("friction", list_frictions(*equilibrium.unheld));
  if (!equilibrium.stability.family.empty()) out.at += labelled_list("family along", equilibrium.stability.family);
  if (!equilibrium.stability.undecided.empty()) {
    out.judged = labelled_list("not decided", {equilibrium.stability.undecided});
    return out;
  }
  if (equilibrium.stability.modes.empty()) {
    out.judged = labelled_list("because", equilibrium.stability.because);
    return out;
  }
  std::vector<std::string> values;
  for (const Mode& mode : equilibrium.stability.modes)
    if (mode.eigenvalue.imag() >= 0 && mode.eigenvalue != 0.0) values.push_back(eigenvalue_text(mode.eigenvalue));
  if (equilibrium.stability.zeros > 0)
    values.push_back(equilibrium.stability.zeros == 1 ? "0" : fmt::format("0 ({} times)", equilibrium.stability.zeros));
  out.judged = labelled_list("eigenvalues", values, 12);
  const bool grows =
      std::ranges::any_of(equilibrium.stability.modes, [](const Mode& mode) { return mode.eigenvalue.real() > 0; });
  if (equilibrium.stability.verdict == StabilityVerdict::kUnstable && !grows)
    out.judged += labelled_list("because", equilibrium.stability.because);
  return out;
}

// All equilibria and steady motions. Of many that are judged alike, as the members of one family are, the first ones.
std::string equilibria_text(const System& system, const Analysis& analysis, const Terminal& terminal) {
  constexpr std::size_t kMany = 6, kShown = 2;
  std::map<std::string, std::pair<std::size_t, std::size_t>> alike;  // how many, and how many of them were written
  std::vector<EquilibriumText> texts;
  for (const Found& equilibrium : analysis.equilibria) {
    texts.push_back(equilibrium_text(system, equilibrium, terminal));
    ++alike[texts.back().kind + texts.back().judged].first;
  }
  std::string out;
  for (const EquilibriumText& one : texts) {
    auto& [count, written] = alike[one.kind + one.judged];
    if (count > kMany && written == kShown) continue;
    out += one.kind + one.at + one.judged;
    if (++written == kShown && count > kMany)
      out += fmt::format("\n  … and {} more that are judged in the same words: --json has them all\n", count - kShown);
  }
  return out;
}

// `remark`: when quantities are conserved (conserved_remark), for the model as it is stated.
std::string text(const System& system, const Analysis& analysis, const std::string& remark, const Terminal& terminal) {
  const Names& names = system.dynamics.names();
  std::string out = terminal.bold(system.model->name) + "\n";
  out += fmt::format("  {:<14}{}   ({} - rank {})\n", "freedoms", freedoms_text(system, analysis),
                     counted(system.dynamics.nv(), "velocity", "velocities"), rank_of_constraints(system, analysis));
  for (const RedundantRow& row : analysis.rank.redundant) {
    out += fmt::format("  {:<14}{} = {}{}{}\n", "redundant", names.rows[static_cast<std::size_t>(row.row)],
                       sum_text(system, row), gap_text(row),
                       !row.consistent                  ? terminal.red(", but no motion satisfies both")
                       : row.consistent_nearby == false ? terminal.red(", but elsewhere they contradict each other")
                                                        : "");
  }
  for (const RedundantRow& row : analysis.rank.nearly)
    out += fmt::format("  {:<14}{} is nearly {} (only {:.0e} of it is independent): it counts\n", "no redundancy",
                       names.rows[static_cast<std::size_t>(row.row)], sum_text(system, row), row.distance);
  if (analysis.singular.singular())
    out += fmt::format("  {:<14}rank {} instead of {}: {} nearby\n", "singular", analysis.rank.rank,
                       analysis.singular.rank_nearby,
                       counted(system.dynamics.nv() - analysis.singular.rank_nearby, "freedom", "freedoms"));
  if (analysis.singular.alone)
    out += fmt::format("  {:<14}no position was found nearby: {}\n", "singular",
                       analysis.singular.rigid() ? "nothing moves, by the second order" : "perhaps nothing moves");
  const Integrability& found = analysis.integrability;
  if (found.kind != "none") {
    out += fmt::format("  {:<14}{}\n", "constraints", integrability_text(found));
    for (const auto& [row, function] : analysis.first_integrals)
      out += fmt::format("  {:<14}{} says that {} is constant\n", "", row, function);
  }
  for (std::size_t i = 0; i < analysis.conserved.size(); ++i) {
    const std::string& formula = analysis.conserved[i].second;
    out += fmt::format("  {:<14}{} = {}\n", i == 0 ? "conserved" : "", analysis.conserved[i].first,
                       formula.size() <= kLongestFormula
                           ? formula
                           : fmt::format("(a formula of {} characters: `--json` has it)", formula.size()));
  }
  if (!analysis.conserved.empty() && !remark.empty()) out += fmt::format("  {:<14}{}\n", "", remark);
  if (!analysis.left_out.empty()) out += labelled_list("left out", analysis.left_out);
  if (!analysis.searched) return out + "\n  equilibria were not looked for: the system depends on time\n";
  if (!analysis.looked) return out + "\n  equilibria were not looked for\n";
  if (analysis.equilibria.empty()) return out + "\n  no equilibrium or steady motion was found\n";
  return out + equilibria_text(analysis.alone ? analysis.alone->system : system, analysis, terminal);
}

}  // namespace

int run_analyze(const Arguments& arguments, Terminal& terminal) {
  const SizeLimit limit{.refuse = refuse_to_analyze};
  SystemAt stated = build_system_at(arguments, &limit);
  const std::string remark = conserved_remark(*stated.system.model);
  const Result<SystemAt> held = with_contacts_held(std::move(stated));
  if (!held) fail(kExitNumerical, held.diagnostics());
  const SystemAt& given = *held;
  const System& system = given.system;
  terminal.report(system.warnings);
  const Result<Analysis> found = analyze_system(given, true);
  if (!found) fail(kExitModel, found.diagnostics());
  const Analysis& analysis = *found;
  terminal.report(analysis.warnings);
  terminal.out(arguments.json() ? document_text(analysis_json(system, analysis))
                                : text(system, analysis, remark, terminal));
  return kExitOk;
}

}  // namespace dalembert::app
