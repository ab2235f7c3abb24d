// SPDX-License-Identifier: Apache-2.0
// Oracles that share nothing with the library: linkages of one freedom reduced by hand to one coordinate, and an
// integrator of its own kind.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dalembert::oracles {

/// A function of the one coordinate s: its value and its first two derivatives by s.
struct Jet {
  double f = 0, d = 0, dd = 0;

  /// d²/dt² of it, given ṡ and s̈.
  double acceleration(double sd, double sdd) const { return d * sdd + dd * sd * sd; }
  double rate(double sd) const { return d * sd; }
};
inline Jet variable(double s) { return {s, 1, 0}; }
inline Jet constant(double c) { return {c, 0, 0}; }
inline Jet chain(const Jet& x, double f, double f1, double f2) { return {f, f1 * x.d, f1 * x.dd + f2 * x.d * x.d}; }
inline Jet operator+(const Jet& x, const Jet& y) { return {x.f + y.f, x.d + y.d, x.dd + y.dd}; }
inline Jet operator*(const Jet& x, const Jet& y) {
  return {x.f * y.f, x.d * y.f + x.f * y.d, x.dd * y.f + 2 * x.d * y.d + x.f * y.dd};
}
inline Jet operator*(double c, const Jet& x) { return {c * x.f, c * x.d, c * x.dd}; }
inline Jet operator-(const Jet& x, const Jet& y) { return x + -1 * y; }
inline Jet sin(const Jet& x) { return chain(x, std::sin(x.f), std::cos(x.f), -std::sin(x.f)); }
inline Jet cos(const Jet& x) { return chain(x, std::cos(x.f), -std::sin(x.f), -std::cos(x.f)); }
inline Jet inverse(const Jet& x) { return chain(x, 1 / x.f, -1 / (x.f * x.f), 2 / (x.f * x.f * x.f)); }
inline Jet sqrt(const Jet& x) {
  const double root = std::sqrt(x.f);
  return chain(x, root, 1 / (2 * root), -1 / (4 * root * x.f));
}
inline Jet asin(const Jet& x) {
  const double c = std::sqrt(1 - x.f * x.f);
  return chain(x, std::asin(x.f), 1 / c, x.f / (c * c * c));
}
/// Angle of the vector (x, y): its derivative is (x y' − y x')/(x² + y²).
inline Jet angle(const Jet& x, const Jet& y) {
  const double n = x.f * x.f + y.f * y.f, n1 = 2 * (x.f * x.d + y.f * y.d);
  const double cross = x.f * y.d - y.f * x.d, cross1 = x.f * y.dd - y.f * x.dd;
  return {std::atan2(y.f, x.f), cross / n, cross1 / n - cross * n1 / (n * n)};
}

/// A planar rigid body whose motion follows from s; gravity acts along −y.
struct ReducedBody {
  double m, I;
  Jet x, y, angle;
};

/// Σ(m r'·r' + I α'²) s̈ + Σ(m r'·r'' + I α'α'') ṡ² + Σ m g y' = Q_s, which is Lagrange's equation for s.
inline double reduced_acceleration(const std::vector<ReducedBody>& bodies, double g, double sd, double force) {
  double inertia = 0, change = 0, weight = 0;
  for (const ReducedBody& b : bodies) {
    inertia += b.m * (b.x.d * b.x.d + b.y.d * b.y.d) + b.I * b.angle.d * b.angle.d;
    change += b.m * (b.x.d * b.x.dd + b.y.d * b.y.dd) + b.I * b.angle.d * b.angle.dd;
    weight += b.m * g * b.y.d;
  }
  return (force - change * sd * sd - weight) / inertia;
}

/// models/slider-crank.toml, s = θ, on the branch cos φ < 0: sin φ = (L1/L2) sin θ.
struct ReducedSliderCrank {
  static constexpr double g = 9.81, L1 = 0.15, L2 = 0.35, m1 = 0.36, m2 = 0.84, m3 = 1.2, I1 = 0.0027, I2 = 0.0343;
  Jet phi, x;
  std::vector<ReducedBody> bodies;  ///< crank, rod, slider

  explicit ReducedSliderCrank(double theta) {
    const Jet th = variable(theta), pi = constant(M_PI), zero;
    phi = pi - asin((L1 / L2) * sin(th));
    x = 2 * L1 * cos(th) - 2 * L2 * cos(phi);
    bodies = {{m1, I1, L1 * cos(th), L1 * sin(th), th},
              {m2, I2, 2 * L1 * cos(th) - L2 * cos(phi), 2 * L1 * sin(th) - L2 * sin(phi), phi},
              {m3, 0, x, zero, zero}};
  }
  /// τ on the crank, f on the slider.
  double acceleration(double thetad, double tau = 0, double f = 0) const {
    return reduced_acceleration(bodies, g, thetad, tau + f * x.d);
  }
};

/// models/four-bar.toml, s = θ1, with C on the left of BD: θ2 = arg(D − B) + ∠(C, B, D).
struct ReducedFourBar {
  static constexpr double g = 9.81, l0 = 0.45, l1 = 0.2, l2 = 0.5, l3 = 0.4, m1 = 0.4, m2 = 1, m3 = 0.8;
  Jet theta1, theta2, theta3;
  std::vector<ReducedBody> bodies;  ///< crank, coupler, rocker

  explicit ReducedFourBar(double s) : theta1(variable(s)) {
    const Jet Bx = l1 * cos(theta1), By = l1 * sin(theta1), dx = constant(l0) - Bx, dy = -1 * By;
    const Jet rho = sqrt(dx * dx + dy * dy);
    const Jet cosine = (constant(l2 * l2 - l3 * l3) + rho * rho) * inverse(2 * l2 * rho);
    theta2 = angle(dx, dy) + constant(M_PI / 2) - asin(cosine);
    const Jet Cx = Bx + l2 * cos(theta2), Cy = By + l2 * sin(theta2);
    theta3 = angle(Cx - constant(l0), Cy);
    bodies = {{m1, m1 * l1 * l1 / 12, 0.5 * Bx, 0.5 * By, theta1},
              {m2, m2 * l2 * l2 / 12, 0.5 * (Bx + Cx), 0.5 * (By + Cy), theta2},
              {m3, m3 * l3 * l3 / 12, 0.5 * (constant(l0) + Cx), 0.5 * Cy, theta3}};
  }
  double acceleration(double sd, double tau = 0) const { return reduced_acceleration(bodies, g, sd, tau); }
};

/// y(t1) of y' = f(t, y) by the Gragg–Bulirsch–Stoer method: `steps` equal steps, each extrapolated from 2, 4, …, 12
/// substeps (order 12). What is extrapolated is the change in a step, so that its round-off stays small beside y's.
/// Hairer, Nørsett & Wanner, Solving ODEs I, II.9.
using Vector = std::vector<double>;
inline Vector extrapolate(const std::function<Vector(double, const Vector&)>& f, Vector y, double t0, double t1,
                          int steps) {
  constexpr int kColumns = 6;
  const double H = (t1 - t0) / steps;
  const auto add = [](const Vector& a, double c, const Vector& b) {
    Vector sum(a);
    for (std::size_t i = 0; i < a.size(); ++i) sum[i] += c * b[i];
    return sum;
  };
  const Vector zero(y.size());
  for (int step = 0; step < steps; ++step) {
    const double t = t0 + H * step;
    const Vector slope = f(t, y);
    std::vector<Vector> column;
    for (int j = 1; j <= kColumns; ++j) {
      const double h = H / (2 * j);
      Vector before = zero, now = add(zero, h, slope);
      for (int k = 1; k < 2 * j; ++k) {
        Vector next = add(before, 2 * h, f(t + k * h, add(y, 1, now)));
        before = std::exchange(now, std::move(next));
      }
      // Neville's scheme in h²: column[i] becomes T(j, i + 1), made of T(j, i) and T(j − 1, i).
      column.insert(column.begin(), std::move(now));
      for (int i = 1; i < j; ++i) {
        const double ratio = double(j) / (j - i);
        for (std::size_t c = 0; c < y.size(); ++c) {
          const double finer = column[static_cast<std::size_t>(i - 1)][c];
          double& coarser = column[static_cast<std::size_t>(i)][c];
          coarser = finer + (finer - coarser) / (ratio * ratio - 1);
        }
      }
    }
    y = add(y, 1, column.back());
  }
  return y;
}

}  // namespace dalembert::oracles
