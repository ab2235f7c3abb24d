// SPDX-License-Identifier: Apache-2.0
// The form that is printed: the cheapest of those that algebra knows.
#pragma once

#include <vector>

#include "dalembert/algebra/gather.h"

namespace dalembert {

/// The cheapest (gather.h: cost) of the canonical form gathered, and the factored quotient in lowest terms with powers
/// of sines or cosines. Ties go to the former; a form with sums in denominators is always brought to one fraction, in
/// lowest terms or, where that is cheaper, over what stands below the bar already.
/// Large forms (kMaxFactored terms) are only gathered.
std::vector<FormTerm> shortest(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert
