// SPDX-License-Identifier: Apache-2.0
// Complementarity problems of random contacts against all of their modes.
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/dynamics/complementarity.h"
#include "dalembert/dynamics/small_lu.h"

namespace dalembert {
namespace {

constexpr double kTolerance = 1e-9;

// Of all sets of contacts that press, one whose signs come out; w of that solution, which is unique where A is positive semidefinite.
// Singular sets are solved with a tiny diagonal, of which w feels nothing.
std::optional<std::vector<double>> by_enumeration(const std::vector<double>& A, const std::vector<double>& b) {
  const std::size_t n = b.size();
  for (unsigned mode = 0; mode < 1U << n; ++mode) {
    std::vector<std::size_t> closed;
    for (std::size_t i = 0; i < n; ++i)
      if ((mode >> i & 1U) != 0) closed.push_back(i);
    SmallLu lu;
    lu.resize(closed.size());
    std::vector<double> z(closed.size());
    for (std::size_t i = 0; i < closed.size(); ++i) {
      for (std::size_t j = 0; j < closed.size(); ++j) lu(i, j) = A[closed[i] * n + closed[j]];
      z[i] = -b[closed[i]];
    }
    if (!lu.factor(1e-10)) continue;  // a smaller independent set gives the same w
    lu.solve(z.data());
    std::vector<double> w = b;
    bool holds = true;
    for (std::size_t i = 0; i < closed.size(); ++i) holds = holds && z[i] >= -kTolerance;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < closed.size(); ++j) w[i] += A[i * n + closed[j]] * z[j];
      holds = holds && w[i] >= -kTolerance;
    }
    if (holds) return w;
  }
  return std::nullopt;
}

// A = G Gᵀ of n contacts on k freedoms: with k < n some rows depend on the others; repeated rows close together.
TEST(Complementarity, RandomContactsAgreeWithAllTheirModes) {
  std::mt19937 random(20261126);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> any(0, 99);
  Complementarity problem;
  int solved = 0, without = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(any(random)) % 7,
                      k = 1 + static_cast<std::size_t>(any(random)) % 8;
    std::vector<double> G(n * k), u(k), b(n), A(n * n);
    for (double& x : G) x = any(random) < 30 ? std::round(normal(random)) : normal(random);
    for (double& x : u) x = any(random) < 20 ? 0 : normal(random);
    if (any(random) < 30)
      for (std::size_t i = 0; i < k; ++i) G[i] = G[k + i];
    for (std::size_t r = 0; r < n; ++r) {
      // A row of length 0 or so has no direction; contacts have one.
      double length = 0;
      for (std::size_t i = 0; i < k; ++i) length += G[r * k + i] * G[r * k + i];
      if (length < 1e-4) G[r * k] = length = 1;
      for (std::size_t i = 0; i < k; ++i) G[r * k + i] /= std::sqrt(length);
      // b comes from a motion, as the rates of gaps do; sometimes it is a rate that no motion has.
      for (std::size_t i = 0; i < k; ++i) b[r] += G[r * k + i] * u[i];
      if (any(random) < 10) b[r] += normal(random);
    }
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < n; ++s) {
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i) sum += G[r * k + i] * G[s * k + i];
        A[r * n + s] = sum;
      }
    const std::optional<std::vector<double>> wanted = by_enumeration(A, b);
    const bool found = problem.solve(A, b);
    ASSERT_EQ(found, wanted.has_value()) << "trial " << trial;
    if (!found) {
      ++without;
      continue;
    }
    ++solved;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(problem.z()[i], -kTolerance);
      EXPECT_NEAR(problem.w()[i], (*wanted)[i], 1e-7) << "trial " << trial;
      EXPECT_NEAR(problem.w()[i] * problem.z()[i], 0, 1e-7);
    }
  }
  EXPECT_GT(solved, 3000);
  EXPECT_GT(without, 20);
}

// Thirty contacts that all press on one body need no enumeration.
TEST(Complementarity, ManyContactsAtOnce) {
  constexpr std::size_t kCount = 60;
  std::vector<double> A(kCount * kCount), b(kCount, -1);
  for (std::size_t i = 0; i < kCount; ++i)
    for (std::size_t j = 0; j < kCount; ++j) A[i * kCount + j] = i == j ? 1 : 0.5;
  Complementarity problem;
  ASSERT_TRUE(problem.solve(A, b));
  for (const double z : problem.z()) EXPECT_NEAR(z, 1 / (0.5 * (kCount + 1)), 1e-12);
}

}  // namespace
}  // namespace dalembert
