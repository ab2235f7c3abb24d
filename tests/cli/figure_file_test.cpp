// SPDX-License-Identifier: Apache-2.0
// Figures as .svg, .pdf and .png: what the files are, and what is said and left where one cannot be made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Outcome plot_to(const std::string& file, const Setting& setting = {}) {
  return run({"plot", "mass-spring", "--phase", "x,x'", "-o", file}, setting);
}

std::size_t files_in(const Folder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

// A program of this name that comes first on PATH.
std::string fake_converter(const Folder& folder, const std::string& script) {
  chmod(folder.write("rsvg-convert", "#!/bin/sh\n" + script).c_str(), 0755);
  return folder.path() + ":" + std::getenv("PATH");
}

// The first bytes of a PNG (RFC 2083) and of a PDF (ISO 32000).
TEST(FigureFile, SvgPdfAndPngByTheEnding) {
  const Folder folder;
  ASSERT_EQ(plot_to(folder.file("a.svg")).status, 0);
  EXPECT_THAT(read_text(folder.file("a.svg")), StartsWith("<svg"));
  if (std::system("command -v rsvg-convert > /dev/null") != 0) GTEST_SKIP() << "rsvg-convert (librsvg2-bin) is missing";
  const Outcome png = plot_to(folder.file("a.PNG"));
  ASSERT_EQ(png.status, 0) << png.err;
  EXPECT_THAT(png.err, HasSubstr("wrote " + folder.file("a.PNG")));
  EXPECT_THAT(read_text(folder.file("a.PNG")), StartsWith("\x89PNG\r\n"));
  // A name that looks like an option, in the working folder.
  const Outcome pdf = plot_to("./-o.pdf", {.folder = folder.path()});
  ASSERT_EQ(pdf.status, 0) << pdf.err;
  EXPECT_THAT(read_text(folder.file("-o.pdf")), StartsWith("%PDF-"));
  EXPECT_EQ(files_in(folder), 3U);
}

TEST(FigureFile, WithoutTheConverterItsPackageIsNamed) {
  const Folder folder;
  const Outcome outcome = plot_to(folder.file("a.pdf"), {.environment = {{"PATH", folder.path()}}});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("E0507"));
  EXPECT_THAT(outcome.err, HasSubstr("librsvg2-bin"));
  EXPECT_EQ(files_in(folder), 0U);
}

// A converter that writes a part and gives up: what was there before is still there, and nothing else.
TEST(FigureFile, NothingHalfWrittenIsLeft) {
  const Folder folder, programs;
  folder.write("a.png", "before");
  const std::string path = fake_converter(programs, "echo half; echo 'no memory' >&2; exit 3\n");
  const Outcome outcome = plot_to(folder.file("a.png"), {.environment = {{"PATH", path}}});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("no memory"));
  EXPECT_EQ(read_text(folder.file("a.png")), "before");
  EXPECT_EQ(files_in(folder), 1U);
}

// The converter gets the whole SVG, and what it writes to its standard output is the figure: one that opens a file by name may leave
// temporary files beside it when Ctrl-C ends it (.goutputstream-…).
TEST(FigureFile, TheConverterReadsTheFigure) {
  const Folder folder, programs;
  const std::string path = fake_converter(programs, "cat; echo \"$*\" > \"$0.words\"\n");
  ASSERT_EQ(plot_to(folder.file("a.png"), {.environment = {{"PATH", path}}}).status, 0);
  ASSERT_EQ(plot_to(folder.file("a.svg")).status, 0);
  EXPECT_EQ(read_text(folder.file("a.png")), read_text(folder.file("a.svg")));
  EXPECT_EQ(files_in(folder), 2U);
  EXPECT_THAT(read_text(programs.file("rsvg-convert.words")),
              AllOf(HasSubstr("--format png"), Not(HasSubstr("output")), Not(HasSubstr(folder.path()))));
}

TEST(FigureFile, WhatCannotBeWrittenIsSaidBefore) {
  const Folder folder;
  const Outcome ending = plot_to(folder.file("a.gif"));
  EXPECT_EQ(ending.status, 2);
  EXPECT_THAT(ending.err, HasSubstr(".svg, .pdf or .png"));
  EXPECT_EQ(plot_to(folder.file("nowhere/a.svg")).status, 5);
  EXPECT_EQ(plot_to(folder.file("nowhere/a.pdf")).status, 5);
}

}  // namespace
}  // namespace dalembert::testing
