// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/elimination_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace dalembert {
namespace {

constexpr std::size_t kNoLimit = 1'000'000;

Pattern diagonal(int n) {
  Pattern M{n, n, {}, {}};
  for (int i = 0; i < n; ++i) {
    M.row.push_back(i);
    M.col.push_back(i);
  }
  return M;
}

// Rods with x, y, θ each, pinned one to the next: the pattern of models/n-link-chain-maximal.toml.
Pattern chain_pattern(int links) {
  Pattern W{2 * links, 3 * links, {}, {}};
  const auto add = [&](int row, int col) {
    W.row.push_back(row);
    W.col.push_back(col);
  };
  for (int i = 0; i < links; ++i) {
    for (int axis = 0; axis < 2; ++axis) {
      for (const int link : {i - 1, i}) {
        if (link < 0) continue;
        add(2 * i + axis, axis * links + link);
        add(2 * i + axis, 2 * links + link);
      }
    }
  }
  return W;
}

void add_symmetric(Pattern& M, int i, int j) {
  M.row.insert(M.row.end(), {i, j});
  M.col.insert(M.col.end(), {j, i});
}

// Oracle: elimination on a dense 0/1 matrix in the order that was planned. Every unknown goes once, a multiplier after
// the coordinates of its row, and `later` is exactly what is coupled to it by then.
TEST(EliminationOrder, FillIsWhatDenseEliminationFinds) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    const int n = 2 + below(8), m = below(n);
    Pattern M = diagonal(n), W{m, n, {}, {}};
    for (int k = 0; k < n; ++k)
      if (const int i = below(n), j = below(n); i != j) add_symmetric(M, i, j);
    std::set<std::pair<int, int>> entries;
    for (int r = 0; r < m; ++r)
      for (int k = 0; k < 3; ++k) entries.emplace(r, below(n));
    for (const auto& [row, col] : entries) {
      W.row.push_back(row);
      W.col.push_back(col);
    }
    const auto plan = plan_elimination(n, M, W, std::vector<bool>(static_cast<std::size_t>(n)), kNoLimit);
    ASSERT_TRUE(plan);
    const int size = n + m;
    std::vector<std::vector<bool>> K(static_cast<std::size_t>(size), std::vector<bool>(static_cast<std::size_t>(size)));
    const auto couple = [&](int i, int j) {
      K[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = true;
      K[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = true;
    };
    for (std::size_t k = 0; k < M.row.size(); ++k) couple(M.row[k], M.col[k]);
    for (std::size_t k = 0; k < W.row.size(); ++k) couple(n + W.row[k], W.col[k]);
    ASSERT_EQ(plan->order.size(), static_cast<std::size_t>(size));
    std::set<int> gone;
    for (const int k : plan->order) {
      EXPECT_FALSE(gone.contains(k));
      std::set<int> coupled;
      for (int i = 0; i < size; ++i)
        if (i != k && !gone.contains(i) && K[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)])
          coupled.insert(i);
      const std::vector<int>& later = plan->later[static_cast<std::size_t>(k)];
      EXPECT_EQ(std::set<int>(later.begin(), later.end()), coupled);
      for (const int i : coupled)
        for (const int j : coupled) couple(i, j);
      for (const auto& [row, col] : entries) {
        if (row != k - n) continue;
        EXPECT_TRUE(gone.contains(col)) << "row " << row << " before coordinate " << col;
      }
      gone.insert(k);
    }
  }
}

// A chain of any length has the same number of operations a link: 2 pins with 4 + 4 + 3 coordinates' worth of
// couplings.
TEST(EliminationOrder, ChainsAreLinear) {
  const auto operations = [](int links) {
    const auto plan = plan_elimination(3 * links, diagonal(3 * links), chain_pattern(links),
                                       std::vector<bool>(static_cast<std::size_t>(3 * links), true), kNoLimit);
    EXPECT_TRUE(plan);
    return plan ? plan->operations : 0;
  };
  const std::size_t at_100 = operations(100), at_200 = operations(200), at_300 = operations(300);
  EXPECT_EQ(at_300 - at_200, at_200 - at_100);
  EXPECT_LT(at_300 - at_200, 100 * 100u);
}

// A chain goes from both ends: of 2 · links multipliers, that wait for each other in pairs along each half of the chain,
// no more than half wait in a row, and those of the joint in the middle. From one end it would be all of them.
TEST(EliminationOrder, ChainsGoFromBothEnds) {
  for (const int links : {5, 20, 101}) {
    const int n = 3 * links;
    const auto plan = plan_elimination(n, diagonal(n), chain_pattern(links),
                                       std::vector<bool>(static_cast<std::size_t>(n), true), kNoLimit);
    ASSERT_TRUE(plan);
    std::vector<int> in_a_row(plan->order.size());  // multipliers, up to and with this one
    int most = 0;
    for (const int k : plan->order) {
      const auto at = static_cast<std::size_t>(k);
      in_a_row[at] += k >= n ? 1 : 0;
      most = std::max(most, in_a_row[at]);
      for (const int later : plan->later[at])
        in_a_row[static_cast<std::size_t>(later)] = std::max(in_a_row[static_cast<std::size_t>(later)], in_a_row[at]);
    }
    EXPECT_LE(most, links + 2) << links;
  }
}

TEST(EliminationOrder, RefusesWhatHasNoPivotOrCostsTooMuch) {
  const std::vector<bool> constant(3);
  Pattern no_mass{3, 3, {0, 1}, {0, 1}}, empty_row{1, 3, {}, {}}, no_rows{0, 3, {}, {}}, one_row{1, 3, {0}, {2}};
  EXPECT_FALSE(plan_elimination(3, no_mass, no_rows, constant, kNoLimit));
  EXPECT_FALSE(plan_elimination(3, diagonal(3), empty_row, constant, kNoLimit));
  EXPECT_TRUE(plan_elimination(3, diagonal(3), one_row, constant, kNoLimit));
  EXPECT_FALSE(plan_elimination(3, diagonal(3), one_row, constant, 3));
}

}  // namespace
}  // namespace dalembert
