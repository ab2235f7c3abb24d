// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/color_scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dalembert {
namespace {

constexpr std::array<unsigned, 17> kViridis{0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d,
                                            0x2c728e, 0x26828e, 0x21918c, 0x1fa088, 0x28ae80, 0x3fbc73,
                                            0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725};

}  // namespace

std::array<double, 3> scale_color(double place) {
  const double at = std::clamp(place, 0.0, 1.0) * (kViridis.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  const double part = at - static_cast<double>(k);
  std::array<double, 3> color{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto of = [&](unsigned rgb) { return static_cast<double>(rgb >> (16 - 8 * c) & 0xffU) / 255; };
    color[c] = of(kViridis[k]) + part * (of(kViridis[k + 1]) - of(kViridis[k]));
  }
  return color;
}

std::string hex_color(const std::array<double, 3>& color) {
  std::string text = "#";
  for (const double part : color) text += fmt::format("{:02x}", static_cast<int>(std::lround(255 * part)));
  return text;
}

}  // namespace dalembert
