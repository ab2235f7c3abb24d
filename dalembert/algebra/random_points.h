// SPDX-License-Identifier: Apache-2.0
// Random points at which formulas are compared.
#pragma once

#include <array>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

using SamplePoint = std::unordered_map<SymbolId, Rational>;

/// Points of short rational numbers, never 0, so that they are easy to type and to store. The sequence is the same on every machine.
class RandomPoints {
 public:
  enum class Spread {
    kNear,      ///< multiples of 1/4: parameters from 1/2 to 4, other symbols from −2 to 2
    kPositive,  ///< multiples of 1/4: all symbols from 1/2 to 4
    kSmall,     ///< multiples of 1/8: all symbols between −1 and 1
    kWide,      ///< multiples of 1/4 up to 16, and integers up to 2000
  };
  /// `signs`: ±1 for symbols of known sign; other parameters are positive. `units`: quadruples of symbols whose squares add up to 1.
  RandomPoints(const Graph& graph, std::vector<SymbolId> symbols, std::unordered_map<SymbolId, int> signs = {},
               std::vector<std::array<SymbolId, 4>> units = {})
      : graph_(graph), symbols_(std::move(symbols)), signs_(std::move(signs)), units_(std::move(units)) {}

  SamplePoint next(Spread spread = Spread::kNear) {
    SamplePoint point;
    for (const SymbolId s : symbols_) {
      const bool parameter = graph_.symbol_info(s).kind == SymbolKind::kParameter;
      const auto known = signs_.find(s);
      Rational x = value(parameter || spread == Spread::kPositive, spread);
      if (known != signs_.end() && x.sign() != known->second) x = -x;
      point.emplace(s, std::move(x));
    }
    for (const std::array<SymbolId, 4>& unit : units_) place(unit, point);
    return point;
  }
  /// Replaces the quadruples of `units` in the point by other ones, some of which contain zeros.
  void replace_units(SamplePoint& point) {
    for (const std::array<SymbolId, 4>& unit : units_) place(unit, point, true);
  }
  const std::vector<std::array<SymbolId, 4>>& units() const { return units_; }
  const std::vector<SymbolId>& symbols() const { return symbols_; }

 private:
  // Four tenths whose squares add up to 1, in random order and with random signs.
  void place(const std::array<SymbolId, 4>& unit, SamplePoint& point, bool with_zeros = false) {
    static constexpr std::int64_t kTenths[][4] = {{1, 1, 7, 7}, {1, 3, 3, 9}, {1, 5, 5, 7}, {2, 4, 4, 8},
                                                  {5, 5, 5, 5}, {0, 0, 6, 8}, {0, 0, 0, 10}};
    const auto& tenths = kTenths[random_() % (with_zeros ? 7 : 5)];
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    for (std::size_t k = 3; k > 0; --k) std::swap(order[k], order[random_() % (k + 1)]);
    for (std::size_t k = 0; k < 4; ++k) {
      const std::int64_t sign = random_() % 2 == 0 ? 1 : -1;
      if (const auto at = point.find(unit[k]); at != point.end()) at->second = Rational(sign * tenths[order[k]], 10);
    }
  }

  // The remainder makes the distribution slightly uneven, but it is the same on every machine; distributions of the standard library are not.
  Rational value(bool positive, Spread spread) {
    const auto pick = [&](std::int64_t count) { return static_cast<std::int64_t>(random_() % count); };
    if (spread == Spread::kNear || spread == Spread::kPositive) {
      const std::int64_t quarters = pick(positive ? 15 : 16);
      return {positive ? quarters + 2 : quarters < 8 ? quarters - 8 : quarters - 7, 4};
    }
    const std::int64_t side = positive || pick(2) == 0 ? 1 : -1;
    if (spread == Spread::kSmall) return {side * (pick(7) + 1), 8};
    return pick(2) == 0 ? Rational(side * (pick(64) + 1), 4) : Rational(side * (pick(2000) + 1));
  }

  const Graph& graph_;
  std::vector<SymbolId> symbols_;
  std::unordered_map<SymbolId, int> signs_;
  std::vector<std::array<SymbolId, 4>> units_;
  std::mt19937_64 random_{20240229};
};

}  // namespace dalembert
