// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/fixes.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace dalembert::editor {
namespace {

std::size_t count_errors(const Diagnostics& diagnostics) {
  return static_cast<std::size_t>(
      std::ranges::count_if(diagnostics, [](const Diagnostic& d) { return d.level == Level::kError; }));
}

bool has_same(const Diagnostics& diagnostics, const Diagnostic& one) {
  return std::ranges::any_of(diagnostics, [&](const Diagnostic& d) {
    return d.code == one.code && d.message == one.message && d.primary.span.begin == one.primary.span.begin;
  });
}

}  // namespace

std::vector<Fix> proposed_fixes(const Diagnostic& diagnostic) {
  std::vector<Fix> fixes;
  const Span& place = diagnostic.primary.span;
  if (!place || place.begin >= place.end) return fixes;
  for (const std::string& help : diagnostic.help) {
    const bool names_one = help.starts_with("did you mean ") || help.find("write `") != std::string::npos;
    std::size_t open = names_one ? help.find('`') : std::string::npos;
    if (const std::size_t write = help.find("write `"); write != std::string::npos) open = write + 6;
    while (open != std::string::npos) {
      const std::size_t close = help.find('`', open + 1);
      if (close == std::string::npos) break;
      std::string text = help.substr(open + 1, close - open - 1);
      if (!text.empty()) fixes.push_back({fmt::format("write `{}`", text), {place.begin, place.end}, std::move(text)});
      open = help.find('`', close + 1);
    }
  }
  return fixes;
}

std::vector<Fix> fixes_that_mend(const Diagnostic& diagnostic, const Diagnostics& all, const LoadOptions& options) {
  std::vector<Fix> good;
  const SourcePtr& source = diagnostic.primary.span.source;
  for (Fix& fix : proposed_fixes(diagnostic)) {
    std::string text = source->text();
    text.replace(fix.place.begin, fix.place.end - fix.place.begin, fix.text);
    const auto mended = load_model(make_source(source->name(), std::move(text)), options);
    const Diagnostics& left = mended.diagnostics();
    if (count_errors(left) <= count_errors(all) && !has_same(left, diagnostic) &&
        (mended.ok() || count_errors(left) < count_errors(all)))
      good.push_back(std::move(fix));
  }
  return good;
}

}  // namespace dalembert::editor
