// SPDX-License-Identifier: Apache-2.0
// Numbers that a user gives without a unit, where the model file has one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"

namespace dalembert {

/// A number that is given for a quantity.
struct GivenNumber {
  std::string name;                ///< of the quantity
  MappedText text;                 ///< the number, or a formula of numbers
  std::string unit, si;            ///< of the quantity in the model file, empty if it has none there; and in SI
  double in_file = 0;              ///< the value that the file gives, in SI; 0: none
  std::string_view before, after;  ///< what stands around a number where it is written again
};

/// Whether this is the name of a unit of SI without a prefix: a number alone and one with it are the same.
bool is_si_unit(const std::string& unit);

/// W0103 if a number has no unit and the file has one: 80 for a length of "80 mm" is 80 m. 0 is the same in all units. Where the unit of the file is not
/// that of SI, a number is doubted if in the unit of the file it would be nearer to the value of the file, by ratio: 80 beside "60 deg", but not 0.5. Beside
/// 0 an angle of up to a turn is not doubted.
std::optional<Diagnostic> missing_unit(const GivenNumber& given);

}  // namespace dalembert
