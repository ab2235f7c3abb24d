// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/collocation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::integration {
namespace {

constexpr std::size_t kNodes = Collocation::kNodes;
// Of the iteration: most passes, the change relative to the slopes at which they are solved, the factor by which it shrinks at least.
constexpr int kPasses = 60;
constexpr double kSolved = 4e-16, kShrinks = 0.6;
// Most equations of a system that is factored: it takes a second.
constexpr std::size_t kMostFactored = 300;

using Nodes = std::array<double, kNodes>;

// Gauss's nodes and weights on [0, 1]. Abramowitz & Stegun, Handbook of Mathematical Functions, 25.4.29 and table 25.4.
struct Quadrature {
  Nodes node{}, weight{};
};
Quadrature gauss() {
  const double root = 2 * std::sqrt(10.0 / 7), far = std::sqrt(5 + root) / 3, near = std::sqrt(5 - root) / 3;
  const double of_far = (322 - 13 * std::sqrt(70.0)) / 900, of_near = (322 + 13 * std::sqrt(70.0)) / 900;
  Quadrature q;
  const Nodes x{-far, -near, 0, near, far}, w{of_far, of_near, 128.0 / 225, of_near, of_far};
  for (std::size_t i = 0; i < kNodes; ++i) {
    q.node[i] = (1 + x[i]) / 2;
    q.weight[i] = w[i] / 2;
  }
  return q;
}

// The polynomial that is 1 at node j and 0 at the others, but for the one that is left out.
double lagrange(const Nodes& c, std::size_t j, double x, std::size_t left_out = kNodes) {
  double value = 1;
  for (std::size_t k = 0; k < kNodes; ++k)
    if (k != j && k != left_out) value *= (x - c[k]) / (c[j] - c[k]);
  return value;
}

// Radau's nodes: the zeros of P₅ − P₄ on [0, 1], by Newton's method.
Nodes radau() {
  Nodes c{0.0571, 0.2768, 0.5836, 0.8602, 1};
  for (double& x : c)
    for (int pass = 0; pass < 4; ++pass) {
      const double z = 2 * x - 1;
      // P₀ … P₅ and their derivatives, by their recurrences.
      std::array<double, kNodes + 1> p{1, z}, d{0, 1};
      for (std::size_t k = 1; k < kNodes; ++k) {
        const auto n = static_cast<double>(k);
        p[k + 1] = ((2 * n + 1) * z * p[k] - n * p[k - 1]) / (n + 1);
        d[k + 1] = d[k - 1] + (2 * n + 1) * p[k];
      }
      x -= (p[5] - p[4]) / (2 * (d[5] - d[4]));
    }
  return c;
}

}  // namespace

Collocation::Collocation(bool stiff) {
  const Quadrature exact = gauss();
  c_ = stiff ? radau() : exact.node;
  // Gauss's quadrature integrates the polynomials exactly.
  const auto integral = [&](std::size_t j, double until, std::size_t left_out = kNodes) {
    double sum = 0;
    for (std::size_t k = 0; k < kNodes; ++k) sum += exact.weight[k] * lagrange(c_, j, until * exact.node[k], left_out);
    return until * sum;
  };
  for (std::size_t j = 0; j < kNodes; ++j) {
    weight_[j] = integral(j, 1);
    lower_[j] = j == kNodes / 2 ? 0 : integral(j, 1, kNodes / 2);
    for (std::size_t i = 0; i < kNodes; ++i) a_[i][j] = integral(j, c_[i]);
  }
}

void Collocation::resize(std::size_t n, std::size_t columns) {
  n_ = n;
  columns_ = columns;
  A_.resize(kNodes * n * n);
  b_.resize(kNodes * n * columns);
  slopes_.resize(kNodes * n);
  point_.resize(n);
  for (std::vector<double>* x : {&change_, &doubt_, &steepest_}) x->resize(n * columns);
}

bool Collocation::advance(double h, const std::vector<std::vector<double>>& x) {
  bool factored = false;
  for (std::size_t column = 0; column < columns_; ++column) {
    if (factored || !iterate(h, column, x[column])) {
      factored = factored || factor(h);
      if (!factored) return false;
      solve(column, x[column]);
    }
    for (std::size_t row = 0; row < n_; ++row) {
      double change = 0, lower = 0, most = 0;
      for (std::size_t i = 0; i < kNodes; ++i) {
        const double slope = slopes_[i * n_ + row];
        change += h * weight_[i] * slope;
        lower += h * lower_[i] * slope;
        most = std::max(most, std::abs(slope));
      }
      change_[column * n_ + row] = change;
      doubt_[column * n_ + row] = change - lower;
      steepest_[column * n_ + row] = most;
    }
  }
  return true;
}

// Gauss–Seidel iteration over the nodes, to round-off.
bool Collocation::iterate(double h, std::size_t column, const std::vector<double>& x) {
  std::ranges::fill(slopes_, 0.0);
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kPasses; ++pass) {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < kNodes; ++i) {
      for (std::size_t k = 0; k < n_; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < kNodes; ++j) sum += a_[i][j] * slopes_[j * n_ + k];
        point_[k] = x[k] + h * sum;
      }
      for (std::size_t row = 0; row < n_; ++row) {
        double slope = b(i, column, row);
        for (std::size_t k = 0; k < n_; ++k) slope += A(i, row, k) * point_[k];
        double& old = slopes_[i * n_ + row];
        change = std::max(change, std::abs(slope - old));
        size = std::max(size, std::abs(slope));
        old = slope;
      }
    }
    if (change <= kSolved * size) return true;
    if (!(change < kShrinks * before) && pass > 1) return false;
    before = change;
  }
  return false;
}

bool Collocation::factor(double h) {
  if (n_ > kMostFactored) return false;
  factors_.resize(kNodes * n_);
  factors_.clear();
  for (std::size_t i = 0; i < kNodes; ++i)
    for (std::size_t row = 0; row < n_; ++row) {
      for (std::size_t j = 0; j < kNodes; ++j)
        for (std::size_t k = 0; k < n_; ++k) factors_(i * n_ + row, j * n_ + k) = -h * a_[i][j] * A(i, row, k);
      factors_(i * n_ + row, i * n_ + row) += 1;
    }
  return factors_.factor();
}

void Collocation::solve(std::size_t column, const std::vector<double>& x) {
  for (std::size_t i = 0; i < kNodes; ++i)
    for (std::size_t row = 0; row < n_; ++row) {
      double slope = b(i, column, row);
      for (std::size_t k = 0; k < n_; ++k) slope += A(i, row, k) * x[k];
      slopes_[i * n_ + row] = slope;
    }
  factors_.solve(slopes_.data());
}

}  // namespace dalembert::integration
