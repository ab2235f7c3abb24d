// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "apps/dalembert/failure.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Whether the locale is UTF-8, from LC_ALL, else LC_CTYPE, else LANG, as in the C library.
bool is_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

// Length of the escape sequence for colour or weight at the beginning of `text`, if it is one that this program writes;
// else 0.
std::size_t color_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find('m');
  const std::string_view code = text.substr(2, std::min(end, text.size()) - 2);
  constexpr std::array<std::string_view, 3> kPlain{"0", "1", "2"};
  const bool known = std::ranges::find(kPlain, code) != kPlain.end() ||
                     ((code.size() == 2 || (code.size() == 4 && code.starts_with("1;"))) &&
                      code[code.size() - 2] == '3' && code.back() >= '1' && code.back() <= '6');
  return known ? end + 1 : 0;
}

// Removes control characters, except line ends, tabs and, on a coloured stream, this program's colour sequences.
std::string for_terminal(std::string_view text, bool color) {
  constexpr std::string_view kKept = "\n\t";
  if (!color) return shown(text, kKept);
  std::string result;
  while (!text.empty()) {
    const std::size_t escape = text.find('\033', 1);
    const std::size_t length = color_length(text);
    result += text.substr(0, length);
    result += shown(text.substr(length, std::min(escape, text.size()) - length), kKept);
    text.remove_prefix(std::min(escape, text.size()));
  }
  return result;
}

}  // namespace

bool wants_color(bool no_color_option, bool is_terminal) {
  if (no_color_option || !environment("NO_COLOR").empty()) return false;
  for (const char* name : {"CLICOLOR_FORCE", "FORCE_COLOR"})
    if (const std::string_view value = environment(name); !value.empty() && value != "0") return true;
  return is_terminal && environment("TERM") != "dumb";
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void secure_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      if (::open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY) < 0) return;
}

Terminal::Terminal(const TerminalOptions& options)
    : options_(options),
      out_color_(wants_color(options.no_color, ::isatty(STDOUT_FILENO) != 0)),
      err_color_(options.instead == nullptr && wants_color(options.no_color, ::isatty(STDERR_FILENO) != 0)),
      err_is_terminal_(options.instead == nullptr && ::isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb"),
      shows_unicode_(::isatty(STDOUT_FILENO) != 0 && environment("TERM") != "dumb" && is_utf8_locale()) {}

void Terminal::out(std::string_view text) {
  if (results_to_stderr_) return err(text);
  buffer_ += for_terminal(text, out_color_);
}

void Terminal::err(std::string_view text) {
  if (options_.instead != nullptr) {
    *options_.instead += for_terminal(text, false);
    return;
  }
  clear_line();
  write_all(STDERR_FILENO, for_terminal(text, err_color_));
}

void Terminal::show_line(std::string_view text) {
  const std::lock_guard lock(line_);
  write_all(STDERR_FILENO, "\r" + shown(text) + "\033[K");
  line_is_shown_ = true;
}

void Terminal::clear_line() {
  const std::lock_guard lock(line_);
  if (std::exchange(line_is_shown_, false)) write_all(STDERR_FILENO, "\r\033[K");
}

void Terminal::note(std::string_view text) {
  if (!options_.quiet) err(text);
}

void Terminal::report(const Diagnostics& diagnostics) {
  if (!diagnostics.empty()) err(render(diagnostics, {.color = err_color_}));
  denied_ = denied_ || denies(diagnostics);
}

bool Terminal::denies(const Diagnostics& diagnostics) const {
  return std::ranges::any_of(diagnostics, [&](const Diagnostic& diagnostic) {
    return diagnostic.level == Level::kWarning && std::ranges::any_of(options_.deny, [&](const std::string& what) {
             return what == "warnings" || what == diagnostic.code;
           });
  });
}

void Terminal::stop_if_denied() const {
  if (denied_) fail(kExitModel, "E0411", "a warning is denied by --deny");
}

std::string Terminal::flush() {
  if (options_.instead != nullptr) buffer_.clear();
  const int code = write_all(STDOUT_FILENO, buffer_);
  buffer_.clear();
  return code == 0 || code == EPIPE ? std::string() : std::strerror(code);
}

int Terminal::width_or(int unknown) const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::optional<double> columns = parse_double(environment("COLUMNS"));
  return columns && *columns >= 1 && *columns <= 1000 ? static_cast<int>(*columns) : unknown;
}

std::string Terminal::styled(const char* code, std::string_view text) const {
  const bool color = results_to_stderr_ ? err_color_ : out_color_;
  return color ? std::string(code).append(text).append("\033[0m") : std::string(text);
}

}  // namespace dalembert::app
