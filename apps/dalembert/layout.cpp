// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kWidth = 110, kLabel = 14;

// Number of code points. For the characters that occur here it equals the number of columns.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padding(std::size_t width, const std::string& text) {
  return std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

std::string labelled_list(const std::string& label, const std::vector<std::string>& items, std::size_t limit) {
  if (items.empty()) return {};
  std::string text = fmt::format("  {:<{}}", label, kLabel);
  if (!text.ends_with(' ')) text += ' ';
  std::size_t column = text.size();
  const std::size_t shown = items.size() <= limit + 1 ? items.size() : limit;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == items.size();
    const std::string item = items[i] + (last ? "" : ",");
    if (i > 0 && column + 2 + width_of(item) > kWidth) {
      text += "\n" + std::string(kLabel + 2, ' ');
      column = kLabel + 2;
    } else if (i > 0) {
      text += "  ";
      column += 2;
    }
    text += item;
    column += width_of(item);
  }
  if (shown < items.size()) text += fmt::format("  … and {} more", items.size() - shown);
  return text + "\n";
}

std::string Table::text(int indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  " + padding(widths[i], row[i]);
      line += row[i];
      if (i == 0) line += padding(widths[i], row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string shell_word(const std::string& word) {
  if (shown(word) != word) {
    std::string quoted = "$'";
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_plain = byte >= 0x20 && byte < 0x7F && c != '\'' && c != '\\';
      quoted += is_plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
    }
    return quoted + "'";
  }
  const bool is_plain = !word.empty() && word[0] != '=' && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./+:=@%,").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t at = 0;
  while (text.size() - at > width) {
    std::size_t space = text.rfind(' ', at + width);
    if (space == std::string::npos || space <= at) space = std::min(text.find(' ', at), text.size());
    if (space == text.size()) break;
    out += text.substr(at, space - at) + "\n" + std::string(indent, ' ');
    at = space + 1;
  }
  return out + text.substr(at);
}

}  // namespace dalembert::app
