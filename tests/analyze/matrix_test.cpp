// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dalembert {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::mt19937_64& random) {
  Matrix a(rows, cols);
  for (double& x : a.entries) x = std::uniform_real_distribution<double>(-1, 1)(random);
  return a;
}

// Truth: A = B C with C of r rows has rank r. Both ways of finding singular values, few columns and many.
TEST(Matrix, NullSpacesAreOrthonormalAndAnnihilated) {
  std::mt19937_64 random(5);
  for (const std::size_t columns : {1u, 7u, 63u, 64u, 120u}) {
    for (const std::size_t rank : {std::size_t{0}, columns / 2, columns}) {
      const Matrix a = random_matrix(90, rank, random) * random_matrix(rank, columns, random);
      const Matrix null = null_space(a, 1e-10, 1);
      ASSERT_EQ(null.rows, columns);
      ASSERT_EQ(null.cols, columns - std::min<std::size_t>(rank, 90));
      EXPECT_LT(largest(a * null), 1e-12);
      const Matrix gram = transposed(null) * null;
      for (std::size_t i = 0; i < gram.rows; ++i)
        for (std::size_t j = 0; j < gram.cols; ++j) EXPECT_NEAR(gram(i, j), i == j ? 1 : 0, 1e-13);
    }
  }
}

// Truth: diag(d) turned by reflections on both sides keeps its singular values.
TEST(Matrix, SingularRangeOfAKnownMatrix) {
  std::mt19937_64 random(6);
  for (const std::size_t n : {5u, 100u}) {
    Matrix a(n, n);
    for (std::size_t i = 0; i < n; ++i) a(i, i) = 3 - 2.5 * static_cast<double>(i) / static_cast<double>(n - 1);
    for (int side = 0; side < 2; ++side) {
      const Matrix v = random_matrix(n, 1, random);
      const double square = (transposed(v) * v)(0, 0);
      Matrix reflection = v * transposed(v);
      for (double& x : reflection.entries) x *= -2 / square;
      for (std::size_t i = 0; i < n; ++i) reflection(i, i) += 1;
      a = transposed(reflection * a);
    }
    const SingularRange range = singular_range(a);
    EXPECT_NEAR(range.largest, 3, 1e-13);
    EXPECT_NEAR(range.smallest, 0.5, 1e-13);
  }
  // Rows that are missing.
  EXPECT_LT(singular_range(random_matrix(3, 4, random)).smallest, 1e-15);
  EXPECT_EQ(singular_range(Matrix(0, 0)).largest, 0);
}

}  // namespace
}  // namespace dalembert
