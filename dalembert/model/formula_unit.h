// SPDX-License-Identifier: Apache-2.0
// Units of formulas whose dimension leaves a choice: an angle is in rad, a torque in N*m.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dalembert/base/units.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// What a formula of a model with this dimension measures. An angle (or a rate or integral of one): a coordinate or parameter that is one, and symbols in `angles`; a sum, abs, min,
/// max or if with an angle; an angle times numbers, parameters and functions of time; asin, acos, atan, atan2; an integral over one. A force: a
/// formula with multipliers or inputs that has no coordinate as a factor, which would make it work.
Measure measure_of(const Model& model, const Expr& formula, const std::optional<Dimension>& dimension,
                   std::span<const SymbolId> angles = {});

/// The unit in SI of a formula that measures this; empty if the dimension is unknown, "rad*s" for the integral of an angle.
std::string unit_of(const std::optional<Dimension>& dimension, Measure measure);

}  // namespace dalembert
