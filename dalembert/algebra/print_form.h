// SPDX-License-Identifier: Apache-2.0
// Prints canonical forms as people write them.
#pragma once

#include <string>

#include "dalembert/algebra/gather.h"
#include "dalembert/expr/print_formula.h"

namespace dalembert {

/// Terms and factors are in the order of textbooks, which does not depend on how the form was computed (see gather.h).
std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation);
/// Prints a sum that is gathered already.
std::string print(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation);

/// What print() prints, as a list of tokens.
Formula formula(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation);
Formula formula(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation);

/// Number of symbols, numbers and functions in the printed expression; shared parts count at each occurrence, so it may be astronomical.
/// The cost is proportional to the number of nodes.
double written_size(const Expr& expression);
/// The printed expression if written_size() is at most `most`; otherwise a note that states its number of operations.
std::string print_within(const Expr& expression, double most, Notation notation);

}  // namespace dalembert
