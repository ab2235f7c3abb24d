// SPDX-License-Identifier: Apache-2.0
// Sine and cosine as straight-line code, for any number of lanes.
//
// x = k·π/2 + r with |r| ≤ π/4, with π/2 as the sum of three numbers of 53 bits (Cody and Waite). With fused
// multiply-adds, k times the first of them is subtracted exactly for |x| < 2³⁰, since then k has 30 bits and x and the
// difference are multiples of 2⁻⁵². The polynomials are those of fdlibm (Sun, k_sin.c and k_cos.c). Errors:
// tests/machine/sine_cosine_test.cpp.
#pragma once

#include "dalembert/machine/llvm/ir.h"

namespace dalembert {

struct SineCosine {
  Value sine = nullptr, cosine = nullptr;
};

/// What the result must be optimised for. kOne: one system, whose run waits for each result, so the shortest chain of
/// operations (Estrin's rule); kMany: many lanes, so the fewest operations (Horner's rule).
enum class Waiting { kOne, kMany };

/// Requires ir.fuses(). Lanes in which |x| > 2³⁰ or x is NaN become failed lanes of `ir`.
SineCosine emit_sine_cosine(Ir& ir, Value x, Waiting waiting);

}  // namespace dalembert
