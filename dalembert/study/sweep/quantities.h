// SPDX-License-Identifier: Apache-2.0
// The values of quantities in the runs of a study: on a grid, or by a distribution.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/model/model.h"
#include "dalembert/study/quantities.h"

namespace dalembert::sweeping {

/// Values of a quantity: listed, or evenly spaced from the first to the last.
struct Axis {
  StudyQuantity quantity;
  double first = 0, last = 0;
  std::int64_t count = 1;
  std::vector<double> listed = {};  ///< if not empty, the values

  double value(std::int64_t k) const;
};
/// Reads `0.1 m : 0.3 m : 21` or `1, 2, 5`. Errors: E0421, E0203.
Result<Axis> read_axis(const Model& model, const StudyStatement::Named& text, UnitDoubts& doubts);

/// The distribution of a quantity. Numbers are in SI.
struct Distribution {
  enum class Kind {
    kNormal,      ///< mean, standard deviation
    kUniform,     ///< smallest, largest value
    kLogNormal,   ///< median, standard deviation of the natural logarithm
    kTriangular,  ///< smallest, most frequent, largest value
  };
  Kind kind = Kind::kNormal;
  std::array<double, 3> numbers{};

  /// The value below which the distribution has the probability p, 0 < p < 1.
  double quantile(double p) const;
};
struct Sampled {
  StudyQuantity quantity;
  Distribution distribution;
};
/// Reads `normal(20 N/m, 2 N/m)`. Errors: E0421, E0203.
Result<Sampled> read_sampled(const Model& model, const StudyStatement::Named& text, UnitDoubts& doubts);

}  // namespace dalembert::sweeping
