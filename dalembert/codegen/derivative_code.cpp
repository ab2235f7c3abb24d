// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/derivative_code.h"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "dalembert/codegen/integral_code.h"
#include "dalembert/compile/compile.h"

namespace dalembert {
namespace {

struct Differentiated {
  KernelFunction function;
  std::string_view routine, parameters, arguments;
  std::vector<SymbolKind> by;
};

// The pivots of a solve are watched, as those of `jacobian` are.
constexpr std::string_view kWatchPivots = R"program(  real solved[nv + nr + 2], sum
  call kernel_accelerations(t, q, v, u, solved)
  sum = 0.0
  for i = 0 to nv + nr {
    sum = sum + solved[i] * 0.0
  }
  if not (sum == 0.0 and solved[nv + nr] > 0.0 and solved[nv + nr + 1] < limit(1e7)) {
    return 4
  }
)program";

}  // namespace

std::vector<DerivativeRoutine> derivative_routines(const Equations& equations, const Layout& layout, bool solves_kkt) {
  using enum SymbolKind;
  std::vector<Differentiated> wanted;
  constexpr std::string_view of_state = "real t, in q[nq], in v[nv], in u[nu]";
  if (solves_kkt && !layout.load_dependent() && layout.nv + layout.m <= kLargestJacobianCode)
    wanted.push_back({KernelFunction::kAccelerations,
                      "accelerations",
                      of_state,
                      "t, q, v, u",
                      {kTime, kCoordinate, kVelocity, kInput, kParameter}});
  for (const auto& [function, name, count] :
       {std::tuple(KernelFunction::kOutputs, "outputs", layout.outputs),
        std::tuple(KernelFunction::kIntegrands, "integrands", layout.integrals)}) {
    if (count == 0 || layout.load_dependent()) continue;
    wanted.push_back({function,
                      name,
                      "real t, in q[nq], in v[nv], in vdot[nv], in lambda[nr], in u[nu]",
                      "t, q, v, vdot, lambda, u",
                      {kTime, kCoordinate, kVelocity, kAcceleration, kMultiplier, kInput, kParameter}});
  }
  wanted.push_back(
      {KernelFunction::kEnergy, "energy", of_state, "t, q, v, u", {kTime, kCoordinate, kVelocity, kInput, kParameter}});
  if (!layout.holonomic.empty())
    wanted.push_back({KernelFunction::kPosition,
                      "position_residual",
                      "real t, in q[nq], in u[nu]",
                      "t, q, u",
                      {kTime, kCoordinate, kInput, kParameter}});
  std::vector<DerivativeRoutine> routines;
  if (!equations.unilateral.empty()) return routines;
  for (const Differentiated& one : wanted) {
    const KernelJacobian jacobian(equations, one.function, code_arguments(equations, one.by),
                                  kMostJacobianInstructions);
    if (!jacobian.valid() || jacobian.pattern().nonzeros() == 0) continue;
    const bool solves = one.function == KernelFunction::kAccelerations;
    routines.push_back(
        {std::string(one.routine), std::string(one.parameters), jacobian.tape(),
         fmt::format(
             "# The derivatives of {0} by its arguments, then by p: the entries that are not zero by structure.{1}\n"
             "public routine {0}_derivatives({2}, out values[{3}]){4} {{\n{5}  call "
             "kernel_{0}_derivatives({6}, values)\n{7}}}\n",
             one.routine, solves ? " Status 4: a pivot\n# cannot be trusted at this state." : "", one.parameters,
             jacobian.tape().outputs, solves ? " -> status" : "", solves ? kWatchPivots : "", one.arguments,
             solves ? "  return 0\n" : ""),
         jacobian.pattern()});
  }
  return routines;
}

}  // namespace dalembert
