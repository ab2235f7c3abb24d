// SPDX-License-Identifier: Apache-2.0
// Sums of squares, as people write distances: (x - a)^2 + (y - b)^2 - L^2.
#pragma once

#include <vector>

#include "dalembert/algebra/gather.h"

namespace dalembert {

/// `form` with squares of coordinates completed, where that is cheaper (gather.h: cost) than `written`, which is the same form as it would be
/// written otherwise; else `written`. `preferred`: also where both cost the same.
std::vector<FormTerm> with_squares(Canonicalizer& canonicalizer, const Polynomial& form, std::vector<FormTerm> written,
                                   bool preferred = false);

}  // namespace dalembert
