// SPDX-License-Identifier: Apache-2.0
// draw and animate as a user types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Draw, WritesAPictureOfAModel) {
  const Folder folder;
  const Outcome drawn = run({"draw", "slider-crank", "-o", "a.svg", "--json"}, {.folder = folder.path()});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(drawn.json()["shapes"]["bar"], 2);
  EXPECT_THAT(read_text(folder.file("a.svg")), HasSubstr("class=\"block\""));
  // Its own name, but never over a file.
  EXPECT_EQ(run({"draw", "slider-crank"}, {.folder = folder.path()}).status, 0);
  EXPECT_TRUE(folder.has("slider-crank.svg"));
  EXPECT_EQ(run({"draw", "slider-crank"}, {.folder = folder.path()}).status, 2);
  const Outcome shown = run({"draw", "slider-crank", "--forces", "-o", "-"}, {.folder = folder.path()});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("<svg"));
}

// Units as the field writes them, not as files do.
TEST(Draw, ForcesHaveTypesetUnits) {
  const Folder folder;
  const Outcome shown = run({"draw", "andrews-squeezer", "--forces", "-o", "-"}, {.folder = folder.path()});
  EXPECT_THAT(shown.out, HasSubstr("0.033 N·m"));
  EXPECT_THAT(shown.out, Not(HasSubstr("N*m")));
}

TEST(Draw, SaysWhatIsWrong) {
  const Folder folder;
  folder.write("bare.toml", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n");
  const Outcome nothing = run({"draw", "bare.toml", "-o", "a.svg"}, {.folder = folder.path()});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.err, HasSubstr("E0520"));
  EXPECT_THAT(nothing.err, HasSubstr("[draw]"));
  EXPECT_FALSE(folder.has("a.svg"));
  const auto status = [&](const std::vector<std::string>& words) {
    return run(words, {.folder = folder.path()}).status;
  };
  EXPECT_EQ(status({"draw", "slider-crank", "-o", "nowhere/a.svg"}), 5);
  EXPECT_EQ(status({"draw", "slider-crank", "-o", "a.bmp"}), 2);
  EXPECT_EQ(status({"draw", "ur5", "--view", "front", "-o", "a.svg"}), 2);
  EXPECT_EQ(status({"draw", "ur5", "--view", "0,91", "-o", "a.svg"}), 2);
  EXPECT_EQ(status({"draw", "slider-krank", "-o", "a.svg"}), 2);
  EXPECT_EQ(status({"draw", "slider-crank", "--zoom", "-o", "a.svg"}), 2);
}

TEST(Animate, WritesAFilmThatPlaysByItself) {
  const Folder folder;
  const Outcome film = run({"animate", "polar-pendulum", "--until", "1", "--fps", "10", "-o", "a.svg", "--json"},
                           {.folder = folder.path()});
  EXPECT_EQ(film.status, 0) << film.err;
  EXPECT_EQ(film.json()["frames"], 41);  // at least four seconds of film
  const std::string svg = read_text(folder.file("a.svg"));
  EXPECT_THAT(svg, HasSubstr("<animate"));
  EXPECT_THAT(svg, HasSubstr("prefers-reduced-motion"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(Animate, TakesARun) {
  const Folder folder;
  ASSERT_EQ(run({"simulate", "polar-pendulum", "--until", "1", "-o", "run.csv"}, {.folder = folder.path()}).status, 0);
  const Outcome lost = run({"animate", "run.csv", "-o", "a.svg"}, {.folder = folder.path()});
  EXPECT_EQ(lost.status, 2);
  EXPECT_THAT(lost.err, HasSubstr("--model"));
  const Outcome other = run({"animate", "run.csv", "--model", "four-bar", "-o", "a.svg"}, {.folder = folder.path()});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("E0521"));
  const Outcome film =
      run({"animate", "run.csv", "--model", "polar-pendulum", "-o", "a.svg"}, {.folder = folder.path()});
  EXPECT_EQ(film.status, 0) << film.err;
  EXPECT_THAT(read_text(folder.file("a.svg")), HasSubstr("<animate"));
}

TEST(Animate, SaysWhatIsWrong) {
  const Folder folder;
  const auto status = [&](const std::vector<std::string>& words) {
    return run(words, {.folder = folder.path()}).status;
  };
  const Outcome page = run({"animate", "polar-pendulum", "-o", "a.avi"}, {.folder = folder.path()});
  EXPECT_EQ(page.status, 2);
  EXPECT_THAT(page.err, HasSubstr(".svg"));
  EXPECT_EQ(status({"animate", "polar-pendulum"}), 2);
  EXPECT_EQ(status({"animate", "polar-pendulum", "-o", "nowhere/a.svg"}), 5);
  EXPECT_EQ(status({"animate", "nothing.csv", "--model", "polar-pendulum", "-o", "a.svg"}), 5);
  EXPECT_EQ(status({"animate", "polar-pendulum", "--fps", "0", "-o", "a.svg"}), 2);
  EXPECT_FALSE(folder.has("a.svg"));
}

}  // namespace
}  // namespace dalembert::testing
