// SPDX-License-Identifier: Apache-2.0
// Restitutions and coefficients of friction that cannot be (E0285, E0274), and what is said of them: where models are made, where runs have
// other values of parameters, and on pages that run models again.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

class Model;

std::string words_of_restitution(const std::string& constraint, std::string_view value);
std::string words_of_coefficient(const std::string& friction, std::string_view value);
/// Of a friction that sticks with less than it slides.
std::string words_of_coefficients(const std::string& friction, std::string_view sticking, std::string_view sliding);

/// Why these numbers cannot be, in the words above; empty if they can be, or are not known (NaN for a coefficient).
std::string refuse_restitution(const std::string& constraint, double e);
std::string refuse_coefficient(const std::string& friction, double coefficient);
/// Of a sliding coefficient that can be, and the one of sticking.
std::string refuse_static(const std::string& friction, double sticking, double sliding);
/// The first of these that the present values of the model's parameters give; empty if there is none.
std::string refuse_limits(const Model& model);

}  // namespace dalembert
