// SPDX-License-Identifier: Apache-2.0
// Systems whose kernel solves the KKT system: the same answers as the dense solver, which is asked where pivots cannot
// be trusted; and memory that grows with the non-zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/assembly_steps.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/sparse_ldlt.h"
#include "dalembert/dynamics/workspace.h"
#include "tests/oracles/chain_kernel.h"

namespace {
std::atomic<std::size_t> allocated{0};

void* counted(std::size_t size) {
  allocated += size;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace dalembert {
namespace {

using oracles::chain;
using oracles::ChainKernel;
using Vector = std::vector<double>;

constexpr double kMegabyte = 1 << 20;

Vector random_values(int count, unsigned seed, double from, double to) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(from, to);
  Vector values(static_cast<std::size_t>(count));
  for (double& value : values) value = any(random);
  return values;
}

State hanging(int links) {
  return ChainKernel(links, false).state(random_values(links, 1, -2, -1), random_values(links, 2, -1, 1));
}

double largest_difference(const Vector& a, const Vector& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}
double largest(const Vector& a) { return largest_difference(a, Vector(a.size())); }

// Oracle: the dense solver on the same terms. Both are stable; S of 20 links has a condition of about 20² · 12.
TEST(LargeSystems, KernelSolvesAsTheDenseSolverDoes) {
  const State state = hanging(20);
  const Dynamics sparse = chain(20), dense = chain(20, false);
  Workspace workspace(sparse);
  const KktSolution a = solve_kkt(sparse, state, workspace), b = solve_kkt(dense, state);
  EXPECT_EQ(workspace.fallbacks, 0);
  ASSERT_EQ(a.status, KktStatus::kOk);
  EXPECT_EQ(a.rank, 40);
  EXPECT_EQ(a.lambda_unique, b.lambda_unique);
  EXPECT_LT(largest_difference(a.qdd, b.qdd), 1e-11 * largest(b.qdd));
  EXPECT_LT(largest_difference(a.lambda, b.lambda), 1e-11 * largest(b.lambda));
  EXPECT_LT(a.residual, 1e-10);
  EXPECT_GT(a.residual, 0);  // measured, though the kernel does not return it
  EXPECT_GT(workspace.kkt.independence(), 0.1);
  EXPECT_TRUE(workspace.kkt.fast());
}

// Oracle: the projection with the dense solver, from 1e-4 off. Newton and simplified Newton both end at round-off, and
// their ends differ by the curvature times the square of the way.
TEST(LargeSystems, KernelProjectsAsTheDenseSolverDoes) {
  State state = hanging(20);
  const Vector off = random_values(60, 3, -1e-4, 1e-4), rate_off = random_values(60, 4, -1e-3, 1e-3);
  for (std::size_t i = 0; i < off.size(); ++i) state.q[i] += off[i], state.v[i] += rate_off[i];
  State a = state, b = state;
  const Dynamics sparse = chain(20), dense = chain(20, false);
  Workspace workspace(sparse), densely(dense);
  const Projection with_kernel = project(sparse, 0, a.q.data(), a.v.data(), workspace),
                   without = project(dense, 0, b.q.data(), b.v.data(), densely);
  ASSERT_TRUE(with_kernel.ok);
  EXPECT_EQ(workspace.fallbacks, 0);
  EXPECT_LT(with_kernel.position_roundoff, 10);
  EXPECT_LT(with_kernel.velocity_roundoff, 10);
  EXPECT_NEAR(with_kernel.position_roundoff_before, without.position_roundoff_before,
              1e-6 * without.position_roundoff_before);
  EXPECT_LT(largest_difference(a.q, b.q), 1e-6);
  EXPECT_LT(largest_difference(a.v, b.v), 1e-5);
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(a.q[i] - state.q[i], workspace.dq[i], 1e-15) << i;
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(a.v[i] - state.v[i], workspace.dv[i], 1e-14) << i;
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(b.q[i] - state.q[i], densely.dq[i], 1e-15) << i;
  for (std::size_t i = 0; i < off.size(); ++i) EXPECT_NEAR(b.v[i] - state.v[i], densely.dv[i], 1e-14) << i;

  // On the manifold nothing is left to do.
  const State there = a;
  const Projection again = project(sparse, 0, a.q.data(), a.v.data(), workspace);
  EXPECT_LT(again.position_roundoff_before, 10);
  EXPECT_LT(largest_difference(a.q, there.q), 1e-14);
}

// A taut chain between two pins: its last row in x is a combination of the others to first order, so the kernel's last
// pivot is round-off and the dense solver must answer, exactly as it does without the kernel.
TEST(LargeSystems, AnUntrustedPivotIsLeftToTheDenseSolver) {
  const double span = 3 * ChainKernel::kLength;
  const Dynamics sparse = chain(3, true, span), dense = chain(3, false, span);
  const State taut = ChainKernel(3, false).state({0, 0, 0}, {0, 0, 0});
  Workspace workspace(sparse);
  const KktSolution a = solve_kkt(sparse, taut, workspace), b = solve_kkt(dense, taut);
  EXPECT_EQ(workspace.fallbacks, 1);
  EXPECT_EQ(a.status, KktStatus::kOk);
  EXPECT_EQ(a.rank, 7);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.qdd, b.qdd);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.lambda_unique, b.lambda_unique);
  EXPECT_EQ(workspace.kkt.rank(), 7);

  State off = taut, same = taut;
  off.q[4] = same.q[4] = 1e-6;
  const Projection with_kernel = project(sparse, 0, off.q.data(), off.v.data(), workspace);
  project(dense, same);
  EXPECT_TRUE(with_kernel.ok);
  EXPECT_GT(workspace.fallbacks, 1);
  EXPECT_EQ(off.q, same.q);

  // Away from there the kernel is trusted again, and the report says so.
  const State hangs = ChainKernel(3, false).state({-0.5, 0.1, 0.4}, {0, 0, 0});
  const std::int64_t before = workspace.fallbacks;
  EXPECT_EQ(solve_kkt(sparse, hangs, workspace).rank, 8);
  EXPECT_EQ(workspace.fallbacks, before);
  EXPECT_TRUE(workspace.kkt.lambda_unique(0));
}

// 6,000 coordinates and 4,000 rows. A dense M alone would be 275 MB.
TEST(LargeSystems, MemoryGrowsWithTheChain) {
  const int links = 2000;
  State state = hanging(links);
  const Dynamics dynamics = chain(links);
  const std::size_t before = allocated;
  Workspace workspace(dynamics);
  EXPECT_LT(static_cast<double>(allocated - before), 3 * kMegabyte);
  const KktSolution solution = solve_kkt(dynamics, state, workspace);
  ASSERT_EQ(solution.status, KktStatus::kOk);
  EXPECT_LT(solution.residual, 1e-6 * largest(solution.qdd));
  // M q̈ − Wᵀλ = f
  evaluate_rates(dynamics, 0, state.q.data(), state.v.data(), workspace);
  Vector left = workspace.f;
  for (int r = 0; r < dynamics.m(); ++r)
    workspace.W_rows.for_each(r, workspace.W, [&](int i, double w) {
      left[static_cast<std::size_t>(i)] += w * solution.lambda[static_cast<std::size_t>(r)];
    });
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= workspace.M[i] * solution.qdd[i];
  EXPECT_LT(largest(left), 1e-9 * largest(solution.lambda));

  const Vector off = random_values(3 * links, 5, -1e-6, 1e-6);
  for (std::size_t i = 0; i < off.size(); ++i) state.q[i] += off[i], state.v[i] += off[i];
  const Projection projection = project(dynamics, 0, state.q.data(), state.v.data(), workspace);
  EXPECT_TRUE(projection.ok);
  EXPECT_LT(projection.position_residual, 1e-12);
  EXPECT_LT(projection.velocity_residual, 1e-12);
  EXPECT_EQ(workspace.fallbacks, 0);
  // With what the oracle itself takes in its calls.
  EXPECT_LT(static_cast<double>(allocated - before), 60 * kMegabyte);
}

TEST(LargeSystems, TheDenseSolverIsRefusedWhereItWouldNotFit) {
  const int links = 2100;
  const Dynamics dynamics = chain(links, true, links * ChainKernel::kLength);
  ASSERT_FALSE(fits_dense(dynamics.nv(), dynamics.m()));
  State taut = ChainKernel(links, false).state(Vector(links), Vector(links));
  Workspace workspace(dynamics);
  const KktSolution solution = solve_kkt(dynamics, taut, workspace);
  EXPECT_EQ(solution.status, KktStatus::kTooLarge);
  EXPECT_EQ(solution.rank, -1);
  EXPECT_NE(to_text(solution.status).find("too large for the dense solve"), std::string_view::npos);
  EXPECT_EQ(check_consistency(dynamics, taut).rank, Assembly::kUnknownRank);

  // Off the manifold the same; the state is left alone.
  taut.q[0] += 1e-6;
  State state = taut;
  const Projection projection = project(dynamics, 0, state.q.data(), state.v.data(), workspace);
  EXPECT_FALSE(projection.ok);
  EXPECT_EQ(projection.status, KktStatus::kTooLarge);
  EXPECT_EQ(state.q, taut.q);
}

// ------------------------------------------------------------------------------------------------------ assembly

// Oracle: the dense steps of the same problem, coordinates held and a pull given.
TEST(LargeSystems, SparseStepsAreTheDenseOnes) {
  const Dynamics dynamics = chain(8, false);
  const Layout& layout = dynamics.layout();
  const State state = hanging(8);
  Workspace workspace(dynamics);
  evaluate_mass(dynamics, 0, state.q.data(), state.v.data(), workspace);
  evaluate_velocity(dynamics, 0, state.q.data(), workspace);
  std::vector<int> free, rows;
  for (int i = 0; i < layout.nv; ++i)
    if (i % 5 != 0) free.push_back(i);
  for (int r = 0; r < layout.m; ++r) rows.push_back(r);
  const Vector r = random_values(layout.m, 6, -1, 1), pull = random_values(layout.nv, 7, -1, 1);
  Vector scale(r.size());
  for (int k = 0; k < layout.m; ++k) {
    double sum = 0;
    workspace.W_rows.for_each(k, workspace.W, [&](int i, double w) { sum += i % 5 != 0 ? w * w : 0; });
    scale[static_cast<std::size_t>(k)] = 1 / std::sqrt(sum);
  }

  const auto steps = [&](std::unique_ptr<assembly::Steps> made) {
    std::vector<Vector> found(3, Vector(state.q.size()));
    EXPECT_TRUE(made->set_metric(workspace.M));
    made->set_rows(workspace.W, scale);
    EXPECT_TRUE(made->factor(1e-8));
    EXPECT_TRUE(made->constrained_step(nullptr, r, found[0]));
    EXPECT_TRUE(made->constrained_step(&pull, r, found[1]));
    EXPECT_TRUE(made->damped_step(0.01, r, found[2]));
    return found;
  };
  const assembly::Places coordinates(free, layout.nv), all(rows, layout.m);
  const auto sparse = steps(assembly::make_sparse_steps(layout, coordinates, all)),
             dense = steps(assembly::make_dense_steps(layout, coordinates, all));
  for (std::size_t k = 0; k < sparse.size(); ++k) {
    EXPECT_LT(largest_difference(sparse[k], dense[k]), 1e-9 * largest(dense[k])) << k;
    EXPECT_EQ(sparse[k][0], 0);
    EXPECT_EQ(sparse[k][5], 0);
  }
}

// Truth: from all zero the least move in the mass metric is the straight chain, x_i = (i − 1/2) l: it is stationary, as
// the pull −x is normal to the manifold there. Each pin is closed but for the last digit of its x, and these add up.
TEST(LargeSystems, AssemblesTheStraightChain) {
  const int links = 2000;
  const Dynamics dynamics = chain(links);
  const std::size_t before = allocated;
  const Assembly assembly = assemble(dynamics, {0, Vector(3 * links), Vector(3 * links)});
  ASSERT_TRUE(assembly.ok());
  EXPECT_EQ(assembly.rank, 2 * links);
  EXPECT_LE(assembly.iterations, 8);
  const double digits = links * 2.3e-16 * links * ChainKernel::kLength;
  Vector straight(assembly.state.q.size());
  for (int i = 0; i < links; ++i) straight[static_cast<std::size_t>(i)] = (i + 0.5) * ChainKernel::kLength;
  EXPECT_LT(largest_difference(assembly.state.q, straight), digits);
  EXPECT_LT(static_cast<double>(allocated - before), 200 * kMegabyte);
}

// Truth: with all angles and their rates held, the centres follow by summing up the rods.
TEST(LargeSystems, AssemblyKeepsWhatIsHeld) {
  const int links = 300;
  const State exact = hanging(links);
  State guess = exact;
  AssembleOptions options;
  options.hold_position.assign(3 * links, false);
  for (std::size_t i = 0; i < 2 * links; ++i) guess.q[i] = guess.v[i] = 0;
  for (std::size_t i = 2 * links; i < 3 * links; ++i) options.hold_position[i] = true;
  options.hold_velocity = options.hold_position;
  for (const bool solves : {true, false}) {
    const Assembly assembly = assemble(chain(links, solves), guess, options);
    ASSERT_TRUE(assembly.ok());
    EXPECT_LT(largest_difference(assembly.state.q, exact.q), 1e-11);
    EXPECT_LT(largest_difference(assembly.state.v, exact.v), 1e-10);
    EXPECT_EQ(assembly.moved_q[2 * links + 7], 0);
  }
}

// From far away: random angles as a guess, the centres anywhere near.
TEST(LargeSystems, AssemblesFromARoughGuess) {
  const int links = 100;
  State guess = hanging(links);
  const Vector off = random_values(3 * links, 8, -0.3, 0.3);
  for (std::size_t i = 0; i < off.size(); ++i) guess.q[i] += off[i];
  const Assembly assembly = assemble(chain(links), guess);
  ASSERT_TRUE(assembly.ok()) << assembly.worst_residual;
  EXPECT_EQ(assembly.attempts, 1);
}

// By multiplications, not by size: many rows on few velocities cost little.
TEST(LargeSystems, DenseWorkIsCounted) {
  EXPECT_TRUE(fits_dense(1000, 0));
  EXPECT_TRUE(fits_dense(800, 800));
  EXPECT_TRUE(fits_dense(2, 30'000));
  EXPECT_FALSE(fits_dense(3000, 2999));
}

// The first rod is held where its pin cannot be: that row has no free coordinate at all.
TEST(LargeSystems, AssemblySaysWhatCannotBe) {
  const int links = 200;
  State guess{0, Vector(3 * links), Vector(3 * links)};
  AssembleOptions options;
  options.restarts = 1;
  options.hold_position.assign(3 * links, false);
  for (const std::size_t i : {0, links, 2 * links}) options.hold_position[i] = true;
  guess.q[0] = 0.3;
  const Assembly assembly = assemble(chain(links), guess, options);
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoPosition);
  EXPECT_EQ(assembly.worst_row, 0);
  EXPECT_NEAR(assembly.worst_residual, 0.3 - ChainKernel::kLength / 2, 1e-12);
}

// Oracle: A x computed entry by entry.
TEST(SparseLdlt, SolvesInAGivenOrder) {
  const int n = 40, m = 15;
  std::mt19937 random(9);
  std::uniform_real_distribution<double> any(-1, 1);
  Pattern M{n, n, {}, {}}, W{m, n, {}, {}};
  std::vector<int> row, col;
  Vector value;
  const auto add = [&](int i, int j, double x) { row.push_back(i), col.push_back(j), value.push_back(x); };
  for (int i = 0; i < n; ++i) M.row.push_back(i), M.col.push_back(i), add(i, i, 3 + any(random));
  for (int i = 0; i + 3 < n; ++i) M.row.push_back(i), M.col.push_back(i + 3), add(i, i + 3, any(random));
  for (int r = 0; r < m; ++r) {
    for (const int j : {r, (7 * r + 3) % n, n - 1 - r}) {
      W.row.push_back(r), W.col.push_back(j);
      if (std::count(W.row.begin(), W.row.end(), r) == 2 && j == W.col[W.col.size() - 2]) continue;
      add(n + r, j, any(random));
    }
    add(n + r, n + r, -0.1);
  }
  Pattern both = M;  // both halves, as a kernel's
  both.row.insert(both.row.end(), M.col.begin(), M.col.end());
  both.col.insert(both.col.end(), M.row.begin(), M.row.end());
  const auto plan = plan_elimination(n, both, W, std::vector<bool>(n), 100000);
  ASSERT_TRUE(plan);
  SparseLdlt factors(*plan, row, col);
  Vector x = random_values(n + m, 10, -1, 1), b(x.size());
  // The last of equal entries counts.
  for (std::size_t k = 0; k < value.size(); ++k) {
    bool again = false;
    for (std::size_t l = k + 1; l < value.size(); ++l) again = again || (row[l] == row[k] && col[l] == col[k]);
    if (again) continue;
    const auto i = static_cast<std::size_t>(row[k]), j = static_cast<std::size_t>(col[k]);
    b[i] += value[k] * x[j];
    if (i != j) b[j] += value[k] * x[i];
  }
  for (int pass = 0; pass < 2; ++pass) {  // a second time with the same memory
    Vector solved = b;
    factors.factor(value);
    factors.solve(solved);
    EXPECT_LT(largest_difference(solved, x), 1e-13);
  }
  for (int i = 0; i < n + m; ++i) EXPECT_EQ(factors.pivot(i) > 0, i < n) << i;
}

}  // namespace
}  // namespace dalembert
