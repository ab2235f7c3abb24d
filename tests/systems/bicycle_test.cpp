// SPDX-License-Identifier: Apache-2.0
// The Whipple bicycle of the benchmark (cases §03), from its frames and bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using Two = std::array<std::array<double, 2>, 2>;

constexpr double kGravity = 9.81;
// M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0 for q = (lean, steer), the 20 digits of cases §03.
constexpr Two kM{{{80.81722, 2.3194133220870913477}, {2.3194133220870913477, 0.29784188199685552999}}};
constexpr Two kC1{{{0, 33.866413914924943883}, {-0.85035641456978437036, 1.6854039739755967411}}};
constexpr Two kK0{{{-80.95, -2.5995168524987164073}, {-2.5995168524987164073, -0.80329488458617688081}}};
constexpr Two kK2{{{0, 76.597345895732221519}, {0, 2.6543152379460402523}}};

class Bicycle : public ::testing::Test {
 protected:
  State upright(double v) {
    State state{0, std::vector<double>(9), std::vector<double>(9)};
    state.q[system.coordinate("z")] = -system.parameter("rR");
    state.v[system.coordinate("rear")] = -v / system.parameter("rR");
    std::vector<bool> position(9, true), velocity(9, false);
    position[system.coordinate("z")] = position[system.coordinate("pitch")] = false;
    for (const char* held : {"rear", "lean", "steer"}) velocity[system.coordinate(held)] = true;
    const Assembly assembly =
        assemble(system.dynamics, state, {.hold_position = position, .hold_velocity = velocity, .tolerance = 1e-14});
    EXPECT_TRUE(assembly.ok()) << to_text(assembly.status);
    return assembly.state;
  }
  // The rows of lean and steer, by (lean, steer, lean', steer'); what else is a state they do not depend on.
  Matrix linear(double v) {
    std::vector<bool> position(9, true), velocity(9, false);
    position[system.coordinate("z")] = position[system.coordinate("pitch")] = false;
    for (const char* wanted : {"rear", "lean", "steer"}) velocity[system.coordinate(wanted)] = true;
    const Result<LinearMotion> motion = linearize({&system.dynamics, &derivatives}, upright(v),
                                                  {.prefer_position = position, .prefer_velocity = velocity});
    EXPECT_TRUE(motion.ok()) << render(motion.diagnostics());
    std::vector<std::size_t> places;
    for (const char* name : {"lean", "steer", "lean'", "steer'"}) {
      const auto at = std::ranges::find(motion->states, name, &MotionState::name);
      EXPECT_NE(at, motion->states.end()) << name;
      places.push_back(static_cast<std::size_t>(at - motion->states.begin()));
    }
    Matrix A(4, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) A(i, j) = motion->A(places[i], places[j]);
      for (std::size_t k = 0; k < motion->states.size(); ++k)
        if (std::ranges::find(places, k) == places.end()) {
          EXPECT_NEAR(motion->A(places[i], k), 0, 1e-11 * (1 + v * v));
        }
    }
    return A;
  }

  System system{derive_shipped("whipple-bicycle")};
  EquationDerivatives derivatives{system.equations};
};

// Truth: the published matrices. M has a condition number of 350, and entries are sums of terms up to 1e3: some 1e5 eps.
TEST_F(Bicycle, HasTheMatricesOfTheBenchmark) {
  const double det = kM[0][0] * kM[1][1] - kM[0][1] * kM[1][0];
  const Two inverse{{{kM[1][1] / det, -kM[0][1] / det}, {-kM[1][0] / det, kM[0][0] / det}}};
  for (int v = 0; v <= 10; ++v) {
    const Matrix A = linear(v);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        double stiffness = 0, damping = 0;
        for (std::size_t k = 0; k < 2; ++k) {
          stiffness -= inverse[i][k] * (kGravity * kK0[k][j] + v * v * kK2[k][j]);
          damping -= inverse[i][k] * v * kC1[k][j];
        }
        EXPECT_NEAR(A(2 + i, j), stiffness, 2e-11 * (1 + v * v)) << v << i << j;
        EXPECT_NEAR(A(2 + i, 2 + j), damping, 2e-11 * (1 + v * v)) << v << i << j;
      }
    }
  }
}

// Truth: the published eigenvalues, recomputed to 17 digits. Those of a matrix that is off by the above are off by that times
// their condition, below 100.
TEST_F(Bicycle, HasTheEigenvaluesOfTheBenchmark) {
  struct Row {
    double v, castering, capsize, weave, frequency;
  };
  constexpr Row table[]{
      {1, -7.1100801463744077, -3.1342312506657842, 3.5269617099006942, 0.80774027519931005},
      {2, -8.6738798483173716, -3.0715864564151425, 2.6823451751274535, 1.6806629659067578},
      {3, -10.351014672459228, -2.633661372536653, 1.7067560566397352, 2.3158244738432436},
      {4, -12.15861426576444, -1.4294442736132575, 0.41325331521124132, 3.0791081860320536},
      {5, -14.078389692798247, -0.32286642900408708, -0.77534188219584193, 4.4648677137882251},
      {6, -16.085371230980284, -0.0040669007697033624, -1.5264448658414171, 5.876730605987084},
      {7, -18.157884661252021, 0.10268170574766416, -2.1387564425836343, 7.1952591332980426},
      {8, -20.279408943945663, 0.1432787976571295, -2.6934868358109477, 8.4603797139693359},
      {9, -22.437885590408591, 0.15790184030917298, -3.2167540225249075, 9.693773515317822},
      {10, -24.624596350174, 0.16105338653171554, -3.7201684043728757, 10.906811394762882},
  };
  for (const Row& row : table) {
    std::vector<std::complex<double>> values = eigenpairs(linear(row.v)).value;
    ASSERT_EQ(values.size(), 4u);
    for (const std::complex<double> expected :
         {std::complex(row.castering, 0.), std::complex(row.capsize, 0.), std::complex(row.weave, row.frequency),
          std::complex(row.weave, -row.frequency)}) {
      double nearest = 1e9;
      for (const auto& value : values) nearest = std::min(nearest, std::abs(value - expected));
      EXPECT_LT(nearest, 2e-9 * (1 + row.v * row.v)) << row.v;
    }
  }
}

// Truth: cases §03: upright at rest the eigenvalues ±3.13 and ±5.53; at v_d two weave eigenvalues are one, which by a matrix that
// is off by 1e-10 come apart by its square root; at the weave speed a pair without real part, at the capsize speed 0.
TEST_F(Bicycle, HasTheSpeedsOfTheBenchmark) {
  const auto distance = [&](double v, std::complex<double> expected) {
    std::vector<double> found;
    for (const auto& value : eigenpairs(linear(v)).value) found.push_back(std::abs(value - expected));
    std::ranges::sort(found);
    return found;
  };
  for (const double at_rest : {3.1316432479065557, -3.1316432479065557, 5.5309437176539346, -5.5309437176539346})
    EXPECT_LT(distance(0, at_rest)[0], 2e-9);
  EXPECT_LT(distance(0.68428307889246, 3.78290405129320)[1], 1e-4);
  EXPECT_LT(distance(4.29238253634111, {0, 3.43503384866144})[0], 2e-8);
  EXPECT_LT(distance(4.29238253634111, {0, -3.43503384866144})[0], 2e-8);
  EXPECT_LT(distance(6.02426201538837, 0)[0], 2e-8);
}

// Truth: the state matrix of SymPy's test_kane3, which it holds to 1e-12.
TEST_F(Bicycle, HasTheStateMatrixOfSymPy) {
  for (int v = 0; v <= 5; ++v) {
    const double s = v * v;
    const double expected[2][4] = {
        {9.48977444677355, -0.891197738059089 * s - 0.571523173729245, -0.105522449805691 * v, -0.330515398992311 * v},
        {11.7194768719633, -1.97171508499972 * s + 30.9087533932407, 3.67680523332152 * v, -3.08486552743311 * v}};
    const Matrix A = linear(v);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(A(2 + i, j), expected[i][j], 2e-11 * (1 + s)) << v << i << j;
  }
}

// Truth: cases §03, the forces of the ground on a bicycle at rest; λ > 0 pushes along z, which is down.
TEST_F(Bicycle, StandsOnItsWheels) {
  const KktSolution now = solve_kkt(system.dynamics, upright(0));
  ASSERT_EQ(now.status, KktStatus::kOk);
  EXPECT_NEAR(now.lambda[system.row("rear_height")], -612.836470588236, 1e-10);
  EXPECT_NEAR(now.lambda[system.row("front_height")], -309.303529411765, 1e-10);
}

// Truth: nothing does work, and between the weave and the capsize speed the bicycle rights itself: after 10 s lean and steer
// have decayed by the slowest mode, exp(−0.37·10), or more.
TEST_F(Bicycle, RightsItselfAtFourPointSix) {
  const State start = system.start();
  const Trajectory path = integrate(system.dynamics, start, {.until = 10, .rtol = 1e-9});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  double lean = 0;
  for (const double value : path.q[system.coordinate("lean")]) lean = std::max(lean, std::abs(value));
  EXPECT_LT(std::abs(path.q[system.coordinate("lean")].back()), 0.1 * lean);
}

}  // namespace
}  // namespace dalembert
