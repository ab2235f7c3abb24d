// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/other_program.h"

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
#include <string_view>

extern char** environ;

namespace dalembert::app {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// A temporary file without a name, which disappears however the program ends.
using UnnamedFile = std::unique_ptr<std::FILE, CloseFile>;

// The messages of a program, on one line.
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

// Runs a program with files as standard input, output and error. Returns -1 and sets errno if it could not be started.
int run_with_files(const std::string& program, std::vector<std::string>& words, int input, const std::string& output,
                   int errors) {
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.empty() ? "/dev/null" : output.c_str(),
                                   O_WRONLY | O_TRUNC, 0);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  // Signals that this program ignores must have their default action in the other program.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int number : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, number);
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

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    // An empty entry of PATH would mean the working folder, which is not searched.
    if (folder.empty()) continue;
    const std::string candidate = folder + "/" + name;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

ProgramEnd run_program(const std::string& program, std::vector<std::string> words, const std::string& text,
                       const std::string& output) {
  const UnnamedFile input(std::tmpfile()), errors(std::tmpfile());
  if (!input || !errors || std::fwrite(text.data(), 1, text.size(), input.get()) != text.size() ||
      std::fflush(input.get()) != 0)
    return {-1, fmt::format("no temporary file: {}", std::strerror(errno))};
  std::rewind(input.get());
  // The child process shares the file offset, which must be at the beginning.
  ::lseek(::fileno(input.get()), 0, SEEK_SET);
  ProgramEnd end{run_with_files(program, words, ::fileno(input.get()), output, ::fileno(errors.get())), {}};
  const int why = errno;
  if (end.status == 0) return end;
  end.said = end.status < 0 ? std::strerror(why) : read_back(errors.get());
  if (end.said.empty()) end.said = fmt::format("exit status {}", end.status);
  return end;
}

}  // namespace dalembert::app
