// SPDX-License-Identifier: Apache-2.0
// Sine and cosine with the same bits on every machine, so that a run gives the same numbers everywhere: the functions of C libraries
// differ in the last bit. Computing both together takes less time than two calls of glibc.
#pragma once

namespace dalembert {

struct SineCosine {
  double sine, cosine;
};

/// The sine and the cosine of x, both within one unit in the last place. For |x| > 10⁵ rad they are the C library's.
SineCosine sine_cosine(double x);

}  // namespace dalembert
