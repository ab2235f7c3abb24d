// SPDX-License-Identifier: Apache-2.0
// Names, completion, hover and renaming in texts that are written here. What is right is seen by eye in the text: `|` marks the cursor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "dalembert/base/text.h"
#include "dalembert/editor/completion.h"
#include "dalembert/editor/cursor.h"
#include "dalembert/editor/fixes.h"
#include "dalembert/editor/hover.h"
#include "dalembert/editor/lookup.h"
#include "mutated_texts.h"

namespace dalembert::editor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kCrank = R"toml(name = "crank"
coordinates = [{name = "theta", unit = "rad"}, {name = "x", unit = "m"}]   # angle, slider
gravity = ["0", "-g"]
[structure]
n = 3
[parameters]
g = "9.81 m/s^2"
L1 = "150 mm"   # half length
m = {value = "2 kg", meaning = "mass of the slider"}
[define]
xc = "L1*cos(theta)"
[[point]]
name = "P"
at = ["xc", "L1*sin(theta)"]
[[point]]
for = "i in 1..n"
name = "Q{i}"
at = ["i*L1", "0"]
[[body]]
name = "slider"
mass = "m"
position = ["x", "0"]
[[constraint]]
name = "pin"
holonomic = "P.x + Q1.x - x + 5 mm"
[[force]]
at = "P"
vector = ["1 N", "0"]
[initial]
position = {theta = "30 deg"}
guess = {x = 0.1, "theta'" = 1}
[outputs]
pull = "-lambda(pin) + m*theta'^2*sum(i in 1..n, Q{i}.x)"
)toml";

// The text without the sign `|`, and where it was.
struct Marked {
  std::string text;
  std::uint32_t cursor;
};
Marked marked(std::string text) {
  const std::size_t at = text.find('|');
  EXPECT_NE(at, std::string::npos);
  text.erase(at, 1);
  return {text, static_cast<std::uint32_t>(at)};
}

NameTable table_of(const std::string& text) { return read_names(make_source("crank.toml", text)); }

std::uint32_t place_of(const std::string& text, const std::string& piece) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return static_cast<std::uint32_t>(at);
}

std::vector<std::string> proposals(const std::string& text) {
  const Marked here = marked(text);
  std::vector<std::string> texts;
  for (const Proposal& one : complete(table_of(here.text), here.cursor).all) texts.push_back(one.text);
  return texts;
}

std::string said(const std::string& text, const std::string& piece, std::uint32_t into = 0) {
  const auto found = hover(table_of(text), {}, place_of(text, piece) + into);
  return found ? found->text : "";
}

TEST(NameTable, FindsWhatIsDeclaredAndUsed) {
  const NameTable table = table_of(kCrank);
  EXPECT_TRUE(table.is_toml);
  std::vector<std::string> names;
  for (const DeclaredName& one : table.declared) names.push_back(std::string(word(one.kind)) + " " + one.name);
  EXPECT_THAT(names,
              ElementsAre("coordinate theta", "coordinate x", "integer n", "parameter g", "parameter L1", "parameter m",
                          "definition xc", "point P", "point Q{i}", "body slider", "constraint pin", "output pull"));
  // Every use but units means something, and stands where it says.
  for (const UsedName& use : table.used) {
    EXPECT_EQ(std::string(kCrank).substr(use.place.begin, use.place.end - use.place.begin), use.name);
    EXPECT_TRUE(use.may_be_unit || table.declaration_of(use)) << use.name;
  }
  EXPECT_EQ(table.find(set_of(NameKind::kPoint), "Q2"), table.find(set_of(NameKind::kPoint), "Q{i}"));
  EXPECT_EQ(table.find(set_of(NameKind::kPoint), "Qx"), nullptr);
  EXPECT_EQ(table.find(set_of(NameKind::kBody), "P"), nullptr);
}

// Each shipped model: no name is used that the model does not declare, since the loader takes it.
TEST(NameTable, KnowsEveryNameOfShippedModels) {
  for (const std::string& text : shipped_texts()) {
    const NameTable table = table_of(text);
    ASSERT_TRUE(table.is_toml);
    for (const UsedName& use : table.used) {
      if (use.may_be_unit || table.declaration_of(use)) continue;
      ADD_FAILURE() << table.document.root.find("name")->text.text << ": " << use.name << " at line "
                    << table.source->position(use.place.begin).line;
    }
  }
}

TEST(NameTable, TellsModelsFromOtherTomlFiles) {
  for (const std::string& text : shipped_texts()) EXPECT_TRUE(is_model(text)) << text.substr(0, 200);
  EXPECT_TRUE(is_model("#:schema ./model.schema.json\n"));
  EXPECT_FALSE(is_model("[package]\nname = \"crate\"\n"));
  EXPECT_FALSE(is_model(""));
}

// What is left out to read the rest keeps the rest: a line that is being typed takes no name of another line.
TEST(NameTable, ReadsWhatIsTomlOfATextThatIsNot) {
  for (const char* typed : {"at = [\"xc", "x = = 2", "[[po", "name = \"", "[parameters", "at = [", "= 3", "{"}) {
    const std::string text = std::string(kCrank) + typed + "\n[[event]]\nname = \"late\"\nwhen = \"t - 1\"\n";
    const NameTable table = table_of(text);
    EXPECT_FALSE(table.is_toml) << typed;
    EXPECT_TRUE(table.find(set_of(NameKind::kDefinition), "xc")) << typed;
    EXPECT_TRUE(table.find(set_of(NameKind::kOutput), "pull")) << typed;
    EXPECT_TRUE(table.find(set_of(NameKind::kEvent), "late")) << typed;
  }
}

TEST(Rename, ReplacesWholeTokens) {
  struct Case {
    const char *at, *name;
    std::size_t count;
  };
  // theta: declared, in xc, in P, in position, in guess, in pull; m: as a unit of `5 mm` and `9.81 m/s^2` it stays.
  for (const auto& [at, name, count] :
       {Case{"theta\", unit", "phi", 6}, Case{"pin\"\nholo", "hinge", 2}, Case{"P\"\nat = [\"xc", "tip", 3},
        Case{"L1 = ", "half", 4}, Case{"m = {value", "mass", 3}, Case{"n = 3", "count", 3}}) {
    std::string text = kCrank;
    const NameTable table = table_of(text);
    const Renaming renaming = rename(table, place_of(text, at), name);
    EXPECT_EQ(renaming.refused, "");
    EXPECT_EQ(renaming.places.size(), count) << name;
    for (auto place = renaming.places.rbegin(); place != renaming.places.rend(); ++place)
      text.replace(place->begin, place->end - place->begin, name);
    EXPECT_TRUE(load_model(make_source("crank.toml", text)).ok())
        << render(load_model(make_source("crank.toml", text)).diagnostics()) << text;
  }
}

// Behind a number `m` is a metre, also where the model has a mass of that name.
TEST(Rename, LeavesUnitsAlone) {
  std::string text =
      "coordinates = [{name = \"x\", unit = \"m\"}]\n[parameters]\nm = \"2 kg\"\n[energy]\nkinetic = \"m*x'^2/2\"\n"
      "[[spring]]\ncoordinate = \"x\"\nstiffness = \"20 N/m\"\nrest = \"0.1 m\"\n";
  ASSERT_TRUE(load_model(make_source("spring.toml", text)).ok());
  const Renaming renaming = rename(table_of(text), place_of(text, "m = \"2 kg"), "mass");
  ASSERT_EQ(renaming.places.size(), 2U);
  for (auto place = renaming.places.rbegin(); place != renaming.places.rend(); ++place)
    text.replace(place->begin, place->end - place->begin, "mass");
  EXPECT_TRUE(load_model(make_source("spring.toml", text)).ok()) << text;
}

TEST(Rename, SaysWhyNot) {
  const NameTable table = table_of(kCrank);
  const auto refusal = [&](const std::string& at, const std::string& name) {
    return rename(table, place_of(kCrank, at), name).refused;
  };
  EXPECT_THAT(refusal("theta\", unit", "sin"), HasSubstr("has a meaning"));
  EXPECT_THAT(refusal("theta\", unit", "L1"), HasSubstr("there is a parameter `L1` already (line 8)"));
  EXPECT_THAT(refusal("theta\", unit", "2x"), HasSubstr("is no name"));
  EXPECT_THAT(refusal("theta\", unit", "mm"), HasSubstr("is a unit behind a number in line 25"));
  EXPECT_THAT(refusal("Q{i}\"", "R"), HasSubstr("for each value of `for`"));
  EXPECT_THAT(refusal("name = \"crank", "R"), HasSubstr("nothing that is declared"));
  const std::string each = std::string(kCrank) + "sum_of_both = \"sum(k in 1..2, a{k})\"\n[inputs]\na1 = 0\na2 = 0\n";
  EXPECT_THAT(rename(table_of(each), place_of(each, "a1"), "b").refused,
              HasSubstr("`a{k}` in line 34 stands for it too"));
  EXPECT_EQ(refusal("pin\"\nholo", "floor"), "");  // stands inside lambda(…) alone
  const std::string broken = std::string(kCrank) + "x = = 1\n";
  EXPECT_THAT(rename(table_of(broken), place_of(broken, "theta"), "phi").refused, HasSubstr("not TOML yet (line 34)"));
}

TEST(Completion, OfSectionsAndKeys) {
  EXPECT_THAT(proposals("name = \"a\"\n[[bo|"), ElementsAre("body"));
  EXPECT_THAT(proposals("co|"), ElementsAre("coordinates"));
  EXPECT_THAT(proposals("[[body]]\nname = \"a\"\nm|\n"), ElementsAre("mass"));
  EXPECT_THAT(proposals("[[body]]\nname = \"a\"\n|\n"), Not(Contains("name")));
  EXPECT_THAT(proposals("[[point]]\nrim = {fr|}"), ElementsAre("frame"));
  EXPECT_THAT(proposals("coordinates = [{name = \"x\", un|"), ElementsAre("unit"));
  EXPECT_THAT(proposals("[energy]\nx = 1 # |"), IsEmpty());
  EXPECT_THAT(proposals(std::string(kCrank) + "[initial]\nvelocity = {the|"), Contains("theta"));
  EXPECT_THAT(proposals("[[constraint]]\nhol|"), ElementsAre("holonomic"));
}

TEST(Completion, OfNamesAndUnits) {
  const std::string crank = kCrank;
  EXPECT_THAT(proposals(crank + "twice = \"2*x|"), ElementsAre("x", "xc"));
  EXPECT_THAT(proposals(crank + "twice = \"2*si|"), Contains("sin"));
  EXPECT_THAT(proposals(crank + "twice = \"lambda(|"), ElementsAre("pin"));
  EXPECT_THAT(proposals(crank + "twice = \"P.|"), ElementsAre("x", "y", "z"));
  EXPECT_THAT(proposals(crank + "twice = \"energy(|"), ElementsAre("kinetic", "potential", "total"));
  EXPECT_THAT(proposals(crank + "[parameters]\nk = \"5 N|"), Contains("N/m"));
  EXPECT_THAT(proposals(crank + "[parameters]\nk = \"5 N/|"), Contains("m"));
  EXPECT_THAT(proposals(crank + "[parameters]\nk = \"|"), IsEmpty());
  EXPECT_THAT(proposals(crank + "[[force]]\nat = \"|"), ElementsAre("P", "Q{i}"));
  EXPECT_THAT(proposals(crank + "[[body]]\nframe = \"gr|"), ElementsAre("ground"));
}

TEST(Hover, SaysWhatAWordIs) {
  EXPECT_THAT(said(kCrank, "theta)\"\n[[point"), HasSubstr("**theta** — coordinate, rad"));
  EXPECT_THAT(said(kCrank, "theta)\"\n[[point"), HasSubstr("`theta'`"));
  EXPECT_THAT(said(kCrank, "L1*cos"), HasSubstr("half length"));
  EXPECT_THAT(said(kCrank, "m*theta'"), HasSubstr("mass of the slider"));
  EXPECT_THAT(said(kCrank, "pin) +"), HasSubstr("constraint"));
  EXPECT_THAT(said(kCrank, "mm\"\n[[force"), HasSubstr("unit, 0.001 m"));
  EXPECT_THAT(said(kCrank, "cos(theta)"), HasSubstr("`cos(x)`"));
  EXPECT_THAT(said(kCrank, "mass = "), HasSubstr("its mass; required"));
  EXPECT_THAT(said(kCrank, "parameters]"), HasSubstr("named constants"));
  const Facts facts{{{NameKind::kCoordinate, "theta", "rad", 0.5, ""}}, "1 freedom"};
  const auto found = hover(table_of(kCrank), facts, place_of(kCrank, "theta"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("at the start: 0.5 rad (28.6479°)"));
}

TEST(Hints, AreFreedomsAndValuesInSi) {
  std::vector<std::string> texts;
  for (const Hint& hint : hints(table_of(kCrank), {{}, "1 freedom"})) texts.push_back(hint.text);
  EXPECT_THAT(texts, ElementsAre("1 freedom", "= 0.15 m"));
}

// A fix is offered where the text with it has this error no longer, and no other.
TEST(Fixes, MendWhatTheySay) {
  const auto fixes = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto loaded = load_model(make_source("crank.toml", text));
    std::vector<std::string> titles;
    for (const Diagnostic& problem : loaded.diagnostics())
      for (const Fix& fix : fixes_that_mend(problem, loaded.diagnostics(), {})) titles.push_back(fix.title);
    return titles;
  };
  EXPECT_THAT(fixes(kCrank, "xc\", \"L1", "xcc\", \"L1"), Contains("write `xc`"));
  EXPECT_THAT(fixes(kCrank, "mass = ", "mas = "), ElementsAre("write `mass`"));
  EXPECT_THAT(fixes(kCrank, "lambda(pin)", "lambda(pim)"), ElementsAre("write `lambda(pin)`"));
  EXPECT_THAT(fixes(kCrank, "[parameters]", "[paramters]"), ElementsAre("write `parameters`"));
  EXPECT_THAT(fixes(kCrank, "theta'^2", "thetadot^2"), ElementsAre("write `theta'`"));
  EXPECT_THAT(fixes(kCrank, "x - x", "x - x"), IsEmpty());
}

TEST(Positions, CountCodeUnits) {
  const auto source = make_source("a", "ä😀b\r\nc");
  EXPECT_EQ(offset_at(*source, {0, 3}, Encoding::kUtf16), 6u);
  EXPECT_EQ(offset_at(*source, {0, 6}, Encoding::kUtf8), 6u);
  EXPECT_EQ(offset_at(*source, {0, 2}, Encoding::kUtf16), 2u);  // within 😀: its beginning
  EXPECT_EQ(offset_at(*source, {0, 99}, Encoding::kUtf16), 7u);
  EXPECT_EQ(offset_at(*source, {9, 0}, Encoding::kUtf16), 10u);
  EXPECT_EQ(position_at(*source, 6, Encoding::kUtf16).character, 3u);
  EXPECT_EQ(position_at(*source, 9, Encoding::kUtf16).line, 1u);
}

// Texts damaged at random: every answer stands within the text, and nothing crashes.
TEST(Mutation, OfTextsThatAreAskedEverything) {
  const std::vector<std::string> texts = shipped_texts();
  std::mt19937 random(20261127);
  for (std::size_t i = 0; i < 600; ++i) {
    const std::string text = mutate(texts[i % texts.size()], random);
    const NameTable table = table_of(text);
    const auto size = static_cast<std::uint32_t>(text.size());
    for (const UsedName& use : table.used) ASSERT_LE(use.place.end, size);
    for (const DeclaredName& one : table.declared) ASSERT_LE(one.whole.end, size);
    for (int k = 0; k < 6; ++k) {
      const auto at = static_cast<std::uint32_t>(random() % (text.size() + 2));
      const Proposals all = complete(table, at);
      ASSERT_LE(all.place.begin, all.place.end);
      ASSERT_LE(all.place.end, size);
      if (const auto found = hover(table, {}, at)) ASSERT_LE(found->place.end, size);
      for (const Range& place : rename(table, at, "fresh").places) ASSERT_LE(place.end, size);
    }
    for (const Hint& hint : hints(table, {{}, "1 freedom"})) ASSERT_LE(hint.offset, size);
  }
}

}  // namespace
}  // namespace dalembert::editor
