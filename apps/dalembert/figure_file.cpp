// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/figure_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include "apps/dalembert/failure.h"
#include "dalembert/base/temporary_file.h"
#include "dalembert/store/file.h"

extern char** environ;

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConverter = "rsvg-convert";
constexpr const char* kZoom = "3.125";  // 300 pixels per inch of a figure drawn at 96

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// Removed with the program, however that ends.
using UnnamedFile = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
  fail(kExitIo, "E0501", fmt::format("cannot write `{}`: {}", path, why));
}

[[noreturn]] void no_converter(const std::string& path) {
  fail(kExitIo, "E0507", fmt::format("`{}`: the program `{}`, which makes PDF and PNG, is not there", path, kConverter),
       {"apt-get install librsvg2-bin",
        fmt::format("write `{}`, which needs no other program", fs::path(path).replace_extension(".svg").string())});
}

// What a program said, on one line.
std::string read_back(std::FILE* file) {
  std::string text;
  char block[4096];
  std::rewind(file);
  for (std::size_t count = 0; (count = std::fread(block, 1, sizeof block, file)) > 0 && text.size() < 4096;)
    text.append(block, count);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// Runs a program with standard input and error from files and nothing on standard output; its exit status, 128 + a
// signal's number, or -1 with errno where it could not be started.
int run_program(const std::string& program, std::vector<std::string> words, int input, int errors) {
  std::vector<char*> arguments{const_cast<char*>(kConverter)};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  // Signals that we ignore, a program beside us does not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int problem = posix_spawn(&child, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) {
    errno = problem;
    return -1;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void convert(const std::string& svg, const FigureOutput& output) {
  const std::string program = find_program(kConverter);
  if (program.empty()) no_converter(output.path);
  const UnnamedFile input(std::tmpfile()), errors(std::tmpfile());
  if (!input || !errors) cannot_write(output.path, fmt::format("no temporary file: {}", std::strerror(errno)));
  if (std::fwrite(svg.data(), 1, svg.size(), input.get()) != svg.size() || std::fflush(input.get()) != 0)
    cannot_write(output.path, fmt::format("no temporary file: {}", std::strerror(errno)));
  std::rewind(input.get());
  // The program shares our place in the file, which is its beginning.
  ::lseek(::fileno(input.get()), 0, SEEK_SET);

  const std::string place = fmt::format("{}.{}.part", output.path, ::getpid());
  const TemporaryFile temporary(place);
  std::vector<std::string> words{"--unlimited", "--format", output.format == FigureFormat::kPdf ? "pdf" : "png"};
  if (output.format == FigureFormat::kPng) words.insert(words.end(), {"--zoom", kZoom});
  // A name that begins with a hyphen is still a name.
  words.push_back(fmt::format("--output={}", place));
  const int status = run_program(program, std::move(words), ::fileno(input.get()), ::fileno(errors.get()));
  const int why = errno;
  if (status == 0 && std::rename(place.c_str(), output.path.c_str()) == 0) return;
  const int rename_problem = errno;
  ::unlink(place.c_str());
  if (status == 0) cannot_write(output.path, std::strerror(rename_problem));
  std::string said = status < 0 ? std::strerror(why) : read_back(errors.get());
  if (said.empty()) said = fmt::format("exit status {}", status);
  fail(kExitIo, "E0507", fmt::format("cannot write `{}`: `{}` gave up: {}", output.path, program, said));
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    // The working folder is searched by no one who has not asked for it by name.
    if (folder.empty()) continue;
    const std::string candidate = folder + "/" + name;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

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
