// SPDX-License-Identifier: Apache-2.0
// Everything that the library makes of `const Equations&`, each as the text of its result.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/stability/held_friction.h"
#include "dalembert/codegen/tape_routine.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/json_documents.h"

namespace dalembert {

struct Pass {
  const char* name;
  std::string (*result)(const Equations& equations);
};

inline std::string listing(const Equations& equations, Form form, Notation notation,
                           const std::vector<std::string>& only = {}) {
  EquationsFormat format;
  format.form = form;
  format.notation = notation;
  format.only = only;
  return print_equations(equations, format);
}

/// Terms at the initial values as they are, and the end of a short run from there where one can begin.
inline std::string numbers(const Equations& equations, bool machine_code) {
  const Dynamics dynamics = compile(equations, {.machine_code = machine_code});
  const State start = initial_state(*equations.model);
  const Terms terms = evaluate_terms(dynamics, start);
  std::string text = fmt::format("{} {} {} {} {}\n", terms.M, terms.B, terms.G, terms.F, terms.gamma);
  IntegrateOptions options;
  options.until = start.t + 0.01;
  options.rtol = 1e-6;
  const Trajectory path = integrate(dynamics, start, options);
  text += fmt::format("{}", static_cast<int>(path.status));
  return text;
}

inline constexpr std::array kPasses{
    Pass{"text", [](const Equations& e) { return listing(e, Form::kCanonical, Notation::kText); }},
    Pass{"latex", [](const Equations& e) { return listing(e, Form::kCanonical, Notation::kLatex); }},
    Pass{"expanded", [](const Equations& e) { return listing(e, Form::kExpanded, Notation::kText); }},
    Pass{"as derived", [](const Equations& e) { return listing(e, Form::kAsDerived, Notation::kText); }},
    Pass{"solved",
         [](const Equations& e) {
           return listing(e, Form::kCanonical, Notation::kText, {"lambda", "qdd"});
         }},
    Pass{"steps", [](const Equations& e) { return print_derivation(e, Form::kCanonical, Notation::kText); }},
    Pass{"steps in latex",
         [](const Equations& e) { return print_derivation(e, Form::kCanonical, Notation::kLatex, true); }},
    Pass{"json", [](const Equations& e) { return equations_json(e).text(); }},
    Pass{"meanings",
         [](const Equations& e) {
           std::string text;
           for (const MultiplierMeaning& meaning : explain_multipliers(e)) {
             text += meaning.row + meaning.unit + meaning.words;
             for (const auto& [coordinate, force] : meaning.force) text += to_text(force);
           }
           return text;
         }},
    Pass{"audit",
         [](const Equations& e) {
           const Result<AuditReport> report = audit(e);
           return report ? audit_json(e.model->name, *report).text() : render(report.diagnostics());
         }},
    Pass{"closed form",
         [](const Equations& e) {
           std::string text;
           if (const auto form = solve_closed_form(e))
             for (const std::vector<Expr>* list : {&form->qdd, &form->lambda})
               for (const Expr& formula : *list) text += to_text(formula) + "\n";
           return text;
         }},
    Pass{"conserved",
         [](const Equations& e) {
           std::string text;
           for (const ConservedQuantity& c : conserved_quantities(e)) text += c.name + to_text(c.expression);
           return text;
         }},
    Pass{"tapes",
         [](const Equations& e) {
           const TapeKernel kernel(e);
           std::string text;
           for (std::size_t i = 0; i < kKernelFunctions; ++i)
             text += tape_routine(kernel.tape(static_cast<KernelFunction>(i)), "f", "", "");
           return text;
         }},
    Pass{"jacobian",
         [](const Equations& e) {
           const auto by = arguments_of(e, {SymbolKind::kCoordinate, SymbolKind::kVelocity});
           const KernelJacobian rates(e, KernelFunction::kRates, by),
               accelerations(e, KernelFunction::kAccelerations, by);
           return tape_routine(rates.tape(), "f", "", "") +
                  (accelerations.valid() ? tape_routine(accelerations.tape(), "g", "", "") : "");
         }},
    Pass{"frictions held",
         [](const Equations& e) {
           std::string text;
           for (const FrictionState state : {FrictionState{0, 1}, FrictionState{-1, 1}}) {
             const TapeKernel kernel(hold_frictions(e, FrictionMode(e.frictions.size(), state)));
             text += tape_routine(kernel.tape(KernelFunction::kRates), "f", "", "") +
                     tape_routine(kernel.tape(KernelFunction::kFriction), "g", "", "");
           }
           return text;
         }},
    Pass{"numbers", [](const Equations& e) { return numbers(e, false); }},
    Pass{"numbers by machine code", [](const Equations& e) { return numbers(e, true); }},
    Pass{"values",
         [](const Equations& e) {
           const auto value = evaluate(std::array{e.T, e.V, e.E}, [](SymbolId s) { return 0.5 + 0.1 * s; });
           return fmt::format("{}", value);
         }},
    Pass{"units",
         [](const Equations& e) {
           const auto dimension = e.model->dimension_of(e.E);
           return dimension ? unit_name(*dimension, Measure::kAny) : std::string("unknown");
         }},
};

}  // namespace dalembert
