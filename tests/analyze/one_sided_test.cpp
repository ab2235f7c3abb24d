// SPDX-License-Identifier: Apache-2.0
// Stability where the equations have no derivative, and where W loses rank. Truth: energies that are sums of f_i(n_i·x) with orthogonal
// n_i and a unit mass move in each direction by themselves, so a rest is stable where every side of every f_i rises, and is left
// where one falls or is flat.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/analyze/stability/equilibria.h"
#include "dalembert/analyze/stability/one_sided.h"
#include "dalembert/analyze/stability/stability.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

System particle(int n, const std::string& potential, const std::string& rest = "") {
  const char* names[] = {"x", "y", "z"};
  std::string coordinates, kinetic;
  for (int i = 0; i < n; ++i) {
    coordinates += fmt::format("{}\"{}\"", i > 0 ? ", " : "", names[i]);
    kinetic += fmt::format("{}dot({})^2/2", i > 0 ? " + " : "", names[i]);
  }
  return loaded(
      fmt::format("name = \"particle\"\ncoordinates = [{}]\n[energy]\nkinetic = \"{}\"\npotential = \"{}\"\n{}",
                  coordinates, kinetic, potential, rest));
}

Stability judged_at(const System& system, const std::vector<double>& q) {
  const EquationDerivatives derivatives(system.equations);
  const SteadySystem steady{&system.dynamics, &derivatives};
  const Result<LinearMotion> motion = linearize(steady, {0, q, std::vector<double>(q.size())});
  EXPECT_TRUE(motion.ok()) << render(motion.diagnostics());
  if (!motion) return {};
  EXPECT_EQ(motion->kind, MotionKind::kEquilibrium);
  return judge_stability(steady, system.equations, *motion);
}

Stability judged_at_origin(const System& system) {
  return judged_at(system, std::vector<double>(static_cast<std::size_t>(system.dynamics.nq())));
}

// Those of one freedom, each with what it is.
TEST(OneSided, OfOneFreedom) {
  using enum StabilityVerdict;
  const std::vector<std::pair<std::string, StabilityVerdict>> known{{"if(x < 0, -x^2/2, x^2/2)", kUnstable},
                                                                    {"-abs(x)", kUnstable},
                                                                    {"max(0, x)^2/2", kUnstable},
                                                                    {"if(x < 0, x^2, x^2/2)", kStable},
                                                                    {"abs(x)", kStable},
                                                                    {"abs(x) - x^2", kStable},
                                                                    {"if(x < 0, -x, x^2)", kStable},
                                                                    {"if(x < 0, -x, -x^2)", kUnstable},
                                                                    {"min(x, 2*x^2)", kUnstable},
                                                                    {"x*sign(x)", kStable}};
  for (const auto& [potential, verdict] : known) {
    const Stability stability = judged_at_origin(particle(1, potential));
    EXPECT_EQ(to_text(stability.verdict), to_text(verdict)) << potential;
    EXPECT_TRUE(stability.undecided.empty()) << potential << ": " << stability.undecided;
    EXPECT_TRUE(stability.modes.empty()) << potential;
    ASSERT_EQ(stability.because.size(), 1U) << potential;
  }
  // Whatever order, and chosen inside of another choice.
  EXPECT_EQ(judged_at_origin(particle(1, "if(x < 0, -x^3, x^2)")).verdict, kStable);
  EXPECT_EQ(judged_at_origin(particle(1, "if(x < 0, -x^4, x^2)")).verdict, kUnstable);
  EXPECT_EQ(judged_at_origin(particle(1, "abs(min(x, 0))^2")).verdict, kUnstable);
  EXPECT_EQ(judged_at_origin(particle(1, "max(abs(x), x^2)")).verdict, kStable);
  // Each choice within the next, 300 deep: all that one side decides is held at once, or this takes minutes.
  std::string deep = "max(abs(x)";
  for (int i = 2; i <= 300; ++i) deep += fmt::format(", {}*abs(x)", i);
  EXPECT_EQ(judged_at_origin(particle(1, deep + ")")).verdict, kStable);
  EXPECT_EQ(judged_at_origin(particle(1, "-" + deep + ")")).verdict, kUnstable);
  // Multiples of one guard are one guard; their own choices would contradict each other.
  const Stability multiples = judged_at_origin(particle(
      1, "if(x < 0, -x, x^2) + if(-2*x > 0, -x, 0) + if(3*x < 0, x^2, 0) + if(5*x < 0, x, 0) + if(7*x < 0, x^2, 0)"));
  EXPECT_EQ(multiples.verdict, kStable);
  EXPECT_TRUE(multiples.undecided.empty()) << multiples.undecided;
  // |x|² is x², although sign(0)² is 0 and not 1.
  const Stability square = judged_at_origin(particle(1, "abs(x)^2"));
  EXPECT_EQ(square.verdict, kStable);
  ASSERT_EQ(square.modes.size(), 2U);
  EXPECT_NEAR(square.modes[0].eigenvalue.imag(), std::sqrt(2), 1e-12);
  // Both sides of |x|³ have the second derivative 0.
  EXPECT_EQ(judged_at_origin(particle(1, "abs(x)^3")).verdict, kStable);
  EXPECT_EQ(judged_at_origin(particle(1, "max(0, x)^3")).verdict, kUnstable);
  // A force of whatever side is chosen at 0 itself: that this is no rest is not said.
  const System wedge = particle(1, "max(x, -3*x)");
  const EquationDerivatives derivatives(wedge.equations);
  const SteadySystem steady{&wedge.dynamics, &derivatives};
  const Result<LinearMotion> motion = linearize(steady, {0, {0}, {0}});
  ASSERT_TRUE(motion.ok());
  EXPECT_FALSE(judge_stability(steady, wedge.equations, *motion).undecided.empty());
  // Kinks elsewhere change nothing.
  EXPECT_EQ(judged_at_origin(particle(1, "x^2 + max(0, x - 1)^2")).verdict, kStable);
  EXPECT_EQ(judged_at_origin(particle(1, "x^2 + max(0, x)^4")).verdict, kStable);
  // Round-off of forces that balance away from 0 leads nowhere.
  EXPECT_EQ(judged_at(particle(1, "3*(x - 0.1)^2 + max(0, x - 0.1)^2"), {0.1}).verdict, kStable);
  EXPECT_EQ(judged_at(particle(1, "5*(x + 0.7)^2/2 - 5*x + max(x, 0.3)^2/2 - 0.3*max(x, 0.3)"), {0.3}).verdict,
            kStable);
  EXPECT_EQ(judged_at(particle(1, "1e-9*abs(x - 0.1)"), {0.1}).verdict, kStable);
  EXPECT_EQ(judged_at(particle(1, "max(0, x - 0.1)^4 - min(0, x - 0.1)^3"), {0.1}).verdict, kStable);
  // It drifts along the flat side, whatever the other coordinate does; families of one side are none.
  EXPECT_NE(judged_at_origin(particle(2, "max(0, x)^4 + y^2")).verdict, kStable);
  // A jump of the energy is no wall.
  EXPECT_NE(judged_at_origin(particle(2, "if(x < 0, x^2 + y^2, 2*x^2 + y^2 + y^3)")).verdict, kStable);
}

TEST(OneSided, PulledBackAndDampedOnBothSides) {
  const std::string damper = "[[force]]\ncoordinate = \"x\"\nvalue = \"-dot(x)\"\n";
  EXPECT_EQ(judged_at_origin(particle(1, "if(x < 0, 2*x^2, x^2/2)", damper)).verdict,
            StabilityVerdict::kAsymptoticallyStable);
  EXPECT_EQ(judged_at_origin(particle(1, "if(x < 0, 2*x^2, -x^2/2)", damper)).verdict, StabilityVerdict::kUnstable);
  // Flat on one side it stays where it is put: nothing of this decides.
  EXPECT_EQ(judged_at_origin(particle(1, "max(0, x)^2", damper)).verdict, StabilityVerdict::kMarginal);
  // At speeds of 1 nothing resists, at others something does.
  const std::string resists = "[[force]]\ncoordinate = \"x\"\nvalue = \"dot(x)^3 - dot(x)\"\n";
  EXPECT_EQ(judged_at_origin(particle(1, "max(0, x)^2", resists)).verdict, StabilityVerdict::kMarginal);
  // A drag |v| v has a kink at every rest, of second order.
  const std::string drag = "[[force]]\ncoordinate = \"x\"\nvalue = \"-abs(dot(x))*dot(x) - dot(x)\"\n";
  EXPECT_EQ(judged_at_origin(particle(1, "x^2", drag)).verdict, StabilityVerdict::kAsymptoticallyStable);
}

// A spring of k = 1 while it goes outwards and of 4 while it comes back: ½ẋ² + ½k x² gains 3x²/2 at each turn, which the damping does not take.
// The guard x ẋ has no slope at 0, and contains ẋ all the same.
TEST(OneSided, AGuardOfVelocityMayHaveNoSlope) {
  for (const char* force :
       {"-if(x*dot(x) > 0, 1, 4)*x - 0.01*dot(x)", "-if(2*x^2 + x*dot(x) > 0, 1, 4)*x - 0.01*dot(x)",
        "-if(sin(x)*dot(x) > 0, 1, 4)*sin(x) - 0.1*dot(x)",
        "-if(x*dot(x) > 0, 1, 4)*x - 0.1*dot(x) + 0*if(x > 0, 1, 2)"}) {
    const Stability stability =
        judged_at_origin(particle(1, "0", fmt::format("[[force]]\ncoordinate = \"x\"\nvalue = \"{}\"\n", force)));
    EXPECT_EQ(to_text(stability.verdict), "marginal") << force;
    EXPECT_FALSE(stability.undecided.empty()) << force;
  }
}

// ẍ = −ẋ + f with f = 0 on one side of the limit, where all x are equilibria, and f of second order on the other, where it drifts off; with f = −|ẋ|ẋ
// all x are equilibria on both sides.
TEST(OneSided, AFamilyHoldsWhereAllSidesRestAlike) {
  const auto judged = [](const std::string& force) {
    return judged_at_origin(
        particle(1, "0", fmt::format("[[force]]\ncoordinate = \"x\"\nvalue = \"-dot(x) + {}\"\n", force)));
  };
  for (const char* force : {"if(x^3 > 0, 0, -x^2)", "if(dot(x) > 0, x^2, 0)", "if(x*dot(x) > 0, x^3, 0)"})
    EXPECT_EQ(to_text(judged(force).verdict), "marginal") << force;
  // Here x is no cyclic coordinate: x² ẋ² depends on it.
  EXPECT_EQ(to_text(judged("x^2*dot(x)^2 - abs(dot(x))*dot(x)").verdict), "stable");
  EXPECT_EQ(to_text(judged("if(x > 0, 1, 2)*dot(x)^2").verdict), "stable");
}

// Beside a spring of 10¹² N/m another of −1 N/m on one side is as real as alone.
TEST(OneSided, StiffDirectionsHideNoOther) {
  for (const char* soft : {"if(x > 0, -x^2/2, x^2/2)", "if(x < 0, -x^2/2, x^2/2)"}) {
    const Stability stability = judged_at_origin(particle(2, fmt::format("1e12*y^2/2 + {}", soft)));
    EXPECT_TRUE(stability.verdict == StabilityVerdict::kUnstable || !stability.undecided.empty()) << soft;
  }
  // The mean of its damping is −2, whatever it is on the side that the limit belongs to.
  for (const char* damping : {"if(dot(x) > 0, 1, -5)", "if(dot(x) < 0, -5, 1)"})
    EXPECT_NE(
        judged_at_origin(particle(1, "1e12*x^2/2",
                                  fmt::format("[[force]]\ncoordinate = \"x\"\nvalue = \"-({})*dot(x)\"\n", damping)))
            .verdict,
        StabilityVerdict::kAsymptoticallyStable)
        << damping;
}

// L = ½ẋ² − ½x² − x² max(ẋ − x, 0): where ẋ > x the force 3x² does the work 2a³ from x = −a to a, and nothing takes it back. The second
// potential jumps by x³ where y = 0, so that x³ is gained at each crossing.
TEST(OneSided, AnEnergyThatJumpsProvesNothing) {
  const System pumped = loaded(
      "name = \"pumped\"\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"dot(x)^2/2 - x^2*max(dot(x) - x, 0)\"\n"
      "potential = \"x^2/2\"\n");
  EXPECT_EQ(to_text(judged_at_origin(pumped).verdict), "marginal");
  EXPECT_EQ(to_text(judged_at_origin(particle(2, "(x^2 + y^2)/2 + if(y > 0, x^3, 0)")).verdict), "marginal");
  EXPECT_EQ(to_text(judged_at_origin(particle(2, "(x^2 + y^2)/2 + if(y > 0, x^3, x^3 + y^3)")).verdict), "stable");
}

TEST(OneSided, OfSeveralFreedomsInRandomDirections) {
  std::mt19937 random(5);
  const auto any = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  for (int k = 0; k < 24; ++k) {
    const double angle = any(0.1, 1.4);
    const std::string along[] = {fmt::format("({}*x + {}*y)", std::cos(angle), std::sin(angle)),
                                 fmt::format("({}*y - {}*x)", std::cos(angle), std::sin(angle))};
    std::string potential;
    bool rises = true;
    for (const std::string& e : along) {
      double left = any(0.5, 2), right = any(0.5, 2);
      if (k % 2 == 1 && &e == &along[1]) (any(0, 1) < 0.5 ? left : right) *= -1;
      rises = rises && left > 0 && right > 0;
      const int power = any(0, 1) < 0.5 ? 1 : 2;
      potential += fmt::format("{}if({} < 0, ({})*(-{})^{}, ({})*{}^2)", potential.empty() ? "" : " + ", e, left, e,
                               power, right, e);
    }
    const Stability stability = judged_at_origin(particle(2, potential));
    // Where several kinks meet not every fall is decided, but every hollow is.
    if (rises)
      EXPECT_EQ(to_text(stability.verdict), "stable") << potential << ": " << stability.undecided;
    else if (stability.undecided.empty())
      EXPECT_EQ(to_text(stability.verdict), "unstable") << potential;
  }
}

// At the crossing of x y = 0 two planes meet; W vanishes.
TEST(RankLoss, NothingIsStableWhereMotionsBranch) {
  for (const char* row : {"x*y", "x^2 - y^2", "x*sin(y)"}) {
    const System system =
        particle(3, "x^2 + y^2 + z^2", fmt::format("[[constraint]]\nname = \"c\"\nholonomic = \"{}\"\n", row));
    const EquationDerivatives derivatives(system.equations);
    const SteadySystem steady{&system.dynamics, &derivatives};
    const State origin{0, {0, 0, 0}, {0, 0, 0}};
    EXPECT_FALSE(linearize(steady, origin).ok()) << row;
    int here = 0;
    for (const Equilibrium& found : find_equilibria(steady, system.equations, origin)) {
      double far = 0;
      for (const double q : found.motion.at.q) far = std::max(far, std::abs(q));
      if (far > 1e-6) continue;
      ++here;
      EXPECT_EQ(found.stability.verdict, StabilityVerdict::kMarginal) << row;
      EXPECT_FALSE(found.stability.undecided.empty()) << row;
    }
    EXPECT_EQ(here, 1) << row;
  }
}

// Three equal rockers carry a plate: on a line with their pivots the constraints lose two of six ranks, and multipliers
// without bound pretend an equilibrium. In truth it hangs, or stands.
TEST(RankLoss, NoEquilibriumAtTheChangePointOfThreeRockers) {
  std::mt19937 random(7);
  for (int k = 0; k < 3; ++k) {
    const double length = std::uniform_real_distribution(0.2, 1.5)(random),
                 width = std::uniform_real_distribution(0.3, 1.2)(random);
    const System system = loaded(fmt::format(R"toml(
name = "rockers"
coordinates = ["x", "y", {{name = "a", unit = "rad"}}, {{name = "th{{i}}", unit = "rad", for = "i in 1..3"}}]
[parameters]
l = {}
w = {}
[energy]
kinetic = "3*(dot(x)^2 + dot(y)^2)/2 + dot(a)^2/8 + sum(i in 1..3, dot(th{{i}})^2/100)"
potential = "30*y"
[[constraint]]
for = "i in 1..3"
name = "pin{{i}}"
holonomic = ["x + ({{i-2}})*w*cos(a) - ({{i-2}})*w - l*sin(th{{i}})", "y + ({{i-2}})*w*sin(a) + l*cos(th{{i}})"]
[initial]
position = {{th1 = {}}}
guess = {{th2 = 1.57, th3 = 1.575, x = {}, y = 0.001}}
)toml",
                                             length, width, M_PI / 2, length));
    const Assembly assembly = system.assemble_guess();
    ASSERT_TRUE(assembly.ok());
    EXPECT_EQ(assembly.rank, 4) << "length " << length << ", width " << width;
    const EquationDerivatives derivatives(system.equations);
    const SteadySystem steady{&system.dynamics, &derivatives};
    for (const Equilibrium& found : find_equilibria(steady, system.equations, assembly.state)) {
      EXPECT_NEAR(std::sin(found.motion.at.q[3]), 0, 1e-8);
      EXPECT_EQ(found.stability.verdict,
                std::cos(found.motion.at.q[3]) > 0 ? StabilityVerdict::kStable : StabilityVerdict::kUnstable);
    }
  }
}

}  // namespace
}  // namespace dalembert
