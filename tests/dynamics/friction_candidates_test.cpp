// SPDX-License-Identifier: Apache-2.0
// What leaving out modes that cannot be consistent must not change, and what it is made of: intersections of halfspaces.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/halfspaces.h"

namespace dalembert {
namespace {

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  int to(int most) { return std::uniform_int_distribution<int>(0, most)(engine_); }
  bool chance(double p) { return std::bernoulli_distribution(p)(engine_); }
  std::vector<double> numbers(std::size_t count, double size = 1) {
    std::vector<double> all(count);
    for (double& x : all) x = between(-size, size);
    return all;
  }

 private:
  std::mt19937 engine_;
};

Pattern full(int rows, int columns) {
  Pattern pattern{rows, columns, {}, {}};
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) pattern.row.push_back(i), pattern.col.push_back(j);
  return pattern;
}

// A system of n velocities with contacts that have a friction each, and a bilateral row with one; further frictions have a normal force of
// their own. Rows and sliding speeds repeat now and then, so that forces are not unique.
struct RoughSystem {
  FrictionPart part;
  std::vector<double> M, W, f, gamma, v, packed;
  std::vector<char> acts, one_sided;
  std::vector<int> contacts;

  RoughSystem(Chance& random, int n, int count, int own) {
    Layout& layout = part.layout;
    const int m = count + 1, k = count + 1 + own;
    layout.set_coordinates(n);
    layout.m = m;
    layout.frictions = k;
    layout.M = full(n, n), layout.W = full(m, n), layout.C = full(k, n), layout.load = full(k, m);
    layout.Phi.cols = m;
    const auto all = [](std::vector<int>& list, int size) {
      list.resize(as_size(size));
      std::iota(list.begin(), list.end(), 0);
    };
    all(part.velocities, n), all(part.rows, m), all(part.frictions, k);
    all(part.M, n * n), all(part.W, m * n), all(part.C, k * n), all(part.load, k * m);
    const std::size_t size = as_size(n);
    M.assign(size * size, 0.0);
    const std::vector<double> root = random.numbers(size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t l = 0; l < size; ++l)
          M[i * size + j] += root[i * size + l] * root[j * size + l] + (i == j ? 0.3 : 0);
    W = random.numbers(as_size(m) * size);
    std::vector<double> C = random.numbers(as_size(k) * size);
    if (count > 1 && random.chance(0.3)) std::copy_n(W.begin(), n, W.begin() + n);
    if (count > 1 && random.chance(0.3)) std::copy_n(C.begin(), n, C.begin() + n);
    f = random.numbers(size, 3), gamma = random.numbers(as_size(m), 2);
    v.assign(size, 0.0);
    std::vector<double> load(as_size(k * m)), c0(as_size(k)), rate = random.numbers(as_size(k), 2), N0(as_size(k)),
                                                              mu(as_size(k)), mu_s(as_size(k)), viscous(as_size(k));
    for (int j = 0; j < k; ++j) {
      const std::size_t at = as_size(j);
      if (j < m) load[at * as_size(m) + at] = 1;
      if (j >= m) N0[at] = random.between(-1, 1);
      if (j < m && j > 0 && random.chance(0.1)) load[at * as_size(m) + at - 1] = random.between(-1, 1);
      c0[at] = random.chance(0.7) ? 0 : random.between(-1, 1);
      mu[at] = random.between(0, 1.2);
      mu_s[at] = mu[at] * (random.chance(0.5) ? 1 : 1.3);
      viscous[at] = random.chance(0.2) ? 0.3 : 0;
    }
    for (const std::vector<double>& list : {C, load, c0, rate, N0, mu, mu_s, viscous})
      packed.insert(packed.end(), list.begin(), list.end());
    acts.assign(as_size(m), 1);
    one_sided.assign(as_size(m), 1);
    one_sided.back() = 0;
    for (int r = 0; r < count; ++r) contacts.push_back(r);
  }
  void give(FrictionSolver& solver) const {
    solver.evaluate({part, M, W, f, gamma, v.data(), packed.data(), FrictionPlaces(part.layout), acts, one_sided});
  }
};

// Bit for bit.
void expect_alike(const FrictionAnswer& a, const FrictionAnswer& b, int round) {
  ASSERT_EQ(a.complete, b.complete) << round;
  ASSERT_EQ(a.solutions.size(), b.solutions.size()) << round;
  for (std::size_t i = 0; i < a.solutions.size(); ++i) {
    EXPECT_EQ(a.solutions[i].qdd, b.solutions[i].qdd) << round;
    EXPECT_EQ(a.solutions[i].multipliers, b.solutions[i].multipliers) << round;
    EXPECT_EQ(a.solutions[i].acts, b.solutions[i].acts) << round;
    EXPECT_TRUE(a.solutions[i].mode == b.solutions[i].mode) << round;
  }
}

// Oracle: every mode of every set of closed contacts, solved for one by one.
TEST(FrictionCandidates, LoseNoConsistentMode) {
  Chance random(11);
  std::array<int, 3> count{};
  for (int round = 0; round < 500; ++round) {
    const int contacts = random.to(3);
    const RoughSystem system(random, 2 + random.to(5), contacts, contacts > 2 ? 0 : random.to(2));
    FrictionSolver all(system.part.layout), some(system.part.layout);
    all.few_modes = std::numeric_limits<double>::infinity();
    some.few_modes = 0;
    for (FrictionSolver* each : {&all, &some}) system.give(*each);
    std::vector<char> at_rest;
    all.find_at_rest(1e-12, at_rest);
    const FrictionAnswer one_by_one = all.decide_with_contacts(system.contacts, -1, at_rest);
    ++count[std::min<std::size_t>(one_by_one.solutions.size(), 2)];
    expect_alike(some.decide_with_contacts(system.contacts, -1, at_rest), one_by_one, round);
    expect_alike(some.decide(RowBasis(), at_rest), all.decide(RowBasis(), at_rest), round);
    if (contacts == 0) continue;
    std::vector<double> rates(as_size(contacts));
    for (double& rate : rates) rate = random.chance(0.3) ? 0 : random.between(-2, 0);
    expect_alike(some.strike(system.contacts, rates), all.strike(system.contacts, rates), round);
  }
  for (const int each : count) EXPECT_GT(each, 10);
}

// Where there are too many modes to try, and none are left out, pivots find one. Oracle: its own mode confirms it.
TEST(FrictionCandidates, PivotsFindAConsistentMode) {
  Chance random(13);
  int found = 0, complete = 0;
  for (int round = 0; round < 20; ++round) {
    const RoughSystem system(random, 10, 0, 7);
    FrictionSolver pivots(system.part.layout), all(system.part.layout);
    pivots.few_modes = std::numeric_limits<double>::infinity();
    for (FrictionSolver* each : {&pivots, &all}) system.give(*each);
    const std::vector<char> at_rest(8, 1);
    const FrictionAnswer one = pivots.decide(RowBasis(), at_rest), every = all.decide(RowBasis(), at_rest);
    EXPECT_FALSE(one.complete);
    complete += every.complete ? 1 : 0;
    if (one.solutions.empty()) continue;
    ++found;
    EXPECT_FALSE(every.complete && every.solutions.empty()) << round;
    std::vector<double> qdd(10), multipliers(9);
    pivots.mode = one.solutions[0].mode;
    ASSERT_EQ(pivots.solve(RowBasis(), qdd.data(), multipliers.data()), KktStatus::kOk);
    EXPECT_TRUE(pivots.is_consistent(at_rest, multipliers.data())) << round;
    EXPECT_EQ(qdd, one.solutions[0].qdd) << round;
  }
  EXPECT_GT(found, 15);
  EXPECT_GT(complete, 15);
}

// Oracle: in the plane, three halfspaces with normals that surround the origin meet only if y·b <= 0 for the y >= 0 with Σ yᵢaᵢ = 0.
TEST(Halfspaces, MeetAsFarkasSays) {
  Chance random(12);
  int meet = 0, empty = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> angle(3), normals;
    double a = random.between(0, 6.28);
    for (double& each : angle) each = a += random.between(0.3, 2.8);
    for (const double each : angle) normals.insert(normals.end(), {std::cos(each), std::sin(each)});
    const std::vector<double> offsets = random.numbers(3);
    const auto sine = [&](int i, int j) { return std::sin(angle[as_size(j)] - angle[as_size(i)]); };
    const std::vector<double> y{sine(1, 2), sine(2, 0), sine(0, 1)};
    const bool surround = std::ranges::all_of(y, [](double x) { return x > 1e-3; });
    const double value = y[0] * offsets[0] + y[1] * offsets[1] + y[2] * offsets[2];
    const bool pairs_meet = std::abs(sine(0, 1)) > 1e-3 && std::abs(sine(1, 2)) > 1e-3 && std::abs(sine(2, 0)) > 1e-3;
    if (!pairs_meet || (surround && std::abs(value) < 1e-3)) continue;
    Halfspaces space(2, normals, offsets);
    for (const std::size_t i : {0U, 1U, 2U}) {
      space.add(i);
      const bool expected = i < 2 || !surround || value < 0;
      ASSERT_EQ(space.may_meet(), expected) << round << " " << i;
      if (i == 2) ++(expected ? meet : empty);
    }
  }
  EXPECT_GT(meet, 500);
  EXPECT_GT(empty, 100);
}

}  // namespace
}  // namespace dalembert
