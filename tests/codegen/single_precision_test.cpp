// SPDX-License-Identifier: Apache-2.0
// Exported C in single precision: its limits, its accelerations, its steps, and what is refused. Its self-tests are in self_tests_test.cpp.
#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "codegen/steps_and_runs.h"
#include "dalembert/codegen/program_run.h"
#include "dalembert/codegen/single_precision.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;
using Singles = std::vector<float>;

constexpr CodeShape kSingle{.single = true};

Singles singles(const Numbers& of) {
  Singles list;
  for (const double x : of) list.push_back(static_cast<float>(x));
  list.push_back(0);  // an array that is empty has an address, too
  return list;
}

Numbers numbers(const Singles& of) { return {of.begin(), of.end() - 1}; }

using SingleInputs = void(void*, float, float*);
using SingleAccelerations = int(void*, float, const float*, const float*, const float*, float*, float*);
using SingleStep = int(void*, float, float, float*, float*);

// The rules: 1e-10 = eps^(ln 1e-10 / ln eps), with eps = 2^-52 and 2^-23: exponents in the ratio 23/52. Multiples of eps are 2^29 times as large;
// the least normal numbers are 2^-1022 and 2^-126.
TEST(SinglePrecision, HasTheSamePowersOfItsEpsilon) {
  for (const double limit : {1e-14, 1e-10, 1e-8, 1e7})
    EXPECT_NEAR(limit_in_single(limit) / std::pow(limit, 23.0 / 52), 1, 0.05) << limit;
  EXPECT_EQ(round_off_in_single(std::ldexp(1, -52)), std::ldexp(1, -23));
  EXPECT_NEAR(range_in_single(1e-300) / std::pow(1e-300, 126.0 / 1022), 1, 0.05);
  EXPECT_GE(range_in_single(2.2250738585072014e-308), kLeastSingle);
  EXPECT_EQ(single_literal(0.1), "0.1f");
  EXPECT_EQ(single_literal(16777217), "16777216.0f");
  EXPECT_EQ(single_literal(1e39), "INFINITY");
  EXPECT_EQ(single_literal(std::nan("")), "NAN");
}

// Texts have the number of their precision, comments too; with anything but a number such a call is an error.
TEST(SinglePrecision, IsReadFromOneText) {
  constexpr const char* kText =
      "# To limit(1e-10).\nroutine near(real x) -> real {\nif x < limit(1e-10) {\nreturn 0.0\n}\nreturn x / 3.0\n}\n"
      "routine prepare() -> state {\n}\n";
  Program fine, coarse;
  coarse.single = true;
  ASSERT_EQ(add_routines(fine, kText) + add_routines(coarse, kText), "");
  EXPECT_EQ(fine.routines[0].comment[0], "To 1e-10.");
  EXPECT_EQ(coarse.routines[0].comment[0], "To 3.8e-05.");
  const auto value = [](const Program& program, double x) {
    return ProgramRun(program, 0).call("near", {}, {{"x", {x}}}, 0).array("").at(0);
  };
  EXPECT_EQ(value(fine, 1e-6), 1e-6 / 3);
  EXPECT_EQ(value(coarse, 1e-6), 0);
  EXPECT_EQ(value(coarse, 1), static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(value(coarse, 0.1), static_cast<double>(0.1F / 3.0F));
  Program wrong;
  EXPECT_THAT(add_routines(wrong, "routine f(real x) -> real {\nreturn limit(x)\n}\n"), HasSubstr("takes one number"));
}

// The matrix of M v' - W' lambda = F - B - G, W v' = -gamma, scaled to entries of about 1, and its condition.
struct Scaled {
  Eigen::VectorXd scale;
  double condition = 0;
};
Scaled scaled_system(const Layout& layout, const Terms& terms) {
  const int n = layout.nv, m = layout.m;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  for (std::size_t k = 0; k < terms.M.size(); ++k) K(layout.M.row[k], layout.M.col[k]) = terms.M[k];
  for (std::size_t k = 0; k < terms.W.size(); ++k) {
    K(n + layout.W.row[k], layout.W.col[k]) = terms.W[k];
    K(layout.W.col[k], n + layout.W.row[k]) = -terms.W[k];
  }
  Scaled scaled{Eigen::VectorXd::Ones(n + m), 0};
  for (int turn = 0; turn < 8; ++turn) {
    const Eigen::MatrixXd S = scaled.scale.asDiagonal() * K * scaled.scale.asDiagonal();
    for (int i = 0; i < n + m; ++i)
      if (const double most = S.row(i).cwiseAbs().maxCoeff(); most > 0) scaled.scale(i) /= std::sqrt(most);
  }
  const Eigen::MatrixXd S = scaled.scale.asDiagonal() * K * scaled.scale.asDiagonal();
  const Eigen::VectorXd sigma = S.jacobiSvd().singularValues();
  scaled.condition = sigma(0) / sigma(n + m - 1);
  return scaled;
}

// Oracle: the library in double precision, at states that single precision has exactly. K x = b is solved with a backward error of some eps of K and of the
// terms that make up b, so in the scaled system |dx| <= c eps cond(K) (|x| + |terms of b|). c counts the roundings on the way to an entry: below a few
// thousand for all formulas here.
TEST(SinglePrecision, AccelerationsAreThoseOfDoubleToItsRoundOff) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  for (const char* name : {"slider-crank", "four-bar", "rolling-disk", "heavy-top", "double-pendulum", "snakeboard"}) {
    const Equations equations = equations_of_text(shipped_text(name));
    const Dynamics dynamics = compile(equations, {.machine_code = false});
    const Layout& layout = dynamics.layout();
    Loaded loaded(equations, kSingle);
    const State start = initial_state(*equations.model);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> any(-0.3, 0.3);
    int good = 0;
    for (int round = 0; round < 50; ++round) {
      Singles q = singles(start.q), v = singles(start.v), u(as_size(layout.inputs) + 1), vdot(v.size()),
              lambda(as_size(layout.m) + 1);
      for (float& x : q) x += static_cast<float>(any(random));
      for (float& x : v) x += static_cast<float>(any(random));
      const State at{0.25, numbers(q), numbers(v)};
      const KktSolution exact = solve_kkt(dynamics, at);
      if (exact.status != KktStatus::kOk) continue;
      loaded.call<SingleInputs>("inputs")(loaded.state(), 0.25F, u.data());
      ASSERT_EQ(loaded.call<SingleAccelerations>("accelerations")(loaded.state(), 0.25F, q.data(), v.data(), u.data(),
                                                                  vdot.data(), lambda.data()),
                0)
          << name;
      const Terms terms = evaluate_terms(dynamics, at);
      const Scaled scaled = scaled_system(layout, terms);
      if (scaled.condition > 1e4) continue;
      double size = 0, error = 0;
      for (int i = 0; i < layout.nv; ++i) {
        const std::size_t k = as_size(i);
        const double b = std::abs(terms.B[k]) + std::abs(terms.G[k]) + std::abs(terms.F[k]);
        size = std::max({size, std::abs(exact.qdd[k]) / scaled.scale(i), b * scaled.scale(i)});
        error = std::max(error, std::abs(static_cast<double>(vdot[k]) - exact.qdd[k]) / scaled.scale(i));
      }
      for (int i = 0; i < layout.m; ++i) {
        const std::size_t k = as_size(i);
        const double scale = scaled.scale(layout.nv + i);
        size = std::max({size, std::abs(exact.lambda[k]) / scale, std::abs(terms.gamma[k]) * scale});
        error = std::max(error, std::abs(static_cast<double>(lambda[k]) - exact.lambda[k]) / scale);
      }
      EXPECT_LE(error, 2000 * kSingleEpsilon * scaled.condition * size) << name << " " << round;
      ++good;
    }
    EXPECT_GE(good, 25) << name;
  }
}

// Steps in single precision beside steps in double precision from the same state, as far as these go.
struct Pair {
  double single = 0;     // difference at the end
  double disturbed = 0;  // difference of the run of double precision that is disturbed
  double off = 0;  // largest residual of the constraints, in units of the epsilon of float and the size of the state
};

Pair run_in_both(const std::string& name, int steps, float h) {
  const Equations equations = equations_of_text(shipped_text(name));
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Loaded fine(equations), coarse(equations, kSingle);
  const State start = assemble_start(equations, dynamics).state;
  Singles q = singles(start.q), v = singles(start.v);
  Numbers exact_q = numbers(q), exact_v = numbers(v);
  Numbers moved_q = exact_q, moved_v = exact_v;
  const auto step = [&](double t, double by, Numbers& at_q, Numbers& at_v) {
    return fine.call<Loaded::Step>("step")(fine.state(), t, by, at_q.data(), at_v.data());
  };
  // The disturbed run: its state is rounded to float after each step or, with contacts, which that would open, its steps are longer by 32 units.
  const bool contacts = dynamics.contacts() != nullptr;
  const double moved_h = contacts ? to_single(h) * (1 + 32 * kSingleEpsilon) : to_single(h);
  Pair pair;
  double size = 1;
  for (const Numbers& list : {start.q, start.v})
    for (const double x : list) size = std::max(size, std::abs(x));
  for (int k = 0; k < steps; ++k) {
    const float t = static_cast<float>(k) * h;
    const int status = step(to_single(t), to_single(h), exact_q, exact_v);
    EXPECT_EQ(coarse.call<SingleStep>("step")(coarse.state(), t, h, q.data(), v.data()), status) << name << " " << k;
    if (status != 0) break;
    step(to_single(t), moved_h, moved_q, moved_v);
    if (contacts) continue;
    for (Numbers* list : {&moved_q, &moved_v}) std::ranges::transform(*list, list->begin(), to_single);
    const State at{to_single(t + h), numbers(q), numbers(v)};
    for (const Numbers& rows : {position_residual(dynamics, at), velocity_residual(dynamics, at)})
      for (const double row : rows) pair.off = std::max(pair.off, std::abs(row) / (kSingleEpsilon * size));
  }
  pair.single = std::max(difference(numbers(q), exact_q), difference(numbers(v), exact_v));
  pair.disturbed = std::max(difference(moved_q, exact_q), difference(moved_v, exact_v));
  return pair;
}

// Oracle: the steps of double precision, disturbed. A step in single precision rounds some tens of times as often (four
// evaluations, a solve, two projections), and the motion makes of either what it makes of any disturbance; a run with another rule, a wrong digit or constraints
// that are lost is off by orders of magnitude more.
void expect_steps_follow(const std::string& name, int steps, float h) {
  const Pair pair = run_in_both(name, steps, h);
  EXPECT_LE(pair.single, 100 * (pair.disturbed + kSingleEpsilon)) << name;
  EXPECT_LE(pair.off, 64) << name;
}

TEST(SinglePrecision, StepsFollowThoseOfDouble) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  for (const char* name : {"cartesian-pendulum", "slider-crank", "rolling-disk"})
    expect_steps_follow(name, 1000, 1e-3F);
}

class SlowSinglePrecision : public ::testing::TestWithParam<std::string> {};

TEST_P(SlowSinglePrecision, StepsFollowThoseOfDouble) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  // At its 77th step two states of its frictions are consistent in single precision, which the status says.
  expect_steps_follow(GetParam(), GetParam() == "woodpecker-toy" ? 70 : 2000, 1e-3F);
}

INSTANTIATE_TEST_SUITE_P(Models, SlowSinglePrecision, ::testing::ValuesIn(shipped_names()), test_name);

// What is refused, and why.
TEST(SinglePrecision, IsRefusedWithReasons) {
  const auto refused = [](const std::string& text, CodeLanguage language = CodeLanguage::kC) {
    const Result<ExportedCode> code =
        export_code(equations_of_text(text), language, std::vector<std::string>{}, CodePrecision::kSingle);
    return code ? "exported" : render(code.diagnostics());
  };
  for (const CodeLanguage language : {CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs})
    EXPECT_THAT(refused(shipped_text("mass-spring"), language), HasSubstr("has no single precision"));
  EXPECT_EQ(refused(shipped_text("mass-spring"), CodeLanguage::kCpp), "exported");

  // G M r of a planet in SI: parameters and the start fit, m r^2 does not.
  const std::string planet = R"toml(name = "planet"
coordinates = ["r", "phi"]
[parameters]
m = "6e24 kg"
K = "1e20 m^3/s^2"
[energy]
kinetic = "m/2*(r'^2 + r^2*phi'^2)"
potential = "-m*K/r"
[initial]
position = {r = "1.5e11 m"}
)toml";
  EXPECT_THAT(refused(planet), HasSubstr("finds no accelerations at the model's start: status 3"));
  std::string heavy = planet;
  heavy.replace(heavy.find("6e24"), 4, "6e42");
  EXPECT_THAT(refused(heavy), HasSubstr("the parameter `m` is 6e+42"));
  std::string light = planet;
  light.replace(light.find("m/2*"), 4, "m/2*1e-50*");
  EXPECT_THAT(refused(light), HasSubstr("a number of the equations is"));

  std::string reserved = planet;
  reserved.replace(reserved.find("m/2*"), 4, "m/2*1e-21*");
  reserved.replace(reserved.find("1.5e11 m"), 8, "1 m");
  EXPECT_THAT(refused(reserved), HasSubstr("1e-21"));

  // 1000 s have a last digit of 6e-5 s.
  Model late("late");
  const Coordinate x = late.coordinate("x");
  late.kinetic(square(x.qd) / 2);
  late.generalized_force(x, late.input("f"));
  late.set_samples("f", {1000, 1000.00001}, {0, 1});
  const Result<ExportedCode> code = export_code(*derive(std::make_shared<const Model>(std::move(late))),
                                                CodeLanguage::kC, {}, CodePrecision::kSingle);
  ASSERT_FALSE(code);
  EXPECT_THAT(render(code.diagnostics()), HasSubstr("are at one time in single precision"));
}

}  // namespace
}  // namespace dalembert::testing
