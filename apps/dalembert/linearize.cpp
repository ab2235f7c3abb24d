// SPDX-License-Identifier: Apache-2.0
// dalembert linearize: A, B, C, D of the constrained motion, eigenvalues, modes, stability; and how these vary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ostream>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/vary.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/base/text.h"
#include "dalembert/store/file.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/friction_at.h"
#include "dalembert/study/linearization.h"

namespace dalembert::app {
namespace {

std::string formulas_text(const StabilityTexts& formulas, const Terminal& terminal) {
  std::string out = "\n" + terminal.bold("formulas") + "\n";
  if (!formulas.found.none.empty()) return out + fmt::format("  none: {}\n", formulas.found.none);
  const std::vector<std::string>& states = formulas.found.states;
  for (std::size_t i = 0; i < states.size(); ++i)
    for (std::size_t j = 0; j < states.size(); ++j)
      if (formulas.J[i][j] != "0") out += fmt::format("  J[{},{}] = {}\n", states[i], states[j], formulas.J[i][j]);
  const std::size_t n = states.size();
  const auto power = [](std::size_t k) {
    return k == 0 ? std::string() : k == 1 ? std::string("s") : fmt::format("s^{}", k);
  };
  out += fmt::format("  det(s - J) = {}", power(n));
  for (std::size_t k = 0; k < n; ++k)
    if (formulas.characteristic[k] != "0")
      out += fmt::format(" + ({}){}", formulas.characteristic[k], k + 1 == n ? "" : "*" + power(n - 1 - k));
  out += "\n";
  if (formulas.found.zeros > 0)
    out += fmt::format("  {} of its roots are 0, whatever the parameters\n", formulas.found.zeros);
  if (std::ranges::count(formulas.conditions, "0") > 0)
    return out + "  the roots are never all on the left: a Routh-Hurwitz condition is 0 whatever the parameters\n";
  for (std::size_t k = 0; k < formulas.conditions.size(); ++k)
    out += fmt::format("  {:<40}{} > 0\n",
                       k > 0                      ? "and"
                       : formulas.found.zeros > 0 ? "all others are on the left where"
                                                  : "its roots are all on the left where",
                       formulas.conditions[k]);
  return out;
}

std::string matrix_text(const std::string& name, const Matrix& matrix, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns, const Terminal& terminal) {
  if (matrix.rows == 0 || matrix.cols == 0) return "";
  std::string text = "\n" + terminal.bold(name) + "\n";
  if (columns.size() > 10) {
    Table entries;
    for (std::size_t i = 0; i < matrix.rows; ++i)
      for (std::size_t j = 0; j < matrix.cols; ++j)
        if (matrix(i, j) != 0) entries.add({fmt::format("[{},{}]", rows[i], columns[j]), six_digits(matrix(i, j))});
    return text + entries.text();
  }
  Table table;
  std::vector<std::string> heading{""};
  heading.insert(heading.end(), columns.begin(), columns.end());
  table.add(std::move(heading));
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::vector<std::string> line{rows[i]};
    for (std::size_t j = 0; j < matrix.cols; ++j) line.push_back(six_digits(matrix(i, j)));
    table.add(std::move(line));
  }
  return text + table.text();
}

// Describes an eigenvalue in words: "1.23 s to a half", or "0.8 Hz, damping 0.12".
std::string course(const std::complex<double>& z) {
  if (z == 0.0) return "";
  const double size = std::abs(z);
  std::string text;
  if (z.imag() != 0) text = fmt::format("{} Hz", to_text(std::abs(z.imag()) / (2 * std::numbers::pi), 4));
  if (std::abs(z.real()) <= 1e-12 * size) return text;
  if (z.imag() != 0) text += fmt::format(", damping ratio {}; ", to_text(-z.real() / size, 3));
  return text + fmt::format("{} in {} s", z.real() < 0 ? "halves" : "doubles",
                            to_text(std::numbers::ln2 / std::abs(z.real()), 4));
}

std::string shape_text(const Mode& mode, const std::vector<std::string>& states) {
  std::vector<std::pair<double, std::string>> parts;
  for (std::size_t i = 0; i < mode.shape.size(); ++i)
    if (std::abs(mode.shape[i]) > 0.01)
      parts.emplace_back(
          -std::abs(mode.shape[i]),
          fmt::format("{} {}", states[i], to_text(std::abs(mode.shape[i]), 2)) +
              (mode.eigenvalue.imag() == 0
                   ? (mode.shape[i].real() < 0 ? " (-)" : "")
                   : fmt::format(" ({} deg)", std::round(std::arg(mode.shape[i]) * 180 / std::numbers::pi) + 0.0)));
  std::ranges::stable_sort(parts, {}, &std::pair<double, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < parts.size() && i < 6; ++i) text += (i > 0 ? ", " : "") + parts[i].second;
  return text;
}

std::string mode_table(const Stability& stability, const std::vector<std::string>& states) {
  Table table;
  for (const Mode& mode : stability.modes) {
    if (mode.eigenvalue.imag() < 0) continue;
    const std::string value = eigenvalue_text(mode.eigenvalue);
    table.add({value, course(mode.eigenvalue), mode.shape.empty() ? "" : shape_text(mode, states)});
  }
  return table.text();
}

std::string text(const SystemAt& given, const LinearMotion& motion, const Stability& stability,
                 const Terminal& terminal) {
  const System& system = given.system;
  const Names& names = system.dynamics.names();
  const std::vector<std::string> states = state_names(motion);
  std::string out = fmt::format("{} linearised at {} {}\n", terminal.bold(system.model->name),
                                motion.kind == MotionKind::kEquilibrium ? "an" : "a", to_text(motion.kind));
  std::vector<std::string> at;
  for (std::size_t i = 0; i < motion.at.q.size(); ++i)
    at.push_back(fmt::format("{} = {}{}", names.coordinates[i], six_digits(motion.at.q[i]),
                             unit_suffix(coordinate_unit(names.coordinate_units[i]))));
  out += labelled_list("q", at);
  at.clear();
  for (std::size_t i = 0; i < motion.at.v.size(); ++i)
    if (motion.at.v[i] != 0) at.push_back(fmt::format("{} = {}", names.velocity(i), six_digits(motion.at.v[i])));
  out += labelled_list("moving", at);
  if (!given.follows.empty()) out += labelled_list("left out", left_out_names(given));
  if (given.unheld) out += labelled_list("friction", list_frictions(*given.unheld));
  out += matrix_text("A", motion.A, states, states, terminal);
  out += matrix_text("B", motion.B, states, names.inputs, terminal);
  const OutputRows outputs = own_outputs(system, motion);
  out += matrix_text("C", outputs.C, outputs.names, states, terminal);
  if (largest(outputs.D) != 0) out += matrix_text("D", outputs.D, outputs.names, names.inputs, terminal);
  const bool judged_without = stability.modes.empty() && stability.zeros == 0;
  if (!judged_without) out += "\n" + terminal.bold("eigenvalues") + " (1/s)\n" + mode_table(stability, states);
  if (stability.zeros > 0) {
    out += fmt::format("\n  zero: {}\n", stability.zeros);
    for (const std::string& reason : stability.because) out += fmt::format("    {}\n", reason);
  }
  if (!stability.undecided.empty()) return out + fmt::format("\n  not decided: {}\n", stability.undecided);
  if (stability.zeros == 0)
    for (const std::string& reason : stability.because) out += fmt::format("\n  {}\n", reason);
  if (stability.verdict == StabilityVerdict::kNone)
    return out + "\n  no verdict: this is neither an equilibrium nor a steady motion\n";
  const std::string verdict(to_text(stability.verdict));
  const bool good =
      stability.verdict == StabilityVerdict::kStable || stability.verdict == StabilityVerdict::kAsymptoticallyStable;
  return out + fmt::format("\n  {}{}\n",
                           good                                               ? terminal.green(verdict)
                           : stability.verdict == StabilityVerdict::kUnstable ? terminal.red(verdict)
                                                                              : verdict,
                           stability.verdict == StabilityVerdict::kMarginal
                               ? ": the linearisation does not decide, terms of higher order do"
                               : "");
}

std::string spectrum_line(const Spectrum& spectrum) {
  std::vector<std::string> items;
  for (const std::complex<double>& z : spectrum) items.push_back(complex_text(z));
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string control_text(const Control& control, const Terminal& terminal) {
  std::string out;
  if (control.period) {
    out += fmt::format("\n{} {} s, with inputs that are constant in between\n", terminal.bold("samples each"),
                       to_text(*control.period, 6));
    out += matrix_text("Ad", control.A, control.states, control.states, terminal) +
           matrix_text("Bd", control.B, control.states, control.inputs, terminal);
  }
  const char* unit = control.period ? "per sample" : "1/s";
  if (control.K.rows > 0) {
    out += matrix_text("K", control.K, control.inputs, control.states, terminal);
    out += fmt::format("  u = -K z: eigenvalues {} ({})\n", spectrum_line(control.closed_loop), unit);
  }
  for (const std::string& mode : control.unreached) out += fmt::format("  {}\n", mode);
  if (control.L.cols > 0) {
    out += matrix_text("L", control.L, control.states, control.measured, terminal);
    out += fmt::format("  of the estimate's error: eigenvalues {} ({})\n", spectrum_line(control.estimator), unit);
  }
  for (const std::string& mode : control.unseen) out += fmt::format("  {}\n", mode);
  return out;
}

// What --lqr, --kalman and --discrete ask for; nothing without them.
std::optional<Control> control_as_asked(const Arguments& arguments, const LinearizedModel& model) {
  ControlRequest request;
  if (const auto text = arguments.value("--lqr")) request.lqr = MappedText::of(*text, "--lqr");
  if (const auto text = arguments.value("--kalman")) request.kalman = MappedText::of(*text, "--kalman");
  request.period = arguments.quantity("--discrete", Dimension::time(), 0);
  if (!request.lqr && !request.kalman && !request.period) return std::nullopt;
  Result<Control> control = design_control(model, request);
  if (!control) fail(kExitUsage, control.diagnostics());
  return std::move(control).value();
}

// Writes the gains as C.
void write_control(const std::string& path, const LinearizedModel& model, const std::optional<Control>& control,
                   Terminal& terminal) {
  if (!path.ends_with(".c"))
    fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`", path), {"write FILE.c: gains as C"});
  if (!control || (control->K.rows == 0 && control->L.cols == 0))
    fail(kExitUsage, "E0403", "`--output` of `linearize` is for gains", {"ask for them by --lqr or --kalman"});
  const std::string code = control_code(model, *control);
  const Diagnostics problems = write_file(path, [&](std::ostream& out) { out << code; });
  if (!problems.empty()) fail(kExitIo, problems);
  terminal.note(fmt::format("wrote {}\n", path));
}

}  // namespace

int run_linearize(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--vary"))
    for (const char* option : {"--lqr", "--kalman", "--discrete", "--formulas", "--output"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403", fmt::format("`{}` is of one state: it does not go with `--vary`", option),
             {"`linearize --set` with each value answers it there"});
  const SizeLimit limit{.refuse = refuse_to_linearize, .parts = kMostDifferentiated, .exit_code = kExitNumerical};
  const Result<LinearizedModel> found = linearize_at(build_system_at(arguments, &limit), arguments.has("--settle"));
  if (!found) fail(kExitNumerical, found.diagnostics());
  const SystemAt& given = *found->given;
  const LinearMotion& motion = found->motion;
  const Stability& stability = found->stability;
  terminal.report(found->warnings);
  if (const std::optional<std::string> varied = arguments.value("--vary")) {
    const Variation variation = vary_as_asked(*varied, *found);
    Json with = linearization_json(given, motion, stability);
    with["vary"] = variation_json(variation);
    terminal.out(arguments.json() ? document_text(with) : variation_text(variation, terminal));
    return variation.interrupted ? kExitInterrupted : variation.stopped.empty() ? kExitOk : kExitNumerical;
  }
  Json result = linearization_json(given, motion, stability);
  std::string shown = text(given, motion, stability, terminal);
  if (arguments.has("--formulas")) {
    const StabilityTexts formulas = stability_texts(given.system, motion);
    result["formulas"] = formulas_json(formulas);
    shown += formulas_text(formulas, terminal);
  }
  const std::optional<Control> control = control_as_asked(arguments, *found);
  if (const std::optional<std::string> path = arguments.value("--output"))
    write_control(*path, *found, control, terminal);
  if (control) {
    result["control"] = control_json(*control);
    shown += control_text(*control, terminal);
  }
  terminal.out(arguments.json() ? document_text(result) : shown);
  return kExitOk;
}

}  // namespace dalembert::app
