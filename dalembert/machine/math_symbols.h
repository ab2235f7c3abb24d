// SPDX-License-Identifier: Apache-2.0
// The functions that machine code calls by name: those of libm, for one number at a time, and those of SLEEF, for four
// or eight at once (libsleef.so.3, loaded when first needed; it may be missing).
#pragma once

#include <string>
#include <string_view>

#include "dalembert/expr/expr.h"
#include "dalembert/machine/host_cpu.h"

namespace dalembert {

/// The name in libm of a function node; empty where code needs no call (abs, min, comparisons, ...).
std::string_view libm_name(Op function);

/// The name in SLEEF for `lanes` numbers in one register (4: AVX2, 8: AVX-512). Empty where there is none, or where its
/// results differ from libm's by more than rounding.
std::string sleef_name(Op function, int lanes, VectorUnit unit);

bool sleef_available();

/// The address of the function with a name that libm_name() or sleef_name() gives; null for any other name.
const void* math_symbol(std::string_view name);

}  // namespace dalembert
