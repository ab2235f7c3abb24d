// SPDX-License-Identifier: Apache-2.0
// Classical Runge–Kutta steps that contain the code of the accelerations, with the state in registers; for long tapes
// and many coordinates see calls_tapes() and loops_over_state().
//
//   q̇ = v,  v̇ = q̈(t, q, v, u):   k₁ = f(t, y),  k₂ = f(t + h/2, y + h/2 k₁),  k₃ = f(t + h/2, y + h/2 k₂),
//   k₄ = f(t + h, y + h k₃),   y ← y + h/6 (k₁ + 2k₂ + 2k₃ + k₄)
#pragma once

#include <string>

#include "dalembert/machine/code_function.h"
#include "dalembert/machine/llvm/ir.h"

namespace dalembert {

/// The function of CodeKind::kRungeKutta4, see machine_code.h.
Value emit_runge_kutta(IrModule& module, const CodeFunction& wanted, const std::string& name, std::size_t part);

}  // namespace dalembert
