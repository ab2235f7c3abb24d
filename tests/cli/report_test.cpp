// SPDX-License-Identifier: Apache-2.0
// report, simulate --report and films as a user types them. What the pages do in a browser is tested in web/tests.
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/ball.h"
#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json document_of(const std::string& page) {
  const std::string begin = "id=\"document\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Report, OfAModelIsOneFile) {
  const Folder folder;
  const Outcome done = run({"report", "slider-crank", "--until", "2", "-o", "a.html"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  const std::string page = read_text(folder.file("a.html"));
  EXPECT_THAT(page, HasSubstr("<title>slider-crank</title>"));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(page, Not(HasSubstr("@@")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  // What is inside asks for these, also where nothing runs scripts.
  EXPECT_THAT(page.substr(0, page.find("<html")), AllOf(HasSubstr("Khan Academy"), HasSubstr("SIL OPEN FONT LICENSE")));
  const nlohmann::json document = document_of(page);
  EXPECT_EQ(document["run"]["verdict"]["holds"], true);
  EXPECT_EQ(document["command"], "dalembert report slider-crank --output a.html --until 2");
  const nlohmann::json computed_by{{"label", "computed by"}, {"value", "interpreter"}};  // it is short
  EXPECT_THAT(document["run"]["summary"], Contains(computed_by));
  EXPECT_GT(document["scene"]["frames"]["count"], 100);
  EXPECT_GT(document["equilibria"].size(), 1u);
}

// The components of an attitude have no unit, which degrees would change; the other velocities have theirs.
TEST(Report, UnitsOfAttitudesAndVelocities) {
  const Folder folder;
  ASSERT_EQ(run({"report", "ball-on-turntable", "-o", "a.html"}, {.folder = folder.path()}).status, 0);
  const nlohmann::json document = document_of(read_text(folder.file("a.html")));
  std::map<std::string, std::string> units;
  for (const nlohmann::json& one : document["symbols"]) units[one["name"]] = one["unit"];
  EXPECT_EQ(units.at("x"), "m");
  EXPECT_EQ(units.at("e0"), "");
  EXPECT_EQ(units.at("x'"), "m/s");
  EXPECT_EQ(units.at("ball.omega.x"), "rad/s");
}

// Nothing of when, how fast or by which process: pages can be compared, and known by their checksums. Once with code that must be
// made, once with code that is kept.
TEST(Report, OfTheSameModelIsTheSameBytes) {
  const Folder folder;
  const Setting setting{.environment = {{"DALEMBERT_CACHE_DIR", folder.file("kernels")}}, .folder = folder.path()};
  std::string before;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(run({"report", "slider-crank", "--until", "60", "-o", "a.html"}, setting).status, 0);
    const std::string page = read_text(folder.file("a.html"));
    if (i == 1) EXPECT_EQ(page, before);
    before = page;
  }
  EXPECT_TRUE(folder.has("kernels"));
}

// theta = w t drives x = L cos theta: no freedom is left, and it moves.
TEST(Report, OfADrivenMechanismSaysThatTheTimeGivesTheMotion) {
  const Folder folder;
  folder.write("driven.toml", R"toml(
coordinates = [{name = "theta", unit = "rad"}, {name = "x", unit = "m"}]
[parameters]
m = "1 kg"
L = "0.3 m"
w = "3 rad/s"
[energy]
kinetic = "m/2*x'^2 + m*L^2/2*theta'^2"
[[constraint]]
name = "yoke"
holonomic = "x - L*cos(theta)"
[[constraint]]
name = "motor"
holonomic = "theta - w*t"
[simulation]
until = "1 s"
)toml");
  ASSERT_EQ(run({"report", "driven.toml", "-o", "a.html"}, {.folder = folder.path()}).status, 0);
  const nlohmann::json document = document_of(read_text(folder.file("a.html")));
  EXPECT_EQ(document["chips"][0]["value"], "none: the time gives the motion");
}

// Friction has an arrow of its own, with its curve.
TEST(Report, OfAModelWithFrictionHasItsForce) {
  const Folder folder;
  ASSERT_EQ(run({"report", "block-on-belt", "--until", "3", "-o", "a.html"}, {.folder = folder.path()}).status, 0);
  const nlohmann::json forces = document_of(read_text(folder.file("a.html")))["scene"]["forces"];
  ASSERT_EQ(forces.size(), 2u);
  EXPECT_EQ(forces[1]["name"], "friction(belt_friction)");
  EXPECT_EQ(forces[1]["series"], nlohmann::json{"friction/belt_friction"});
}

TEST(Report, OfAModelWithAContactShowsIt) {
  const Folder folder;
  folder.write("ball.toml", ball_above_ground("1 m"));
  ASSERT_EQ(run({"report", "ball.toml", "--until", "1", "-o", "a.html"}, {.folder = folder.path()}).status, 0);
  const nlohmann::json document = document_of(read_text(folder.file("a.html")));
  EXPECT_EQ(document["run"]["events"][0]["name"], "ground impact");
  EXPECT_NEAR(document["run"]["events"][0]["t"], std::sqrt(2 / 9.81), 1e-9);
  EXPECT_EQ(document["constraints"][0]["latex"], "y \\ge 0");
  EXPECT_EQ(document["constraints"][0]["kind"], "one-sided");
  std::string titles;
  for (const nlohmann::json& block : document["equations"]) titles += block.dump();
  EXPECT_THAT(titles, AllOf(HasSubstr("Contacts: "), HasSubstr("Conserved between impacts")));
}

TEST(Report, OfARunShowsItsRows) {
  const Folder folder;
  const auto dalembert = [&](const std::vector<std::string>& words) { return run(words, {.folder = folder.path()}); };
  ASSERT_EQ(dalembert({"simulate", "slider-crank", "--until", "1", "--every", "0.1", "-o", "run.csv"}).status, 0);
  EXPECT_EQ(dalembert({"report", "run.csv", "-o", "b.html"}).status, 2);  // E0521: of which model?
  const Outcome done = dalembert({"report", "run.csv", "--model", "slider-crank", "-o", "b.html"});
  EXPECT_EQ(done.status, 0) << done.err;
  const nlohmann::json document = document_of(read_text(folder.file("b.html")));
  EXPECT_EQ(document["series"]["rows"], 11);
  EXPECT_EQ(document["scene"]["frames"]["count"], 11);
  EXPECT_TRUE(document["run"]["verdict"]["holds"].is_null());
  const Outcome other = dalembert({"report", "run.csv", "--model", "four-bar", "-o", "c.html"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("E0521"));
  EXPECT_FALSE(folder.has("c.html"));
}

// A gap is a gap, and said; a run without rows shows nothing, and nothing is written.
TEST(Report, OfARunWithGapsOrWithoutRows) {
  const Folder folder;
  const auto report = [&](const char* run_file, const char* page) {
    return run({"report", run_file, "--model", "mass-spring", "-o", page}, {.folder = folder.path()});
  };
  folder.write("gap.csv", "time,q/x,v/x\n0,1,0\n0.1,nan,-1\n0.2,0.5,-2\n");
  const Outcome done = report("gap.csv", "gap.html");
  EXPECT_EQ(done.status, 0) << done.err;
  const nlohmann::json document = document_of(read_text(folder.file("gap.html")));
  EXPECT_EQ(document["notices"][0]["text"], "1 of 3 values of q/x are no numbers: gaps in its curve");
  EXPECT_EQ(document["series"]["rows"], 3);
  EXPECT_EQ(document["scene"]["frames"]["count"], 2);
  folder.write("empty.csv", "time,q/x,v/x\n");
  const Outcome empty = report("empty.csv", "empty.html");
  EXPECT_EQ(empty.status, 5);
  EXPECT_THAT(empty.err, HasSubstr("E0502"));
  EXPECT_FALSE(folder.has("empty.html"));
}

TEST(Report, BesideASimulation) {
  const Folder folder;
  const Outcome done =
      run({"simulate", "slider-crank", "--until", "1", "--every", "0.25", "--report", "r.html", "-o", "r.csv"},
          {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(folder.has("r.csv"));
  EXPECT_EQ(document_of(read_text(folder.file("r.html")))["series"]["rows"], 5);
}

// What is copied from a page does what was done, whatever the names of files.
TEST(Report, TheCommandIsOfShellWords) {
  const Folder folder;
  const std::string name = "a$(touch PWNED) 'b'.toml";
  folder.write(name, run({"models", "show", "slider-crank"}).out);
  const Outcome done = run({"report", name, "-o", "r.html", "--set", "L1=0.16 m"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(document_of(read_text(folder.file("r.html")))["command"],
            "dalembert report 'a$(touch PWNED) '\\''b'\\''.toml' --output r.html --set 'L1=0.16 m'");
}

// A name with control characters is a word that a shell reads back to the letter, and none of them is written.
TEST(Report, CommandOfAnUnprintableName) {
  const Folder folder;
  const std::string name = "\x1b[2J'\\\xc2\x9b.toml";
  folder.write(name, "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n");
  const Outcome done = run({"check", name}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(R"(dalembert derive $'\033[2J\047\134\302\233.toml')"));
}

// Standard input can be read once.
TEST(Report, BesideASimulationOfAModelFromStandardInput) {
  const Folder folder;
  const std::string model = run({"models", "show", "slider-crank"}).out;
  const Outcome done =
      run({"simulate", "-", "--until", "0.1", "--report", "r.html"}, {.input = model, .folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(document_of(read_text(folder.file("r.html")))["source"]["text"], model);
}

// A run that fails makes a page that says so first, and the exit status tells.
TEST(Report, OfAFailedRunSaysSo) {
  const Folder folder;
  folder.write("f.toml",
               "coordinates = [\"x\"]\n[[body]]\nname = \"b\"\nmass = 1\nposition = [\"x\", \"0\"]\n"
               "[[force]]\ncoordinate = \"x\"\nvalue = \"x^3\"\n[initial]\nposition = {x = 1}\nvelocity = {x = 1}\n");
  const Outcome done = run({"report", "f.toml", "-o", "f.html"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 3);
  const nlohmann::json document = document_of(read_text(folder.file("f.html")));
  EXPECT_EQ(document["notices"][0]["level"], "error");
  EXPECT_THAT(document["notices"][0]["text"].get<std::string>(), HasSubstr("failed"));
  EXPECT_EQ(document["run"]["status"], "failed");
  EXPECT_GT(document["series"]["kept"], 2);
}

// No text of a model ends the script that holds it, or becomes markup.
TEST(Report, HostileTextStaysText) {
  const Folder folder;
  const std::string hostile = "</script></title><script>alert(1)</script>\\\"'&<b>\xf0\x9f\x92\xa5";
  folder.write("h.toml", "name = \"" + hostile + "\"\ndescription = \"" + hostile +
                             "@@DOCUMENT@@\"\ncoordinates = [\"x\"]\n[[body]]\nname = \"b\"\nmass = 1\nposition = "
                             "[\"x\", \"0\"]\n[simulation]\nuntil = \"1 s\"\n");
  const Outcome done = run({"report", "h.toml", "-o", "h.html"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  const std::string page = read_text(folder.file("h.html"));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script&gt;&lt;/title&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(document_of(page)["title"].get<std::string>(), HasSubstr("</script></title><script>alert(1)"));
}

TEST(Report, OfAModelWithoutAnythingToDrawSaysHow) {
  const Folder folder;
  folder.write("bare.toml", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n");
  const Outcome done = run({"report", "bare.toml", "-o", "b.html"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  const nlohmann::json document = document_of(read_text(folder.file("b.html")));
  EXPECT_TRUE(document["scene"].is_null());
  EXPECT_THAT(document["scene_note"].get<std::string>(), HasSubstr("[draw]"));
}

TEST(Report, SaysWhatIsWrong) {
  const Folder folder;
  const auto status = [&](const std::vector<std::string>& words) {
    return run(words, {.folder = folder.path()}).status;
  };
  EXPECT_EQ(status({"report", "slider-crank"}), 2);
  EXPECT_EQ(status({"report", "slider-crank", "-o", "a.pdf"}), 2);
  EXPECT_EQ(status({"report", "slider-crank", "-o", "nowhere/a.html"}), 5);
  EXPECT_EQ(status({"report", "slider-crank", "--model", "four-bar", "-o", "a.html"}), 2);
  EXPECT_EQ(status({"report", "no.csv", "--model", "slider-crank", "-o", "a.html"}), 5);
  EXPECT_EQ(status({"simulate", "slider-crank", "--report", "-"}), 2);
  folder.write("text.csv", "hello\n");
  EXPECT_EQ(status({"report", "text.csv", "--model", "slider-crank", "-o", "a.html"}), 5);
  EXPECT_FALSE(folder.has("a.html"));
}

TEST(Films, AsAPage) {
  const Folder folder;
  const Outcome done = run({"animate", "slider-crank", "--until", "1", "-o", "a.html"}, {.folder = folder.path()});
  EXPECT_EQ(done.status, 0) << done.err;
  const nlohmann::json document = document_of(read_text(folder.file("a.html")));
  EXPECT_EQ(document["equations"].size(), 0u);
  EXPECT_GT(document["scene"]["frames"]["count"], 100);
  EXPECT_EQ(run({"animate", "slider-crank", "--fps", "30", "-o", "b.html"}, {.folder = folder.path()}).status, 2);
}

// The encoder is a stand-in that keeps what it is given: sheets of frames, and how many frames there are at which rate.
TEST(Films, AsMp4ThroughFfmpeg) {
  const Folder folder;
  for (const char* name : {"ffmpeg", "rsvg-convert"}) {
    const std::string script =
        std::string(name) == "ffmpeg"
            ? "#!/bin/sh\necho \"$@\" > words\ncat > frames\nfor last; do :; done\ncp frames \"${last#file:}\"\n"
            : "#!/bin/sh\necho frames $(grep -c '<svg y=')\n";
    std::filesystem::permissions(folder.write(name, script), std::filesystem::perms::owner_all);
  }
  const Setting with{.environment = {{"PATH", folder.path() + ":/usr/bin:/bin"}}, .folder = folder.path()};
  const Outcome done =
      run({"animate", "slider-crank", "--until", "1", "--seconds", "2", "--fps", "10", "-o", "a.mp4"}, with);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(read_text(folder.file("a.mp4")), "frames 16\nframes 5\n");
  EXPECT_THAT(read_text(folder.file("words")), HasSubstr("-framerate 0.65625 "));  // 21 frames in 2 s, 16 on a sheet
  EXPECT_THAT(read_text(folder.file("words")), HasSubstr("untile=1x16,"));
  EXPECT_THAT(read_text(folder.file("words")), HasSubstr("-frames:v 21 "));

  folder.write("ffmpeg", "#!/bin/sh\ncat > /dev/null\necho 'no such codec' >&2\nexit 7\n");
  const Outcome refused =
      run({"animate", "slider-crank", "--until", "1", "--seconds", "2", "--fps", "2", "-o", "b.gif"}, with);
  EXPECT_EQ(refused.status, 5);
  EXPECT_THAT(refused.err, HasSubstr("no such codec"));
  EXPECT_FALSE(folder.has("b.gif"));

  const Setting without{.environment = {{"PATH", "/nowhere"}}, .folder = folder.path()};
  const Outcome missing = run({"animate", "slider-crank", "-o", "c.gif"}, without);
  EXPECT_EQ(missing.status, 5);
  EXPECT_THAT(missing.err, HasSubstr("apt-get install"));
}

}  // namespace
}  // namespace dalembert::testing
