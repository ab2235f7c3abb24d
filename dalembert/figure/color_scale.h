// SPDX-License-Identifier: Apache-2.0
// Colours of numbers, from dark violet over green to yellow. Their lightness grows with the number, so that they read the same in grey print and
// for colour-blind people. Source: Smith & van der Walt, viridis, at 17 places.
#pragma once

#include <array>
#include <string>

namespace dalembert {

/// Red, green and blue, each from 0 to 1, at a place from 0 to 1; places outside have the colours of the ends.
std::array<double, 3> scale_color(double place);
/// "#440154"
std::string hex_color(const std::array<double, 3>& color);

}  // namespace dalembert
