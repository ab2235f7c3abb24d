// SPDX-License-Identifier: Apache-2.0
// Runs the command as a user does: its own process, its own folder, its output caught.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "folder.h"
#include "source_tree.h"

namespace dalembert::testing {

struct Outcome {
  int status = -1;  ///< exit status, or 128 + the signal that ended it
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }  ///< throws where it is not exactly one document
};

struct Setting {
  std::string input = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string folder = {};
  std::string standard_output = {};  ///< a file to open instead of catching it
  std::string standard_error = {};   ///< likewise
  bool close_output = false;
  std::string standard_input = {};  ///< a file to open instead of `input`
  bool ignore_hangup = false;       ///< as under nohup
  bool keep_input = false;          ///< standard input stays open after `input`: for say()
};

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A started command.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const Setting& setting = {}) {
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) std::abort();
    pid_ = fork();
    if (pid_ == 0) become(arguments, setting, in[0], out[1], err[1]);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    // Inputs here are far smaller than a pipe's buffer.
    signal(SIGPIPE, SIG_IGN);
    in_ = in[1];
    say(setting.input);
    if (!setting.keep_input) end_input();
    out_ = out[0];
    err_ = err[0];
  }

  void say(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count = write(in_, text.data() + done, text.size() - done);
      if (count <= 0) return;
      done += static_cast<std::size_t>(count);
    }
  }
  void end_input() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }
  /// Waits for bytes of standard output and takes them; false at their end, or after a minute without any.
  bool hear(std::string& text) {
    if (out_ < 0) return false;
    pollfd end{out_, POLLIN, 0};
    const std::size_t before = text.size();
    if (poll(&end, 1, 60'000) > 0) drain(out_, text);
    return text.size() > before;
  }

  void send(int signal_number) const { kill(pid_, signal_number); }
  void close_output() {
    close(out_);
    out_ = -1;
  }

  Outcome wait() {
    end_input();
    Outcome outcome;
    // Both pipes are read as they fill, so that neither blocks the other.
    while (out_ >= 0 || err_ >= 0) {
      pollfd ends[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
      poll(ends, 2, -1);
      if (out_ >= 0 && ends[0].revents) drain(out_, outcome.out);
      if (err_ >= 0 && ends[1].revents) drain(err_, outcome.err);
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
  }

 private:
  [[noreturn]] static void become(const std::vector<std::string>& arguments, const Setting& setting, int in, int out,
                                  int err) {
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, setting.ignore_hangup ? SIG_IGN : SIG_DFL);
    if (!setting.standard_input.empty()) dup2(open(setting.standard_input.c_str(), O_RDONLY), 0);
    if (!setting.standard_output.empty()) dup2(open(setting.standard_output.c_str(), O_WRONLY | O_CREAT, 0666), 1);
    if (!setting.standard_error.empty()) dup2(open(setting.standard_error.c_str(), O_WRONLY | O_NOCTTY), 2);
    if (setting.close_output) close(1);
    if (!setting.folder.empty() && chdir(setting.folder.c_str()) != 0) _exit(126);
    for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"}) unsetenv(name);
    for (const auto& [name, value] : setting.environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words{const_cast<char*>("dalembert")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execv(command_path().c_str(), words.data());
    _exit(127);
  }

  static void drain(int& descriptor, std::string& text) {
    char block[65536];
    const ssize_t count = read(descriptor, block, sizeof block);
    if (count > 0) {
      text.append(block, static_cast<std::size_t>(count));
    } else {
      close(descriptor);
      descriptor = -1;
    }
  }

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
};

inline Outcome run(const std::vector<std::string>& arguments, const Setting& setting = {}) {
  return Process(arguments, setting).wait();
}

/// The names that `dalembert models --quiet` lists.
inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  std::istringstream lines(run({"models", "--quiet"}).out);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

/// One coordinate, no constraint: x(t) = cos(t).
inline constexpr const char* kOscillator = R"toml(name = "oscillator"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
k = "1 N/m"
[energy]
kinetic = "m/2*x'^2"
potential = "k/2*x^2"
[initial]
position = {x = "1 m"}
[simulation]
until = "2 s"
)toml";

/// A pendulum whose rod is a constraint. At x = 0.6 m, y = -0.8 m at rest the rod pulls with m g 0.8 / L.
inline constexpr const char* kPendulum = R"toml(name = "pendulum"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
g = "10 m/s^2"
m = "2 kg"
L = "1 m"
[[body]]
name = "ball"
mass = "m"
position = ["x", "y"]
[[constraint]]
name = "rod"
holonomic = "sqrt(x^2 + y^2) - L"
[[force]]
power = "push*x'"
[inputs]
push = 0
[initial]
position = {x = "0.6 m"}
guess = {y = "-0.7 m"}
velocity = {x = "0 m/s"}
[outputs]
tension = "-lambda(rod)"
[simulation]
until = "1 s"
)toml";

}  // namespace dalembert::testing
