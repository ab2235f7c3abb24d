// SPDX-License-Identifier: Apache-2.0
// The printed form: the cheapest of those that algebra can compute.
#pragma once

#include <vector>

#include "dalembert/algebra/gather.h"

namespace dalembert {

/// The cheaper (gather.h: cost) of two forms: the gathered canonical form, and the factored quotient in lowest terms with powers of sines
/// or cosines. If both cost the same, the first is used. A form with sums in denominators always becomes one fraction, either in lowest
/// terms or, if that is cheaper, over the existing denominators. Forms of more than kMaxFactored terms are only gathered.
std::vector<FormTerm> shortest(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert
