// SPDX-License-Identifier: Apache-2.0
// The unknowns of a fit: quantities of the model, the same for all files or one for each, and the offsets of clocks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/study/fit.h"
#include "dalembert/study/quantities.h"

namespace dalembert::fitting {

/// What is known of an unknown before the data: its value or, if `logarithmic`, the logarithm of its value has a normal distribution.
struct Prior {
  double mean = 0, sigma = 1;  ///< of the value; logarithmic: the median, and the standard deviation of the logarithm
  bool logarithmic = false;

  double residual(double value) const;
  double slope(double value) const;  ///< derivative of the residual
};

struct Unknown {
  std::string name, unit;
  int quantity = -1;  ///< index of the quantity; −1: an offset
  int file = -1;      ///< of which it is alone; −1: of all
  double start = 0;
  double lower = 0, upper = 0;  ///< may be infinite
  Span place = {};              ///< of its bounds
  double scale = 1;             ///< its size
  std::optional<Prior> prior = {};
};

struct Unknowns {
  std::vector<StudyQuantity> quantities;
  std::vector<Unknown> all;

  /// Index of the unknown that is this quantity, or if −1 the offset, of a file; −1: there is none.
  int of(int quantity, int file) const;
  /// The values of the quantities in the run of a file.
  std::vector<double> quantities_of(const std::vector<double>& x, int file) const;
  double offset_of(const std::vector<double>& x, int file) const;
};

/// Reads what the request frees. `stated` gives the values of quantities that the model states. Errors: E0430, E0421, E0203.
Result<Unknowns> read_unknowns(const Model& model, const FitRequest& request, const std::vector<FitData>& data,
                               UnitDoubts& doubts);
/// Sets starts and scales from the values that the model states, in the order of the quantities, and refuses starts outside of bounds (E0430).
/// `duration` is the time of the longest file.
Diagnostics set_starts(Unknowns& unknowns, const std::vector<double>& stated, double duration);

}  // namespace dalembert::fitting
