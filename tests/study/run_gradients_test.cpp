// SPDX-License-Identifier: Apache-2.0
// Gradients of formulas of a run: against closed forms, and against differences of runs for the shipped models whose runs have no adjoint.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/unknown_derivatives.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/measures.h"
#include "dalembert/study/system_at.h"
#include "study/closed_forms.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

BuiltModel run_gradients_model(const std::string& text) {
  Result<Model> loaded = load_model(make_source("numbers", text), {});
  return value_of(build_model(std::make_shared<const Model>(value_of(std::move(loaded))), {}, {.machine_code = false}));
}

std::vector<MappedText> mapped(const std::vector<std::string>& texts) {
  std::vector<MappedText> numbers;
  for (const std::string& text : texts) numbers.push_back(MappedText::of(text));
  return numbers;
}

Trajectory run_with_gradients(const BuiltModel& system, const std::vector<std::string>& numbers,
                              IntegrateOptions options) {
  const RunGradients gradients = value_of(RunGradients::prepare(system, mapped(numbers), {.machine_code = false}));
  const State start = assemble_start(system.equations, system.dynamics).state;
  gradients.ask(options);
  Trajectory run = integrate(system.dynamics, start, options);
  gradients.finish(options, start, run);
  EXPECT_EQ(run.gradients.size(), numbers.size());
  return run;
}

double gradient_by(const Trajectory& run, std::size_t number, const std::string& name) {
  const std::vector<Gradient::By>& all = run.gradients.at(number).by;
  const auto found = std::ranges::find(all, name, &Gradient::By::name);
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? NAN : found->value;
}

// At its start the block is at a limit that k, mu_s, load and x move, so there are no derivatives by these. Oracle: those by mu alone.
TEST(RunGradients, AreKnownInPartWhereSomeDerivativesEnd) {
  const BuiltModel system = run_gradients_model(model_text(shipped_path("block-on-belt")));
  IntegrateOptions options = value_of(run_options(*system.model));
  const Trajectory run = run_with_gradients(system, {"final(x)", "max(x)"}, options);
  options.tangents = {{.name = "mu"}};
  ASSERT_TRUE(find_tangents(system, options).empty());
  const Trajectory by_mu = integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
  EXPECT_NEAR(gradient_by(run, 0, "mu"), by_mu.sensitivities[0].q[0].back(), 1e-6);
  EXPECT_TRUE(std::isfinite(gradient_by(run, 1, "mu")));
  EXPECT_TRUE(std::isnan(gradient_by(run, 0, "k")));
  EXPECT_THAT(run.verdict.warnings, testing::Contains(HasSubstr("the gradient of `final(x)` is unknown in part: the "
                                                                "derivatives by `k`")));
}

// x = a cos ωt with ω² = k/m, until T = 6: ∫x² = a² (T/2 + sin 2ωT/4ω), the mean a sin ωT/ωT, the greatest velocity aω.
TEST(RunGradients, OfFormulasOfAnOscillator) {
  const BuiltModel system = run_gradients_model(R"toml(name = "oscillator"
coordinates = ["x"]
parameters = {m = 1.3, k = 2.0, a = 0.5}
energy = {kinetic = "m/2*x'^2", potential = "k/2*x^2"}
initial = {position = {x = "a"}, velocity = {x = 0}}
outputs = {place = "x"}
)toml");
  const double T = 6;
  struct Oscillator {
    double m = 1.3, k = 2, a = 0.5;
  };
  using Form = std::function<double(const Oscillator&)>;
  const auto w = [](const Oscillator& o) { return std::sqrt(o.k / o.m); };
  const std::vector<std::pair<std::string, Form>> forms = {
      {"integral(x^2)", [&](const Oscillator& o) { return o.a * o.a * (T / 2 + std::sin(2 * w(o) * T) / (4 * w(o))); }},
      {"mean(x)", [&](const Oscillator& o) { return o.a * std::sin(w(o) * T) / (w(o) * T); }},
      {"max(x')", [&](const Oscillator& o) { return o.a * w(o); }},
      {"at(x, 1)*final(x)/k",
       [&](const Oscillator& o) { return o.a * o.a * std::cos(w(o)) * std::cos(w(o) * T) / o.k; }},
      {"place", [&](const Oscillator& o) { return o.a * std::cos(w(o) * T); }}};
  std::vector<std::string> texts;
  for (const auto& [text, form] : forms) texts.push_back(text);
  const Trajectory run =
      run_with_gradients(system, texts, {.until = T, .rtol = 1e-12, .atol = 1e-14, .second_run = true});
  EXPECT_THAT(run.verdict.warnings, IsEmpty());
  for (std::size_t i = 0; i < forms.size(); ++i) {
    EXPECT_EQ(run.gradients[i].output, texts[i]);
    double largest = 0, worst = 0;
    for (const auto& [name, which] :
         {std::pair("m", &Oscillator::m), std::pair("k", &Oscillator::k), std::pair("a", &Oscillator::a)}) {
      const auto of = [&](double value) {
        Oscillator o;
        o.*which = value;
        return forms[i].second(o);
      };
      const double truth = derivative_of(of, Oscillator().*which), error = std::abs(gradient_by(run, i, name) - truth);
      EXPECT_LT(error, 1e-9) << texts[i] << " by " << name;
      largest = std::max(largest, std::abs(truth) * Oscillator().*which);
      worst = std::max(worst, error * Oscillator().*which);
    }
    EXPECT_LE(worst, largest * run.gradients[i].error + 1e-12) << texts[i];
    EXPECT_LT(run.gradients[i].error, 1e-7);
  }
}

// A projectile, as the command asks for it, which needs derivatives of its own at the end alone: the time of an event has no adjoint, and with it all numbers are found from
// derivatives along the run. It is at x = v cos α t, is highest at v sin α/g, h = (v sin α)²/2g, and lands at 2 v sin α/g.
TEST(RunGradients, OfNumbersWithinARunThatKeepsNoRows) {
  const BuiltModel system = run_gradients_model(R"toml(name = "projectile"
coordinates = ["x", "y"]
gravity = ["0", "-g"]
parameters = {g = 9.81, v = 10, al = 0.5}
body = [{name = "ball", mass = 2, position = ["x", "y"]}]
event = [{name = "land", when = "y", direction = "down"}]
initial = {position = {x = 0, y = 0}, velocity = {x = "v*cos(al)", y = "v*sin(al)"}}
)toml");
  const double g = 9.81, v = 10, c = std::cos(0.5), s = std::sin(0.5);
  const Trajectory run =
      run_with_gradients(system, {"at(x, 0.5)", "final(x)", "max(y)", "time(land)"},
                         {.until = 3, .rtol = 1e-12, .atol = 1e-14, .second_run = true, .sensitivities_at_end = true});
  const double truth[4][3] = {{0, 0.5 * c, -0.5 * v * s},
                              {0, 3 * c, -3 * v * s},
                              {-v * v * s * s / (2 * g * g), v * s * s / g, v * v * s * c / g},
                              {-2 * v * s / (g * g), 2 * s / g, 2 * v * c / g}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(gradient_by(run, i, "g"), truth[i][0], 1e-7) << i;
    EXPECT_NEAR(gradient_by(run, i, "v"), truth[i][1], 1e-7) << i;
    EXPECT_NEAR(gradient_by(run, i, "al"), truth[i][2], 1e-7) << i;
    EXPECT_LT(run.gradients[i].error, 1e-6) << i;
  }
}

// A block on a belt sticks from x₀ until k x = μ_s N at t₁, and then slides, x = μN/k + A cos ωτ + B sin ωτ; all at t = 3 s.
struct Belt {
  double k = 1, mu = 0.3, mu_s = 0.5, belt = 3, x = 2;
  double slips() const { return mu_s * 10 / k; }
  double t1() const { return (slips() - x) / belt; }
  double middle() const { return mu * 10 / k; }
  double end() const {
    const double w = std::sqrt(k), s = 3 - t1();
    return middle() + (slips() - middle()) * std::cos(w * s) + belt / w * std::sin(w * s);
  }
  double integral() const {
    const double w = std::sqrt(k), s = 3 - t1();
    return (slips() + x) / 2 * t1() + middle() * s + (slips() - middle()) / w * std::sin(w * s) +
           belt / k * (1 - std::cos(w * s));
  }
  double largest() const { return middle() + std::hypot(slips() - middle(), belt / std::sqrt(k)); }
};

double belt_slope(double (Belt::*form)() const, double Belt::*which) {
  return derivative_of(
      [&](double value) {
        Belt belt;
        belt.*which = value;
        return (belt.*form)();
      },
      Belt().*which);
}

constexpr std::pair<const char*, double Belt::*> kOfBelt[] = {
    {"k", &Belt::k}, {"mu", &Belt::mu}, {"mu_s", &Belt::mu_s}, {"belt", &Belt::belt}, {"x", &Belt::x}};

// The adjoint passes sticking and sliding.
TEST(RunGradients, OfABlockThatSticksAndSlips) {
  const BuiltModel system = value_of(build_model(std::make_shared<const Model>(
      value_of(load_model_file(shipped_path("block-on-belt"), load_options({"x=2 m"}))))));
  const std::vector<std::string> numbers = {"integral(x)", "final(x)", "max(x)"};
  const RunGradients gradients = value_of(RunGradients::prepare(system, mapped(numbers)));
  EXPECT_THAT(gradients.warnings(), IsEmpty());
  const Trajectory run =
      run_with_gradients(system, numbers, {.until = 3, .rtol = 1e-12, .atol = 1e-14, .second_run = true});
  const std::vector<double (Belt::*)() const> forms = {&Belt::integral, &Belt::end, &Belt::largest};
  for (std::size_t i = 0; i < forms.size(); ++i)
    for (const auto& [name, which] : kOfBelt)
      EXPECT_NEAR(gradient_by(run, i, name), belt_slope(forms[i], which), 1e-8) << numbers[i] << " by " << name;
}

constexpr const char* kBallFromH = R"toml(name = "falls"
coordinates = ["y"]
parameters = {g = 9.81, e = 0.8, h = 1.0}
energy = {kinetic = "y'^2/2", potential = "g*y"}
initial = {position = {y = "h"}, velocity = {y = 0}}
constraint = [{name = "ground", holonomic = "y", unilateral = true, restitution = "e"}]
)toml";

// A ball falls from h onto the ground: the greatest speed downwards is √(2gh), at the impact, whose instant √(2h/g) moves. The model has an adjoint; these
// numbers do not follow from it.
TEST(RunGradients, OfNumbersAtAnImpact) {
  const BuiltModel system = run_gradients_model(kBallFromH);
  const RunGradients gradients = value_of(RunGradients::prepare(system, mapped({"min(y')"})));
  EXPECT_THAT(gradients.warnings(), IsEmpty());
  const Trajectory run =
      run_with_gradients(system, {"min(y')", "time(ground)"}, {.until = 0.8, .rtol = 1e-12, .atol = 1e-14});
  const double g = 9.81, speed = std::sqrt(2 * g), fall = std::sqrt(2 / g);
  EXPECT_NEAR(gradient_by(run, 0, "h"), -speed / 2, 1e-9);
  EXPECT_NEAR(gradient_by(run, 0, "g"), -speed / (2 * g), 1e-9);
  EXPECT_NEAR(gradient_by(run, 0, "e"), 0, 1e-9);
  EXPECT_NEAR(gradient_by(run, 1, "h"), fall / 2, 1e-9);
  EXPECT_NEAR(gradient_by(run, 1, "g"), -fall / (2 * g), 1e-9);
}

// An event ends the run at x = v t = 1, and the output reads t: the adjoint holds the time fixed, so derivatives along the run are taken.
TEST(RunGradients, OfTheTimeWhereAnEventEndsTheRun) {
  const BuiltModel system = run_gradients_model(R"toml(name = "there"
coordinates = ["x"]
parameters = {v = 2.0}
energy = {kinetic = "x'^2/2"}
initial = {position = {x = 0}, velocity = {x = "v"}}
event = [{name = "there", when = "x - 1", stop = true}]
outputs = {arrival = "t"}
)toml");
  const Trajectory run = run_with_gradients(system, {"arrival"}, {.until = 3});
  EXPECT_NEAR(gradient_by(run, 0, "v"), -1 / 4.0, 1e-9);
  EXPECT_THAT(run.verdict.warnings, IsEmpty());
}

// The named error of a gradient, relative to the largest derivative, each multiplied by the size of its quantity, against the true one.
void expect_error_named(const BuiltModel& system, const std::string& number, double until, double rtol,
                        const std::vector<std::pair<std::string, double>>& truth) {
  const Trajectory run =
      run_with_gradients(system, {number}, {.until = until, .rtol = rtol, .atol = 1e-3 * rtol, .second_run = true});
  double size = 0, error = 0;
  for (const Gradient::By& by : run.gradients.at(0).by) {
    const auto parameter = std::ranges::find(system.model->parameters, by.name, &Parameter::name);
    const double change =
        parameter != system.model->parameters.end() && parameter->value != 0 ? std::abs(parameter->value) : 1;
    if (std::isfinite(by.value)) size = std::max(size, std::abs(by.value) * change);
    for (const auto& [name, value] : truth)
      if (name == by.name) error = std::max(error, std::abs(by.value - value) * change);
  }
  // The smallest error that is named is the round-off of differences.
  const double named = run.gradients[0].error, least = 1e-11;
  EXPECT_GE(named, 0.1 * error / size) << number << " at " << rtol;
  EXPECT_LE(named, std::max(100 * error / size, 10 * least)) << number << " at " << rtol;
}

// The pendulum of sensitivity_test.cpp with θ = 2 asin(k sn(K(k) − ωt, k)) by mpmath; a ball after one impact (gradient_test.cpp); the block on the belt while it slides.
TEST(RunGradients, NameTheirErrors) {
  const BuiltModel pendulum = run_gradients_model(R"toml(name = "pendulum"
coordinates = ["x", "y"]
parameters = {m = 1.0, g = 9.81, L = 1.0}
energy = {kinetic = "m/2*(x'^2 + y'^2)", potential = "m*g*y"}
constraint = [{name = "rod", holonomic = "x^2 + y^2 - L^2"}]
initial = {position = {x = "L*sin(1)"}, guess = {y = "-L*cos(1)"}, velocity = {x = 0}}
)toml");
  const BuiltModel ball = run_gradients_model(kBallFromH);
  const BuiltModel belt = value_of(build_model(std::make_shared<const Model>(
      value_of(load_model_file(shipped_path("block-on-belt"), load_options({"x=2 m"}))))));
  const double g = 9.81, t1 = std::sqrt(2 / g), s = 0.9 - t1, v = 0.8 * std::sqrt(2 * g);
  std::vector<std::pair<std::string, double>> of_belt;
  for (const auto& [name, which] : kOfBelt) of_belt.emplace_back(name, belt_slope(&Belt::end, which));
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    expect_error_named(pendulum, "final(x)", 2, rtol,
                       {{"L", 0.1132470948417231}, {"g", 0.06960603373673281}, {"x", 0.7047858112897412}});
    expect_error_named(ball, "final(y)", 0.9, rtol, {{"e", v / 0.8 * s}, {"h", v / 2 * s + (g * s - v) * t1 / 2}});
    expect_error_named(belt, "final(x)", 3, rtol, of_belt);
  }
}

TEST(RunGradients, SayWhatIsNoNumberOfARun) {
  const BuiltModel system = run_gradients_model(R"toml(name = "simple"
coordinates = ["x"]
parameters = {m = 1.0}
energy = {kinetic = "m/2*x'^2"}
initial = {position = {x = 0}, velocity = {x = 1}}
outputs = {place = "x"}
)toml");
  const auto refused = [&](const std::string& text) {
    return render(RunGradients::prepare(system, mapped({text})).diagnostics());
  };
  EXPECT_THAT(refused("plac"), HasSubstr("did you mean `place`?"));
  EXPECT_THAT(refused("x"), HasSubstr("`final(x)` is the last value"));
  EXPECT_THAT(refused("x^2"), HasSubstr("E0420"));
  EXPECT_THAT(refused(""), HasSubstr("E0101"));
  const Trajectory run = run_with_gradients(system, {"at(x, 9)"}, {.until = 1, .second_run = true});
  EXPECT_TRUE(std::isnan(gradient_by(run, 0, "m")));
  EXPECT_TRUE(std::isnan(run.gradients[0].error));
  ASSERT_EQ(run.verdict.warnings.size(), 1U);
  EXPECT_THAT(run.verdict.warnings[0], HasSubstr("the gradient of `at(x, 9)` is unknown"));
}

// 3 N on a mass of 2 kg that sticks: (∫F_r²)' = 0 by x'(0) of starts that stick. With x'(0) > 0 the 4 N of sliding stop it after 2 x'(0)/1 N, so ∫F_r² = 9 T + 14 x'(0), with
// x'(0) < 0 after −2 x'(0)/7 N, 9 T − 2 x'(0).
TEST(RunGradients, OfFormulasTellOfWhichStartsTheyAre) {
  const auto text = [](const std::string& speed) {
    return R"toml(coordinates = ["x"]
[energy]
kinetic = "x'^2"
[[force]]
coordinate = "x"
value = 3
[[friction]]
name = "rub"
velocity = "x'"
normal = 20
coefficient = 0.2
[initial]
position = {x = 0}
velocity = {x = )toml" +
           speed + "}\n";
  };
  const std::vector<std::string> numbers{"integral(friction(rub)^2)", "max(x)"};
  const auto run = [&](const std::string& speed) {
    return run_with_gradients(run_gradients_model(text(speed)), numbers, {.until = 2, .rtol = 1e-10});
  };
  const Trajectory sticks = run("0");
  EXPECT_NEAR(gradient_by(sticks, 0, "x'"), 0, 1e-9);
  EXPECT_THAT(sticks.verdict.warnings,
              testing::ElementsAre("derivatives by `x'` are those of starts at which the friction `rub` sticks, as it "
                                   "does at this one: beside it a run begins with a slide"));
  const Trajectory slides = run("0.01");
  EXPECT_NEAR(gradient_by(slides, 0, "x'"), 14, 1e-6);
  EXPECT_THAT(slides.verdict.warnings, IsEmpty());
  EXPECT_NEAR(gradient_by(run("-0.01"), 0, "x'"), -2, 1e-6);
}

class SlowGradientOf : public ::testing::TestWithParam<std::string> {};

// Truth: central differences of order 4 of runs with tolerances of 1e-13.
TEST_P(SlowGradientOf, AShippedModelIsThatOfDifferences) {
  const BuiltModel system =
      value_of(build_model(std::make_shared<const Model>(value_of(load_model_file(shipped_path(GetParam()), {}))), {},
                           {.machine_code = false}));
  const std::string q = system.model->coordinates[0].name;
  const std::vector<std::string> numbers = {"final(" + q + ")", "integral(" + q + "*" + q + ")"};
  IntegrateOptions options = value_of(run_options(*system.model));
  options.until = 0.2 * options.until;
  options.rtol = 1e-13;
  options.atol = 1e-15;
  options.output_step = 0;
  const Trajectory run = run_with_gradients(system, numbers, options);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  auto model = std::make_shared<Model>(*system.model);
  std::vector<StudyStatement::Named> texts;
  for (const std::string& one : numbers) texts.push_back({"m" + std::to_string(texts.size()), MappedText::of(one), {}});
  const Measures measures = value_of(Measures::read(*model, texts));
  const BuiltModel measured = value_of(build_model(model, {}, {.machine_code = false}));
  const auto values_at = [&](std::size_t parameter, double change) {
    std::vector<double> values;
    for (const Parameter& one : model->parameters) values.push_back(one.value);
    values[parameter] += change;
    const BuiltModel other = with_parameters(measured, values);
    IntegrateOptions own = options;
    const State start = assemble_start(other.equations, other.dynamics).state;
    measures.ask(*other.model, start.t, true, own);
    return measures.of(integrate(other.dynamics, start, own), *other.model, start.t);
  };
  int known = 0;
  for (std::size_t p = 0; p < std::min<std::size_t>(model->parameters.size(), 4); ++p) {
    const double h = 1e-4 * std::abs(model->parameters[p].value);
    if (h == 0) continue;
    const auto p1 = values_at(p, h), p2 = values_at(p, 2 * h), m1 = values_at(p, -h), m2 = values_at(p, -2 * h);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double difference = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h),
                   found = gradient_by(run, i, model->parameters[p].name);
      // Differences are of both sides.
      const bool one_sided = std::ranges::any_of(run.verdict.warnings, [&](const std::string& one) {
        return integration::says_whose_derivatives(one) &&
               one.find("`" + model->parameters[p].name + "`") != std::string::npos;
      });
      if (!std::isfinite(found) || one_sided) continue;
      ++known;
      EXPECT_NEAR(found, difference, 1e-6 * (1 + std::abs(difference)))
          << numbers[i] << " by " << model->parameters[p].name;
    }
  }
  if (known == 0) EXPECT_FALSE(run.verdict.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(WithFrictionOrWithoutAdjoint, SlowGradientOf,
                         ::testing::Values("ball-with-spin", "block-across-incline", "block-on-belt",
                                           "block-on-incline", "ladder", "rimless-wheel", "trailer", "whipple-bicycle",
                                           "one-way-clutch", "rocking-block", "rod-on-corner-friction",
                                           "rod-on-rough-plane", "woodpecker-toy"));

}  // namespace
}  // namespace dalembert
