// SPDX-License-Identifier: Apache-2.0
// check, derive, models, new, assemble.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/process.h"
#include "source_tree.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Check, CountsFreedoms) {
  const Outcome outcome = run({"check", "slider-crank", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["model"], "slider-crank");
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["N"], 3);
  EXPECT_EQ(json["m"], 2);
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["dof"]["velocity"], 1);
  EXPECT_TRUE(json["diagnostics"].empty());
}

// The energy of what bounces is constant until it strikes, whether a contact or an event says so.
TEST(Check, SaysBetweenWhatQuantitiesAreConserved) {
  const Folder folder;
  const std::string ball = "coordinates = [\"y\"]\n[energy]\nkinetic = \"y'^2/2\"\npotential = \"9.81*y\"\n",
                    event = "[[event]]\nname = \"b\"\nwhen = \"y\"\ndirection = \"down\"\n",
                    contact = "[[constraint]]\nname = \"c\"\nholonomic = \"y + 1\"\nunilateral = true\n",
                    set = "set = {\"y'\" = \"-0.8*y'\"}\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "along every motion"},
      {event, "along every motion"},
      {event + set, "between events"},
      {contact, "between impacts"},
      {contact + event + set, "between impacts and events"}};
  for (const auto& [text, when] : cases) {
    const std::string path = folder.write("ball.toml", ball + text);
    EXPECT_THAT(run({"derive", path}).out, HasSubstr("conserved " + when + "\n"));
    const bool always = when == "along every motion";
    for (const char* verb : {"check", "analyze"})
      EXPECT_EQ(run({verb, path}).out.find("(" + when + ")\n") != std::string::npos, !always) << verb << when;
  }
}

// What is prescribed is no constraint, wherever rows are counted.
TEST(Check, CountsDependentRowsWithoutWhatIsPrescribed) {
  const Folder folder;
  const std::string path = folder.write("twice.toml", R"toml(coordinates = ["x", "y", "a"]
prescribed = {a = "sin(t)"}
energy = {kinetic = "x'^2 + y'^2 + a'^2"}
constraint = [{name = "one", holonomic = "x - a"}, {name = "two", holonomic = "2*x - 2*a"}]
)toml");
  EXPECT_THAT(run({"check", path}).err, HasSubstr("1 of 2 constraint rows is redundant"));
  EXPECT_THAT(run({"simulate", path, "--until", "1"}).out, HasSubstr("(rank 1 of 2)"));
}

// A ball that rolls and spins: nearly sixty members of a family whose verdicts are the same words.
TEST(Analyze, ShowsTheFirstOfManyThatAreAlike) {
  const Outcome shown = run({"analyze", "ball-with-spin"});
  std::size_t count = 0;
  for (std::size_t at = shown.out.find("marginal"); at != std::string::npos; at = shown.out.find("marginal", at + 1))
    ++count;
  EXPECT_LE(count, 4U);
  EXPECT_THAT(shown.out, HasSubstr("more that are judged in the same words: --json has them all"));
  EXPECT_GT(run({"analyze", "ball-with-spin", "--json"}).json()["equilibria"].size(), 20U);
}

// Where nothing is known of a Pfaffian row, it may be integrable or not: the freedoms were "1 to 1".
TEST(Analyze, FreedomsOfWhatIsUndecided) {
  const Folder folder;
  const std::string model = folder.write("undecided.toml", R"toml(coordinates = ["x", "y"]
energy = {kinetic = "(x'^2 + y'^2)/2"}
constraint = [{name = "c", pfaffian = "if(mod(x, 3) < 1, y' - x, y')"}]
)toml");
  EXPECT_THAT(run({"analyze", model}).out, HasSubstr("1 of velocity, 1 to 2 of configuration"));
  const auto found = run({"analyze", model, "--json"}).json()["integrability"];
  EXPECT_EQ(found["kind"], "undecided");
  EXPECT_EQ(found["integrable"], 0);
  EXPECT_EQ(found["integrable_at_most"], 1);
}

// x = 0 rests at all times under a spring whose stiffness changes, which `analyze` does not look for: it said that there are none.
TEST(Analyze, SaysThatItDidNotLookWhereTimeActs) {
  const Folder folder;
  const std::string model = folder.write("pumped.toml", R"toml(coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "(2 + sin(3*t))*x^2/2"}
)toml");
  EXPECT_THAT(run({"analyze", model}).out, HasSubstr("equilibria were not looked for: the system depends on time"));
}

// What is prescribed takes no freedom away, whichever verb counts.
TEST(Check, CountsFreedomsAsAnalyzeDoes) {
  for (const char* model : {"three-link-snake", "snakeboard", "slider-crank"}) {
    auto checked = run({"check", model, "--json"}).json(), analyzed = run({"analyze", model, "--json"}).json();
    EXPECT_EQ(checked["m"], analyzed["m"]) << model;
    EXPECT_EQ(checked["rank"], analyzed["rank"]) << model;
    EXPECT_EQ(checked["dof"]["velocity"], analyzed["dof"]["velocity"]) << model;
  }
  EXPECT_THAT(run({"analyze", "three-link-snake"}).out,
              HasSubstr("2 of velocity, 5 of configuration, 2 of them prescribed   (5 velocities - rank 3)"));
}

TEST(Check, SaysWhereAnUnknownSymbolStands) {
  const Folder folder;
  std::string text = kPendulum;
  text.replace(text.find("x^2 + y^2"), 9, "x^2 + z^2");
  const std::string path = folder.write("pendulum.toml", text);
  const Outcome outcome = run({"check", path, "--json"});
  EXPECT_EQ(outcome.status, 1);
  auto json = outcome.json();
  EXPECT_EQ(json["ok"], false);
  const auto& diagnostic = json["diagnostics"].at(0);
  EXPECT_EQ(diagnostic["code"], "E0102");
  EXPECT_EQ(diagnostic["level"], "error");
  EXPECT_EQ(diagnostic["file"], path);
  EXPECT_EQ(diagnostic["line"], 14);
  EXPECT_EQ(diagnostic["column"], 25);
  EXPECT_THAT(outcome.err, HasSubstr("error[E0102]"));
  EXPECT_THAT(outcome.err, HasSubstr("pendulum.toml:14:25"));
}

TEST(Check, RefusesAWrongUnit) {
  const Folder folder;
  std::string text = kPendulum;
  text.replace(text.find("\"2 kg\""), 6, "\"2 kgg\"");
  const Outcome unknown = run({"check", folder.write("a.toml", text)});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("kgg"));

  // Right by itself, but a length cannot be added to a mass.
  text = kPendulum;
  text.replace(text.find("L = \"1 m\""), 9, "L = \"1 kg\"");
  EXPECT_EQ(run({"check", folder.write("b.toml", text)}).status, 1);
}

TEST(Check, ReportsSeveralErrorsAtOnce) {
  const Folder folder;
  std::string text = kPendulum;
  text.replace(text.find("-lambda(rod)"), 12, "-lambda(rode)");
  text.replace(text.find("push*x'"), 7, "pusch*x'");
  const Outcome outcome = run({"check", folder.write("pendulum.toml", text), "--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_GE(outcome.json()["diagnostics"].size(), 2U);
}

TEST(Check, EmptyAndBinaryFilesAreModelErrors) {
  const Folder folder;
  for (const std::string& text : {std::string(), std::string("\n# nothing\n"), std::string("\xff\xfe\0x", 4),
                                  "a = " + std::string(100000, '['), std::string(100000, '[')}) {
    const Outcome outcome = run({"check", folder.write("odd.toml", text), "--json"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.json()["ok"], false);
    EXPECT_THAT(outcome.err, HasSubstr("error["));
  }
}

TEST(Check, ReadsStandardInput) {
  const Outcome outcome = run({"check", "-", "--json"}, {.input = kPendulum});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["model"], "pendulum");
  EXPECT_THAT(run({"check", "-"}, {.input = "coordinates = 3"}).err, HasSubstr("<stdin>:1:"));
}

// The pendulum's rod stated twice: rank 1 of 2, and the second row is the one to leave out.
TEST(Check, WarnsOfRedundantRows) {
  const Folder folder;
  const std::string text =
      std::string(kPendulum) + "[[constraint]]\nname = \"again\"\nholonomic = \"x^2 + y^2 - L^2\"\n";
  const Outcome outcome = run({"check", folder.write("pendulum.toml", text), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["dof"]["velocity"], 1);
  ASSERT_EQ(json["diagnostics"].size(), 1U);
  EXPECT_EQ(json["diagnostics"][0]["code"], "W0205");
  EXPECT_EQ(json["diagnostics"][0]["level"], "warning");
  EXPECT_THAT(outcome.err, HasSubstr("`again`"));
}

TEST(Check, AStartThatCannotBeAssembledIsWrong) {
  const Outcome outcome = run({"check", "-", "--set", "x=3", "--json"}, {.input = kPendulum});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.json()["diagnostics"].back()["code"], "E0302");
  EXPECT_THAT(outcome.err, HasSubstr("sqrt(x^2 + y^2) - L"));
}

TEST(Models, ListsAndShows) {
  const auto names = model_names();
  EXPECT_GE(names.size(), 10U);
  auto json = run({"models", "--json"}).json();
  ASSERT_EQ(json["models"].size(), names.size());
  for (const auto& model : json["models"])
    EXPECT_FALSE(model["description"].get<std::string>().empty()) << model["name"];
  const Outcome shown = run({"models", "show", "slider-crank"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.out, read_text(source_tree() + "/models/slider-crank.toml"));
  // What is shown can be piped back.
  EXPECT_EQ(run({"check", "-"}, {.input = shown.out}).status, 0);
}

TEST(New, WritesAModelThatChecksAndSimulates) {
  const Folder folder;
  const Setting here{.folder = folder.path()};
  ASSERT_EQ(run({"new", "first"}, here).status, 0);
  const Outcome check = run({"check", "first.toml", "--json"}, here);
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_EQ(check.json()["model"], "first");
  EXPECT_TRUE(check.json()["diagnostics"].empty()) << check.err;
  const Outcome simulated = run({"simulate", "first.toml"}, here);
  EXPECT_EQ(simulated.status, 0) << simulated.err << simulated.out;
  EXPECT_EQ(run({"simulate", "first.toml", "--set", "push=0.5*sin(3*t)"}, here).status, 0);
}

TEST(New, NeverOverwrites) {
  const Folder folder;
  folder.write("first.toml", "mine");
  const Outcome outcome = run({"new", "first"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_EQ(read_text(folder.file("first.toml")), "mine");
  EXPECT_EQ(run({"new", "first", "--output", "second.toml"}, {.folder = folder.path()}).status, 0);
  EXPECT_TRUE(folder.has("second.toml"));
  EXPECT_EQ(run({"new", "first", "-o", "nowhere/second.toml"}, {.folder = folder.path()}).status, 5);
}

TEST(Derive, JsonHasEveryPart) {
  const Outcome outcome = run({"derive", "slider-crank", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  for (const char* key : {"model", "coordinates", "constraints", "M", "B", "G", "F", "W", "Wdot", "a", "gamma", "eom",
                          "T", "V", "L", "operations", "conserved"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["M"].size(), 3U);
  EXPECT_EQ(json["M"][0].size(), 3U);
  EXPECT_EQ(json["W"].size(), 2U);
  EXPECT_EQ(json["W"][0][2], "-1");  // d(… − x)/dx
  EXPECT_EQ(json["eom"].size(), 3U);
  EXPECT_EQ(run({"derive", "slider-crank", "--format", "json"}).out, outcome.out);
}

TEST(Derive, TextLatexAndParts) {
  EXPECT_THAT(run({"derive", "slider-crank"}).out, HasSubstr("equations of motion"));
  EXPECT_THAT(run({"derive", "slider-crank", "--format", "latex"}).out, HasSubstr("\\begin{bmatrix}"));
  const std::string only = run({"derive", "slider-crank", "--only", "M,W"}).out;
  EXPECT_THAT(only, HasSubstr("W ("));
  EXPECT_THAT(only, Not(HasSubstr("gamma")));
  for (const char* form : {"canonical", "expanded", "as-derived"})
    EXPECT_EQ(run({"derive", "slider-crank", "--form", form}).status, 0);
  const Folder folder;
  EXPECT_EQ(run({"derive", "slider-crank", "-o", folder.file("equations.txt")}).status, 0);
  EXPECT_THAT(read_text(folder.file("equations.txt")), HasSubstr("equations of motion"));
  EXPECT_EQ(run({"derive", "slider-crank", "-o", folder.file("nowhere/equations.txt")}).status, 5);
}

TEST(Derive, StandaloneLatexAndItsWidth) {
  const std::string document = run({"derive", "slider-crank", "--format", "latex", "--standalone"}).out;
  EXPECT_THAT(document, StartsWith("\\documentclass"));
  EXPECT_THAT(document, HasSubstr("\\begin{equation}\n\\mathbf{M} = "));  // numbered; a fragment is not
  EXPECT_THAT(run({"derive", "slider-crank", "--format", "latex"}).out, HasSubstr("\\[\n\\mathbf{M} = "));
  const auto lines = [](const char* width) {
    const std::string out = run({"derive", "slider-crank", "--format", "latex", "--width", width}).out;
    return std::ranges::count(out, '\n');
  };
  EXPECT_GT(lines("20"), lines("38"));
  EXPECT_GT(lines("38"), lines("100"));
  EXPECT_EQ(run({"derive", "slider-crank", "--standalone"}).status, 2);
  EXPECT_EQ(run({"derive", "slider-crank", "--format", "latex", "--width", "-3"}).status, 2);
}

// Oracle: the same equations in the two spellings, read beside each other.
TEST(Derive, UnicodeWhereItIsAskedFor) {
  const std::string plain = run({"derive", "polar-pendulum", "--only", "eom"}).out;
  EXPECT_EQ(run({"derive", "polar-pendulum", "--only", "eom", "--ascii"}).out, plain);
  EXPECT_THAT(plain, HasSubstr("m*r'' - m*r*theta'^2 - m*g*cos(theta) = "));
  const std::string shown = run({"derive", "polar-pendulum", "--only", "eom", "--unicode"}).out;
  EXPECT_THAT(shown, HasSubstr("m r\u0308 − m r θ\u0307² − m g cos(θ) = "));
  EXPECT_THAT(shown, HasSubstr("M q\u0308 + B + G = F"));
  // COLUMNS where no terminal says otherwise
  const auto lines = [](const char* columns) {
    const Outcome outcome = run({"derive", "slider-crank", "--unicode"}, {.environment = {{"COLUMNS", columns}}});
    return std::ranges::count(outcome.out, '\n');
  };
  EXPECT_GT(lines("60"), lines("200"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--unicode", "--ascii"}, {"--unicode", "--json"}, {"--ascii", "--format", "latex"}}) {
    std::vector<std::string> words{"derive", "slider-crank"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("E0403"));
  }
}

// A terminal of the test's own.
TEST(Derive, UnicodeOnATerminalThatCanShowIt) {
  const auto on_terminal = [](std::vector<std::string> words,
                              std::vector<std::pair<std::string, std::string>> environment) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return std::string("none");
    const std::string name = ptsname(master);
    const int held = open(name.c_str(), O_RDWR | O_NOCTTY);  // what was written is kept while it is open
    words.insert(words.begin(), {"derive", "polar-pendulum", "--only", "G"});
    run(words, {.environment = std::move(environment), .standard_output = name});
    std::string text(4000, ' ');
    const ssize_t count = read(master, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    close(held);
    close(master);
    return text;
  };
  const std::vector<std::pair<std::string, std::string>> modern{{"LC_ALL", "C.UTF-8"}, {"TERM", "xterm"}};
  const std::string shown = on_terminal({}, modern);
  if (shown == "none") GTEST_SKIP() << "no pseudoterminals here";
  EXPECT_THAT(shown, HasSubstr("m g r sin(θ)"));
  EXPECT_THAT(on_terminal({"--ascii"}, modern), HasSubstr("m*g*r*sin(theta)"));
  EXPECT_THAT(on_terminal({}, {{"LC_ALL", "C"}, {"TERM", "xterm"}}), HasSubstr("m*g*r*sin(theta)"));
  EXPECT_THAT(on_terminal({}, {{"LC_ALL", "C.UTF-8"}, {"TERM", "dumb"}}), HasSubstr("m*g*r*sin(theta)"));
}

// Constraints as the model states them, not as 0 = ….
TEST(Derive, ConstraintsAsTheyAreTyped) {
  EXPECT_THAT(run({"derive", "slider-crank"}).out, HasSubstr("  pin[1]:  2*L1*cos(theta) - 2*L2*cos(phi) - x = 0\n"
                                                             "  pin[2]:  2*L1*sin(theta) - 2*L2*sin(phi) = 0\n"));
  EXPECT_THAT(run({"derive", "slider-crank", "--steps"}).out,
              HasSubstr("  pin[1]:  2*L1*cos(theta) - 2*L2*cos(phi) - x = 0\n"));
}

// x is held at 0.6 m, so y moves from its guess -0.7 m to -0.8 m: 0.6² + 0.8² = 1.
TEST(Assemble, SaysWhatWasHeldAndWhatMoved) {
  const Outcome outcome = run({"assemble", "-", "--json"}, {.input = kPendulum});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["held"]["q"], nlohmann::json({"x"}));
  EXPECT_EQ(json["q"]["x"], 0.6);
  EXPECT_NEAR(json["q"]["y"].get<double>(), -0.8, 1e-14);
  EXPECT_NEAR(json["moved"]["q"]["y"].get<double>(), -0.1, 1e-14);
  EXPECT_FALSE(json["moved"]["q"].contains("x"));
  EXPECT_NEAR(json["residual"]["position"]["rod"].get<double>(), 0, 1e-15);
}

TEST(Assemble, WritesAStateThatEvalReads) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum), state = folder.file("start.json");
  ASSERT_EQ(run({"assemble", model, "--output", state}).status, 0);
  auto json = run({"eval", model, "--at", state, "--json"}).json();
  EXPECT_NEAR(json["residual"]["position"]["rod"].get<double>(), 0, 1e-15);
}

TEST(Assemble, FailureIsNumerical) {
  const Outcome outcome = run({"assemble", "-", "--set", "x=3", "--json"}, {.input = kPendulum});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.json()["ok"], false);
}

// Units in --set; a plain number; integers of [structure]; later ones win; unknown names are wrong.
TEST(Set, OverridesParametersAndStructure) {
  const auto length = [](const std::vector<std::string>& sets) {
    std::vector<std::string> arguments{"assemble", "-", "--set", "x=0", "--json"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    return -run(arguments, {.input = kPendulum}).json()["q"]["y"].get<double>();
  };
  EXPECT_NEAR(length({"L=80 cm"}), 0.8, 1e-14);
  EXPECT_NEAR(length({"L=2"}), 2, 1e-14);
  EXPECT_NEAR(length({"L=2", "L=3 m"}), 3, 1e-14);
  EXPECT_EQ(run({"check", "n-link-chain", "--set", "N=3", "--json"}).json()["N"], 3);
  const Outcome unknown = run({"check", "slider-crank", "--set", "L3=1"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean"));
  EXPECT_EQ(run({"check", "slider-crank", "--set", "L1=1 kg"}).status, 2);
}

}  // namespace
}  // namespace dalembert::testing
