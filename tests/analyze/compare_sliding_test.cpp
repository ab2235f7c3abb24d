// SPDX-License-Identifier: Apache-2.0
// Models in other coordinates with frictions in a plane, and with frictions at one-sided constraints. Truth: Coulomb's law has no directions of its own, |f| <= mu N along v; it is the same
// law by turned, mirrored and scaled axes and in polar coordinates, and another one with another coefficient, normal force or shape. Equations times a number are the same motion with forces times it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/compare_by_map.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

const std::string kSlidingParameters = R"toml([parameters]
g = 9.81
m = 2
alpha = 0.3
mu = 0.4
c = 0.7
)toml";

std::string sliding_model(const std::string& coordinates, const std::string& kinetic, const std::string& potential,
                          const std::string& more) {
  return "name = \"slides\"\ncoordinates = [" + coordinates + "]\n" + kSlidingParameters + "[energy]\nkinetic = \"" +
         kinetic + "\"\npotential = \"" + potential + "\"\n" + more;
}

std::string floor_of(const std::string& h, const std::string& more = "") {
  return "[[constraint]]\nname = \"floor\"\nholonomic = \"" + h + "\"\n" + more;
}
const std::string kOneSided = "unilateral = true\nrestitution = 0.5\n";

std::string rub_of(const std::string& normal, const std::string& velocity, const std::string& mu = "mu",
                   const std::string& more = "") {
  return "[[friction]]\nname = \"rub\"\nnormal = \"" + normal + "\"\nvelocity = " + velocity + "\ncoefficient = \"" +
         mu + "\"\n" + more;
}

std::string plane_of(const std::string& first, const std::string& second) {
  return "[\"" + first + "\", \"" + second + "\"]";
}

// "contact floor proved, friction rub disproved, …"
std::string verdicts_sliding(const ModelComparison& comparison) {
  std::string all;
  for (const AuditedClaim& claim : comparison.report.claims)
    all += (all.empty() ? "" : ", ") + claim.entry +
           (claim.verdict == ClaimVerdict::kProved      ? " proved"
            : claim.verdict == ClaimVerdict::kDisproved ? " disproved"
                                                        : " undecided");
  return all;
}

const AuditedClaim& claim_sliding(const ModelComparison& comparison, const std::string& entry) {
  static const AuditedClaim none;
  for (const AuditedClaim& claim : comparison.report.claims)
    if (claim.entry == entry) return claim;
  ADD_FAILURE() << "no claim " << entry << " in " << verdicts_sliding(comparison);
  return none;
}

// --- a block on a rough floor in space, pulled along x

const std::string kBlock =
    sliding_model(R"("x", "y", "z")", "m/2*(x'^2 + y'^2 + z'^2)", "m*g*z - m*g/10*x",
                  floor_of("z") + rub_of("lambda(floor)", plane_of("x'", "y'"), "mu", "viscous = \"c\"\n"));
const NamedFormulas kTurnedBlock{
    {"u", "x*cos(alpha) + y*sin(alpha)"}, {"w", "y*cos(alpha) - x*sin(alpha)"}, {"h", "z"}};
// `mass` is T's factor.
std::string turned_block(const std::string& rub, const std::string& mass = "m/2") {
  return sliding_model(R"("u", "w", "h")", mass + "*(u'^2 + w'^2 + h'^2)",
                       "m*g*h - m*g/10*(u*cos(alpha) - w*sin(alpha))", floor_of("2*h") + rub);
}
const std::string kAllOfBlock =
    "constraint floor proved, friction rub proved, freedoms proved, eom along x' proved, eom along y' proved";

TEST(CompareSliding, AFrictionInAPlaneHasNoDirectionsOfItsOwn) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  // The axes of u and w; turned back; mirrored; twice the speeds, with half the coefficient and a quarter of the viscous one.
  for (const std::string& rub :
       {rub_of("2*lambda(floor)", plane_of("u'", "w'"), "mu", "viscous = \"c\"\n"),
        rub_of("2*lambda(floor)", plane_of("u'*cos(alpha) - w'*sin(alpha)", "u'*sin(alpha) + w'*cos(alpha)"), "mu",
               "viscous = \"c\"\n"),
        rub_of("2*lambda(floor)", plane_of("w'", "u'"), "mu", "viscous = \"c\"\n"),
        rub_of("-2*lambda(floor)", plane_of("2*u'", "-2*w'"), "mu/2", "viscous = \"c/4\"\n"),
        rub_of("2*lambda(floor)", plane_of("u' + w'", "w' - u'"), "mu/sqrt(2)", "viscous = \"c/2\"\n")})
    EXPECT_EQ(verdicts_sliding(compared_by(kBlock, turned_block(rub), kTurnedBlock)), kAllOfBlock) << rub;
}

TEST(CompareSliding, AnotherFrictionInAPlaneIsRefuted) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto with = [](const std::string& rub) { return compared_by(kBlock, turned_block(rub), kTurnedBlock); };
  // Half the normal force; twice the speeds with the same coefficient.
  const ModelComparison half = with(rub_of("lambda(floor)", plane_of("u'", "w'"), "mu", "viscous = \"c\"\n"));
  EXPECT_EQ(claim_sliding(half, "friction rub").verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claim_sliding(half, "friction rub").note, HasSubstr("where it slides"));
  EXPECT_EQ(claim_sliding(half, "eom along x'").note, "the forces of friction differ");
  const ModelComparison twice = with(rub_of("2*lambda(floor)", plane_of("2*u'", "2*w'"), "mu", "viscous = \"c/4\"\n"));
  EXPECT_EQ(claim_sliding(twice, "friction rub").verdict, ClaimVerdict::kDisproved);
  // Another static coefficient alone.
  const ModelComparison holds =
      with(rub_of("2*lambda(floor)", plane_of("u'", "w'"), "mu", "viscous = \"c\"\nstatic = \"2*mu\"\n"));
  EXPECT_THAT(claim_sliding(holds, "friction rub").note, HasSubstr("can hold"));
  EXPECT_EQ(verdicts_sliding(holds), "constraint floor proved, friction rub disproved, freedoms proved");
  // The speeds of a stretched plane are no such friction, and give another motion.
  const ModelComparison stretched = with(rub_of("2*lambda(floor)", plane_of("u'", "2*w'"), "mu", "viscous = \"c\"\n"));
  EXPECT_EQ(claim_sliding(stretched, "friction rub").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim_sliding(stretched, "eom along y'").verdict, ClaimVerdict::kDisproved);
  // Viscous friction is judged by the motion.
  const ModelComparison thick = with(rub_of("2*lambda(floor)", plane_of("u'", "w'"), "mu", "viscous = \"2*c\"\n"));
  EXPECT_EQ(claim_sliding(thick, "friction rub").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim_sliding(thick, "eom along x'").note, "the forces of friction differ");
}

TEST(CompareSliding, AWrongMassIsNamed) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const ModelComparison heavy =
      compared_by(kBlock, turned_block(rub_of("2*lambda(floor)", plane_of("u'", "w'"), "mu", "viscous = \"c\"\n"), "m"),
                  kTurnedBlock);
  EXPECT_EQ(claim_sliding(heavy, "friction rub").verdict, ClaimVerdict::kProved);
  EXPECT_EQ(claim_sliding(heavy, "eom along y'").verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(claim_sliding(heavy, "eom along y'").note, "the kinetic energies differ");
}

// Directions that turn with the position: v' = K(q) v. At r = 0 the map has no full rank.
TEST(CompareSliding, PolarCoordinates) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto polar = [](const std::string& speeds) {
    return sliding_model(R"("r", "phi")", "m/2*(r'^2 + r^2*phi'^2)", "0", rub_of("m*g", speeds));
  };
  const std::string flat = sliding_model(R"("x", "y")", "m/2*(x'^2 + y'^2)", "0", rub_of("m*g", plane_of("x'", "y'")));
  const NamedFormulas map{{"x", "r*cos(phi)"}, {"y", "r*sin(phi)"}};
  EXPECT_EQ(verdicts_sliding(compared_by(polar(plane_of("r'", "r*phi'")), flat, map)),
            "friction rub proved, eom[r] proved, eom[phi] proved");
  // phi' is no speed along the plane.
  const ModelComparison wrong = compared_by(polar(plane_of("r'", "phi'")), flat, map);
  EXPECT_EQ(claim_sliding(wrong, "friction rub").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim_sliding(wrong, "eom[phi]").verdict, ClaimVerdict::kDisproved);
}

// --- equations times a number

TEST(CompareSliding, TwiceTheMassAndTheForcesIsTheSameMotion) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto belt = [](const std::string& factor, const std::string& normal, const std::string& spring) {
    return sliding_model(R"("x")", factor + "*x'^2", spring, rub_of(normal, "\"x' - alpha\""));
  };
  const std::string here = belt("m/2", "m*g", "c/2*x^2");
  EXPECT_EQ(verdicts_sliding(compared_by(here, belt("m", "2*m*g", "c*x^2"), {{"x", "x"}})),
            "friction rub proved, eom[x] proved");
  // Without the spring a block twice as heavy rubs twice as much and moves the same; with the friction of the light one it does not.
  EXPECT_EQ(verdicts_sliding(compared_by(belt("m/2", "m*g", "0"), belt("m", "2*m*g", "0"), {{"x", "x"}})),
            "friction rub proved, eom[x] proved");
  EXPECT_EQ(verdicts_sliding(compared_by(belt("m/2", "m*g", "0"), belt("m", "m*g", "0"), {{"x", "x"}})),
            "friction rub proved, eom[x] disproved");
  const ModelComparison spring = compared_by(here, belt("m", "2*m*g", "c/2*x^2"), {{"x", "x"}});
  EXPECT_EQ(claim_sliding(spring, "eom[x]").note,
            "the potential energies differ, beside masses that are 2 times those here");
}

// Another speed of the belt; no friction at all.
TEST(CompareSliding, FrictionThatIsNotThere) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto on_belt = [](const std::string& more) { return sliding_model(R"("x")", "m/2*x'^2", "c/2*x^2", more); };
  const std::string here = on_belt(rub_of("m*g", "\"x' - alpha\""));
  const ModelComparison back = compared_by(here, on_belt(rub_of("m*g", "\"x' + alpha\"")), {{"x", "x"}});
  EXPECT_EQ(verdicts_sliding(back), "friction rub undecided, friction rub undecided, eom[x] disproved");
  EXPECT_EQ(verdicts_sliding(compared_by(here, on_belt(""), {{"x", "x"}})), "friction rub disproved, eom[x] disproved");
  EXPECT_EQ(verdicts_sliding(compared_by(on_belt(""), here, {{"x", "x"}})), "friction rub disproved, eom[x] disproved");
  // Half of it by a formula that jumps is the same while it slides: not refuted.
  const ModelComparison halves =
      compared_by(here,
                  on_belt(rub_of("m*g", "\"x' - alpha\"", "mu/2") +
                          "[[force]]\ncoordinate = \"x\"\nvalue = \"-mu/2*m*g*sign(x' - alpha)\"\n"),
                  {{"x", "x"}});
  EXPECT_EQ(halves.report.count(ClaimVerdict::kDisproved), 0) << verdicts_sliding(halves);
}

// --- contacts with friction

const std::string kBouncing = sliding_model(R"("x", "z")", "m/2*(x'^2 + z'^2)", "m*g*z",
                                            floor_of("z", kOneSided) + rub_of("lambda(floor)", "\"x'\""));
const NamedFormulas kTurnedBouncing{{"u", "x*cos(alpha) + z*sin(alpha)"}, {"h", "z*cos(alpha) - x*sin(alpha)"}};
// `factor` of the row; all energies times `mass`.
std::string turned_bouncing(const std::string& factor, const std::string& rub, const std::string& mass = "m",
                            const std::string& one_sided = kOneSided) {
  return sliding_model(R"("u", "h")", mass + "/2*(u'^2 + h'^2)", mass + "*g*(h*cos(alpha) + u*sin(alpha))",
                       floor_of(factor + "*(h*cos(alpha) + u*sin(alpha))", one_sided) + rub);
}
const std::string kAcross = "\"u'*cos(alpha) - h'*sin(alpha)\"";
const std::string kAllOfBouncing = "contact floor proved, friction rub proved, eom[x] proved, eom[z] proved";

TEST(CompareSliding, FrictionAtAContactIsTheSameInOtherCoordinates) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  for (const std::string& there :
       {turned_bouncing("1", rub_of("lambda(floor)", kAcross)),
        turned_bouncing("3", rub_of("3*lambda(floor)", kAcross)),
        turned_bouncing("3", rub_of("3*lambda(floor)", kAcross), "(2*m)"),
        turned_bouncing("1", rub_of("lambda(floor)", "\"2*h'*sin(alpha) - 2*u'*cos(alpha)\"", "mu/2"))})
    EXPECT_EQ(verdicts_sliding(compared_by(kBouncing, there, kTurnedBouncing)), kAllOfBouncing) << there;
  // Viscous friction ends with the contact in both, but not where the normal force has a part of its own.
  const auto viscous = [](const std::string& normal) {
    return sliding_model(R"("x", "z")", "m/2*(x'^2 + z'^2)", "m*g*z",
                         floor_of("z", kOneSided) + rub_of(normal, "\"x'\"", "mu", "viscous = \"c\"\n"));
  };
  EXPECT_EQ(verdicts_sliding(compared_by(viscous("lambda(floor)"), viscous("lambda(floor)"), {{"x", "x"}})),
            kAllOfBouncing);
  const ModelComparison pressed = compared_by(viscous("lambda(floor)"), viscous("lambda(floor) + m*g"), {{"x", "x"}});
  EXPECT_EQ(claim_sliding(pressed, "friction rub").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim_sliding(pressed, "eom[x]").note, "the forces of friction differ");
}

TEST(CompareSliding, WhatIsWrongAtAContactIsRefuted) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  // The contact force, which presses, tells the laws apart.
  const ModelComparison wrong =
      compared_by(kBouncing, turned_bouncing("3", rub_of("2*lambda(floor)", kAcross)), kTurnedBouncing);
  EXPECT_EQ(verdicts_sliding(wrong), "contact floor proved, friction rub disproved");
  EXPECT_THAT(claim_sliding(wrong, "friction rub").note, HasSubstr("where it slides"));
  const ModelComparison smooth = compared_by(kBouncing, turned_bouncing("1", ""), kTurnedBouncing);
  EXPECT_EQ(verdicts_sliding(smooth), "contact floor proved, friction rub disproved");
  // Gravity of half the mass shows in flight.
  std::string light = turned_bouncing("1", rub_of("lambda(floor)", kAcross));
  light.replace(light.find("m*g*("), 5, "m/2*g*(");
  const ModelComparison falls = compared_by(kBouncing, light, kTurnedBouncing);
  EXPECT_EQ(claim_sliding(falls, "friction rub").verdict, ClaimVerdict::kProved);
  EXPECT_EQ(claim_sliding(falls, "eom[z]").note, "the potential energies differ");
  // Another restitution, another place: open, as without friction.
  const ModelComparison bounces = compared_by(
      kBouncing, turned_bouncing("1", rub_of("lambda(floor)", kAcross), "m", "unilateral = true\nrestitution = 0.6\n"),
      kTurnedBouncing);
  EXPECT_EQ(claim_sliding(bounces, "contact floor").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(bounces.report.count(ClaimVerdict::kDisproved), 0) << verdicts_sliding(bounces);
}

// A contact in space with a friction in its plane, by the kind of constraint and by its parts; a bilateral wall that the contact force presses on.
TEST(CompareSliding, ContactsInSpaceAndWallsThatTheyPressOn) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto in_space = [](const std::string& rub) {
    return sliding_model(R"("x", "y", "z")", "m/2*(x'^2 + y'^2 + z'^2)", "m*g*z", floor_of("z", kOneSided) + rub);
  };
  EXPECT_EQ(verdicts_sliding(compared_by(
                in_space(rub_of("lambda(floor)", plane_of("x'", "y'"))),
                in_space(rub_of("lambda(floor)", plane_of("x' + y'", "x' - y'"), "mu/sqrt(2)")), {{"x", "x"}})),
            "contact floor proved, friction rub proved, eom[x] proved, eom[y] proved, eom[z] proved");
  // A floor that is not upright presses the block against a wall, and the wall rubs: N of the wall contains the force of the contact.
  const auto with_wall = [](const std::string& wall, const std::string& normal) {
    return sliding_model(R"("x", "z")", "m/2*(x'^2 + z'^2)", "m*g*z",
                         floor_of("z*cos(alpha) + x*sin(alpha)", kOneSided) +
                             "[[constraint]]\nname = \"wall\"\nholonomic = \"" + wall + "\"\n" +
                             rub_of(normal, "\"z'\""));
  };
  const std::string here = with_wall("x", "lambda(wall)");
  EXPECT_EQ(verdicts_sliding(compared_by(here, with_wall("5*x", "5*lambda(wall)"), {{"x", "x"}})),
            "constraint wall proved, contact floor proved, friction rub proved, freedoms proved, eom along z' proved");
  EXPECT_EQ(verdicts_sliding(compared_by(here, with_wall("x", "lambda(floor)*sin(alpha)"), {{"x", "x"}})),
            "constraint wall proved, contact floor proved, friction rub proved, freedoms proved, eom along z' proved");
  // Impacts leave the block one velocity, which the restitution tells whatever rubs: another force is the same motion, and is not refuted.
  const ModelComparison other = compared_by(here, with_wall("x", "lambda(floor)*cos(alpha)"), {{"x", "x"}});
  EXPECT_EQ(claim_sliding(other, "friction rub").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(other.report.count(ClaimVerdict::kDisproved), 0) << verdicts_sliding(other);
}

// A force that a formula makes of the force of a contact.
TEST(CompareSliding, ForcesThatContainContactForces) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto drags = [](const std::string& row, const std::string& force) {
    return sliding_model(R"("x", "z")", "m/2*(x'^2 + z'^2)", "m*g*z",
                         floor_of(row, kOneSided) + "[[force]]\ncoordinate = \"x\"\nvalue = \"" + force + "\"\n");
  };
  const std::string here = drags("z", "-mu*lambda(floor)");
  EXPECT_EQ(verdicts_sliding(compared_by(here, drags("2*z", "-2*mu*lambda(floor)"), {{"x", "x"}})),
            "contact floor proved, eom[x] proved, eom[z] proved");
  const ModelComparison wrong = compared_by(here, drags("2*z", "-mu*lambda(floor)"), {{"x", "x"}});
  EXPECT_EQ(claim_sliding(wrong, "eom[x]").verdict, ClaimVerdict::kUndecided);
}

}  // namespace
}  // namespace dalembert
