// SPDX-License-Identifier: Apache-2.0
#include "dalembert/scene/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numbers>

namespace dalembert {

Path& Path::add(char command, std::initializer_list<Pixel> points) {
  text_ += command;
  bool first = true;
  for (const Pixel& p : points) {
    for (double x : p) {
      if (!std::isfinite(x)) x = 0;
      x = std::clamp(x, -1e5, 1e5);
      if (std::abs(x) < 0.05) x = 0;
      fmt::format_to(std::back_inserter(text_), "{}{:.1f}", first ? "" : " ", x);
      first = false;
    }
  }
  return *this;
}

void arrow(Path& path, const Pixel& from, const Pixel& to) {
  const Pixel v = to - from;
  const double head = std::min(10.0, 0.45 * length(v));
  const Pixel d = unit(v), n = left_of(d);
  path.move(from).line(to);
  path.move(to - head * d + 0.42 * head * n).line(to).line(to - head * d - 0.42 * head * n);
}

void curved_arrow(Path& path, const Pixel& c, const Pixel& u, const Pixel& v, double share) {
  constexpr int kPieces = 24;
  const double sweep = share == 0 ? 0 : std::copysign(0.7 + 4 * std::min(std::abs(share), 1.0), share);
  const auto at = [&](double s) {
    const double angle = std::numbers::pi / 2 + (s - 0.5) * sweep;
    return share == 0 ? c : c + std::cos(angle) * u + std::sin(angle) * v;
  };
  path.move(at(0));
  for (int k = 1; k <= kPieces; ++k) path.line(at(static_cast<double>(k) / kPieces));
  const Pixel tip = at(1), back = at(1 - 1.5 / kPieces) - tip;
  const double head = share == 0 ? 0 : 9;
  const Pixel d = -1 * unit(back), n = left_of(d);
  path.move(tip - head * d + 0.45 * head * n).line(tip).line(tip - head * d - 0.45 * head * n);
}

}  // namespace dalembert
