// SPDX-License-Identifier: Apache-2.0
// How wide a formula is when it is typeset.
#pragma once

#include "dalembert/expr/formula.h"

namespace dalembert {

/// Width of the typeset LaTeX in em of the surrounding Computer Modern text, to a few percent. `inline_style`: small
/// fractions, as in the cells of a matrix. Measured by the fonts' metrics for letters, TeX's spacing rules for the
/// rest.
double latex_width(FormulaPart part, bool inline_style = false);

}  // namespace dalembert
