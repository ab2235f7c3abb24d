// SPDX-License-Identifier: Apache-2.0
// Models in different coordinates: compare_models with a map.
#include "dalembert/analyze/audit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;
using Formulas = std::vector<std::pair<std::string, std::string>>;

Equations derived_from(const std::string& text) {
  Result<Model> model = load_model(make_source("model.toml", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  Result<Equations> equations = derive(std::make_shared<const Model>(std::move(model).value()));
  EXPECT_TRUE(equations) << render(equations.diagnostics());
  return std::move(equations).value();
}

Result<ModelComparison> mapped_result(const std::string& here, const std::string& there, const Formulas& formulas) {
  std::vector<StudyStatement::Named> map;
  for (const auto& [name, formula] : formulas)
    map.push_back({name, MappedText::of(formula, "formula"), MappedText::of(name, "name").span()});
  return compare_models(derived_from(here), derived_from(there), Notation::kText, map);
}

ModelComparison mapped(const std::string& here, const std::string& there, const Formulas& formulas) {
  Result<ModelComparison> result = mapped_result(here, there, formulas);
  EXPECT_TRUE(result) << render(result.diagnostics());
  return std::move(result).value();
}

std::string verdicts_of(const ModelComparison& comparison) {
  std::string text;
  for (const AuditedClaim& claim : comparison.report.claims) text += claim.entry + " " + to_text(claim.verdict) + "\n";
  return text;
}

std::string model_text(const std::string& name) {
  std::ifstream file(source_tree() + "/models/" + name + ".toml");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, double> values_at(const CounterExample& point) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : point.at) values[name] = value.to_double();
  for (const CounterExample::Follower& one : point.follows) values[one.name] = one.value;
  return values;
}

// --- the sleigh. Truth: the contact point lies b behind the centre of mass: x - b cos(theta), y - b sin(theta)

TEST(CompareMapped, TheSleighByItsCentreAndByItsContactPoint) {
  const ModelComparison there = mapped(model_text("chaplygin-sleigh"), model_text("chaplygin-sleigh-contact"),
                                       {{"x", "x - b*cos(theta)"}, {"y", "y - b*sin(theta)"}});
  EXPECT_EQ(verdicts_of(there), "constraint knife proved\nfreedoms proved\neom along x' proved\neom along y' proved\n");
  EXPECT_EQ(there.map, (Formulas{{"x", "x - b*cos(theta)"}, {"y", "y - b*sin(theta)"}}));
  const ModelComparison back =
      mapped(model_text("chaplygin-sleigh-contact"), model_text("chaplygin-sleigh"), {{"x", "C.x"}, {"y", "C.y"}});
  EXPECT_EQ(verdicts_of(back),
            "constraint knife proved\nfreedoms proved\neom along x' proved\neom along theta' proved\n");
}

// By hand: with x + b cos(theta) the blade is taken to be ahead; there y' - x' tan(theta) is what is shown.
TEST(CompareMapped, AWrongSignIsRefutedByAState) {
  const ModelComparison result = mapped(model_text("chaplygin-sleigh"), model_text("chaplygin-sleigh-contact"),
                                        {{"x", "x + b*cos(theta)"}, {"y", "y - b*sin(theta)"}});
  const AuditedClaim& knife = result.report.claims.at(0);
  ASSERT_EQ(knife.verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(knife.point);
  auto at = values_at(*knife.point);
  const double s = std::sin(at["theta"]), c = std::cos(at["theta"]), b = at["b"], omega = at["theta'"];
  EXPECT_NEAR(-at["x'"] * s + at["y'"] * c - b * omega, 0, 1e-9);
  EXPECT_NEAR(knife.point->claimed, at["y'"] - b * omega * c - (at["x'"] - b * omega * s) * s / c, 1e-9);
  EXPECT_EQ(result.report.count(ClaimVerdict::kProved), 1);  // the freedoms; no equations are compared then
}

// --- polar coordinates. Truth: x = r cos(phi), y = r sin(phi), forces by the transposed Jacobian

std::string particle(const char* coordinates, const std::string& rest) {
  return std::string("coordinates = ") + coordinates +
         "\n[parameters]\nm = \"1 kg\"\nk = \"2 N/m\"\nf = \"3 N\"\n[energy]\n" + rest;
}
const char* const kMappedPlane = R"toml([{name = "x", unit = "m"}, {name = "y", unit = "m"}])toml";
const char* const kTurned = R"toml([{name = "r", unit = "m"}, {name = "phi", unit = "rad"}])toml";
const std::string kPlaneEnergy = "kinetic = \"m/2*(x'^2 + y'^2)\"\npotential = \"k/2*(x^2 + y^2)\"\n";
const std::string kTurnedEnergy = "kinetic = \"m/2*(r'^2 + r^2*phi'^2)\"\npotential = \"k/2*r^2 + f*(1 m)\"\n";
const std::string kUpwards = "[[force]]\ncoordinate = \"y\"\nvalue = \"f\"\n";
const Formulas kPolarMap{{"x", "r*cos(phi)"}, {"y", "r*sin(phi)"}};

TEST(CompareMapped, PolarAndCartesianCoordinates) {
  EXPECT_EQ(verdicts_of(mapped(particle(kTurned, kTurnedEnergy), particle(kMappedPlane, kPlaneEnergy), kPolarMap)),
            "eom[r] proved\neom[phi] proved\n");
  EXPECT_EQ(verdicts_of(mapped(particle(kMappedPlane, kPlaneEnergy), particle(kTurned, kTurnedEnergy),
                               {{"r", "sqrt(x^2 + y^2)"}, {"phi", "atan2(y, x)"}})),
            "eom[x] proved\neom[y] proved\n");
}

TEST(CompareMapped, ForcesGoByTheTransposedJacobian) {
  const auto turned = [](const char* of_phi) {
    return particle(kTurned, kTurnedEnergy + "[[force]]\ncoordinate = \"r\"\nvalue = \"f*sin(phi)\"\n" +
                                 "[[force]]\ncoordinate = \"phi\"\nvalue = \"" + of_phi + "\"\n");
  };
  const std::string plane = particle(kMappedPlane, kPlaneEnergy + kUpwards);
  EXPECT_EQ(verdicts_of(mapped(turned("f*r*cos(phi)"), plane, kPolarMap)), "eom[r] proved\neom[phi] proved\n");
  const ModelComparison wrong = mapped(turned("f*r*sin(phi)"), plane, kPolarMap);
  EXPECT_EQ(verdicts_of(wrong), "eom[r] proved\neom[phi] disproved\n");
  const AuditedClaim& claim = wrong.report.claims[1];
  EXPECT_THAT(claim.note, HasSubstr("the forces differ"));
  // Here m r² phi'' + 2 m r r' phi' = f r sin(phi); there the right side is f r cos(phi).
  ASSERT_TRUE(claim.point);
  auto at = values_at(*claim.point);
  EXPECT_NEAR(claim.point->claimed, at["f"] * at["r"] * (std::sin(at["phi"]) - std::cos(at["phi"])), 1e-8);
}

TEST(CompareMapped, WhichPartDiffersIsSaid) {
  const ModelComparison stiffer =
      mapped(particle(kTurned, "kinetic = \"m/2*(r'^2 + r^2*phi'^2)\"\npotential = \"k*r^2\"\n"),
             particle(kMappedPlane, kPlaneEnergy), kPolarMap);
  EXPECT_EQ(verdicts_of(stiffer), "eom[r] disproved\neom[phi] proved\n");
  EXPECT_THAT(stiffer.report.claims[0].note, HasSubstr("the potential energies differ"));
  const ModelComparison slower =
      mapped(particle(kTurned, "kinetic = \"m/2*(r'^2 + 2*r^2*phi'^2)\"\npotential = \"k/2*r^2\"\n"),
             particle(kMappedPlane, kPlaneEnergy), kPolarMap);
  EXPECT_THAT(slower.report.claims[0].note, HasSubstr("the kinetic energies differ"));
}

// --- angles. Truth: beta = theta2 - theta1, T and V by hand

TEST(CompareMapped, TheDoublePendulumByAbsoluteAndByRelativeAngles) {
  const auto relative = [](const char* sign) {
    return std::string("coordinates = [{name = \"alpha\", unit = \"rad\"}, {name = \"beta\", unit = \"rad\"}]\n") +
           "[parameters]\ng = \"9.81 m/s^2\"\nm1 = \"1 kg\"\nm2 = \"1 kg\"\nl1 = \"1 m\"\nl2 = \"1 m\"\n[energy]\n" +
           "kinetic = \"(m1 + m2)/2*l1^2*alpha'^2 + m2/2*l2^2*(alpha' + beta')^2 " + sign +
           " m2*l1*l2*alpha'*(alpha' + beta')*cos(beta)\"\n" +
           "potential = \"-(m1 + m2)*g*l1*cos(alpha) - m2*g*l2*cos(alpha + beta)\"\n";
  };
  const Formulas map{{"alpha", "theta1"}, {"beta", "theta2 - theta1"}};
  EXPECT_EQ(verdicts_of(mapped(model_text("double-pendulum"), relative("+"), map)),
            "eom[theta1] proved\neom[theta2] proved\n");
  EXPECT_EQ(verdicts_of(mapped(relative("+"), model_text("double-pendulum"),
                               {{"theta1", "alpha"}, {"theta2", "alpha + beta"}})),
            "eom[alpha] proved\neom[beta] proved\n");
  EXPECT_EQ(verdicts_of(mapped(model_text("double-pendulum"), relative("-"), map)),
            "eom[theta1] disproved\neom[theta2] disproved\n");
}

// --- constraints. Truth: a point on a rod is a pendulum

const std::string kMappedPendulum = R"toml(
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "2 m"
[energy]
kinetic = "m/2*L^2*theta'^2"
potential = "-m*g*L*cos(theta)"
)toml";
const std::string kMappedPoint = R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "2 m"
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
)toml";
const std::string kMappedRod = "[[constraint]]\nname = \"rod\"\nholonomic = \"x^2 + y^2 - L^2\"\n";
const Formulas kOnCircle{{"x", "L*sin(theta)"}, {"y", "-L*cos(theta)"}};

TEST(CompareMapped, MinimalAndMaximalCoordinates) {
  EXPECT_EQ(verdicts_of(mapped(kMappedPendulum, kMappedPoint + kMappedRod, kOnCircle)),
            "constraint rod proved\nfreedoms proved\neom[theta] proved\n");
  const ModelComparison back = mapped(kMappedPoint + kMappedRod, kMappedPendulum, {{"theta", "atan2(x, -y)"}});
  EXPECT_EQ(verdicts_of(back), "freedoms proved\neom along y' proved\n");
  EXPECT_THAT(back.report.claims[1].assuming, ::testing::Contains("x != 0"));
  // The angle from the upward vertical: the weight acts the other way.
  EXPECT_EQ(verdicts_of(mapped(kMappedPoint + kMappedRod, kMappedPendulum, {{"theta", "atan2(x, y)"}})),
            "freedoms proved\neom along y' disproved\n");
}

TEST(CompareMapped, FreedomsAreCounted) {
  const ModelComparison free = mapped(kMappedPendulum, kMappedPoint, kOnCircle);
  EXPECT_EQ(verdicts_of(free), "freedoms disproved\n");
  EXPECT_EQ(free.report.claims[0].correct, "1");
  EXPECT_EQ(free.report.claims[0].claimed, "2");
  // Two rows of rank 1: as many freedoms are proved where they are as many, and nothing is said where more are possible.
  const std::string twice = kMappedRod + "[[constraint]]\nname = \"again\"\nholonomic = \"x^2 + y^2 - L^2\"\n";
  EXPECT_EQ(verdicts_of(mapped(kMappedPendulum, kMappedPoint + twice, kOnCircle)),
            "constraint rod proved\nconstraint again proved\nfreedoms proved\neom[theta] proved\n");
  std::string in_space = kMappedPoint;
  in_space.replace(in_space.find("]\n"), 1, ", {name = \"z\", unit = \"m\"}]");
  in_space.replace(in_space.find(" + y'^2"), 7, " + y'^2 + z'^2");
  EXPECT_EQ(verdicts_of(mapped(kMappedPendulum, in_space + twice, {kOnCircle[0], kOnCircle[1], {"z", "0"}})),
            "constraint rod proved\nconstraint again proved\nfreedoms undecided\n");
}

// --- the same motion by other equations

// A frame that moves at a speed w: x = X + w t. The kinetic energies differ by a total time derivative.
TEST(CompareMapped, AMapMayDependOnTime) {
  const auto particle_in = [](const char* name) {
    return fmt::format(
        "coordinates = [{{name = \"{0}\", unit = \"m\"}}]\n[parameters]\nm = \"1 kg\"\nw = \"2 m/s\"\n"
        "[energy]\nkinetic = \"m/2*{0}'^2\"\n",
        name);
  };
  EXPECT_EQ(verdicts_of(mapped(particle_in("x"), particle_in("X"), {{"X", "x - w*t"}})), "eom[x] proved\n");
  // At rest in an accelerated frame there is a force of inertia.
  const ModelComparison accelerated = mapped(particle_in("x"), particle_in("X"), {{"X", "x - w*t*t/(1 s)"}});
  EXPECT_EQ(verdicts_of(accelerated), "eom[x] disproved\n");
}

TEST(CompareMapped, EnergiesTimesANumberMoveTheSame) {
  const ModelComparison twice = mapped(kMappedPendulum,
                                       "coordinates = [\"phi\"]\n[parameters]\nm = 1\ng = 9.81\nL = 2\n[energy]\n"
                                       "kinetic = \"m*L^2*phi'^2\"\npotential = \"-2*m*g*L*cos(phi)\"\n",
                                       {{"phi", "theta"}});
  EXPECT_EQ(verdicts_of(twice), "eom[theta] proved\n");
  EXPECT_THAT(twice.report.claims[0].note, HasSubstr("the same equation times 2"));
}

// Truth: L = u' w' - u w has u'' = -u and w'' = -w as well; its equation along u is that of w.
TEST(CompareMapped, AnotherLagrangianOfTheSameMotion) {
  const std::string plain = "coordinates = [\"x\", \"y\"]\n[energy]\nlagrangian = \"(x'^2 + y'^2 - x^2 - y^2)/2\"\n";
  const std::string crossed = "coordinates = [\"u\", \"w\"]\n[energy]\nlagrangian = \"u'*w' - u*w\"\n";
  const ModelComparison result = mapped(plain, crossed, {{"u", "x"}, {"w", "y"}});
  EXPECT_EQ(verdicts_of(result), "eom[x] proved\neom[y] proved\n");
  EXPECT_THAT(result.report.claims[0].note, HasSubstr("every motion here satisfies it"));
}

// What says nothing of y is satisfied by every motion, and does not determine it.
TEST(CompareMapped, EquationsThatDoNotDetermineTheMotionProveNothing) {
  const std::string both = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n";
  const std::string one = "coordinates = [\"u\", \"w\"]\n[energy]\nkinetic = \"u'^2/2\"\n";
  EXPECT_EQ(verdicts_of(mapped(both, one, {{"u", "x"}, {"w", "y"}})), "eom[x] proved\neom[y] undecided\n");
}

// A drive here and there: alpha follows t^2.
TEST(CompareMapped, PrescribedCoordinatesAreConstraints) {
  const auto arm = [](const char* other, const char* kinetic, const char* follows) {
    return fmt::format("coordinates = [\"alpha\", \"{}\"]\n[energy]\nkinetic = \"{}\"\n[prescribed]\nalpha = \"{}\"\n",
                       other, kinetic, follows);
  };
  const std::string absolute = arm("theta", "alpha'^2 + theta'^2", "t^2");
  const char* relative = "alpha'^2 + (alpha' + beta')^2";
  const Formulas map{{"beta", "theta - alpha"}};
  EXPECT_EQ(verdicts_of(mapped(absolute, arm("beta", relative, "t^2"), map)),
            "constraint alpha proved\nfreedoms proved\neom along theta' proved\n");
  EXPECT_EQ(verdicts_of(mapped(absolute, arm("beta", relative, "t^3"), map)),
            "constraint alpha disproved\nfreedoms proved\n");
}

// Loops cannot be solved for positions by formulas: what needs no such formula is decided, the rest is not.
TEST(CompareMapped, LoopsAreDecidedWhereRowsAreTheSame) {
  const std::string loop = model_text("slider-crank");
  const ModelComparison same = mapped(loop, loop, {{"x", "x"}});
  EXPECT_EQ(same.report.count(ClaimVerdict::kProved), static_cast<int>(same.report.claims.size())) << verdicts_of(same);
}

// --- without a map, where accelerations have no closed form that is short enough

std::string chain_of(const char* name, int links) {
  std::string text = model_text(name);
  text.replace(text.find("N = 10"), 6, "N = " + std::to_string(links));
  if (const auto friction = text.find("dissipation ="); friction != std::string::npos) text.insert(friction, "#");
  return text;
}

// Truth: n-link-chain-maximal says that it is the same chain, in 3 N coordinates and 2 N pins.
TEST(CompareMapped, ChainsWithoutClosedFormsAreCompared) {
  for (const int links : {3, 6}) {
    const auto same = compare_models(derived_from(chain_of("n-link-chain-maximal", links)),
                                     derived_from(chain_of("n-link-chain", links)));
    ASSERT_TRUE(same) << render(same.diagnostics());
    EXPECT_FALSE(same->equations);
    EXPECT_EQ(same->without.size(), 2U * static_cast<std::size_t>(links));
    EXPECT_EQ(same->report.claims.size(), static_cast<std::size_t>(links) + 1);
    EXPECT_EQ(same->report.count(ClaimVerdict::kProved), links + 1) << verdicts_of(*same);
  }
  // Rods of another moment of inertia.
  std::string thick = chain_of("n-link-chain", 3);
  thick.replace(thick.find("m*l^2/12"), 8, "m*l^2/11");
  const auto other = compare_models(derived_from(chain_of("n-link-chain-maximal", 3)), derived_from(thick));
  ASSERT_TRUE(other) << render(other.diagnostics());
  EXPECT_EQ(other->report.count(ClaimVerdict::kDisproved), 3) << verdicts_of(*other);
}

// --- what is wrong with a map

struct WrongMap {
  Formulas formulas;
  const char *code, *marked, *text;
};
class WrongMaps : public ::testing::TestWithParam<WrongMap> {};
TEST_P(WrongMaps, AreReportedAtTheirPlace) {
  const auto result =
      mapped_result(particle(kMappedPlane, kPlaneEnergy), particle(kTurned, kTurnedEnergy), GetParam().formulas);
  ASSERT_FALSE(result);
  const Diagnostic& d = result.diagnostics().front();
  EXPECT_EQ(d.code, GetParam().code) << render(d);
  const Span& span = d.primary.span;
  EXPECT_EQ(span ? span.source->text().substr(span.begin, span.end - span.begin) : "", GetParam().marked);
  EXPECT_THAT(render(d), HasSubstr(GetParam().text));
}
INSTANTIATE_TEST_SUITE_P(
    Maps, WrongMaps,
    ::testing::Values(
        WrongMap{{{"r", "x"}}, "E0434", "", "does not say what `phi` of"},
        WrongMap{{{"r", "x"}, {"fi", "y"}}, "E0434", "fi", "its coordinates are `r` and `phi`"},
        WrongMap{{{"r", "x"}, {"ph", "y"}}, "E0434", "ph", "did you mean `phi`?"},
        WrongMap{{{"r", "x"}, {"r", "y"}}, "E0434", "r", "twice"},
        WrongMap{{{"r", "x"}, {"phi", "x*y"}}, "E0203", "x*y", "must be a pure number, not in `m^2`"},
        WrongMap{{{"r", "x'"}, {"phi", "y/x"}}, "E0212", "x'", "velocity"},
        WrongMap{{{"r", "x + z"}, {"phi", "y/x"}}, "E0102", "z", "unknown symbol `z`"},
        WrongMap{{{"r", "x +"}, {"phi", "y/x"}}, "E0101", "+", "ends too early"},
        WrongMap{{{"r", ""}, {"phi", "y/x"}}, "E0101", "", "empty"},
        WrongMap{{{"r", "x"}, {"phi", "x/(1 m)"}}, "E0437", "x", "no state was found at which the map has full rank"}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(CompareMapped, WhatCannotBeComparedIsSaid) {
  const auto driven =
      mapped_result(kMappedPendulum,
                    kMappedPendulum + "[inputs]\ntau = \"1 N*m\"\n[[force]]\ncoordinate = \"theta\"\nvalue = \"tau\"\n",
                    {{"theta", "theta"}});
  ASSERT_TRUE(driven) << render(driven.diagnostics());
  EXPECT_EQ(driven->report.claims[0].verdict, ClaimVerdict::kDisproved);  // an input with a formula is that formula
}

// --- attitudes. Truth: the quaternion of turns about z, x, y in this order is the product of theirs, by hand

const Formulas kTopByAngles{{"e0", "cos(psi/2)*cos(theta/2)*cos(phi/2) - sin(psi/2)*sin(theta/2)*sin(phi/2)"},
                            {"e1", "cos(psi/2)*sin(theta/2)*cos(phi/2) - sin(psi/2)*cos(theta/2)*sin(phi/2)"},
                            {"e2", "cos(psi/2)*cos(theta/2)*sin(phi/2) + sin(psi/2)*sin(theta/2)*cos(phi/2)"},
                            {"e3", "cos(psi/2)*sin(theta/2)*sin(phi/2) + sin(psi/2)*cos(theta/2)*cos(phi/2)"}};

TEST(CompareMapped, TheTopByAnglesAndByAQuaternion) {
  const ModelComparison same = mapped(model_text("heavy-top-euler"), model_text("heavy-top"), kTopByAngles);
  EXPECT_EQ(same.report.count(ClaimVerdict::kProved), static_cast<int>(same.report.claims.size())) << verdicts_of(same);
  EXPECT_EQ(same.report.claims.size(), 7U);  // three rows, the freedoms, three equations
  Formulas turned = kTopByAngles;
  std::swap(turned[1].second, turned[2].second);
  const ModelComparison wrong = mapped(model_text("heavy-top-euler"), model_text("heavy-top"), turned);
  EXPECT_GT(wrong.report.count(ClaimVerdict::kDisproved), 0) << verdicts_of(wrong);
}

// Truth: the body's axes turned by half a turn about y (its symmetry) or x. Times the quaternion j or i from the right.
TEST(CompareMapped, AttitudesMayBeTurned) {
  const std::string top = model_text("heavy-top");
  const ModelComparison same = mapped(top, top, {{"e0", "-e2"}, {"e1", "-e3"}, {"e2", "e0"}, {"e3", "e1"}});
  EXPECT_EQ(same.report.count(ClaimVerdict::kProved), static_cast<int>(same.report.claims.size())) << verdicts_of(same);
  const ModelComparison tip = mapped(top, top, {{"e0", "-e1"}, {"e1", "e0"}, {"e2", "e3"}, {"e3", "-e2"}});
  EXPECT_GT(tip.report.count(ClaimVerdict::kDisproved), 0) << verdicts_of(tip);
  const ModelComparison long_one = mapped(top, top, {{"e0", "2*e0"}, {"e1", "e1"}, {"e2", "e2"}, {"e3", "e3"}});
  EXPECT_THAT(verdicts_of(long_one), HasSubstr("attitude e0 disproved"));
}

TEST(CompareMapped, AttitudesWithTheSameNamesNeedNoMap) {
  const std::string top = model_text("heavy-top");
  const ModelComparison same = mapped(top, top, {});
  EXPECT_EQ(same.report.count(ClaimVerdict::kProved), static_cast<int>(same.report.claims.size())) << verdicts_of(same);
  std::string heavier = top;
  heavier.replace(heavier.find("\"J\", \"I\"]"), 9, "\"J\", \"J\"]");
  EXPECT_GT(mapped(top, heavier, {}).report.count(ClaimVerdict::kDisproved), 0);
}

// --- one-sided constraints. Truth: z = y + L is the same height from a floor at L

std::string bouncing(const std::string& height, const std::string& floor, const std::string& more = "") {
  std::string text = kMappedPoint;
  for (std::size_t at = text.find('y'); at != std::string::npos; at = text.find('y', at + 1))
    if (text.compare(at, 2, "y\"") == 0 || text.compare(at, 2, "y'") == 0) text.replace(at, 1, height);
  return text + "[[constraint]]\nname = \"floor\"\nholonomic = \"" + floor + "\"\nunilateral = true\n" + more;
}

TEST(CompareMapped, ContactsAreTheSameWhereTheirRowsAre) {
  const std::string here = bouncing("y", "y", "restitution = 0.5\n");
  const auto verdicts = [&](const std::string& there, const char* map) {
    return verdicts_of(mapped(here, there, {{"z", map}}));
  };
  EXPECT_EQ(verdicts(bouncing("z", "z - L", "restitution = 0.5\n"), "y + L"),
            "contact floor proved\neom[x] proved\neom[y] proved\n");
  EXPECT_EQ(verdicts(bouncing("z", "3*z - 3*L", "restitution = 0.5\n"), "y + L"),
            "contact floor proved\neom[x] proved\neom[y] proved\n");
  // Another side, another height, another restitution, no floor.
  EXPECT_EQ(verdicts(bouncing("z", "L - z", "restitution = 0.5\n"), "y + L"),
            "contact floor undecided\ncontact floor undecided\n");
  EXPECT_EQ(verdicts(bouncing("z", "z", "restitution = 0.5\n"), "y + L"),
            "contact floor undecided\ncontact floor undecided\n");
  EXPECT_EQ(verdicts(bouncing("z", "z - L", "restitution = 0.4\n"), "y + L"), "contact floor undecided\n");
  EXPECT_EQ(verdicts_of(mapped(here, kMappedPoint, {{"x", "x"}})), "contact floor undecided\n");
}

}  // namespace
}  // namespace dalembert
