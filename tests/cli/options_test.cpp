// SPDX-License-Identifier: Apache-2.0
// What is typed is done or refused, never ignored; what is offered is there. Truth: the help of each verb and the
// wording of docs; exit status 2 for a command line that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What a user types for a third of a turn. Values are formulas of numbers, quantities and pi wherever a number with a unit is one.
TEST(Values, AreFormulasOfNumbersAndPi) {
  const Folder folder;
  const std::string model = folder.write("wheel.toml", R"toml(name = "wheel"
coordinates = [{name = "th", unit = "rad"}]
parameters = {I = "2*0.5 kg*m^2", w = "2*pi rad/s", L = "0.3 m + 5 cm"}
inputs = {tl = "0"}
energy = {kinetic = "I*th'^2/2", potential = "0*L*th*(1 N)"}
force = [{power = "tl*th'"}]
initial = {position = {th = 0}, velocity = {th = "w"}}
simulation = {until = "pi/3"}
)toml");
  const auto final_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"simulate", model, "--json"});
    return run(more).json()["final"];
  };
  EXPECT_NEAR(final_of({})["t"].get<double>(), M_PI / 3, 1e-15);
  EXPECT_NEAR(final_of({})["q"]["th"].get<double>(), 2 * M_PI * M_PI / 3, 1e-9);
  EXPECT_NEAR(final_of({"--until", "pi/2"})["t"].get<double>(), M_PI / 2, 1e-15);
  EXPECT_NEAR(final_of({"--set", "th=2*pi/3", "--set", "w=pi/2"})["q"]["th"].get<double>(),
              2 * M_PI / 3 + M_PI * M_PI / 6, 1e-9);
  EXPECT_NEAR(final_of({"--set", "w=0", "--set", "tl=2*pi N*m"})["qd"]["th"].get<double>(), 2 * M_PI * M_PI / 3, 1e-9);
  EXPECT_THAT(run({"check", model, "--set", "w=pi/2"}).err, HasSubstr("write `--set \"w=(pi/2) rad/s\"`"));
  EXPECT_EQ(run({"check", model, "--deny", "W0103", "--set", "w=(pi/2) rad/s"}).status, 0);
  const Outcome named = run({"check", model, "--set", "w=2*I"});
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.err, AllOf(HasSubstr("cannot read the unit `2*I`"), HasSubstr("a formula of these with `pi`")));
}

// The unit that the file asks for is the right one: `--set` is blamed, not the line of the model that reads the input.
TEST(Values, AreBlamedWhereTheyAreGiven) {
  const Folder folder;
  const std::string model = folder.write("wheel.toml", R"toml(coordinates = [{name = "th", unit = "rad"}]
parameters = {I = "1 kg*m^2"}
inputs = {tl = "0"}
energy = {kinetic = "I*th'^2/2"}
force = [{power = "tl*th'"}]
)toml");
  const Outcome wrong = run({"check", model, "--set", "tl=5 N"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("`tl` cannot be in `N`"), HasSubstr("--set:1:4"), Not(HasSubstr("wheel.toml:"))));
  EXPECT_EQ(run({"check", model, "--set", "tl=5 N*m"}).status, 0);
}

TEST(DeriveOptions, TheSuffixChoosesTheFormat) {
  const Folder folder;
  const auto derive = [&](const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"derive", "mass-spring", "-o", folder.file(name)});
    return run(more);
  };
  EXPECT_EQ(derive("a.tex").status, 0);
  EXPECT_THAT(read(folder.file("a.tex")), AllOf(HasSubstr("\\begin{align*}"), Not(HasSubstr("documentclass"))));
  EXPECT_EQ(derive("b.tex", {"--standalone"}).status, 0);
  EXPECT_THAT(read(folder.file("b.tex")), StartsWith("\\documentclass"));
  EXPECT_EQ(derive("c.json").status, 0);
  EXPECT_EQ(nlohmann::json::parse(read(folder.file("c.json")))["model"], "mass-spring");
  for (const char* name : {"d.txt", "e.md", "f"}) {
    EXPECT_EQ(derive(name).status, 0);
    EXPECT_THAT(read(folder.file(name)), HasSubstr("m*x'' + k*x = 0"));
  }
  // Said twice, in two ways; or a format that there is not.
  EXPECT_EQ(derive("g.tex", {"--format", "text"}).status, 2);
  EXPECT_EQ(derive("h.json", {"--format", "latex"}).status, 2);
  const Outcome pdf = derive("i.pdf");
  EXPECT_EQ(pdf.status, 2);
  EXPECT_THAT(pdf.err, AllOf(HasSubstr("E0407"), HasSubstr("pdflatex")));
  for (const char* name : {"g.tex", "h.json", "i.pdf"}) EXPECT_FALSE(folder.has(name)) << name;
}

TEST(DeriveOptions, NothingIsIgnored) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--steps", "--only", "M"},
                                             {"--steps", "--format", "latex", "--width", "30"},
                                             {"--json", "--format", "latex"},
                                             {"--standalone"}}) {
    std::vector<std::string> all{"derive", "mass-spring"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.status, 2) << words[0];
    EXPECT_THAT(outcome.err, HasSubstr("E0403")) << words[0];
  }
}

TEST(CycleOptions, TurnsAreThoseOfASection) {
  const Outcome outcome = run({"cycle", "mass-spring", "--turns", "3"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("E0403"), HasSubstr("--section")));
}

// pdflatex decides (skipped where it is not installed).
TEST(DeriveOptions, StepsAreADocument) {
  if (std::system("command -v pdflatex > /dev/null") != 0) GTEST_SKIP() << "no pdflatex";
  for (const char* model : {"slider-crank", "chaplygin-sleigh"}) {
    const Folder folder;
    ASSERT_EQ(run({"derive", model, "--steps", "--standalone", "-o", folder.file("steps.tex")}).status, 0);
    const std::string command =
        "cd '" + folder.path() + "' && pdflatex -interaction=nonstopmode -halt-on-error steps.tex > log.txt";
    EXPECT_EQ(std::system(command.c_str()), 0) << read(folder.file("log.txt"));
    EXPECT_TRUE(folder.has("steps.pdf"));
  }
}

// A page of the equations: no run, no picture, and no start is needed.
TEST(DeriveOptions, APageOfEquations) {
  const Folder folder;
  const Outcome done = run({"derive", "slider-crank", "--only", "M,eom", "-o", "m.html"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  // A page is too long to be shown when something is wrong.
  const std::string page = read(folder.file("m.html")), begin = "id=\"document\">";
  const std::size_t from = page.find(begin) + begin.size();
  const nlohmann::json document = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  EXPECT_EQ(document["title"], "slider-crank");
  EXPECT_TRUE(document["run"].is_null() && document["scene"].is_null() && document["series"].is_null());
  ASSERT_EQ(document["equations"].size(), 3u) << "M, the equations, the constraints";
  EXPECT_EQ(document["equations"][0]["title"], "Mass matrix");
  EXPECT_EQ(document["constraints"].size(), 2u);
  const std::string model = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n";
  EXPECT_TRUE(run({"derive", "-", "--format", "html"}, {.input = model}).out.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(run({"derive", "slider-crank", "--format", "html", "--steps"}).status, 2);
  EXPECT_EQ(run({"derive", "slider-crank", "--format", "html", "--width", "30"}).status, 2);
  EXPECT_EQ(run({"derive", "slider-crank", "--format", "html", "-o", "m.tex"}, {.folder = folder.path()}).status, 2);
}

TEST(Offers, OnlyWhatIsThere) {
  const Outcome key =
      run({"check", "-"}, {.input = std::string(kOscillator) + "\n[[constraint]]\nname = \"c\"\nxyz = \"x\"\n"});
  EXPECT_THAT(key.err, AllOf(HasSubstr("E0005"), HasSubstr("`pfaffian`"), HasSubstr("`friction`")));
}

TEST(SimulateOptions, StepLimit) {
  const Outcome outcome = run({"simulate", "mass-spring", "--until", "1", "--max-steps", "3", "--json"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_LE(outcome.json()["steps"].get<int>() + outcome.json()["rejected"].get<int>(), 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("E0304"), HasSubstr("limit of 3 steps"), HasSubstr("--max-steps")));
  EXPECT_EQ(run({"simulate", "mass-spring", "--until", "1", "--max-steps", "1e6"}).status, 0);
  for (const char* wrong : {"0", "-5", "2.5", "many", "1e30"})
    EXPECT_EQ(run({"simulate", "mass-spring", "--max-steps", wrong}).status, 2) << wrong;
}

TEST(SimulateOptions, BackwardsIsSaid) {
  const Outcome back = run({"simulate", "mass-spring", "--until", "-3", "--json"});
  EXPECT_EQ(back.status, 0);
  EXPECT_DOUBLE_EQ(back.json()["t_end"].get<double>(), -3);
  EXPECT_THAT(back.err, HasSubstr("W0305"));
  EXPECT_THAT(run({"simulate", "mass-spring", "--until", "3"}).err, Not(HasSubstr("W0305")));
}

// Truth: the multiplier at the assembled start, -1.4297 N, as simulate and `eval --at` of an assembled state give it.
TEST(EvalOptions, AnInconsistentStateIsSaid) {
  const Outcome guess = run({"eval", "slider-crank", "--json"});
  EXPECT_EQ(guess.status, 0);
  EXPECT_THAT(guess.err, AllOf(HasSubstr("W0306"), HasSubstr("--assemble")));

  const Outcome assembled = run({"eval", "slider-crank", "--assemble", "--json"});
  EXPECT_EQ(assembled.status, 0);
  EXPECT_THAT(assembled.err, IsEmpty());
  const Folder folder;
  ASSERT_EQ(run({"assemble", "slider-crank", "-o", folder.file("start.json")}).status, 0);
  const Outcome at = run({"eval", "slider-crank", "--at", folder.file("start.json"), "--json"});
  EXPECT_THAT(at.err, IsEmpty());
  EXPECT_NE(guess.json()["lambda"], at.json()["lambda"]);
  for (const char* row : {"pin[1]", "pin[2]"})
    EXPECT_NEAR(assembled.json()["lambda"][row].get<double>(), at.json()["lambda"][row].get<double>(), 1e-9) << row;
}

TEST(DeriveOptions, SaysWhyThereIsNoClosedForm) {
  EXPECT_THAT(run({"derive", "rod-on-corner"}).out, HasSubstr("--only lambda"));
  EXPECT_THAT(run({"derive", "n-link-chain-maximal", "--only", "lambda"}).out,
              AllOf(HasSubstr("no closed form"), HasSubstr("too large"), Not(HasSubstr("singular"))));
  // Two rows that say the same: singular, whatever their size.
  const std::string twice = std::string(kOscillator) + R"toml(
[[constraint]]
name = "a"
holonomic = "x - 1"
[[constraint]]
name = "b"
holonomic = "2*x - 2"
)toml";
  EXPECT_THAT(run({"derive", "-"}, {.input = twice}).out, AllOf(HasSubstr("singular"), Not(HasSubstr("too large"))));
}

}  // namespace
}  // namespace dalembert::testing
