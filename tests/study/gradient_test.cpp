// SPDX-License-Identifier: Apache-2.0
// Gradients of outputs by the adjoint of a run: against published figures, closed forms, and for every shipped model against the tangents of the run.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/unknown_derivatives.h"
#include "dalembert/store/file.h"
#include "dalembert/study/system_at.h"
#include "oracles/idas_slider_crank.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

std::string model_text(const std::string& path) { return value_of(read_file(path))->text(); }

BuiltModel gradient_model(const std::string& text) {
  Result<Model> loaded = load_model(make_source("gradients", text), {});
  return value_of(build_model(std::make_shared<const Model>(value_of(std::move(loaded))), {}, {.machine_code = false}));
}

Trajectory gradient_run(const BuiltModel& system, const IntegrateOptions& options) {
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

Trajectory with_gradients(const BuiltModel& system, const std::vector<std::string>& outputs, IntegrateOptions options) {
  const Diagnostics problems = find_gradients(system, outputs, options);
  EXPECT_TRUE(problems.empty()) << render(problems);
  return gradient_run(system, options);
}

double value_by(const Gradient& gradient, const std::string& name) {
  const auto found = std::ranges::find(gradient.by, name, &Gradient::By::name);
  EXPECT_NE(found, gradient.by.end()) << name;
  return found == gradient.by.end() ? NAN : found->value;
}

// cases §30; the recomputed figures have nine digits. By every method.
TEST(Gradients, OfTheSliderCrankOfIdas) {
  const BuiltModel system = gradient_model(oracles::idas_slider_crank());
  for (const Method method : kMethods)
    for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
      IntegrateOptions options{.until = 10, .rtol = 1e-10, .atol = 1e-12, .method = method, .formulation = formulation};
      options.second_run = true;
      const Trajectory run = with_gradients(system, {"G"}, options);
      ASSERT_EQ(run.gradients.size(), 1U) << run.reason;
      EXPECT_EQ(run.gradients[0].output, "G");
      EXPECT_NEAR(value_by(run.gradients[0], "k"), 0.333448106, 4e-9) << to_text(method);
      EXPECT_NEAR(value_by(run.gradients[0], "c"), -0.363754034, 4e-9) << to_text(method);
      EXPECT_GT(run.gradients[0].error, 0);
      EXPECT_LT(run.gradients[0].error, 1e-7);
      EXPECT_TRUE(run.sensitivities.empty());
    }
}

// Parts of a run that do not fit into memory are made again.
TEST(Gradients, TakeAsMuchMemoryAsTheyMay) {
  std::string text = model_text(shipped_path("slider-crank"));
  const BuiltModel system = gradient_model(text + "\n[outputs]\nend = \"x\"\n");
  IntegrateOptions options{.until = 60, .rtol = 1e-10, .atol = 1e-12};
  const Trajectory whole = with_gradients(system, {"end"}, options);
  options.gradient_memory = std::size_t{1} << 20;
  const Trajectory parts = with_gradients(system, {"end"}, options);
  ASSERT_GT(whole.steps, 4000);
  EXPECT_EQ(parts.q, whole.q);
  for (const Gradient::By& by : whole.gradients[0].by)
    EXPECT_NEAR(value_by(parts.gradients[0], by.name), by.value, 1e-6 * (1 + std::abs(by.value))) << by.name;
}

// y falls from h for t₁ = √(2h/g), then flies with v = e√(2gh): ∫y = h t₁ − g t₁³/6 + v s²/2 − g s³/6, s = t − t₁, before it comes back.
// An input that switches holds another constant in each part of the run. m x'' = F sign(sin w t) from rest: with t₁ = π/w, 1.2 s is in the second part,
// x = x₀ + F/m (t₁²/2 + t₁ (T − t₁) − (T − t₁)²/2).
TEST(Gradients, PassTheSwitchOfAnInput) {
  const BuiltModel system = gradient_model(R"toml(name = "switch"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "2 kg"
F = "3 N"
w = "4 rad/s"
[energy]
kinetic = "m/2*x'^2"
[inputs]
u = "F*sign(sin(w*t))"
[[force]]
coordinate = "x"
value = "u"
[initial]
position = {x = "0.1 m"}
[outputs]
end = "x"
)toml");
  const Trajectory run = with_gradients(system, {"end"}, {.until = 1.2, .rtol = 1e-10, .atol = 1e-12});
  ASSERT_EQ(run.gradients.size(), 1U) << run.reason;
  const double T = 1.2, t1 = std::numbers::pi / 4, left = T - t1,
               moved = 1.5 * (t1 * t1 / 2 + t1 * left - left * left / 2);
  ASSERT_NEAR(run.q[0].back(), 0.1 + moved, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[0], "m"), -moved / 2, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[0], "F"), moved / 3, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[0], "w"), -1.5 * 2 * left * t1 / 4, 1e-9);
}

// Parameters that act through inputs, one through two of them and two through one: m x'' = u + w with u = a t + b, w = a c from rest, so
// x(T) = (a T³/6 + b T²/2 + a c T²/2)/m. By tangents, which take the inputs of each parameter alone, and by the adjoint.
TEST(Gradients, GoThroughInputs) {
  const BuiltModel system = gradient_model(R"toml(name = "through"
coordinates = ["x"]
[parameters]
c = 0.5
b = 2
m = 4
a = 3
[energy]
kinetic = "m/2*x'^2"
[inputs]
u = "a*t + b"
w = "a*c"
idle = "t"
[[force]]
coordinate = "x"
value = "u + w + 0*idle"
[outputs]
end = "x"
)toml");
  IntegrateOptions options{.until = 2, .rtol = 1e-10, .atol = 1e-12};
  const Trajectory by_adjoint = with_gradients(system, {"end"}, options);
  for (const char* name : {"c", "m", "a", "b"}) options.tangents.push_back({.name = name});
  ASSERT_TRUE(find_tangents(system, options).empty());
  const Trajectory by_tangents = gradient_run(system, options);
  const double x = (3.0 * 8 / 6 + 2.0 * 4 / 2 + 3 * 0.5 * 4 / 2) / 4;
  ASSERT_NEAR(by_tangents.q[0].back(), x, 1e-10);
  const double exact[] = {3.0 * 4 / 2 / 4, -x / 4, (8.0 / 6 + 0.5 * 4 / 2) / 4, 4.0 / 2 / 4};
  for (std::size_t k = 0; k < options.tangents.size(); ++k) {
    EXPECT_NEAR(by_tangents.sensitivities[k].outputs[0].back(), exact[k], 1e-10) << options.tangents[k].name;
    EXPECT_NEAR(value_by(by_adjoint.gradients[0], options.tangents[k].name), exact[k], 1e-10);
  }
}

TEST(Gradients, PassAnImpact) {
  const BuiltModel system = gradient_model(R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
e = 0.8
[[body]]
name = "ball"
mass = "m"
position = [0, "y"]
[initial]
position = {y = "1 m"}
velocity = {y = "0 m/s"}
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[outputs]
height = "integral(y)"
last = "y"
)toml");
  const double g = 9.81, e = 0.8, t = 0.9, t1 = std::sqrt(2 / g), s = t - t1, v = e * std::sqrt(2 * g);
  const Trajectory run = with_gradients(system, {"height", "last"}, {.until = t, .rtol = 1e-12, .atol = 1e-14});
  const double t1_g = -t1 / (2 * g), t1_h = t1 / 2, v_h = v / 2;
  const double height_g = t1_g - t1 * t1 * t1 / 6 - g * t1 * t1 / 2 * t1_g + v / (2 * g) * s * s / 2 - v * s * t1_g -
                          s * s * s / 6 + g * s * s / 2 * t1_g;
  ASSERT_EQ(run.gradients.size(), 2U);
  EXPECT_NEAR(value_by(run.gradients[0], "e"), v / e * s * s / 2, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[0], "g"), height_g, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[0], "m"), 0, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[1], "e"), v / e * s, 1e-9);
  EXPECT_NEAR(value_by(run.gradients[1], "y"), v_h * s + (g * s - v) * t1_h, 1e-9);
}

// Two bodies that are caught by a distance bounce on it, lower and lower, until they stay: the last speeds are taken at once, by a jump that depends on the state.
// No torque acts from outside, so the angular momentum is that of the start, and its derivatives are closed forms.
TEST(Gradients, PassTheJumpThatEndsASeriesOfBounces) {
  const BuiltModel system = gradient_model(R"toml(name = "docking"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "a", unit = "rad"},
               {name = "u", unit = "m"}, {name = "v", unit = "m"}, {name = "b", unit = "rad"}]
parameters = {m = "2 kg", M = "3 kg", I = "0.1 kg*m^2", J = "0.2 kg*m^2", e = 0.3}
frame = [{name = "one", origin = ["x", "y"], rotate = "a"}, {name = "two", origin = ["u", "v"], rotate = "b"}]
point = [{name = "tip", frame = "one", at = ["0.3 m", "0.1 m"]}, {name = "port", frame = "two", at = ["-0.2 m", "0"]}]
body = [{name = "one", mass = "m", frame = "one", inertia = "I"}, {name = "two", mass = "M", frame = "two", inertia = "J"}]
constraint = [{name = "probe", distance = {between = ["tip", "port"], at_most = "0.25 m"}, restitution = "e"}]
outputs = {L = "m*(x*y' - y*x') + M*(u*v' - v*u') + I*a' + J*b'"}
[initial]
position = {x = 0, y = 0, a = 0.2, u = 0.6, v = 0.1, b = -0.1}
velocity = {x = -0.1, y = 0.2, a = 0.3, u = 0.5, v = 0, b = -0.4}
)toml");
  IntegrateOptions options{.until = 2, .rtol = 1e-9, .atol = 1e-10, .output_times = {2}};
  const Trajectory run = with_gradients(system, {"L"}, options);
  ASSERT_EQ(std::ranges::count(run.events, RunEventKind::kRest, &RunEvent::kind), 1);
  options.tangents = {{.name = "x"}, {.name = "u'"}, {.name = "v"}, {.name = "J"}, {.name = "e"}};
  ASSERT_TRUE(find_tangents(system, options).empty());
  const Trajectory beside = gradient_run(system, options);
  const double truth[] = {2 * 0.2, -3 * 0.1, -3 * 0.5, -0.4, 0};
  for (std::size_t k = 0; k < std::size(truth); ++k) {
    EXPECT_NEAR(beside.sensitivities[k].outputs[0].back(), truth[k], 1e-8) << beside.sensitivities[k].name;
    EXPECT_NEAR(value_by(run.gradients[0], beside.sensitivities[k].name), truth[k], 1e-8);
  }
}

// A spinning disk bounces lower and lower on a slope, and stays there. Late in the series its speed is far below the displacements of differences: displaced
// impacts must go the same way all the same. The twin: its tangents.
TEST(Gradients, PassASeriesOfBounces) {
  for (const char* friction : {"", "friction = 0.1\n"}) {
    const BuiltModel system = gradient_model(std::string(R"toml(name = "disk"
coordinates = ["x", "y", "phi"]
parameters = {r = 0.075, e = 0.26, m = 0.75}
gravity = [0, -9.81]
[[frame]]
name = "turned"
origin = ["x", "y"]
rotate = "phi"
[[point]]
name = "C"
at = ["x", "y"]
[[point]]
name = "O"
at = [0.3, -0.1]
[[body]]
name = "disk"
mass = "m"
inertia = "m*r^2/2"
frame = "turned"
[initial]
position = {x = 0, y = 0.6, phi = 0}
velocity = {x = 0.16, y = 0.26, phi = -3.6}
[outputs]
end = "x"
[[constraint]]
name = "ground"
contact = {point = "C", above = "O", normal = [0.06, 0.9982], radius = "r"}
frame = "turned"
restitution = "e"
)toml") + friction);
    IntegrateOptions options{.until = 1, .rtol = 1e-11, .atol = 1e-13, .output_times = {1}};
    const Trajectory run = with_gradients(system, {"end"}, options);
    ASSERT_GT(std::ranges::count(run.events, RunEventKind::kImpact, &RunEvent::kind), 10);
    options.tangents = {{.name = "x'"}, {.name = "y'"}, {.name = "phi'"}, {.name = "e"}, {.name = "r"}};
    const Diagnostics problems = find_tangents(system, options);
    ASSERT_TRUE(problems.empty()) << render(problems);
    const Trajectory beside = gradient_run(system, options);
    for (const Sensitivity& by : beside.sensitivities)
      EXPECT_NEAR(value_by(run.gradients[0], by.name), by.outputs[0].back(),
                  1e-7 * (1 + std::abs(by.outputs[0].back())))
          << by.name << ' ' << friction;
  }
}

TEST(Gradients, SayWhatTheyCannotDo) {
  IntegrateOptions options;
  const BuiltModel system = gradient_model(oracles::idas_slider_crank());
  EXPECT_THAT(render(find_gradients(system, {"g"}, options)), HasSubstr("E0440"));
  // 300 coordinates that inertia couples.
  const BuiltModel large = gradient_model(R"toml(coordinates = [{name = "x{i}", unit = "m", for = "i in 1..300"}]
[parameters]
m = "1 kg"
[energy]
kinetic = "m/2*sum(i in 1..300, x{i}'^2) + m/2*sum(i in 1..300, x{i}')^2"
potential = "0 J"
[outputs]
end = "x1"
)toml");
  EXPECT_THAT(render(find_gradients(large, {"end"}, options)), HasSubstr("E0441"));
  const std::vector<MappedText> number{MappedText::of("final(end)")};
  EXPECT_THAT(render(value_of(RunGradients::prepare(large, number)).warnings()), HasSubstr("W0330"));
}

// Sixty-six rods, whose accelerations are longer to differentiate than the equations of motion are to solve: the adjoint and tangents by exact derivatives
// beside tangents by differences, with the last rod free and with its end held on a spring's line.
TEST(Gradients, OfChainsByTheEquationsThatTheAccelerationsSolve) {
  const std::string chain = model_text(shipped_path("n-link-chain"));
  const std::string held = R"toml(
[[constraint]]
name = "line"
holonomic = "sum(i in 1..N, l*sin(theta{i})) + 0.3*sum(i in 1..N, l*cos(theta{i})) - 0.3*N*l"
[initial]
position = {theta2 = "0.1 rad", theta5 = "-0.2 rad"}
)toml";
  for (const std::string& more : {std::string(), held}) {
    const std::size_t from = chain.find("[simulation]"), n = chain.find("N = 10");
    std::string text = chain.substr(0, from) + "force = \"" + (more.empty() ? "0 N" : "lambda(line)") + "\"\n" + more;
    text.replace(n, 6, "N = 66");
    text.replace(text.find("c = \"0"), 6, "c = \"0.001");
    const BuiltModel system = gradient_model(text);
    IntegrateOptions options{.until = 0.02, .rtol = 1e-11, .atol = 1e-13, .output_times = {0.02}}, exactly = options;
    const Trajectory run = with_gradients(system, {"end_x", "force"}, options);
    exactly.tangents = {{.name = "m"}, {.name = "l"}, {.name = "c"}, {.name = "g"}};
    const Diagnostics problems = find_tangents(system, exactly);
    ASSERT_TRUE(problems.empty()) << render(problems);
    ASSERT_NE(exactly.derivatives, nullptr);
    EXPECT_FALSE(exactly.derivatives->has(RunDerivatives::Part::kAccelerations));
    IntegrateOptions by_differences = exactly;
    by_differences.derivatives = nullptr;
    const Trajectory one = gradient_run(system, exactly), other = gradient_run(system, by_differences);
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    for (std::size_t k = 0; k < one.sensitivities.size(); ++k) {
      for (const std::size_t output : {system.dynamics.names().outputs.size() - 1, std::size_t{0}}) {
        const double found = one.sensitivities[k].outputs[output].back(),
                     beside = other.sensitivities[k].outputs[output].back(),
                     adjoint = value_by(run.gradients[output == 0 ? 0 : 1], one.sensitivities[k].name);
        EXPECT_NEAR(found, beside, 1e-5 * (1 + std::abs(beside))) << one.sensitivities[k].name << ' ' << output;
        EXPECT_NEAR(adjoint, found, 1e-8 * (1 + std::abs(found))) << one.sensitivities[k].name << ' ' << output;
      }
    }
  }
}

class GradientOf : public ::testing::TestWithParam<std::string> {};

// Twins: the adjoint of the run and its tangents.
TEST_P(GradientOf, AShippedModelIsThatOfItsTangents) {
  std::string text = model_text(GetParam());
  const Model plain = value_of(load_model(make_source("shipped", text), {}));
  if (plain.outputs.empty()) text += "\n[outputs]\nfirst = \"" + plain.coordinates[0].name + "\"\n";
  const BuiltModel system = gradient_model(text);
  if (!assemble_start(system.equations, system.dynamics).ok()) GTEST_SKIP() << "no start";
  IntegrateOptions options = value_of(run_options(*system.model));
  const double from = system.model->initial.t;
  options.until = from + std::min(0.5, 0.2 * (options.until - from));
  options.rtol = 1e-10;
  options.atol = 1e-12;
  options.output_step = 0;
  options.output_times = {options.until};
  IntegrateOptions by_adjoint = options, by_tangents = options;
  if (!find_gradients(system, system.dynamics.names().outputs, by_adjoint).empty()) GTEST_SKIP() << "no derivatives";
  by_tangents.tangents = by_adjoint.tangents;
  by_tangents.derivatives = by_adjoint.derivatives;
  const Trajectory one = gradient_run(system, by_adjoint), other = gradient_run(system, by_tangents);
  ASSERT_EQ(one.status, RunStatus::kOk) << one.reason;
  EXPECT_EQ(one.q, other.q);
  const std::vector<std::string>& told = one.verdict.warnings;
  if (std::ranges::any_of(told, integration::says_unknown_derivatives)) GTEST_SKIP() << told.back();
  for (std::size_t f = 0; f < one.gradients.size(); ++f) {
    double size = 1e-3;
    for (const Gradient::By& by : one.gradients[f].by)
      if (std::isfinite(by.value)) size = std::max(size, std::abs(by.value));
    for (std::size_t k = 0; k < one.gradients[f].by.size(); ++k) {
      const double a = one.gradients[f].by[k].value, b = other.sensitivities[k].outputs[f].back();
      const std::vector<double>& of_start = by_adjoint.tangents[k].q;
      if (std::ranges::any_of(of_start, [](double x) { return std::isnan(x); })) {
        EXPECT_TRUE(std::isnan(a)) << one.gradients[f].by[k].name;
        continue;
      }
      EXPECT_EQ(std::isfinite(a), std::isfinite(b)) << one.gradients[f].output << " " << one.gradients[f].by[k].name;
      if (std::isfinite(b))
        EXPECT_NEAR(a, b, 1e-7 * (size + std::abs(b))) << one.gradients[f].output << " " << one.gradients[f].by[k].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, GradientOf, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert
