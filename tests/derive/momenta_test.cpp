// SPDX-License-Identifier: Apache-2.0
// Truth of each expected quantity: Noether's theorem by hand (Landau, Lifshitz, Mechanics, 3rd ed., §§7, 9); of each
// that is expected not to be there: a force or constraint that changes it.
#include "dalembert/derive/momenta.h"

#include <gmock/gmock.h>

#include <array>
#include <limits>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Equations equations_of(Model model) {
  auto result = derive(std::make_shared<const Model>(std::move(model)));
  EXPECT_TRUE(result) << render(result.diagnostics());
  return std::move(result).value();
}

std::vector<std::string> names(const Equations& eq) {
  std::vector<std::string> list;
  for (const ConservedQuantity& quantity : eq.momenta) list.push_back(quantity.name);
  return list;
}
std::vector<std::string> momenta_of(Model model) { return names(equations_of(std::move(model))); }

// The quantity of this name is `expected` times a number.
::testing::AssertionResult is_multiple(const Equations& eq, const std::string& name, const Expr& expected) {
  Canonicalizer canonicalizer(expected.graph());
  for (const ConservedQuantity& quantity : eq.momenta) {
    if (quantity.name != name) continue;
    for (const Rational& factor : {Rational(1), Rational(-1)})
      if (decide_zero(canonicalizer, quantity.expression - factor * expected) == ZeroTest::kZero)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << to_text(quantity.expression) << "  is not  " << to_text(expected);
  }
  return ::testing::AssertionFailure() << "there is no " << name;
}

Expr squares(std::initializer_list<Expr> list) {
  Expr sum = list.begin()->graph().constant(0);
  for (const Expr& e : list) sum = sum + square(e);
  return sum;
}

// Two masses on a line.
struct Pair {
  Model model{"pair"};
  Coordinate x1 = model.coordinate("x1", "m"), x2 = model.coordinate("x2", "m");
  Expr m1 = model.parameter("m1", 1, "kg"), m2 = model.parameter("m2", 2, "kg"), k = model.parameter("k", 3, "N/m");
  Pair() { model.kinetic(m1 / 2 * square(x1.qd) + m2 / 2 * square(x2.qd)); }
  void spring() { model.potential(k / 2 * square(x2.q - x1.q)); }
};
const char* const kPairMomentum = "linear momentum along x (x1, x2)";

TEST(Momenta, OfTwoMassesWithASpring) {
  Pair pair;
  pair.spring();
  const Expr expected = pair.m1 * pair.x1.qd + pair.m2 * pair.x2.qd;
  const Equations eq = equations_of(std::move(pair.model));
  EXPECT_THAT(names(eq), ElementsAre(kPairMomentum));
  EXPECT_TRUE(is_multiple(eq, kPairMomentum, expected));
  EXPECT_EQ(conserved_quantities(eq).front().name, "energy");
}

TEST(Momenta, OfTwoMassesGoWithWhatTheGroundDoes) {
  Pair held;
  held.spring();
  held.model.potential(held.k / 2 * square(held.x1.q));
  EXPECT_THAT(momenta_of(std::move(held.model)), IsEmpty());

  Pair braked;
  braked.spring();
  const Expr c = braked.model.parameter("c", 0.1, "N*s/m");
  braked.model.damper(braked.x2, c);
  EXPECT_THAT(momenta_of(std::move(braked.model)), IsEmpty());

  // A damper between the two is none of the ground's business; nor is a constant push on both in opposite directions.
  Pair damped;
  damped.spring();
  const Expr d = damped.model.parameter("d", 0.1, "N*s/m"), push = damped.model.parameter("push", 4, "N");
  damped.model.dissipation(d / 2 * square(damped.x1.qd - damped.x2.qd));
  damped.model.generalized_force(damped.x1, push);
  damped.model.generalized_force(damped.x2, -push);
  const Equations eq = equations_of(std::move(damped.model));
  EXPECT_FALSE(eq.conservative);
  EXPECT_THAT(names(eq), ElementsAre(kPairMomentum));
}

// dp/dt = the multiplier of the row times W ξ: 0 where the distance is prescribed, λ where the place is.
TEST(Momenta, UnderRheonomicConstraints) {
  Pair apart;
  apart.model.holonomic("apart", {apart.x2.q - apart.x1.q - sin(apart.model.t)});
  const Equations eq = equations_of(std::move(apart.model));
  EXPECT_FALSE(eq.conservative);
  EXPECT_THAT(names(eq), ElementsAre(kPairMomentum));

  Pair shaken;
  shaken.spring();
  shaken.model.holonomic("shaken", {shaken.x1.q - sin(shaken.model.t)});
  EXPECT_THAT(momenta_of(std::move(shaken.model)), IsEmpty());
}

// An input is zero until something is known of it: with a constant 0 it does not count, as a function of time it does.
TEST(Momenta, WithInputs) {
  for (const bool driven : {false, true}) {
    Pair pair;
    pair.spring();
    const Expr u = pair.model.input("u");
    pair.model.set_input("u", driven ? sin(pair.model.t) : pair.model.constant(0));
    pair.model.generalized_force(pair.x1, u);
    EXPECT_EQ(momenta_of(std::move(pair.model)).size(), driven ? 0u : 1u);
  }
}

struct Space {
  Model model{"space"};
  Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"), z = model.coordinate("z", "m");
  Expr m = model.parameter("m", 1, "kg"), L = model.parameter("L", 1, "m"), g = model.parameter("g", 9.81, "m/s^2");
  Space() { model.kinetic(m / 2 * squares({x.qd, y.qd, z.qd})); }
};

// The spherical pendulum: m (x ẏ − y ẋ), whether the rod is stated by its square or its root, and wherever it hangs.
TEST(Momenta, OfAPendulumAboutTheVertical) {
  for (const bool root : {false, true}) {
    Space s;
    const Expr a = s.model.parameter("a", 0.3, "m"), b = s.model.parameter("b", -0.2, "m");
    s.model.potential(s.m * s.g * s.z.q);
    const Expr r2 = squares({s.x.q - a, s.y.q - b, s.z.q});
    s.model.holonomic("rod", {root ? sqrt(r2) - s.L : r2 - square(s.L)});
    const Expr expected = s.m * ((s.x.q - a) * s.y.qd - (s.y.q - b) * s.x.qd);
    const Equations eq = equations_of(std::move(s.model));
    EXPECT_THAT(names(eq), ElementsAre("angular momentum in the x, y plane"));
    EXPECT_TRUE(is_multiple(eq, "angular momentum in the x, y plane", expected));
  }
}

// On an ellipsoid there is none; on a torus of revolution about z there is.
TEST(Momenta, OfSurfaces) {
  Space ellipsoid;
  ellipsoid.model.holonomic("surface",
                            {squares({ellipsoid.x.q, 2 * ellipsoid.y.q, ellipsoid.z.q}) - square(ellipsoid.L)});
  EXPECT_THAT(momenta_of(std::move(ellipsoid.model)), ElementsAre("angular momentum in the x, z plane"));

  Space torus;
  const Expr rho = sqrt(square(torus.x.q) + square(torus.y.q));
  torus.model.holonomic("surface", {square(rho - 2 * torus.L) + square(torus.z.q) - square(torus.L)});
  torus.model.potential(torus.m * torus.g * torus.z.q);
  EXPECT_THAT(momenta_of(std::move(torus.model)), ElementsAre("angular momentum in the x, y plane"));
}

// Gravity in a direction that parameters give: what is across it is conserved, m (g_y ẋ − g_x ẏ).
TEST(Momenta, AcrossTiltedGravity) {
  Model model("tilted");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m");
  const Expr m = model.parameter("m", 1, "kg"), gx = model.parameter("gx", 1, "m/s^2"),
             gy = model.parameter("gy", 3, "m/s^2");
  model.kinetic(m / 2 * squares({x.qd, y.qd}));
  model.potential(-m * (gx * x.q + gy * y.q));
  const Expr expected = m * (gy * x.qd - gx * y.qd);
  const Equations eq = equations_of(std::move(model));
  EXPECT_THAT(names(eq), ElementsAre("linear momentum (x, y)"));
  EXPECT_TRUE(is_multiple(eq, "linear momentum (x, y)", expected));
}

// Gears: k/2 (r1 φ1 + r2 φ2)² is unchanged along (r2, −r1). Rolling: x' = r φ' allows (r, 1), and no force acts along
// it.
TEST(Momenta, AlongRatiosOfParameters) {
  Model gears("gears");
  const Coordinate a = gears.coordinate("phi1", "rad"), b = gears.coordinate("phi2", "rad");
  const Expr I1 = gears.parameter("I1", 1, "kg*m^2"), I2 = gears.parameter("I2", 2, "kg*m^2"),
             r1 = gears.parameter("r1", 0.1, "m"), r2 = gears.parameter("r2", 0.3, "m"),
             k = gears.parameter("k", 50, "N/m");
  gears.kinetic(I1 / 2 * square(a.qd) + I2 / 2 * square(b.qd));
  gears.potential(k / 2 * square(r1 * a.q + r2 * b.q));
  const Expr expected = I1 * r2 * a.qd - I2 * r1 * b.qd;
  const Equations eq = equations_of(std::move(gears));
  EXPECT_THAT(names(eq), ElementsAre("angular momentum (phi1, phi2)"));
  EXPECT_TRUE(is_multiple(eq, "angular momentum (phi1, phi2)", expected));

  Model wheel("wheel");
  const Coordinate x = wheel.coordinate("x", "m"), phi = wheel.coordinate("phi", "rad");
  const Expr m = wheel.parameter("m", 1, "kg"), I = wheel.parameter("I", 1, "kg*m^2"),
             r = wheel.parameter("r", 0.3, "m");
  wheel.kinetic(m / 2 * square(x.qd) + I / 2 * square(phi.qd));
  wheel.pfaffian("roll", {x.qd - r * phi.qd});
  const Expr rolling = m * r * x.qd + I * phi.qd;
  const Equations rolled = equations_of(std::move(wheel));
  EXPECT_THAT(names(rolled), ElementsAre("momentum (x, phi)"));
  EXPECT_TRUE(is_multiple(rolled, "momentum (x, phi)", rolling));
}

// The ten classical integrals of N bodies but for the energy and the centre of mass: three momenta, three angular
// momenta.
TEST(Momenta, OfThreeBodies) {
  Model model("bodies");
  const Expr G = model.parameter("G", 1);
  std::vector<Expr> mass;
  std::vector<std::array<Coordinate, 3>> bodies;
  for (const char* i : {"1", "2", "3"}) {
    mass.push_back(model.parameter(std::string("m") + i, 1));
    const auto axis = [&](const char* name) { return model.coordinate(std::string(name) + i, "m"); };
    const Coordinate x = axis("x"), y = axis("y"), z = axis("z");
    bodies.push_back({x, y, z});
    model.kinetic(mass.back() / 2 * squares({x.qd, y.qd, z.qd}));
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = bodies[i], &b = bodies[j];
      model.potential(-G * mass[i] * mass[j] / sqrt(squares({a[0].q - b[0].q, a[1].q - b[1].q, a[2].q - b[2].q})));
    }
  Expr spin = model.constant(0), push = spin;
  for (std::size_t i = 0; i < 3; ++i) {
    spin = spin + mass[i] * (bodies[i][0].q * bodies[i][1].qd - bodies[i][1].q * bodies[i][0].qd);
    push = push + mass[i] * bodies[i][2].qd;
  }
  const Equations eq = equations_of(std::move(model));
  EXPECT_EQ(eq.momenta.size(), 6u);
  EXPECT_TRUE(is_multiple(eq, "angular momentum in the x, y plane (x1, y1, x2, y2, x3, y3)", spin));
  EXPECT_TRUE(is_multiple(eq, "linear momentum along z (z1, z2, z3)", push));
}

// Two rods in maximal coordinates, pinned to each other. Turned as a whole, each row of the pin becomes the other: on
// the constraints nothing changes. Pinned to the ground at the origin as well, only the rotation is left; with gravity
// nothing.
Model two_rods(bool pinned, bool heavy) {
  Model model("rods");
  const Expr l = model.parameter("l", 0.3, "m"), g = model.parameter("g", 9.81, "m/s^2");
  std::vector<Coordinate> x, y, a;
  for (const char* i : {"1", "2"}) {
    x.push_back(model.coordinate(std::string("x") + i, "m"));
    y.push_back(model.coordinate(std::string("y") + i, "m"));
    a.push_back(model.coordinate(std::string("a") + i, "rad"));
    const Expr m = model.parameter(std::string("m") + i, 1, "kg"),
               I = model.parameter(std::string("I") + i, 1, "kg*m^2");
    model.kinetic(m / 2 * squares({x.back().qd, y.back().qd}) + I / 2 * square(a.back().qd));
    if (heavy) model.potential(m * g * y.back().q);
  }
  model.holonomic("pin", {x[0].q + l * cos(a[0].q) - x[1].q + l * cos(a[1].q),
                          y[0].q + l * sin(a[0].q) - y[1].q + l * sin(a[1].q)});
  if (pinned) model.holonomic("ground", {x[0].q - l * cos(a[0].q), y[0].q - l * sin(a[0].q)});
  return model;
}
TEST(Momenta, OfRodsInMaximalCoordinates) {
  const char* const spin = "angular momentum in the x, y plane (x1, y1, a1, x2, y2, a2)";
  EXPECT_THAT(momenta_of(two_rods(false, false)),
              UnorderedElementsAre(spin, "linear momentum along x (x1, x2)", "linear momentum along y (y1, y2)"));
  EXPECT_THAT(momenta_of(two_rods(false, true)), ElementsAre("linear momentum along x (x1, x2)"));
  EXPECT_THAT(momenta_of(two_rods(true, false)), ElementsAre(spin));
  EXPECT_THAT(momenta_of(two_rods(true, true)), IsEmpty());
}

// A rigid body whose kinetic energy knows directions of its own (Kirchhoff's in a fluid): both momenta, and p_θ with
// the orbital part.
TEST(Momenta, OfABodyInAFluid) {
  Model model("fluid");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"), a = model.coordinate("a", "rad");
  const Expr m1 = model.parameter("m1", 1, "kg"), m2 = model.parameter("m2", 2, "kg"),
             I = model.parameter("I", 1, "kg*m^2");
  const Expr along = x.qd * cos(a.q) + y.qd * sin(a.q), across = y.qd * cos(a.q) - x.qd * sin(a.q);
  model.kinetic(m1 / 2 * square(along) + m2 / 2 * square(across) + I / 2 * square(a.qd));
  const Equations eq = equations_of(std::move(model));
  EXPECT_THAT(names(eq), ElementsAre("p[x]", "p[y]", "angular momentum in the x, y plane (x, y, a)"));
  EXPECT_TRUE(is_multiple(eq, names(eq)[2], x.q * eq.p[1] - y.q * eq.p[0] + I * a.qd));
}

// The knife edge of the Chaplygin sleigh pushes along every direction: no momentum is conserved (Neimark, Fufaev, ch.
// II §3). Rolling on a line, the disk's steering angle is free.
TEST(Momenta, UnderPfaffianConstraints) {
  Model model("sleigh");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"), a = model.coordinate("a", "rad");
  const Expr m = model.parameter("m", 1, "kg"), I = model.parameter("I", 1, "kg*m^2"),
             b = model.parameter("b", 0.2, "m");
  const Expr xc = x.q + b * cos(a.q), yc = y.q + b * sin(a.q);
  model.body("sleigh", m, I, {xc, yc}, a.q);
  model.pfaffian("knife", {y.qd * cos(a.q) - x.qd * sin(a.q)});
  EXPECT_THAT(momenta_of(std::move(model)), IsEmpty());
}

// Velocities that enter L linearly: a charge in a uniform magnetic field in the gauge A = B/2 (−y, x). Then
// m (x ẏ − y ẋ) + q B/2 (x² + y²) is conserved (Landau, Lifshitz, The Classical Theory of Fields, §21).
TEST(Momenta, InAMagneticField) {
  Model model("charge");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m");
  const Expr m = model.parameter("m", 1), qB = model.parameter("qB", 2);
  model.lagrangian(m / 2 * squares({x.qd, y.qd}) + qB / 2 * (x.q * y.qd - y.q * x.qd));
  const Expr expected = m * (x.q * y.qd - y.q * x.qd) + qB / 2 * squares({x.q, y.q});
  const Equations eq = equations_of(std::move(model));
  EXPECT_THAT(names(eq), ElementsAre("angular momentum in the x, y plane"));
  EXPECT_TRUE(is_multiple(eq, names(eq)[0], expected));
}

// A potential that jumps has slope 0 beside the jump, and gives a push there. Along what the jump does not notice, the
// momentum stays.
TEST(Momenta, AcrossJumpsOfThePotential) {
  const auto step = [](const Expr& where, const Expr& height) {
    const Expr zero = height.graph().constant(0);
    const Expr positive = height.graph().function(Op::kLess, std::array{zero, where});
    return height.graph().function(Op::kSelect, std::array{positive, height, zero});
  };
  Pair ground;
  const Expr V0 = ground.model.parameter("V0", 3, "J");
  ground.model.potential(step(ground.x1.q, V0));
  EXPECT_THAT(momenta_of(std::move(ground.model)), ElementsAre("p[x2]"));

  Pair between;
  const Expr V1 = between.model.parameter("V1", 3, "J");
  between.model.potential(step(between.x1.q - between.x2.q, V1));
  EXPECT_THAT(momenta_of(std::move(between.model)), ElementsAre(kPairMomentum));

  Pair signs;
  const Expr V2 = signs.model.parameter("V2", 3, "J");
  signs.model.potential(V2 * sign(signs.x1.q));
  EXPECT_THAT(momenta_of(std::move(signs.model)), ElementsAre("p[x2]"));
}

// A domain without points (a root of a negative number) stops the search, not the derivation.
TEST(Momenta, WithoutAPoint) {
  Pair pair;
  pair.model.potential(sqrt(pair.model.constant(-3) - square(pair.x1.q - pair.x2.q)));
  EXPECT_THAT(momenta_of(std::move(pair.model)), IsEmpty());
}

// Beyond its bound nothing is tried but cyclic coordinates, and 400 of these take no time.
TEST(Momenta, OfLargeSystems) {
  Model model("row");
  const Expr m = model.parameter("m", 1, "kg"), k = model.parameter("k", 1, "N/m");
  std::vector<Coordinate> x;
  for (int i = 0; i < 400; ++i) {
    x.push_back(model.coordinate("x" + std::to_string(i), "m"));
    model.kinetic(m / 2 * square(x.back().qd));
    if (i > 1) model.potential(k / 2 * square(x[x.size() - 1].q - x[x.size() - 2].q));
  }
  EXPECT_THAT(momenta_of(std::move(model)), ElementsAre("p[x0]"));
}

// Truth: by hand. (1, 1, 0) and (0, 1, 1) leave (1, −1, 1).
TEST(NullSpace, OfAFewRows) {
  NullSpace space(3);
  EXPECT_TRUE(space.add({1, 1, 0}));
  EXPECT_TRUE(space.add({0, 1e3, 1e3}));
  EXPECT_FALSE(space.add({1, 2, 1}));
  EXPECT_FALSE(space.add({0, 0, 0}));
  ASSERT_EQ(space.dimension(), 1u);
  auto basis = space.basis();
  reduce(basis);
  ASSERT_EQ(basis.size(), 1u);
  EXPECT_THAT(basis[0], ElementsAre(1, -1, 1));
  EXPECT_EQ(NullSpace(2).basis().size(), 2u);
}

// Rows of numbers that 1 cannot be divided by, or that are none, end the search, and nothing is said to be conserved: λ of such a row
// acts on every momentum.
TEST(Momenta, RowsOfAnySizeEndTheSearch) {
  for (const char* factor : {"1e-320", "1e308", "1"})
    for (const int power : {1, 2}) {
      Pair pair;
      const Expr a = pow(pair.model.constant(*Rational::parse(factor)), Rational(power));
      pair.model.pfaffian("row", {a * (pair.x2.q * pair.x1.qd + pair.x2.qd)});
      EXPECT_THAT(momenta_of(std::move(pair.model)), IsEmpty()) << factor << "^" << power;
    }
  NullSpace space(2);
  EXPECT_FALSE(space.add({1e-320, 0}));
  EXPECT_FALSE(space.add({std::numeric_limits<double>::quiet_NaN(), 1}));
  EXPECT_FALSE(space.add({1, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(space.dimension(), 2u);
}

TEST(NullSpace, ReducedVectors) {
  std::vector<std::vector<double>> vectors{{0, 2, 4, 2}, {0, 1, 4, 3}};  // by hand; each step in powers of 2
  reduce(vectors);
  EXPECT_THAT(vectors, ElementsAre(ElementsAre(0, 1, 0, -1), ElementsAre(0, 0, 1, 1)));
}

}  // namespace
}  // namespace dalembert
