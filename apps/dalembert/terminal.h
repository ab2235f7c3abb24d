// SPDX-License-Identifier: Apache-2.0
// Where words go: results to standard output, messages to standard error, each with colour or without.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert::app {

/// Whether to colour a stream, in order of precedence: --no-color, NO_COLOR (not empty), CLICOLOR_FORCE or FORCE_COLOR
/// (neither empty nor "0"), TERM=dumb, and whether it is a terminal.
bool wants_color(bool no_color_option, bool is_terminal);

struct TerminalOptions {
  bool no_color = false;
  bool quiet = false;
  std::vector<std::string> deny = {};  ///< codes of warnings that fail the command; "warnings": all
};

class Terminal {
 public:
  explicit Terminal(const TerminalOptions& options);

  /// Results; kept until flush().
  void out(std::string_view text);
  /// Forgets what is kept: a verb failed after it had begun to answer, and --json allows one document only.
  void discard() { buffer_.clear(); }
  /// Results go to standard error from here on: standard output is taken by data (`--output -`).
  void send_results_to_stderr() { results_to_stderr_ = true; }
  /// Messages, at once.
  void err(std::string_view text);
  /// A line that the next message, or clear_line(), takes away again. From any thread.
  void show_line(std::string_view text);
  void clear_line();
  /// Messages that --quiet silences.
  void note(std::string_view text);
  void report(const Diagnostics& diagnostics);
  void deny(std::vector<std::string> warnings) { options_.deny = std::move(warnings); }
  /// Whether --deny names one of these warnings.
  bool denies(const Diagnostics& diagnostics) const;
  /// Whether --deny names a warning that was reported.
  bool denied() const { return denied_; }
  /// Gives up (E0411) where --deny names a warning that was reported: before work that takes time.
  void stop_if_denied() const;

  /// Writes what is kept. A reader that went away (`| head`) is no error: the rest is dropped in silence.
  /// Nothing, or why writing failed.
  std::string flush();

  bool quiet() const { return options_.quiet; }
  /// Whether standard output is coloured; its columns: of the terminal, or COLUMNS, or 80.
  bool out_color() const { return out_color_ && !results_to_stderr_; }
  int width() const { return width_or(80); }
  /// The same, `unknown` where neither is known.
  int width_or(int unknown) const;
  /// Whether results may be in Unicode: standard output is a terminal that is not dumb, in a UTF-8 locale.
  bool shows_unicode() const { return shows_unicode_ && !results_to_stderr_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  /// Text for standard output in bold, green, … when it is coloured.
  std::string bold(std::string_view text) const { return styled("\033[1m", text); }
  std::string green(std::string_view text) const { return styled("\033[32m", text); }
  std::string red(std::string_view text) const { return styled("\033[31m", text); }
  std::string dim(std::string_view text) const { return styled("\033[2m", text); }

 private:
  std::string styled(const char* code, std::string_view text) const;

  TerminalOptions options_;
  bool out_color_, err_color_, err_is_terminal_, shows_unicode_;
  bool results_to_stderr_ = false;
  bool denied_ = false;
  std::string buffer_;
  std::mutex line_;
  bool line_is_shown_ = false;
};

/// Opens /dev/null in place of standard streams that are closed, so that no file we open gets their numbers.
void secure_standard_streams();

/// Writes all of `text` to a descriptor; 0 or errno.
int write_all(int descriptor, std::string_view text);

}  // namespace dalembert::app
