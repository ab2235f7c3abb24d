// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/assembly_proof.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <random>
#include <vector>

namespace dalembert {
namespace {

using Points = std::vector<std::vector<double>>;
using Complex = std::complex<double>;

Equations proof_equations(Model model) { return derive(std::make_shared<Model>(std::move(model))).value(); }

AssemblyProof::Outcome decide(const Equations& eq, const Points& known, const std::vector<int>& free,
                              const std::vector<bool>& angle) {
  return prove_complete(eq, 0, {}, known, free, angle).outcome;
}

// All are known: complete. One is withheld, whichever: never complete.
void expect_proved(const Equations& eq, const Points& all, const std::vector<int>& free,
                   const std::vector<bool>& angle) {
  EXPECT_EQ(decide(eq, all, free, angle), AssemblyProof::Outcome::kComplete);
  if (all.size() < 2) return;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Points fewer = all;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_NE(decide(eq, fewer, free, angle), AssemblyProof::Outcome::kComplete) << "without " << k;
  }
}

// Truth: six real roots of the platform's sextic, by numpy.
TEST(AssemblyProof, PlatformOnThreeLegs) {
  Model model("platform");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), phi = model.coordinate("phi");
  model.kinetic(square(x.qd) + square(y.qd) + square(phi.qd));
  const Expr c = cos(phi.q), s = sin(phi.q);
  const double cx = 13.236373239436617, cy = 16.09670846683651;
  model.holonomic("legs", {square(x.q) + square(y.q) - 14.98 * 14.98,
                           square(x.q + 17.04 * c - 15.91) + square(y.q + 17.04 * s) - 15.38 * 15.38,
                           square(x.q + cx * c - cy * s) + square(y.q + cx * s + cy * c - 10) - 144});
  const Points all{{14.673943655735032, -3.0126031249259357, 2.132904365129088},
                   {-8.726595331862917, 12.17566975217003, -0.9869742378454444},
                   {14.920133247154643, -1.337917743046109, 1.0020385399022478},
                   {-5.495660815453058, -13.935498276038953, -0.04733136936691991},
                   {-14.896128100172707, 1.582961661962461, 0.24530953099163008},
                   {-13.419939013974382, -6.656247956710172, 0.5856727832585525}};
  expect_proved(proof_equations(std::move(model)), all, {0, 1, 2}, {false, false, true});
}

// Truth: two circles meet in two points. Lengths at random; turns of the angles change nothing.
TEST(AssemblyProof, FourBars) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> length(0.3, 2), any(-3, 3);
  int bars = 0;
  while (bars < 12) {
    const double crank = length(random), coupler = length(random), rocker = length(random), ground = length(random),
                 theta = any(random);
    const Complex pin = std::polar(crank, theta), way = ground - pin;
    const double d = std::abs(way), along = (d * d + coupler * coupler - rocker * rocker) / (2 * d),
                 squared = coupler * coupler - along * along;
    if (squared < 0.01) continue;
    ++bars;
    Points all;
    for (const double side : {1.0, -1.0}) {
      const Complex z = pin + way / d * Complex(along, side * std::sqrt(squared));
      all.push_back({theta, std::arg(z - pin) + (bars % 2 == 0 ? 2 * M_PI : 0), std::arg(z - ground)});
    }
    Model model("four-bar");
    const Coordinate th = model.coordinate("th"), a = model.coordinate("a"), b = model.coordinate("b");
    model.kinetic(square(th.qd) + square(a.qd) + square(b.qd));
    model.holonomic("loop", {crank * cos(th.q) + coupler * cos(a.q) - ground - rocker * cos(b.q),
                             crank * sin(th.q) + coupler * sin(a.q) - rocker * sin(b.q)});
    expect_proved(proof_equations(std::move(model)), all, {1, 2}, {false, true, true});
  }
}

// Truth: with the angle held x and y are determined, one of them 0 up to round-off.
TEST(AssemblyProof, CoordinatesThatAreDetermined) {
  Model model("rod");
  const Coordinate th = model.coordinate("th"), x = model.coordinate("x"), y = model.coordinate("y");
  model.kinetic(square(th.qd) + square(x.qd) + square(y.qd));
  model.holonomic("ends", {x.q - 0.7 * cos(th.q), y.q - 0.7 * sin(th.q)});
  const Equations eq = proof_equations(std::move(model));
  for (const double angle : {0.0, 0.4, M_PI / 2})
    expect_proved(eq, {{angle, 0.7 * std::cos(angle), 0.7 * std::sin(angle)}}, {1, 2}, {false, false, false});
}

// Truth: with y = x² both of x² = 4 and its turn; and what is not decided: roots that the rows do not bound, an angle that
// stands outside of sines, a double root, a function that has no bounds here.
TEST(AssemblyProof, WhatIsNotDecided) {
  const auto with = [](const auto& row, const Points& known, bool angle) {
    Model model("one");
    const Coordinate x = model.coordinate("x");
    model.kinetic(square(x.qd));
    model.holonomic("row", {row(x.q)});
    return decide(proof_equations(std::move(model)), known, {0}, {angle});
  };
  using Outcome = AssemblyProof::Outcome;
  EXPECT_EQ(with([](const Expr& x) { return square(x) - 4; }, {{2}, {-2}}, false), Outcome::kComplete);
  EXPECT_EQ(with([](const Expr& x) { return sin(x) - 0.5; }, {{M_PI / 6}, {5 * M_PI / 6}}, true), Outcome::kComplete);
  EXPECT_EQ(with([](const Expr& x) { return sin(x) - 0.5; }, {{M_PI / 6}, {5 * M_PI / 6}}, false), Outcome::kUnbounded);
  EXPECT_EQ(with([](const Expr& x) { return sin(x / 2) - 0.5; }, {{M_PI / 3}, {5 * M_PI / 3}}, true),
            Outcome::kNotDecided);
  EXPECT_EQ(with([](const Expr& x) { return square(x); }, {{0}}, false), Outcome::kNotDecided);
  EXPECT_NE(with([](const Expr& x) { return (x - 1) * square(x + 1); }, {{1}}, false), Outcome::kComplete);
  EXPECT_EQ(with([](const Expr& x) { return abs(x) - 1; }, {{1}, {-1}}, false), Outcome::kNotDecided);
  EXPECT_NE(with([](const Expr& x) { return square(x) - 4; }, {{2}}, false), Outcome::kComplete);
}

}  // namespace
}  // namespace dalembert
