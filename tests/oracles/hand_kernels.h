// SPDX-License-Identifier: Apache-2.0
// Systems written out by hand as kernels, with their closed forms: oracles for the numeric side, made without derive
// and compile. tests/dynamics/hand_kernels_test.cpp holds each against finite differences of its own energy and
// constraints.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert::oracles {

constexpr int kMost = 8;  // coordinates and rows
using Array = std::array<double, kMost>;
using Square = std::array<Array, kMost>;

/// Every term at one point, in the notation of the equations of motion.
struct Terms {
  Square M{}, W{};
  Array B{}, G{}, F{}, a{}, gamma{};
};

struct Point {
  double t;
  const double *q, *v, *u, *p;
};

/// Dense patterns; a system fills in `terms`, `h` and `potential`. Kinetic energy is ½ q̇ᵀMq̇.
class HandKernel : public Kernel {
 public:
  HandKernel(int n, int m, std::vector<int> holonomic, bool conservative, int inputs = 0, int outputs = 0,
             int conserved = 0) {
    layout_.set_coordinates(n);
    layout_.m = m;
    layout_.holonomic = std::move(holonomic);
    layout_.conservative = conservative;
    layout_.inputs = inputs;
    layout_.outputs = outputs;
    layout_.conserved = conserved;
    layout_.M.rows = layout_.M.cols = n;
    layout_.W.rows = m;
    layout_.W.cols = n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) layout_.M.row.push_back(i), layout_.M.col.push_back(j);
    for (int r = 0; r < m; ++r)
      for (int j = 0; j < n; ++j) layout_.W.row.push_back(r), layout_.W.col.push_back(j);
  }

  const Layout& layout() const override { return layout_; }

  virtual void terms(const Point& at, Terms& out) const = 0;
  virtual void h(double /*t*/, const double* /*q*/, double* /*out*/) const {}  ///< one value a holonomic row
  /// Where v is not q̇: N, nq × nv, and n₀; the sizes Σ|∂h/∂q_j q_j| of the terms of h.
  virtual void kinematics(double /*t*/, const double* /*q*/, Square& /*N*/, Array& /*n0*/) const {}
  virtual void h_size(double /*t*/, const double* /*q*/, double* /*out*/) const {}
  virtual double potential(double /*t*/, const double* /*q*/) const { return 0; }
  virtual double partial_t(const Point&) const { return 0; }  ///< ∂L/∂t
  virtual void inputs(double /*t*/, double* /*u*/) const {}
  virtual void outputs(const Point&, const double* /*qdd*/, const double* /*lambda*/, double* /*out*/) const {}
  virtual void conserved(const Point&, double* /*out*/) const {}

  void call(KernelFunction function, const KernelArguments& in, double* out) const override {
    const int n = layout_.nv, m = layout_.m;
    static const Array kZero{};
    const Point at{in.t, in.q, in.v != nullptr ? in.v : kZero.data(), in.u != nullptr ? in.u : kZero.data(), in.p};
    Terms x;
    const auto matrix = [&](const Square& A, int rows) {
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n; ++j) *out++ = A[i][j];
    };
    const auto vector = [&](const Array& y, int size) {
      for (int i = 0; i < size; ++i) *out++ = y[i];
    };
    switch (function) {
      case KernelFunction::kPosition:
        h(in.t, in.q, out);
        if (!layout_.v_is_qdot) h_size(in.t, in.q, out + layout_.holonomic.size());
        return;
      case KernelFunction::kVelocity:
        terms(at, x), matrix(x.W, m), vector(x.a, m);
        return;
      case KernelFunction::kKinematics: {
        Square N{};
        Array n0{};
        kinematics(in.t, in.q, N, n0);
        for (std::size_t k = 0; k < layout_.N.row.size(); ++k)
          *out++ = N[static_cast<std::size_t>(layout_.N.row[k])][static_cast<std::size_t>(layout_.N.col[k])];
        vector(n0, layout_.nq);
        return;
      }
      case KernelFunction::kMass:
        terms(at, x), matrix(x.M, n);
        return;
      case KernelFunction::kTerms:
        terms(at, x), matrix(x.M, n), vector(x.B, n), vector(x.G, n), vector(x.F, n);
        matrix(x.W, m), vector(x.a, m), vector(x.gamma, m);
        return;
      case KernelFunction::kRates: {
        terms(at, x), matrix(x.M, n);
        for (int i = 0; i < n; ++i) *out++ = x.F[i] - x.B[i] - x.G[i];
        matrix(x.W, m), vector(x.gamma, m);
        return;
      }
      case KernelFunction::kEnergy: {
        terms(at, x);
        double T = 0, power = 0;
        for (int i = 0; i < n; ++i) {
          power += x.F[i] * at.v[i];
          for (int j = 0; j < n; ++j) T += at.v[i] * x.M[i][j] * at.v[j] / 2;
        }
        const double V = potential(in.t, in.q);
        out[0] = T, out[1] = V, out[2] = T + V, out[3] = partial_t(at), out[4] = power;
        conserved(at, out + 5);
        return;
      }
      case KernelFunction::kInputs:
        inputs(in.t, out);
        return;
      case KernelFunction::kOutputs:
        outputs(at, in.qdd, in.lambda, out);
        return;
      case KernelFunction::kPower: {
        terms(at, x);
        *out = -partial_t(at);
        for (int i = 0; i < n; ++i) *out += x.F[i] * at.v[i];
        for (int r = 0; r < m; ++r) *out -= x.a[r] * in.lambda[r];
        return;
      }
      case KernelFunction::kFriction:
      case KernelFunction::kIntegrands:
      case KernelFunction::kAccelerations:
      case KernelFunction::kPositionStep:
      case KernelFunction::kVelocityStep:
        return;  // solves_kkt() is false, and there are no friction and no integrals
    }
  }

 protected:
  /// The velocities are not the rates of the coordinates; N has these places.
  void set_kinematics(int nq, const std::vector<std::pair<int, int>>& N, std::vector<int> quaternions = {}) {
    layout_.v_is_qdot = false;
    layout_.nq = nq;
    layout_.quaternions = std::move(quaternions);
    layout_.N.rows = nq;
    layout_.N.cols = layout_.nv;
    for (const auto& [row, column] : N) layout_.N.row.push_back(row), layout_.N.col.push_back(column);
  }

 private:
  Layout layout_;
};

/// The kernel with names that serve for messages: coordinates and rows as given.
template <class K, class... Arguments>
Dynamics make_dynamics(std::vector<std::string> coordinates, std::vector<std::string> rows, Arguments&&... arguments) {
  auto kernel = std::make_shared<K>(std::forward<Arguments>(arguments)...);
  Names names;
  names.model = "hand-written";
  names.coordinates = std::move(coordinates);
  names.rows = std::move(rows);
  names.coordinate_units.assign(names.coordinates.size(), "m");
  names.row_units.assign(names.rows.size(), "m");
  names.lambda_units.assign(names.rows.size(), "N");
  for (int i = 0; i < kernel->layout().inputs; ++i)
    names.inputs.push_back("u" + std::to_string(i + 1)), names.input_units.push_back("N");
  for (int i = 0; i < kernel->layout().outputs; ++i)
    names.outputs.push_back("out" + std::to_string(i + 1)), names.output_units.push_back("");
  for (int i = 0; i < kernel->layout().conserved; ++i) names.conserved.push_back("c" + std::to_string(i + 1));
  return Dynamics(kernel, names, {});
}

/// T = m(ẋ² + ẏ²)/2, V = m g y, h = (x² + y² − L²)/2. λ = m (g y − ẋ² − ẏ²)/L²; the rod's tension is −λL.
/// `copies` > 1 repeats the row, row k multiplied by k + 1. Output: the tension.
/// Exact motion: IFToMM/LIM benchmark A01 (lim.ii.udc.es/mbsbenchmark), Jacobi's elliptic functions.
class CartesianPendulum : public HandKernel {
 public:
  explicit CartesianPendulum(double m = 1, double L = 1, double g = 9.81, int copies = 1)
      : HandKernel(2, copies, rows(copies), true, 0, 1), m_(m), L_(L), g_(g), copies_(copies) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = x.M[1][1] = m_;
    x.G[1] = m_ * g_;
    for (int k = 0; k < copies_; ++k) {
      x.W[k][0] = (k + 1) * at.q[0];
      x.W[k][1] = (k + 1) * at.q[1];
      x.gamma[k] = (k + 1) * (at.v[0] * at.v[0] + at.v[1] * at.v[1]);
    }
  }
  void h(double, const double* q, double* out) const override {
    for (int k = 0; k < copies_; ++k) out[k] = (k + 1) * (q[0] * q[0] + q[1] * q[1] - L_ * L_) / 2;
  }
  double potential(double, const double* q) const override { return m_ * g_ * q[1]; }
  void outputs(const Point& at, const double*, const double* lambda, double* out) const override {
    out[0] = -lambda[0] * std::hypot(at.q[0], at.q[1]);
  }

 private:
  static std::vector<int> rows(int count) {
    std::vector<int> all;
    for (int k = 0; k < count; ++k) all.push_back(k);
    return all;
  }
  double m_, L_, g_;
  int copies_;
};

/// Of a slider-crank with lengths L1, L2, masses m1, m2, m3, inertias I1, I2 and gravity g, members of `a`; see SliderCrank.
template <class Bars, class Point, class Terms>
void slider_crank_terms(const Bars& a, const Point& at, Terms& out) {
  const double th = at.q[0], ph = at.q[1], thd = at.v[0], phd = at.v[1];
  const double s1 = std::sin(th), c1 = std::cos(th), s2 = std::sin(ph), c2 = std::cos(ph);
  out.M[0][0] = a.I1 + (a.m1 + 4 * a.m2) * a.L1 * a.L1;
  out.M[0][1] = out.M[1][0] = -2 * a.m2 * a.L1 * a.L2 * std::cos(th - ph);
  out.M[1][1] = a.I2 + a.m2 * a.L2 * a.L2;
  out.M[2][2] = a.m3;
  out.B[0] = -2 * a.m2 * a.L1 * a.L2 * phd * phd * std::sin(th - ph);
  out.B[1] = +2 * a.m2 * a.L1 * a.L2 * thd * thd * std::sin(th - ph);
  out.G[0] = (a.m1 + 2 * a.m2) * a.g * a.L1 * c1;
  out.G[1] = -a.m2 * a.g * a.L2 * c2;
  out.W[0] = {-2 * a.L1 * s1, 2 * a.L2 * s2, -1};
  out.W[1] = {2 * a.L1 * c1, -2 * a.L2 * c2, 0};
  out.gamma[0] = -2 * a.L1 * c1 * thd * thd + 2 * a.L2 * c2 * phd * phd;
  out.gamma[1] = -2 * a.L1 * s1 * thd * thd + 2 * a.L2 * s2 * phd * phd;
}
template <class Bars>
void slider_crank_h(const Bars& a, const double* q, double* out) {
  out[0] = 2 * a.L1 * std::cos(q[0]) - 2 * a.L2 * std::cos(q[1]) - q[2];
  out[1] = 2 * a.L1 * std::sin(q[0]) - 2 * a.L2 * std::sin(q[1]);
}
template <class Bars>
double slider_crank_potential(const Bars& a, const double* q) {
  return a.m1 * a.g * a.L1 * std::sin(q[0]) + a.m2 * a.g * (2 * a.L1 * std::sin(q[0]) - a.L2 * std::sin(q[1]));
}

/// Slider-crank of theory.md §10, q = (θ, φ, x): links 2L1, 2L2 with masses m1, m2 and I = m(2L)²/12, slider m3.
/// h = (2L1 cos θ − 2L2 cos φ − x, 2L1 sin θ − 2L2 sin φ).
/// With `redundant` a third row says the same again in another way, dependent on the first two on the manifold only:
/// ((x − 2L1 cos θ)² + (2L1 sin θ)² − (2L2)²)/2.
class SliderCrank : public HandKernel {
 public:
  static constexpr double L1 = 0.15, L2 = 0.35, m1 = 0.36, m2 = 0.84, m3 = 1.2, g = 9.81;
  static constexpr double I1 = m1 * (2 * L1) * (2 * L1) / 12, I2 = m2 * (2 * L2) * (2 * L2) / 12;

  explicit SliderCrank(bool redundant = false)
      : HandKernel(3, redundant ? 3 : 2, redundant ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1}, true),
        redundant_(redundant) {}

  /// Assembled on the branch x > 0, crank at θ turning with θ̇.
  static State start(double theta = M_PI / 4, double thetad = 10) {
    const double phi = M_PI - std::asin(L1 * std::sin(theta) / L2);
    const double phid = L1 * std::cos(theta) * thetad / (L2 * std::cos(phi));
    return {0,
            {theta, phi, 2 * L1 * std::cos(theta) - 2 * L2 * std::cos(phi)},
            {thetad, phid, -2 * L1 * std::sin(theta) * thetad + 2 * L2 * std::sin(phi) * phid}};
  }

  void terms(const Point& at, Terms& out) const override {
    slider_crank_terms(*this, at, out);
    if (!redundant_) return;
    // ½(x² − 4 L1 x cos θ + 4 L1² − 4 L2²)
    const double x = at.q[2], thd = at.v[0], xd = at.v[2], s1 = std::sin(at.q[0]), c1 = std::cos(at.q[0]);
    out.W[2] = {2 * L1 * x * s1, 0, x - 2 * L1 * c1};
    out.gamma[2] = 2 * L1 * (x * c1 * thd * thd + 2 * s1 * thd * xd) + xd * xd;
  }
  void h(double, const double* q, double* out) const override {
    slider_crank_h(*this, q, out);
    if (redundant_) out[2] = (q[2] * q[2] - 4 * L1 * q[2] * std::cos(q[0]) + 4 * L1 * L1 - 4 * L2 * L2) / 2;
  }
  double potential(double, const double* q) const override { return slider_crank_potential(*this, q); }

 private:
  bool redundant_;
};

/// Chaplygin's sleigh, q = (x, y, θ) at the blade, centre of mass `a` ahead of it: η = −ẋ sin θ + ẏ cos θ.
/// Chaplygin 1911; Bloch, Nonholonomic Mechanics and Control, §1.7. With u the forward speed, ω = θ̇, J = I + m a²:
///   u = U tanh s, ω = W sech s, s = kt + atanh(u₀/U), U² = u₀² + Jω₀²/m, W = U√(m/J), k = maU/J,
///   θ − θ₀ = (W/k)(gd s − gd s₀), λ = m u ω I/J (the blade's force along (−sin θ, cos θ)).
class ChaplyginSleigh : public HandKernel {
 public:
  ChaplyginSleigh(double m = 1.3, double I = 0.7, double a = 0.4) : HandKernel(3, 1, {}, true), m_(m), I_(I), a_(a) {}
  void terms(const Point& at, Terms& x) const override {
    const double s = std::sin(at.q[2]), c = std::cos(at.q[2]), w = at.v[2];
    x.M[0] = {m_, 0, -m_ * a_ * s};
    x.M[1] = {0, m_, m_ * a_ * c};
    x.M[2] = {-m_ * a_ * s, m_ * a_ * c, I_ + m_ * a_ * a_};
    x.B = {-m_ * a_ * w * w * c, -m_ * a_ * w * w * s, 0};
    x.W[0] = {-s, c, 0};
    x.gamma[0] = -w * (c * at.v[0] + s * at.v[1]);
  }
  struct Exact {
    double u, w, theta, lambda;
  };
  Exact exact(double t, double u0, double w0, double theta0 = 0) const {
    const double J = I_ + m_ * a_ * a_, U = std::sqrt(u0 * u0 + J * w0 * w0 / m_), W = U * std::sqrt(m_ / J);
    const double k = m_ * a_ * U / J, s0 = std::atanh(u0 / U), s = k * t + s0;
    const auto gd = [](double x) { return 2 * std::atan(std::tanh(x / 2)); };
    const double u = U * std::tanh(s), w = W / std::cosh(s);
    return {u, w, theta0 + W / k * (gd(s) - gd(s0)), m_ * u * w * I_ / J};
  }

 private:
  double m_, I_, a_;
};

/// Bead on a straight rod that turns with Ω, q = (x, y): h = y cos Ωt − x sin Ωt (rheonomic, a ≠ 0), no gravity.
/// r = r₀ cosh Ωt + (v₀/Ω) sinh Ωt; the rod's force on the bead is λ = 2 m Ω ṙ, its power λ Ω r.
class RotatingRod : public HandKernel {
 public:
  RotatingRod(double m = 0.8, double omega = 1.2) : HandKernel(2, 1, {0}, false), m_(m), omega_(omega) {}
  State start(double r0 = 0.5, double v0 = 0.1) const { return {0, {r0, 0}, {v0, omega_ * r0}}; }
  void terms(const Point& at, Terms& x) const override {
    const double s = std::sin(omega_ * at.t), c = std::cos(omega_ * at.t);
    x.M[0][0] = x.M[1][1] = m_;
    x.W[0] = {-s, c};
    x.a[0] = -omega_ * (at.q[1] * s + at.q[0] * c);
    x.gamma[0] = -2 * omega_ * (at.v[1] * s + at.v[0] * c) - omega_ * omega_ * (at.q[1] * c - at.q[0] * s);
  }
  void h(double t, const double* q, double* out) const override {
    out[0] = q[1] * std::cos(omega_ * t) - q[0] * std::sin(omega_ * t);
  }

 private:
  double m_, omega_;
};

/// Rosenberg's particle, η = ż − y ẋ, m = 1 (Rosenberg 1977; Bates & Śniatycki 1993). y = y₀ + ẏ₀t, ẋ√(1 + y²) = C,
/// x = x₀ + (C/ẏ₀)(asinh y − asinh y₀), z = z₀ + (C/ẏ₀)(√(1 + y²) − √(1 + y₀²)). Conserved: ẏ.
class NonholonomicParticle : public HandKernel {
 public:
  NonholonomicParticle() : HandKernel(3, 1, {}, true, 0, 0, 1) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = x.M[1][1] = x.M[2][2] = 1;
    x.W[0] = {-at.q[1], 0, 1};
    x.gamma[0] = -at.v[1] * at.v[0];
  }
  void conserved(const Point& at, double* out) const override { out[0] = at.v[1]; }
};

/// Knife edge on a plane inclined by α, q = (x down the slope, y, φ): η = ẋ sin φ − ẏ cos φ (Bloch, §1.6).
/// From rest but for φ̇ = ω: x = g sin α/(2ω²) sin² ωt, y = g sin α/(2ω²)(ωt − ½ sin 2ωt), λ = −2 m g sin α sin ωt.
class KnifeEdge : public HandKernel {
 public:
  KnifeEdge(double m = 2, double I = 0.5, double alpha = M_PI / 6, double g = 9.81)
      : HandKernel(3, 1, {}, true), m_(m), I_(I), slope_(g * std::sin(alpha)) {}
  void terms(const Point& at, Terms& x) const override {
    const double s = std::sin(at.q[2]), c = std::cos(at.q[2]);
    x.M[0][0] = x.M[1][1] = m_;
    x.M[2][2] = I_;
    x.G[0] = -m_ * slope_;
    x.W[0] = {s, -c, 0};
    x.gamma[0] = at.v[2] * (c * at.v[0] + s * at.v[1]);
  }
  double potential(double, const double* q) const override { return -m_ * slope_ * q[0]; }

 private:
  double m_, I_, slope_;
};

/// Pendulum with a massless rod as a body of its own, q = (x, y, θ), M = diag(m, m, 0): M is singular, the KKT matrix
/// is not. h = (x − L sin θ, y + L cos θ); the same motion as CartesianPendulum.
class MasslessRodPendulum : public HandKernel {
 public:
  MasslessRodPendulum(double m = 1, double L = 1, double g = 9.81)
      : HandKernel(3, 2, {0, 1}, true), m_(m), L_(L), g_(g) {}
  void terms(const Point& at, Terms& x) const override {
    const double s = std::sin(at.q[2]), c = std::cos(at.q[2]), w = at.v[2];
    x.M[0][0] = x.M[1][1] = m_;
    x.G[1] = m_ * g_;
    x.W[0] = {1, 0, -L_ * c};
    x.W[1] = {0, 1, -L_ * s};
    x.gamma = {L_ * s * w * w, -L_ * c * w * w};
  }
  void h(double, const double* q, double* out) const override {
    out[0] = q[0] - L_ * std::sin(q[2]);
    out[1] = q[1] + L_ * std::cos(q[2]);
  }
  double potential(double, const double* q) const override { return m_ * g_ * q[1]; }

 private:
  double m_, L_, g_;
};

/// Two coordinates, the second without inertia and without a constraint on it: the accelerations are not determined.
class FreeMasslessCoordinate : public HandKernel {
 public:
  FreeMasslessCoordinate() : HandKernel(2, 1, {0}, true) {}
  void terms(const Point&, Terms& x) const override {
    x.M[0][0] = 1;
    x.W[0] = {1, 0};
  }
  void h(double, const double* q, double* out) const override { out[0] = q[0]; }
};

/// m ẍ + c ẋ + k x = u(t) = A cos Ωt. No constraint, one input; F = u − c ẋ. Output: the force of the spring.
class DrivenOscillator : public HandKernel {
 public:
  static constexpr double m = 1.3, c = 0.4, k = 7.0, A = 2.0, Omega = 1.7;
  DrivenOscillator() : HandKernel(1, 0, {}, false, 1, 1) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = m;
    x.G[0] = k * at.q[0];
    x.F[0] = at.u[0] - c * at.v[0];
  }
  double potential(double, const double* q) const override { return k * q[0] * q[0] / 2; }
  void inputs(double t, double* u) const override { u[0] = A * std::cos(Omega * t); }
  void outputs(const Point& at, const double*, const double*, double* out) const override { out[0] = -k * at.q[0]; }
  /// x(t) from x(0) = ẋ(0) = 0: steady answer plus decaying transient.
  static double exact(double t) {
    const double d = k - m * Omega * Omega, e = c * Omega, norm2 = d * d + e * e;
    const double P = A * d / norm2, Q = A * e / norm2;  // steady: P cos Ωt + Q sin Ωt
    const double s = c / (2 * m), w = std::sqrt(k / m - s * s);
    return P * std::cos(Omega * t) + Q * std::sin(Omega * t) -
           std::exp(-s * t) * (P * std::cos(w * t) + (s * P + Q * Omega) / w * std::sin(w * t));
  }
};

/// Two rows that want different things: x² + y² = L² and the same with a length that starts to grow, L + ½ c t².
/// Positions and velocities agree at t = 0, accelerations do not.
class ContradictoryPendulum : public HandKernel {
 public:
  explicit ContradictoryPendulum(double growth) : HandKernel(2, 2, {0, 1}, false), growth_(growth) {}
  void terms(const Point& at, Terms& x) const override {
    const double L = 1 + growth_ * at.t * at.t / 2, Ld = growth_ * at.t;
    x.M[0][0] = x.M[1][1] = 1;
    x.G[1] = 9.81;
    for (int k = 0; k < 2; ++k) {
      x.W[k] = {at.q[0], at.q[1]};
      x.gamma[k] = at.v[0] * at.v[0] + at.v[1] * at.v[1];
    }
    x.a[1] = -L * Ld;
    x.gamma[1] -= Ld * Ld + L * growth_;
  }
  void h(double t, const double* q, double* out) const override {
    const double L = 1 + growth_ * t * t / 2;
    out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    out[1] = (q[0] * q[0] + q[1] * q[1] - L * L) / 2;
  }
  double potential(double, const double* q) const override { return 9.81 * q[1]; }

 private:
  double growth_;
};

/// A pendulum whose equations stop being numbers at t = `until`.
class BreakingPendulum : public CartesianPendulum {
 public:
  explicit BreakingPendulum(double until) : until_(until) {}
  void terms(const Point& at, Terms& x) const override {
    CartesianPendulum::terms(at, x);
    if (at.t > until_) x.G[1] = std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double until_;
};

/// Andrews' squeezing mechanism (seven-body mechanism), q = (β, Θ, γ, Φ, δ, Ω, ε): inertias of 1e-6, lengths of 1e-2.
/// Hairer & Wanner, Solving ODEs II, VII.7; Test Set for IVP Solvers (andrews.F); multipliers of opposite sign there.
class Andrews : public HandKernel {
 public:
  Andrews() : HandKernel(7, 6, {0, 1, 2, 3, 4, 5}, false) {}
  static State start() {
    return {0,
            {-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
             0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568},
            std::vector<double>(7, 0.0)};
  }
  void terms(const Point& at, Terms& x) const override {
    const double *q = at.q, *v = at.v;
    const double sibe = std::sin(q[0]), cobe = std::cos(q[0]), sith = std::sin(q[1]), coth = std::cos(q[1]);
    const double siga = std::sin(q[2]), coga = std::cos(q[2]), siph = std::sin(q[3]), coph = std::cos(q[3]);
    const double side = std::sin(q[4]), code = std::cos(q[4]), siom = std::sin(q[5]), coom = std::cos(q[5]);
    const double siep = std::sin(q[6]), coep = std::cos(q[6]);
    const double sibeth = std::sin(q[0] + q[1]), cobeth = std::cos(q[0] + q[1]);
    const double siphde = std::sin(q[3] + q[4]), cophde = std::cos(q[3] + q[4]);
    const double siomep = std::sin(q[5] + q[6]), coomep = std::cos(q[5] + q[6]);
    x.M[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * coth + da * da) + i1 + i2;
    x.M[0][1] = x.M[1][0] = m2 * (da * da - da * rr * coth) + i2;
    x.M[1][1] = m2 * da * da + i2;
    x.M[2][2] = m3 * (sa * sa + sb * sb) + i3;
    x.M[3][3] = m4 * (e - ea) * (e - ea) + i4;
    x.M[3][4] = x.M[4][3] = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * siph) + i4;
    x.M[4][4] = m4 * (zt * zt + 2 * zt * (e - ea) * siph + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + i4 + i5;
    x.M[5][5] = m6 * (zf - fa) * (zf - fa) + i6;
    x.M[5][6] = x.M[6][5] = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * siom) + i6;
    x.M[6][6] = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * siom + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;

    const auto [xd, yd] = spring(q);
    const double length = std::hypot(xd - xc, yd - yc), pull = -c0 * (length - l0) / length;
    const double fx = pull * (xd - xc), fy = pull * (yd - yc);
    x.G[2] = -(fx * (sc * coga - sd * siga) + fy * (sd * coga + sc * siga));
    x.F[0] = mom;
    x.B[0] = m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sith;
    x.B[1] = -m2 * da * rr * v[0] * v[0] * sith;
    x.B[3] = -m4 * zt * (e - ea) * v[4] * v[4] * coph;
    x.B[4] = m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * coph;
    x.B[5] = m6 * u * (zf - fa) * v[6] * v[6] * coom;
    x.B[6] = -m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * coom;

    const double a1 = -rr * sibe + d * sibeth, b1 = d * sibeth, a2 = rr * cobe - d * cobeth, b2 = -d * cobeth;
    x.W[0] = {a1, b1, -ss * coga};
    x.W[1] = {a2, b2, -ss * siga};
    x.W[2] = {a1, b1, 0, -e * cophde, -e * cophde + zt * side};
    x.W[3] = {a2, b2, 0, -e * siphde, -e * siphde - zt * code};
    x.W[4] = {a1, b1, 0, 0, 0, zf * siomep, zf * siomep - u * coep};
    x.W[5] = {a2, b2, 0, 0, 0, -zf * coomep, -zf * coomep - u * siep};
    const auto square = [](double y) { return y * y; };
    const double w12 = square(v[0] + v[1]), wb = square(v[0]), wg = square(v[2]), w45 = square(v[3] + v[4]);
    const double wd = square(v[4]), w67 = square(v[5] + v[6]), we = square(v[6]);
    const double cx = -rr * cobe * wb + d * cobeth * w12, cy = -rr * sibe * wb + d * sibeth * w12;
    x.gamma = {cx + ss * siga * wg,
               cy - ss * coga * wg,
               cx + e * siphde * w45 + zt * code * wd,
               cy - e * cophde * w45 + zt * side * wd,
               cx + zf * coomep * w67 + u * siep * we,
               cy + zf * siomep * w67 - u * coep * we};
  }
  void h(double, const double* q, double* out) const override {
    const double x = rr * std::cos(q[0]) - d * std::cos(q[0] + q[1]),
                 y = rr * std::sin(q[0]) - d * std::sin(q[0] + q[1]);
    out[0] = x - ss * std::sin(q[2]) - xb;
    out[1] = y + ss * std::cos(q[2]) - yb;
    out[2] = x - e * std::sin(q[3] + q[4]) - zt * std::cos(q[4]) - xa;
    out[3] = y + e * std::cos(q[3] + q[4]) - zt * std::sin(q[4]) - ya;
    out[4] = x - zf * std::cos(q[5] + q[6]) - u * std::sin(q[6]) - xa;
    out[5] = y - zf * std::sin(q[5] + q[6]) + u * std::cos(q[6]) - ya;
  }
  double potential(double, const double* q) const override {
    const auto [xd, yd] = spring(q);
    const double stretch = std::hypot(xd - xc, yd - yc) - l0;
    return c0 / 2 * stretch * stretch;
  }

 private:
  static constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
  static constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                          i7 = 1.912e-5;
  static constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530,
                          l0 = .07785;
  static constexpr double mom = .033, d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                          sa = .01874;
  static constexpr double sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449;
  static constexpr double zf = .02, zt = .04, fa = .01421;
  static std::pair<double, double> spring(const double* q) {
    return {sd * std::cos(q[2]) + sc * std::sin(q[2]) + xb, sd * std::sin(q[2]) - sc * std::cos(q[2]) + yb};
  }
};

}  // namespace dalembert::oracles
