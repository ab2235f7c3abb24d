// SPDX-License-Identifier: Apache-2.0
// What is said of a restitution or a coefficient of friction that cannot be (E0285, E0274), where models are made and on pages that run them again.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

std::string words_of_restitution(const std::string& constraint, std::string_view value);
std::string words_of_coefficient(const std::string& friction, std::string_view value);
/// Of a friction that sticks with less than it slides.
std::string words_of_coefficients(const std::string& friction, std::string_view sticking, std::string_view sliding);

}  // namespace dalembert
