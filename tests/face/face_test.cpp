// SPDX-License-Identifier: Apache-2.0
// The umbrella header as a user meets it: one include, `using namespace dalembert`, no other header of the library.
#include <dalembert/dalembert.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

using namespace dalembert;
using testing::HasSubstr;

namespace {

struct SliderCrank {
  Model model{"slider-crank"};
  Coordinate theta = model.coordinate("theta", "rad"), phi = model.coordinate("phi", "rad"),
             x = model.coordinate("x", "m");
  Expr g = model.parameter("g", 9.81, "m/s^2"), m = model.parameter("m", 1.2, "kg"),
       I = model.parameter("I", 0.03, "kg*m^2");
  Expr L1 = model.parameter("L1", 0.15, "m"), L2 = model.parameter("L2", 0.35, "m");

  SliderCrank() {
    const Vec2 A = 2 * L1 * direction(theta), C = A - L2 * direction(phi);
    model.kinetic(m / 2 * norm2(dot(C)) + I / 2 * (square(dot(phi)) + square(dot(theta))) + m / 2 * square(dot(x)));
    model.potential(m * g * C.y);
    const Vec2 P = A - 2 * L2 * direction(phi);
    model.holonomic("pin", {P.x - x, P.y});
  }
};

double value(const Expr& expression) {
  return evaluate(expression, [](SymbolId id) { return 0.3 + 0.7 * id; });
}

// Truth: the closed forms of the components; round-off of a few operations.
TEST(Vec2, ComponentsAndOperators) {
  Model model;
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b");
  const Expr k = model.parameter("k", 1);
  const Vec2 p{a, b}, q{b, 2}, r{-1, a};
  const double A = value(a), B = value(b), K = value(k);
  EXPECT_DOUBLE_EQ(value(q.y), 2);
  EXPECT_DOUBLE_EQ(value(r.x), -1);
  const Vec2 all = k * p - q * 3 + r / k + 0.5 * p - -q / 4 + p * k;
  EXPECT_NEAR(value(all.x), K * A - 3 * B - 1 / K + A / 2 + B / 4 + A * K, 1e-14);
  EXPECT_NEAR(value(all.y), K * B - 6 + A / K + B / 2 + 0.5 + B * K, 1e-14);
  EXPECT_TRUE(inner(p, p).same(a * a + b * b));
  EXPECT_TRUE(norm2(p).same(inner(p, p)));
  EXPECT_NEAR(value(inner(direction(a), normal(a))), 0, 1e-16);
  EXPECT_NEAR(value(norm2(normal(a))), 1, 1e-15);
  const Vector components = p;
  ASSERT_EQ(components.size(), 2u);
  EXPECT_TRUE(components[1].same(b.q));
}

// Truth: the chain rule by hand, and Model::dot, which knows the rates without looking for them.
TEST(Dot, IsTheTimeDerivative) {
  Model model;
  const Coordinate a = model.coordinate("a");
  const Expr k = model.parameter("k", 1), u = model.input("u");
  EXPECT_TRUE(dot(a).same(a.qd));
  EXPECT_TRUE(dot(dot(a)).same(a.qdd));
  EXPECT_TRUE(dot(k).is_zero());
  const Expr wave = k * sin(2 * a) * model.t;
  EXPECT_TRUE(dot(wave).same(model.dot(wave)));
  EXPECT_NEAR(value(dot(direction(a)).y), std::cos(value(a)) * value(a.qd), 1e-15);
  EXPECT_THROW(dot(u), ModelError);
  EXPECT_THROW(dot(a.qdd), ModelError);
}

// The example of the design page. Truth: phi and x of the closed loop by trigonometry; the rows of the equations.
TEST(Face, FromModelToMotion) {
  const SliderCrank crank;
  const auto& [model, theta, phi, x, g, m, I, L1, L2] = crank;
  const Equations equations = derive(model);
  const Dynamics dynamics = compile(equations);
  const State start =
      assemble(dynamics, {.fixed = {{theta, 1.05, 4.0}}, .guess = {{phi, 2.8}, {x, 0.8}}, .t = 0.5}).state();
  EXPECT_EQ(start.t, 0.5);
  EXPECT_EQ(start.q[0], 1.05);
  EXPECT_EQ(start.v[0], 4.0);
  const double closed = M_PI - std::asin(0.15 * std::sin(1.05) / 0.35);
  const NamedState at = named(dynamics, start);
  EXPECT_EQ(at.t, 0.5);
  EXPECT_NEAR(at.q[phi], closed, 1e-14);
  EXPECT_NEAR(at.q["x"], 0.3 * std::cos(1.05) - 0.7 * std::cos(closed), 1e-14);

  const KktSolution numbers = solve_kkt(dynamics, start);
  const NamedSolution now = named(dynamics, numbers);
  EXPECT_EQ(now.status, KktStatus::kOk);
  EXPECT_EQ(now.rank, 2);
  EXPECT_EQ(now.lambda["pin[1]"], numbers.lambda[0]);
  EXPECT_EQ(now.lambda["pin[2]"], now.lambda[1]);
  EXPECT_EQ(now.lambda[0], numbers.lambda[0]);
  EXPECT_NEAR(1.2 * now.qdd[x], -now.lambda["pin[1]"], 1e-13);  // row x

  const Trajectory path = integrate(dynamics, start, {.until = 1.0, .rtol = 1e-9});
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_THAT(print_equations(equations, {}), HasSubstr("m*x'' = -lambda(pin[1])"));
  EXPECT_THAT(latex(equations), HasSubstr("\\ddot{x}"));
}

// Truth: the pendulum's first integral, x'' by the equation of motion, and that a run is what integrate() makes.
TEST(Face, RunsAreOneCallAndHaveNames) {
  Model model("pendulum");
  const Coordinate theta = model.coordinate("theta", "rad");
  model.kinetic(square(dot(theta)) / 2);
  model.potential(-9.81 * cos(theta));
  const Path path = simulate(model, {.position = {{"theta", 1.05}}, .velocity = {{theta, 0.5}}}, {.until = 3});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_EQ(path["q/theta"].data(), path.q[0].data());
  EXPECT_EQ(path["theta'"].data(), path.v[0].data());
  EXPECT_EQ(path[theta].data(), path.q[0].data());
  const double energy = 0.125 - 9.81 * std::cos(1.05);
  for (const double t : {0.0, 0.123, 1.0, 2.9, 3.0}) {
    const Moment at = path.at(t);
    EXPECT_EQ(at.t(), t);
    EXPECT_NEAR(at.v(theta) * at.v("theta") / 2 - 9.81 * std::cos(at.q("theta")), energy, 1e-8) << t;
    EXPECT_NEAR(at.qdd(theta), -9.81 * std::sin(at.q(theta)), 1e-12) << t;
  }
  // A point between rows is that of a run which ends there.
  const Path shorter = simulate(model, {.position = {{theta, 1.05}}, .velocity = {{theta, 0.5}}}, {.until = 1.234});
  EXPECT_NEAR(path.at(1.234).q(theta), shorter[theta].back(), 1e-8);
  EXPECT_THROW(path["q/thet"], ModelError);
  EXPECT_THROW(path.at(3.1), ModelError);
  EXPECT_THROW(path.at(1).q("phi"), ModelError);
  EXPECT_THROW(path.at(1).lambda("pin"), ModelError);
}

// Truth: Stepper, whose numbers these are.
TEST(Face, StepperHasNames) {
  SliderCrank c;
  const Dynamics dynamics = compile(derive(c.model));
  const State start =
      assemble(dynamics, {.fixed = {{c.theta, 1.05, 4.0}}, .guess = {{c.phi, 2.8}, {c.x, 0.8}}}).state();
  NamedStepper stepper(dynamics, start, {.until = 1});
  ASSERT_TRUE(stepper.step_to(0.5)) << stepper.reason();
  EXPECT_EQ(stepper.q("x"), stepper.q()[2]);
  EXPECT_EQ(stepper.v(c.phi), stepper.v()[1]);
  EXPECT_EQ(stepper.qdd(c.theta), stepper.point().qdd[0]);
  EXPECT_EQ(stepper.lambda("pin[2]"), stepper.lambda()[1]);
  EXPECT_THROW(stepper.q("y"), ModelError);
  const Path path = stepper.finish();
  EXPECT_EQ(path.at(0.5).lambda("pin[1]"), path["lambda/pin[1]"].back());
}

// Truth: the torque that is held, m l² θ'' = τ at rest below; what it was between rows the run does not know.
TEST(Face, RowsOfARunWithHeldInputsAreKnownAlone) {
  Model model("pendulum");
  const Coordinate theta = model.coordinate("theta", "rad");
  model.kinetic(square(dot(theta)) / 2);
  model.potential(-9.81 * cos(theta));
  model.generalized_force(theta, model.input("tau"));
  const Dynamics dynamics = compile(derive(model));
  NamedStepper stepper(dynamics, assemble(dynamics, {.fixed = {{theta, 0, 0}}}).state(),
                       {.until = 1, .output_step = 0.25});
  ASSERT_TRUE(stepper.hold_input("tau", 3));
  ASSERT_TRUE(stepper.step_to(0.75));
  const Path path = stepper.finish();
  const Moment at = path.at(0.5);
  EXPECT_NEAR(at.qdd(theta), 3 - 9.81 * std::sin(at.q(theta)), 1e-12);
  EXPECT_THROW(path.at(0.6), ModelError);
}

// What allocates nothing and what is kept as code have types that users only see declared. Truth: the forms that make their
// own memory, which do the same operations; the closed form of ∂f/∂(q, v) of a pendulum, m = l = 1.
TEST(Face, MachineryIsBehindWhatUsersSee) {
  Model model("pendulum");
  const Coordinate theta = model.coordinate("theta", "rad");
  model.kinetic(square(dot(theta)) / 2);
  model.potential(-9.81 * cos(theta));
  const Equations equations = derive(std::move(model));
  const Dynamics dynamics = compile(equations);
  const State state{0, {0.4}, {0.2}};
  const std::shared_ptr<Workspace> workspace = make_workspace(dynamics);
  double qdd = 0;
  EXPECT_EQ(solve_kkt(dynamics, 0, state.q.data(), state.v.data(), *workspace, &qdd, nullptr), KktStatus::kOk);
  EXPECT_EQ(qdd, solve_kkt(dynamics, state).qdd[0]);
  EXPECT_EQ(energy(dynamics, 0, state.q.data(), state.v.data(), *workspace).total, energy(dynamics, state).total);

  const auto by = arguments_of(equations, {SymbolKind::kCoordinate, SymbolKind::kVelocity});
  ASSERT_EQ(by.size(), 2U);
  const KernelJacobian jacobian(equations, KernelFunction::kAccelerations, by);
  ASSERT_TRUE(jacobian.valid());
  ASSERT_EQ(jacobian.pattern().nonzeros(), 1);
  EXPECT_EQ(jacobian.pattern().col[0], 0);
  std::vector<double> work(jacobian.work());
  double slope = 0;
  jacobian.call({.q = state.q.data(), .v = state.v.data(), .work = work.data()}, &slope);
  EXPECT_NEAR(slope, -9.81 * std::cos(0.4), 1e-14);
}

// The layers' functions keep their meaning beside the overloads.
TEST(Face, DoesNotHideTheLayers) {
  const SliderCrank crank;
  static_assert(std::is_same_v<decltype(derive(std::make_shared<Model>())), Result<Equations>>);
  static_assert(std::is_same_v<decltype(derive(crank.model)), Equations>);
  const Dynamics dynamics = compile(derive(crank.model));
  static_assert(std::is_same_v<decltype(assemble(dynamics, State{}, {.tolerance = 1e-9})), Assembly>);
  static_assert(std::is_same_v<decltype(assemble(dynamics, {0.0, {1, 2, 3}, {0, 0, 0}})), Assembly>);
  static_assert(std::is_same_v<decltype(assemble(dynamics, {.fixed = {{"theta", 1.0}}})), NamedState>);
  static_assert(std::is_same_v<decltype(assemble(dynamics, {.t = 0, .q = {1, 2, 3}, .v = {0, 0, 0}})), Assembly>);
}

TEST(Face, HoldsWhatIsFixedOnly) {
  const SliderCrank crank;
  const Dynamics dynamics = compile(derive(crank.model));
  // Position alone, velocity alone; a fixed value overrides a guess; names do as well as coordinates.
  const NamedState assembled = assemble(
      dynamics, {.fixed = {{"theta", {}, 4.0}, {"x", 0.6}}, .guess = {{"theta", 1.2}, {"phi", 2.8}, {"x", 0.1}}});
  EXPECT_EQ(assembled.q["x"], 0.6);
  EXPECT_EQ(assembled.v["theta"], 4.0);
  EXPECT_NE(assembled.q["theta"], 1.2);
  EXPECT_EQ(assembled.state().q, assembled.q.values());
  EXPECT_EQ(assembled.state().v, assembled.v.values());
}

TEST(Face, ModelFromText) {
  const Model model = parse_model("coordinates = ['x']\n[energy]\nkinetic = \"x'^2\"\n[initial]\nposition = {x = 3}\n");
  const State start = assemble(compile(derive(model)), model).state();
  EXPECT_EQ(start.q, std::vector<double>{3});
  EXPECT_EQ(or_throw(Result<int>(7)), 7);
}

// What the command shows of a model, a program has by the one include: closed forms, the meaning of λ, the derivation,
// the verdict on a claim. Truth: λ = m g cos θ − m r θ̇² of a rod from its support up, worked out by hand.
TEST(Face, HasWhatTheCommandShows) {
  const Equations equations = derive(parse_model(R"toml(
coordinates = [{name = "r", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
L = "0.5 m"
[energy]
kinetic = "m/2*(r'^2 + r^2*theta'^2)"
potential = "m*g*r*cos(theta)"
[[constraint]]
name = "rod"
holonomic = "r - L"
[[claim]]
entry = "lambda[rod]"
equals = "m*g*cos(theta) - m*r*theta'^2"
[[claim]]
entry = "lambda[rod]"
equals = "m*g*cos(theta) + m*r*theta'^2"
)toml"));
  const AuditReport report = or_throw(audit(equations));
  EXPECT_EQ(report.count(ClaimVerdict::kProved), 1);
  EXPECT_EQ(report.count(ClaimVerdict::kDisproved), 1);
  const auto closed = solve_closed_form(equations);
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->lambda.size(), 1U);
  EXPECT_EQ(explain_multipliers(equations).front().unit, "N");
  EXPECT_NE(print_derivation(equations, Form::kCanonical, Notation::kText).find("theta''"), std::string::npos);
}

// What the exception says is what the command would show.
std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& problem) {
    EXPECT_TRUE(has_errors(problem.diagnostics()));
    EXPECT_EQ(problem.what(), render(problem.diagnostics()));
    return problem.what();
  }
  return "nothing was thrown";
}

TEST(Face, ThrowsDiagnostics) {
  EXPECT_THAT(failure([] { parse_model("coordinates = ['x']\n[energy]\nkinetic = \"z^2\"\n"); }), HasSubstr("z"));
  Model twice;
  twice.coordinate("x");
  twice.coordinate("x");
  EXPECT_THAT(failure([&] { derive(twice); }), HasSubstr("E0008"));

  const SliderCrank crank;
  const Dynamics dynamics = compile(derive(crank.model));
  EXPECT_THAT(failure([&] { assemble(dynamics, {.fixed = {{"thetha", 1.0}}}); }), HasSubstr("did you mean `theta`?"));
  EXPECT_THAT(failure([&] {
                named(dynamics, KktSolution{{}, {0, 0, 0}, {0, 0}, {}, {}, {}, 0, 0}).lambda["pin"];
              }),
              HasSubstr("constraint row `pin`"));

  // The rods reach 1 m at most.
  EXPECT_THAT(failure([&] { assemble(dynamics, {.fixed = {{"x", 2.0}}}); }), HasSubstr("E0302"));
  // A system of numbers knows no quasi-velocities.
  EXPECT_THAT(failure([&] { assemble(dynamics, {.quasi_velocity = {{"u", 1.0}}}); }), HasSubstr("E0301"));
}

// Oracle: a mass that follows x = sin t takes F = m ẍ + k x = (k − m) sin t.
TEST(Face, PrescribedCoordinate) {
  Model model("driven");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y");
  const Expr m = model.parameter("m", 2), k = model.parameter("k", 5);
  model.kinetic(m / 2 * (square(x.qd) + square(y.qd)));
  model.spring(x, k);
  model.prescribe(x, sin(model.t));
  const Dynamics dynamics = compile(derive(model));
  const State state = assemble(dynamics, {.guess = {{y, 0.5}}, .t = 0.3}).state();
  EXPECT_NEAR(state.q[0], std::sin(0.3), 1e-15);
  EXPECT_NEAR(state.v[0], std::cos(0.3), 1e-15);
  EXPECT_EQ(state.q[1], 0.5);
  const NamedSolution now = named(dynamics, solve_kkt(dynamics, state));
  EXPECT_NEAR(now.actuation["x"], 3 * std::sin(0.3), 1e-14);
  EXPECT_EQ(now.lambda.size(), 0u);
}

}  // namespace
