// SPDX-License-Identifier: Apache-2.0
// What a stranger meets in the first hour: warnings that can be denied, causes that are named, words without noise.
// Oracles: the models are small enough that a person sees what must come out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kCart = R"toml(name = "cart"
coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
mass = "2 kg"
r = "30 mm"
[energy]
kinetic = "mass/2*x'^2 + mass*r^2/2*theta'^2"
[[force]]
coordinate = "theta"
value = "3 N*m*sin(t)"
[[constraint]]
name = "roll"
pfaffian = "x' - r*theta'"
[[constraint]]
name = "stop"
holonomic = "theta - x/r"
[outputs]
twist = "lambda(stop)"
turn = "theta"
)toml";

TEST(FirstHour, WarningsCanBeDenied) {
  const std::vector<std::string> verbs{"check", "derive", "eval", "simulate", "assemble"};
  for (const std::string& verb : verbs) {
    EXPECT_EQ(run({verb, "-", "--set", "r=50"}, {.input = kCart}).status, 0) << verb;
    const Outcome denied = run({verb, "-", "--set", "r=50", "--deny", "warnings"}, {.input = kCart});
    EXPECT_EQ(denied.status, 1) << verb;
    EXPECT_THAT(denied.err, HasSubstr("W0103")) << verb;
    EXPECT_EQ(run({verb, "-", "--set", "r=50", "--deny", "W0103"}, {.input = kCart}).status, 1) << verb;
    EXPECT_EQ(run({verb, "-", "--set", "r=50", "--deny=W0102"}, {.input = kCart}).status, 0) << verb;
  }
  const Outcome json = run({"check", "-", "--set", "r=50", "--deny", "W0103", "--json"}, {.input = kCart});
  EXPECT_EQ(json.json()["ok"], false);
  // A run that is denied is not begun.
  const Folder folder;
  const Outcome stopped =
      run({"simulate", "-", "--set", "r=50", "--deny", "warnings", "-o", folder.file("run.csv")}, {.input = kCart});
  EXPECT_EQ(stopped.status, 1);
  EXPECT_FALSE(folder.has("run.csv"));
  EXPECT_THAT(stopped.err, HasSubstr("E0411"));
  const Outcome unknown = run({"check", "-", "--deny", "W9999"}, {.input = kCart});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("E0403"));
}

TEST(FirstHour, NegativeInertiaOfEnergiesIsSeenAtTheStart) {
  for (const char* energy : {"kinetic = \"a/2*x'^2\"\npotential = \"x^2\"", "lagrangian = \"a/2*x'^2 - x^2\""})
    for (const char* verb : {"check", "simulate"}) {
      const Outcome outcome = run(
          {verb, "-"}, {.input = fmt::format("coordinates = [\"x\"]\n[parameters]\na = -1\n[energy]\n{}\n", energy)});
      EXPECT_THAT(outcome.err, HasSubstr("W0104")) << verb;
      EXPECT_THAT(outcome.err, HasSubstr("M[x,x] = -1")) << verb;
      EXPECT_THAT(outcome.err, HasSubstr("--> <stdin>:5:")) << energy;
    }
}

// A negative mass is not said to be none; which one it is, is said.
TEST(FirstHour, ARunThatHasNoAccelerationsNamesTheInertia) {
  const std::string model =
      "coordinates = [\"x\", \"y\"]\n[parameters]\nm = 1\n[energy]\n"
      "kinetic = \"m*x'^2/2 + y'^2 + b*x'*y'\"\npotential = \"x^2 + y^2\"\n";
  const auto reason = [&](const std::string& b, const std::string& set) {
    std::string text = model;
    text.replace(text.find("b*x'"), 1, b);
    const Outcome outcome = run({"simulate", "-", "--until", "1", "--set", set}, {.input = text});
    EXPECT_EQ(outcome.status, 3) << set;
    return outcome.err;
  };
  EXPECT_THAT(reason("0", "m=-1"),
              HasSubstr("no accelerations exist at t = 0 s: `M[x,x] = -1` is negative, so the mass "
                        "matrix is not positive definite"));
  EXPECT_THAT(reason("0", "m=0"), HasSubstr("no accelerations exist at t = 0 s: `x` has no inertia"));
  EXPECT_THAT(reason("3", "m=1"), HasSubstr("no inertia, or a negative one"));
}

TEST(FirstHour, UnitsOfTorquesAndAngles) {
  const auto units = run({"eval", "-", "--json"}, {.input = kCart}).json()["units"];
  EXPECT_EQ(units["q"]["theta"], "rad");
  EXPECT_EQ(units["q"]["x"], "m");
  EXPECT_EQ(units["F"]["theta"], "N*m");
  EXPECT_EQ(units["F"]["x"], "N");
  EXPECT_EQ(units["lambda"]["stop"], "N*m");
  EXPECT_EQ(units["lambda"]["roll"], "N");
  const Outcome text = run({"eval", "-"}, {.input = kCart});
  EXPECT_THAT(text.out, Not(HasSubstr("-0 ")));
  EXPECT_THAT(run({"check", "-"}, {.input = kCart}).out, HasSubstr("stop [rad]"));
}

// Three rows on three coordinates, the last of which is one too many; and a crank that is to turn all the same.
TEST(FirstHour, OneConstraintTooManyIsNamed) {
  const std::string text = run({"models", "show", "slider-crank"}).out;
  const std::string extra = "\n[[constraint]]\nname = \"extra\"\nholonomic = \"theta - 1.05\"\n";
  const Outcome outcome = run({"check", "-", "--set", "theta=1.05 rad"}, {.input = text + extra});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("E0301"));
  EXPECT_THAT(outcome.err, HasSubstr("leave no freedom"));
  EXPECT_THAT(outcome.err, HasSubstr("`extra` takes the last freedom"));
  const Outcome still =
      run({"check", "-", "--set", "theta=1.05 rad", "--set", "theta'=0 rad/s"}, {.input = text + extra});
  EXPECT_EQ(still.status, 0) << still.err;
  EXPECT_THAT(still.out, HasSubstr("`extra` takes the last freedom"));
}

// Two distances between held points cannot be mended by other coordinates; of two rows that contradict each other either may go.
TEST(FirstHour, WhatIsHeldAloneIsBlamedItself) {
  const std::string text = run({"models", "show", "slider-crank"}).out;
  const std::string extra = "\n[[constraint]]\nname = \"extra\"\nholonomic = ";
  const Outcome held = run({"check", "-"}, {.input = text + extra + "\"theta - 1.05\"\n"});
  EXPECT_EQ(held.status, 3);
  EXPECT_THAT(held.err, HasSubstr("nothing but held coordinates is in this constraint"));
  const Outcome both = run({"check", "-"}, {.input = text + extra + "[\"x - 0.8\", \"phi - 2.7\"]\n"});
  EXPECT_EQ(both.status, 3);
  EXPECT_THAT(both.err, HasSubstr("leave out `extra[2]` or another of these constraints, or hold fewer coordinates"));
}

// A sleigh with a rotor phi on it that is driven. Truth: by hand, with the yaw rate w and the speed v1 along the blade.
const std::string kDrivenSleigh = R"toml(name = "driven"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "theta", unit = "rad"}, {name = "phi", unit = "rad"}]
[parameters]
m = "2 kg"
I = "0.1 kg*m^2"
J = "0.02 kg*m^2"
b = "0.2 m"
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + I*theta'^2/2 + J*(theta' + phi')^2/2"
[[constraint]]
name = "knife"
pfaffian = "y'*cos(theta) - x'*sin(theta) - b*theta'"
[prescribed]
phi = "30 deg + 20 rpm * t"
)toml";

TEST(FirstHour, WhatIsPrescribedIsNotSolvedFor) {
  const Outcome text = run({"derive", "-", "--only", "reduced"}, {.input = kDrivenSleigh});
  ASSERT_EQ(text.status, 0) << text.err;
  const std::string rates = text.out.substr(text.out.find("rates in closed form"));
  EXPECT_THAT(rates, HasSubstr("v1' = b*theta'^2"));
  EXPECT_THAT(rates, Not(HasSubstr("phi'' =")));
  const std::string motion = rates.substr(0, rates.find("actuation in closed form"));
  EXPECT_THAT(motion, HasSubstr("J*phi''"));
  EXPECT_THAT(motion, Not(HasSubstr("actuation(phi)")));
  EXPECT_THAT(rates, HasSubstr("actuation(phi) ="));
  EXPECT_THAT(rates.substr(rates.find("multipliers in q and v")), Not(HasSubstr("actuation(phi)")));
  const auto json = run({"derive", "-", "--only", "reduced", "--json"}, {.input = kDrivenSleigh}).json();
  EXPECT_TRUE(json["reduced"]["actuation"]["phi"].is_string());
  const auto sleigh = run({"derive", "chaplygin-sleigh", "--only", "reduced", "--json"}).json();
  EXPECT_EQ(sleigh["reduced"]["T"], "1/2*m*u^2 + 1/2*(m*b^2 + I)*omega^2");
  EXPECT_TRUE(sleigh["reduced"]["actuation"].is_null());
}

// Truth: what a textbook prints.
TEST(FirstHour, FormulasReadWell) {
  const std::string model = R"toml(name = "signs"
coordinates = [{name = "theta", unit = "rad"}, {name = "x", unit = "m"}]
[parameters]
m1 = "1 kg"
m2 = "2 kg"
a = "1 m"
b = "1 m"
L = "2 m"
R = "3 m"
[energy]
kinetic = "m1*x'^2/2 + m2*a^2*theta'^2/2"
potential = "(9.81 m/s^2)*(m1*a + m2*L)*cos(theta) + (1 N/m)*(L - R)*x*sin(theta)"
[[constraint]]
name = "blade"
pfaffian = "x'*tan(theta) - b*theta'"
)toml";
  const Outcome text = run({"derive", "-"}, {.input = model});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("W[blade,x] = tan(theta)"));
  EXPECT_THAT(text.out, HasSubstr("blade:  x'*tan(theta) - b*theta' = 0"));
  EXPECT_THAT(text.out, HasSubstr(" - 9.81*(m1*a + m2*L)*sin(theta)"));
  EXPECT_THAT(text.out, HasSubstr("(L - R)*sin(theta)"));
  EXPECT_THAT(run({"derive", "delta-robot"}).out, HasSubstr("W[forearm1,p1] = 2*(r - R + p1 - l*cos(alpha1))"));
  EXPECT_THAT(run({"derive", "snakeboard", "--unicode"}).out, HasSubstr("= −M_aa"));
  EXPECT_THAT(run({"derive", "ball-with-spin", "--unicode"}).out, HasSubstr("½ m (ẋ² + ẏ² + ż²)"));
  EXPECT_THAT(run({"derive", "ball-with-spin"}).out, HasSubstr("h[table] = z - r\n"));
  EXPECT_THAT(run({"derive", "point-pendulum-3d"}).out, HasSubstr("rod:  1/2*(p1^2 + p2^2 + p3^2 - L^2) = 0"));
  EXPECT_THAT(run({"derive", "point-pendulum-3d"}).out, HasSubstr(" plane = m*(p1*p2' - p2*p1')"));
  // Kinetic and potential energy stay apart, in the text, in JSON and in the analysis.
  const std::string energy = "1/2*m*x'^2 + 2/3*m*a^2*theta'^2 - m*a*x'*theta'*sin(theta) + m*g*a*sin(theta)";
  EXPECT_THAT(run({"derive", "rod-on-corner"}).out, HasSubstr("energy = " + energy + "\n"));
  EXPECT_THAT(run({"analyze", "rod-on-corner"}).out, HasSubstr(energy));
  EXPECT_EQ(run({"derive", "rod-on-corner", "--json"}).json()["conserved"][0]["expression"], energy);
  EXPECT_THAT(run({"derive", "slider-crank", "--only", "reduced", "--unicode"}).out,
              HasSubstr("entries of M_r and b_r"));
}

// λ of the slider-crank is half a page by names; its numbers are held by tests/python/test_formulas_by_name.py.
TEST(FirstHour, MultipliersThatAreTooLargeAreByNames) {
  const Outcome named = run({"derive", "slider-crank", "--only", "lambda"});
  EXPECT_THAT(named.out,
              HasSubstr("lambda(pin[1]) = (D[pin[1],pin[2]]*d[pin[2]] - D[pin[2],pin[2]]*d[pin[1]])/det(D)"));
  EXPECT_LT(named.out.size(), 4000U);
  EXPECT_THAT(run({"derive", "rocking-block", "--only", "D"}).out,
              HasSubstr("(none: forces depend on the multipliers)"));
  EXPECT_THAT(run({"derive", "n-link-chain-maximal", "--set", "N=100", "--only", "D"}).out,
              HasSubstr("(none: the formulas are too large to be read)"));
  EXPECT_EQ(run({"derive", "cartesian-pendulum", "--only", "D", "--format", "json"}).json()["D"].size(), 1U);
}

// Truth: r is the distance of the bob from the origin.
TEST(FirstHour, DistancesInDisguiseHaveTensions) {
  const auto with = [](const std::string& position, const std::string& h) {
    return run({"derive", "-", "--only", "lambda"},
               {.input = "coordinates = [{name = \"r\", unit = \"m\"}, {name = \"s\", unit = \"m\"}]\n"
                         "[parameters]\nL = \"1 m\"\n[[body]]\nname = \"bob\"\nmass = \"2 kg\"\nposition = " +
                         position + "\n[[constraint]]\nname = \"rod\"\nholonomic = \"" + h + "\"\n"})
        .out;
  };
  const std::string polar = R"toml(["r*sin(s/L)", "-r*cos(s/L)"])toml", plain = R"toml(["r", "s"])toml";
  EXPECT_THAT(
      with(polar, "r - L"),
      HasSubstr(
          "thrust along the line between `bob` and the origin: positive pushes apart, the tension is -lambda(rod)"));
  EXPECT_THAT(with(polar, "L - r"), HasSubstr("tension along the line between `bob` and the origin"));
  EXPECT_THAT(with(plain, "sqrt(r^2 + s^2) - L"), HasSubstr("thrust along the line between `bob` and the origin"));
  EXPECT_THAT(with(plain, "hypot(r, s) = L"), HasSubstr("thrust along the line"));
  // Points that coincide have no line between them.
  EXPECT_THAT(run({"derive", "slider-crank"}).out, HasSubstr("lambda(pin[1]) [N]: force that enforces pin[1] = 0"));
  // No distance, or not of unit slope.
  for (const char* h : {"r - L", "2*sqrt(r^2 + s^2) - L", "sqrt(r^2 + 2*s^2) - L"})
    EXPECT_THAT(with(plain, h), HasSubstr("force that enforces rod = 0")) << h;
}

TEST(FirstHour, ACoordinateWithoutInertiaIsNamed) {
  const std::string text =
      "coordinates = [\"x\", \"ghost\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2 + ghost^2\"\n";
  for (const char* verb : {"check", "eval"})
    EXPECT_THAT(run({verb, "-"}, {.input = text}).err, HasSubstr("`ghost` has no inertia")) << verb;
  for (const char* verb : {"check", "simulate"})
    EXPECT_THAT(run({verb, "-"}, {.input = text}).err, HasSubstr("`holonomic = \"2*ghost\"`")) << verb;
  EXPECT_THAT(run({"check", "-"}, {.input = text}).err, HasSubstr("--> <stdin>:1:22"));
}

TEST(FirstHour, SmallThings) {
  const Folder folder;
  // The file that may not be read is not offered again.
  const std::string path = folder.write("noread.toml", kCart);
  folder.write("noread2.toml", kCart);
  const Outcome missing = run({"check", folder.file("noreed.toml")});
  EXPECT_THAT(missing.err, HasSubstr("noread.toml"));
  if (::geteuid() != 0) {
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_THAT(run({"check", path}).err, Not(HasSubstr("did you mean")));
  }
  // Next commands can be pasted; there is none for standard input.
  const Outcome made = run({"new", "my model"}, {.folder = folder.path()});
  EXPECT_THAT(made.err, HasSubstr("dalembert check 'my model.toml'"));
  EXPECT_THAT(read_text(folder.file("my model.toml")), HasSubstr("explain format"));
  EXPECT_THAT(run({"check", "-"}, {.input = kCart}).out, Not(HasSubstr("next:")));
  // One word where one is asked for.
  EXPECT_THAT(run({"check", "slider-crank", "-q"}).out, StartsWith("ok"));
  EXPECT_EQ(run({"simulate", "slider-crank", "--until", "0.1", "-q"}).out, "verdict: holds\n");
  EXPECT_THAT(run({"models"}).out, Not(HasSubstr("…")));
  EXPECT_THAT(run({"explain", "format"}).out, StartsWith("# The model file"));
  EXPECT_THAT(run({"--help"}).out, HasSubstr("docs/model-format.md"));
  for (const char* code : {"E0005", "E0101"})
    EXPECT_THAT(run({"explain", code}).out, HasSubstr("docs/model-format.md")) << code;
}

TEST(FirstHour, ARunBeyondTheSamplesOfAnInputIsWarnedOf) {
  const Folder folder;
  folder.write("u.csv", "time,u\n0,0\n1,2\n2,0\n");
  const std::string model = folder.write("m.toml", R"toml(coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[inputs]
u = {file = "u.csv", column = "u"}
[[force]]
coordinate = "x"
value = "u"
)toml");
  EXPECT_THAT(run({"simulate", model, "--until", "3"}).err, HasSubstr("W0504"));
  EXPECT_THAT(run({"simulate", model, "--until", "2"}).err, IsEmpty());
}

// Truth: x = s(t) of the parabola through three samples, s = t (2 − t): exact, so x(1) = 1, and the force that holds a
// unit mass on it is s'' = −2. Beyond the samples, and as a linear table, it drives nothing.
TEST(FirstHour, SamplesDriveAConstraint) {
  const Folder folder;
  folder.write("s.csv", "time,s\n0,0\n1,1\n2,0\n");
  const auto model = [&](const std::string& interpolation) {
    return folder.write("m.toml", R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
[[constraint]]
name = "drive"
holonomic = "x - s"
[inputs]
s = {file = "s.csv", column = "s")toml" +
                                      interpolation + "}\n");
  };
  const std::string spline = model(", interpolation = \"spline\"");
  const auto json = nlohmann::json::parse(run({"simulate", spline, "--until", "1", "--json"}).out);
  EXPECT_NEAR(json.at("final").at("q").at("x").get<double>(), 1, 1e-14);
  EXPECT_NEAR(json.at("final").at("lambda").at("drive").get<double>(), -2, 1e-13);
  const Outcome beyond = run({"simulate", spline, "--until", "2.5"});
  EXPECT_EQ(beyond.status, 1);
  EXPECT_THAT(beyond.err, HasSubstr("E0506"));
  EXPECT_THAT(run({"check", model("")}).err, HasSubstr("interpolation = \"spline\""));
}

TEST(FirstHour, UnitsOfARunStandBesideItWhereAsked) {
  const Folder folder;
  const std::string csv = folder.file("run.csv");
  EXPECT_EQ(run({"simulate", "-", "--until", "0.1", "--units", "-o", csv}, {.input = kCart}).status, 0);
  const auto units = nlohmann::json::parse(read_text(csv + ".units.json"));
  EXPECT_EQ(units["time"], "s");
  EXPECT_EQ(units["v/theta"], "rad/s");
  EXPECT_EQ(units["lambda/roll"], "N");
  EXPECT_EQ(units["output/twist"], "N*m");
  EXPECT_EQ(units["output/turn"], "rad");
  // One unit for each series of the header.
  std::string header = read_text(csv).substr(0, read_text(csv).find('\n'));
  EXPECT_EQ(units.size(), static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1);
}

}  // namespace
}  // namespace dalembert::testing
