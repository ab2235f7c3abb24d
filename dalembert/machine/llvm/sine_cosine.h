// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of a number as straight-line code, for any number of lanes.
//
// x = k·π/2 + r with |r| ≤ π/4, by π/2 in three parts of 53 bits (Cody and Waite): with fused multiply-adds k times the
// first part is subtracted exactly for |x| < 2³⁰, since then k has 30 bits and x and the difference are multiples of
// 2⁻⁵². Kernel polynomials of fdlibm (Sun, k_sin.c and k_cos.c). Errors: tests/machine/sine_cosine_test.cpp.
#pragma once

#include "dalembert/machine/llvm/ir.h"

namespace dalembert {

struct SineCosine {
  Value sine = nullptr, cosine = nullptr;
};

/// kOne: of one system, whose run waits for each result (Estrin's rule); kMany: in fewer operations (Horner's).
enum class Waiting { kOne, kMany };

/// Only where ir.fuses(). Lanes with |x| > 2³⁰, or NaN, become failed lanes of `ir`.
SineCosine emit_sine_cosine(Ir& ir, Value x, Waiting waiting);

}  // namespace dalembert
