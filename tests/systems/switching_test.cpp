// SPDX-License-Identifier: Apache-2.0
// Conditions, kinks and pulses: a run must not miss what happens. One mass m = 1 on a line, whose motion is known in
// closed form on each side of every condition.
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kPi = std::numbers::pi;

System line(const std::string& rest) {
  return System(derive_loaded(
      load_model(make_source("line", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n" + rest), {})));
}
System pushed(const std::string& force, const std::string& rest = {}) {
  return line("[[force]]\ncoordinate = \"x\"\nvalue = \"" + force + "\"\n" + rest);
}

struct Point {
  double x = 0, v = 0;
};

Trajectory run(const System& system, IntegrateOptions options) {
  Trajectory path = integrate(system.dynamics, system.start(), options);
  EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
  return path;
}

// Error control allows rtol of the largest values in each step, and the pieces do not amplify errors by more than
// `growth`: the error is at most growth · rtol · steps · size; 1e-11 more for the round-off of the closed forms.
void expect_exact(const System& system, double until, Point exact, double growth = 1) {
  for (const double rtol : {1e-6, 1e-8, 1e-9, 1e-11}) {
    const Trajectory path = run(system, {.until = until, .rtol = rtol});
    double size_x = 1, size_v = 1;
    for (const double x : path.q[0]) size_x = std::max(size_x, std::abs(x));
    for (const double v : path.v[0]) size_v = std::max(size_v, std::abs(v));
    const double allowed = growth * rtol * static_cast<double>(path.steps) + 1e-11;
    EXPECT_NEAR(path.q[0].back(), exact.x, allowed * size_x) << rtol;
    EXPECT_NEAR(path.v[0].back(), exact.v, allowed * size_v) << rtol;
    EXPECT_TRUE(path.verdict.holds) << rtol << to_text(path.verdict);
  }
}

// Constant pieces of force: x and v by the sums of uniformly accelerated motion; error control has nothing to add.
Point pieces(const std::vector<std::pair<double, double>>& until_force) {
  Point p;
  double t = 0;
  for (const auto& [until, force] : until_force) {
    const double d = until - t;
    p.x += p.v * d + force * d * d / 2;
    p.v += force * d;
    t = until;
  }
  return p;
}

TEST(Switching, PulsesOfTimeAreExact) {
  // sin 2t > c for t between a + kπ and π/2 − a + kπ.
  for (const double c : {0.99, 0.9999999}) {
    const double a = std::asin(c) / 2;
    std::vector<std::pair<double, double>> list;
    for (int k = 0; a + k * kPi < 10; ++k) {
      list.emplace_back(a + k * kPi, 0);
      list.emplace_back(std::min(kPi / 2 - a + k * kPi, 10.0), 100);
    }
    list.emplace_back(10, 0);
    const std::string pulse = fmt::format("if(sin(2*t) > {}, 100, 0)", c);
    expect_exact(pushed(pulse), 10, pieces(list));
    expect_exact(pushed("push", "[inputs]\npush = \"" + pulse + "\"\n"), 10, pieces(list));
  }
}

TEST(Switching, OneShortBlow) {
  // 10 ms and 1 µs of force 100 in the middle of a rest.
  for (const double width : {1e-2, 1e-6}) {
    const double b = 5 + width;
    const std::string text = fmt::format("if(t > 5 and t < 5 + {}, 100, 0)", width);
    expect_exact(pushed(text), 10, pieces({{5, 0}, {b, 100}, {10, 0}}));
  }
}

TEST(Switching, StairsAndSaws) {
  std::vector<std::pair<double, double>> stairs;
  for (int k = 0; k < 10; ++k) stairs.emplace_back(k + 1.0, k);
  expect_exact(pushed("floor(t)"), 10, pieces(stairs));
  // mod(t, 1): each second adds 1/2 to v and v + 1/6 to x.
  Point saw;
  for (int k = 0; k < 10; ++k) saw = {saw.x + saw.v + 1.0 / 6, saw.v + 0.5};
  expect_exact(pushed("mod(t, 1)"), 10, saw);
  // What jumps too often for its instants to be listed is refused before the run, and soon, whatever its frequency.
  for (const char* often : {"mod(1e9*t, 1)", "mod(1e15*t, 1)", "mod(1/(t - 3), 1)"}) {
    const System fast = pushed(often);
    const Trajectory none = integrate(fast.dynamics, fast.start(), {.until = 10});
    EXPECT_EQ(none.status, RunStatus::kFailed) << often;
    EXPECT_NE(none.reason.find("jumps more than 1000000 times"), std::string::npos) << often << ": " << none.reason;
  }
  // Backwards from rest at t = 0: t = −τ, x'' = mod(−τ, 1) = 1 − mod(τ, 1).
  const System system = pushed("mod(t, 1)");
  const Trajectory path = run(system, {.until = -2});
  // In τ: after each second dx/dτ grows by 1/2 and x by rate + 1/2 − 1/6.
  EXPECT_NEAR(path.q[0].back(), 1.0 / 3 + 0.5 + 1.0 / 3, 1e-12);
  EXPECT_NEAR(path.v[0].back(), -1, 1e-12);
}

// A smooth pulse A exp(−((t−c)/s)²) hands over A s √π at c, and its middle is at c: x = A s √π (T − c).
TEST(Switching, NarrowSmoothPulsesAreMet) {
  struct Case {
    double until, middle, width;
  };
  for (const Case& c : {Case{10, 5, 1e-2}, Case{10, 5, 1e-3}, Case{1000, 500, 1e-2}, Case{1000, 123.4, 1e-4}}) {
    const double v = 100 * c.width * std::sqrt(kPi);
    const System system = pushed(fmt::format("100*exp(-((t - {})/{})^2)", c.middle, c.width));
    for (const double rtol : {1e-6, 1e-8, 1e-9, 1e-11}) {
      const Trajectory path = run(system, {.until = c.until, .rtol = rtol});
      EXPECT_NEAR(path.v[0].back(), v, v * (rtol * static_cast<double>(path.steps) + 1e-10));
      EXPECT_NEAR(path.q[0].back(), v * (c.until - c.middle),
                  v * c.until * (rtol * static_cast<double>(path.steps) + 1e-10));
    }
  }
}

// Products whose factors move more than they do, as t e^−t at its peak: the bounds of factors alone would split them without end.
TEST(Switching, SmoothProductsAreSearchedToTheEnd) {
  for (const double until : {10.0, 100.0, 1000.0}) {
    const Trajectory path = run(pushed("t*exp(-t)"), {.until = until, .rtol = 1e-9});
    EXPECT_THAT(path.verdict.warnings, IsEmpty());
    const double left = std::exp(-until);
    EXPECT_NEAR(path.v[0].back(), 1 - (1 + until) * left, 1e-7);
    EXPECT_NEAR(path.q[0].back(), until - 2 + (until + 2) * left, 1e-7 * until);
  }
}

// cos(t − 5)^n has narrow peaks at 5 and, of the sign of (−1)ⁿ, at 5 − π. Each has the area √π Γ((n + 1)/2)/Γ(n/2 + 1), which is Wallis' formula.
TEST(Switching, PeaksOfLongPowersAreMet) {
  for (const int n : {65, 2000, 9001, 20000}) {
    const double area = 100 * std::sqrt(kPi) * std::exp(std::lgamma((n + 1) / 2.0) - std::lgamma(n / 2.0 + 1));
    const double other = n % 2 == 0 ? area : -area;
    const double v = area + other, x = 2 * area + (2 + kPi) * other;
    const std::string text = fmt::format("100*cos(t - 5)^{}", n);
    for (const System& system : {pushed(text), pushed("push", "[inputs]\npush = \"" + text + "\"\n")}) {
      const Trajectory path = run(system, {.until = 7, .rtol = 1e-9});
      EXPECT_NEAR(path.v[0].back(), v, area * 1e-7) << text;
      EXPECT_NEAR(path.q[0].back(), x, 7 * area * 1e-7) << text;
    }
  }
}

// ((1 + cos 2τ)/2)^n is cos(τ)^(2n), whose area is that of Wallis; 2^−n alone is 0 as a double.
TEST(Switching, LongPowersOfFractionsAreNumbers) {
  for (const int n : {400, 1030, 10000}) {
    const double area = 100 * std::sqrt(kPi) * std::exp(std::lgamma(n + 0.5) - std::lgamma(n + 1.0));
    for (const char* power : {"100*((1 + cos(2*(t - 5)))/2)^{}", "100*((1 + cos(2*(t - 5)))*0.5)^{}"}) {
      const std::string text = fmt::format(fmt::runtime(power), n);
      const Trajectory path = run(pushed(text), {.until = 7, .rtol = 1e-9});
      EXPECT_NEAR(path.v[0].back(), 2 * area, area * 1e-7) << text;
      EXPECT_NEAR(path.q[0].back(), (4 + kPi) * area, 7 * area * 1e-7) << text;
    }
  }
}

// x = t moves uniformly, in steps of seconds; pulses at c = 3.3 stand in what follows the motion alone.
System followed(const std::string& rest) { return line(rest + "[initial]\nvelocity = {x = 1}\n"); }

// ∫A exp(−((t−c)/s)²) dt = A s √π, and with τ = t − c from −a to b ∫(c + τ)/(1 + (τ/s)²) dτ = c s (atan(b/s) + atan(a/s)) + s²/2 ln((s² + b²)/(s² + a²)).
TEST(Switching, NarrowPulsesOfIntegrandsAreMet) {
  const double c = 3.3, a = c, b = 8 - c;
  for (const double s : {1e-1, 1e-2, 1e-4, 1e-6}) {
    const System system = followed(fmt::format(
        "[outputs]\nA = \"integral({0}*exp(-((t - 3.3)/{1})^2))\"\nB = \"integral(x/(1 + ((t - 3.3)/{1})^2))\"\n",
        1 / s, s));
    const Trajectory path = run(system, {.until = 8});
    EXPECT_NEAR(path.verdict.integrals.at(0).value, std::sqrt(kPi), 1e-7) << s;
    const double exact =
        c * s * (std::atan(b / s) + std::atan(a / s)) + s * s / 2 * std::log((s * s + b * b) / (s * s + a * a));
    EXPECT_NEAR(path.verdict.integrals.at(1).value, exact, 1e-7 * s) << s;
  }
}

// exp(−τ²/s²) is 1/2 at τ = ±s √ln 2, 1/(1 + τ²/s²) at τ = ±s.
TEST(Switching, NarrowPulsesOfEventsAreMet) {
  for (const double s : {1e-1, 1e-3, 1e-6})
    for (const auto& [pulse, half] :
         {std::pair("exp(-((t - 3.3)/{})^2)", s * std::sqrt(std::log(2))), std::pair("1/(1 + ((t - 3.3)/{})^2)", s)}) {
      const std::string when = fmt::format(fmt::runtime(pulse), s) + " - 0.5";
      const Trajectory path = run(followed("[[event]]\nname = \"tip\"\nwhen = \"" + when + "\"\n"), {.until = 8});
      ASSERT_EQ(path.events.size(), 2U) << when;
      EXPECT_NEAR(path.events[0].t, 3.3 - half, 1e-8 * s + 1e-14) << when;
      EXPECT_NEAR(path.events[1].t, 3.3 + half, 1e-8 * s + 1e-14) << when;
    }
}

// The peak of an output costs steps where it is sought. Waves have no narrow peaks and cost none.
TEST(Switching, NarrowPulsesOfOutputsAreMetWhereTheirExtremesAreSought) {
  const System system = followed(
      "[outputs]\nA = \"sin(3*t)\"\nB = \"2*x/(1 + ((t - 3.3)/1e-4)^2)\"\nC = \"-exp(-((t - 3.3)/1e-5)^2)\"\n");
  const Trajectory path = run(system, {.until = 8, .find_peaks = true});
  EXPECT_NEAR(path.peaks.at(1).max, 6.6, 1e-8);
  EXPECT_NEAR(path.peaks.at(2).min, -1, 1e-9);
  EXPECT_NEAR(path.peaks.at(2).t_min, 3.3, 1e-8);
  const auto steps = [&](bool find, std::vector<IntegrateOptions::PeakOf> of) {
    return run(system, {.until = 8, .find_peaks = find, .peaks_of = std::move(of)}).steps;
  };
  const auto plain = steps(false, {});
  EXPECT_EQ(steps(true, {{.output = 0}}), plain);
  EXPECT_GT(steps(true, {{.output = 2, .max = false}}), plain);
  EXPECT_EQ(run(followed("[outputs]\nA = \"sin(3*t)\"\n"), {.until = 8, .find_peaks = true}).steps, plain);
}

// A train of pulses that no regular sampling meets: all are counted.
TEST(Switching, IrregularTrainOfPulses) {
  std::string force;
  double v = 0;
  for (int k = 0; k < 12; ++k) {
    const double at = 3 + 7.3 * k + 0.37 * k * k, width = 1e-3 * (1 + k % 3);
    force += (k > 0 ? " + " : "") + std::string("exp(-((t - ") + std::to_string(at) + ")/" + fmt::format("{}", width) +
             ")^2)";
    v += width * std::sqrt(kPi);
  }
  const Trajectory path = run(pushed(force), {.until = 200});
  EXPECT_NEAR(path.v[0].back(), v, v * 1e-7);
}

// A ball that falls from h onto a floor of Hertz's contact, k δ^1.5, is back at h with v = 0 after this time:
// v² = 2g(h + δ) − 4k/5 δ^2.5 in the contact, and Simpson's rule for ∫dδ/v by s, δ = d(1 − s²), with d the deepest δ.
double time_of_bounce(double h, double g, double k) {
  const auto squared = [&](double depth) { return 2 * g * (h + depth) - 0.8 * k * std::pow(depth, 2.5); };
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) (squared((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  const double d = low;
  const auto integrand = [&](double s) {
    return s == 0 ? std::sqrt(4 * d / (2 * k * std::pow(d, 1.5) - 2 * g))
                  : 2 * d * s / std::sqrt(squared(d * (1 - s * s)));
  };
  constexpr int kIntervals = 2000;
  double contact = 0;
  for (int i = 0; i <= kIntervals; ++i)
    contact += (i == 0 || i == kIntervals ? 1
                : i % 2 == 1              ? 4
                                          : 2) *
               integrand(static_cast<double>(i) / kIntervals) / (3 * kIntervals);
  return 2 * (std::sqrt(2 * h / g) + contact);
}

// The held branch of a kink has no root beyond it, where a step looks for its end.
TEST(Switching, RootsOfWhatEndsAtAKink) {
  const double g = 9.81, k = 1e5;
  const std::string start = "[initial]\nposition = {x = 0.1}\n";
  const double until = time_of_bounce(0.1, g, k);
  for (const char* force :
       {"-9.81 + 1e5*max(0, -x)^1.5", "-9.81 + if(x < 0, 1e5*(-x)^1.5, 0)", "-9.81 + 1e5*max(0, -x)*sqrt(max(0, -x))"})
    expect_exact(pushed(force, start), until, {0.1, 0}, 20);
  expect_exact(line("potential = \"9.81*x + 0.4e5*max(0, -x)^2.5\"\n" + start), until, {0.1, 0}, 20);
  // Another power, along the same way in other units: x of 1e-6 m.
  const double shorter = time_of_bounce(0.01, g, k);
  expect_exact(pushed("-9.81e6 + 1e2*max(0, -x)^1.5", "[initial]\nposition = {x = 1e4}\n"), shorter, {1e4, 0}, 20);
  Trajectory path = run(pushed("-9.81 + 1e5*max(0, -x)^1.5", start), {.until = until, .method = Method::kRadau});
  EXPECT_NEAR(path.q[0].back(), 0.1, 1e-6);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  // ∫ √|sin t| dt over half a period is B(3/4, 1/2).
  const double half = std::beta(0.75, 0.5);
  expect_exact(pushed("sqrt(abs(sin(t)))"), 2 * kPi, {2 * kPi * half, 2 * half}, 20);
  // The arc cosine has a value up to 1: v = ∫ arccos(min(1, t)) dt = 1 over [0, 1], x(2) = 2 − ∫ t arccos t dt = 2 − π/8.
  expect_exact(pushed("acos(min(1, t))"), 2, {2 - kPi / 8, 1}, 20);
}

// What has no value within its own branch is not continued.
TEST(Switching, RootsOfNegativeNumbersEndTheRun) {
  for (const char* force : {"if(x < 1, sqrt(0.5 - x), 0)", "max(0, 1 - x) + sqrt(0.5 - x)", "sqrt(0.5 - max(0, x))"}) {
    const Trajectory path =
        integrate(pushed(force).dynamics, pushed(force, "[initial]\nvelocity = {x = 1}\n").start(), {.until = 2});
    EXPECT_NE(path.status, RunStatus::kOk) << force;
    EXPECT_THAT(path.reason, HasSubstr("not finite")) << force;
    EXPECT_LE(path.q[0].back(), 0.5) << force;
  }
}

// x'' = −sign(x) from x = 1: parabolas, period 4√2.
TEST(Switching, AbsoluteValueSpring) {
  const double period = 4 * std::sqrt(2), quarter = std::sqrt(2);
  const double t = std::fmod(10.0, period);  // in the third quarter: 10 = period + 3.07 quarters
  ASSERT_GT(t, 3 * quarter);
  const double u = period - t;
  expect_exact(line("potential = \"abs(x)\"\n[initial]\nposition = {x = 1}\n"), 10, {1 - u * u / 2, u});
}

// A ball on a stiff floor: flights, and half turns of an oscillator of frequency √k about −g/k.
Point bouncing(double until, double g, double k) {
  double x = 1, v = 0, t = 0;
  const double w = std::sqrt(k);
  while (true) {
    const double flight = (v + std::sqrt(v * v + 2 * g * x)) / g;
    if (double d = until - t; flight > d) return {x + v * d - g * d * d / 2, v - g * d};
    t += flight, v -= g * flight, x = 0;
    const double A = g / k, B = v / w, contact = std::fmod(2 * std::atan2(B, A) + 2 * kPi, 2 * kPi) / w;
    if (double d = until - t; contact > d)
      return {-g / k + A * std::cos(w * d) + B * std::sin(w * d), -A * w * std::sin(w * d) + B * w * std::cos(w * d)};
    t += contact, v = -v;
  }
}

TEST(Switching, ContactStiffness) {
  // The time of contact follows v, and x and v after it follow that time: an error grows with every bounce.
  const Point exact = bouncing(10, 10, 1000);
  const std::string start = "[initial]\nposition = {x = 1}\n";
  expect_exact(line("potential = \"500*max(0, -x)^2 + 10*x\"\n" + start), 10, exact, 20);
  expect_exact(pushed("if(x < 0, -1000*x, 0) - 10", start), 10, exact, 20);
  expect_exact(pushed("-1000*min(0, x) - 10", start), 10, exact, 20);
}

// Two crossings within what would be one step: through a band of width 0.02 at v = 10 against a force of 1000, with
// v² = 100 − 2·1000·0.02 after it.
TEST(Switching, NarrowBandOfTheState) {
  const double v = std::sqrt(100 - 40.0), inside = (10 - v) / 1000;
  const Point exact{5.01 + v * (1 - 0.499 - inside), v};
  expect_exact(pushed("if(abs(x - 5) < 0.01, -1000, 0)", "[initial]\nvelocity = {x = 10}\n"), 1, exact, 20);
}

// Coulomb friction: half turns about ±μ, each loses 2μ of amplitude, until |x| <= μ at rest: there the block stays.
TEST(Switching, FrictionSticks) {
  const System system = pushed("-x - sign(x')", "[initial]\nposition = {x = 5.3}\n");
  // 5.3 → −3.3 → 1.3 → 0.7.
  expect_exact(system, 2.5 * kPi, {1, -0.3});  // 1 + 0.3 cos τ, a quarter turn after 2π
  expect_exact(system, 30, {0.7, 0});
  const Trajectory path = run(system, {.until = 30});
  EXPECT_LT(path.steps, 200);
  ASSERT_EQ(path.verdict.warnings.size(), 1u);
  EXPECT_THAT(path.verdict.warnings[0], HasSubstr("slides on `x'` = 0"));
  // Pulled by a force that grows with t: stays until t = 1, then x'' = t − 1.
  expect_exact(pushed("t - sign(x')"), 4, {27.0 / 6, 4.5});
}

// At rest inside the band in which friction holds it sticks from the start on; outside it leaves.
TEST(Switching, FrictionSticksFromTheStart) {
  for (const double x : {0.628, 0.79, -0.5, 0.3, -0.799, 0.05, 0.0}) {
    expect_exact(pushed("-x - 0.8*sign(x')", fmt::format("[initial]\nposition = {{x = {}}}\n", x)), 5, {x, 0});
  }
  expect_exact(pushed("-x - 0.8*sign(x')", "[initial]\nposition = {x = 1.5}\n"), kPi, {0.1, 0});
}

// A potential that jumps has no force there: the motion goes on, the energy is not conserved, and everything says so.
TEST(Switching, JumpOfThePotential) {
  const auto derived = derive(std::make_shared<const Model>(value_of(load_model(
      make_source(
          "jump",
          "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"if(x > 3, 1, 0)\"\n"
          "[initial]\nvelocity = {x = 1}\n"),
      {}))));
  ASSERT_TRUE(derived);
  ASSERT_EQ(derived.diagnostics().size(), 1u);
  EXPECT_EQ(derived.diagnostics()[0].code, "W0220");
  EXPECT_FALSE(derived->conservative);
  for (const ConservedQuantity& quantity : derived->momenta) EXPECT_NE(quantity.name, "p[x]");
  EXPECT_EQ(derived->momenta.size(), 1u);  // p[y]
  const System system(*derived);
  const Trajectory path = run(system, {.until = 10});
  EXPECT_FALSE(path.verdict.holds);
  ASSERT_FALSE(path.verdict.warnings.empty());
  EXPECT_THAT(path.verdict.warnings[0], HasSubstr("the energy jumps by 1 J at t = 3 s"));
  // It does not come there.
  EXPECT_TRUE(run(system, {.until = 2}).verdict.holds);
}

// What meets at the limit is a kink: no warning, and the energy is conserved.
TEST(Switching, KinksAreNoJumps) {
  for (const char* V : {"abs(x)", "max(0, x)^2", "if(x > 1, (x - 1)^2, 0)", "if(x < 2, x^2, 4*x - 4)", "x*sign(x)",
                        "floor(x) + (x - floor(x))", "min(x^2, 4)"}) {
    const auto derived = derive(std::make_shared<const Model>(value_of(load_model(
        make_source("kink",
                    std::string("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"") + V + "\"\n"),
        {}))));
    ASSERT_TRUE(derived) << V;
    EXPECT_THAT(derived.diagnostics(), IsEmpty()) << V;
    EXPECT_TRUE(derived->conservative) << V;
  }
  for (const char* V : {"sign(x)", "floor(x)", "if(x > 1, x, 0)", "if(x^2 + y > 1, 2, 1)*x^2", "if(x*y > 1, 3, 1)"}) {
    const auto derived = derive(std::make_shared<const Model>(value_of(load_model(
        make_source(
            "jump",
            std::string("coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"") + V +
                "\"\n"),
        {}))));
    ASSERT_TRUE(derived) << V;
    ASSERT_EQ(derived.diagnostics().size(), 1u) << V;
    EXPECT_EQ(derived.diagnostics()[0].code, "W0220") << V;
    EXPECT_FALSE(derived->conservative) << V;
  }
  // The kinetic energy of a body is stated by the body.
  const auto of_body = derive(std::make_shared<const Model>(value_of(
      load_model(make_source("body",
                             "coordinates = [\"x\"]\n[[body]]\nname = \"b\"\nmass = 1\nposition = [\"max(x, 2*x)\", "
                             "\"0\"]\n"),
                 {}))));
  ASSERT_TRUE(of_body);
  ASSERT_FALSE(of_body.diagnostics().empty());
  EXPECT_TRUE(of_body.diagnostics()[0].primary.span);
}

// A clutch sticks at t = 0.5424828461736; 0.3198026833632 s later the motor leaves its limit. A step that ends within round-off of that instant leaves
// the change to the next one, at its very beginning, and long steps follow. Oracle: 0.7 v' = 40 - 2.05 v from there on, for v = a' = b'.
TEST(Switching, ConditionsThatChangeAtTheBeginningOfALongStep) {
  const System system(derive_loaded(load_model(make_source("clutch", R"toml(coordinates = ["a", "b"]
[energy]
kinetic = "0.2*a'^2/2 + 0.5*b'^2/2"
[[friction]]
name = "plate"
normal = "400"
velocity = "0.1*(a' - b')"
coefficient = 0.3
[[force]]
coordinate = "a"
value = "min(8, 40 - 2*a')"
[[force]]
coordinate = "b"
value = "-0.05*b'"
[initial]
velocity = {a = 100, b = 0}
)toml"),
                                               {})));
  const double kink = 0.5424828461736151 + 0.31980268336315665, last = 40 / 2.05;
  const double exact = last + (16 - last) * std::exp(-2.05 / 0.7 * (2 - kink));
  for (int step = 0; step < 60; ++step) {
    const Trajectory path = integrate(system.dynamics, system.start(),
                                      {.until = 2, .rtol = 1e-13, .max_step = 0.31980268336300 + step * 5e-15});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_NEAR(path.v[1].back(), exact, 1e-9) << step;
  }
}

// A block at rest is pushed by sin t and held by dry friction of 0.95: it slips for a short while in each half turn, and
// in between nothing moves that could limit a step. Oracle: it slips from t₁ = asin 0.95, with v = cos t₁ − cos t −
// 0.95 (t − t₁), until v = 0 again; after an odd number of half turns it is off by one slip. Tolerance: the ends of the
// slips are found to 10 times the shares' 1e-9, their way to rtol.
TEST(Switching, SlipsWhileNothingElseMoves) {
  const double f = 0.95, t1 = std::asin(f);
  double stop = t1 + 0.1, beyond = M_PI;
  for (int pass = 0; pass < 100; ++pass) {
    const double middle = (stop + beyond) / 2;
    (std::cos(t1) - std::cos(middle) - f * (middle - t1) > 0 ? stop : beyond) = middle;
  }
  const double time = stop - t1;
  const double slip = std::cos(t1) * time - (std::sin(stop) - std::sin(t1)) - f * time * time / 2;
  const System system = line("[[force]]\ncoordinate = \"x\"\nvalue = \"sin(t) - 0.95*sign(x')\"\n");
  for (const Method method : kMethods)
    for (const double rtol : {1e-4, 1e-7, 1e-11}) {
      const Trajectory path = integrate(system.dynamics, system.start(),
                                        {.until = 21 * M_PI, .rtol = rtol, .atol = rtol, .method = method});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_NEAR(path.q[0].back(), slip, 1e-8 + rtol) << rtol;
    }
}

// A force that is on while x is beyond a limit that shakes: the motion is as smooth as can be, its condition is not. The
// steps must follow the condition. Oracle: parabolas from change to change; these are found by looking every 0.5 ms, at
// 40 of which the limit turns, and halving.
TEST(Switching, ConditionsFasterThanTheMotion) {
  double t = 0, x = 0, v = 1;
  bool beyond = false;
  while (t < 12) {
    const double a = beyond ? -1 : 0;
    const auto is_beyond = [&](double s) { return x + v * s + a * s * s / 2 > 5 + std::sin(20 * (t + s)); };
    double low = 1e-9, high = low + 5e-4;
    while (t + high < 12 && is_beyond(high) == beyond) low = high, high += 5e-4;
    const bool ends = t + high >= 12;
    for (int pass = 0; pass < 60 && !ends; ++pass) {
      const double middle = (low + high) / 2;
      (is_beyond(middle) == beyond ? low : high) = middle;
    }
    const double s = ends ? 12 - t : high;
    x += v * s + a * s * s / 2;
    v += a * s;
    t += s;
    if (!ends) beyond = !beyond;
  }
  const System system =
      line("[[force]]\ncoordinate = \"x\"\nvalue = \"if(x > 5 + sin(20*t), -1, 0)\"\n[initial]\nvelocity = {x = 1}\n");
  for (const Method method : kMethods)
    for (const double rtol : {1e-3, 1e-6, 1e-9, 1e-12}) {
      const Trajectory path =
          integrate(system.dynamics, system.start(), {.until = 12, .rtol = rtol, .atol = rtol, .method = method});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_NEAR(path.q[0].back(), x, 1e-9 + rtol) << rtol;
      EXPECT_NEAR(path.v[0].back(), v, 1e-9 + rtol) << rtol;
    }
}

// A spring whose stiffness is switched at t = 3 does work then: x = cos t before, two sines of 2t after; the balance of
// power counts that work.
TEST(Switching, StiffnessSwitchedInTime) {
  const System system = line("potential = \"if(t > 3, 4, 1)*x^2/2\"\n[initial]\nposition = {x = 1}\n");
  const double s = 2 * (10 - 3.0);
  expect_exact(system, 10,
               {std::cos(3) * std::cos(s) - std::sin(3) / 2 * std::sin(s),
                -2 * std::cos(3) * std::sin(s) - std::sin(3) * std::cos(s)},
               2);
}

// Conditions of outputs that lie on a constraint, x² + y² = 1 until t = 5, do not shorten the steps; they change where they leave it.
TEST(Switching, OutputsWhoseConditionsLieOnAConstraint) {
  const auto pendulum = [](const std::string& outputs) {
    return System(derive_loaded(load_model(make_source("pendulum", R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - 1 - if(t > 5, (t - 5)^4, 0)"
[initial]
position = {x = 1, y = 0}
[outputs]
)toml" + outputs),
                                           {})));
  };
  const System plain = pendulum("height = \"y\"\n");
  const System system = pendulum("whole = \"floor(x^2 + y^2)\"\nlonger = \"if(x^2 + y^2 > 1, 1, 0)\"\n");
  const auto rows = [](const System& of) {
    return run(of, {.until = 5.5, .output_times = {0.5, 2.5, 4.5, 5.25, 5.5}});
  };
  const Trajectory bare = rows(plain), path = rows(system);
  EXPECT_LT(path.steps, 2 * bare.steps);
  EXPECT_EQ(path.outputs[1][3], 1);
  EXPECT_EQ(path.outputs[1][4], 1);
  for (const double value : path.outputs[0]) EXPECT_EQ(value, path.outputs[0].front());
  EXPECT_EQ(path.verdict.warnings.size(), 2U) << to_text(path.verdict);
  EXPECT_THAT(path.verdict.warnings[0],
              HasSubstr("`floor(x^2 + y^2)` of the output `whole` is at an integer within round-off"));
  EXPECT_THAT(path.verdict.warnings[1],
              HasSubstr("`if(1 < x^2 + y^2, 1, 0)` of the output `longer` is at its limit within round-off"));
}

// x = cos 2t is positive for 5.2876 s of 10, also where the condition is small in its unit.
TEST(Switching, SmallConditionsOfOutputsAreFollowed) {
  for (const double scale : {1.0, 2e-14}) {
    const System system =
        pushed("-4*x", fmt::format("[initial]\nposition = {{x = 1}}\nvelocity = {{x = 0}}\n[outputs]\n"
                                   "positive = \"integral(if({}*x > 0, 1, 0))\"\n",
                                   scale));
    const Trajectory path = run(system, {.until = 10, .rtol = 1e-10});
    EXPECT_NEAR(path.outputs[0].back(), 10 - 3 * kPi / 2, 1e-7) << scale;
  }
}

// A spring from x = A that is twice as stiff beyond A/2: x = A (1 + 3 cos √2t)/4 until x = A/2, where ẋ = −A, then x = A (cos s/2 − sin s). So it is where A is
// small, and where the terms of the condition are. Steps of a motion far below atol are as long as they like.
TEST(Switching, SmallConditionsChangeTheMotion) {
  const double change = std::acos(1.0 / 3) / std::sqrt(2), s = 3 - change;
  for (const auto& [A, factor, error] : {std::array{1.0, 1.0, 1e-8}, {1.0, 1e-16, 1e-8}, {1e-15, 1.0, 1e-2}}) {
    const System system = line(fmt::format(
        "potential = \"x^2/2 + if({1}*x > {1}*{0}/2, (x - {0}/2)^2/2, 0)\"\n[initial]\nposition = {{x = {0}}}\n"
        "[[event]]\nname = \"half\"\nwhen = \"{1}*x - {1}*{0}/2\"\n",
        A, factor));
    const Trajectory path = run(system, {.until = 3});
    EXPECT_NEAR(path.q[0].back() / A, std::cos(s) / 2 - std::sin(s), error) << A << " " << factor;
    EXPECT_EQ(path.verdict.switches, 1);
    ASSERT_EQ(path.events.size(), 1U);
    EXPECT_NEAR(path.events[0].t, change, error);
  }
}

// A run that ends where it starts holds the branches of its one instant.
TEST(Switching, RunsOfNoLengthHaveBranches) {
  const System system = pushed("if(t < 1, 3, -1) + if(x > 2, 5, 7)", "[initial]\nposition = {x = 3}\n");
  for (const auto& [t, force] : {std::pair{0.5, 8.0}, {1.5, 4.0}}) {
    State start = system.start();
    start.t = t;
    const Trajectory path = integrate(system.dynamics, start, {.until = t});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_EQ(path.a[0].back(), force);
  }
  for (const char* name : {"rolling-disk", "whipple-bicycle"}) {
    const System rolls(derive_shipped(name));
    const Trajectory path = integrate(rolls.dynamics, rolls.start(), {.until = rolls.start().t});
    EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
  }
}

// A feature of the state that is smooth and narrow is met when steps are bounded: over a barrier of width 1e-3.
TEST(Switching, StepsCanBeBounded) {
  const System system = pushed("0", "[initial]\nvelocity = {x = 1}\n");
  const Trajectory path = run(system, {.until = 1, .max_step = 1.0 / 64});
  EXPECT_GE(path.steps, 64);
}

}  // namespace
}  // namespace dalembert
