// SPDX-License-Identifier: Apache-2.0
// Values that are hardly meant are warned of, and a slip in a name is one error. Oracles: what a person sees in the
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kDisk = R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
m = "2 kg"
I = "0.1 kg*m^2"
r = "30 mm"
alpha = "5 deg"
[[body]]
name = "disk"
mass = "m"
inertia = "I"
position = ["x", "r"]
angle = "theta + alpha"
[outputs]
rim = "r*cos(theta + alpha)"
)toml";

std::vector<std::string> codes(const std::string& text, const std::vector<std::string>& assignments = {}) {
  LoadOptions options;
  for (const std::string& assignment : assignments) options.overrides.push_back(*parse_override(assignment));
  const auto model = load_model(make_source("test.toml", text), options);
  std::vector<std::string> found;
  for (const Diagnostic& problem : model.diagnostics()) {
    found.push_back(problem.code);
    EXPECT_FALSE(explain(problem.code).empty()) << problem.code;
    EXPECT_TRUE(problem.primary.span) << problem.message;
  }
  return found;
}

Diagnostic first(const std::string& text, const std::vector<std::string>& assignments = {}) {
  LoadOptions options;
  for (const std::string& assignment : assignments) options.overrides.push_back(*parse_override(assignment));
  const auto model = load_model(make_source("test.toml", text), options);
  return model.diagnostics().empty() ? Diagnostic() : model.diagnostics().front();
}

// `3 L` is three litres beside a length L. Where units are compared, one reading alone fits; in a product of an output both do.
TEST(Suspicions, QuantitiesInProductsThatANameOfTheModelWouldFitToo) {
  const auto with = [](const std::string& outputs, const std::string& definitions = "") {
    return codes(
        "coordinates = [{name = \"x\", unit = \"m\"}]\n[parameters]\nm = \"1 kg\"\nL = \"0.5 m\"\nk = \"3 N/m\"\n"
        "[energy]\nkinetic = \"m/2*x'^2\"\npotential = \"k/2*(x - L)^2\"\n[define]\n" +
        definitions + "[outputs]\n" + outputs);
  };
  for (const char* doubtful :
       {"x*3 L", "3 L*x", "x/3 L", "-2*x*3 L", "abs(x*3 L)", "(x*3 L)^2", "x*(3 L*k)", "k*0.1 m"})
    EXPECT_THAT(with("a = \"" + std::string(doubtful) + "\"\n"), ElementsAre("W0328")) << doubtful;
  for (const char* decided : {"x*(3 L)", "x*3*L", "3 L", "x + 3 m", "k*(x + 0.1 m)", "sin(x*3 m/(1 m^2))", "x*3 mm",
                              "k*3 m/s", "x/(2 s)*3 s", "max(x*3 L, 1 m^4)"})
    EXPECT_THAT(with("a = \"" + std::string(decided) + "\"\n"), IsEmpty()) << decided;
  // A definition that a force uses has a unit that fits; one that outputs alone use has any.
  EXPECT_THAT(with("a = \"2*area\"\n", "area = \"x*3 L\"\n"), ElementsAre("W0328"));
  const std::string force = "[[force]]\ncoordinate = \"x\"\nvalue = \"push\"\n";
  EXPECT_THAT(with("a = \"half\"\n" + force, "half = \"k*0.1 m\"\npush = \"half*2\"\n"), IsEmpty());
}

TEST(Suspicions, AnglesBeyondATurnWithoutAUnit) {
  EXPECT_THAT(codes(kDisk), IsEmpty());
  const std::string start = kDisk + "[initial]\n";
  EXPECT_THAT(codes(start + "position = {theta = 60}\n"), ElementsAre("W0102"));
  EXPECT_THAT(codes(start + "position = {theta = -45.5}\n"), ElementsAre("W0102"));
  EXPECT_THAT(codes(start + "guess = {theta = \"1e2\"}\n"), ElementsAre("W0102"));
  // With a unit it is meant; a full turn, a length and a velocity are no angles beyond a turn.
  EXPECT_THAT(codes(start + "position = {theta = \"60 rad\"}\n"), IsEmpty());
  EXPECT_THAT(codes(start + "position = {theta = \"600 deg\"}\n"), IsEmpty());
  EXPECT_THAT(codes(start + "position = {theta = 6.28, x = 60}\n"), IsEmpty());
  EXPECT_THAT(codes(start + "velocity = {theta = 60}\n"), IsEmpty());
  EXPECT_THAT(codes(kDisk, {"theta=60"}), ElementsAre("W0102"));
  EXPECT_THAT(codes(kDisk, {"theta=60 deg"}), IsEmpty());
  EXPECT_THAT(codes(kDisk, {"theta'=60"}), IsEmpty());
  EXPECT_THAT(first(start + "position = {theta = 60}\n").help[0], HasSubstr("60 deg"));
}

// Tables and lists of tables have a header of their own: only keys with a value belong at the top.
TEST(Suspicions, AKeyOfAnotherPlace) {
  const std::string start = kDisk + "[[friction]]\nname = \"rub\"\n";
  EXPECT_THAT(first(start + "gravity = [0, 1]\n").help[0], HasSubstr("belongs at the top of the file"));
  const std::vector<std::string> help = first(start + "constraint = \"floor\"\n").help;
  ASSERT_EQ(help.size(), 2u);
  EXPECT_THAT(help[0], HasSubstr("known are `name`"));
  EXPECT_EQ(help[1], "the load of `floor` is its multiplier: `normal = \"lambda(floor)\"`");
}

TEST(Suspicions, OverridesWithoutTheUnitOfTheFile) {
  const Diagnostic problem = first(kDisk, {"r=50"});
  EXPECT_EQ(problem.code, "W0103");
  EXPECT_EQ(problem.message, "`r` is given without a unit, and read as 50 m");
  EXPECT_THAT(problem.help, ElementsAre("write `--set \"r=50 mm\"`, or `--set \"r=50 m\"` if that is meant"));
  EXPECT_THAT(codes(kDisk, {"r=50 mm"}), IsEmpty());
  EXPECT_THAT(codes(kDisk, {"alpha=5"}), ElementsAre("W0103"));
  EXPECT_THAT(codes(kDisk, {"m=3"}), ElementsAre("W0103"));
  EXPECT_THAT(first(kDisk, {"r=10+40"}).help,
              ElementsAre("write `--set \"r=(10+40) mm\"`, or `--set \"r=(10+40) m\"` if that is meant"));
  // Nearer to the "30 mm" of the file than 30 m by ratio: 0.05 m, and 0.9 m, but not 1 m.
  for (const char* in_si : {"r=0.05", "r=0.9"}) EXPECT_THAT(codes(kDisk, {in_si}), IsEmpty()) << in_si;
  EXPECT_THAT(codes(kDisk, {"r=1"}), ElementsAre("W0103"));
  EXPECT_THAT(codes(kDisk, {"alpha=0"}), IsEmpty());  // the same in all units
  // A torque is not in J: the unit is that of the file where both are of SI.
  const Diagnostic torque = first(
      "coordinates = [{name = \"q\", unit = \"rad\"}]\n[parameters]\nI = \"1 kg*m^2\"\nT = \"2 N*m\"\n"
      "[energy]\nkinetic = \"I*q'^2/2\"\n[[force]]\ncoordinate = \"q\"\nvalue = \"T\"\n",
      {"T=3"});
  EXPECT_EQ(torque.message, "`T` is given without a unit, and read as 3 N*m");
  EXPECT_THAT(torque.help, ElementsAre("write `--set \"T=3 N*m\"`"));
  // Where the file has no unit either, a number is what belongs there.
  EXPECT_THAT(codes("coordinates = [\"q\"]\n[parameters]\na = 1\n[energy]\nkinetic = \"a*q'^2\"\n", {"a=2"}),
              IsEmpty());
}

TEST(Suspicions, MassesAndInertiasBelowZero) {
  EXPECT_THAT(codes(kDisk, {"m=-1 kg"}), ElementsAre("W0104"));  // the parameter, not its body as well
  EXPECT_THAT(codes(kDisk, {"I=-1 kg*m^2"}), ElementsAre("W0104"));
  EXPECT_THAT(first(kDisk, {"I=-1 kg*m^2"}).message, "the inertia of `disk` is negative: -1 kg*m^2");
  // A disk of neither is no body; a hoop without mass, or a point mass, may be one.
  EXPECT_THAT(codes(kDisk, {"m=0 kg", "I=0 kg*m^2"}), ElementsAre("W0104"));
  EXPECT_THAT(codes(kDisk, {"I=0 kg*m^2"}), IsEmpty());
  EXPECT_THAT(codes("coordinates = [{name = \"q\", unit = \"m\"}]\n[parameters]\nM0 = \"-3 g\"\n[energy]\nkinetic = "
                    "\"M0*q'^2/2\"\n"),
              ElementsAre("W0104"));
}

// Gravity without bodies, beside T and V as formulas, and a force on what does not move: F = (∂r/∂q)ᵀ f = 0.
TEST(Suspicions, StatementsThatDoNothing) {
  const std::string top = "coordinates = [{name = \"x\", unit = \"m\"}]\ngravity = [0, \"-9.81 m/s^2\"]\n",
                    kinetic = "[energy]\nkinetic = \"(2 kg)*x'^2/2\"\n",
                    body = "[[body]]\nname = \"b\"\nmass = \"2 kg\"\nposition = [\"x\", 0]\n";
  EXPECT_THAT(codes(top + kinetic), ElementsAre("W0331"));
  EXPECT_THAT(codes(top + body), IsEmpty());
  const std::string force =
      "[[point]]\nname = \"P\"\nat = [\"1 m + 2*t*(1 m/s)\", 0]\n[[point]]\nname = \"Q\"\nat = [\"x\", "
      "0]\n[[force]]\nat = ";
  EXPECT_THAT(codes(top + body + force + "\"P\"\nvector = [\"3 N\", 0]\n"), ElementsAre("W0331"));
  EXPECT_THAT(codes(top + body + force + "\"Q\"\nvector = [\"3 N\", 0]\n"), IsEmpty());
}

// Truth: 2.2250738585072014e-308 is the least number that is not subnormal.
TEST(Suspicions, SubnormalNumbers) {
  EXPECT_THAT(codes(kDisk, {"m=2.23e-308 kg"}), IsEmpty());
  EXPECT_THAT(codes(kDisk, {"m=2.22e-308 kg"}), ElementsAre("W0106"));
  EXPECT_THAT(codes(kDisk, {"alpha=-1e-310 rad"}), ElementsAre("W0106"));
  EXPECT_THAT(codes(kDisk, {"alpha=0 rad"}), IsEmpty());
  EXPECT_THAT(first(kDisk, {"m=1e-310 kg"}).message, "`m` is 1e-310, a subnormal number: below 2.2e-308");
  const std::string start = kDisk + "[initial]\n";
  EXPECT_THAT(codes(start + "position = {theta = \"1e-310 rad\"}\n"), ElementsAre("W0106"));
  EXPECT_THAT(first(start + "velocity = {x = \"-3e-309 m/s\"}\n").message,
              "the initial value of `x'` is -3e-309, a subnormal number: below 2.2e-308");
}

// One slip, one error: what the section or key declares is not missing elsewhere.
TEST(Slips, OfASectionOrAKeyAreOneError) {
  const auto replaced = [](std::string from, const std::string& to) {
    std::string text = kDisk;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THAT(codes(replaced("[parameters]", "[parameter]")), ElementsAre("E0010"));
  EXPECT_THAT(codes(replaced("[parameters]", "[params]")), ElementsAre("E0010"));
  EXPECT_THAT(codes(replaced("[parameters]", "[numbers_of_mine]")), ElementsAre("E0010"));
  EXPECT_THAT(codes(replaced("coordinates", "coordinate")), ElementsAre("E0010"));
  EXPECT_THAT(codes(replaced("mass =", "mas =")), ElementsAre("E0005"));
  EXPECT_THAT(codes(replaced("inertia =", "inertai =")), ElementsAre("E0005"));
  EXPECT_THAT(codes(replaced("[[body]]", "[[bodys]]") + "[[force]]\nbody = \"disk\"\ntorque = \"1 N*m\"\n"),
              ElementsAre("E0010"));
  EXPECT_THAT(codes(kDisk + "[parameter]\nk = \"1 N/m\"\n[[spring]]\ncoordinate = \"x\"\nstiffness = \"k\"\n"),
              ElementsAre("E0010"));
  // Two slips are two errors.
  EXPECT_THAT(codes(replaced("[parameters]\nm =", "[parameter]\nmm =")), ElementsAre("E0010", "E0102"));
}

TEST(Suspicions, UnusedParametersAreMentioned) {
  const Result<Model> model = load_model(make_source("test.toml", R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
spare = 2
height = "3 m"
pace = "1 m/s"
[energy]
kinetic = "m*x'^2/2"
[initial]
position = {x = "2*height"}
[study]
vary = {height = "1 m : 2 m : 3"}
measure = {late = "final(x)/pace"}
)toml"));
  ASSERT_TRUE(model.ok()) << render(model.diagnostics());
  ASSERT_EQ(model.diagnostics().size(), 1u);
  EXPECT_EQ(model.diagnostics()[0].code, "W0101");
  EXPECT_THAT(model.diagnostics()[0].message, HasSubstr("spare"));
}

}  // namespace
}  // namespace dalembert
