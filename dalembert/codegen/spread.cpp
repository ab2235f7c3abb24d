// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace dalembert {
namespace {

constexpr std::size_t kLongestPeriod = 64;
// Least number of statements that a loop must save.
constexpr std::size_t kLeastSaved = 12;

std::string moved(long first, long stride) {
  if (stride == 0) return fmt::format("{}", first);
  const std::string by = std::labs(stride) == 1 ? "j" : fmt::format("{} * j", std::labs(stride));
  if (first == 0 && stride > 0) return by;
  return fmt::format("{} {} {}", first, stride < 0 ? '-' : '+', by);
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == text.npos; }

// The index row * columns + column as text: "7" for row 1 and column 2 of 5 columns, "(1 + j) * nv + 2" in a loop.
std::string place(const std::string& row, const std::string& column, int columns, std::string_view constant) {
  const auto number = [](const std::string& text) { return std::strtol(text.c_str(), nullptr, 10); };
  if (is_number(row) && is_number(column)) return fmt::format("{}", number(row) * columns + number(column));
  return is_number(row) ? fmt::format("{} * {} + {}", row, constant, column)
                        : fmt::format("({}) * {} + {}", row, constant, column);
}

std::string plus(std::size_t first, const std::string& index) {
  if (first == 0) return index;
  if (is_number(index)) return fmt::format("{}", first + std::strtoul(index.c_str(), nullptr, 10));
  return fmt::format("{} + {}", first, index);
}

}  // namespace

std::string spread_text(const Pattern& pattern, std::string_view array, std::string_view from, std::size_t first,
                        std::string_view columns) {
  return fmt::format("for i = 0 to {} {{\n{}[i] = 0.0\n}}\n", pattern.rows * pattern.cols, array) +
         for_each_entry(pattern, [&](const std::string& entry, const std::string& row, const std::string& column) {
           return fmt::format("{}[{}] = {}[{}]\n", array, place(row, column, pattern.cols, columns), from,
                              plus(first, entry));
         });
}

std::string for_each_entry(const Pattern& pattern,
                           const std::function<std::string(const std::string& entry, const std::string& row,
                                                           const std::string& column)>& statement) {
  const std::size_t entries = pattern.row.size();
  // How often the stretch of `period` entries from k on repeats, each of its entries with a stride of its own.
  const auto rounds_of = [&](std::size_t k, std::size_t period) {
    std::size_t rounds = 1;
    const auto stride = [&](const std::vector<int>& list, std::size_t i) { return list[i + period] - list[i]; };
    for (std::size_t i = k; i + period < entries; ++i) {
      const std::size_t first = k + (i - k) % period;
      if (stride(pattern.row, i) != stride(pattern.row, first) || stride(pattern.col, i) != stride(pattern.col, first))
        return rounds + (i - k) / period;
      if (i + period + 1 == entries) rounds += (i - k + 1) / period;
    }
    return rounds;
  };
  std::string text;
  for (std::size_t k = 0; k < entries;) {
    std::size_t best = 0, most = 0, saved = kLeastSaved;
    for (std::size_t period = 1; period <= kLongestPeriod && k + 2 * period <= entries; ++period) {
      const std::size_t rounds = rounds_of(k, period);
      if (rounds < 2 || (rounds - 1) * period <= saved) continue;
      saved = (rounds - 1) * period;
      best = period;
      most = rounds;
    }
    if (best == 0) {
      text += statement(fmt::format("{}", k), fmt::format("{}", pattern.row[k]), fmt::format("{}", pattern.col[k]));
      ++k;
      continue;
    }
    text += fmt::format("for j = 0 to {} {{\n", most);
    for (std::size_t i = k; i < k + best; ++i)
      text += statement(moved(static_cast<long>(i), static_cast<long>(best)),
                        moved(pattern.row[i], pattern.row[i + best] - pattern.row[i]),
                        moved(pattern.col[i], pattern.col[i + best] - pattern.col[i]));
    text += "}\n";
    k += best * most;
  }
  return text;
}

Pattern level_rows(const Layout& layout) {
  std::vector<int> level(as_size(layout.m), -1);
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k) level[as_size(layout.holonomic[k])] = static_cast<int>(k);
  Pattern pattern{static_cast<int>(layout.holonomic.size()), layout.nv, {}, layout.W.col};
  for (const int row : layout.W.row) pattern.row.push_back(level[as_size(row)]);
  return pattern;
}

std::string spread_level_rows(const Layout& layout) {
  std::string text = "for i = 0 to nr * nv {\nW[i] = 0.0\n}\n";
  const Pattern rows = level_rows(layout);
  for (std::size_t k = 0; k < rows.row.size(); ++k)
    if (rows.row[k] >= 0) text += fmt::format("W[{}] = out[{}]\n", rows.row[k] * rows.cols + rows.col[k], k);
  return text;
}

}  // namespace dalembert
