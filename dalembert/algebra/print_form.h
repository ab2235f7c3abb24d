// SPDX-License-Identifier: Apache-2.0
// Canonical forms as a person writes them.
#pragma once

#include <string>

#include "dalembert/algebra/gather.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// The order of terms and factors is that of textbooks and does not depend on how the form came about (see gather.h).
std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation);
/// A sum that was gathered elsewhere.
std::string print(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation);

/// The same as tokens.
Formula formula(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation);
Formula formula(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation);

/// How many symbols, numbers and functions `expression` has when it is printed as it stands, shared parts each time;
/// may be astronomical. Costs what the graph has.
double written_size(const Expr& expression);
/// The expression as it stands where it has at most `most` symbols, numbers and functions; else how many operations it has.
std::string print_within(const Expr& expression, double most, Notation notation);

}  // namespace dalembert
