// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/diagnostic.h"

#include <array>

#include <gtest/gtest.h>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

// Oracle: the layout that docs/model-format.md promises, written out by hand.
TEST(Diagnostic, ShowsPlaceLineAndCarets) {
  const SourcePtr source = make_source("sleigh.toml", "name = \"sleigh\"\nknife = \"a*thetadot\"\n");
  Diagnostic d =
      error("E0102", "unknown symbol `thetadot`", {source, 27, 35}, "not a coordinate, parameter, input or function");
  d.help.push_back("write `theta'`");
  EXPECT_EQ(render(d),
            "error[E0102]: unknown symbol `thetadot`\n"
            " --> sleigh.toml:2:12\n"
            "  |\n"
            "2 | knife = \"a*thetadot\"\n"
            "  |            ^^^^^^^^ not a coordinate, parameter, input or function\n"
            "  |\n"
            "help: write `theta'`\n");
}

TEST(Diagnostic, SecondaryPlacesStandInOrderOfLines) {
  const SourcePtr source = make_source("m.toml", "a = 1\nb = 2\nc = 3\n");
  Diagnostic d = error("E0008", "duplicate name", {source, 12, 13}, "again");
  d.secondary.resize(1);
  d.secondary[0].span = {source, 0, 1};
  d.secondary[0].text = "first here";
  const std::string text = render(d);
  EXPECT_LT(text.find("first here"), text.find("again"));
  EXPECT_NE(text.find("1 | a = 1"), std::string::npos);
}

// Columns count characters, not bytes, and a byte order mark takes none.
TEST(Diagnostic, ColumnsCountCharacters) {
  const SourcePtr source = make_source("u.toml", "\xEF\xBB\xBFθθ = x");
  EXPECT_EQ(source->position(3).column, 1);
  EXPECT_EQ(source->position(7).column, 3);
  EXPECT_EQ(source->offset(1, 3), 7u);
  EXPECT_EQ(source->line(1), "θθ = x");
}

TEST(Diagnostic, LongLinesAreCutAroundTheCarets) {
  const SourcePtr source = make_source("long.toml", std::string(100000, 'x') + "!" + std::string(100000, 'y'));
  const std::string text = render(error("E0101", "odd character", {source, 100000, 100001}));
  EXPECT_LT(text.size(), 1000u);
  EXPECT_NE(text.find("x!y"), std::string::npos);
}

TEST(Diagnostic, ControlCharactersDoNotReachTheTerminal) {
  const SourcePtr source = make_source("c.toml", "a\x1b[31m = 1");
  EXPECT_EQ(render(error("E0002", "bad", {source, 0, 1})).find('\x1b'), std::string::npos);
  // Those of more than one byte too, each in one column; and those of the message, of notes and of the file's name.
  const SourcePtr turned = make_source("c\x1b.toml", "\xE2\x80\xAE\xC2\x9B!");
  Diagnostic d = error("E0002", "bad \xE2\x80\xA8", {turned, 5, 6});
  d.notes.push_back("\x1b]0;x\x07");
  d.help.push_back("\xC2\x85");
  EXPECT_EQ(render(d),
            "error[E0002]: bad <U+2028>\n"
            " --> c<U+001B>.toml:1:3\n"
            "  |\n"
            "1 | ..!\n"
            "  |   ^\n"
            "  |\n"
            "  = note: <U+001B>]0;x<U+0007>\n"
            "help: <U+0085>\n");
}

TEST(Diagnostic, HeadingIsOneLineWhateverItQuotes) {
  const SourcePtr source = make_source("m.toml", "L = 1");
  EXPECT_TRUE(render(error("E0202", "`two\r\nlines` is no number", {source, 0, 1}))
                  .starts_with("error[E0202]: `two  lines` is no number\n --> m.toml:1:1\n"));
}

TEST(Text, NearestFindsSlipsOnly) {
  const std::array<std::string, 4> names{"theta", "phi", "gravity", "x"};
  EXPECT_EQ(nearest("thta", names), "theta");
  EXPECT_EQ(nearest("htea", names), std::nullopt);
  EXPECT_EQ(nearest("gravty", names), "gravity");
  EXPECT_EQ(nearest("y", names), std::nullopt);
  EXPECT_EQ(nearest("ph", names), "phi");
}

// A name for a rate is nearer to the rate than to the coordinate that it contains.
TEST(Text, NearestKnowsHowRatesAreWritten) {
  const std::array<std::string, 4> names{"theta", "theta'", "x", "v"};
  for (const char* written : {"dtheta", "theta_dot", "thetadot", "thetad", "dot_theta", "theta_t", "d_theta"})
    EXPECT_EQ(nearest(written, names), "theta'") << written;
  EXPECT_EQ(nearest("dx", names), "x");  // x has no rate here
  const auto known = [](const std::string& name) { return name == "theta"; };
  EXPECT_EQ(rate_meant("thetadd", known), "theta''");
  EXPECT_EQ(rate_meant("theta", known), "");
  EXPECT_EQ(rate_meant("dphi", known), "");
}

TEST(Text, NumbersRoundTrip) {
  for (const double x : {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.123456789})
    EXPECT_EQ(parse_double(to_text(x)), x);
  EXPECT_FALSE(parse_double("1x"));
  EXPECT_FALSE(parse_double("nan"));
}

}  // namespace
}  // namespace dalembert
