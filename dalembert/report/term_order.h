// SPDX-License-Identifier: Apache-2.0
// Orders the terms of a sum as the user typed them.
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

/// The terms of a sum outside all brackets, in order.
std::vector<SignedTerm> terms_of(const Formula& sum);

/// The order in which to write `terms` (in Notation::kText). First come the terms that resemble a term of `typed`, the
/// text of the model, in its order; terms resemble each other if they share names. The others follow. Among terms at
/// the same place, those with coordinates or velocities come first, and positive ones before negative ones. `moves`
/// tells whether a name is a coordinate or a velocity.
std::vector<std::size_t> typed_order(const std::vector<SignedTerm>& terms, std::string_view typed,
                                     const std::function<bool(const std::string&)>& moves);

}  // namespace dalembert
