// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/compare_mapped.h"
#include "dalembert/analyze/audit/translation.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

bool has_all_of(const Model& model, const Model& other) {
  return std::ranges::all_of(other.coordinates,
                             [&](const Coordinate& c) { return model.coordinate_index(c.name) >= 0; });
}

// Turns the equations of the model `says` into claims about the model `about`, built on an overlay of the graph of `about`.
class Comparison {
 public:
  Comparison(const Equations& about, const Equations& says, Notation notation)
      : about_(on_overlay(about)),
        says_(on_overlay(says)),
        notation_(notation),
        graph_(*about_.graph),
        canonicalizer_(graph_, Canonicalizer::kMaxTerms, state_relations(about_)),
        translation_(about_, says_) {
    for (std::size_t i = 0; i < says_.q.size(); ++i) {
      const auto here = static_cast<std::size_t>(about_.model->coordinate_index(says_.model->coordinates[i].name));
      translation_.set(says_.q[i], about_.q[here]);
      translation_.set(says_.qd[i], about_.qd[here]);
      translation_.set(says_.qdd[i], about_.qdd[here]);
    }
  }

  Result<ModelComparison> run() {
    for (const Coordinate& c : about_.model->coordinates)
      if (says_.model->coordinate_index(c.name) < 0) result_.without.push_back(c.name);
    result_.equations = result_.without.empty() && same_rows();
    std::optional<ClosedForm> solved;
    if (!result_.equations) {
      NoClosedForm why{};
      solved = build_closed_form(says_, kAskedCost, &why);
      if (!solved) return without_closed_form(why);
    }
    if (const Diagnostics problems = solved ? claim_motion(*solved) : claim_equations(); !problems.empty())
      return problems;
    auto claiming = std::make_shared<Model>(*about_.model);
    claiming->claims = std::move(claims_);
    Equations judged = about_;
    judged.model = std::move(claiming);
    Result<AuditReport> report = audit(judged, notation_);
    if (!report) return report.diagnostics();
    for (const AuditedClaim& claim : report->claims)
      if (claim.refusal) return Diagnostics{*claim.refusal};
    result_.as_numbers = translation_.as_numbers();
    result_.report = std::move(report).value();
    return std::move(result_);
  }

 private:
  bool same_rows() const {
    std::vector<std::string> a = about_.rows, b = says_.rows;
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b;
  }

  void claim(std::string entry, const Expr& value, bool equation = false) {
    Claim claim;
    claim.source = says_.model->name;
    claim.entry = MappedText::of(std::move(entry));
    claim.value = value;
    claim.equation = equation;
    claim.text = equation ? print_equation(canonicalizer_, value, notation_) + " = 0"
                          : print_shortest(canonicalizer_, value, notation_);
    claim.given = given_;
    claims_.push_back(std::move(claim));
  }

  Diagnostics missing() const {
    return cannot_compare(
        fmt::format("`{}` of {} is not in {}", translation_.missing(), says_.model->name, about_.model->name),
        "the same thing must have the same name in both");
  }

  Diagnostics claim_equations() {
    const auto claim_moved = [&](std::string entry, const Expr& there, bool equation = false) {
      const Expr value = translation_.moved(there);
      if (value) claim(std::move(entry), value, equation);
      return static_cast<bool>(value);
    };
    const auto row_of = [&](const std::string& name) {
      return static_cast<int>(std::ranges::find(says_.rows, name) - says_.rows.begin());
    };
    for (const Coordinate& c : about_.model->coordinates) {
      const Expr there = equation_of_motion(says_, says_.model->coordinate_index(c.name));
      if (!claim_moved(fmt::format("eom[{}]", c.name), there, true)) return missing();
    }
    const Expr nothing = says_.graph->constant(0);
    for (const std::string& row : about_.rows) {
      const int j = row_of(row);
      for (const Coordinate& c : about_.model->coordinates) {
        const Expr there = says_.W.find(j, says_.model->coordinate_index(c.name));
        const bool here =
            static_cast<bool>(about_.W.find(static_cast<int>(std::ranges::find(about_.rows, row) - about_.rows.begin()),
                                            about_.model->coordinate_index(c.name)));
        if (!there && !here) continue;
        if (!claim_moved(fmt::format("W[{},{}]", row, c.name), there ? there : nothing)) return missing();
      }
      if (!claim_moved(fmt::format("a[{}]", row), says_.a[static_cast<std::size_t>(j)])) return missing();
    }
    return {};
  }

  // Where there is no formula to claim, the equations of both are compared along the velocities that the constraints leave free.
  Result<ModelComparison> without_closed_form(NoClosedForm why) const {
    Result<ModelComparison> compared = compare_mapped(about_, says_, {}, notation_);
    if (compared) {
      compared->without = result_.without;
      return compared;
    }
    Diagnostic problem =
        error("E0231", fmt::format("the motion of {} has no closed form: {}", says_.model->name, to_text(why)));
    problem.notes.push_back(
        fmt::format("nor can their equations be compared: {}", compared.diagnostics().front().message));
    return problem;
  }

  Diagnostics claim_motion(const ClosedForm& solved) {
    give_rows_of_about();
    if (!give_rows_of_says()) return missing();
    for (std::size_t i = 0; i < says_.q.size(); ++i) {
      const Expr value = translation_.moved(solved.qdd[i]);
      if (!value) return missing();
      claim(fmt::format("qdd[{}]", says_.model->coordinates[i].name), value);
    }
    for (std::size_t j = 0; j < says_.rows.size(); ++j) {
      if (std::ranges::find(about_.rows, says_.rows[j]) == about_.rows.end()) continue;
      const Expr value = translation_.moved(solved.lambda[j]);
      if (!value) return missing();
      claim(fmt::format("lambda[{}]", says_.rows[j]), value);
    }
    return {};
  }

  // The claims hold on states that satisfy the constraints on positions and velocities, which are given as conditions.
  // Rows of `about` are first solved for the velocities that only `about` has, so that the velocities of both stay free.
  void give_rows_of_about() {
    std::vector<Expr> rates;
    for (std::size_t j = 0; j < about_.rows.size(); ++j) {
      const int row = static_cast<int>(j);
      if (std::ranges::find(about_.holonomic, row) != about_.holonomic.end()) give(about_, row, about_.h[j]);
      rates.push_back(velocity_of_row(about_, row));
    }
    std::vector<bool> solved(rates.size());
    std::vector<std::pair<Expr, Expr>> solutions;
    for (const std::string& name : result_.without) {
      const Expr unknown = about_.qd[static_cast<std::size_t>(about_.model->coordinate_index(name))];
      for (std::size_t j = 0; j < rates.size(); ++j) {
        const Expr coefficient = solved[j] ? Expr() : simplified(gradient(rates[j], std::array{unknown}).front());
        if (!coefficient || coefficient.is_zero()) continue;
        solved[j] = true;
        const std::unordered_map<SymbolId, Expr> none{{unknown.symbol(), graph_.constant(0)}};
        const Expr value = simplified(-substitute(rates[j], none) / coefficient);
        const std::unordered_map<SymbolId, Expr> put_in{{unknown.symbol(), value}};
        for (auto& solution : solutions) solution.second = simplified(substitute(solution.second, put_in));
        for (std::size_t k = 0; k < rates.size(); ++k)
          if (!solved[k]) rates[k] = simplified(substitute(rates[k], put_in));
        solutions.emplace_back(unknown, value);
        break;
      }
    }
    for (const auto& [unknown, value] : solutions) give(unknown, value, {});
    for (std::size_t j = 0; j < rates.size(); ++j)
      if (!solved[j] && !rates[j].is_zero()) give(about_, static_cast<int>(j), rates[j]);
  }
  bool give_rows_of_says() {
    for (std::size_t j = 0; j < says_.rows.size(); ++j) {
      if (std::ranges::find(about_.rows, says_.rows[j]) != about_.rows.end()) continue;
      const int row = static_cast<int>(j);
      const Expr h = translation_.moved(says_.h[j]), rate = translation_.moved(velocity_of_row(says_, row));
      if (!h || !rate) return false;
      if (std::ranges::find(says_.holonomic, row) != says_.holonomic.end()) give(says_, row, h);
      give(says_, row, rate);
    }
    return true;
  }
  void give(const Equations& eq, int row, const Expr& zero) {
    give(zero, graph_.constant(0), eq.model->rows()[static_cast<std::size_t>(row)]->span);
  }
  void give(const Expr& left, const Expr& right, const Span& span) {
    const auto text = [&](const Expr& side) { return print_shortest(canonicalizer_, side, notation_); };
    given_.push_back({left, right, text(left) + " = " + text(right), {}, span});
  }
  // `e` without terms that cancel; `e` itself where its canonical form is too large.
  Expr simplified(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? canonicalizer_.expression(*form) : e;
  }

  const Equations about_, says_;
  Notation notation_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  Translation translation_;
  std::vector<ClaimCondition> given_;
  std::vector<Claim> claims_;
  ModelComparison result_;
};

bool is_decided(const ModelComparison& comparison) {
  return comparison.report.count(ClaimVerdict::kUndecided) == 0 ||
         comparison.report.count(ClaimVerdict::kDisproved) > 0;
}

// The equations along the free velocities, where these decide what accelerations and multipliers leave open: where rows follow from others on the constraints alone, these have no closed form there.
Result<ModelComparison> or_along(Result<ModelComparison> open, const Equations& about, const Equations& says,
                                 Notation notation) {
  if (open->equations) return open;
  Result<ModelComparison> along = compare_mapped(about, says, {}, notation);
  if (!along || !is_decided(*along)) return open;
  along->without = open->without;
  return along;
}

}  // namespace

Result<ModelComparison> compare_models(const Equations& equations, const Equations& other, Notation notation,
                                       const std::vector<StudyStatement::Named>& map) {
  if (!map.empty()) return compare_mapped(equations, other, map, notation);
  // Attitudes, contacts and frictions are compared as with a map: along angular velocities, row by row, law by law.
  const auto is_along = [](const Equations& eq) {
    return !eq.v_is_qdot() || !eq.unilateral.empty() || !eq.frictions.empty();
  };
  const bool along = is_along(equations) || is_along(other);
  const auto by_names = [&](const Equations& about, const Equations& says) {
    if (along) return compare_mapped(about, says, {}, notation);
    Result<ModelComparison> result = Comparison(about, says, notation).run();
    return result && !is_decided(*result) ? or_along(std::move(result), about, says, notation) : std::move(result);
  };
  if (has_all_of(*equations.model, *other.model)) return by_names(equations, other);
  if (!has_all_of(*other.model, *equations.model))
    return cannot_compare(
        "each has a coordinate that the other has not",
        "state those of the other by a map, `x = x_c - b*cos(theta)`, or give the same thing the same name");
  Result<ModelComparison> result = by_names(other, equations);
  if (!result) return result;
  result->swapped = true;
  return result;
}

}  // namespace dalembert
