// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/roomiest.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

// Rows (value, slopes …) of a cone.
using Rows = std::vector<std::vector<double>>;

std::vector<double> solve(std::size_t unknowns, const std::vector<Rows>& cones) {
  Roomiest roomiest;
  roomiest.begin(unknowns);
  for (const Rows& rows : cones) {
    double* numbers = roomiest.add(rows.size() - 1);
    for (const std::vector<double>& row : rows)
      for (const double number : row) *numbers++ = number;
  }
  std::vector<double> z(unknowns);
  EXPECT_TRUE(roomiest.solve(z.data()));
  return z;
}

// The sum whose largest point is looked for, with the mean square of the values at 0; NaN outside.
double sum_at(const std::vector<Rows>& cones, const std::vector<double>& z) {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (const Rows& rows : cones) {
    std::vector<double> value;
    for (const std::vector<double>& row : rows) {
      squares += row[0] * row[0];
      ++count;
      value.push_back(row[0]);
      for (std::size_t i = 0; i < z.size(); ++i) value.back() += row[1 + i] * z[i];
    }
    double inside = value[0] * value[0];
    for (std::size_t k = 1; k < value.size(); ++k) inside -= value[k] * value[k];
    if (!(value[0] > 0 && inside > 0)) return std::nan("");
    sum += rows.size() == 1 ? std::log(value[0]) : std::log(inside);
  }
  double length = 0;
  for (const double one : z) length += one * one;
  return sum - length * static_cast<double>(count) / (2 * squares);
}

double least_reserve(const std::vector<Rows>& cones, const std::vector<double>& z) {
  double least = INFINITY;
  for (const Rows& rows : cones) {
    std::vector<double> value;
    for (const std::vector<double>& row : rows) {
      value.push_back(row[0]);
      for (std::size_t i = 0; i < z.size(); ++i) value.back() += row[1 + i] * z[i];
    }
    double side = 0;
    for (std::size_t k = 1; k < value.size(); ++k) side = std::hypot(side, value[k]);
    least = std::min(least, value[0] - side);
  }
  return least;
}

TEST(Roomiest, IsTheMiddleOfWhatIsSymmetric) {
  EXPECT_NEAR(solve(1, {{{2, 1}}, {{2, -1}}})[0], 0, 1e-15);
  // Between 3 and 5, with the weight of the values -3 and 5: 1/(z-3) - 1/(5-z) = z/17.
  const double z = solve(1, {{{-3, 1}}, {{5, -1}}})[0];
  EXPECT_NEAR(1 / (z - 3) - 1 / (5 - z), z / 17, 1e-12);
}

// Two discs of radius 1 with middles 2 - 2e apart touch nearly; their common points are e from the middle between them.
TEST(Roomiest, TendsToTheLastCommonPoint) {
  for (const double part : {1e-2, 1e-6, 1e-10}) {
    const std::vector<Rows> discs{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {-2 + 2 * part, 1, 0}, {0, 0, 1}}};
    const std::vector<double> z = solve(2, discs);
    EXPECT_NEAR(z[0], 1 - part, part) << part;
    EXPECT_NEAR(z[1], 0, std::sqrt(part)) << part;
    EXPECT_GT(least_reserve(discs, z), 0) << part;
  }
}

// Where they have none, the reserves of both discs are equal, and no point has a larger one.
TEST(Roomiest, HasTheLargestReserveWhereNoPointIsCommon) {
  const std::vector<Rows> discs{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {-3, 1, 0}, {0, 0, 1}}};
  const std::vector<double> z = solve(2, discs);
  EXPECT_NEAR(z[0], 1.5, 1e-6);
  EXPECT_NEAR(least_reserve(discs, z), -0.5, 1e-6);
}

// What presses from both sides may press as it likes: the point is drawn towards 0.
TEST(Roomiest, IsBoundedWhereTheConesAreNot) {
  const double z = solve(1, {{{1, 1}}, {{1, 1}}})[0];
  EXPECT_NEAR(2 / (1 + z), z, 1e-12);
}

// Random cones that have a common point by construction: it is found, and no point beside it has a larger sum.
TEST(Roomiest, NoPointBesideHasALargerSum) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t unknowns = 1 + static_cast<std::size_t>(round % 7);
    std::vector<double> common(unknowns);
    for (double& one : common) one = 3 * number(random);
    std::vector<Rows> cones;
    for (int c = 0; c < 2 + round % 11; ++c) {
      Rows rows;
      double side = 0;
      for (int k = round % 2 == 0 ? c % 3 : 2; k >= 0; --k) {  // sides, then the limit, which comes first
        std::vector<double> row(1 + unknowns);
        for (double& one : row) one = number(random);
        double value = row[0];
        for (std::size_t i = 0; i < unknowns; ++i) value += row[1 + i] * common[i];
        if (k > 0)
          side = std::hypot(side, value);
        else
          row[0] += side + 0.01 + 0.1 * std::abs(number(random)) - value;
        rows.insert(k > 0 ? rows.end() : rows.begin(), row);
      }
      cones.push_back(rows);
    }
    const std::vector<double> z = solve(unknowns, cones);
    const double best = sum_at(cones, z);
    ASSERT_TRUE(std::isfinite(best)) << round;
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> beside = z;
      for (double& one : beside) one += 1e-3 * number(random);
      const double other = sum_at(cones, beside);
      EXPECT_FALSE(other > best + 1e-13 * (1 + std::abs(best))) << round;
    }
  }
}

}  // namespace
}  // namespace dalembert
