// SPDX-License-Identifier: Apache-2.0
// What is typed from lecture notes, or in another format, and is not a model file: each has one message that says what to write instead.
// Oracle: a person who reads both.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/base/diagnostic.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

const std::string kNotes = R"toml(name = "pendulum"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
m = "1 kg"
l = "1 m"
g = "9.81 m/s^2"
[energy]
kinetic = "1/2*m*l^2*theta'^2"
potential = "-m*g*l*cos(theta)"
[initial]
position = {theta = "30 deg"}
)toml";

// The model with `from` replaced by `to`.
std::string notes_with(const std::string& from, const std::string& to) {
  std::string text = kNotes;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Slip {
  std::string from, to;  // what of the model is written otherwise, and how
  std::string code, says;
};

std::vector<Diagnostic> said_of(const std::string& text) {
  const auto model = load_model(make_source("m.toml", text), {});
  return model.diagnostics();
}

TEST(LectureNotes, OneMessageSaysWhatToWrite) {
  const std::vector<Slip> slips{
      {"m = \"1 kg\"", "m: \"1 kg\"", "E0002", "write m = \"1 kg\""},
      {"m = \"1 kg\"", "m \"1 kg\"", "E0002", "write m = \"1 kg\""},
      {"coordinates = [{name = \"theta\", unit = \"rad\"}]", "coordinates: [{name = \"theta\"}]", "E0002",
       "write coordinates = [{name = \"theta\"}]"},
      {"coordinates = [{name = \"theta\", unit = \"rad\"}]", "coordinates = [\"theta\" \"x\"]", "E0002",
       "put a comma between the elements"},
      {"coordinates = [{name = \"theta\", unit = \"rad\"}]", "coordinates = [\"theta\"; \"x\"]", "E0002",
       "write `,` instead of `;`"},
      {"\"30 deg\"}", "0,5}", "E0002", "write 0.5: a comma is no decimal point"},
      {"position = {theta = \"30 deg\"}", "velocity = {theta' = 2}", "E0002",
       "write `velocity = {theta = 2}`, without the prime"},
      {"position = {theta = \"30 deg\"}", "velocity = {ball.omega.x = \"2 rad/s\"}", "E0006",
       "a name with dots is quoted: write `\"ball.omega.x\" = …`"},
      {"position = {theta = \"30 deg\"}", "theta' = \"2 rad/s\"", "E0002",
       "write `velocity = {theta = \"2 rad/s\"}`, without the prime"},
      {"l = \"1 m\"", "l = \"1 m\"\nl = \"2 m\"", "E0002", "`l` is stated in line 5 already"},
      {"[initial]", "[parameters]", "E0002", "`[parameters]` begins in line 3 already"},
      {"-m*g*l*cos", "-m*g*l*\\\\cos", "E0101", "names and functions without it"},
      {"-m*g*l*cos", "-m*g*l*\\cos", "E0002", "formulas are written without `\\`"},
      {"name = \"pendulum\"\n", "name = \"pendulum\"\r", "E0002", "a carriage return alone does not end a line"},
      {"\"-m*g*l*cos(theta)\"", "“-m*g*l*cos(theta')“", "E0002", "write straight quotes"},
      {"\"1 kg\"", "\"1 kg", "E0002", "close the string on its line"},
      {"cos(theta)\"", "cos(theta)", "E0002", "close the string on its line"},
      {"[parameters]", "[parameters", "E0002", "close the header: `[parameters]`"},
      {"\"theta\", unit", "\"theta\" unit", "E0002", "put a comma between the entries"},
      {"\"1 kg\"", "\"1 kg\";", "E0002", "a line ends without `;`"},
      {"\"1 kg\"", "\"1 kg\",", "E0002", "a line ends without `,`"},
      {"\"1 kg\"", "\"1 kg\" // mass", "E0002", "comments begin with `#`"},
      {"\"1 kg\"", "\"1 kg\" % mass", "E0002", "comments begin with `#`"},
      {"m = ", "m := ", "E0002", "write m = \"1 kg\""},
      {"m = ", "m == ", "E0002", "write m = \"1 kg\""},
      {"\"1/2*m", "\"T = 1/2*m", "E0101", "write what comes after the `=` alone"},
      {"\"1 m\"", "\"m*g^2\"", "E0202", "a formula of parameters belongs in [define]: l = \"m*g^2\""},
      {"[parameters]", "gravity = 9.81\n[parameters]", "E0006", "write `gravity = [\"0\", \"-g\"]`"},
      {"position = {theta = \"30 deg\"}", "velocity = {theta_dot = 2}", "E0102",
       "write `velocity = {theta = …}` for its rate"},
      {"kinetic =", "T =", "E0005", "write `kinetic`"},
      {"potential =", "V =", "E0005", "write `potential`"},
      {"cos(theta)", "cos theta", "E0101", "write `cos(theta)`"},
      {"cos(theta)", "cos^2(theta/2)", "E0101", "write `cos(theta/2)^2`"},
      {"cos(theta)", "cos[theta]", "E0101", "write `cos(theta)`"},
      {"theta'^2\"", "theta’^2\"", "E0101", "write `'`"},
      {"theta'^2\"", "theta.dot^2\"", "E0101", "`theta'`"},
      {"theta'^2\"", "d(theta)/dt\"", "E0103", "`dot(…)`"},
      {"-m*g*l*cos", "-mgl*cos", "E0102", "a product needs its `*`: `m*g*l`"},
      {"1/2*m*l^2", "1/2m*l^2", "E0101", "write `2*m*l^2` for a product"},
      {"g = \"9.81 m/s^2\"\n", "", "E0102", "declare it in [parameters]: g = \"9.81 m/s^2\""},
      {"cos(theta)", "cos(theta + 30*deg)", "E0102", "units follow numbers: `30 deg`"},
      {"cos(theta)", "e^theta", "E0102", "powers of e are `exp(x)`"},
      {"cos(theta)", "tg(theta)", "E0103", "write `tan`"},
      {"\"1 kg\"", "\"1,5 kg\"", "E0202", "write `1.5 kg`"},
      {"\"1 kg\"", "\"1.000,5 kg\"", "E0202", "write `1000.5 kg`"},
      {"\"1 kg\"", "\"1,000.5 kg\"", "E0202", "write `1000.5 kg`"},
      {"\"1 kg\"", "\"1,000,000 kg\"", "E0202", "write `1000000 kg`"},
      {"\"1 kg\"", "\"1,000 kg\"", "E0202", "write `1000 kg` if the comma groups thousands"},
      {"\"1 kg\"", "\"1_000 kg\"", "E0202", "write `1000 kg`"},
      {"\"1 kg\"", "\"1e-400 kg\"", "E0202", "`1e-400` is out of range"},
      {"\"1 m\"", "\"3 PS\"", "E0201", "1 PS is `735.49875 W`"},
      {"\"1 m\"", "\"300 U/min\"", "E0201", "turns per minute are `rpm`"},
      {"name = \"theta\"", "name = \"theta, x\"", "E0011", "each name in quotes of its own"},
  };
  for (const Slip& slip : slips) {
    const std::vector<Diagnostic> said = said_of(notes_with(slip.from, slip.to));
    ASSERT_FALSE(said.empty()) << slip.to;
    const std::string text = render(said);
    EXPECT_EQ(said.front().code, slip.code) << text;
    EXPECT_THAT(text, HasSubstr(slip.says)) << slip.to;
  }
}

// What is not said: help that would make another error.
TEST(LectureNotes, NoHelpIsWorseThanNone) {
  EXPECT_EQ(render(said_of(kNotes + std::string(1, '\0'))).find("help"), std::string::npos);
  EXPECT_EQ(render(said_of("coordinates:\n  - x\n")).find("write \"coordinates:\""), std::string::npos);
  EXPECT_THAT(render(said_of("{\"coordinates\": [\"x\"]}")), HasSubstr("not JSON"));
  // No error follows from the one that is told.
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"cos(theta)", "cos theta"},
                                                                                 {"cos(theta)", "cos^2 theta"},
                                                                                 {"cos(theta)", "cos[theta]"},
                                                                                 {"theta'^2", "theta′^2"}})
    EXPECT_EQ(said_of(notes_with(from, to)).size(), 1U) << to;
}

// Words of the language are explained where they are taken for names.
TEST(LectureNotes, ReservedNamesSayWhatTheyMean) {
  for (const auto& [name, meaning] :
       std::vector<std::pair<std::string, std::string>>{{"t", "`t` is the time"},
                                                        {"pi", "`pi` is the number 3.14159…"},
                                                        {"lambda", "`lambda(pin)` is the multiplier"},
                                                        {"sin", "`sin(…)` is a function"},
                                                        {"and", "`and` is a word of the language"}})
    EXPECT_THAT(render(said_of(kNotes + "[define]\n" + name + " = \"1\"\n")), HasSubstr(meaning)) << name;
  for (const char* name : {"e", "E", "I", "N", "T", "V", "lambda1"})
    EXPECT_TRUE(
        said_of(notes_with("l = ", fmt::format("{} = 3\nl = ", name)) + fmt::format("[outputs]\nu = \"{}\"\n", name))
            .empty())
        << name;
}

// A claim with a constant that nobody declared may mean one that is to be found.
TEST(LectureNotes, AConstantOfAClaim) {
  EXPECT_THAT(
      render(said_of(
          kNotes + "[[claim]]\nsource = \"notes\"\nentry = \"eom[theta]\"\nequals = \"theta'' + c*sin(theta) = 0\"\n")),
      HasSubstr("write `constant = \"c\"` in this claim"));
}

// Names of bodies are not names of points, and keys of textbooks and other programs are those of a section.
TEST(LectureNotes, KeysAndPlaces) {
  const std::string bodies = "coordinates = [\"x\"]\n[[body]]\nname = \"B\"\nmass = 1\nposition = [\"x\", 0]\n";
  EXPECT_THAT(render(said_of(bodies + "[[spring]]\nbetween = [\"B\", \"B\"]\nstiffness = 1\n")),
              HasSubstr("`B` is a body: give its place a name in `[[point]]`"));
  EXPECT_THAT(render(said_of(bodies + "[[force]]\ncoordinate = \"x\"\nforce = 3\n")), HasSubstr("write `value`"));
  EXPECT_THAT(render(said_of(bodies + "[[constraint]]\nname = \"c\"\nnonholonomic = \"x'\"\n")),
              HasSubstr("write `pfaffian`"));
  EXPECT_THAT(render(said_of(bodies + "[simulation]\ndt = 0.1\n")), HasSubstr("write `output_step`"));
}

}  // namespace
}  // namespace dalembert
