// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/figure_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/other_program.h"
#include "dalembert/store/file.h"

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kZoom = "3.125";  // 300 pixels per inch for a figure drawn at 96

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
  fail(kExitIo, "E0501", fmt::format("cannot write `{}`: {}", path, why));
}

[[noreturn]] void no_converter(const std::string& path) {
  fail(kExitIo, "E0507", fmt::format("`{}`: the program `{}`, which makes PDF and PNG, is not there", path, kConverter),
       {"apt-get install librsvg2-bin",
        fmt::format("write `{}`, which needs no other program", fs::path(path).replace_extension(".svg").string())});
}

void convert(const std::string& svg, const FigureOutput& output) {
  const std::string program = find_program(kConverter);
  if (program.empty()) no_converter(output.path);
  UnfinishedFile file(output.path);
  if (!file.problem().empty()) cannot_write(output.path, file.problem());
  std::vector<std::string> words{"--unlimited", "--format", output.format == FigureFormat::kPdf ? "pdf" : "png"};
  if (output.format == FigureFormat::kPng) words.insert(words.end(), {"--zoom", kZoom});
  const ProgramEnd end = run_program(program, std::move(words), svg, file.place());
  if (end.ok()) {
    if (const std::string why = file.become_final(); !why.empty()) cannot_write(output.path, why);
    return;
  }
  fail(kExitIo, "E0507", fmt::format("cannot write `{}`: `{}` gave up: {}", output.path, program, end.said));
}

}  // namespace

void require_writable(const std::string& path) {
  std::error_code ignored;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, ignored)) cannot_write(path, fmt::format("there is no folder `{}`", folder.string()));
  if (fs::is_directory(path, ignored)) cannot_write(path, "it is a folder");
  const bool exists = fs::exists(path, ignored);
  if (::access(exists ? path.c_str() : folder.c_str(), W_OK) != 0) cannot_write(path, std::strerror(errno));
}

FigureOutput choose_figure_output(const std::string& path) {
  if (path == "-") return {path, FigureFormat::kSvg};
  std::string ending = fs::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  FigureOutput output{path, FigureFormat::kSvg};
  if (ending == ".pdf")
    output.format = FigureFormat::kPdf;
  else if (ending == ".png")
    output.format = FigureFormat::kPng;
  else if (ending != ".svg")
    fail(kExitUsage, "E0403", fmt::format("`--output` does not take `{}`", path),
         {"figures are written as .svg, .pdf or .png; `-` writes SVG to standard output"});
  require_writable(path);
  if (output.format != FigureFormat::kSvg && find_program(kConverter).empty()) no_converter(path);
  return output;
}

void write_figure(const std::string& svg, const FigureOutput& output, Terminal& terminal) {
  if (output.to_standard_output()) {
    terminal.out(svg);
    return;
  }
  if (output.format == FigureFormat::kSvg) {
    if (const Diagnostics problems = write_file(output.path, [&](std::ostream& out) { out << svg; }); !problems.empty())
      fail(kExitIo, problems);
  } else {
    convert(svg, output);
  }
  terminal.note(fmt::format("wrote {}\n", output.path));
}

}  // namespace dalembert::app
