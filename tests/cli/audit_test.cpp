// SPDX-License-Identifier: Apache-2.0
// audit: exit status, JSON, what people read.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"
#include "dalembert/base/text.h"
#include "source_tree.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kRightClaim = R"toml([[claim]]
source = "by hand"
entry = "G[x]"
equals = "k*x"
)toml";
constexpr const char* kWrongClaim = R"toml([[claim]]
source = "by hand"
entry = "eom[x]"
equals = "m*x'' - k*x = 0"
)toml";
constexpr const char* kOpenClaim = R"toml([[claim]]
entry = "M[x,x]"
equals = "m + atan(x) - asin(x/sqrt(1 + x^2))"
given = "k = m"
)toml";

Outcome audit(const std::string& claims, std::vector<std::string> options = {}) {
  std::vector<std::string> words{"audit", "-"};
  words.insert(words.end(), options.begin(), options.end());
  return run(words, {.input = kOscillator + claims});
}

TEST(Audit, ExitStatusIsTheAnswer) {
  const Outcome right = audit(kRightClaim);
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out, HasSubstr("G[x]  proved"));
  EXPECT_THAT(right.out, HasSubstr("1 claim: 1 proved, 0 disproved, 0 undecided"));
  EXPECT_THAT(right.err, IsEmpty());

  const Outcome wrong = audit(std::string(kRightClaim) + kWrongClaim);
  EXPECT_EQ(wrong.status, 4);
  EXPECT_THAT(wrong.out, HasSubstr("eom[x]  disproved"));
  EXPECT_THAT(wrong.out, HasSubstr("correct       m*x'' + k*x = 0"));
  EXPECT_THAT(wrong.out, HasSubstr("difference    2*k*x"));
  EXPECT_THAT(wrong.out, HasSubstr("is claimed"));
  EXPECT_THAT(wrong.out, HasSubstr("<stdin>:20:11"));

  const Outcome open = audit(kOpenClaim);
  EXPECT_EQ(open.status, 0);
  EXPECT_THAT(open.out, HasSubstr("M[x,x]  undecided"));
  EXPECT_THAT(open.err, HasSubstr("warning[W0241]"));
}

// What a model says cannot move a terminal's cursor, nor hide the answer: with colours the only sequences are ours.
TEST(Audit, TextsDoNotReachTheTerminalAsControls) {
  const Folder folder;
  const std::string model = folder.write("spoof.toml", R"toml(name = "spoof\u001b[8m"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[claim]]
entry = "T"
equals = "x'^2"
source = "a book\u001b[1A\u001b[2K\rT  proved\u001b[8m\u009b8m\u202e"
)toml");
  for (const char* color : {"0", "1"}) {
    const Outcome outcome = run({"audit", model}, {.environment = {{"FORCE_COLOR", color}}});
    EXPECT_EQ(outcome.status, 4);
    std::string text = outcome.out + outcome.err;
    EXPECT_THAT(text, HasSubstr("<U+001B>[1A<U+001B>[2K<U+000D>T  proved<U+001B>[8m<U+009B>8m<U+202E>"));
    for (const char* ours : {"\033[1m", "\033[0m", "\033[2m", "\033[31m", "\033[32m", "\033[1;31m", "\033[1;33m",
                             "\033[1;34m", "\033[1;36m"})
      for (std::size_t at; (at = text.find(ours)) != std::string::npos;) text.erase(at, std::string_view(ours).size());
    EXPECT_EQ(text.find('\033'), std::string::npos);
    EXPECT_EQ(shown(text, "\n\t"), text);
  }
}

TEST(Audit, NothingToAudit) {
  const Outcome outcome = audit("", {"--json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning[W0240]"));
  auto json = outcome.json();
  EXPECT_TRUE(json["claims"].empty());
}

TEST(Audit, JsonHasOneShape) {
  const Outcome outcome = audit(std::string(kRightClaim) + kWrongClaim + kOpenClaim, {"--json"});
  EXPECT_EQ(outcome.status, 4);
  auto json = outcome.json();
  EXPECT_EQ(json["model"], "oscillator");
  EXPECT_EQ(json["proved"], 1);
  EXPECT_EQ(json["disproved"], 1);
  EXPECT_EQ(json["undecided"], 1);
  ASSERT_EQ(json["claims"].size(), 3U);
  for (const auto& claim : json["claims"])
    for (const char* key : {"source", "entry", "claimed", "given", "constants", "line", "verdict", "method", "correct",
                            "difference", "point", "note", "assuming", "refused"})
      EXPECT_TRUE(claim.contains(key)) << key;
  const auto &right = json["claims"][0], &wrong = json["claims"][1], &open = json["claims"][2];
  EXPECT_EQ(right["source"], "by hand");
  EXPECT_EQ(right["verdict"], "proved");
  EXPECT_EQ(right["method"], "exact");
  EXPECT_EQ(right["correct"], "k*x");
  EXPECT_TRUE(right["difference"].is_null());
  EXPECT_TRUE(right["point"].is_null());
  EXPECT_EQ(wrong["verdict"], "disproved");
  EXPECT_EQ(wrong["difference"], "2*k*x");
  const double k = wrong["point"]["at"]["k"], x = wrong["point"]["at"]["x"], m = wrong["point"]["at"]["m"],
               acceleration = wrong["point"]["at"]["x''"];
  EXPECT_DOUBLE_EQ(wrong["point"]["correct"], m * acceleration + k * x);
  EXPECT_DOUBLE_EQ(wrong["point"]["claimed"], m * acceleration - k * x);
  EXPECT_EQ(open["verdict"], "undecided");
  EXPECT_EQ(open["method"], "random points");
  EXPECT_EQ(open["given"], nlohmann::json::parse("[\"k = m\"]"));
}

// From x*(k - 3) = 0 follows x = 0 where k is not 3: the headline, the note and a list of its own say so.
TEST(Audit, AssumptionsStandBesideTheVerdict) {
  const std::string claim = "[[claim]]\nentry = \"G[x]\"\nequals = \"0\"\ngiven = \"x*(k - 3) = 0\"\n";
  EXPECT_THAT(audit(claim).out, HasSubstr("G[x]  proved where k != 3"));
  auto json = audit(claim, {"--json"}).json();
  EXPECT_EQ(json["claims"][0]["assuming"], nlohmann::json::parse("[\"k != 3\"]"));
  EXPECT_THAT(json["claims"][0]["note"].get<std::string>(), HasSubstr("where k != 3"));
}

// Values that hardly differ are shown with the digits that tell them apart: k x and (1 + 10⁻¹²) k x.
TEST(Audit, ACounterexampleShowsThatTheValuesDiffer) {
  const std::string claim = "[[claim]]\nentry = \"G[x]\"\nequals = \"k*x + 1e-12*k*x\"\n";
  EXPECT_THAT(audit(claim).out, HasSubstr("the difference is "));
  auto point = audit(claim, {"--json"}).json()["claims"][0]["point"];
  EXPECT_NE(point["difference"], 0);
  EXPECT_NE(point["correct_digits"], point["claimed_digits"]);
}

// The claim whose condition cannot be used is refused, with the place of the condition; the others are judged.
TEST(Audit, AConditionThatCannotBeUsedRefusesItsClaim) {
  const std::string claim = "[[claim]]\nentry = \"G[x]\"\nequals = \"0\"\ngiven = \"sin(x) = 0\"\n";
  const Outcome outcome = audit(claim + kRightClaim, {"--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error[E0241]"));
  auto json = outcome.json();
  EXPECT_EQ(json["claims"][0]["verdict"], "undecided");
  EXPECT_EQ(json["claims"][0]["refused"], "E0241");
  EXPECT_EQ(json["claims"][1]["verdict"], "proved");
  EXPECT_TRUE(json["claims"][1]["refused"].is_null());
  EXPECT_EQ(audit(claim + kWrongClaim).status, 4);
}

// By hand: x'' = -k x/m is not free, and the point says what it is.
TEST(Audit, APointTellsWhatFollows) {
  const std::string claim = "[[claim]]\nentry = \"qdd[x]\"\nequals = \"2*x'' + k*x/m + x\"\n";
  EXPECT_THAT(audit(claim).out, HasSubstr(" and therefore x'' = "));
  auto point = audit(claim, {"--json"}).json()["claims"][0]["point"];
  const double k = point["at"]["k"], x = point["at"]["x"], m = point["at"]["m"];
  EXPECT_FALSE(point["at"].contains("x''"));
  EXPECT_NEAR(point["follows"]["x''"], -k * x / m, 1e-12);
  EXPECT_NEAR(point["correct"], -k * x / m, 1e-12);
  EXPECT_NEAR(point["claimed"], -k * x / m + x, 1e-12);
}

TEST(Audit, AWrongClaimIsAWrongModel) {
  const Outcome outcome = audit("[[claim]]\nentry = \"B[xx]\"\nequals = \"0\"\n", {"--json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.json()["diagnostics"][0]["code"], "E0230");
  EXPECT_EQ(outcome.json()["diagnostics"][0]["column"], 12);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean `x`?"));
  // Symbols are looked up with the model, so every verb tells.
  EXPECT_EQ(
      run({"check", "-"}, {.input = std::string(kOscillator) + "[[claim]]\nentry = \"V\"\nequals = \"kk\"\n"}).status,
      1);
}

TEST(Audit, OverridesReachClaims) {
  const std::string text = "[structure]\nN = 2\n[[claim]]\nentry = \"G[x]\"\nequals = \"N*k*x/2\"\n";
  EXPECT_EQ(audit(text).status, 0);
  EXPECT_EQ(audit(text, {"--set", "N=3"}).status, 4);
}

TEST(Audit, ShippedAuditsAreFoundByName) {
  EXPECT_EQ(run({"audit", "audits/slider-crank-corrected"}).status, 0);
  EXPECT_EQ(run({"audit", "audits/slider-crank-misprints"}).status, 4);
  EXPECT_THAT(run({"models", "show", "audits/slider-crank-misprints"}).out, HasSubstr("[[claim]]"));
  EXPECT_THAT(run({"models", "--quiet"}).out, Not(HasSubstr("misprints")));
  EXPECT_EQ(run({"audit", "audits/nothing"}).status, 5);
}

TEST(Audit, EveryShippedAuditAnswersAsItsNameSays) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(source_tree() + "/models/audits")) {
    if (file.path().stem().string().ends_with("-substituted"))
      continue;  // no claims: held against its right twin below
    const Outcome outcome = run({"audit", file.path().string(), "--json"});
    auto json = outcome.json();
    const bool corrected = file.path().stem().string().ends_with("-corrected");
    EXPECT_EQ(outcome.status, corrected ? 0 : 4) << file.path();
    EXPECT_EQ(json[corrected ? "proved" : "disproved"], json["claims"].size()) << file.path();
    ++count;
  }
  EXPECT_EQ(count, 10);
}

// Truth: tests/analyze/compare_models_test.cpp. Here: exit status, JSON, what is said first and last.
TEST(Audit, TwoModelsAreHeldAgainstEachOther) {
  const Outcome text = run({"audit", "rolling-sphere", "--against", "audits/rolling-sphere-substituted"});
  EXPECT_EQ(text.status, 4);
  EXPECT_THAT(text.out, HasSubstr("The motion of rolling-sphere (here) and rolling-sphere-substituted (there)"));
  EXPECT_THAT(text.out, HasSubstr("qdd[theta]  disproved"));
  EXPECT_THAT(text.out, HasSubstr("the two say different things: 0 of 3 the same, 3 different, 0 undecided"));
  auto json = run({"audit", "slider-crank", "--against", "slider-crank", "--json"}).json();
  EXPECT_EQ(json["against"], "slider-crank");
  EXPECT_EQ(json["compared"], "equations");
  EXPECT_EQ(json["same"], true);
  EXPECT_EQ(json["claims"].size(), 10U);
  EXPECT_EQ(run({"audit", "slider-crank", "--against", "slider-crank"}).status, 0);
  const Outcome strangers = run({"audit", "slider-crank", "--against", "double-pendulum"});
  EXPECT_EQ(strangers.status, 1);
  EXPECT_THAT(strangers.err, HasSubstr("E0243"));
}

// Truth: tests/analyze/audit_constants_test.cpp. Here: what is printed.
TEST(Audit, ConstantsAreShown) {
  const std::string claim = "[[claim]]\nentry = \"eom[x]\"\nequals = \"x'' + c*x = 0\"\nconstant = \"c\"\n";
  EXPECT_THAT(audit(claim).out, HasSubstr("  constant      c = k/m\n"));
  EXPECT_EQ(audit(claim, {"--json"}).json()["claims"][0]["constants"]["c"], "k/m");
}

// Truth: tests/analyze/compare_mapped_test.cpp. Here: options, exit status, JSON, what is said first and last.
TEST(Audit, TwoModelsInOtherCoordinatesAreComparedByAMap) {
  const std::vector<std::string> words{"audit", "chaplygin-sleigh", "--against", "chaplygin-sleigh-contact", "--map"};
  const auto with_map = [&](const char* of_x, std::vector<std::string> more = {}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {of_x, "--map", "y = y - b*sin(theta)"});
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const Outcome same = with_map("x=x - b*cos(theta)");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("by the map, where it has full rank"));
  EXPECT_THAT(same.out, HasSubstr("x = x - b*cos(theta),  y = y - b*sin(theta)"));
  EXPECT_THAT(same.out, HasSubstr("the two say the same: 4 of 4 the same"));
  const Outcome wrong = with_map("x=x + b*cos(theta)", {"--json"});
  EXPECT_EQ(wrong.status, 4);
  auto json = wrong.json();
  EXPECT_EQ(json["map"]["x"], "x + b*cos(theta)");
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["claims"][0]["entry"], "constraint knife");
  EXPECT_EQ(json["claims"][0]["verdict"], "disproved");
  EXPECT_TRUE(json["claims"][0]["point"]["at"].contains("theta"));
  const Outcome typo = with_map("x=x - b*cos(teta)", {"--json"});
  EXPECT_EQ(typo.status, 1);
  EXPECT_EQ(typo.json()["diagnostics"][0]["code"], "E0102");
  EXPECT_EQ(typo.json()["diagnostics"][0]["column"], 13);
  EXPECT_EQ(run({"audit", "chaplygin-sleigh", "--map", "x=x"}).status, 2);
  EXPECT_EQ(with_map("x - b*cos(theta)").status, 2);
}

}  // namespace
}  // namespace dalembert::testing
