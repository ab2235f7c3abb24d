// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/roles.h"

#include <fmt/format.h>

#include "dalembert/expr/symbol_name.h"

namespace dalembert {

std::string_view subject_of(Role role) {
  switch (role) {
    case Role::kGeometry:
      return "a position or an angle";
    case Role::kConstant:
      return "a mass or an inertia";
    case Role::kElement:
      return "the constant of a spring or damper";
    case Role::kKinetic:
      return "the kinetic energy";
    case Role::kPotential:
      return "the potential energy";
    case Role::kDissipation:
      return "the dissipation function";
    case Role::kLagrangian:
      return "the Lagrangian";
    case Role::kHolonomic:
      return "a holonomic constraint";
    case Role::kPfaffian:
      return "a pfaffian constraint";
    case Role::kForce:
      return "a force";
    case Role::kInput:
      return "an input";
    case Role::kOutput:
      return "an output";
    case Role::kClaim:
      return "a claim";
    case Role::kDefinition:
      return "a definition";
    case Role::kInitial:
      return "an initial value";
    case Role::kQuasiVelocity:
      return "a quasi-velocity";
    case Role::kPrescribed:
      return "a prescribed motion";
    case Role::kNormalForce:
      return "a normal force";
    case Role::kCondition:
      return "a condition";
    case Role::kRestitution:
      return "a restitution";
  }
  return "this";
}

namespace {

// Whether it may contain only numbers and parameters.
bool is_constant(Role role) { return role == Role::kConstant || role == Role::kInitial || role == Role::kRestitution; }

bool needs_rates(Role role) {
  if (role == Role::kQuasiVelocity || role == Role::kPrescribed) return true;
  return role < Role::kForce && role != Role::kConstant && role != Role::kDissipation;
}

// Whether an input may be used, as a function of time: positions are differentiated twice, energies and Pfaffian constraints once.
bool allowed(Role role, InputUse use) {
  switch (use) {
    case InputUse::kExpression:
    case InputUse::kTable:
      return role == Role::kForce || role == Role::kNormalForce;
    case InputUse::kSpline:
      return !is_constant(role) && role != Role::kInput;
    case InputUse::kRate:
      return role == Role::kKinetic || role == Role::kPotential || role == Role::kLagrangian ||
             role == Role::kDissipation || role == Role::kPfaffian || role == Role::kQuasiVelocity ||
             role == Role::kForce || role == Role::kNormalForce;
    case InputUse::kSecondRate:
      return role == Role::kDissipation || role == Role::kForce || role == Role::kNormalForce;
  }
  return false;
}

bool allowed(Role role, SymbolKind kind, InputUse use) {
  if (role == Role::kOutput || role == Role::kClaim || role == Role::kDefinition || role == Role::kCondition)
    return true;
  switch (kind) {
    case SymbolKind::kParameter:
    case SymbolKind::kShorthand:
      return true;
    case SymbolKind::kTime:
      return !is_constant(role);
    case SymbolKind::kCoordinate:
      return !is_constant(role) && role != Role::kInput && role != Role::kPrescribed;
    case SymbolKind::kVelocity:
    case SymbolKind::kQuasiVelocity:
      return role == Role::kKinetic || role == Role::kDissipation || role == Role::kLagrangian ||
             role == Role::kPfaffian || role == Role::kQuasiVelocity || role == Role::kForce ||
             role == Role::kNormalForce;
    case SymbolKind::kInput:
      return allowed(role, use);
    case SymbolKind::kMultiplier:
      return role == Role::kNormalForce || role == Role::kForce;
    case SymbolKind::kAcceleration:
    case SymbolKind::kQuasiAcceleration:
      return false;
  }
  return false;
}

constexpr const char* kConstantsHelp = "it may contain only numbers and parameters";

struct Words {
  const char* code;
  std::string kind, help;
};

Words words_about_input(Role role, InputUse use, std::string_view name) {
  const bool rate = use == InputUse::kRate || use == InputUse::kSecondRate;
  std::string help = "let it act through a force: `[[force]]` with `power = \"tau*dot(theta)\"`";
  if (rate)
    help = "the equations would need a third time derivative, and a cubic spline has only two that are continuous";
  else if (use == InputUse::kSpline)
    help = "an input is a function of t and parameters alone";
  else if (use == InputUse::kTable && needs_rates(role))
    help = fmt::format(
        "its time derivatives are needed, which samples joined by straight lines do not have: read them as a spline, "
        "`{} = {{file = …, column = …, interpolation = \"spline\"}}`",
        name.empty() ? "u" : name);
  else if (role == Role::kHolonomic || role == Role::kPfaffian || role == Role::kGeometry)
    help = "write the function of t itself, under a name in [define]: its time derivatives are needed";
  if (is_constant(role) && (role != Role::kConstant || use >= InputUse::kSpline))
    return {"E0214", "an input", kConstantsHelp};
  return {"E0211", rate ? "the rate of an input" : "an input", std::move(help)};
}

Words words(Role role, SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kAcceleration:
    case SymbolKind::kQuasiAcceleration:
      return {"E0210", "an acceleration", "accelerations are results: they may be used in [outputs]"};
    case SymbolKind::kVelocity:
    case SymbolKind::kQuasiVelocity:
      return {"E0212", "a velocity",
              role == Role::kHolonomic   ? "write `pfaffian = …` for a constraint on velocities"
              : role == Role::kPotential ? "write the whole as `lagrangian`, or damping as `dissipation`"
                                         : ""};
    case SymbolKind::kMultiplier:
      return {"E0213", "a multiplier", "multipliers are results: they may be used in [outputs]"};
    case SymbolKind::kTime:
    case SymbolKind::kCoordinate:
      if (role == Role::kPrescribed)
        return {"E0215", "a coordinate",
                "it is prescribed by a function of t and parameters; a relation between coordinates is a "
                "`[[constraint]]` with `holonomic = …`"};
      if (role == Role::kInput)
        return {"E0215", "a coordinate", "a force that depends on the state belongs in `[[force]]`, not in [inputs]"};
      return {"E0214", kind == SymbolKind::kTime ? "time" : "a coordinate", kConstantsHelp};
    default:
      return {"E0214", "this", ""};
  }
}

}  // namespace

std::optional<Diagnostic> refusal(Role role, SymbolKind kind, std::string_view name, const Span& span, InputUse use) {
  const bool of_contact = !row_of_contact(name).empty(), of_energy = name.starts_with("energy("),
             of_run = names_integral(name);
  const bool result = of_contact || of_energy || of_run;
  if (allowed(role, kind, use) && (!result || allowed(role, SymbolKind::kAcceleration, use)) &&
      !(of_run && role == Role::kClaim))
    return std::nullopt;
  // A force may depend on multipliers of rows, but not on forces that these determine.
  const bool other_result = kind == SymbolKind::kMultiplier && name.ends_with(")") && !name.starts_with("lambda(");
  if (result) {
    Diagnostic problem = error("E0213", fmt::format("{} cannot depend on `{}`", subject_of(role), name), span);
    problem.help.push_back(
        fmt::format("{} may be used in [outputs] and in [[event]]", of_contact ? "what a contact does"
                                                                    : of_run   ? "an integral over the run"
                                                                               : "an energy"));
    return problem;
  }
  if (other_result && (role == Role::kForce || role == Role::kNormalForce)) {
    Diagnostic problem = error("E0213", fmt::format("{} cannot depend on `{}`", subject_of(role), name), span);
    problem.help.push_back("it may contain only `lambda(…)` of constraints");
    return problem;
  }
  Words said = kind == SymbolKind::kInput ? words_about_input(role, use, name) : words(role, kind);
  if (role == Role::kInput && kind == SymbolKind::kVelocity)
    said = {"E0215", "a velocity", words(role, SymbolKind::kCoordinate).help};
  Diagnostic problem = error(said.code, fmt::format("{} cannot depend on {}", subject_of(role), said.kind), span,
                             name.empty() ? std::string() : fmt::format("`{}` is {}", name, said.kind));
  if (!said.help.empty()) problem.help.push_back(said.help);
  return problem;
}

}  // namespace dalembert
