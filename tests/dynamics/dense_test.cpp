// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/dense.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <eigen3/Eigen/Dense>

namespace dalembert {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : engine_(seed) {}
  MatrixXd matrix(int rows, int cols) {
    MatrixXd A(rows, cols);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) A(i, j) = normal_(engine_);
    return A;
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

// Truth: the product of the factors. Backward error of LDLᵀ is a few n·eps·‖A‖; 1e-12 covers n = 12 with a condition of
// 1e3.
TEST(SkylineLdlt, SolvesDenseAndBandedSystems) {
  RandomMatrices random(1);
  for (int n : {1, 2, 5, 12}) {
    for (int band : {1, 2, n}) {
      MatrixXd A = random.matrix(n, n);
      A = A * A.transpose() + n * MatrixXd::Identity(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (std::abs(i - j) >= band) A(i, j) = 0;
      A += 3.0 * n * MatrixXd::Identity(n, n);  // still positive definite without the outer band
      SkylineLdlt ldlt;
      ldlt.resize(n);
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) ldlt.row(i)[j] = A(i, j);
      EXPECT_GT(ldlt.factor(), 0);
      const VectorXd x = random.matrix(n, 1);
      VectorXd b = A * x;
      ldlt.solve_forward(b.data());
      ldlt.solve_backward(b.data());
      EXPECT_LT((b - x).norm(), 1e-12 * (1 + x.norm())) << n << " " << band;
    }
  }
}

// Truth: the 2×2 matrix [1 c; c 1] has pivots 1 and 1 − c² = sin²; one eigenvalue of [1 2; 2 1] is −1.
TEST(SkylineLdlt, TellsHowFarFromSingular) {
  SkylineLdlt ldlt;
  ldlt.resize(2);
  ldlt.row(0)[0] = ldlt.row(1)[1] = 1;
  ldlt.row(0)[1] = std::cos(1e-3);
  EXPECT_NEAR(ldlt.factor(), 1e-6, 1e-12);
  ldlt.row(0)[0] = ldlt.row(1)[1] = 1;
  ldlt.row(0)[1] = 2;
  EXPECT_LT(ldlt.factor(), 0);
  ldlt.row(0)[0] = NAN;
  EXPECT_FALSE(ldlt.factor() > 0);
}

// Truth: A P = Q R by multiplication; rank by construction as a product of full-rank factors.
TEST(HouseholderQr, ReproducesTheMatrixAndItsRank) {
  RandomMatrices random(2);
  for (int rank : {0, 1, 3, 4}) {
    const MatrixXd A = random.matrix(6, rank) * random.matrix(rank, 4);
    HouseholderQr qr;
    qr.resize(6, 4);
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 6; ++i) qr.column(j)[i] = A(i, j);
    EXPECT_EQ(qr.factor_pivoted(1e-12, 4), rank);
    for (int j = 0; j < 4; ++j) {
      VectorXd column = VectorXd::Zero(6);
      for (int i = 0; i <= std::min(j, rank - 1); ++i) column(i) = qr.R(i, j);
      qr.apply_Q(column.data());
      EXPECT_LT((column - A.col(qr.pivot(j))).norm(), 1e-13);
      qr.apply_Qt(column.data());
      for (int i = rank; i < 6; ++i) EXPECT_NEAR(column(i), 0, 1e-13);
    }
  }
}

// Truth: the same, and QᵀSQ by multiplication with Q from the columns of the identity. Columns with 1, 3 and all entries: reflections of
// large matrices go over what is not 0.
TEST(HouseholderQr, ColumnsWithFewEntries) {
  constexpr int kRows = 60, kColumns = 40;
  for (const int entries : {1, 3, kRows}) {
    RandomMatrices random(5 + entries);
    MatrixXd A = MatrixXd::Zero(kRows, kColumns);
    const MatrixXd some = random.matrix(kRows, kColumns), half = random.matrix(kRows, kRows),
                   S = half + half.transpose();
    for (int j = 0; j < kColumns; ++j)
      for (int e = 0; e < entries; ++e) A((7 * j + 11 * e) % kRows, j) = some(e, j);
    HouseholderQr qr;
    qr.resize(kRows, kColumns);
    for (int j = 0; j < kColumns; ++j)
      for (int i = 0; i < kRows; ++i) qr.column(j)[i] = A(i, j);
    const int rank = qr.factor_pivoted(1e-12, kColumns);
    MatrixXd Q = MatrixXd::Identity(kRows, kRows), R = MatrixXd::Zero(kRows, kColumns), turned = S, P(kRows, kColumns);
    for (int j = 0; j < kRows; ++j) qr.apply_Q(Q.col(j).data());
    for (int j = 0; j < kColumns; ++j) {
      P.col(j) = A.col(qr.pivot(j));
      for (int i = 0; i <= std::min(j, rank - 1); ++i) R(i, j) = qr.R(i, j);
    }
    EXPECT_LT((Q.transpose() * Q - MatrixXd::Identity(kRows, kRows)).norm(), 1e-12);
    EXPECT_LT((Q * R - P).norm(), 1e-12 * kRows);
    std::vector<double> temporary(kRows);
    qr.apply_congruence(turned.data(), temporary.data());
    EXPECT_LT((Q.transpose() * S * Q - turned).norm(), 1e-11 * kRows);
    VectorXd b = some.col(0), by_Q = Q.transpose() * b;
    qr.apply_Qt(b.data());
    EXPECT_LT((b - by_Q).norm(), 1e-12 * kRows);
  }
}

}  // namespace
}  // namespace dalembert
