// SPDX-License-Identifier: Apache-2.0
// What contacts do, in outputs and events: gap(…), closed(…), impulse(…); `friction` beside a contact; and impacts that share a step.
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/derive/contact_mode.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "systems/bouncing_ball.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

const std::string kBallOfResults = R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
[parameters]
g = "9.81 m/s^2"
m = "2 kg"
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = 0.8
[initial]
position = {y = "1 m"}
velocity = {y = 0}
)toml";

// t₁ = √(2h/g), then each flight lasts 2 eᵏ √(2h/g); the impulse of impact k is m (1 + e) eᵏ⁻¹ √(2gh).
TEST(ContactResults, OutputsReadGapsStatesAndImpulses) {
  const System system = loaded(kBallOfResults + R"toml([outputs]
gap = "2*gap(ground)"
lies = "closed(ground)"
last = "impulse(ground)/m"
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 6, .output_step = 0.05});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double first = std::sqrt(2 / 9.81), speed = 9.81 * first, end = first * (1 + 0.8) / (1 - 0.8);
  std::vector<double> instants, seen(path.size(), 0.0);
  for (const RunEvent& event : path.events)
    if (event.kind == RunEventKind::kImpact) instants.push_back(event.t);
  for (std::size_t row = 0; row < path.size(); ++row) {
    EXPECT_EQ(path.outputs[0][row], 2 * path.q[0][row]);
    EXPECT_EQ(path.outputs[1][row], path.time[row] > end ? 1 : 0) << path.time[row];
    std::size_t bounces = 0;
    while (bounces < instants.size() && instants[bounces] < path.time[row]) ++bounces;
    // At an impact the row before it has the impulse of the last one, the row after it its own.
    if (bounces < instants.size() && instants[bounces] == path.time[row] && path.v[0][row] > 0) ++bounces;
    if (bounces > 30) break;
    const double impulse = bounces == 0 ? 0 : 1.8 * speed * std::pow(0.8, static_cast<double>(bounces) - 1);
    EXPECT_NEAR(path.outputs[2][row], impulse, 1e-11) << path.time[row];
  }
  EXPECT_EQ(path.contact[0].back(), 1);
}

// The gap passes 0 downwards at every impact, and 0.5 m twice after the first one, which is the last that is strong enough.
TEST(ContactResults, EventsReadThem) {
  const System system = loaded(kBallOfResults + R"toml([[event]]
name = "lands"
when = "gap(ground)"
direction = "down"
where = "impulse(ground) > 13 and impulse(ground) < 15"
stop = true
[[event]]
name = "high"
when = "gap(ground) - 0.5"
where = "closed(ground) < 0.5 and impulse(ground) > 0"
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 6});
  const double g = 9.81, first = std::sqrt(2 / g), up = 0.8 * g * first;
  std::vector<double> high;
  for (const RunEvent& event : path.events)
    if (event.name == "high") high.push_back(event.t);
  ASSERT_EQ(high.size(), 2U);
  EXPECT_NEAR(high[0], first + (up - std::sqrt(up * up - g)) / g, 1e-12);
  EXPECT_NEAR(high[1], first + (up + std::sqrt(up * up - g)) / g, 1e-12);
  // Impulses: 15.9, 12.8, … — none is between 13 and 15, so that the run goes on; with the second one's size it ends at the third impact.
  EXPECT_EQ(path.time.back(), 6);
  const System ends = loaded(kBallOfResults + R"toml([[event]]
name = "lands"
when = "gap(ground)"
direction = "down"
where = "impulse(ground) > 12 and impulse(ground) < 13"
stop = true
)toml");
  const Trajectory short_path = integrate(ends.dynamics, ends.start(), {.until = 6});
  EXPECT_NEAR(short_path.time.back(), first * (1 + 2 * 0.8 + 2 * 0.64), 1e-12);
}

// Where the contacts are held, their states are constants, and nothing has struck.
TEST(ContactResults, HeldContactsAreConstants) {
  const Equations given = derive_loaded(load_model(make_source("ball", kBallOfResults + R"toml([outputs]
lies = "closed(ground)"
last = "impulse(ground)"
)toml")));
  for (const char closed : {0, 1}) {
    const Equations held = hold_contacts(given, {closed});
    EXPECT_TRUE(closed != 0 ? (held.model->outputs[0].expression - 1).is_zero()
                            : held.model->outputs[0].expression.is_zero());
    EXPECT_TRUE(held.model->outputs[1].expression.is_zero());
  }
}

// A disk of radius r rolls and slides on a belt that moves with w along a line that turns.
const std::string kBeltOfResults = R"toml(name = "belt"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "phi", unit = "rad"}]
gravity = [0, "-g"]
[parameters]
g = "9.81 m/s^2"
r = "0.2 m"
mu = 0.3
w = "0.5 m/s"
spin = "0.7 rad/s"
[define]
c = "cos(spin*t)"
s = "sin(spin*t)"
[[frame]]
name = "disk"
origin = ["x", "y"]
rotate = "phi"
[[point]]
name = "C"
at = ["x", "y"]
[[point]]
name = "O"
at = ["w*t*c", "w*t*s"]
[[body]]
name = "disk"
mass = "1 kg"
inertia = "0.02 kg*m^2"
frame = "disk"
[[constraint]]
name = "belt"
contact = {point = "C", above = "O", normal = ["-2*s", "2*c"], radius = "r"}
frame = "disk"
friction = "mu"
[initial]
position = {x = 0, y = "0.3 m", phi = 0}
velocity = {x = 0, y = 0, phi = 0}
)toml";

TEST(ContactResults, TheSlidingSpeedOfAContactIsThatOfTheMaterialThatTouches) {
  const Equations eq = derive_loaded(load_model(make_source("belt", kBeltOfResults)));
  ASSERT_EQ(eq.model->frictions.size(), 1U);
  const Friction& friction = eq.model->frictions[0];
  EXPECT_EQ(friction.name, "belt");
  // At t the line has the direction (c, s); its material at the contact moves with O and turns about it with `spin`.
  const double x = 0.4, y = 0.9, phi = 0.2, vx = -0.7, vy = 0.3, wd = 1.9, t = 0.8, w = 0.5, spin = 0.7, r = 0.2;
  const double c = std::cos(spin * t), s = std::sin(spin * t);
  const double px = x + r * s, py = y - r * c, ox = w * t * c, oy = w * t * s;
  const double of_disk = (vx - wd * (py - y)) * c + (vy + wd * (px - x)) * s;
  const double o_speed = (w * c - spin * oy) * c + (w * s + spin * ox) * s;
  const double of_line = o_speed + (-spin * (py - oy)) * c + spin * (px - ox) * s;
  const std::unordered_map<std::string, double> values{{"x", x}, {"y", y}, {"phi", phi},  {"t", t},
                                                       {"w", w}, {"r", r}, {"spin", spin}};
  const std::unordered_map<std::string, double> rates{{"x", vx}, {"y", vy}, {"phi", wd}};
  const double speed = evaluate(friction.velocity, [&](SymbolId id) {
    const Symbol& symbol = eq.graph->symbol_info(id);
    return (symbol.kind == SymbolKind::kVelocity ? rates : values).at(symbol.name);
  });
  EXPECT_NEAR(speed, of_disk - of_line, 1e-14);
}

// The same run, bit for bit, as with a [[friction]] that says so; the disk sticks where it rolls: x' (1 + J/(m r²)) keeps what it had.
TEST(ContactResults, AThrownDiskRollsInTheEnd) {
  const std::string thrown = R"toml(name = "disk"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "phi", unit = "rad"}]
[parameters]
m = "1 kg"
r = "0.1 m"
mu = 0.2
g = "9.81 m/s^2"
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + m*r^2*phi'^2/4"
potential = "m*g*y"
[[frame]]
name = "disk"
origin = ["x", "y"]
rotate = "phi"
[[point]]
name = "C"
at = ["x", "y"]
[[point]]
name = "O"
at = [0, 0]
[initial]
position = {x = 0, y = "1 m", phi = 0}
velocity = {x = "3 m/s", y = 0, phi = 0}
[[constraint]]
name = "ground"
contact = {point = "C", above = "O", normal = [0, 1], radius = "r"}
restitution = 0.5
)toml";
  const System one = loaded(thrown + "frame = \"disk\"\nfriction = \"mu\"\n");
  const System other = loaded(thrown + R"toml([[friction]]
name = "ground"
normal = "lambda(ground)"
velocity = "x' + r*phi'"
coefficient = "mu"
)toml");
  const IntegrateOptions options{.until = 4, .rtol = 1e-11};
  const Trajectory a = integrate(one.dynamics, one.start(), options);
  const Trajectory b = integrate(other.dynamics, other.start(), options);
  ASSERT_EQ(a.status, RunStatus::kOk) << a.reason;
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_NEAR(a.v[0].back(), 3 / 1.5, 1e-12);
  EXPECT_NEAR(a.v[0].back(), -0.1 * a.v[2].back(), 1e-12);
  // Without a frame the point itself slides, and stops.
  const System point = loaded(thrown + "friction = \"mu\"\n");
  EXPECT_EQ(integrate(point.dynamics, point.start(), options).v[0].back(), 0);
}

// A bob on a bilateral string that is swung with v₀: it would go slack where cos θ = (2gL − v₀²)/(3gL), from the bottom.
TEST(ContactResults, ABilateralRowThatTurnsIsToldOf) {
  const auto swung = [](const std::string& name, double until) {
    const System system = loaded(
        "name = \"string\"\ncoordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
        "potential = \"9.81*y\"\n[initial]\nposition = {x = 0, y = -1}\nvelocity = {x = 6, y = 0}\n"
        "[[constraint]]\nname = \"" +
        name + "\"\nholonomic = \"sqrt(x^2 + y^2) - 1\"\n");
    return integrate(system.dynamics, system.start(), {.until = until, .find_peaks = true});
  };
  const Trajectory string = swung("long_string", 2);
  ASSERT_EQ(string.verdict.warnings.size(), 1U);
  EXPECT_THAT(string.verdict.warnings[0], HasSubstr("`long_string` changes its sign near t = "));
  const double turn = string.peaks[0].t_turn, slack = (2 * 9.81 - 36) / (3 * 9.81);
  EXPECT_NEAR(swung("pin", turn).q[1].back(), -slack, 0.01);
  // A name that means nothing: only where the sign was kept for a quarter of the run.
  EXPECT_THAT(swung("pin", 2.5).verdict.warnings, testing::IsEmpty());
  EXPECT_THAT(swung("pin", 1).verdict.warnings, testing::SizeIs(1));
  // Before it turns there is nothing to say.
  const Trajectory before = swung("long_string", 0.9 * turn);
  EXPECT_THAT(before.verdict.warnings, testing::IsEmpty());
  EXPECT_TRUE(std::isnan(before.peaks[0].t_turn));
}

// A node without inertia between two springs, by its equation as a row: the motion satisfies it, so its multiplier is 0 but for round-off, and has no
// sign. That of a rope has one, also where the rope is horizontal but for round-off.
TEST(ContactResults, AMultiplierThatIsRoundoffDoesNotTurn) {
  const std::string node = R"toml(name = "node"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2"
potential = "10/2*y^2 + 20/2*(x - y)^2"
[[constraint]]
name = "y_balance"
holonomic = "30*y - 20*x"
[initial]
position = {x = 0.1}
velocity = {x = 0}
)toml";
  for (const double rtol : {1e-6, 1e-9, 1e-11}) {
    const System system = loaded(node);
    const Trajectory run = integrate(system.dynamics, system.start(), {.until = 2, .rtol = rtol, .find_peaks = true});
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    EXPECT_LT(std::max(-run.peaks[0].min, run.peaks[0].max), 1e-15);
    EXPECT_TRUE(std::isnan(run.peaks[0].t_turn));
    EXPECT_THAT(run.verdict.warnings, testing::IsEmpty());
  }
  // Beside the horizontal its tension is v₀² − 3g sin α, which passes 0.
  const System rope = loaded(
      "name = \"rope\"\ncoordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = "
      "\"9.81*y\"\n[initial]\nposition = {x = 1, y = 6e-17}\nvelocity = {x = 0, y = -4}\n"
      "[[constraint]]\nname = \"rope\"\nholonomic = \"sqrt(x^2 + y^2) - 1\"\n");
  const Trajectory run = integrate(rope.dynamics, rope.start(), {.until = 2, .find_peaks = true});
  ASSERT_EQ(run.verdict.warnings.size(), 1U);
  EXPECT_THAT(run.verdict.warnings[0], HasSubstr("`rope` changes its sign"));
}

// A point that passes a post closely strikes it at x² + y² = 1. A second point falls at the same time, and its gap is the smaller one at most instants of the
// step in which both strike: it must not hide the other one.
TEST(ContactResults, AGapThatIsClosedForAnInstantIsNotHiddenByAnother) {
  for (const double z : {1.3, 1.4, 1.5, 1.8}) {
    const System system = loaded(fmt::format(R"toml(name = "passing"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*z"
[[constraint]]
name = "post"
holonomic = "sqrt(x^2 + y^2) - 1"
unilateral = true
restitution = 1.0
[[constraint]]
name = "ground"
holonomic = "z"
unilateral = true
[initial]
position = {{x = -1.3, y = 0.9999, z = {}}}
velocity = {{x = 2.6}}
)toml",
                                             z));
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.7, .rtol = 1e-6, .atol = 1e-9});
    ASSERT_GE(path.events.size(), 2U) << z;
    EXPECT_EQ(title(path.events[0]), "post impact");
    EXPECT_NEAR(path.events[0].t, (1.3 - std::sqrt(1 - 0.9999 * 0.9999)) / 2.6, 1e-9);
    EXPECT_EQ(title(path.events[1]), "ground impact");
    EXPECT_NEAR(path.events[1].t, std::sqrt(2 * z / 9.81), 1e-9);
  }
}

}  // namespace
}  // namespace dalembert
