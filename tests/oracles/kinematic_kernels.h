// SPDX-License-Identifier: Apache-2.0
// Hand-written systems whose velocities are not the rates of their coordinates, and others that say the same with
// coordinates alone.
#pragma once

#include <array>
#include <cmath>

#include "oracles/hand_kernels.h"

namespace dalembert::oracles {

/// Chaplygin's sleigh in its own velocities, q = (x, y, θ), v = (u, ω): the blade allows no other. No constraint is left.
/// ẋ = u cos θ, ẏ = u sin θ, θ̇ = ω;  m u̇ = m a ω²,  (I + m a²) ω̇ = −m a u ω (Bloch, Nonholonomic Mechanics and Control,
/// §1.7).
class ReducedSleigh : public HandKernel {
 public:
  ReducedSleigh(double m = 1.3, double I = 0.7, double a = 0.4) : HandKernel(2, 0, {}, true), m_(m), I_(I), a_(a) {
    set_kinematics(3, {{0, 0}, {1, 0}, {2, 1}});
  }
  void kinematics(double, const double* q, Square& N, Array&) const override {
    N[0][0] = std::cos(q[2]);
    N[1][0] = std::sin(q[2]);
    N[2][1] = 1;
  }
  void terms(const Point& at, Terms& x) const override {
    const double u = at.v[0], w = at.v[1];
    x.M[0][0] = m_;
    x.M[1][1] = I_ + m_ * a_ * a_;
    x.B[0] = -m_ * a_ * w * w;
    x.B[1] = m_ * a_ * u * w;
  }

 private:
  double m_, I_, a_;
};

/// RotatingRod without a constraint: v = ṙ, q = r (cos Ωt, sin Ωt), so that q̇ = N v + n₀ with both depending on time.
/// m r̈ = m Ω² r; conserved is m(ṙ² − Ω²r²)/2.
class BeadOnRod : public HandKernel {
 public:
  BeadOnRod(double m = 0.8, double omega = 1.2) : HandKernel(1, 0, {}, true), m_(m), omega_(omega) {
    set_kinematics(2, {{0, 0}, {1, 0}});
  }
  void kinematics(double t, const double* q, Square& N, Array& n0) const override {
    N[0][0] = std::cos(omega_ * t);
    N[1][0] = std::sin(omega_ * t);
    n0 = {-omega_ * q[1], omega_ * q[0]};
  }
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = m_;
    x.G[0] = -m_ * omega_ * omega_ * radius(at.t, at.q);
  }
  double potential(double t, const double* q) const override {
    return -m_ * omega_ * omega_ * radius(t, q) * radius(t, q) / 2;
  }

 private:
  double radius(double t, const double* q) const { return q[0] * std::cos(omega_ * t) + q[1] * std::sin(omega_ * t); }
  double m_, omega_;
};

/// A heavy symmetric top whose tip stays at the origin: mass, centre of mass at `s` along its axis, inertias about the
/// centre A, A, C.
struct Top {
  double m = 0.7, s = 0.25, A = 0.02, C = 0.013, g = 9.81;
};

/// As a free body, q = (r, e), v = (ṙ, ω): e = (e₀, e₁, e₂, e₃) turns body axes into those of the ground, ω is in body
/// axes, ė = e ⊗ (0, ω)/2 (Goldstein, Poole & Safko, 3rd ed., §4.5, §5.5). h = r − s R e₃: λ is the force of the tip.
class QuaternionTop : public HandKernel {
 public:
  explicit QuaternionTop(const Top& top = {}) : HandKernel(6, 3, {0, 1, 2}, true), top_(top) {
    std::vector<std::pair<int, int>> N{{0, 0}, {1, 1}, {2, 2}};
    for (int i = 3; i < 7; ++i)
      for (int j = 3; j < 6; ++j) N.emplace_back(i, j);
    set_kinematics(7, N, {3});
  }
  static std::array<double, 3> axis(const double* e) {
    return {2 * (e[1] * e[3] + e[0] * e[2]), 2 * (e[2] * e[3] - e[0] * e[1]),
            e[0] * e[0] - e[1] * e[1] - e[2] * e[2] + e[3] * e[3]};
  }
  static std::array<double, 3> turn(const double* e, const std::array<double, 3>& x) {
    const double c = e[0] * e[0] - e[1] * e[1] - e[2] * e[2] - e[3] * e[3];
    const double d = 2 * (e[1] * x[0] + e[2] * x[1] + e[3] * x[2]);
    return {c * x[0] + d * e[1] + 2 * e[0] * (e[2] * x[2] - e[3] * x[1]),
            c * x[1] + d * e[2] + 2 * e[0] * (e[3] * x[0] - e[1] * x[2]),
            c * x[2] + d * e[3] + 2 * e[0] * (e[1] * x[1] - e[2] * x[0])};
  }
  void kinematics(double, const double* q, Square& N, Array&) const override {
    const double* e = q + 3;
    for (int i = 0; i < 3; ++i) N[i][i] = 1;
    N[3] = {0, 0, 0, -e[1] / 2, -e[2] / 2, -e[3] / 2};
    N[4] = {0, 0, 0, e[0] / 2, -e[3] / 2, e[2] / 2};
    N[5] = {0, 0, 0, e[3] / 2, e[0] / 2, -e[1] / 2};
    N[6] = {0, 0, 0, -e[2] / 2, e[1] / 2, e[0] / 2};
  }
  void terms(const Point& at, Terms& x) const override {
    const double *e = at.q + 3, *w = at.v + 3, s = top_.s;
    for (int i = 0; i < 3; ++i) x.M[i][i] = top_.m;
    x.M[3][3] = x.M[4][4] = top_.A;
    x.M[5][5] = top_.C;
    x.B[3] = (top_.C - top_.A) * w[1] * w[2];
    x.B[4] = -(top_.C - top_.A) * w[0] * w[2];
    x.G[2] = top_.m * top_.g;
    // ḣ = ṙ − s R (ω × e₃) = ṙ − s R (ω₂, −ω₁, 0)
    const auto first = turn(e, {1, 0, 0}), second = turn(e, {0, 1, 0});
    // ω × (ω × e₃)
    const auto inwards = turn(e, {w[0] * w[2], w[1] * w[2], -w[0] * w[0] - w[1] * w[1]});
    for (int i = 0; i < 3; ++i) {
      x.W[i][i] = 1;
      x.W[i][3] = s * second[i];
      x.W[i][4] = -s * first[i];
      x.gamma[i] = -s * inwards[i];
    }
  }
  void h(double, const double* q, double* out) const override {
    const auto d = axis(q + 3);
    for (int i = 0; i < 3; ++i) out[i] = q[i] - top_.s * d[i];
  }
  void h_size(double, const double* q, double* out) const override {
    const double* e = q + 3;
    const double terms[3] = {4 * (std::abs(e[1] * e[3]) + std::abs(e[0] * e[2])),
                             4 * (std::abs(e[2] * e[3]) + std::abs(e[0] * e[1])),
                             2 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])};
    for (int i = 0; i < 3; ++i) out[i] = std::abs(q[i]) + top_.s * terms[i];
  }
  double potential(double, const double* q) const override { return top_.m * top_.g * q[2]; }

 private:
  Top top_;
};

/// The same by Euler's angles, q = (φ, θ, ψ), R = R_z(φ) R_x(θ) R_z(ψ) (Goldstein, §5.7):
/// T = A'(θ̇² + φ̇² sin²θ)/2 + C(ψ̇ + φ̇ cos θ)²/2, A' = A + m s²; V = m g s cos θ.
class EulerTop : public HandKernel {
 public:
  explicit EulerTop(const Top& top = {}) : HandKernel(3, 0, {}, true), top_(top), A_(top.A + top.m * top.s * top.s) {}
  void terms(const Point& at, Terms& x) const override {
    const double s = std::sin(at.q[1]), c = std::cos(at.q[1]), C = top_.C;
    const double p = at.v[0], n = at.v[1], w = at.v[2];
    x.M[0] = {A_ * s * s + C * c * c, 0, C * c};
    x.M[1] = {0, A_, 0};
    x.M[2] = {C * c, 0, C};
    x.B[0] = 2 * (A_ - C) * s * c * n * p - C * s * n * w;
    x.B[1] = -(A_ - C) * s * c * p * p + C * s * p * w;
    x.B[2] = -C * s * n * p;
    x.G[1] = -top_.m * top_.g * top_.s * s;
  }
  double potential(double, const double* q) const override { return top_.m * top_.g * top_.s * std::cos(q[1]); }
  /// e of the body.
  static std::array<double, 4> quaternion(const double* q) {
    const double s = std::sin(q[1] / 2), c = std::cos(q[1] / 2), a = (q[0] + q[2]) / 2, b = (q[0] - q[2]) / 2;
    return {c * std::cos(a), s * std::cos(b), s * std::sin(b), c * std::sin(a)};
  }
  /// ω in body axes.
  static std::array<double, 3> spin(const double* q, const double* v) {
    const double st = std::sin(q[1]), sp = std::sin(q[2]), cp = std::cos(q[2]);
    return {v[0] * st * sp + v[1] * cp, v[0] * st * cp - v[1] * sp, v[0] * std::cos(q[1]) + v[2]};
  }

 private:
  Top top_;
  double A_;
};

}  // namespace dalembert::oracles
