// SPDX-License-Identifier: Apache-2.0
// Points in space and in the picture, SVG path data, and arrows. For use inside scene only.
#pragma once

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>

#include "dalembert/scene/scene.h"

namespace dalembert {

using Pixel = std::array<double, 2>;

inline double length(const Pixel& a) { return std::hypot(a[0], a[1]); }
inline Pixel operator+(const Pixel& a, const Pixel& b) { return {a[0] + b[0], a[1] + b[1]}; }
inline Pixel operator-(const Pixel& a, const Pixel& b) { return {a[0] - b[0], a[1] - b[1]}; }
inline Pixel operator*(double s, const Pixel& a) { return {s * a[0], s * a[1]}; }
inline Pixel unit(const Pixel& a) {
  const double l = length(a);
  return l > 1e-9 ? (1 / l) * a : Pixel{1, 0};
}
inline Pixel left_of(const Pixel& a) { return {a[1], -a[0]}; }  // to the left on the screen, where y points down

inline ScenePoint difference(const ScenePoint& a, const ScenePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double dot(const ScenePoint& a, const ScenePoint& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline ScenePoint cross(const ScenePoint& a, const ScenePoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double size(const ScenePoint& a) { return std::sqrt(dot(a, a)); }
inline bool finite(const ScenePoint& a) { return std::isfinite(a[0] + a[1] + a[2]); }

/// SVG path data. A coordinate that is not finite is written as 0, so that the path is always valid.
class Path {
 public:
  Path& move(const Pixel& p) { return add('M', {p}); }
  Path& line(const Pixel& p) { return add('L', {p}); }
  Path& curve(const Pixel& a, const Pixel& b, const Pixel& c) { return add('C', {a, b, c}); }
  Path& close() {
    text_ += 'Z';
    return *this;
  }
  /// The ellipse with centre c and conjugate radii u and v.
  Path& ellipse(const Pixel& c, const Pixel& u, const Pixel& v) {
    constexpr double k = 0.5522847498;
    move(c + u);
    curve(c + u + k * v, c + v + k * u, c + v);
    curve(c + v - k * u, c - u + k * v, c - u);
    curve(c - u - k * v, c - v - k * u, c - v);
    return curve(c - v + k * u, c + u - k * v, c + u).close();
  }
  Path& circle(const Pixel& c, double r) { return ellipse(c, {r, 0}, {0, r}); }
  std::string take() { return std::move(text_); }

 private:
  Path& add(char command, std::initializer_list<Pixel> points);
  std::string text_;
};

void arrow(Path& path, const Pixel& from, const Pixel& to);

/// An arc with an arrow head about `c`, its middle at c + v. It runs from u towards v, or the other way where `share` <
/// 0; |share| = 1 is three quarters of a turn. The number of line segments does not depend on `share`, so that films
/// can interpolate the path.
void curved_arrow(Path& path, const Pixel& c, const Pixel& u, const Pixel& v, double share);

}  // namespace dalembert
