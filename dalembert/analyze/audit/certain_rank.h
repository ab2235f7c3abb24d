// SPDX-License-Identifier: Apache-2.0
// Bounds of the rank of a matrix of formulas. Inside analyze only.
#pragma once

#include <vector>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// The largest rank r that the matrix certainly has at one of some random points, which is then its rank at least at almost all points: a
/// minor of size r is not 0 there by enclosures of the entries (Moore, Kearfott & Cloud, Introduction to Interval Analysis, SIAM 2009).
/// The search ends at `enough`. O(r · rows · columns) for each of at most 16 points.
int certain_rank(const std::vector<std::vector<Expr>>& rows, GivenPoints& points, int enough);

}  // namespace dalembert
