// SPDX-License-Identifier: Apache-2.0
// Constraints that say the same thing twice, that contradict each other, and configurations in which they lose rank, in
// shipped models whose text is changed. Oracle: theory.md §2: redundant rows leave q̈ unique and λ not; the least-norm λ
// is given and flagged. Rows k₁w, k₂w, … of one row w carry λ_i = k_i/(Σk²) times the multiplier of w alone.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

/// The shipped model with one more constraint; `kind` is its key and value.
System with_constraint(const std::string& model, const std::string& kind, const std::vector<std::string>& set = {}) {
  return modified(model, {{"\n[initial]\n", "\n[[constraint]]\nname = \"again\"\n" + kind + "\n\n[initial]\n"}}, set);
}

struct Doubled {
  const char* model;
  const char* kind;
  std::vector<double> factors;    // the added rows as multiples of rows of the shipped model
  std::vector<const char*> rows;  // which rows
  int rank;
  std::vector<std::string> set = {};
};

class DoubledConstraints : public ::testing::TestWithParam<Doubled> {};

// q̈ agrees to the round-off of two ways to solve; runs at rtol = 1e-9 over one second make errors of a few 1e-8 each.
TEST_P(DoubledConstraints, GiveTheSameMotionAndSayThatLambdaIsNotUnique) {
  const Doubled& tested = GetParam();
  const System plain = shipped(tested.model, tested.set),
               again = with_constraint(tested.model, tested.kind, tested.set);
  const auto m = static_cast<std::size_t>(plain.dynamics.m());
  ASSERT_EQ(again.dynamics.m(), plain.dynamics.m() + static_cast<int>(tested.factors.size()));

  const Assembly assembly = again.assemble_guess();
  ASSERT_TRUE(assembly.ok());
  EXPECT_EQ(assembly.rank, tested.rank);
  const State start = plain.start();
  for (std::size_t i = 0; i < start.q.size(); ++i) EXPECT_NEAR(assembly.state.q[i], start.q[i], 1e-9);

  const KktSolution one = solve_kkt(plain.dynamics, start), two = solve_kkt(again.dynamics, start);
  ASSERT_EQ(two.status, KktStatus::kOk);
  EXPECT_EQ(one.rank, tested.rank);
  EXPECT_EQ(two.rank, tested.rank);
  double largest = 0;
  for (const double x : one.qdd) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < one.qdd.size(); ++i) EXPECT_NEAR(two.qdd[i], one.qdd[i], 1e-11 * largest);

  // Each row w of the shipped model together with the multiples of it that were added.
  std::vector<double> squares(m, 1);
  for (std::size_t k = 0; k < tested.rows.size(); ++k)
    squares[plain.row(tested.rows[k])] += tested.factors[k] * tested.factors[k];
  double force = 0;
  for (const double x : one.lambda) force = std::max(force, std::abs(x));
  for (std::size_t r = 0; r < m; ++r) {
    EXPECT_NEAR(two.lambda[r], one.lambda[r] / squares[r], 1e-10 * force) << r;
    EXPECT_EQ(two.lambda_unique[r], squares[r] == 1) << r;
  }
  for (std::size_t k = 0; k < tested.rows.size(); ++k) {
    const std::size_t r = plain.row(tested.rows[k]);
    EXPECT_NEAR(two.lambda[m + k], tested.factors[k] * one.lambda[r] / squares[r], 1e-10 * force) << k;
    EXPECT_FALSE(two.lambda_unique[m + k]) << k;
  }

  const IntegrateOptions options{.until = 1, .rtol = 1e-9, .output_step = 0.25};
  const Trajectory a = integrate(plain.dynamics, start, options), b = integrate(again.dynamics, start, options);
  ASSERT_EQ(b.status, RunStatus::kOk) << b.reason;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t row = 0; row < a.size(); ++row) {
    for (std::size_t i = 0; i < a.q.size(); ++i) {
      EXPECT_NEAR(a.q[i][row], b.q[i][row], 1e-7 * (1 + std::abs(a.q[i][row])));
      EXPECT_NEAR(a.v[i][row], b.v[i][row], 1e-7 * (1 + std::abs(a.v[i][row])));
    }
    EXPECT_EQ(b.rank[row], tested.rank);
  }
  EXPECT_EQ(b.verdict.min_rank, tested.rank);
  EXPECT_TRUE(a.verdict.warnings.empty());
  ASSERT_FALSE(b.verdict.warnings.empty());
  EXPECT_THAT(b.verdict.warnings.front(), HasSubstr("again"));
  EXPECT_THAT(b.verdict.warnings.front(), HasSubstr("not unique"));
  EXPECT_TRUE(b.verdict.holds) << to_text(b.verdict);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, DoubledConstraints,
    ::testing::Values(
        Doubled{
            "slider-crank", "holonomic = '6*L1*sin(theta) - 6*L2*sin(phi)'", {3}, {"pin[2]"}, 2, {"theta'=10 rad/s"}},
        Doubled{"slider-crank",
                "holonomic = ['2*L1*cos(theta) - 2*L2*cos(phi) - x', '2*L2*sin(phi) - 2*L1*sin(theta)']",
                {1, -1},
                {"pin[1]", "pin[2]"},
                2},
        Doubled{"chaplygin-sleigh",
                "pfaffian = 'dot(x)*sin(theta) - dot(y)*cos(theta) + b*dot(theta)'",
                {-1},
                {"knife"},
                1},
        Doubled{"four-bar", "coincide = ['coupler_C', 'rocker_C']", {-1, -1}, {"pin_C.x", "pin_C.y"}, 8},
        Doubled{"cartesian-pendulum", "distance = {between = ['bob', 'O'], value = 'L'}", {1}, {"rod"}, 1}),
    [](const auto& tested) {
      std::string name = std::string(tested.param.model) + "_" + std::to_string(tested.index);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// The least change in the mass metric is the same whether the rows are stated once, so that formulas solve for it, or twice,
// so that the dense solver does: M and W are those of where each step begins. From 1e-2 off, where those of other positions
// would leave 1e-6 in q and 1e-3 in v; allowed is the round-off of a few steps.
TEST(RedundantConstraints, StatesThatAreOffAreProjectedAlike) {
  const System plain = shipped("slider-crank", {"theta'=10 rad/s"});
  const System again =
      with_constraint("slider-crank", "holonomic = '6*L1*sin(theta) - 6*L2*sin(phi)'", {"theta'=10 rad/s"});
  for (const double off : {1e-9, 1e-6, 1e-2}) {
    State one = plain.start();
    for (std::size_t i = 0; i < one.q.size(); ++i) {
      one.q[i] += off * std::cos(1.0 + static_cast<double>(i));
      one.v[i] += off * std::sin(2.0 + static_cast<double>(i));
    }
    State two = one;
    ASSERT_TRUE(project(plain.dynamics, one).ok);
    ASSERT_TRUE(project(again.dynamics, two).ok);
    for (std::size_t i = 0; i < one.q.size(); ++i) {
      EXPECT_NEAR(one.q[i], two.q[i], 1e-14 * (1 + std::abs(one.q[i]))) << off;
      EXPECT_NEAR(one.v[i], two.v[i], 1e-14 * (10 + std::abs(one.v[i]))) << off;
    }
  }
}

// A row that follows from the others on the manifold only, and says nothing there at the level of velocities that they
// do not: x² − 4 L1 x cos θ + 4 L1² = 4 L2². No multiplier is unique; those of the two pins alone solve the equations,
// so the least-norm ones are not longer.
TEST(RedundantConstraints, DependentOnTheManifoldOnly) {
  const System plain = shipped("slider-crank", {"theta'=10 rad/s"});
  const System again =
      with_constraint("slider-crank", "holonomic = '((x - 2*L1*cos(theta))^2 + (2*L1*sin(theta))^2 - (2*L2)^2)/2'",
                      {"theta'=10 rad/s"});
  const State start = plain.start();
  const KktSolution one = solve_kkt(plain.dynamics, start), two = solve_kkt(again.dynamics, start);
  ASSERT_EQ(two.status, KktStatus::kOk);
  EXPECT_EQ(two.rank, 2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(two.qdd[i], one.qdd[i], 1e-10 * 100);
  EXPECT_EQ(two.lambda_unique, (std::vector<bool>{false, false, false}));
  EXPECT_LT(std::hypot(two.lambda[0], two.lambda[1], two.lambda[2]), std::hypot(one.lambda[0], one.lambda[1]));

  const IntegrateOptions options{.until = 3, .rtol = 1e-9, .output_step = 0.5};
  const Trajectory a = integrate(plain.dynamics, start, options), b = integrate(again.dynamics, start, options);
  ASSERT_EQ(b.status, RunStatus::kOk) << b.reason;
  for (std::size_t row = 0; row < a.size(); ++row) EXPECT_NEAR(a.q[0][row], b.q[0][row], 1e-7 * (1 + a.q[0][row]));
  EXPECT_EQ(b.verdict.min_rank, 2);
  EXPECT_LE(b.verdict.max_position_residual, 1e-12);
  EXPECT_TRUE(b.verdict.holds) << to_text(b.verdict);
}

// Two lengths for one rod: no position satisfies both. E0302 by docs/command-line.md; the run refuses the start as well.
TEST(ContradictoryConstraints, InPosition) {
  const System system = with_constraint("cartesian-pendulum", "distance = {between = ['O', 'bob'], value = '2*L'}");
  const Assembly assembly = system.assemble_guess();
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoPosition);
  EXPECT_GE(std::abs(assembly.worst_residual), 0.5 - 1e-6) << "the best one can do is 0.5 m in each";
  EXPECT_EQ(explain_failure(system.dynamics, assembly).code, "E0302");
  const Trajectory path = integrate(system.dynamics, {0, {-1, 0}, {0, 0}}, {.until = 1});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("`again`"));
}

// A rod of fixed length that grows as well: positions agree at t = 0, velocities do not. ṙ = 0 and ṙ = L/2.
TEST(ContradictoryConstraints, InVelocity) {
  const System system = with_constraint("polar-pendulum", "holonomic = 'r - L*(1 + 0.5*t)'");
  const Assembly assembly = system.assemble_guess();
  EXPECT_EQ(assembly.status, AssemblyStatus::kNoVelocity);
  EXPECT_EQ(explain_failure(system.dynamics, assembly).code, "E0301");
  const Trajectory path = integrate(system.dynamics, {0, {0.8, 0.5}, {0, 2}}, {.until = 1});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("`again`"));
}

// Positions and velocities agree at t = 0, accelerations do not: r̈ = 0 and r̈ = L/2. Half of the difference is left in
// each row: ‖Wq̈ + γ‖ = √2 L/4.
TEST(ContradictoryConstraints, InAcceleration) {
  const System system = with_constraint("polar-pendulum", "holonomic = 'r - L*(1 + 0.25*t^2)'");
  const Assembly assembly = system.assemble_guess();
  ASSERT_TRUE(assembly.ok()) << to_text(assembly.status);
  const KktSolution at = solve_kkt(system.dynamics, assembly.state);
  EXPECT_EQ(at.status, KktStatus::kInconsistent);
  EXPECT_NEAR(at.residual, std::sqrt(2.0) * 0.2, 1e-9);
  const Trajectory path = integrate(system.dynamics, assembly.state, {.until = 1});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("contradict"));
}

// The contradiction shows only after the start: r = L and r = L(1 + 2t³).
TEST(ContradictoryConstraints, LaterOn) {
  const System system = with_constraint("polar-pendulum", "holonomic = 'r - L*(1 + 2*t^3)'");
  const Assembly assembly = system.assemble_guess();
  ASSERT_TRUE(assembly.ok()) << to_text(assembly.status);
  EXPECT_EQ(solve_kkt(system.dynamics, assembly.state).status, KktStatus::kOk);
  const Trajectory path = integrate(system.dynamics, assembly.state, {.until = 1});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("contradict"));
  EXPECT_FALSE(path.verdict.holds);
  EXPECT_LT(path.time.back(), 0.1);
}

// A parallelogram in line, where it may leave its branch: a force along the line through all bars balances itself, so
// one combination of the x rows vanishes. W has rank 7 of 8, two freedoms; the x multipliers are not unique, the y ones
// are.
TEST(SingularConfiguration, FlatParallelogram) {
  const System system = shipped("four-bar", {"l0=0.5 m", "l2=0.5 m", "l1=0.2 m", "l3=0.2 m"});
  const State flat{0, {0.1, 0, 0, 0.45, 0, 0, 0.6, 0, 0}, std::vector<double>(9)};
  const KktSolution at = solve_kkt(system.dynamics, flat);
  EXPECT_EQ(at.status, KktStatus::kOk);
  EXPECT_EQ(at.rank, 7);
  for (std::size_t r = 0; r < 8; ++r) EXPECT_EQ(at.lambda_unique[r], r % 2 == 1) << system.dynamics.names().rows[r];
  // Standing up the same linkage is regular.
  const double c = std::cos(1.0), s = std::sin(1.0);
  const State upright{
      0, {0.1 * c, 0.1 * s, 1, 0.2 * c + 0.25, 0.2 * s, 0, 0.5 + 0.1 * c, 0.1 * s, 1}, std::vector<double>(9)};
  EXPECT_EQ(solve_kkt(system.dynamics, upright).rank, 8);
}

// A slider-crank of equal links at θ = φ = 90°: the second row, 2L(cos θ θ̇ − cos φ φ̇), vanishes, up to the round-off of
// cos(π/2) = 6e-17. A motion with θ̇² ≠ φ̇² has no acceleration there: γ₂ = 2L(φ̇² − θ̇²) is not zero.
TEST(SingularConfiguration, EqualSliderCrank) {
  const System system = shipped("slider-crank", {"L1=0.35 m"});
  const State state{0, {M_PI / 2, M_PI / 2, 0}, {1, 1, 0}};
  const KktSolution at = solve_kkt(system.dynamics, state);
  EXPECT_EQ(at.rank, 1);
  EXPECT_EQ(at.lambda_unique, (std::vector<bool>{true, false}));
  const State torn{0, state.q, {1, 2, 0.7}};
  EXPECT_EQ(solve_kkt(system.dynamics, torn).status, KktStatus::kInconsistent);
}

// Euler angles of the sphere at θ = 0: ψ and φ turn about one axis, and ψ̇ = −φ̇ has no inertia (closed_forms.md).
TEST(SingularConfiguration, SphereOnThePole) {
  const System system = shipped("rolling-sphere");
  const KktSolution at = solve_kkt(system.dynamics, {0, {0, 0, 0, 0, 0}, {0, 0, 1, 0, 1}});
  EXPECT_EQ(at.status, KktStatus::kSingular);
}

// Three bars in a plane of space, with attitudes by quaternions and four hinges: 20 rows of rank 17, twelve of which have no
// term but zeros there. Oracle: the same linkage in the plane, three angles and two rows, in another derivation.
TEST(RedundantHinges, OfALinkageInSpaceMoveItAsInItsPlane) {
  const double lengths[2][3] = {{0.3, 0.8, 0.6}, {0.25, 0.7, 0.75}}, inertia[] = {0.0075, 0.053, 0.03};
  for (const auto& length : lengths) {
    std::string space = "coordinates = [", planar = "coordinates = [\"t0\", \"t1\", \"t2\"]\n", kinetic, potential,
                across, up, rows, parts, initial = "[initial.guess]\n";
    const double ground = 0.9, start = 0.6;
    // Where the crank stands the others are found by the circles about both ends.
    const double x = length[0] * std::cos(start), z = length[0] * std::sin(start), far = std::hypot(ground - x, z);
    const double along = (length[1] * length[1] - length[2] * length[2] + far * far) / (2 * far);
    const double height = std::sqrt(length[1] * length[1] - along * along);
    const double ex = x + ((ground - x) * along + z * height) / far,
                 ez = z + (-z * along + (ground - x) * height) / far;
    const double angle[] = {start, std::atan2(ez - z, ex - x), std::atan2(-ez, ground - ex)};
    const double at[][2] = {{0, 0}, {x, z}, {ex, ez}};
    std::string before_x = "0", before_z = "0";
    for (int k = 0; k < 3; ++k) {
      const double half = length[k] / 2;
      for (const char* name : {"x", "y", "z", "a", "b", "c", "d"}) space += fmt::format("\"{}{}\", ", name, k);
      parts += fmt::format(
          "[[frame]]\nname = \"F{0}\"\norigin = [\"x{0}\", \"y{0}\", \"z{0}\"]\nquaternion = [\"a{0}\", \"b{0}\", "
          "\"c{0}\", \"d{0}\"]\n[[body]]\nname = \"r{0}\"\nmass = 1\nframe = \"F{0}\"\ninertia = [0.001, {1}, {1}]\n"
          "[[point]]\nname = \"s{0}\"\nframe = \"F{0}\"\nat = [{2}, 0, 0]\n[[point]]\nname = \"e{0}\"\nframe = "
          "\"F{0}\"\nat = [{3}, 0, 0]\n",
          k, inertia[k], -half, half);
      const std::string pin = k == 0 ? "\"O\", \"s0\"" : fmt::format("\"e{}\", \"s{}\"", k - 1, k);
      const std::string axis = k == 0 ? "F0.R[2,1]\", \"F0.R[2,3]"
                                      : fmt::format(
                                            "F{0}.R[1,2]*F{1}.R[1,1] + F{0}.R[2,2]*F{1}.R[2,1] + "
                                            "F{0}.R[3,2]*F{1}.R[3,1]\", \"F{0}.R[1,2]*F{1}.R[1,3] + "
                                            "F{0}.R[2,2]*F{1}.R[2,3] + F{0}.R[3,2]*F{1}.R[3,3]",
                                            k - 1, k);
      rows += fmt::format(
          "[[constraint]]\nname = \"p{0}\"\ncoincide = [{1}]\n[[constraint]]\nname = \"h{0}\"\n"
          "holonomic = [\"{2}\"]\n",
          k, pin, axis);
      initial += fmt::format("x{0} = {1}\ny{0} = 0\nz{0} = {2}\na{0} = {3}\nb{0} = 0\nc{0} = {4}\nd{0} = 0\n", k,
                             at[k][0] + half * std::cos(angle[k]), at[k][1] + half * std::sin(angle[k]),
                             std::cos(angle[k] / 2), -std::sin(angle[k] / 2));
      kinetic += fmt::format("{0}1/2*(dot({1} + {2}*cos(t{3}))^2 + dot({4} + {2}*sin(t{3}))^2) + {5}/2*t{3}'^2",
                             k > 0 ? " + " : "", before_x, half, k, before_z, inertia[k]);
      potential += fmt::format("{}9.81*({} + {}*sin(t{}))", k > 0 ? " + " : "", before_z, half, k);
      before_x += fmt::format(" + {}*cos(t{})", length[k], k);
      before_z += fmt::format(" + {}*sin(t{})", length[k], k);
    }
    space.erase(space.size() - 2);
    space += "]\ngravity = [\"0\", \"0\", \"-9.81\"]\n" + parts +
             "[[point]]\nname = \"O\"\nat = [0, 0, 0]\n[[point]]\n"
             "name = \"G\"\nat = [0.9, 0, 0]\n" +
             rows +
             "[[constraint]]\nname = \"p3\"\ncoincide = [\"e2\", \"G\"]\n"
             "[[constraint]]\nname = \"h3\"\nholonomic = [\"F2.R[1,2]\", \"F2.R[3,2]\"]\n" +
             initial;
    planar += fmt::format(
        "[energy]\nkinetic = \"{}\"\npotential = \"{}\"\n[[constraint]]\nname = \"loop\"\nholonomic = "
        "[\"{} - 0.9\", \"{}\"]\n[initial.guess]\nt0 = {}\nt1 = {}\nt2 = {}\n",
        kinetic, potential, before_x, before_z, angle[0], angle[1], angle[2]);
    const System one(derive_loaded(load_model(make_source("space", space), {})));
    const System two(derive_loaded(load_model(make_source("plane", planar), {})));
    const Trajectory oracle = integrate(two.dynamics, two.start(), {.until = 4, .rtol = 1e-9});
    ASSERT_EQ(oracle.status, RunStatus::kOk) << oracle.reason;
    for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
      const Trajectory path =
          integrate(one.dynamics, one.start(), {.until = 4, .rtol = 1e-9, .formulation = formulation});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
      EXPECT_EQ(path.verdict.min_rank, 17);
      for (int k = 0; k < 3; ++k) {
        const double a = path.q[one.coordinate(fmt::format("a{}", k))].back(),
                     c = path.q[one.coordinate(fmt::format("c{}", k))].back();
        const double off = -2 * std::atan2(c, a) - oracle.q[static_cast<std::size_t>(k)].back();
        EXPECT_NEAR(std::remainder(off, 2 * std::numbers::pi), 0, 1e-6) << k;
      }
    }
  }
}

// Four bars in space whose hinges are neither parallel nor meet (Bennett's linkage): six rows of rank 3 on four angles. It becomes flat at t1 = 0 and
// t1 = -π, where rows vanish that are independent elsewhere; the rank stays 3. Oracle: tan(t1/2) tan(t2/2) is constant, and opposite angles are equal and
// opposite, as follows from its closure. The multipliers are those of loads of a few newtons.
TEST(RedundantRows, ThatVanishAtAPositionGoWithoutHarm) {
  std::string text =
      "coordinates = [\"t1\", \"t2\", \"t3\", \"t4\"]\ngravity = [0, 0, -9.81]\n"
      "[parameters]\nal = \"30 deg\"\na = 0.2\nbe = \"60 deg\"\nb = 0.3464101615137754587\n";
  for (int k = 1; k <= 4; ++k) {
    const char *length = k % 2 == 1 ? "a" : "b", *twist = k % 2 == 1 ? "al" : "be";
    text += fmt::format(
        "[[frame]]\nname = \"f{0}\"\nparent = \"{1}\"\nrotate = [[\"z\", \"t{0}\"]]\n[[frame]]\nname = "
        "\"g{0}\"\nparent = "
        "\"f{0}\"\norigin = [\"{2}\", 0, 0]\nrotate = [[\"x\", \"{3}\"]]\n",
        k, k == 1 ? "ground" : fmt::format("g{}", k - 1), length, twist);
    if (k < 4)
      text += fmt::format(
          "[[body]]\nname = \"b{0}\"\nmass = 1\nframe = \"f{0}\"\ncom = [\"{1}/2\", 0, 0]\ninertia = [\"{1}^2/100\", "
          "\"{1}^2/12\", \"{1}^2/12\"]\n",
          k, length);
  }
  text +=
      "[[point]]\nname = \"end\"\nframe = \"g4\"\nat = [0, 0, 0]\n[[point]]\nname = \"O\"\nat = [0, 0, 0]\n"
      "[[constraint]]\nname = \"close\"\ncoincide = [\"end\", \"O\"]\n[[constraint]]\nname = \"turn\"\nholonomic = "
      "[\"g4.R[1,2]\", \"g4.R[1,3]\", \"g4.R[2,3]\"]\n"
      "[initial]\nposition = {t1 = \"50 deg\"}\nvelocity = {t1 = 1}\nguess = {t2 = \"-199 deg\", t3 = \"-50 deg\", t4 "
      "= \"199 deg\"}\n";
  const System system(derive_loaded(load_model(make_source("four bars in space", text), {})));
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1, .rtol = 1e-9});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_EQ(path.verdict.min_rank, 3);
  const double constant = std::sin(std::numbers::pi / 4) / std::sin(std::numbers::pi / 12);
  for (std::size_t row = 0; row < path.size(); ++row) {
    const double t1 = path.q[0][row], t2 = path.q[1][row];
    EXPECT_NEAR(std::sin(t1 / 2) * std::sin(t2 / 2), constant * std::cos(t1 / 2) * std::cos(t2 / 2), 1e-12);
    EXPECT_NEAR(path.q[2][row], -t1, 1e-11);
    EXPECT_NEAR(path.q[3][row], -t2, 1e-11);
  }
  EXPECT_LT(path.q[0].back(), -std::numbers::pi);  // both flat positions are passed
  for (const Extremes& peak : path.peaks) EXPECT_LT(std::max(-peak.min, peak.max), 10);
}

}  // namespace
}  // namespace dalembert
