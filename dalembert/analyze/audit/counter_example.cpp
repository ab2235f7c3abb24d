// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/counter_example.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/base/text.h"

namespace dalembert {
namespace {

// The leading digits that all numbers between the bounds share, ten at most; "0" where the bounds are within 5e-11 of 0.
std::string certain_digits(const Interval& value) {
  if (value.magnitude() < 5e-11) return "0";
  for (int digits = 10; digits > 0; --digits) {
    std::string text = to_text(value.middle(), digits);
    if (to_text(value.lower, digits) == text && to_text(value.upper, digits) == text) return text;
  }
  return {};
}

}  // namespace

CounterExample counter_example(Graph& graph, const Difference& found, Notation notation) {
  CounterExample example{
      {}, {}, found.a, found.b, found.difference, found.a_digits, found.b_digits, found.difference_digits};
  auto at = found.at;
  auto follows = found.follows;
  const auto in_order = [&](const auto& value) {
    const Symbol& symbol = graph.symbol_info(value.first);
    const auto rank = [](SymbolKind kind) {
      constexpr std::array kOrder{SymbolKind::kTime,          SymbolKind::kCoordinate,   SymbolKind::kVelocity,
                                  SymbolKind::kQuasiVelocity, SymbolKind::kAcceleration, SymbolKind::kQuasiAcceleration,
                                  SymbolKind::kMultiplier,    SymbolKind::kInput};
      return std::ranges::find(kOrder, kind) - kOrder.begin();
    };
    return std::pair(rank(symbol.kind), symbol.index);
  };
  std::ranges::stable_sort(at, {}, in_order);
  std::ranges::stable_sort(follows, {}, in_order);
  const auto name = [&](SymbolId symbol) { return print(graph.symbol(symbol), notation); };
  for (const auto& [symbol, value] : at) example.at.emplace_back(name(symbol), value);
  for (const auto& [symbol, value] : follows)
    if (std::string digits = certain_digits(value); !digits.empty())
      example.follows.push_back({name(symbol), value.middle(), std::move(digits)});
  return example;
}

}  // namespace dalembert
