// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/radau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/LU>

namespace dalembert {
namespace {

// Any system with a dense Jacobian of differences, solved by Eigen.
class Dense : public RightHandSide, public ShiftedSolver {
 public:
  explicit Dense(int size) : size_(size), J_(Eigen::MatrixXd::Zero(size, size)) { stages_.fill(J_); }
  int size() const override { return size_; }

  bool linearize(double t, const double* y) override {
    J_ = jacobian(t, y);
    return true;
  }
  bool factor(double s, std::complex<double> z) override {
    const Eigen::MatrixXcd I = Eigen::MatrixXcd::Identity(size_, size_);
    real_ = (s * I.real() - J_).partialPivLu();
    complex_ = (z * I - J_).partialPivLu();
    return true;
  }
  void solve(double* x) override {
    Eigen::Map<Eigen::VectorXd> b(x, size_);
    b = real_.solve(b).eval();
  }
  void solve(double* real, double* imaginary) override {
    Eigen::Map<Eigen::VectorXd> re(real, size_), im(imaginary, size_);
    const Eigen::VectorXcd x = complex_.solve(re + std::complex(0.0, 1.0) * im);
    re = x.real();
    im = x.imag();
  }
  bool linearize_stage(int stage, double t, const double* y, const double* /*dydt*/) override {
    stages_[static_cast<std::size_t>(stage)] = jacobian(t, y);
    ++full;
    return true;
  }
  bool factor_stages(const std::array<std::array<double, 3>, 3>& a) override {
    Eigen::MatrixXd all(3 * size_, 3 * size_);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        all.block(static_cast<int>(i) * size_, static_cast<int>(k) * size_, size_, size_) =
            a[i][k] * Eigen::MatrixXd::Identity(size_, size_) - (i == k ? stages_[i] : 0 * stages_[i]);
    all_ = all.partialPivLu();
    return true;
  }
  void solve_stages(const std::array<double*, 3>& x) override {
    Eigen::VectorXd b(3 * size_);
    for (int i = 0; i < 3 * size_; ++i) b[i] = x[static_cast<std::size_t>(i / size_)][i % size_];
    b = all_.solve(b).eval();
    for (int i = 0; i < 3 * size_; ++i) x[static_cast<std::size_t>(i / size_)][i % size_] = b[i];
  }

  int full = 0;  // stages with a Jacobian of their own

 private:
  Eigen::MatrixXd jacobian(double t, const double* y) {
    Eigen::MatrixXd J(size_, size_);
    std::vector<double> x(y, y + size_), above(x), below(x);
    for (int k = 0; k < size_; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double h = 1e-6 * (1 + std::abs(y[k]));
      x[at] = y[k] + h;
      evaluate(t, x.data(), above.data());
      x[at] = y[k] - h;
      evaluate(t, x.data(), below.data());
      x[at] = y[k];
      for (int i = 0; i < size_; ++i)
        J(i, k) = (above[static_cast<std::size_t>(i)] - below[static_cast<std::size_t>(i)]) / (2 * h);
    }
    return J;
  }

  int size_;
  Eigen::MatrixXd J_;
  std::array<Eigen::MatrixXd, 3> stages_;
  Eigen::PartialPivLU<Eigen::MatrixXd> real_, all_;
  Eigen::PartialPivLU<Eigen::MatrixXcd> complex_;
};

// y' = y cos t, y = exp(sin t).
class DenseWave : public Dense {
 public:
  DenseWave() : Dense(1) {}
  bool evaluate(double t, const double* y, double* dydt) override {
    dydt[0] = y[0] * std::cos(t);
    return true;
  }
};

// x'' = ((1 − x²) x' − x)/ε.
class VanDerPol : public Dense {
 public:
  explicit VanDerPol(double epsilon) : Dense(2), epsilon_(epsilon) {}
  bool evaluate(double /*t*/, const double* y, double* dydt) override {
    dydt[0] = y[1];
    dydt[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / epsilon_;
    return true;
  }

 private:
  double epsilon_;
};

// Fixed steps from t = 0; the error at the end, and the largest one between.
struct Walk {
  double end = 0, between = 0, estimated = 0;
};
Walk walk(int steps) {
  DenseWave wave;
  Radau method(wave, 1, 1e-13, 1e-15);
  double y = 1, y1 = 0;
  Walk result;
  wave.evaluate(0, &y, method.first_slope());
  const double h = 2.0 / steps;
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    EXPECT_TRUE(method.advance(wave, t, &y, h, &y1));
    method.error(&y, &y1, h, 1, 1e-13, 1e-15);
    wave.evaluate(t + h, &y1, method.last_slope());
    method.make_dense(wave, t, &y, &y1, h);
    for (const double theta : {0.0, 0.25, 0.5, 0.8, 1.0}) {
      double x = 0, slope = 0, ahead = 0;
      method.interpolate(theta, &y, &x, &slope);
      result.between = std::max(result.between, std::abs(x - std::exp(std::sin(t + theta * h))));
      method.interpolate(theta + 1e-6, &y, &ahead);
      EXPECT_NEAR((ahead - x) / 1e-6, slope, 1e-4 * std::abs(slope));
    }
    method.add_step_error(&y, &y1, h, 1, &result.estimated);
    method.shift();
    y = y1;
  }
  result.end = y - std::exp(std::sin(2.0));
  return result;
}

// Truth: IV.5: y₁ is of order 5, here with the error estimated within a factor of 3 and not forty times too large (the errors of the steps are carried
// on by a factor exp(sin 2 − sin t) of at most 2.5, and the tableau's error has parts besides the quadrature's); the
// polynomial with its slope corrected is of order 4, one more than the plain one.
TEST(Radau, HasItsOrders) {
  const Walk rough = walk(20), fine = walk(40), finer = walk(80);
  EXPECT_NEAR(std::log2(rough.end / fine.end), 5, 0.4);
  EXPECT_NEAR(std::log2(fine.end / finer.end), 5, 0.3);
  EXPECT_GT(std::log2(rough.between / fine.between), 4.5);
  EXPECT_GT(std::log2(fine.between / finer.between), 4.5);
  EXPECT_LT(std::abs(finer.end), 3 * std::abs(finer.estimated));
  EXPECT_GT(std::abs(finer.end), std::abs(finer.estimated) / 40);
}

// Truth: the Test Set for IVP Solvers (problem VDPOL, ε = 1e-6): y(2) of the stiff van der Pol
// equation. At rtol = 1e-8 the published codes give 8 digits and more; steps are accepted by the estimate alone.
TEST(Radau, StiffVanDerPol) {
  VanDerPol equation(1e-6);
  Radau method(equation, 2, 1e-8, 1e-8);
  std::array<double, 2> y{2, 0}, y1{};
  equation.evaluate(0, y.data(), method.first_slope());
  double t = 0, h = 1e-6;
  int steps = 0;
  while (t < 2 && ++steps < 5000) {
    h = std::min(h, 2 - t);
    if (!method.advance(equation, t, y.data(), h, y1.data())) {
      h /= 4;
      continue;
    }
    const double error = method.error(y.data(), y1.data(), h, 2, 1e-8, 1e-8);
    if (error <= 1) {
      equation.evaluate(t + h, y1.data(), method.last_slope());
      method.shift();
      y = y1;
      t = t + h > 2 - 1e-12 ? 2 : t + h;
    }
    h *= std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.25), 0.2, 8.0);
  }
  ASSERT_EQ(t, 2);
  EXPECT_LT(steps, 1500);
  EXPECT_NEAR(y[0], 1.706167732170483, 1e-7);
  EXPECT_NEAR(y[1], -0.8928097010247975, 1e-7);
}

// Truth: a difference of two steps: what carry() makes of a small change is the change of y₁, to the first order in it
// and as far as the frozen Jacobian is that of the step (h/2 times how fast it changes, here 1e-2).
TEST(Radau, CarriesChangesOfTheState) {
  VanDerPol equation(0.5);
  const double h = 0.01;
  const auto step = [&](double x, double v, std::array<double, 2>* change) {
    Radau method(equation, 2, 1e-13, 1e-13);
    const std::array<double, 2> y{x, v};
    std::array<double, 2> y1{};
    equation.evaluate(0, y.data(), method.first_slope());
    EXPECT_TRUE(method.advance(equation, 0, y.data(), h, y1.data()));
    if (change != nullptr) method.carry(change->data());
    return y1;
  };
  std::array<double, 2> change{1, -2};
  const auto from = step(1.5, 0.5, &change), to = step(1.5 + 1e-6, 0.5 - 2e-6, nullptr);
  EXPECT_NEAR(change[0], (to[0] - from[0]) / 1e-6, 1e-3);
  EXPECT_NEAR(change[1], (to[1] - from[1]) / 1e-6, 1e-2 * 2);
}

// Truth: the collocation conditions that (1) is: the polynomial through the stages has the slope f at c₁, c₂ and 1. In a
// short step one Jacobian does for all stages, in a long one each needs its own.
TEST(Radau, CollocatesWithOneJacobianOrThree) {
  for (const auto& [h, full] : {std::pair(1e-5, false), std::pair(0.015, true)}) {
    VanDerPol equation(1e-3);
    Radau method(equation, 2, 1e-12, 1e-12);
    const std::array<double, 2> y{1.2, -2.7};
    std::array<double, 2> y1{}, x{}, slope{}, f{};
    equation.evaluate(0, y.data(), method.first_slope());
    ASSERT_TRUE(method.advance(equation, 0, y.data(), h, y1.data()));
    EXPECT_EQ(equation.full > 0, full) << h;
    method.make_dense(equation, 0, y.data(), y1.data(), h);
    for (const double c : radau_facts().c) {
      method.interpolate(c, y.data(), x.data(), slope.data());
      equation.evaluate(c * h, x.data(), f.data());
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(slope[i], h * f[i], 1e-8 * (1 + std::abs(h * f[i]))) << h << " " << c;
    }
  }
}

}  // namespace
}  // namespace dalembert
