// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/roles.h"

#include <fmt/format.h>

namespace dalembert {
namespace {

std::string_view subject(Role role) {
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
    case Role::kDefinition:
      return "a definition";
  }
  return "this";
}

bool allowed(Role role, SymbolKind kind) {
  if (role == Role::kOutput || role == Role::kDefinition) return true;
  switch (kind) {
    case SymbolKind::kParameter:
    case SymbolKind::kShorthand:
      return true;
    case SymbolKind::kTime:
      return role != Role::kConstant;
    case SymbolKind::kCoordinate:
      return role != Role::kConstant && role != Role::kInput;
    case SymbolKind::kVelocity:
      return role == Role::kKinetic || role == Role::kDissipation || role == Role::kLagrangian ||
             role == Role::kPfaffian || role == Role::kForce;
    case SymbolKind::kInput:
      return role == Role::kForce;
    case SymbolKind::kAcceleration:
    case SymbolKind::kMultiplier:
      return false;
  }
  return false;
}

struct Words {
  const char* code;
  std::string kind, help;
};

Words words(Role role, SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kAcceleration:
      return {"E0210", "an acceleration", "accelerations are results: they may stand in [outputs]"};
    case SymbolKind::kInput:
      return {"E0211", "an input",
              role == Role::kHolonomic || role == Role::kPfaffian || role == Role::kGeometry
                  ? "write the function of t itself, under a name in [define]: its time derivatives are needed"
                  : "let it act through a force: `[[force]]` with `power = \"tau*dot(theta)\"`"};
    case SymbolKind::kVelocity:
      return {"E0212", "a velocity",
              role == Role::kHolonomic   ? "write `pfaffian = …` for a constraint on velocities"
              : role == Role::kPotential ? "write the whole as `lagrangian`, or damping as `dissipation`"
                                         : ""};
    case SymbolKind::kMultiplier:
      return {"E0213", "a multiplier", "multipliers are results: they may stand in [outputs]"};
    case SymbolKind::kTime:
    case SymbolKind::kCoordinate:
      if (role == Role::kInput)
        return {"E0215", "a coordinate", "a force that depends on the state stands in `[[force]]`, not in [inputs]"};
      return {"E0214", kind == SymbolKind::kTime ? "time" : "a coordinate",
              "it may be made of numbers and parameters only"};
    default:
      return {"E0214", "this", ""};
  }
}

}  // namespace

std::optional<Diagnostic> refusal(Role role, SymbolKind kind, std::string_view name, const Span& span) {
  if (allowed(role, kind)) return std::nullopt;
  if (kind == SymbolKind::kMultiplier && role == Role::kForce) {
    Diagnostic later = error("E0009", "forces that depend on multipliers are not supported yet", span);
    later.help.push_back("`lambda(…)` may stand in [outputs]");
    return later;
  }
  Words said = words(role, kind);
  if (role == Role::kInput && kind == SymbolKind::kVelocity)
    said = {"E0215", "a velocity", words(role, SymbolKind::kCoordinate).help};
  Diagnostic problem = error(said.code, fmt::format("{} cannot depend on {}", subject(role), said.kind), span,
                             name.empty() ? std::string() : fmt::format("`{}` is {}", name, said.kind));
  if (!said.help.empty()) problem.help.push_back(said.help);
  return problem;
}

}  // namespace dalembert
