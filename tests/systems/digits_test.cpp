// SPDX-License-Identifier: Apache-2.0
// How many digits accelerations and multipliers have where masses, units and rows make the KKT matrix badly scaled or rows
// nearly dependent. Oracle: the same linear system in the mode that the frictions have, solved with 64 bits of mantissa
// after its rows and columns were scaled to size 1. Tolerance: a backward stable solve leaves a few units of round-off
// times the condition number of the scaled system.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <eigen3/Eigen/Dense>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Constant M and W, rows W q̇ = 0, forces −g, frictions with N = λ of a row and the speed of C.
struct Numbers {
  Eigen::MatrixXd M, W, C;
  Eigen::VectorXd g, v;
  std::vector<int> loads;
  std::vector<double> mu;

  std::string model() const {
    const auto form = [](const Eigen::VectorXd& a) {
      std::string text = "0";
      for (Eigen::Index i = 0; i < a.size(); ++i)
        if (a[i] != 0) text += fmt::format(" + ({:.17g})*q{}'", a[i], i);
      return text;
    };
    std::string coordinates, kinetic = "0", potential = "0", rest;
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      coordinates += fmt::format("\"q{}\", ", i);
      potential += fmt::format(" + ({:.17g})*q{}", g[i], i);
      for (Eigen::Index j = 0; j <= i; ++j)
        if (M(i, j) != 0) kinetic += fmt::format(" + ({:.17g})*q{}'*q{}'{}", M(i, j), i, j, i == j ? "/2" : "");
    }
    for (Eigen::Index r = 0; r < W.rows(); ++r)
      rest += fmt::format("[[constraint]]\nname = \"p{}\"\npfaffian = \"{}\"\n", r, form(W.row(r)));
    for (std::size_t j = 0; j < mu.size(); ++j)
      rest += fmt::format(
          "[[friction]]\nname = \"f{}\"\nnormal = \"lambda(p{})\"\nvelocity = \"{}\"\ncoefficient = {:.17g}\n", j,
          loads[j], form(C.row(static_cast<Eigen::Index>(j))), mu[j]);
    return fmt::format("name = \"numbers\"\ncoordinates = [{}]\n[energy]\nkinetic = \"{}\"\npotential = \"{}\"\n{}",
                       coordinates, kinetic, potential, rest);
  }
};

struct Reference {
  std::vector<double> x;      // q̈, λ, f
  std::vector<double> sizes;  // of what round-off is measured by, each
  double condition = 0;
};

/// Unknowns q̈, λ and, of frictions that stick, f; those that slide follow λ.
Reference solve_exactly(const Numbers& s, const FrictionMode& mode) {
  const Eigen::Index n = s.M.rows(), m = s.W.rows(), k = s.C.rows(), all = n + m + k;
  Long A = Long::Zero(all, all), b = Long::Zero(all, 1);
  A.topLeftCorner(n, n) = s.M.cast<long double>();
  A.block(0, n, n, m) = -s.W.transpose().cast<long double>();
  A.block(n, 0, m, n) = s.W.cast<long double>();
  A.block(0, n + m, n, k) = s.C.transpose().cast<long double>();
  b.topRows(n) = -s.g.cast<long double>();
  for (Eigen::Index j = 0; j < k; ++j) {
    const FrictionState& does = mode[static_cast<std::size_t>(j)];
    if (does.direction == 0) {
      A.block(n + m + j, 0, 1, n) = s.C.row(j).cast<long double>();
    } else {
      A(n + m + j, n + m + j) = 1;
      A(n + m + j, n + s.loads[static_cast<std::size_t>(j)]) =
          -static_cast<long double>(does.direction * does.load) * s.mu[static_cast<std::size_t>(j)];
    }
  }
  // f of those that slide is no unknown of its own.
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < n + m; ++i) kept.push_back(i);
  for (Eigen::Index j = 0; j < k; ++j) {
    if (mode[static_cast<std::size_t>(j)].direction == 0) {
      kept.push_back(n + m + j);
      continue;
    }
    A.col(n + s.loads[static_cast<std::size_t>(j)]) -=
        A.col(n + m + j) * A(n + m + j, n + s.loads[static_cast<std::size_t>(j)]);
  }
  const auto size = static_cast<Eigen::Index>(kept.size());
  Long E(size, size), c(size, 1);
  for (Eigen::Index i = 0; i < size; ++i) {
    c(i) = b(kept[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < size; ++j)
      E(i, j) = A(kept[static_cast<std::size_t>(i)], kept[static_cast<std::size_t>(j)]);
  }
  Long rows = Long::Ones(size, 1), columns = Long::Ones(size, 1);
  for (int pass = 0; pass < 40; ++pass) {
    const Long scaled = rows.asDiagonal() * E * columns.asDiagonal();
    for (Eigen::Index i = 0; i < size; ++i) {
      rows(i) /= std::sqrt(std::max(scaled.row(i).cwiseAbs().maxCoeff(), 1e-4000L));
      columns(i) /= std::sqrt(std::max(scaled.col(i).cwiseAbs().maxCoeff(), 1e-4000L));
    }
  }
  const Long scaled = rows.asDiagonal() * E * columns.asDiagonal();
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(scaled.cast<double>()).singularValues();
  const Long x = scaled.fullPivLu().solve(rows.asDiagonal() * c);
  Reference reference;
  reference.condition = values[0] / values[size - 1];
  const long double largest = x.cwiseAbs().maxCoeff();
  reference.x.assign(static_cast<std::size_t>(all), 0);
  reference.sizes = reference.x;
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(kept[static_cast<std::size_t>(i)]);
    reference.x[at] = static_cast<double>(columns(i) * x(i));
    reference.sizes[at] = static_cast<double>(columns(i) * largest);
  }
  for (std::size_t j = 0; j < mode.size(); ++j) {
    if (mode[j].direction == 0) continue;
    const std::size_t at = static_cast<std::size_t>(n + m) + j, load = static_cast<std::size_t>(n + s.loads[j]);
    const double factor = mode[j].direction * mode[j].load * s.mu[j];
    reference.x[at] = factor * reference.x[load];
    reference.sizes[at] = std::abs(factor) * reference.sizes[load];
  }
  return reference;
}

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : engine_(seed) {}
  double number() { return std::round(std::uniform_real_distribution<double>(-30, 30)(engine_)) / 10; }
  int from(int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine_); }
  bool happens(double probability) { return std::uniform_real_distribution<double>(0, 1)(engine_) < probability; }

  /// `nearness`: that of the last row to the first.
  Numbers system(int frictions, double nearness) {
    const int n = from(nearness > 0 ? 4 : 3, 6), m = from(nearness > 0 ? 2 : 1, n - 2);
    Numbers s;
    s.M = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) s.M(i, i) = from(1, 40) / 10.0 * (happens(0.3) ? std::pow(10, from(-25, 3)) : 1);
    if (happens(0.4)) {  // two that move together carry one mass more
      const double mass = from(1, 40) / 10.0;
      s.M(0, 0) += mass;
      s.M(n - 1, n - 1) += mass;
      s.M(0, n - 1) = s.M(n - 1, 0) = mass;
    }
    const auto rows = [&](int count) {
      Eigen::MatrixXd A(count, n);
      for (Eigen::Index i = 0; i < A.size(); ++i) A(i) = happens(0.7) ? number() : 0;
      for (int r = 0; r < count; ++r)
        if (A.row(r).isZero()) A(r, from(0, n - 1)) = 1;
      return A;
    };
    s.W = rows(m);
    if (happens(0.3)) s.W.row(0) *= std::pow(10, from(-6, 6));
    if (nearness > 0) s.W.row(m - 1) = s.W.row(0) + nearness * s.W.row(m - 1);
    s.C = rows(frictions);
    s.g = rows(1).transpose();
    s.v = happens(0.5) ? Eigen::VectorXd::Zero(n) : Eigen::VectorXd(rows(1).transpose());
    for (int j = 0; j < frictions; ++j) {
      s.loads.push_back(from(0, m - 1));
      s.mu.push_back(from(1, 9) / 20.0);
    }
    return s;
  }

 private:
  std::mt19937 engine_;
};

// The largest error of q̈, λ and f, in units of round-off of the scaled system; negative where there is nothing to compare.
double digits_lost(const Numbers& s) {
  const System system = loaded(s.model());
  const State state{
      0, std::vector<double>(static_cast<std::size_t>(s.M.rows())), {s.v.data(), s.v.data() + s.v.size()}};
  const KktSolution solution = solve_kkt(system.dynamics, state);
  if (solution.status != KktStatus::kOk || solution.rank < s.W.rows()) return -1;
  const FrictionMode mode = s.mu.empty() ? FrictionMode() : solution.friction_answer.solutions.front().mode;
  const Reference exact = solve_exactly(s, mode);
  if (!(exact.condition < 1e7)) return -1;
  std::vector<double> computed = solution.qdd;
  computed.insert(computed.end(), solution.lambda.begin(), solution.lambda.end());
  computed.insert(computed.end(), solution.friction.begin(), solution.friction.end());
  double worst = 0;
  for (std::size_t i = 0; i < computed.size(); ++i)
    if (exact.sizes[i] > 0)
      worst = std::max(worst, std::abs(computed[i] - exact.x[i]) / (exact.sizes[i] * exact.condition * 2.2e-16));
  return worst;
}

TEST(Digits, OfFrictionWithMassesOfAnySize) {
  RandomNumbers random(1);
  int compared = 0;
  for (int k = 0; k < 150; ++k) {
    const Numbers s = random.system(random.from(1, 2), 0);
    const double lost = digits_lost(s);
    compared += lost >= 0 ? 1 : 0;
    EXPECT_LE(lost, 30) << k << "\n" << s.model();
  }
  EXPECT_GE(compared, 60);
}

// Kernels solve by the normal equations W M⁻¹ Wᵀ, which square the condition of the rows.
TEST(Digits, OfRowsThatNearlyDependOnEachOther) {
  RandomNumbers random(2);
  int compared = 0;
  for (int k = 0; k < 60; ++k) {
    const Numbers s = random.system(0, std::pow(10, -random.from(1, 5)));
    const double lost = digits_lost(s);
    compared += lost >= 0 ? 1 : 0;
    EXPECT_LE(lost, 30) << k << "\n" << s.model();
  }
  EXPECT_GE(compared, 20);
}

// The same in the rows of a run: all of them have the multipliers of the start, for nothing depends on the state.
TEST(Digits, OfMultipliersInTheRowsOfARun) {
  Numbers s;
  s.M = Eigen::Vector3d(1, 2, 3).asDiagonal();
  s.W = Eigen::MatrixXd(2, 3);
  s.W << 1, 0.3, 0.7, 1, 0.3, 0.70002;
  s.C = Eigen::MatrixXd(0, 3);
  s.g = Eigen::Vector3d(0.7, -1.1, 0.3);
  s.v = Eigen::Vector3d(0, 0, 0);
  const Reference exact = solve_exactly(s, {});
  const System system = loaded(s.model());
  const Trajectory path = integrate(system.dynamics, {0, {0, 0, 0}, {0, 0, 0}}, {.until = 1, .output_step = 0.25});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t row = 0; row < path.size(); ++row)
    for (std::size_t r = 0; r < 2; ++r)
      EXPECT_NEAR(path.lambda[r][row], exact.x[3 + r], 30 * 2.2e-16 * exact.condition * exact.sizes[3 + r]) << row;
}

}  // namespace
}  // namespace dalembert
