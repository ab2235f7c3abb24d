// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/same_equation.h"

#include <algorithm>
#include <array>

#include "dalembert/analyze/audit/identities.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kMostSamples = 48;

// e = slope·s + rest, where neither slope nor rest contains s.
struct Linear {
  Expr slope, rest;
};

class Comparer {
 public:
  Comparer(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& a, const Expr& b,
           std::span<const Expr> original)
      : canonicalizer_(canonicalizer),
        graph_(canonicalizer.graph()),
        conditions_(conditions),
        a_(a),
        b_(b),
        original_(original.begin(), original.end()) {}

  EquationVerdict run() {
    EquationVerdict verdict;
    if (only_parameters(a_)) return without_variables();
    if (const auto k = constant_factor(canonicalizer_, a_, b_)) {
      verdict.kind = EquationVerdict::Kind::kSame;
      verdict.factor = *k;
      return verdict;
    }
    for (const SymbolId s : by_preference()) {
      const auto left = linear(a_, s);
      if (!left) continue;
      const Expr where_a_holds = -left->rest / left->slope;
      const Expr b_there = substitute(b_, {{s, where_a_holds}});
      if (!proves_equal(canonicalizer_, b_there, graph_.constant(0))) {
        if (auto found = point_on(s, where_a_holds, left->slope)) {
          verdict.kind = EquationVerdict::Kind::kDifferent;
          verdict.where = std::move(found);
        } else {
          verdict.reason = "no motion was found that tells the two equations apart";
        }
        return verdict;
      }
      return multiple(s, *left);
    }
    verdict.reason = "the equation cannot be solved for any of its symbols";
    return verdict;
  }

 private:
  bool only_parameters(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    const Expr clean = form ? canonicalizer_.expression(*form) : e;
    return std::ranges::all_of(symbols_in(std::array{clean}),
                               [&](SymbolId s) { return graph_.symbol_info(s).kind == SymbolKind::kParameter; });
  }

  // The verdict where the equation contains parameters alone, so that it holds always or never.
  EquationVerdict without_variables() {
    EquationVerdict verdict;
    verdict.reason = "the conditions leave no equation of motion to compare with";
    if (!proves_equal(canonicalizer_, a_, graph_.constant(0))) return verdict;
    GivenPoints points(graph_, conditions_, original_);
    const Evidence evidence = look_at_points(points, original_[0], original_[1], Search::kDifference);
    if (!evidence.difference) return verdict;
    verdict.kind = EquationVerdict::Kind::kDifferent;
    verdict.where = evidence.difference;
    return verdict;
  }

  // The symbols of the equation a = 0 in the order in which they are solved for: accelerations, multipliers, inputs,
  // velocities, coordinates, parameters.
  std::vector<SymbolId> by_preference() {
    std::vector<SymbolId> symbols = symbols_in(std::array{a_});
    std::ranges::stable_sort(symbols, {}, [&](SymbolId s) {
      static constexpr std::array kOrder{
          SymbolKind::kAcceleration, SymbolKind::kQuasiAcceleration, SymbolKind::kMultiplier, SymbolKind::kInput,
          SymbolKind::kVelocity,     SymbolKind::kQuasiVelocity,     SymbolKind::kCoordinate, SymbolKind::kParameter};
      return std::ranges::find(kOrder, graph_.symbol_info(s).kind) - kOrder.begin();
    });
    return symbols;
  }

  std::optional<Linear> linear(const Expr& e, SymbolId s) {
    const std::unordered_map<SymbolId, Expr> none{{s, graph_.constant(0)}};
    const Expr symbol = graph_.symbol(s);
    const Linear parts{substitute(gradient(e, std::array{symbol})[0], none), substitute(e, none)};
    if (decide_zero(canonicalizer_, parts.slope) != ZeroTest::kNonzero ||
        !proves_equal(canonicalizer_, e, parts.slope * symbol + parts.rest))
      return std::nullopt;
    return parts;
  }

  // A point at which the equation a = 0 holds, because s has the value `chosen`, and b = 0 certainly does not.
  std::optional<Difference> point_on(SymbolId s, const Expr& chosen, const Expr& slope) {
    const std::array formulas{original_[0], original_[1], chosen, slope};
    if (is_of_attitude(s)) return std::nullopt;
    GivenPoints points(graph_, conditions_, formulas);
    points.require_nonzero(slope);
    std::optional<Difference> best;
    for (int attempt = 0; attempt < kMostSamples && !best; ++attempt) {
      EnclosedPoint point = points.next();
      const auto defined = with(point, s, chosen);
      point.value.erase(s);
      point.defined = &defined;
      const Effort effort = attempt < kMostSamples / 2 ? Effort::kDoubles : Effort::kModerate;
      const Separation there = separate(original_[1], graph_.constant(0), point, points.nonzero(), effort);
      // The correct equation must have a value there too.
      if (there.outcome != Separation::Outcome::kDiffer || !points.has_required(point) ||
          !points.on_spheres(point.value) ||
          !separate(original_[0], graph_.constant(0), point, points.nonzero(), effort).has_values())
        continue;
      best = difference_at(point, there, original_);
      best->a = 0;
      best->b = there.a;
      best->difference = -there.a;
      best->a_digits = "0";
      best->b_digits = there.a_digits;
      best->difference_digits = "";
    }
    return best;
  }

  // Whether s is a component of an attitude quaternion: changing it alone would violate the norm 1.
  bool is_of_attitude(SymbolId s) const {
    return std::ranges::any_of(canonicalizer_.relations().units, [&](const std::array<SymbolId, 4>& unit) {
      return std::ranges::find(unit, s) != unit.end();
    });
  }

  static std::unordered_map<SymbolId, Expr> with(const EnclosedPoint& point, SymbolId s, const Expr& value) {
    auto defined = point.defined ? *point.defined : std::unordered_map<SymbolId, Expr>();
    // Formulas by which the conditions define other symbols may contain s, which has this value now.
    for (auto& [symbol, old] : defined) old = substitute(old, {{s, value}});
    defined.insert_or_assign(s, value);
    return defined;
  }

  // The verdict where every motion satisfies b = 0: b is a multiple of a, with a factor that may be 0 where a is not.
  EquationVerdict multiple(SymbolId s, const Linear& left) {
    EquationVerdict verdict;
    verdict.reason = "every motion satisfies it, but it may be weaker than the equation";
    if (proves_equal(canonicalizer_, b_, graph_.constant(0))) {
      verdict.factor = graph_.constant(0);
    } else if (const auto right = linear(b_, s)) {
      if (!proves_equal(canonicalizer_, b_ * left.slope, a_ * right->slope)) return verdict;
      verdict.factor = right->slope / left.slope;
      if (never_zero(verdict.factor, conditions_.signs()) || only_parameters(verdict.factor)) {
        verdict.kind = EquationVerdict::Kind::kSame;
        return verdict;
      }
    } else {
      return verdict;
    }
    // Points with some variables at 0 are tried, because the factor may be 0 there.
    GivenPoints points(graph_, conditions_, original_);
    for (int attempt = 0; attempt < kMostSamples; ++attempt) {
      EnclosedPoint point = points.next();
      int place = 0;
      for (const SymbolId symbol : symbols_in(std::array{a_, b_}))
        if (auto value = point.value.find(symbol);
            value != point.value.end() && graph_.symbol_info(symbol).kind != SymbolKind::kParameter)
          if (!is_of_attitude(symbol) && ((attempt >> (place++ % 5)) & 1)) value->second = 0;
      const Separation there = separate(original_[0], original_[1], point, points.nonzero(), Effort::kDoubles);
      if (there.outcome != Separation::Outcome::kDiffer || sign_at(original_[1], point) != Sign::kZero) continue;
      if (!points.has_required(point) || !points.on_spheres(point.value)) continue;
      verdict.kind = EquationVerdict::Kind::kDifferent;
      verdict.where = difference_at(point, there, original_);
      return verdict;
    }
    verdict.reason = "it is the equation times a factor that may be 0";
    return verdict;
  }

  Canonicalizer& canonicalizer_;
  Graph& graph_;
  const Conditions& conditions_;
  Expr a_, b_;
  std::vector<Expr> original_;
};

}  // namespace

EquationVerdict same_equation(Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& a, const Expr& b,
                              std::span<const Expr> original) {
  EquationVerdict verdict = Comparer(canonicalizer, conditions, a, b, original).run();
  if (verdict.kind != EquationVerdict::Kind::kOpen) return verdict;
  Identities identities(canonicalizer, conditions.signs());
  const Expr left = identities.normalized(a), right = identities.normalized(b);
  if (left.same(a) && right.same(b)) return verdict;
  EquationVerdict by_identities = Comparer(canonicalizer, conditions, left, right, original).run();
  if (by_identities.kind != EquationVerdict::Kind::kSame) return verdict;
  by_identities.nonzero = identities.nonzero();
  by_identities.signs_used = identities.signs_used();
  return by_identities;
}

}  // namespace dalembert
