// SPDX-License-Identifier: Apache-2.0
// Periodic motions with periods and multipliers in closed form.
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/cycle.h"
#include "dalembert/study/return_map.h"
#include "dalembert/study/system_at.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using testing::HasSubstr;
using testing::Not;

SystemAt system_of(Result<Model> model) {
  EXPECT_TRUE(model) << render(model.diagnostics());
  Result<BuiltModel> built = build_model(std::make_shared<const Model>(std::move(model).value()));
  EXPECT_TRUE(built) << render(built.diagnostics());
  Result<SystemAt> at = system_at(std::move(built).value());
  EXPECT_TRUE(at) << render(at.diagnostics());
  return std::move(at).value();
}

SystemAt system_of(const std::string& text) { return system_of(load_model(make_source("cycle", text), {})); }

Cycle cycle_of_shipped(const std::string& name, CycleRequest request, const std::vector<std::string>& set = {}) {
  request.run.until = 20;
  LoadOptions options;
  for (const std::string& assignment : set) options.overrides.push_back(*parse_override(assignment));
  const SystemAt given = system_of(load_model_file(source_tree() + "/models/" + name + ".toml", options));
  Result<Cycle> found = find_cycle(given.system, given.state, request);
  EXPECT_TRUE(found) << render(found.diagnostics());
  return std::move(found).value();
}

Cycle cycle_of(const std::string& text, CycleRequest request, double until = 20) {
  const SystemAt given = system_of(text);
  request.run.until = until;
  Result<Cycle> found = find_cycle(given.system, given.state, request);
  EXPECT_TRUE(found) << render(found.diagnostics());
  return std::move(found).value();
}

// A mass on a belt (m = k = 1, N = 10, belt 3, μ_s = 0.5, μ_k = 0.3) sticks and slips with the period 6.44051343341778 s; sticking forgets
// the neighbours.
TEST(Cycle, OfABlockOnABeltSticks) {
  const Cycle cycle = cycle_of_shipped("block-on-belt", {});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_NEAR(cycle.period, 6.44051343341778, 1e-9);
  for (const std::complex<double>& m : cycle.multipliers) EXPECT_LT(std::abs(m), 1e-6);
  EXPECT_TRUE(cycle.stable.value_or(false));
}

// A rimless wheel of half angle π/8 on a slope of 0.08: ω⁺ = 1.09546283964766 comes back, and the multiplier of ω is cos² 2α = ½.
TEST(Cycle, OfARimlessWheelRolls) {
  const Cycle cycle = cycle_of_shipped("rimless-wheel", {.section = "heel"});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_NEAR(cycle.period, 1.034549811423279, 1e-10);
  EXPECT_NEAR(cycle.state.v[2], 1.09546283964766, 1e-10);
  ASSERT_EQ(cycle.free.size(), 1U);
  EXPECT_EQ(cycle.free[0].because, "symmetry: x");
  ASSERT_EQ(cycle.multipliers.size(), 1U);
  EXPECT_NEAR(cycle.multipliers[0].real(), 0.5, 1e-9);
  EXPECT_TRUE(cycle.stable.value_or(false));
  // In the middle of a step, without a section, it is the same.
  const Cycle between = cycle_of_shipped("rimless-wheel", {});
  ASSERT_TRUE(between.found) << between.reason;
  EXPECT_NEAR(between.period, 1.034549811423279, 1e-10);
  ASSERT_EQ(between.multipliers.size(), 1U);
  EXPECT_NEAR(between.multipliers[0].real(), 0.5, 1e-8);
}

// A follower that strikes its cam once each turn, and a shaft that a clutch takes along once each period, forget where they came from.
TEST(Cycle, OfACamAndOfAClutchForgets) {
  for (const auto& [name, period] : {std::pair{"cam-and-follower", 50.0}, std::pair{"one-way-clutch", 20.0}}) {
    const Cycle cycle = cycle_of_shipped(name, {.period = 2 * std::numbers::pi / period});
    ASSERT_TRUE(cycle.found) << cycle.reason;
    for (const std::complex<double>& m : cycle.multipliers) EXPECT_LT(std::abs(m), 1e-6) << name;
    EXPECT_TRUE(cycle.stable.value_or(false)) << name;
  }
}

// The woodpecker (cases §26) jams and strikes once a turn, and jamming forgets all but one direction. Oracle: the return map of another program
// (contact_models_test.cpp) by Newton's method, its derivative by differences of fourth order.
TEST(Cycle, OfAWoodpeckerComesDown) {
  const Cycle cycle = cycle_of_shipped("woodpecker-toy", {});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_NEAR(cycle.period, 0.14597606514374, 1e-12);
  // Of 6 numbers of a state y is a symmetry, and one direction is the motion. It begins with a closed contact.
  ASSERT_EQ(cycle.multipliers.size(), 4U);
  EXPECT_NEAR(cycle.multipliers[0].real(), -0.8391556, 2e-7);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(std::abs(cycle.multipliers[k]), 1e-6);
  EXPECT_TRUE(cycle.stable.value_or(false));
  // Right after the beak has struck, it is the same: neighbours on either side of the contact.
  const Cycle struck = cycle_of_shipped("woodpecker-toy", {.section = "beak"});
  ASSERT_TRUE(struck.found) << struck.reason;
  EXPECT_NEAR(struck.period, 0.14597606514374, 1e-11);
  ASSERT_EQ(struck.multipliers.size(), 4U);
  EXPECT_NEAR(struck.multipliers[0].real(), -0.8391556, 2e-7);
  for (std::size_t k = 1; k < struck.multipliers.size(); ++k) EXPECT_LT(std::abs(struck.multipliers[k]), 1e-6);
  // The edges of the sleeve strike twice in each turn.
  for (const char* edge : {"lower", "upper"}) {
    const Cycle once = cycle_of_shipped("woodpecker-toy", {.section = edge});
    EXPECT_FALSE(once.found);
    EXPECT_THAT(once.reason,
                ::testing::HasSubstr("happens 2 times before the motion repeats itself: write `--turns 2`"));
    const Cycle twice = cycle_of_shipped("woodpecker-toy", {.section = edge, .turns = 2});
    ASSERT_TRUE(twice.found) << twice.reason;
    EXPECT_NEAR(twice.period, 0.14597606514374, 1e-11);
    ASSERT_EQ(twice.multipliers.size(), 4U);
    EXPECT_NEAR(twice.multipliers[0].real(), -0.8391556, 2e-7);
    for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(std::abs(twice.multipliers[k]), 1e-6);
  }
}

// A compass walks (cases §27). Oracle: Lagrange's equations of the three masses by SymPy, the plastic impact M (v⁺ − v⁻) = WᵀΛ of the foot
// that strikes, scipy's DOP853 at 1e-13, Newton's method. At 4.5° the walk is past its doubling of periods.
TEST(Cycle, OfACompassWalks) {
  const Cycle cycle = cycle_of_shipped("compass-gait", {.section = "heel"});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_NEAR(cycle.period, 0.734346391158717, 1e-10);
  EXPECT_NEAR(cycle.state.q[2], -0.271028680498822, 1e-10);
  EXPECT_NEAR(cycle.state.v[2], 1.092383589883606, 1e-10);
  EXPECT_NEAR(cycle.state.v[3], 0.377373948907191, 1e-10);
  ASSERT_EQ(cycle.multipliers.size(), 3U);
  EXPECT_NEAR(cycle.multipliers[0].real(), -0.1997262, 1e-7);
  EXPECT_NEAR(std::abs(cycle.multipliers[0].imag()), 0.5444761, 1e-7);
  EXPECT_NEAR(cycle.multipliers[2].real(), 0.1315726, 1e-7);
  EXPECT_TRUE(cycle.stable.value_or(false));
  const Cycle steep = cycle_of_shipped("compass-gait", {.section = "heel"}, {"slope=4.5 deg"});
  ASSERT_TRUE(steep.found) << steep.reason;
  EXPECT_LT(steep.multipliers[0].real(), -1);
  EXPECT_FALSE(steep.stable.value_or(true));
}

// A pendulum repeats itself whatever its energy: its period is 4 K(sin θ₀/2) √(L/g), and nothing is judged.
TEST(Cycle, OfAPendulumBelongsToAFamily) {
  const Cycle cycle = cycle_of(R"toml(name = "pendulum"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "1 m"
[energy]
kinetic = "m*L^2/2*theta'^2"
potential = "-m*g*L*cos(theta)"
[initial]
position = {theta = 1}
velocity = {theta = 0}
)toml",
                               {});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  const double amplitude = std::acos(std::cos(cycle.state.q[0]) - std::pow(cycle.state.v[0], 2) / 2 / 9.81);
  EXPECT_NEAR(cycle.period, 4 * std::comp_ellint_1(std::sin(amplitude / 2)) / std::sqrt(9.81), 1e-9);
  EXPECT_TRUE(cycle.multipliers.empty());
  ASSERT_EQ(cycle.free.size(), 2U);
  EXPECT_EQ(cycle.free[0].because, "time");
  EXPECT_EQ(cycle.free[1].because, "energy");
  EXPECT_NEAR(std::abs(cycle.free[1].multiplier), 1, 1e-5);
  EXPECT_FALSE(cycle.stable.has_value());  // neighbours repeat themselves, and do not come closer
}

// A crank at a given angle drives a slider: no state is near its own that the drive and the constraints allow.
TEST(Cycle, OfWhatIsDrivenCompletelyHasNoNeighbours) {
  const Cycle cycle = cycle_of(R"toml(name = "driven"
coordinates = [{name = "c", unit = "rad"}, {name = "b", unit = "rad"}, {name = "x", unit = "m"}]
prescribed = {c = "6*t"}
[energy]
kinetic = "x'^2/2 + b'^2/2"
[[constraint]]
name = "pin"
holonomic = ["0.1*cos(c) + 0.3*cos(b) - x", "0.1*sin(c) + 0.3*sin(b)"]
[initial]
guess = {b = 0, x = 0.4}
)toml",
                               {.period = std::numbers::pi / 3});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_TRUE(cycle.multipliers.empty());
  EXPECT_FALSE(cycle.stable.has_value());
}

// A damped oscillator that is forced: multipliers exp(−ζ T ± i ω T), the product exp(−c T/m).
TEST(Cycle, OfAForcedOscillatorHasItsExponentials) {
  const std::string text = R"toml(name = "forced"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "2*x^2"
dissipation = "0.15*x'^2"
[[force]]
coordinate = "x"
value = "cos(3*t)"
[initial]
position = {x = 0.5}
velocity = {x = 0}
)toml";
  const double T = 2 * std::numbers::pi / 3;
  const Cycle cycle = cycle_of(text, {.period = T});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  ASSERT_EQ(cycle.multipliers.size(), 2U);
  const std::complex<double> wanted = std::exp(std::complex<double>(-0.15, std::sqrt(4 - 0.15 * 0.15)) * T);
  EXPECT_NEAR(std::abs(cycle.multipliers[0]), std::abs(wanted), 1e-8);
  EXPECT_NEAR(cycle.multipliers[0].real(), wanted.real(), 1e-8);
  EXPECT_TRUE(cycle.stable.value_or(false));
  // x = a cos 3t + b sin 3t with (4 − 9) a + 0.9 b = 1, −0.9 a − 5 b = 0.
  const double a = -5 / (25 + 0.81);
  EXPECT_NEAR(cycle.state.q[0], a, 1e-10);

  const SystemAt given = system_of(text);
  const Result<Cycle> without = find_cycle(given.system, given.state, {});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.diagnostics().front().code, "E0413");
}

// A force F that turns with ω drives a point round a circle on a rough plane, ω V = √(F² − (μ g)²). In the frame that turns, the along and across
// parts a, b of a change of its velocity obey a' = ω b, b' = −ω a − μ g b/V.
const char* const kRound = R"toml(name = "round"
coordinates = ["x", "y", "z"]
[parameters]
F = 4
k = 0
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*z + k/2*(x^2 + y^2)"
[[force]]
coordinate = "x"
value = "F*cos(2*t)"
[[force]]
coordinate = "y"
value = "F*sin(2*t)"
[[friction]]
name = "rough"
normal = "lambda(floor)"
velocity = ["x'", "y'"]
coefficient = 0.3
[[constraint]]
name = "floor"
holonomic = "z"
unilateral = true
[initial]
position = {x = 0.1, y = 0, z = 0}
velocity = {x = 0, y = 0, z = 0}
)toml";

TEST(Cycle, OfAPointThatIsDrivenRoundInAPlane) {
  const Cycle cycle = cycle_of(kRound, {.period = std::numbers::pi});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  const double rub = 0.3 * 9.81, V = std::sqrt(16 - rub * rub) / 2, rate = rub / V;
  EXPECT_NEAR(std::hypot(cycle.state.v[0], cycle.state.v[1]), V, 1e-9);
  // It may go round anywhere; z and its rate are held.
  ASSERT_EQ(cycle.multipliers.size(), 6U);
  for (const std::size_t i : {0, 1}) EXPECT_NEAR(std::abs(cycle.multipliers[i] - 1.0), 0, 1e-7);
  const std::complex<double> wanted =
      std::exp(std::complex<double>(-rate / 2, std::sqrt(4 - rate * rate / 4)) * std::numbers::pi);
  EXPECT_NEAR(cycle.multipliers[2].real(), wanted.real(), 1e-8);
  EXPECT_NEAR(std::abs(cycle.multipliers[2].imag()), std::abs(wanted.imag()), 1e-8);
  EXPECT_FALSE(cycle.stable);
}

// What friction holds wherever it is has neighbours that stay: their multipliers are 1, though nothing moves.
TEST(Cycle, OfAPointThatFrictionHolds) {
  std::string text = kRound;
  text.replace(text.find("F = 4"), 5, "F = 2");
  const Cycle cycle = cycle_of(text, {.period = std::numbers::pi});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  ASSERT_EQ(cycle.multipliers.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(std::abs(cycle.multipliers[i] - (i < 2 ? 1.0 : 0.0)), 0, 1e-9) << i;
  EXPECT_FALSE(cycle.stable);
}

// A ball on a plate that moves up with u cos ωt bounces once a period T where v⁺ = g T/2, with sin of the phase (1 − e)/(1 + e) g T/(2u).
// The product of the multipliers is e².
TEST(Cycle, OfABallOnAPlateBounces) {
  const Cycle cycle = cycle_of(R"toml(name = "bouncer"
coordinates = [{name = "y", unit = "m"}]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
A = "0.01 m"
w = "30 rad/s"
e = 0.8
[energy]
kinetic = "m/2*y'^2"
potential = "m*g*y"
[[constraint]]
name = "plate"
holonomic = "y - A*sin(w*t)"
unilateral = true
restitution = "e"
[initial]
position = {y = 0.02}
velocity = {y = 0.9}
)toml",
                               {.period = 2 * std::numbers::pi / 30});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  ASSERT_EQ(cycle.multipliers.size(), 2U);
  EXPECT_NEAR(std::abs(cycle.multipliers[0] * cycle.multipliers[1]), 0.64, 1e-6);
  const RunEvent* impact = nullptr;
  for (const RunEvent& event : cycle.run.events)
    if (event.kind == RunEventKind::kImpact) impact = &event;
  ASSERT_NE(impact, nullptr);
  // ḣ⁺ = v⁺ − u cos φ with v⁺ = gT/2, v⁻ = −gT/2: u cos φ = (1 − e)/(1 + e) g T/2.
  const double T = 2 * std::numbers::pi / 30, plate = 0.2 / 1.8 * 9.81 * T / 2;
  EXPECT_NEAR(impact->impact->rate_after, 9.81 * T / 2 - plate, 1e-8);
}

const std::string kEscapement = R"toml(name = "escapement"
coordinates = [{name = "th", unit = "rad"}]
gravity = ["0", "-g"]
parameters = {g = "9.81 m/s^2", L = "0.994 m", m = "1 kg", c = "0.01 N*m*s/rad", J = "0.01 N*m*s"}
body = [{name = "bob", mass = "m", position = ["L*sin(th)", "-L*cos(th)"]}]
damper = [{coordinate = "th", damping = "c"}]
[[event]]
name = "tick"
when = "th"
direction = "up"
set = {"th'" = "th' + J/(m*L^2)"}
[[event]]
name = "tock"
when = "th"
direction = "down"
set = {"th'" = "th' - J/(m*L^2)"}
[initial]
position = {th = "2 deg"}
velocity = {th = 0}
)toml";

// A pendulum that an escapement kicks each time it passes its lowest place: period, speed after a kick and multiplier by SciPy's DOP853 at 1e-12 and
// brentq for the return map. A run from far away comes near its start first after eleven periods.
TEST(Cycle, HasTheShortestPeriod) {
  const Cycle cycle = cycle_of(kEscapement, {}, 60);
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_NEAR(cycle.period, 2.052376016112585, 1e-9);
  ASSERT_EQ(cycle.multipliers.size(), 1U);
  EXPECT_NEAR(cycle.multipliers[0].real(), 0.9895340183905001, 1e-8);
}

// The kick leaves the angle at 0, where the event is: a neighbour just before it would be kicked at once, which is no return.
TEST(Cycle, OfASectionThatIsWhereItsEventIs) {
  for (const char* section : {"tick", "tock"}) {
    const Cycle cycle = cycle_of(kEscapement, {.section = section}, 60);
    ASSERT_TRUE(cycle.found) << cycle.reason;
    EXPECT_NEAR(cycle.period, 2.052376016112585, 1e-9);
    EXPECT_NEAR(std::abs(cycle.state.v[0]), 1.9796909481023655, 1e-9);
    ASSERT_EQ(cycle.multipliers.size(), 1U);
    EXPECT_NEAR(cycle.multipliers[0].real(), 0.9895340183905001, 1e-8);
  }
}

// A ball on an arm that a motor turns at ω: a'² = 2 (E − U), U = −g/L cos a − ω²/2 sin² a, between a₁ and a₂. The time is in the place of the motor only.
// With a drive that changes its rate a period has to be given.
TEST(Cycle, OfADriveAtConstantRateNeedsNoPeriod) {
  const std::string text = R"toml(name = "governor"
coordinates = [{name = "psi", unit = "rad"}, {name = "a", unit = "rad"}]
gravity = ["0", "0", "-g"]
parameters = {g = "9.81 m/s^2", w = "6 rad/s", L = "0.5 m", m = "1 kg"}
prescribed = {psi = "w*t"}
body = [{name = "ball", mass = "m", position = ["L*sin(a)*cos(psi)", "L*sin(a)*sin(psi)", "-L*cos(a)"]}]
initial = {position = {a = 1.2}, velocity = {a = 0}}
)toml";
  const Cycle cycle = cycle_of(text, {});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  const auto U = [](double a) { return -9.81 / 0.5 * std::cos(a) - 18 * std::pow(std::sin(a), 2); };
  const double E = std::pow(cycle.state.v[1], 2) / 2 + U(cycle.state.q[1]), still = std::acos(9.81 / 18);
  const auto turns_at = [&](double in, double out) {
    for (int k = 0; k < 200; ++k) (U((in + out) / 2) < E ? in : out) = (in + out) / 2;
    return (in + out) / 2;
  };
  const double low = turns_at(still, 0), high = turns_at(still, 2.5), middle = (low + high) / 2,
               swing = (high - low) / 2;
  double period = 0;  // with a = middle + swing sin φ, by the midpoint rule
  const int parts = 2000;
  for (int k = 0; k < parts; ++k) {
    const double phi = std::numbers::pi * ((k + 0.5) / parts - 0.5);
    period +=
        2 * std::numbers::pi / parts * swing * std::cos(phi) / std::sqrt(2 * (E - U(middle + swing * std::sin(phi))));
  }
  EXPECT_NEAR(cycle.period, period, 1e-7);
  ASSERT_EQ(cycle.multipliers.size(), 1U);
  EXPECT_NEAR(std::abs(cycle.multipliers[0] - 1.0), 0, 1e-7);
  std::string faster = text;
  const SystemAt given = system_of(faster.replace(faster.find("w*t"), 3, "w*t + 0.1*t^2"));
  const Result<Cycle> asks = find_cycle(given.system, given.state, {});
  ASSERT_FALSE(asks);
  EXPECT_EQ(asks.diagnostics().front().code, "E0413");
}

// A follower that lifts off its cam, from a start that is not near its motion: what a long run comes to. The end of a run has the angle of its time, and was
// no start at t = 0.
TEST(Cycle, OfADrivenCamFromTheEndOfARun) {
  const std::string text = R"toml(name = "follower"
coordinates = [{name = "theta", unit = "rad"}, {name = "y", unit = "m"}]
parameters = {R = "30 mm", h = "4 mm", w = "100 rad/s", m = "0.3 kg", k = "1.5 kN/m", pre = "20 mm", c = "2 N*s/m"}
energy = {kinetic = "m*y'^2/2", dissipation = "c*y'^2/2"}
spring = [{coordinate = "y", stiffness = "k", rest = "R - pre"}]
prescribed = {theta = "w*t"}
constraint = [{name = "cam", holonomic = "y - (R + h*(1 - cos(2*theta)))", unilateral = true}]
initial = {position = {y = "0.2 m"}, velocity = {y = 0}}
)toml";
  const double period = 2 * std::numbers::pi / 100;
  const Cycle cycle = cycle_of(text, {.period = period}, 80 * period);
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_TRUE(cycle.stable.value_or(false));
  const SystemAt given = system_of(text);
  const Trajectory run = integrate(given.system.dynamics, given.state, {.until = 200 * period});
  EXPECT_NEAR(run.q[1].back(), cycle.state.q[1], 1e-8);
  EXPECT_NEAR(run.v[1].back(), cycle.state.v[1], 1e-6);
}

// Oscillators that time drives: after a period that is not that of the drive the state of the first turn comes back, and that of the next does not. The
// motion x = a cos w t + b sin w t has the periods 2π/w, 4π/w … alone.
TEST(Cycle, OfADriveOfAnotherPeriodIsNone) {
  const auto driven_by = [](const std::string& force) {
    return R"toml(name = "driven"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "5*x^2"
dissipation = "x'^2/2"
[[event]]
name = "up"
when = "x'"
[[force]]
coordinate = "x"
value = ")toml" +
           force + R"toml("
[initial]
position = {x = 1}
velocity = {x = 0}
)toml";
  };
  const double turn = 2 * std::numbers::pi;
  for (const double period : {1.0, 3.0, turn / 2, 1.5 * turn, turn + 1e-5}) {
    const Cycle cycle = cycle_of(driven_by("sin(t)"), {.period = period});
    EXPECT_FALSE(cycle.found) << period;
    EXPECT_THAT(cycle.reason, HasSubstr("the next turn is another one")) << period;
  }
  for (const double period : {turn, 2 * turn}) {
    const Cycle cycle = cycle_of(driven_by("sin(t)"), {.period = period});
    EXPECT_TRUE(cycle.found) << cycle.reason;
    EXPECT_TRUE(cycle.stable.value_or(false));
  }
  // A force that is switched on every other second.
  EXPECT_FALSE(cycle_of(driven_by("if(mod(t, 2) < 1, 10, 0)"), {.period = 1.0}).found);
  EXPECT_TRUE(cycle_of(driven_by("if(mod(t, 2) < 1, 10, 0)"), {.period = 2.0}).found);
  // A passage of the section at another phase is no return.
  const Cycle section = cycle_of(driven_by("sin(t)"), {.section = "up"});
  EXPECT_FALSE(section.found);
  EXPECT_THAT(section.reason, HasSubstr("give --period"));
}

// A ball on a table that moves up and down, e = 0.5: it leaves the table with the table's period, and its impacts are at a phase that
// no section at t = 0 knows.
TEST(Cycle, OfABallOnATableThatMovesNeedsThePeriod) {
  const std::string text = R"toml(name = "table"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-g"]
parameters = {g = "9.81 m/s^2", A = "0.02 m", w = "25 rad/s"}
body = [{name = "ball", mass = "1 kg", position = ["0", "y"]}]
constraint = [{name = "ground", holonomic = "y - A*sin(w*t)", unilateral = true, restitution = 0.5}]
initial = {position = {y = "0.02 m"}, velocity = {y = "0.5 m/s"}}
)toml";
  for (const int turns : {1, 2}) {
    const Cycle cycle = cycle_of(text, {.section = "ground", .turns = turns});
    EXPECT_FALSE(cycle.found);
    EXPECT_THAT(cycle.reason, HasSubstr("give --period"));
  }
  EXPECT_TRUE(cycle_of(text, {.period = 2 * std::numbers::pi / 25}).found);
}

TEST(Cycle, WhatDoesNotRepeatItselfSaysSo) {
  const std::string spring = R"toml(name = "damped"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "2*x^2"
dissipation = "0.5*x'^2"
[initial]
position = {x = 1}
velocity = {x = 0}
)toml";
  const Cycle cycle = cycle_of(spring, {});
  EXPECT_FALSE(cycle.found);
  EXPECT_FALSE(cycle.reason.empty());
  // At rest everything comes back, which is no near return of a motion.
  EXPECT_FALSE(std::isfinite(cycle.residual));
  const SystemAt given = system_of(spring);
  const Result<Cycle> wrong = find_cycle(given.system, given.state, {.section = "hell"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.diagnostics().front().message, HasSubstr("no event or contact"));
}

// A bounce on a table that shakes with the period 2π/40 s = 0.157 s: what it has come to after 5 s is below the table at t = 0.
constexpr const char* kShaken = R"toml(coordinates = [{name = "y", unit = "m"}]
[energy]
kinetic = "(1 kg)/2*y'^2"
potential = "(1 kg)*(9.81 m/s^2)*y"
[[constraint]]
name = "table"
holonomic = "y - (5 mm)*sin((40 rad/s)*t)"
unilateral = true
restitution = 0.5
[initial]
position = {y = "20 mm"}
)toml";

// Reasons are about what the caller asked for, not about states and directions that the search has made.
// A disk that rolls and wobbles does not rest: after next to no time it has not moved, which is no return. Nothing damps it, and its multipliers lie
// together at 1, where the root of an error of the derivative decides nothing.
TEST(Cycle, OfADiskThatRollsOn) {
  const Cycle cycle = cycle_of_shipped("rolling-disk", {});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_NEAR(cycle.period, 5.228626624, 1e-6);
  EXPECT_FALSE(cycle.stable.has_value());
  for (const std::complex<double>& m : cycle.multipliers) EXPECT_LT(std::abs(m - 1.0), cycle.uncertainty);
  CycleRequest brief;
  brief.run.until = 5;
  const SystemAt given = system_of(load_model_file(source_tree() + "/models/rolling-disk.toml", {}));
  const Result<Cycle> none = find_cycle(given.system, given.state, brief);
  ASSERT_TRUE(none && !none->found);
  EXPECT_THAT(none->reason, Not(HasSubstr("rest")));
  EXPECT_GT(none->period, 0.01);
}

// Mathieu's equation x'' + 0.05 x' + (1 + 0.3 cos 3t) x = 0 at rest: the state comes back after any time, what a neighbour does only after periods of the
// drive. Multipliers: by SciPy's DOP853 at 1e-13 over one period.
TEST(Cycle, OfWhatRestsWhileAParameterIsDriven) {
  const std::string text = R"toml(name = "mathieu"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "(1 + 0.3*cos(3*t))*x^2/2"
dissipation = "0.05*x'^2/2"
)toml";
  const Cycle other = cycle_of(text, {.period = std::numbers::pi});
  EXPECT_FALSE(other.found);
  EXPECT_THAT(other.reason, HasSubstr("the next turn does something else to neighbours"));
  const Cycle cycle = cycle_of(text, {.period = 2 * std::numbers::pi / 3});
  ASSERT_TRUE(cycle.found) << cycle.reason;
  EXPECT_EQ(cycle.stable, true);
  ASSERT_EQ(cycle.multipliers.size(), 2U);
  EXPECT_NEAR(cycle.multipliers[0].real(), -0.48170195, 1e-7);
  EXPECT_NEAR(cycle.multipliers[0].imag(), 0.81764302, 1e-7);
}

// Two values that an error of 1e-10 has parted from a double one are known to its root; values that differ, and die out, say nothing of others.
TEST(Cycle, ClustersAreUncertainAtTheUnitCircle) {
  EXPECT_DOUBLE_EQ(uncertainty_of_clusters({1 + 8e-6, 1 - 8e-6, 0.3}, 1e-10, 1e-11), 1e-5);
  EXPECT_EQ(uncertainty_of_clusters({1 + 8e-12, 1 - 8e-12, 0.3}, 1e-10, 2e-11), 0);
  EXPECT_EQ(uncertainty_of_clusters({1 - 6e-6, 2e-5, -1e-5, 1e-6}, 1e-10, 1e-15), 0);
}

TEST(Cycle, AtRestThereIsNone) {
  const Cycle cycle = cycle_of(R"toml(name = "pendulum"
coordinates = ["th"]
[energy]
kinetic = "th'^2/2"
potential = "-cos(th)"
)toml",
                               {});
  EXPECT_FALSE(cycle.found);
  EXPECT_THAT(cycle.reason, HasSubstr("the motion is at rest, or steady"));
}

TEST(Cycle, ReasonsDoNotNameWhatTheSearchHasMade) {
  const Cycle off = cycle_of(kShaken, {.period = 0.2}, 5);
  EXPECT_FALSE(off.found);
  EXPECT_EQ(
      off.reason,
      "after 5 s the motion is at a state that the constraints forbid at t = 0 s: they depend on time, and do not "
      "repeat themselves with this period");
  EXPECT_TRUE(cycle_of(kShaken, {.period = 2 * std::numbers::pi / 40}, 5).found);
  // The derivatives of this run are unknown, by whatever they are taken.
  const Cycle unknown = cycle_of(R"(coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[event]]
name = "late"
when = "integral(x^2) - 100"
[initial]
position = {x = 1}
)",
                                 {}, 20);
  EXPECT_THAT(unknown.reason,
              HasSubstr("the derivatives are unknown from t = 0 s on: an event depends on an integral"));
}

}  // namespace
}  // namespace dalembert
