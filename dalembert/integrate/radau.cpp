// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/radau.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert {
namespace {

const double kRoot6 = std::sqrt(6.0);
const std::array<double, 3> kC{(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1};
const std::array<double, 3> kD{-(13 + 7 * kRoot6) / 3, (-13 + 7 * kRoot6) / 3, -1.0 / 3};
// Coefficients aᵢⱼ of the stages, (1) of radau.h.
using Matrix = std::array<std::array<double, 3>, 3>;
const Matrix kA{{{(88 - 7 * kRoot6) / 360, (296 - 169 * kRoot6) / 1800, (-2 + 3 * kRoot6) / 225},
                 {(296 + 169 * kRoot6) / 1800, (88 + 7 * kRoot6) / 360, (-2 - 3 * kRoot6) / 225},
                 {(16 - kRoot6) / 36, (16 + kRoot6) / 36, 1.0 / 9}}};
// 1/6 − Σ bᵢcᵢ⁵: the error for t⁵ of the quadrature that (1) amounts to if f depends on t only.
const double kQuadrature = [] {
  double sum = 1.0 / 6;
  for (std::size_t i = 0; i < 3; ++i) sum -= kA[2][i] * kC[i] * kC[i] * kC[i] * kC[i] * kC[i];
  return sum;
}();

// The constants of (2) in radau.h, from IV.8: the eigenvalues of A⁻¹, and the matrix of its eigenvectors.
const double kCube9 = 2.0800838230519041145, kCube81 = 4.3267487109222251470;
const double kGamma = 30 / (6 + kCube81 - kCube9);
const std::complex<double> kPair = [] {
  const double a = (12 - kCube81 + kCube9) / 60, b = (kCube81 + kCube9) * std::sqrt(3.0) / 60;
  return std::complex(a, b) / (a * a + b * b);
}();
constexpr double kT[3][3] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                             {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                             {0.96604818261509293619, 1, 0}};
constexpr double kInverse[3][3] = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                                   {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                   {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

const Matrix kInverseA = [] {
  const double d[3][3] = {{kGamma, 0, 0}, {0, kPair.real(), -kPair.imag()}, {0, kPair.imag(), kPair.real()}};
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) result[i][j] += kT[i][k] * d[k][l] * kInverse[l][j];
  return result;
}();

// Largest number of Newton iterations. If the contraction is below kKeepJacobian, the
// Jacobian is kept for the next step.
constexpr int kIterations = 7;
constexpr double kKeepJacobian = 1e-3;
// With a Jacobian for each stage a change may grow at first, by up to kLargestRatio in an iteration. These Jacobians
// are used for kFirstSpan steps, and for twice as many each further time, before a single Jacobian is tried again.
constexpr double kLargestRatio = 2;
constexpr int kFirstSpan = 16, kLongestSpan = 4096;
constexpr double kLargestError = 1e10;
// The quadrature error is one part of a step's error; this factor allows for the other parts. With a smaller factor,
// one run in thirty of random models had an error up to 2.8 times the named one.
constexpr double kOtherParts = 4;

double transformed(double rtol) { return 0.1 * integration::rough_power(rtol, 2.0 / 3); }
// Estimates the error of y₁, of order 5, from an error of (3) relative to `size`.
double of_order_five(double error, double size) {
  return size > 0
             ? std::copysign(
                   std::min(integration::rough_power(10 * std::abs(error) / size, 1.5) * size, std::abs(error)), error)
             : 0;
}

// The integral ∫₀^θ (x − c₁)(x − c₂)(x − 1) dx and its integrand, where c₁ + c₂ = 4/5 and c₁c₂ = 1/10.
double bend(double x) { return x * (-0.1 + x * (0.45 + x * (-0.6 + x * 0.25))); }
double bend_slope(double x) { return -0.1 + x * (0.9 + x * (-1.8 + x)); }

// The values and slopes of the Lagrange polynomials that are 1 at one of the nodes c₁, c₂,
// 1 and 0 at the others and at 0.
struct Nodal {
  std::array<double, 3> value{}, slope{};
};
Nodal nodal(double x) {
  Nodal result;
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = kC[(i + 1) % 3], b = kC[(i + 2) % 3], scale = 1 / (kC[i] * (kC[i] - a) * (kC[i] - b));
    result.value[i] = x * (x - a) * (x - b) * scale;
    result.slope[i] = ((x - a) * (x - b) + x * (x - b) + x * (x - a)) * scale;
  }
  return result;
}

}  // namespace

const MethodFacts& radau_facts() {
  static const MethodFacts facts{.name = "radau",
                                 .implicit = true,
                                 .order = 5,
                                 .error_order = 3,
                                 .dense_order = 4,
                                 .c = {kC.begin(), kC.end()},
                                 .largest_factor = 8,
                                 .smallest_factor = 0.2,
                                 .stability = std::numeric_limits<double>::infinity()};
  return facts;
}

Radau::Radau(ShiftedSolver& solver, int size, double rtol, double atol, int room)
    : solver_(solver),
      size_(static_cast<std::size_t>(size)),
      coupled_(static_cast<std::size_t>(solver.size())),
      rtol_(transformed(rtol)),
      atol_(rtol_ * atol / rtol) {
  for (auto* group : {&z_, &w_, &slope_, &change_, &z_before_})
    for (std::vector<double>& x : *group) x.resize(size_);
  for (std::vector<double>* x : {&first_, &last_, &point_, &scale_, &error_, &estimate_, &displacement_, &start_,
                                 &y_before_, &y_before2_, &slope_before_})
    x->resize(size_);
  for (std::vector<double>* x : {&first_, &last_, &estimate_, &slope_[0], &slope_[1], &slope_[2]})
    x->resize(std::max(size_, static_cast<std::size_t>(room)));
  restart();
}

// Renews the Jacobian and its factors where the present ones are not good enough.
bool Radau::prepare(double t, const double* y, double h) {
  if (!linearized_ || (!fresh_ && contraction_ > kKeepJacobian)) {
    if (!solver_.linearize(t, y)) return false;
    linearized_ = fresh_ = true;
    factored_ = 0;
  }
  if (factored_ != h) {
    factored_ = 0;
    if (!solver_.factor(kGamma / h, kPair / h)) return false;
    factored_ = h;
  }
  return true;
}

// Predicts the stages by extrapolation of the previous step's polynomial.
void Radau::predict(double h) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (h_before_ == 0) {
      std::fill(z_[k].begin(), z_[k].end(), 0.0);
      continue;
    }
    const Nodal at = nodal(1 + kC[k] * h / h_before_);
    for (std::size_t i = 0; i < size_; ++i)
      z_[k][i] = at.value[0] * z_before_[0][i] + at.value[1] * z_before_[1][i] + (at.value[2] - 1) * z_before_[2][i];
  }
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < coupled_; ++i)
      w_[k][i] = kInverse[k][0] * z_[0][i] + kInverse[k][1] * z_[1][i] + kInverse[k][2] * z_[2][i];
}

// Solves (shift I − J) x = b, in place. Components that are integrals of the others have no part in J.
void Radau::solve(double* x, double shift) {
  solver_.solve(x);
  for (std::size_t i = coupled_; i < size_; ++i) x[i] /= shift;
}

// Evaluates f at the present stages and, for Newton's full method, their Jacobians.
bool Radau::evaluate_stages(RightHandSide& f, double t, const double* y, double h, bool full) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < size_; ++i) point_[i] = y[i] + z_[k][i];
    const double at = t + kC[k] * h;
    if (!f.evaluate(at, point_.data(), slope_[k].data())) return false;
    if (full && !solver_.linearize_stage(static_cast<int>(k), at, point_.data(), slope_[k].data())) return false;
  }
  return true;
}

// Computes the change of w = T⁻¹z in an iteration of Newton's method with one Jacobian for all stages, by (2).
void Radau::simplified_change(double h) {
  const double gamma = kGamma / h, alpha = kPair.real() / h, beta = kPair.imag() / h;
  for (std::size_t i = 0; i < coupled_; ++i) {
    const double f0 = slope_[0][i], f1 = slope_[1][i], f2 = slope_[2][i];
    const double w0 = w_[0][i], w1 = w_[1][i], w2 = w_[2][i];
    change_[0][i] = kInverse[0][0] * f0 + kInverse[0][1] * f1 + kInverse[0][2] * f2 - gamma * w0;
    change_[1][i] = kInverse[1][0] * f0 + kInverse[1][1] * f1 + kInverse[1][2] * f2 - alpha * w1 + beta * w2;
    change_[2][i] = kInverse[2][0] * f0 + kInverse[2][1] * f1 + kInverse[2][2] * f2 - alpha * w2 - beta * w1;
  }
  solver_.solve(change_[0].data());
  solver_.solve(change_[1].data(), change_[2].data());
  for (std::size_t i = 0; i < coupled_; ++i) {
    for (std::size_t k = 0; k < 3; ++k) w_[k][i] += change_[k][i];
    for (std::size_t k = 0; k < 3; ++k)
      change_[k][i] = kT[k][0] * w_[0][i] + kT[k][1] * w_[1][i] + kT[k][2] * w_[2][i] - z_[k][i];
  }
}

// Computes the change of the stages z in an iteration of Newton's method with a Jacobian for each stage. False when the
// matrix of the three stages is singular.
bool Radau::full_change(double h) {
  Matrix a{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) a[i][k] = kInverseA[i][k] / h;
  if (!solver_.factor_stages(a)) return false;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < coupled_; ++i)
      change_[k][i] = slope_[k][i] - a[k][0] * z_[0][i] - a[k][1] * z_[1][i] - a[k][2] * z_[2][i];
  solver_.solve_stages({change_[0].data(), change_[1].data(), change_[2].data()});
  return true;
}

// Computes the components that are integrals of the others by (1), once the others are known.
bool Radau::integrate_rest(RightHandSide& f, double t, const double* y, double h) {
  if (coupled_ == size_) return true;
  if (!evaluate_stages(f, t, y, h, false)) return false;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = coupled_; i < size_; ++i)
      z_[k][i] = h * (kA[k][0] * slope_[0][i] + kA[k][1] * slope_[1][i] + kA[k][2] * slope_[2][i]);
  return true;
}

Radau::Newton Radau::iterate(RightHandSide& f, double t, const double* y, double h, bool full) {
  const double tolerance = std::max(10 * kEps / rtol_, std::min(0.03, std::sqrt(rtol_)));
  faccon_ = integration::rough_power(std::max(faccon_, kEps), 0.8);
  contraction_ = kKeepJacobian;
  double before = 0, ratio_before = 0;
  for (int iteration = 1; iteration <= kIterations; ++iteration) {
    if (!evaluate_stages(f, t, y, h, full)) return Newton::kFailed;
    if (!full)
      simplified_change(h);
    else if (!full_change(h))
      return Newton::kDiverged;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < coupled_; ++i) {
        const double ratio = change_[k][i] / scale_[i];
        sum += ratio * ratio;
      }
    const double size = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, 3 * coupled_)));
    if (!std::isfinite(size)) return Newton::kDiverged;
    if (iteration > 1) {
      const double ratio = size / before;
      contraction_ = iteration == 2 || full ? ratio : std::sqrt(ratio * ratio_before);
      ratio_before = ratio;
      if (!(contraction_ < (full ? kLargestRatio : 0.99))) return Newton::kDiverged;
      faccon_ = contraction_ < 0.99 ? contraction_ / (1 - contraction_) : 1 / kEps;
      // Give up if the remaining iterations cannot reach the tolerance.
      if (!full && faccon_ * size * integration::rough_power(contraction_, kIterations - 1 - iteration) >= tolerance)
        return Newton::kDiverged;
    }
    before = std::max(size, kEps);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < coupled_; ++i) z_[k][i] += change_[k][i];
    if (faccon_ * size <= tolerance) return integrate_rest(f, t, y, h) ? Newton::kConverged : Newton::kFailed;
  }
  return Newton::kDiverged;
}

bool Radau::advance(RightHandSide& f, double t, const double* y, double h, double* y1) {
  f_ = &f;
  t_ = t;
  for (std::size_t i = 0; i < size_; ++i) scale_[i] = atol_ + rtol_ * std::abs(y[i]);
  Newton outcome = Newton::kDiverged;
  if (full_steps_ == 0) {
    if (!prepare(t, y, h)) return false;
    predict(h);
    outcome = iterate(f, t, y, h, false);
    if (outcome != Newton::kConverged && !fresh_) {
      linearized_ = false;
      faccon_ = 1;
      if (!prepare(t, y, h)) return false;
      predict(h);
      outcome = iterate(f, t, y, h, false);
    }
    if (outcome == Newton::kDiverged) {
      full_steps_ = full_span_;
      full_span_ = std::min(2 * full_span_, kLongestSpan);
    }
  }
  if (outcome != Newton::kConverged) {
    linearized_ = fresh_;
    if (!prepare(t, y, h)) return false;
    faccon_ = 1;
    predict(h);
    outcome = iterate(f, t, y, h, true);
    contraction_ = 1;
  }
  if (outcome != Newton::kConverged) {
    faccon_ = 1;
    wary_ = true;
    return false;
  }
  for (std::size_t i = 0; i < size_; ++i) y1[i] = y[i] + z_[2][i];
  copy_few(y, size_, start_.data());
  return true;
}

// The term Σᵢ dᵢ zᵢ/h of the error estimate (3).
double Radau::from_stages(std::size_t i, double h) const {
  return (kD[0] * z_[0][i] + kD[1] * z_[1][i] + kD[2] * z_[2][i]) / h;
}

double Radau::error(const double* y, const double* y1, double h, int count, double rtol, double atol) {
  if (count == 0) return 0;
  const double relative = transformed(rtol), absolute = relative * atol / rtol;
  const auto measure = [&](const std::vector<double>& e) {
    double sum = 0, largest = -1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double ratio = e[i] / (absolute + relative * std::max(std::abs(y[i]), std::abs(y1[i]))),
                   square = ratio * ratio;
      sum += square;
      worst_ = square > largest ? static_cast<int>(i) : worst_;
      largest = std::max(largest, square);
    }
    return std::min(std::sqrt(sum / count), kLargestError);
  };
  for (std::size_t i = 0; i < size_; ++i) error_[i] = first_[i] + from_stages(i, h);
  solve(error_.data(), kGamma / h);
  double result = measure(error_);
  // The estimate (3) is too large for the error of stiff parts, so it is evaluated once more with f(t, y + e).
  if (!(result < 1) && wary_) {
    for (std::size_t i = 0; i < size_; ++i) point_[i] = y[i] + error_[i];
    if (f_->evaluate(t_, point_.data(), estimate_.data())) {
      for (std::size_t i = 0; i < size_; ++i) estimate_[i] += from_stages(i, h);
      solve(estimate_.data(), kGamma / h);
      result = measure(estimate_);
    }
  }
  wary_ = !(result < 1);
  return result;
}

// Computes the weights of the divided difference in radau.h by Newton's scheme for unit vectors, with times in
// units of h.
void Radau::make_difference_weights(double h) {
  const double a = before2_ / h, b = before_ / h;
  const std::array<double, 7> x{a, b, b, 0, 0, 1, 1};
  constexpr std::array<std::size_t, 7> value_of{0, 1, 1, 3, 3, 5, 5}, slope_of{0, 2, 2, 4, 4, 6, 6};
  for (std::size_t unit = 0; unit < 7; ++unit) {
    std::array<double, 7> table{};
    for (std::size_t i = 0; i < 7; ++i) table[i] = value_of[i] == unit ? 1 : 0;
    for (std::size_t order = 1; order < 7; ++order)
      for (std::size_t i = 0; i + order < 7; ++i) {
        const double width = x[i + order] - x[i];
        table[i] = width == 0 ? (slope_of[i] == unit ? 1 : 0) : (table[i + 1] - table[i]) / width;
      }
    weights_[unit] = kOtherParts * 6 * kQuadrature * table[0];
  }
}

// The divided difference of component i, which changes by `growth` in the step and has the slope `last` at its end.
double Radau::difference(double growth, double last, std::size_t i) const {
  // Values are taken relative to y₀, so that no large numbers cancel.
  return weights_[0] * (y_before2_[i] - start_[i]) + weights_[1] * (y_before_[i] - start_[i]) + weights_[5] * growth +
         factored_ * (weights_[2] * slope_before_[i] + weights_[4] * first_[i] + weights_[6] * last);
}

double Radau::component_error(int component, double h) {
  const auto i = static_cast<std::size_t>(component);
  if (known_ == 2) {
    make_difference_weights(h);
    return difference(z_[2][i], slope_[2][i], i);
  }
  return of_order_five(h / kGamma * (first_[i] + from_stages(i, h)), std::abs(h) * largest_slope(component));
}

double Radau::largest_slope(int component) const {
  const auto i = static_cast<std::size_t>(component);
  return std::max({std::abs(first_[i]), std::abs(slope_[0][i]), std::abs(slope_[1][i]), std::abs(slope_[2][i])});
}

void Radau::add_step_error(const double* y, const double* y1, double h, int count, double* sum) {
  if (known_ < 2) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      sum[i] += of_order_five(error_[i], std::max(std::abs(y[i]), std::abs(y1[i])) + atol_ / rtol_);
    return;
  }
  make_difference_weights(h);
  const double shift = kGamma / h;
  for (std::size_t i = 0; i < size_; ++i) estimate_[i] = shift * difference(y1[i] - y[i], last_[i], i);
  solve(estimate_.data(), shift);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) sum[i] += estimate_[i];
}

bool Radau::make_dense(RightHandSide& /*f*/, double /*t*/, const double* y, const double* y1, double /*h*/) {
  for (std::size_t i = 0; i < size_; ++i) displacement_[i] = y1[i] - y[i] - z_[2][i];
  return true;
}

void Radau::interpolate(double theta, const double* y, double* result, double* slope) const {
  const Nodal at = nodal(theta);
  const double bent = -10 * kGamma * bend(theta), bent_slope = -10 * kGamma * bend_slope(theta);
  for (std::size_t i = 0; i < size_; ++i) {
    result[i] = y[i] + at.value[0] * z_[0][i] + at.value[1] * z_[1][i] + at.value[2] * z_[2][i] + bent * error_[i] +
                theta * displacement_[i];
    if (slope != nullptr)
      slope[i] = at.slope[0] * z_[0][i] + at.slope[1] * z_[1][i] + at.slope[2] * z_[2][i] + bent_slope * error_[i] +
                 displacement_[i];
  }
}

void Radau::carry(double* change) {
  // The change Y of the stages solves (A⁻¹/h − J) Y = A⁻¹1/h ⊗ δ; the last stage is the change of y₁.
  const double h = factored_;
  std::array<double, 3> ones{};
  for (std::size_t k = 0; k < 3; ++k) ones[k] = kInverse[k][0] + kInverse[k][1] + kInverse[k][2];
  const double real = kGamma / h * ones[0];
  const std::complex<double> pair = kPair / h * std::complex(ones[1], ones[2]);
  for (std::size_t i = 0; i < size_; ++i) {
    const double delta = i < coupled_ ? change[i] : 0;
    change_[0][i] = real * delta;
    change_[1][i] = pair.real() * delta;
    change_[2][i] = pair.imag() * delta;
  }
  solver_.solve(change_[0].data());
  solver_.solve(change_[1].data(), change_[2].data());
  for (std::size_t i = 0; i < coupled_; ++i)
    change[i] = kT[2][0] * change_[0][i] + kT[2][1] * change_[1][i] + kT[2][2] * change_[2][i];
}

void Radau::shift() {
  const double h = factored_;
  std::swap(y_before2_, y_before_);
  before2_ = before_ - h;
  copy_few(start_.data(), size_, y_before_.data());
  copy_few(first_.data(), size_, slope_before_.data());
  before_ = -h;
  known_ = std::min(known_ + 1, 2);
  std::swap(z_before_, z_);
  h_before_ = h;
  first_.swap(last_);
  fresh_ = false;
  wary_ = false;
  if (full_steps_ > 0) --full_steps_;
}

void Radau::restart() {
  known_ = 0;
  h_before_ = 0;
  linearized_ = false;
  wary_ = true;
  contraction_ = faccon_ = 1;
  full_steps_ = 0;
  full_span_ = kFirstSpan;
}

}  // namespace dalembert
