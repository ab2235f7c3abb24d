// SPDX-License-Identifier: Apache-2.0
// What check, assemble and simulate say about a doubtful start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSliderCrank = R"toml(name = "slider-crank"
coordinates = [{name = "theta", unit = "rad"}, {name = "phi", unit = "rad"}, {name = "x", unit = "m"}]
[energy]
kinetic = "0.5*theta'^2 + 0.5*phi'^2 + 0.5*x'^2"
[parameters]
L1 = "0.3 m"
L2 = "0.7 m"
[[constraint]]
name = "pin"
holonomic = ["L1*cos(theta) - L2*cos(phi) - x", "L1*sin(theta) - L2*sin(phi)"]
[initial]
position = {theta = "60 deg"}
)toml";

// With θ = 60° held the slider is at 0.15 ± √(0.49 − 0.0675) = 0.8 or −0.5. The guess says 0.8; from φ = 0, which
// nothing says, the search goes to −0.5.
TEST(StartWarnings, AnotherAssemblyIsNearer) {
  const Folder folder;
  const std::string path = folder.write("crank.toml", std::string(kSliderCrank) + "guess = {x = 0.79}\n");
  for (const char* verb : {"check", "assemble", "simulate"}) {
    const Outcome outcome = run({verb, path});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("W0207")) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("another assembly is nearer to the guess: phi = 2.7613 rad and x = 0.8 m"));
    EXPECT_THAT(outcome.err, HasSubstr("the start is far from the guess: x = -0.5 m, not x = 0.79 m"));
  }
  const std::string good = folder.write("good.toml", std::string(kSliderCrank) + "guess = {x = 0.79, phi = 2.5}\n");
  const Outcome quiet = run({"assemble", good});
  EXPECT_THAT(quiet.err, Not(HasSubstr("W020")));
  EXPECT_THAT(quiet.out, HasSubstr("alternatives  phi = 0.38025 rad,  x = -0.5 m"));
  auto json = run({"assemble", good, "--json"}).json();
  ASSERT_EQ(json["alternatives"].size(), 1u);
  EXPECT_NEAR(json["alternatives"][0]["q"]["x"].get<double>(), -0.5, 1e-9);
  // No guess at all: which one is a matter of chance.
  EXPECT_THAT(run({"check", folder.write("none.toml", kSliderCrank)}).err,
              HasSubstr("the start is one of 2 assemblies"));
}

// A squared constraint is no singular position beside others at which it would hold.
TEST(StartWarnings, ASquareHoldsNothing) {
  const Folder folder;
  const auto pendulum = [&](const std::string& h) {
    return folder.write("pendulum.toml",
                        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\npotential = \"y\"\n"
                        "[[constraint]]\nname = \"rod\"\nholonomic = \"" +
                            h + "\"\n[initial]\nposition = {x = 0.6}\nguess = {y = 0.8}\n");
  };
  const Outcome squared = run({"check", pendulum("(x^2 + y^2 - 1)^2")});
  EXPECT_THAT(squared.err, HasSubstr("warning[W0333]: `rod` holds nothing: its derivative is 0 wherever it is kept"));
  EXPECT_THAT(squared.err, Not(HasSubstr("W0206")));
  EXPECT_THAT(squared.err, Not(HasSubstr("W0205")));  // no row follows from others
  const Outcome analyzed = run({"analyze", pendulum("(x^2 + y^2 - 1)^2")});
  EXPECT_THAT(analyzed.err, HasSubstr("W0333"));
  EXPECT_THAT(analyzed.out, HasSubstr("2 of velocity, 0 to 2 of configuration"));
  EXPECT_THAT(analyzed.out, Not(HasSubstr("nearby")));
  EXPECT_THAT(analyzed.out, Not(HasSubstr("stable")));
  EXPECT_THAT(run({"check", pendulum("x^2 + y^2 - 1")}).err, Not(HasSubstr("W0333")));
  EXPECT_THAT(run({"check", pendulum("abs(y - 0.8)")}).err, HasSubstr("its derivative is 0 or does not exist"));
}

// A page says what the command says of the start, once, whichever verb writes it.
TEST(StartWarnings, PagesSayThem) {
  const Folder folder;
  const std::string path = folder.write("crank.toml", std::string(kSliderCrank) + "guess = {x = 0.79}\n");
  const std::string page = folder.file("page.html");
  const auto count = [&](const std::string& text) {
    const std::string whole = read_text(page);
    int times = 0;
    for (std::size_t at = whole.find(text); at != std::string::npos; at = whole.find(text, at + 1)) ++times;
    return times;
  };
  const std::string doubt =
      "W0207: another assembly is nearer to the guess: phi = 2.7613 rad and x = 0.8 m (give every";
  const Outcome reported = run({"report", path, "-o", page});
  EXPECT_THAT(reported.err, HasSubstr("warning[W0207]: another assembly is nearer"));
  EXPECT_EQ(count(doubt), 1);
  run({"simulate", path, "--report", page});
  EXPECT_EQ(count(doubt), 1);
  // What a given start leaves out is a guess of the model: x = 0.3 cos 1 + √(0.49 − 0.09 sin² 1) = 0.81499 is nearer than the other sign.
  const std::string state = folder.write("state.json", R"({"q": {"theta": 1.0}})");
  const Outcome given = run({"report", path, "--at", state, "-o", page});
  EXPECT_EQ(given.status, 0) << given.err;
  EXPECT_THAT(given.err, HasSubstr("another assembly is nearer to the guess: phi = 2.7726 rad and x = 0.81499 m"));
  EXPECT_EQ(count("W0207: "), 1);
  // One that leaves nothing out has no other assembly.
  const std::string whole =
      folder.write("whole.json", R"({"q": {"theta": 1.0471975511965976, "phi": 0.38025120669293356, "x": -0.5}})");
  const Outcome complete = run({"report", path, "--at", whole, "-o", page});
  EXPECT_EQ(complete.status, 0) << complete.err;
  EXPECT_THAT(complete.err, Not(HasSubstr("W0207")));
  EXPECT_EQ(count("W0207: "), 0);
  const std::string squared = folder.write("squared.toml", R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2 + y'^2"
[[constraint]]
name = "line"
holonomic = "y^2"
[initial]
position = {x = 0.6}
velocity = {x = 1}
)toml");
  const std::string beside = folder.write("beside.json", R"({"q": {"x": 0.5, "y": 0}})");
  for (const std::vector<std::string>& from : {std::vector<std::string>{}, {"--at", beside}}) {
    std::vector<std::string> words{"report", squared, "-o", page};
    words.insert(words.end(), from.begin(), from.end());
    run(words);
    EXPECT_EQ(count("W0333: `line` holds nothing: its derivative is 0 wherever it is kept"), 1);
    EXPECT_EQ(count("line vanishes at the start"), 1);
  }
}

// Shipped models have the starts that they ask for.
TEST(StartWarnings, ShippedModelsHaveNone) {
  for (const std::string& model : model_names())
    EXPECT_THAT(run({"assemble", model}).err, Not(HasSubstr("W020"))) << model;
}

TEST(StartWarnings, ABifurcationIsNamed) {
  const Folder folder;
  const std::string flat = R"toml(name = "flat"
coordinates = [{name = "a", unit = "rad"}, {name = "b", unit = "rad"}, {name = "c", unit = "rad"}]
[energy]
kinetic = "0.5*a'^2 + 0.7*b'^2 + 0.3*c'^2"
[[constraint]]
name = "loop"
holonomic = ["cos(a) + 2*cos(b) - cos(c) - 2", "sin(a) + 2*sin(b) - sin(c)"]
[initial]
position = {a = 0, b = 0, c = 0}
)toml";
  const std::string path = folder.write("flat.toml", flat);
  for (const char* verb : {"check", "assemble", "simulate"}) {
    const Outcome outcome = run({verb, path});
    EXPECT_THAT(outcome.err, HasSubstr("W0206")) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("two motions are possible"));
    EXPECT_THAT(outcome.err, HasSubstr("a' = 1, b' = 0 and c' = 1"));
  }
  // An open contact takes no part in it.
  std::string beside = flat;
  beside.insert(beside.find("[initial]"),
                "[[constraint]]\nname = \"stop\"\nholonomic = \"2 - a\"\nunilateral = true\n");
  const Outcome stop = run({"check", folder.write("stop.toml", beside)});
  EXPECT_THAT(stop.err, HasSubstr("`loop[1]` vanishes here but not nearby: rank 1 instead of 2"));
  EXPECT_THAT(stop.err, Not(HasSubstr("`stop`")));
  // From rest nothing says which, and a load wants to move.
  std::string load = flat;
  load.insert(load.find("[[constraint"), "potential = \"9.81*(sin(a) + sin(b) + 0.5*sin(c))\"\n");
  const std::string loaded = folder.write("loaded.toml", load);
  EXPECT_THAT(run({"simulate", loaded}).err, HasSubstr("does not leave the singular position that it starts from"));
}

// Round-off is not told to people: the bicycle starts along x, and a rod that rests moves by nothing.
TEST(Start, RoundOffIsNothingToPeople) {
  const Outcome bicycle = run({"check", "whipple-bicycle"});
  ASSERT_EQ(bicycle.status, 0) << bicycle.err;
  for (const char* digits : {"e-17", "e-45"})
    EXPECT_EQ(bicycle.out.find(digits), std::string::npos) << digits << bicycle.out;
  const Outcome rod = run({"simulate", "rod-on-corner-friction", "--set", "mu=0.9", "--set", "mu_s=1.2"});
  EXPECT_EQ(rod.out.find("0e+00"), std::string::npos) << rod.out;
  EXPECT_EQ(rod.out.find("limit 1e+00"), std::string::npos) << rod.out;
}

// Of y² = x³ the tangents at the cusp are a double root: the second order does not tell what may move along them, and positions are nearby.
TEST(StartWarnings, ACuspIsNotSaidToAllowNoMotion) {
  const Folder folder;
  const std::string path = folder.write("cusp.toml", R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "cusp"
holonomic = "y^2 - x^3"
[initial]
position = {x = 0, y = 0}
)toml");
  const Outcome outcome = run({"check", path});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the start is a singular position, from which several motions may be possible"));
  EXPECT_THAT(outcome.err, HasSubstr("`cusp` vanishes here but not nearby: rank 0 instead of 1"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("no motion")));
}

// (x − y)² has no gradient where it is kept, so that a start with x' ≠ y' has no acceleration, and no λ. Its row is counted all the same.
TEST(StartWarnings, RedundantRowsAreCountedWhereARunFailsAtItsStart) {
  const Folder folder;
  const std::string path = folder.write("square.toml", R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "square"
holonomic = "(x - y)^2"
[initial]
position = {x = 0}
velocity = {x = 1}
)toml");
  const Outcome outcome = run({"simulate", path});
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("redundant constraints contradict each other at t = 0 s"));
  EXPECT_THAT(outcome.out, HasSubstr("the constraints are redundant there (rank 0 of 1)\n"));
}

}  // namespace
}  // namespace dalembert::testing
