// SPDX-License-Identifier: Apache-2.0
// Width of a typeset formula.
#pragma once

#include "dalembert/expr/formula.h"

namespace dalembert {

/// Width of the formula in typeset LaTeX, in em of the surrounding Computer Modern text, accurate to a few percent.
/// `inline_style`: fractions are small, as in the cells of a matrix. Letters are measured by the font metrics, the rest
/// by TeX's spacing rules.
double latex_width(FormulaPart part, bool inline_style = false);

}  // namespace dalembert
