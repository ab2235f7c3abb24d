// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/kkt.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <eigen3/Eigen/Dense>

#include "dalembert/dynamics/workspace.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using namespace oracles;

struct System {
  RowMatrix M, W;
  VectorXd f, gamma;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double power(double decades) {
    return std::pow(10.0, decades * std::uniform_real_distribution<double>(-1, 1)(engine_));
  }
  MatrixXd matrix(int rows, int cols) {
    MatrixXd A(rows, cols);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) A(i, j) = normal();
    return A;
  }
  // rank(M) = `inertia`; W of full rank. Units: coordinates scaled by up to 10^±decades, rows too.
  System system(int n, int m, int inertia, double decades = 0) {
    System s;
    const MatrixXd half = matrix(n, inertia);
    s.M = half * half.transpose();
    s.W = matrix(m, n);
    s.f = matrix(n, 1);
    s.gamma = matrix(m, 1);
    for (int i = 0; i < n; ++i) {
      const double c = power(decades);
      s.M.row(i) *= c;
      s.M.col(i) *= c;
      if (m > 0) s.W.col(i) *= c;  // a column of nothing is an offset from no address
      s.f(i) *= c;
    }
    for (int r = 0; r < m; ++r) {
      const double c = power(decades);
      s.W.row(r) *= c;
      s.gamma(r) *= c;
    }
    return s;
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

struct Answer {
  KktStatus status;
  VectorXd qdd, lambda;
  int rank;
  std::vector<bool> unique;
  bool fast;
};

Answer solve(const System& s, KktOptions options = {}) {
  const int n = static_cast<int>(s.M.rows()), m = static_cast<int>(s.W.rows());
  KktSolver solver(n, m, options);
  Answer answer{KktStatus::kOk, VectorXd(n), VectorXd(m), 0, {}, false};
  solver.factor(s.M.data(), s.W.data());
  answer.status = solver.solve(s.f.data(), s.gamma.data(), answer.qdd.data(), answer.lambda.data());
  answer.rank = solver.rank();
  answer.fast = solver.fast();
  for (int r = 0; r < m; ++r) answer.unique.push_back(solver.lambda_unique(r));
  return answer;
}

// The KKT matrix itself, solved in long double: an independent algorithm with 11 more bits.
std::pair<VectorXd, VectorXd> oracle(const System& s) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto n = s.M.rows(), m = s.W.rows();
  Matrix K = Matrix::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = s.M.cast<long double>();
  K.topRightCorner(n, m) = -s.W.transpose().cast<long double>();
  K.bottomLeftCorner(m, n) = s.W.cast<long double>();
  Eigen::Matrix<long double, Eigen::Dynamic, 1> b(n + m);
  b << s.f.cast<long double>(), -s.gamma.cast<long double>();
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> x = K.fullPivLu().solve(b);
  return {x.head(n).cast<double>(), x.tail(m).cast<double>()};
}

// Largest difference, each entry relative to its vector's size in that entry's own unit.
double difference(const VectorXd& a, const VectorXd& b, const VectorXd& unit) {
  double worst = 0, size = 0;
  for (int i = 0; i < a.size(); ++i) size = std::max(size, std::abs(b(i)) / unit(i));
  for (int i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a(i) - b(i)) / unit(i));
  return size > 0 ? worst / size : worst;
}

// Truth: full-pivoting LU of the whole KKT matrix in long double. Random Gaussian systems of this size have condition
// numbers up to ~1e5 (seeds are fixed), so 1e-10 ≈ 1e5 · 1e-16 · n² with room.
TEST(Kkt, BothPathsSolveRandomSystems) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 9, m = trial % (n + 1);
    const System s = random.system(n, m, n);
    const auto [qdd, lambda] = oracle(s);
    const Answer quick = solve(s), slow = solve(s, {.rank_revealing_only = true});
    for (const Answer& answer : {quick, slow}) {
      ASSERT_EQ(answer.status, KktStatus::kOk) << trial;
      EXPECT_EQ(answer.rank, m);
      EXPECT_LT((answer.qdd - qdd).norm(), 1e-9 * (1 + qdd.norm())) << trial << " fast " << answer.fast;
      EXPECT_LT((answer.lambda - lambda).norm(), 1e-9 * (1 + lambda.norm())) << trial << " fast " << answer.fast;
    }
    EXPECT_FALSE(slow.fast);
  }
}

// Truth: as above. Coordinates and rows in units between 1e-6 and 1e6 (millimetres beside megametres): errors are
// measured in each entry's own unit, estimated from the mass matrix, so that a small entry must be right too.
TEST(Kkt, UnitsDoNotMatter) {
  Random random(8);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + trial % 6, m = 1 + trial % (n - 1);
    const System s = random.system(n, m, n, 6);
    // The same system with coordinates scaled so that M has a unit diagonal, rows to norm 1: well scaled, so the oracle
    // is good.
    System t = s;
    VectorXd c(n), r(m);
    for (int i = 0; i < n; ++i) c(i) = 1 / std::sqrt(s.M(i, i));
    t.M = c.asDiagonal() * s.M * c.asDiagonal();
    t.f = c.asDiagonal() * s.f;
    t.W = s.W * c.asDiagonal();
    for (int k = 0; k < m; ++k) r(k) = 1 / t.W.row(k).norm();
    t.W = r.asDiagonal() * t.W;
    t.gamma = r.asDiagonal() * s.gamma;
    auto [qdd, lambda] = oracle(t);
    qdd = c.asDiagonal() * qdd;
    lambda = r.asDiagonal() * lambda;
    for (bool slow : {false, true}) {
      const Answer answer = solve(s, {.rank_revealing_only = slow});
      ASSERT_EQ(answer.status, KktStatus::kOk) << trial;
      EXPECT_EQ(answer.rank, m);
      EXPECT_LT(difference(answer.qdd, qdd, c), 1e-8) << trial << " slow " << slow;
      EXPECT_LT(difference(answer.lambda, lambda, r), 1e-8) << trial << " slow " << slow;
    }
  }
}

// Truth: the oracle; M of rank n − k with k <= m leaves the KKT matrix invertible for random W.
TEST(Kkt, SingularMassMatrixIsNoObstacle) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + trial % 7, m = 1 + trial % (n - 1), massless = 1 + trial % m;
    const System s = random.system(n, m, n - massless);
    const auto [qdd, lambda] = oracle(s);
    const Answer answer = solve(s);
    ASSERT_EQ(answer.status, KktStatus::kOk) << trial;
    EXPECT_FALSE(answer.fast);
    EXPECT_LT((answer.qdd - qdd).norm(), 1e-8 * (1 + qdd.norm())) << trial;
    EXPECT_LT((answer.lambda - lambda).norm(), 1e-8 * (1 + lambda.norm())) << trial;
  }
}

// Truth: q̈ of the independent rows alone (oracle); λ = the minimum-norm solution of Wᵀλ = Mq̈ − f by Eigen's complete
// orthogonal decomposition; a multiplier is unique iff its row of the null space of Wᵀ, from a singular value
// decomposition, is zero.
TEST(Kkt, RedundantRowsGiveLeastNormMultipliers) {
  Random random(10);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 3 + trial % 6, r = 1 + trial % (n - 1), extra = 1 + trial % 3, m = r + extra;
    const System base = random.system(n, r, n);
    // The extra rows combine only the first half of the others, so the multipliers of the rest stay unique.
    const int used = std::max(1, r / 2);
    MatrixXd combination = MatrixXd::Zero(extra, r);
    combination.leftCols(used) = random.matrix(extra, used);
    System s = base;
    s.W.resize(m, n);
    s.W << base.W, combination * base.W;
    s.gamma.resize(m);
    s.gamma << base.gamma, combination * base.gamma;
    const auto [qdd, ignored] = oracle(base);
    const VectorXd lambda = s.W.transpose().completeOrthogonalDecomposition().solve(base.M * qdd - base.f);
    const Answer answer = solve(s);
    ASSERT_EQ(answer.status, KktStatus::kOk) << trial;
    EXPECT_EQ(answer.rank, r);
    EXPECT_LT((answer.qdd - qdd).norm(), 1e-8 * (1 + qdd.norm())) << trial;
    EXPECT_LT((answer.lambda - lambda).norm(), 1e-7 * (1 + lambda.norm())) << trial;
    for (int k = 0; k < m; ++k) EXPECT_EQ(answer.unique[k], k >= used && k < r) << trial << " row " << k;
  }
}

// Truth: theory §2: two equal rows with different γ cannot both hold. The answer is still the least-squares one, their
// mean.
TEST(Kkt, ContradictionsAreReported) {
  System s{RowMatrix::Identity(2, 2), RowMatrix(2, 2), VectorXd::Zero(2), VectorXd(2)};
  s.W << 1, 0, 1, 0;
  s.gamma << 1, 3;
  const Answer answer = solve(s);
  EXPECT_EQ(answer.status, KktStatus::kInconsistent);
  EXPECT_EQ(answer.rank, 1);
  EXPECT_NEAR(answer.qdd(0), -2, 1e-14);

  const Dynamics dynamics = make_dynamics<ContradictoryPendulum>({"x", "y"}, {"rod", "other"}, 0.5);
  const KktSolution at_start = solve_kkt(dynamics, {0, {0.6, -0.8}, {0, 0}});
  EXPECT_EQ(at_start.status, KktStatus::kInconsistent);
  EXPECT_NEAR(at_start.residual, std::sqrt(2.0) * 0.25, 1e-12);  // ±half of the difference L·c = 0.5 between the rows
}

// Truth: a zero row constrains nothing; consistent when its γ is zero.
TEST(Kkt, ZeroRow) {
  System s{RowMatrix::Identity(2, 2), RowMatrix::Zero(2, 2), VectorXd::Ones(2), VectorXd::Zero(2)};
  s.W(0, 0) = 1;
  Answer answer = solve(s);
  EXPECT_EQ(answer.status, KktStatus::kOk);
  EXPECT_EQ(answer.rank, 1);
  EXPECT_TRUE(answer.unique[0]);
  EXPECT_FALSE(answer.unique[1]);
  EXPECT_NEAR(answer.lambda(0), -1, 1e-15);
  EXPECT_EQ(answer.lambda(1), 0);
  s.gamma(1) = 1;
  EXPECT_EQ(solve(s).status, KktStatus::kInconsistent);
}

// Truth: 2L cos(π/2) = 4e-17 is zero: such a row constrains nothing, its λ is not unique and 0 by least norm, and a γ
// of its own contradicts it. q̈ = −1/√2·(1, 1, 0) by the first row alone, to round-off. On both paths, with masses from
// grams to tons, and with a massless third coordinate (whose inertia the first row must then provide).
TEST(Kkt, RowOfRoundoffCountsAsZero) {
  for (double mass : {1e-3, 1.0, 1e3})
    for (double third : {1.0, 1e-6, 0.0})
      for (bool slow : {false, true}) {
        System s{RowMatrix::Identity(3, 3) * mass, RowMatrix::Zero(2, 3), VectorXd::Zero(3), VectorXd(2)};
        s.M(2, 2) = third * mass;
        s.W << 0.7, 0.7, third == 0 ? -1 : 0, 4e-17, -4e-17, 0;
        s.gamma << 0.7 * std::sqrt(2.0), 1e-17;
        Answer answer = solve(s, {.rank_revealing_only = slow});
        ASSERT_EQ(answer.status, KktStatus::kOk) << mass << " " << third;
        EXPECT_FALSE(answer.fast);
        EXPECT_EQ(answer.rank, 1);
        EXPECT_EQ(answer.unique, (std::vector<bool>{true, false}));
        EXPECT_EQ(answer.lambda(1), 0);
        if (third > 0) {
          EXPECT_NEAR(answer.qdd(0), -std::sqrt(0.5), 1e-15);
          EXPECT_NEAR(answer.qdd(1), -std::sqrt(0.5), 1e-15);
          EXPECT_NEAR(answer.lambda(0), -mass * std::sqrt(0.5) / 0.7, 1e-14 * mass);
        }
        s.gamma(1) = 1;
        EXPECT_EQ(solve(s, {.rank_revealing_only = slow}).status, KktStatus::kInconsistent);
      }
}

// Truth: units do not matter: a row in metres beside one in units of 1e-9 m, or beside a body of 1e24 kg, is a row.
// q̈ = −(1, 2, 3)·1e-3 by three rows, each with a coordinate of its own and one shared.
TEST(Kkt, SmallRowsThatAreNoRoundoffCount) {
  for (double small : {1e-9, 1e-12})
    for (double mass : {1e-9, 1.0, 1e24})
      for (bool slow : {false, true}) {
        System s{RowMatrix::Identity(4, 4), RowMatrix::Zero(3, 4), VectorXd::Zero(4), VectorXd(3)};
        s.M(1, 1) = mass;
        s.W << 1, 0, 0, 1, 0, small, 0, 0, 0, 0, small, 0;
        s.gamma << 2e-3, small * 2e-3, small * 3e-3;
        const Answer answer = solve(s, {.rank_revealing_only = slow});
        ASSERT_EQ(answer.status, KktStatus::kOk) << small << " " << mass;
        EXPECT_EQ(answer.rank, 3) << small << " " << mass;
        EXPECT_EQ(answer.unique, (std::vector<bool>{true, true, true}));
        const double expected[] = {-1e-3, -2e-3, -3e-3, -1e-3};
        // Backward stable in the mass metric: the largest √M_ii q̈_i sets the round-off of all.
        const double largest = std::max(3e-3, 2e-3 * std::sqrt(mass));
        for (int i = 0; i < 4; ++i)
          EXPECT_NEAR(answer.qdd(i), expected[i], 1e-15 * largest / std::sqrt(s.M(i, i))) << i;
      }
  // A planet's own row is 1e-16 of a grain's in the mass metric: it is a row all the same.
  System s{RowMatrix::Identity(2, 2), RowMatrix::Identity(2, 2), VectorXd::Ones(2), VectorXd::Zero(2)};
  s.M(0, 0) = 1e24;
  s.M(1, 1) = 1e-9;
  for (bool slow : {false, true}) EXPECT_EQ(solve(s, {.rank_revealing_only = slow}).rank, 2);
}

// Truth: theory §2: the KKT matrix is singular when M is not positive definite on null(W).
TEST(Kkt, MotionWithoutInertiaIsSingular) {
  const Dynamics dynamics = make_dynamics<FreeMasslessCoordinate>({"x", "y"}, {"wall"});
  EXPECT_EQ(solve_kkt(dynamics, {0, {0, 0}, {0, 0}}).status, KktStatus::kSingular);
  System s{-RowMatrix::Identity(1, 1), RowMatrix(0, 1), VectorXd::Ones(1), VectorXd(0)};
  EXPECT_EQ(solve(s).status, KktStatus::kSingular);
}

TEST(Kkt, NotANumberIsReported) {
  System s{RowMatrix::Identity(2, 2), RowMatrix::Ones(1, 2), VectorXd::Ones(2), VectorXd::Zero(1)};
  for (double bad : {std::nan(""), double{INFINITY}}) {
    System broken = s;
    broken.M(0, 1) = broken.M(1, 0) = bad;
    EXPECT_EQ(solve(broken).status, KktStatus::kNotFinite);
    broken = s;
    broken.W(0, 1) = bad;
    EXPECT_EQ(solve(broken).status, KktStatus::kNotFinite);
    broken = s;
    broken.f(0) = bad;
    EXPECT_EQ(solve(broken).status, KktStatus::kNotFinite);
    broken = s;
    broken.gamma(0) = bad;
    EXPECT_EQ(solve(broken).status, KktStatus::kNotFinite);
  }
}

// Truth: theory §10, λ = m(g·y − q̇·q̇)/L² for h = (x² + y² − L²)/2. Hanging at rest λ = −m g/L: λ < 0 is tension −λL = m
// g.
TEST(Kkt, HangingPendulumIsUnderTension) {
  const double m = 1.7, L = 0.6, g = 9.81;
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"}, m, L, g);
  const KktSolution rest = solve_kkt(dynamics, {0, {0, -L}, {0, 0}});
  EXPECT_EQ(rest.status, KktStatus::kOk);
  EXPECT_NEAR(rest.lambda[0], -m * g / L, 1e-14 * m * g / L);
  EXPECT_NEAR(rest.qdd[1], 0, 1e-14);
  const KktSolution moving = solve_kkt(dynamics, {0, {0.6 * L, -0.8 * L}, {0.8, 0.6}});
  EXPECT_NEAR(moving.lambda[0], m * (-g * 0.8 * L - 1) / (L * L), 1e-13 * 40);
}

// Truth: W loses rank where the rod has no length: singular configuration, rank 0; gravity alone acts.
TEST(Kkt, SingularConfigurationLosesRank) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"}, 1.0, 0.0, 9.81);
  const KktSolution solution = solve_kkt(dynamics, {0, {0, 0}, {0, 0}});
  EXPECT_EQ(solution.status, KktStatus::kOk);
  EXPECT_EQ(solution.rank, 0);
  EXPECT_FALSE(solution.lambda_unique[0]);
  EXPECT_EQ(solution.qdd[1], -9.81);
}

// Truth: a(0) and λ(0) of Andrews' mechanism, published to 30 digits (Test Set for IVP Solvers); λ of opposite sign
// there. The condition of the scaled KKT matrix is ~1e3: 1e-11 relative to the largest entry is round-off with room.
TEST(Kkt, AndrewsMechanismAtItsStart) {
  std::vector<std::string> rows;
  for (int r = 1; r <= 6; ++r) rows.push_back("loop[" + std::to_string(r) + "]");
  const Dynamics dynamics =
      make_dynamics<Andrews>({"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"}, rows);
  const State start = Andrews::start();
  Workspace workspace(dynamics);
  const KktSolution solution = solve_kkt(dynamics, start, workspace);
  EXPECT_EQ(solution.status, KktStatus::kOk);
  EXPECT_TRUE(workspace.kkt.fast());
  const double qdd[] = {14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0};
  const double lambda[] = {-98.5668703962410896057654982170, 6.12268834425566265503114393122, 0, 0, 0, 0};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(solution.qdd[i], qdd[i], 1e-11 * 14222) << i;
  for (int r = 0; r < 6; ++r) EXPECT_NEAR(solution.lambda[r], lambda[r], 1e-11 * 98.6) << r;

  KktSolver slow(7, 6, {.rank_revealing_only = true});
  std::vector<double> q(7), l(6);
  slow.factor(workspace.M.data(), workspace.W.data());
  EXPECT_EQ(slow.solve(workspace.f.data(), workspace.gamma.data(), q.data(), l.data()), KktStatus::kOk);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(q[i], qdd[i], 1e-10 * 14222) << i;
  for (int r = 0; r < 6; ++r) EXPECT_NEAR(l[r], lambda[r], 1e-10 * 98.6) << r;
}

// Truth: the massless rod changes nothing about the bob; its λ are the rod's force, −m g/L·(x, y)-like: λ = m(q̈ + g
// e_y).
TEST(Kkt, MasslessRodIsThePendulum) {
  const Dynamics rod = make_dynamics<MasslessRodPendulum>({"x", "y", "theta"}, {"tip.x", "tip.y"});
  const Dynamics point = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"});
  const double th = 0.7, w = 1.9;
  const KktSolution a = solve_kkt(rod, {0, {std::sin(th), -std::cos(th), th}, {w * std::cos(th), w * std::sin(th), w}});
  const KktSolution b = solve_kkt(point, {0, {std::sin(th), -std::cos(th)}, {w * std::cos(th), w * std::sin(th)}});
  ASSERT_EQ(a.status, KktStatus::kOk);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(a.qdd[i], b.qdd[i], 1e-13);
  EXPECT_NEAR(a.qdd[2], -9.81 * std::sin(th), 1e-13);
  EXPECT_NEAR(a.lambda[0], a.qdd[0], 1e-13);
  EXPECT_NEAR(a.lambda[1], a.qdd[1] + 9.81, 1e-13);
}

// Truth: the third row follows from the other two on the manifold: same q̈, rank 2, none of the multipliers that it
// touches unique.
TEST(Kkt, RowsThatDependOnTheManifoldOnly) {
  const Dynamics plain = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
  const Dynamics redundant = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]", "again"}, true);
  const State state = SliderCrank::start(0.8, 7);
  const KktSolution a = solve_kkt(plain, state), b = solve_kkt(redundant, state);
  ASSERT_EQ(b.status, KktStatus::kOk);
  EXPECT_EQ(b.rank, 2);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a.qdd[i], b.qdd[i], 1e-11 * (1 + std::abs(a.qdd[i])));
  EXPECT_EQ(b.lambda_unique, (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace dalembert
