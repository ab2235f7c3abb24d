// SPDX-License-Identifier: Apache-2.0
// Output of the command: results to standard output, messages to standard error, each with or without colour.
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
  std::vector<std::string> deny = {};  ///< codes of warnings that make the command fail; "warnings": all
  std::string* instead = nullptr;      ///< takes all that would go to the streams, apart from results
};

class Terminal {
 public:
  explicit Terminal(const TerminalOptions& options);

  /// Adds to the results, which are buffered until flush().
  void out(std::string_view text);
  /// Discards the buffer: if a verb fails after it began to answer, --json still prints only one document.
  void discard() { buffer_.clear(); }
  /// From now on results go to standard error, because standard output is used for data (`--output -`).
  void send_results_to_stderr() { results_to_stderr_ = true; }
  /// Writes a message at once.
  void err(std::string_view text);
  /// Shows a line that the next message or clear_line() removes. May be called from any thread.
  void show_line(std::string_view text);
  void clear_line();
  /// Writes a message unless --quiet is given.
  void note(std::string_view text);
  void report(const Diagnostics& diagnostics);
  void deny(std::vector<std::string> warnings) { options_.deny = std::move(warnings); }
  /// Whether --deny names one of these warnings.
  bool denies(const Diagnostics& diagnostics) const;
  /// Whether --deny names a warning that was reported.
  bool denied() const { return denied_; }
  /// Fails with E0411 if --deny names a reported warning. Call it before long work.
  void stop_if_denied() const;

  /// Writes the buffer. If the reader of a pipe has gone away (`| head`), the rest is dropped silently. Returns an
  /// empty text on success, else the reason of the failure.
  std::string flush();

  bool quiet() const { return options_.quiet; }
  /// Whether standard output is coloured; and its width in columns: that of the terminal, else COLUMNS, else 80.
  bool out_color() const { return out_color_ && !results_to_stderr_; }
  int width() const { return width_or(80); }
  /// The width of the terminal, else COLUMNS, else `unknown`.
  int width_or(int unknown) const;
  /// Whether results may be in Unicode: standard output is a capable terminal in a UTF-8 locale.
  bool shows_unicode() const { return shows_unicode_ && !results_to_stderr_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  /// The text for standard output, styled if output is coloured.
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

/// Opens /dev/null for closed standard streams, so that no other file gets their descriptors.
void secure_standard_streams();

/// Writes the whole text to a descriptor. Returns 0 or errno.
int write_all(int descriptor, std::string_view text);

}  // namespace dalembert::app
