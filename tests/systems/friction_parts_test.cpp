// SPDX-License-Identifier: Apache-2.0
// Systems whose frictions have nothing in common, decided part by part (friction_system.h), against all of them at once.
#include "dalembert/dynamics/friction_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

System in_parts(const std::string& text) {
  return System(derive_loaded(load_model(make_source("friction", text), {})));
}

// Twelve blocks at rest, each on a ground of its own and at a spring of its own, with 10 N of normal force.
std::string twelve_blocks(const std::string& normal) {
  return R"toml(
coordinates = [{name = "x{i}", for = "i in 1..12"}, {name = "y{i}", for = "i in 1..13"}]
[energy]
kinetic = "sum(i in 1..12, x{i}'^2)/2 + sum(i in 1..13, y{i}'^2)/2"
potential = "sum(i in 1..12, x{i}^2/2) + sum(i in 1..13, 10*y{i})"
[[constraint]]
name = "below{i}"
for = "i in 1..13"
holonomic = "y{i}"
[[friction]]
name = "rub{i}"
for = "i in 1..12"
velocity = "x{i}'"
coefficient = 0.3
static = 0.5
normal = ")toml" +
         normal + "\"\n";
}

// Oracle: each block by itself: it stays where its spring pulls with no more than μ N. Where each friction has its own normal force, they are
// decided one by one. Where neighbours share normal forces, twelve at rest have 5^12 modes; most of them are left out unsolved.
TEST(ManyBlocks, EachSticksOrSlidesByItself) {
  for (const bool alone : {true, false}) {
    const System blocks =
        in_parts(twelve_blocks(alone ? "lambda(below{i})" : "(lambda(below{i}) + lambda(below{i+1}))/2"));
    State state = blocks.start();
    for (std::size_t i = 0; i < 12; ++i) state.q[i] = (i % 2 == 0 ? 1 : -1) * (0.35 + static_cast<double>(i));
    const KktSolution now = solve_kkt(blocks.dynamics, state);
    ASSERT_EQ(now.status, KktStatus::kOk);
    EXPECT_TRUE(now.friction_answer.complete);
    for (std::size_t i = 0; i < 12; ++i) {
      const double pull = -state.q[i];
      const double expected = std::abs(pull) <= 5 ? 0 : pull - (pull > 0 ? 3 : -3);
      EXPECT_NEAR(now.qdd[i], expected, 1e-12) << i;
    }
  }
}

// Rods in a plane, each with friction at its two ends: one end is held on the ground, the other may touch it. Nothing couples one rod to
// another.
std::string rods(int count) {
  return fmt::format(R"toml(
coordinates = [{{name = "x{{i}}", for = "i in 1..{0}"}}, {{name = "y{{i}}", for = "i in 1..{0}"}}, {{name = "a{{i}}", for = "i in 1..{0}"}}]
[energy]
kinetic = "sum(i in 1..{0}, x{{i}}'^2 + y{{i}}'^2 + a{{i}}'^2/3)/2"
potential = "sum(i in 1..{0}, 9.81*y{{i}})"
[[constraint]]
name = "held{{i}}"
for = "i in 1..{0}"
holonomic = "y{{i}} - sin(a{{i}})"
[[constraint]]
name = "touch{{i}}"
for = "i in 1..{0}"
holonomic = "y{{i}} + sin(a{{i}})"
unilateral = true
restitution = 0.3
[[friction]]
name = "lower{{i}}"
for = "i in 1..{0}"
normal = "lambda(held{{i}})"
velocity = "x{{i}}' - sin(a{{i}})*a{{i}}'"
coefficient = 1.5
[[friction]]
name = "upper{{i}}"
for = "i in 1..{0}"
normal = "lambda(touch{{i}})"
velocity = "x{{i}}' + sin(a{{i}})*a{{i}}'"
coefficient = 0.4
static = 0.6
)toml",
                     count);
}

// All frictions of a system in one solver.
class Whole {
 public:
  explicit Whole(const Dynamics& dynamics) : layout_(dynamics.layout()), solver(layout_) {
    part_.layout = layout_;
    const auto count = [](std::vector<int>& list, int size) {
      list.resize(as_size(size));
      std::iota(list.begin(), list.end(), 0);
    };
    count(part_.velocities, layout_.nv);
    count(part_.rows, layout_.m);
    count(part_.frictions, layout_.frictions);
    count(part_.M, layout_.M.nonzeros());
    count(part_.W, layout_.W.nonzeros());
    count(part_.Phi, layout_.Phi.nonzeros());
    count(part_.C, layout_.C.nonzeros());
    count(part_.load, layout_.load.nonzeros());
    one_sided_.resize(as_size(layout_.m));
    for (const Contacts::Contact& contact : dynamics.contacts()->contacts) one_sided_[as_size(contact.row)] = 1;
  }
  // With the terms that FrictionSystem::evaluate() has left in the workspace.
  void evaluate(const Workspace& workspace, const double* v, const std::vector<char>& acts) {
    solver.evaluate({part_, workspace.M, workspace.W, workspace.f, workspace.gamma, v, workspace.out.data(),
                     FrictionPlaces(layout_), acts, one_sided_});
  }

 private:
  const Layout& layout_;
  FrictionPart part_;
  std::vector<char> one_sided_;

 public:
  FrictionSolver solver;
};

bool agree(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max(size, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference <= 1e-9 * (size + 1);
}

// Both have the same solutions, perhaps in another order.
void expect_same(const FrictionAnswer& parts, const FrictionAnswer& whole, const std::string& where) {
  EXPECT_EQ(parts.complete, whole.complete) << where;
  ASSERT_EQ(parts.solutions.size(), whole.solutions.size()) << where;
  for (const FrictionSolution& one : parts.solutions)
    EXPECT_EQ(std::ranges::count_if(whole.solutions,
                                    [&](const FrictionSolution& other) {
                                      return agree(one.qdd, other.qdd) && agree(one.multipliers, other.multipliers) &&
                                             one.acts == other.acts;
                                    }),
              1)
        << where;
}

TEST(FrictionParts, AreFoundByWhatTheMatricesCouple) {
  const System three = in_parts(rods(3));
  const std::vector<FrictionPart> parts = find_friction_parts(three.dynamics.layout());
  ASSERT_EQ(parts.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const FrictionPart& part = parts[as_size(i)];
    EXPECT_EQ(part.velocities, (std::vector<int>{i, 3 + i, 6 + i}));
    EXPECT_EQ(part.rows, (std::vector<int>{i, 3 + i}));
    EXPECT_EQ(part.frictions, (std::vector<int>{i, 3 + i}));
  }
  // The ground that two frictions share joins them; y13 is a part alone where nothing reads its row.
  const auto count = [](const std::string& normal) {
    return find_friction_parts(in_parts(twelve_blocks(normal)).dynamics.layout()).size();
  };
  EXPECT_EQ(count("lambda(below{i})"), 13U);
  EXPECT_EQ(count("(lambda(below{i}) + lambda(below{i+1}))/2"), 1U);
}

// Oracle: all modes of all frictions tried in one dense solver, as if everything were coupled: no consistent mode, one, or several
// (Painlevé), in motion and in impacts on every rod.
TEST(FrictionParts, AreDecidedAsAllAtOnce) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> angle(0.02, 1.5), rate(-8, 8);
  std::bernoulli_distribution rests(0.3), lies(0.5);
  int several = 0, none = 0, one = 0;
  const System pair = in_parts(rods(2));
  const Dynamics closed = pair.dynamics.with_all_contacts_closed();
  Workspace workspace(closed);
  FrictionSystem& parts = *workspace.friction;
  Whole whole(closed);
  for (int round = 0; round < 400; ++round) {
    State state{0, std::vector<double>(6), std::vector<double>(6)};
    std::vector<int> touch;
    for (std::size_t i = 0; i < 2; ++i) {
      const bool flat = lies(random), still = rests(random);
      const double a = flat ? 0 : angle(random), w = flat || still ? 0 : rate(random), v = still ? 0 : rate(random);
      state.q[2 + i] = std::sin(a), state.q[4 + i] = a;
      state.v[i] = v + std::sin(a) * w, state.v[2 + i] = std::cos(a) * w, state.v[4 + i] = w;
      if (flat) touch.push_back(2 + static_cast<int>(i));
    }
    const std::string where = fmt::format("round {}", round);
    const auto evaluate = [&] {
      parts.evaluate(closed, 0, state.q.data(), state.v.data(), workspace);
      for (const int row : {2, 3}) parts.acts[as_size(row)] = 0;
      whole.evaluate(workspace, state.v.data(), parts.acts);
    };
    evaluate();
    std::vector<char> at_rest;
    parts.find_at_rest(1e-12, at_rest);
    const FrictionAnswer answer = parts.decide_with_contacts(touch, -1, at_rest);
    expect_same(answer, whole.solver.decide_with_contacts(touch, -1, at_rest), where);
    ++(answer.solutions.empty() ? none : answer.solutions.size() == 1 ? one : several);
    if (touch.empty()) continue;
    // Every end that touches falls.
    for (const int row : touch) state.v[as_size(row)] = state.v[as_size(row) + 2] = -1;
    evaluate();
    const std::vector<double> rates(touch.size(), -1.3);
    FrictionAnswer struck = parts.strike(touch, rates);
    if (touch.size() == 1) {
      // A rod that nothing strikes goes on, whatever happens to the other.
      for (const FrictionSolution& solution : struck.solutions)
        for (const std::size_t i : {0U, 2U, 4U}) EXPECT_EQ(solution.qdd[i + (touch[0] == 2 ? 1 : 0)], 0) << where;
      continue;
    }
    FrictionAnswer at_once = whole.solver.strike(touch, rates);
    for (FrictionAnswer* each : {&struck, &at_once})
      for (FrictionSolution& solution : each->solutions) solution.acts.clear();
    expect_same(struck, at_once, where + ", impact");
  }
  EXPECT_GT(none, 20);
  EXPECT_GT(one, 100);
  EXPECT_GT(several, 20);
}

// Oracle: the same blocks in runs of their own: one that sticks, one that stops, one that goes on.
TEST(FrictionParts, RunsAreThoseOfEachAlone) {
  const auto text = [](int from, int to) {
    return fmt::format(R"toml(
coordinates = [{{name = "x{{i}}", for = "i in {0}..{1}"}}, {{name = "y{{i}}", for = "i in {0}..{1}"}}]
[energy]
kinetic = "sum(i in {0}..{1}, x{{i}}'^2 + y{{i}}'^2)/2"
potential = "sum(i in {0}..{1}, 10*y{{i}} + x{{i}}^2/2)"
[[constraint]]
name = "below{{i}}"
for = "i in {0}..{1}"
holonomic = "y{{i}}"
[[friction]]
name = "rub{{i}}"
for = "i in {0}..{1}"
normal = "lambda(below{{i}})"
velocity = "x{{i}}'"
coefficient = 0.1
static = 0.2
)toml",
                       from, to);
  };
  const std::vector<double> x{0.5, 3.3, 8.9}, v{0, 1, 0};
  const System all = in_parts(text(1, 3));
  const IntegrateOptions options{.until = 6, .rtol = 1e-11, .atol = 1e-13};
  const Trajectory path =
      integrate(all.dynamics, {0, {x[0], x[1], x[2], 0, 0, 0}, {v[0], v[1], v[2], 0, 0, 0}}, options);
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t i = 0; i < 3; ++i) {
    const System alone = in_parts(text(static_cast<int>(i) + 1, static_cast<int>(i) + 1));
    const Trajectory own = integrate(alone.dynamics, {0, {x[i], 0}, {v[i], 0}}, options);
    ASSERT_EQ(own.status, RunStatus::kOk) << own.reason;
    EXPECT_NEAR(path.q[i].back(), own.q[0].back(), 1e-9) << i;
    const std::string name = fmt::format("rub{} sticks", i + 1);
    const auto events = [&](const Trajectory& run) {
      return std::ranges::count_if(run.events, [&](const RunEvent& e) { return e.name == name; });
    };
    EXPECT_EQ(events(path), events(own)) << i;
  }
}

}  // namespace
}  // namespace dalembert
