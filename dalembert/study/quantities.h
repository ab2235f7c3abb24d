// SPDX-License-Identifier: Apache-2.0
// The quantities that studies change and search for: parameters and initial values, by their names.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/units.h"
#include "dalembert/model/initial_values.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// A parameter or an initial value.
struct StudyQuantity {
  std::string name, unit;              ///< the unit in SI; empty if unknown
  std::optional<Dimension> dimension;  ///< nothing if unknown
  int parameter = -1;                  ///< index of the parameter; −1: an initial value
  InitialPlace place = {};             ///< of the initial value
};

/// The quantity of that name; nothing for any other name.
std::optional<StudyQuantity> quantity_of(const Model& model, const std::string& name);
/// Names of quantities, for suggestions.
std::vector<std::string> quantity_names(const Model& model);
/// The quantity of that name. Error: E0421, for anything else, with the nearest name.
Result<StudyQuantity> find_quantity(const Model& model, const std::string& name, const Span& span);

/// Reads a number with an optional unit, as a value of the quantity, in SI. `pure`: a number without a unit is asked for, whatever the
/// quantity. Errors: E0203 for another unit, E0108 beyond all numbers, those of parse_quantity().
Result<double> read_value(const MappedText& text, const StudyQuantity& quantity, bool pure = false);

/// Collects W0103 for numbers on the command line or in the model file that have no unit, where the model file states the quantity in another one than that
/// of SI. One warning for each quantity.
class UnitDoubts {
 public:
  /// `text` is what read_value() has read.
  void look_at(const Model& model, const StudyQuantity& quantity, const MappedText& text);
  const Diagnostics& all() const { return all_; }

 private:
  Diagnostics all_;
  std::set<std::string> names_;  // of the quantities
};

}  // namespace dalembert
