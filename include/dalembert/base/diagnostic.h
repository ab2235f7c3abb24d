// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what is wrong, where, and how to mend it, as values. The library never prints and never throws.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/source.h"

namespace dalembert {

enum class Level { kError, kWarning };

struct Label {
  Span span;
  std::string text;  ///< printed after the carets; may be empty
};

/// One cause, one diagnostic. `message` says what is wrong (lower case, no full stop), only `help` says how to mend it.
/// The codes and their long texts are listed in explain.cpp.
struct Diagnostic {
  Level level = Level::kError;
  std::string code;  ///< "E0102"; stable, users search for it
  std::string message;
  Label primary;
  std::vector<Label> secondary;
  std::vector<std::string> notes;
  std::vector<std::string> help;
};

using Diagnostics = std::vector<Diagnostic>;

Diagnostic error(std::string code, std::string message, Span span = {}, std::string label = {});
Diagnostic warning(std::string code, std::string message, Span span = {}, std::string label = {});

bool has_errors(const Diagnostics& diagnostics);

/// A value with warnings, or no value and at least one error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value, Diagnostics warnings = {}) : value_(std::move(value)), diagnostics_(std::move(warnings)) {}
  Result(Diagnostics errors) : diagnostics_(std::move(errors)) {}
  Result(Diagnostic error) { diagnostics_.push_back(std::move(error)); }

  explicit operator bool() const { return value_.has_value(); }
  bool ok() const { return value_.has_value(); }
  const T& value() const& { return *value_; }
  T& value() & { return *value_; }
  T&& value() && { return std::move(*value_); }
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::optional<T> value_;
  Diagnostics diagnostics_;
};

struct RenderOptions {
  bool color = false;
  int max_line_width = 160;  ///< characters; a longer source line is cut around the carets, with an ellipsis
};

/// The diagnostic as the terminal shows it: code and message, place, source lines with carets, notes, help.
std::string render(const Diagnostic& diagnostic, const RenderOptions& options = {});
std::string render(const Diagnostics& diagnostics, const RenderOptions& options = {});

/// The long text of a code for `dalembert explain`; empty when there is no such code.
std::string explain(std::string_view code);
/// All codes, in order.
std::vector<std::string> diagnostic_codes();

}  // namespace dalembert
