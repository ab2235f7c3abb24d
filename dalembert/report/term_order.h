// SPDX-License-Identifier: Apache-2.0
// The terms of a sum in the order in which somebody typed them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/formula.h"

namespace dalembert {

/// One term of a sum, without its sign.
struct SignedTerm {
  bool negative = false;
  Formula formula;
};

/// The terms outside all brackets, in order.
std::vector<SignedTerm> terms_of(const Formula& sum);

/// Places of `terms` (in Notation::kText) as they are to be written. First those that resemble a term of `typed`, the text
/// of the model, in its order: two terms resemble each other by the names that they share. The others after them, and
/// where nothing resembles: terms that move before those that do not, positive ones before negative ones. `moves` says
/// whether a name is a coordinate or a velocity.
std::vector<std::size_t> typed_order(const std::vector<SignedTerm>& terms, std::string_view typed,
                                     const std::function<bool(const std::string&)>& moves);

}  // namespace dalembert
