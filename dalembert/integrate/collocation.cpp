// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/collocation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dalembert::integration {
namespace {

constexpr std::size_t kNodes = Collocation::kNodes;
// Limits of the iteration for the slopes. kPasses: largest number of passes. The slopes are converged once a pass changes them by less than kSolved
// of the largest slope; where products A x are finite differences, by less than kSolvedRoughly, or by less than kNoiseOfProducts once the changes
// shrink no further. The iteration has failed if a pass changes them by more than kShrinks times the change of the pass before.
constexpr int kPasses = 60;
constexpr double kSolved = 4e-16, kSolvedRoughly = 1e-11, kNoiseOfProducts = 1e-8, kShrinks = 0.6;
// Largest n for which the linear system of all nodes is factored; that takes about a second.
constexpr std::size_t kMostFactored = 300;

using Nodes = std::array<double, kNodes>;

// Gauss's nodes and weights on [0, 1]. Abramowitz & Stegun, Handbook of Mathematical Functions, 25.4.29 and table 25.4.
struct GaussRule {
  Nodes node{}, weight{};
};
GaussRule gauss() {
  const double root = 2 * std::sqrt(10.0 / 7), far = std::sqrt(5 + root) / 3, near = std::sqrt(5 - root) / 3;
  const double of_far = (322 - 13 * std::sqrt(70.0)) / 900, of_near = (322 + 13 * std::sqrt(70.0)) / 900;
  GaussRule q;
  const Nodes x{-far, -near, 0, near, far}, w{of_far, of_near, 128.0 / 225, of_near, of_far};
  for (std::size_t i = 0; i < kNodes; ++i) {
    q.node[i] = (1 + x[i]) / 2;
    q.weight[i] = w[i] / 2;
  }
  return q;
}

// The Lagrange polynomial of node j at x: 1 at node j and 0 at the other nodes, of which `left_out` is ignored.
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
  const GaussRule exact = gauss();
  c_ = stiff ? radau() : exact.node;
  // Integral of a Lagrange polynomial from 0 to `until`. Gauss's quadrature is exact for it.
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

void Collocation::resize(std::size_t n, std::size_t columns, Apply apply) {
  n_ = n;
  columns_ = columns;
  apply_ = std::move(apply);
  A_.resize(apply_ ? 0 : kNodes * n * n);
  product_.resize(n);
  b_.resize(kNodes * n * columns);
  slopes_.resize(kNodes * n);
  point_.resize(n);
  for (std::vector<double>* x : {&change_, &doubt_, &steepest_}) x->resize(n * columns);
  if (keeps_states_) states_.resize(kNodes * n * columns);
}

bool Collocation::advance(double h, const std::vector<std::vector<double>>& x) {
  bool factored = false;
  for (std::size_t column = 0; column < columns_; ++column) {
    if (factored || !iterate(h, column, x[column])) {
      factored = factored || factor(h);
      if (!factored) return false;
      solve(column, x[column]);
    }
    if (keeps_states_) find_states(h, column, x[column]);
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

bool Collocation::multiply(std::size_t node, const double* x, double* product) const {
  if (apply_) return apply_(node, x, product);
  const double* row = A_.data() + node * n_ * n_;
  for (std::size_t i = 0; i < n_; ++i, row += n_) {
    double sum = 0;
    for (std::size_t k = 0; k < n_; ++k) sum += row[k] * x[k];
    product[i] = sum;
  }
  return true;
}

// Finds the slopes of one right-hand side by Gauss–Seidel iteration over the nodes. False if the iteration does not converge.
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
      if (!multiply(i, point_.data(), product_.data())) return false;
      for (std::size_t row = 0; row < n_; ++row) {
        const double slope = b(i, column, row) + product_[row];
        double& old = slopes_[i * n_ + row];
        change = std::max(change, std::abs(slope - old));
        size = std::max(size, std::abs(slope));
        old = slope;
      }
    }
    // Products by finite differences carry round-off; the changes do not shrink below it.
    if (change <= (apply_ ? kSolvedRoughly : kSolved) * size) return true;
    if (!(change < kShrinks * before) && pass > 1) return apply_ && change <= kNoiseOfProducts * size;
    before = change;
  }
  return false;
}

bool Collocation::factor(double h) {
  if (n_ > kMostFactored || apply_) return false;
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

void Collocation::find_states(double h, std::size_t column, const std::vector<double>& x) {
  for (std::size_t i = 0; i < kNodes; ++i)
    for (std::size_t row = 0; row < n_; ++row) {
      double sum = 0;
      for (std::size_t j = 0; j < kNodes; ++j) sum += a_[i][j] * slopes_[j * n_ + row];
      states_[(column * kNodes + i) * n_ + row] = x[row] + h * sum;
    }
}

}  // namespace dalembert::integration
