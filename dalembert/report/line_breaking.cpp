// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/line_breaking.h"

#include <algorithm>
#include <limits>

namespace dalembert {
namespace {

using Kind = FormulaToken::Kind;
using Group = FormulaToken::Group;

constexpr int kMaxIndent = 3;
constexpr double kLinePenalty = 100, kRelationPenalty = -60, kDepthPenalty = 160, kFactorPenalty = 2000,
                 kRaggedness = 40;
constexpr double kOverfull = 1e6;

struct Opportunity {
  std::size_t at;     // index of the first token of the next line
  std::size_t after;  // end of the previous line; before `at` if a blank is dropped
  int indent = 0;
  double penalty = 0;
};

std::vector<Opportunity> opportunities(const Formula& formula) {
  std::vector<Opportunity> list{{0, 0, 0, 0}};
  int depth = 0, closed = 0;
  bool torn = false;  // a relation has been passed
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const FormulaToken& token = formula[i];
    const int step = token.kind == Kind::kOpen ? 1 : token.kind == Kind::kClose ? -1 : 0;
    (token.group == Group::kParentheses ? depth : closed) += step;
    if (closed > 0 || i == 0) continue;
    const int indent = std::min(kMaxIndent, 1 + depth);
    if (token.kind == Kind::kRelation && depth == 0 && !torn) {
      list.push_back({i, i, 1, kRelationPenalty});
      torn = true;
    } else if (token.kind == Kind::kPlus) {
      list.push_back({i, i, indent, kDepthPenalty * depth});
    } else if (token.kind == Kind::kTimes && i + 1 < formula.size()) {
      // In plain text the operator stays with the factor after it.
      const bool blank = token.text.ends_with(' ');
      list.push_back({blank ? i + 1 : i, i, indent, kFactorPenalty + kDepthPenalty * depth});
    }
  }
  list.push_back({formula.size(), formula.size(), 0, 0});
  return list;
}

FormulaPart between(const Formula& formula, const Opportunity& from, const Opportunity& to) {
  return FormulaPart(formula).subspan(from.at, to.after > from.at ? to.after - from.at : 0);
}

// Gives each pair of parentheses that contains a break a fixed size.
void tear(Formula& formula, const std::vector<std::size_t>& breaks) {
  for (std::size_t i = 0; i < formula.size(); ++i) {
    FormulaToken& open = formula[i];
    if (open.kind != Kind::kOpen || open.group != Group::kParentheses || open.partner < 0) continue;
    const auto end = static_cast<std::size_t>(open.partner);
    if (!std::ranges::any_of(breaks, [&](std::size_t at) { return at > i && at <= end; })) continue;
    if (open.text != "\\left(") continue;
    bool tall = false;
    for (std::size_t k = i; k < end; ++k) tall = tall || formula[k].text == "\\frac";
    open.text = tall ? "\\Bigl(" : "\\bigl(";
    formula[end].text = tall ? "\\Bigr)" : "\\bigr)";
  }
}

}  // namespace

namespace {

std::vector<FormulaLine> break_once(Formula formula, const LineMeasure& measure) {
  const std::vector<Opportunity> stops = opportunities(formula);

  // A stop is a place where a line may end.
  // sizes[k]: width from stop k to stop k + 1, with brackets in their larger size.
  // dropped[k]: width of the blank that is dropped if a line ends at stop k.
  std::vector<double> sizes, dropped;
  for (std::size_t k = 0; k + 1 < stops.size(); ++k) {
    sizes.push_back(measure.size_of(between(formula, stops[k], stops[k + 1])));
    const std::size_t blank = stops[k].at - stops[k].after;
    dropped.push_back(blank == 0 ? 0 : measure.size_of(FormulaPart(formula).subspan(stops[k].after, blank)));
  }

  struct Best {
    double penalty = std::numeric_limits<double>::infinity();
    std::size_t from = 0;
  };
  std::vector<Best> best(stops.size());
  best[0].penalty = 0;
  for (std::size_t from = 0; from + 1 < stops.size(); ++from) {
    double used = measure.step * stops[from].indent;
    for (std::size_t to = from + 1; to < stops.size(); ++to) {
      used += sizes[to - 1] + (to - 1 > from ? dropped[to - 1] : 0);
      const bool last = to + 1 == stops.size();
      const double over = used - measure.width;
      if (over > 0 && to > from + 1) break;
      const double empty = last ? 0 : 1 - used / measure.width;
      double penalty = best[from].penalty + kLinePenalty + (last ? 0 : stops[to].penalty) + kRaggedness * empty * empty;
      if (over > 0) penalty += kOverfull * over;
      if (penalty < best[to].penalty) best[to] = {penalty, from};
    }
  }

  std::vector<std::size_t> chosen;
  for (std::size_t k = stops.size() - 1; k != 0; k = best[k].from) chosen.push_back(k);
  chosen.push_back(0);
  std::ranges::reverse(chosen);
  std::vector<std::size_t> breaks;
  for (std::size_t k = 1; k + 1 < chosen.size(); ++k) breaks.push_back(stops[chosen[k]].at);
  tear(formula, breaks);
  std::vector<FormulaLine> lines;
  for (std::size_t k = 0; k + 1 < chosen.size(); ++k) {
    const FormulaPart part = between(formula, stops[chosen[k]], stops[chosen[k + 1]]);
    lines.push_back({Formula(part.begin(), part.end()), stops[chosen[k]].indent});
  }
  return lines;
}

}  // namespace

std::vector<FormulaLine> break_lines(Formula formula, const LineMeasure& measure) {
  if (measure.size_of(formula) <= measure.width) return {{std::move(formula), 0}};
  // Brackets that a break separates may become larger than measured. If a line is too wide then, try again with less
  // room.
  LineMeasure tighter = measure;
  std::vector<FormulaLine> best;
  double least = std::numeric_limits<double>::infinity();
  for (int tries = 0; tries < 4 && tighter.width > 0; ++tries) {
    std::vector<FormulaLine> lines = break_once(formula, tighter);
    double over = 0;
    for (const FormulaLine& line : lines)
      over = std::max(over, measure.size_of(line.tokens) + measure.step * line.indent - measure.width);
    if (over < least) {
      best = std::move(lines);
      least = over;
    }
    if (over <= 0) break;
    tighter.width -= std::max(over, 0.02 * measure.width);
  }
  return best;
}

FormulaPart unbreakable_part(const Formula& formula, const LineMeasure& measure) {
  const std::vector<Opportunity> stops = opportunities(formula);
  FormulaPart widest;
  double width = 0;
  for (std::size_t k = 0; k + 1 < stops.size(); ++k) {
    const FormulaPart part = between(formula, stops[k], stops[k + 1]);
    const double size = measure.size_of(part) + measure.step * stops[k].indent;
    if (size <= measure.width || size <= width) continue;
    widest = part;
    width = size;
  }
  return widest;
}

}  // namespace dalembert
