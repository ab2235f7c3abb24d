// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/analyze/compare.h"
#include "dalembert/analyze/conditions.h"
#include "dalembert/analyze/motion_at.h"
#include "dalembert/analyze/slips.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/closed_form.h"
#include "dalembert/derive/entry.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxHintTerms = 400;
constexpr int kMaxHintRows = 6;

using Replacements = std::unordered_map<SymbolId, Expr>;

// One claim while it is judged: both sides with the conditions put in.
struct Case {
  const Claim* claim = nullptr;
  EntryName entry;
  Expr correct, claimed;
};

class Auditor {
 public:
  Auditor(const Equations& equations, Notation notation)
      : eq_(equations), notation_(notation), graph_(*equations.model->graph), canonicalizer_(graph_) {}

  Result<AuditReport> run() {
    for (const Claim& claim : eq_.model->claims) read(claim);
    if (!problems_.empty()) return problems_;
    AuditReport report;
    for (auto& [it, conditions] : cases_) report.claims.push_back(judge(std::move(it), conditions));
    return report;
  }

 private:
  void read(const Claim& claim) {
    const auto entry = read_entry(eq_, claim.entry);
    if (!entry) return report(entry.diagnostics());
    if (claim.equation && entry->part != "eom") return report(equation_for_value(claim, *entry));
    Conditions conditions(canonicalizer_);
    // First those that say what a symbol is: they leave the others less to choose.
    for (const bool alone : {true, false})
      for (const ClaimCondition& condition : claim.given)
        if ((is_symbol(condition.left) || is_symbol(condition.right)) == alone)
          if (const auto problem = add(conditions, condition)) return report({*problem});
    cases_.emplace_back(Case{&claim, *entry, {}, {}}, std::move(conditions));
  }

  static bool is_symbol(const Expr& e) { return e.op() == Op::kSymbol; }

  void report(const Diagnostics& problems) { problems_.insert(problems_.end(), problems.begin(), problems.end()); }

  Diagnostics equation_for_value(const Claim& claim, const EntryName& entry) const {
    Diagnostic d =
        error("E0240", fmt::format("an equation stands where the value of `{}` should", entry.text), claim.span);
    d.help.push_back("write what the entry equals, without `=`; `eom[…]` takes a whole equation");
    return {std::move(d)};
  }

  std::optional<Diagnostic> add(Conditions& conditions, const ClaimCondition& condition) const {
    switch (conditions.add(condition.left, condition.right)) {
      case Conditions::Outcome::kContradiction:
        return error("E0242", "this condition can never hold beside the others", condition.span);
      case Conditions::Outcome::kUnsolvable: {
        Diagnostic d = error("E0241", "this condition cannot be solved for any symbol", condition.span);
        d.help.push_back("write it with one symbol alone on its left: `r = L`, `y' = x'*tan(theta)`");
        return d;
      }
      default:
        return std::nullopt;
    }
  }

  // --- the verdict

  AuditedClaim judge(Case it, Conditions& conditions) {
    const Claim& claim = *it.claim;
    AuditedClaim result;
    result.source = claim.source;
    result.entry = it.entry.text;
    result.claimed = claim.text;
    result.span = claim.span;
    for (const ClaimCondition& condition : claim.given) result.given.push_back(condition.text);

    if (it.entry.solved()) {
      judge_motion(it, conditions, result);
      return result;
    }
    it.correct = conditions.apply(entry_value(eq_, it.entry));
    it.claimed = conditions.apply(claim.value);
    decide(it, result, conditions);
    return result;
  }

  // λ and q̈, which may be claimed in terms of each other.
  void judge_motion(Case& it, const Conditions& conditions, AuditedClaim& result) {
    it.claimed = conditions.apply(it.claim->value);
    if (const std::string row = equation_that_says_it(it, it.claimed, conditions); !row.empty()) {
      result.verdict = ClaimVerdict::kProved;
      result.exact = true;
      result.correct = print_shortest(canonicalizer_, it.claimed, notation_);
      result.note = joined({row, assumptions(conditions)});
      return;
    }
    const auto at = static_cast<std::size_t>(it.entry.row);
    // With free multipliers first: a formula for q̈ in terms of λ is usually meant so.
    if (it.entry.part == "qdd" && contains(it.claim->value, SymbolKind::kMultiplier))
      if (const ClosedForm* free = free_motion()) {
        it.correct = conditions.apply(free->qdd[at]);
        if (decide(it, result, conditions)) return;
      }
    const ClosedForm* solved = closed_form();
    if (!solved) return judge_in_numbers(it, conditions, result);
    Case closed = it;
    closed.correct = conditions.apply((it.entry.part == "qdd" ? solved->qdd : solved->lambda)[at]);
    closed.claimed = conditions.apply(substitute(it.claim->value, solution(*solved)));
    const bool shown = static_cast<bool>(it.correct);
    AuditedClaim other = result;
    other.note.clear();
    other.point.reset();
    const bool proved = decide(closed, other, conditions);
    if (proved && shown) other.note = joined({"once lambda is put in", other.note});
    if (proved || !shown) result = std::move(other);
  }

  Expr unknown_of(const EntryName& entry) const {
    return (entry.part == "qdd" ? eq_.qdd : eq_.lambda)[static_cast<std::size_t>(entry.row)];
  }

  // The equation of motion, or the constraint differentiated twice, that reads c·(unknown − claimed) = 0 with the
  // unknown's own coefficient c.
  std::string equation_that_says_it(const Case& it, const Expr& claimed, const Conditions& conditions) {
    const bool acceleration = it.entry.part == "qdd";
    const Expr difference = conditions.apply(unknown_of(it.entry)) - claimed;
    const auto says_it = [&](const Expr& coefficient, const Expr& row) {
      return compare(canonicalizer_, conditions.apply(coefficient) * difference, conditions.apply(row)).difference ==
             ZeroTest::kZero;
    };
    for (int i = 0; i < eq_.n(); ++i) {
      const Expr coefficient = acceleration ? eq_.M.find(i, it.entry.row) : eq_.W.find(it.entry.row, i);
      if (coefficient && says_it(acceleration ? coefficient : -coefficient, equation_of_motion(eq_, i)))
        return fmt::format("it is the equation eom[{}]", eq_.model->coordinates[static_cast<std::size_t>(i)].name);
    }
    for (int j = 0; acceleration && j < eq_.m(); ++j) {
      const Expr coefficient = eq_.W.find(j, it.entry.row);
      if (!coefficient) continue;
      std::vector<Expr> row{eq_.gamma[static_cast<std::size_t>(j)]};
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (eq_.W.row[k] == j) row.push_back(eq_.W.value[k] * eq_.qdd[static_cast<std::size_t>(eq_.W.col[k])]);
      if (says_it(coefficient, graph_.sum(row)))
        return fmt::format("it is the constraint {} on accelerations", eq_.rows[static_cast<std::size_t>(j)]);
    }
    return {};
  }

  // Without a formula numbers can still say no.
  void judge_in_numbers(const Case& it, const Conditions& conditions, AuditedClaim& result) {
    if (it.correct) return;  // disproved with free multipliers: that stands
    const MotionComparison motion = compare_motion(eq_, conditions, unknown_of(it.entry), it.claim->value);
    result.exact = false;
    if (motion.difference) {
      result.verdict = ClaimVerdict::kDisproved;
      result.point = point(*motion.difference);
      result.note = "the closed form is too long to write: compared in numbers";
      if (!equation_that_says_it(it, -it.claimed, conditions).empty())
        result.note = joined({"the sign is wrong", result.note});
    } else {
      result.verdict = ClaimVerdict::kUndecided;
      result.note =
          motion.points == 0
              ? "no closed form is at hand, and no state was found with a unique motion"
              : fmt::format("equal at {} random points, but no closed form is at hand to decide it", motion.points);
    }
    result.note = joined({result.note, assumptions(conditions)});
  }

  // Fills the result; true when proved.
  bool decide(const Case& it, AuditedClaim& result, const Conditions& conditions) {
    const bool equation = it.entry.part == "eom";
    const Comparison comparison = compare(canonicalizer_, it.correct, it.claimed);
    result.exact = comparison.exact;
    result.correct = equation ? print_equation(canonicalizer_, it.correct, notation_) + " = 0"
                              : print_shortest(canonicalizer_, it.correct, notation_);
    if (comparison.difference == ZeroTest::kZero) {
      result.verdict = ClaimVerdict::kProved;
      result.exact = true;
      result.note = assumptions(conditions);
      return true;
    }
    if (const std::string equivalent = equivalence(it); !equivalent.empty()) {
      result.verdict = ClaimVerdict::kProved;
      result.exact = true;
      result.note = joined({equivalent, assumptions(conditions)});
      return true;
    }
    // An equation that was divided through is compared with ours divided as much.
    const auto scale = equation ? leading_factor(it.correct, it.claimed) : std::nullopt;
    const Expr correct = scale ? *scale * it.correct : it.correct;
    const auto found = where_they_differ(cleaned(correct), cleaned(it.claimed));
    // decide_zero looks at positive values only.
    if (comparison.difference == ZeroTest::kUndecided && !(found && found->clear)) {
      result.verdict = ClaimVerdict::kUndecided;
      result.note = joined({why_undecided(comparison), assumptions(conditions)});
      return false;
    }
    result.verdict = ClaimVerdict::kDisproved;
    result.difference = print_shortest(canonicalizer_, correct - it.claimed, notation_);
    if (found) result.point = point(*found);
    std::vector<std::string> notes;
    if (scale) {
      const std::string factor = print_shortest(canonicalizer_, *scale, notation_);
      if (factor != "1") notes.push_back(fmt::format("compared with the equation times {}", factor));
    }
    const std::string slip = slip_of(it, correct, conditions);
    if (!slip.empty()) notes.push_back(slip);
    notes.push_back(units(it));
    notes.push_back(assumptions(conditions));
    result.note = joined(notes);
    return false;
  }

  // What makes no difference to the motion: a constant factor of an equation, a constant in an energy.
  std::string equivalence(const Case& it) {
    if (it.entry.part == "eom") {
      // What is left of an equation without any variable is no equation of motion.
      const auto symbols = symbols_in(std::array{cleaned(it.correct)});
      const auto is_parameter = [&](SymbolId s) { return graph_.symbol_info(s).kind == SymbolKind::kParameter; };
      if (std::ranges::all_of(symbols, is_parameter)) return {};
      const auto k = constant_factor(canonicalizer_, it.correct, it.claimed);
      if (!k) return {};
      const std::string factor = print_shortest(canonicalizer_, *k, notation_);
      return factor == "-1" ? "the same equation with the opposite sign"
                            : fmt::format("the same equation times {}", factor);
    }
    if (it.entry.part != "V" && it.entry.part != "L" && it.entry.part != "E") return {};
    const auto offset = constant_offset(canonicalizer_, it.correct, it.claimed);
    if (!offset) return {};
    return fmt::format("up to the constant {}, which no equation of motion contains",
                       print_shortest(canonicalizer_, *offset, notation_));
  }

  // k where the terms with accelerations are k times ours.
  std::optional<Expr> leading_factor(const Expr& correct, const Expr& claimed) {
    Replacements at_rest;
    for (const Expr& a : eq_.qdd) at_rest.emplace(a.symbol(), graph_.constant(0));
    return constant_factor(canonicalizer_, correct - substitute(correct, at_rest),
                           claimed - substitute(claimed, at_rest));
  }

  // --- what to say

  std::string slip_of(const Case& it, const Expr& correct, const Conditions& conditions) {
    if (contains(it.claimed, SymbolKind::kMultiplier)) {
      Replacements turned;
      for (const Expr& l : eq_.lambda) turned.emplace(l.symbol(), -l);
      if (compare(canonicalizer_, correct, substitute(it.claimed, turned)).difference == ZeroTest::kZero)
        return "the sign of lambda is wrong: the constraint's force is +W^T lambda";
    }
    std::string slip = name_slip(canonicalizer_, correct, it.claimed, notation_);
    if (it.entry.part == "lambda" && slip.starts_with("the sign is wrong"))
      slip += " (lambda acts as +W^T lambda, pushing towards larger h)";
    // A sign or a factor is explanation enough; terms that come and go may be the constraint's doing.
    if (slip.empty() || slip.starts_with("a part is")) slip = joined({slip, conditions_missing(it, conditions)});
    return slip;
  }

  // What holds on the constraints only was perhaps claimed to hold everywhere.
  std::string conditions_missing(const Case& it, const Conditions& conditions) {
    // Forms on the way may be far larger than both sides; what does not stay short is not worth a hint.
    Canonicalizer brief(graph_, kMaxHintTerms);
    Conditions more = conditions.with(brief);
    if (eq_.m() > kMaxHintRows) return {};
    for (const int j : eq_.holonomic) more.add(eq_.h[static_cast<std::size_t>(j)], graph_.constant(0));
    for (int j = 0; j < eq_.m(); ++j) more.add(velocity_level(j), graph_.constant(0));
    const auto present = symbols_in(std::array{it.correct, it.claimed});
    std::vector<Conditions::Solved> needed;
    for (std::size_t k = conditions.solved().size(); k < more.solved().size(); ++k)
      if (std::ranges::binary_search(present, more.solved()[k].symbol)) needed.push_back(more.solved()[k]);
    const auto holds = [&](const std::vector<Conditions::Solved>& with) {
      Replacements values;
      for (const auto& [symbol, value] : with) values.emplace(symbol, value);
      const Expr left = substitute(it.correct, values), right = substitute(it.claimed, values);
      return compare(brief, left, right).difference == ZeroTest::kZero ||
             (it.entry.part == "eom" && constant_factor(brief, left, right));
    };
    if (needed.empty() || !holds(needed)) return {};
    for (std::size_t k = 0; k < needed.size();) {
      auto fewer = needed;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (!fewer.empty() && holds(fewer))
        needed = std::move(fewer);
      else
        ++k;
    }
    std::vector<std::string> equations;
    for (const auto& [symbol, value] : needed)
      equations.push_back(fmt::format("\"{} = {}\"", print(graph_.symbol(symbol), notation_),
                                      print_shortest(canonicalizer_, value, notation_)));
    return fmt::format("it holds on the constraints only: state given = [{}]", fmt::join(equations, ", "));
  }

  // (W q̇ + a)_j
  Expr velocity_level(int j) const {
    std::vector<Expr> terms{eq_.a[static_cast<std::size_t>(j)]};
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      if (eq_.W.row[k] == j) terms.push_back(eq_.W.value[k] * eq_.qd[static_cast<std::size_t>(eq_.W.col[k])]);
    return graph_.sum(terms);
  }

  std::string units(const Case& it) const {
    if (it.entry.part == "eom" || it.claim->value.is_constant()) return {};
    const Model& model = *eq_.model;
    const auto right = model.dimension_of(it.correct), wrong = model.dimension_of(it.claim->value);
    if (!right) return {};
    if (wrong)
      return *right == *wrong
                 ? ""
                 : fmt::format("the entry is in {}, the claim in {}", unit_name(*right), unit_name(*wrong));
    for (const SymbolId s : symbols_in(std::array{it.claim->value}))
      if (!model.dimension_of(graph_.symbol(s))) return {};
    return "the claim's terms do not have one unit";
  }

  std::string why_undecided(const Comparison& comparison) const {
    if (comparison.points == 0) return "no point was found at which both sides have a value";
    const std::string equal = fmt::format("equal at {} random points", comparison.points);
    if (comparison.too_large) return equal + ", but too large to decide exactly";
    return equal + fmt::format(", but identities of {} are not decided", join_words(comparison.opaque, ""));
  }

  std::string assumptions(const Conditions& conditions) const {
    std::vector<std::string> names;
    for (const SymbolId s : conditions.positive())
      names.push_back(fmt::format("{} > 0", print(graph_.symbol(s), notation_)));
    return names.empty() ? "" : "with " + join_words(names, "");
  }

  static std::string joined(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes)
      if (!note.empty()) text += (text.empty() ? "" : "; ") + note;
    return text;
  }

  // Without the symbols that cancel.
  Expr cleaned(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? canonicalizer_.expression(*form) : e;
  }

  // In the order of a state: coordinates, velocities, …, then parameters.
  CounterExample point(const Difference& found) const {
    CounterExample example{{}, found.a, found.b};
    auto at = found.at;
    std::ranges::stable_sort(at, {}, [&](const auto& value) {
      const Symbol& symbol = graph_.symbol_info(value.first);
      const auto rank = [](SymbolKind kind) {
        constexpr std::array kOrder{SymbolKind::kTime,         SymbolKind::kCoordinate, SymbolKind::kVelocity,
                                    SymbolKind::kAcceleration, SymbolKind::kMultiplier, SymbolKind::kInput};
        return std::ranges::find(kOrder, kind) - kOrder.begin();
      };
      return std::pair(rank(symbol.kind), symbol.index);
    });
    for (const auto& [symbol, value] : at) example.at.emplace_back(print(graph_.symbol(symbol), notation_), value);
    return example;
  }

  // --- solutions, found when they are first needed

  bool contains(const Expr& e, SymbolKind kind) const { return depends_on_kind(e, kind); }

  const ClosedForm* closed_form() {
    if (!tried_) solved_ = solve_closed_form(eq_);
    tried_ = true;
    return solved_ ? &*solved_ : nullptr;
  }

  // M q̈ = F − B − G + Wᵀλ with λ as it stands: the system without its constraints, and one more force.
  const ClosedForm* free_motion() {
    if (!free_tried_) {
      Equations free = eq_;
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k) {
        Expr& force = free.F[static_cast<std::size_t>(eq_.W.col[k])];
        force = force + eq_.W.value[k] * eq_.lambda[static_cast<std::size_t>(eq_.W.row[k])];
      }
      free.rows.clear();
      free.holonomic.clear();
      free.h.clear();
      free.lambda.clear();
      free.a.clear();
      free.gamma.clear();
      free.W = free.Wdot = SparseMatrix{0, eq_.n(), {}, {}, {}};
      free_ = solve_closed_form(free);
    }
    free_tried_ = true;
    return free_ ? &*free_ : nullptr;
  }

  Replacements solution(const ClosedForm& solved) const {
    Replacements values;
    for (std::size_t i = 0; i < eq_.qdd.size(); ++i) values.emplace(eq_.qdd[i].symbol(), solved.qdd[i]);
    for (std::size_t j = 0; j < eq_.lambda.size(); ++j) values.emplace(eq_.lambda[j].symbol(), solved.lambda[j]);
    return values;
  }

  const Equations& eq_;
  Notation notation_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  std::optional<ClosedForm> solved_, free_;
  bool tried_ = false, free_tried_ = false;
  std::vector<std::pair<Case, Conditions>> cases_;
  Diagnostics problems_;
};

}  // namespace

std::string to_text(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kProved:
      return "proved";
    case ClaimVerdict::kDisproved:
      return "disproved";
    case ClaimVerdict::kUndecided:
      return "undecided";
  }
  return {};
}

int AuditReport::count(ClaimVerdict verdict) const {
  return static_cast<int>(std::ranges::count(claims, verdict, &AuditedClaim::verdict));
}

Result<AuditReport> audit(const Equations& equations, Notation notation) { return Auditor(equations, notation).run(); }

}  // namespace dalembert
