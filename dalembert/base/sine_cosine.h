// SPDX-License-Identifier: Apache-2.0
// Sine and cosine with the same bits on every machine, so that a run gives the same numbers wherever it is made: those of C
// libraries differ in the last bit. Both at once take less time than two calls of glibc.
#pragma once

namespace dalembert {

struct SineCosine {
  double sine, cosine;
};

/// Within one unit in the last place. Beyond |x| = 10⁵ rad they are the C library's.
SineCosine sine_cosine(double x);

}  // namespace dalembert
