// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_printer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/root_powers.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/term_order.h"

namespace dalembert {
namespace {
constexpr std::size_t kMaxOperationsAsDerived = 20000;
// A canonical form longer than kLong characters is printed only if it is at most kLonger times as long as the form as
// derived.
constexpr std::size_t kLongFraction = 200;        // characters; shorter fractions are not taken apart
constexpr std::size_t kLong = 4000, kLonger = 4;  // length limit, characters
constexpr int kDeepest = 60;                      // largest number of nested parentheses that a reader can follow
// Largest number of nested operations in an entry that is searched for a shorter form.
constexpr int kDeepestGraph = 8 * kDeepest;
constexpr double kManySymbols = 3000, kManyMore = 8;
constexpr double kMostExpanded = 300000;  // largest number of symbols of an entry that is printed as derived
// Characters that one printer writes. Beyond this limit only short entries are written and the others become notes; at
// 9/8 of the limit the listing ends. Listings as text (kMostListed) keep all formulas until the names of shared sums are known, which takes
// some 35 bytes of memory per character; the layout of LaTeX takes some 130.
constexpr std::size_t kMostWritten = 8'000'000, kMostListed = 6'000'000, kMostLatex = 1'500'000, kAlwaysWritten = 100;
constexpr double kCharactersOfSymbol = 4;  // average, including the operators between symbols
// After kMostOperations operations, or kMostFormless entries without a canonical form, only entries of at most
// kFewOperations operations are processed.
constexpr std::size_t kMostOperations = 1'000'000, kMostFormless = 40, kFewOperations = 200;

// Nesting depth of the expression. A sum within a sum adds no level.
int levels(const Expr& expression) {
  const Graph& graph = expression.graph();
  std::unordered_map<NodeId, int> known;
  for (const NodeId id : reachable(std::array{expression})) {
    int deepest = 0;
    for (const Graph::Item& item : graph.items(id)) deepest = std::max(deepest, known.at(item.node));
    known.emplace(id, deepest + (graph.op(id) != Op::kSum));
  }
  return known.at(expression.id());
}

int brackets_within(const Formula& formula) {
  int depth = 0, deepest = 0;
  for (const FormulaToken& token : formula)
    for (const char c : token.text) {
      depth += (c == '(' || c == '{') - (c == ')' || c == '}');
      deepest = std::max(deepest, depth);
    }
  return deepest;
}
}  // namespace

std::string index_of_multiplier(const Expr& lambda) {
  const std::string symbol = print(lambda, Notation::kLatex);  // such as \lambda_{\mathrm{pin,1}}
  const std::size_t open = symbol.find('{');
  return symbol.substr(open + 1, symbol.size() - open - 2);
}

std::string constraint_label(const Equations& equations, std::size_t row, Notation notation) {
  if (notation != Notation::kLatex) return equations.rows[row];
  const Expr& lambda = equations.lambda[row];
  const bool given = !lambda.graph().symbol_info(lambda.symbol()).latex.empty();
  return given ? "$" + index_of_multiplier(lambda) + "$" : latex_prose(equations.rows[row]);
}

EquationPrinter::EquationPrinter(Graph& graph, Form form, Notation notation, SharedNodes* shared,
                                 StateRelations relations)
    : canonicalizer_(graph, Canonicalizer::kMaxTerms, std::move(relations)),
      form_(form),
      notation_(notation),
      shared_(shared),
      most_written_(notation == Notation::kLatex ? kMostLatex
                    : shared != nullptr          ? kMostListed
                                                 : kMostWritten) {}

Formula EquationPrinter::entry(const Expr& expression) { return counted(uncounted_entry(expression)); }

Formula EquationPrinter::counted(Formula formula) {
  characters_ += key_length(formula);
  if (shared_)
    for (; definitions_ < shared_->definitions().size(); ++definitions_)
      characters_ += key_length(shared_->definitions()[definitions_]);
  return formula;
}

// Whether the limits are reached and the expression is too long to be printed anyway. Operations are counted as well as
// characters, because each entry is searched several times.
bool EquationPrinter::is_crowded_by(const Expr& expression) {
  if (characters_ <= most_written_ && operations_ <= kMostOperations) {
    operations_ += count_operations(std::array{expression});
    return false;
  }
  // Short expressions are written in any case.
  const Graph& graph = expression.graph();
  ++looks_;
  std::vector<NodeId> seen;
  const auto see = [&](NodeId id) {
    if (looked_at_.size() <= id) looked_at_.resize(id + std::size_t{1});
    if (std::exchange(looked_at_[id], looks_) != looks_) seen.push_back(id);
  };
  see(expression.id());
  for (std::size_t next = 0; next < seen.size() && seen.size() <= kFewOperations; ++next)
    for (const Graph::Item& item : graph.items(seen[next])) see(item.node);
  return seen.size() > kFewOperations;
}

Formula EquationPrinter::crowded_note() const {
  const std::string note = "omitted: the listing is already too long";
  return FormulaWriter().add(notation_ == Notation::kLatex ? "\\text{" + note + "}" : "<" + note + ">").take();
}

Formula EquationPrinter::uncounted_entry(const Expr& expression) {
  if (is_crowded_by(expression)) return crowded_note();
  if (form_ == Form::kCanonical) {
    if (const auto* form = written(expression)) return form->formula;
  } else if (form_ == Form::kExpanded) {
    const auto polynomial = canonicalizer_.canonical(expression);
    if (polynomial && canonicalizer_.written_size(*polynomial) <= kMostExpanded)
      return formula(canonicalizer_, *polynomial, Gathering::kNone, notation_);
  }
  return as_derived(expression);
}

Formula EquationPrinter::as_derived(const Expr& expression) {
  const std::size_t operations = count_operations(std::array{expression});
  const bool short_enough = operations <= kMaxOperationsAsDerived;
  if (short_enough && shared_) return shared_->print(expression);
  if (short_enough && has_room_for(written_size(expression))) return formula(expression, notation_);
  return size_note(operations, notation_);
}

// Whether a form as derived with `size` symbols may still be written.
bool EquationPrinter::has_room_for(double size) const {
  const double left = static_cast<double>(most_written_) - static_cast<double>(characters_);
  return size <= kMostExpanded && kCharactersOfSymbol * size <= std::max(left, double{kAlwaysWritten});
}

const EquationPrinter::Written* EquationPrinter::written(const Expr& expression) {
  auto found = written_.find(expression.id());
  if (found == written_.end()) found = written_.emplace(expression.id(), shorter(expression)).first;
  return found->second ? &*found->second : nullptr;
}

// The canonical form, unless it does not exist or is much longer than the formula as derived.
std::optional<EquationPrinter::Written> EquationPrinter::shorter(const Expr& expression) {
  // This test comes before anything is written: writing an expression of d nested levels takes d² characters.
  if (shared_ && levels(expression) > kDeepestGraph) return std::nullopt;
  // After many entries without a canonical form, none is computed for long entries.
  if (formless_ > kMostFormless && count_operations(std::array{expression}) > kFewOperations) return std::nullopt;
  const auto form = canonicalizer_.canonical(expression);
  if (!form) {
    ++formless_;
    return std::nullopt;
  }
  const double size = canonicalizer_.written_size(*form);
  const auto operations = static_cast<double>(count_operations(std::array{expression}));
  if (size > kManySymbols && size > kManyMore * operations) return std::nullopt;
  Written result{shortest(canonicalizer_, *form), {}};
  result.formula = formula(canonicalizer_, result.terms, notation_);
  if (key_length(result.formula) > kLongFraction) use_powers_of_roots(*form, result);
  const std::size_t length = key_length(result.formula);
  if (shared_ && brackets_within(result.formula) > kDeepest) return std::nullopt;
  if (length <= kLong) return result;
  if (static_cast<std::size_t>(operations) > kMaxOperationsAsDerived) return result;
  // Each symbol takes at least one character. If the form is short compared with this lower bound, the text as derived
  // need not be written.
  if (!shared_)
    if (const double least = written_size(expression);
        has_room_for(least) && static_cast<double>(length) <= kLonger * least)
      return result;
  const Formula derived = as_derived(expression);
  if (length <= kLonger * (shared_ ? shared_->length(derived) : key_length(derived))) return result;
  return std::nullopt;
}

// What is long over one bar is written by powers of its roots where that is clearly shorter, in characters too.
void EquationPrinter::use_powers_of_roots(const Polynomial& form, Written& result) {
  auto terms = by_powers_of_roots(canonicalizer_, form, expression(canonicalizer_, result.terms));
  if (!terms) return;
  Formula written = formula(canonicalizer_, *terms, notation_);
  if (4 * key_length(written) <= 3 * key_length(result.formula)) result = {*std::move(terms), std::move(written)};
}

const EquationPrinter::EntriesByRow& EquationPrinter::entries_of(const Equations& eq) {
  if (by_row_.of == &eq) return by_row_;
  const auto n = static_cast<std::size_t>(eq.nv());
  by_row_ = {&eq, std::vector<std::vector<std::size_t>>(n), std::vector<std::vector<std::size_t>>(n)};
  for (std::size_t k = 0; k < eq.M.value.size(); ++k) by_row_.M[static_cast<std::size_t>(eq.M.row[k])].push_back(k);
  for (std::size_t k = 0; k < eq.W.value.size(); ++k) by_row_.W[static_cast<std::size_t>(eq.W.col[k])].push_back(k);
  return by_row_;
}

std::pair<Formula, Formula> EquationPrinter::equation_of_motion(const Equations& eq, int i) {
  const auto row = static_cast<std::size_t>(i);
  const EntriesByRow& entries = entries_of(eq);
  std::vector<std::pair<Expr, Expr>> left, right;
  for (const std::size_t k : entries.M[row])
    left.emplace_back(eq.M.value[k], eq.accelerations()[static_cast<std::size_t>(eq.M.col[k])]);
  for (const std::size_t k : entries.W[row])
    right.emplace_back(eq.W.value[k], eq.lambda[static_cast<std::size_t>(eq.W.row[k])]);
  if (const Expr actuation = actuation_of(eq, i)) right.emplace_back(eq.graph->constant(1), actuation);
  const auto index = [](int k) { return static_cast<std::size_t>(k); };
  for (std::size_t k = 0; k < eq.Phi.value.size(); ++k)
    if (eq.Phi.row[k] == i) right.emplace_back(eq.Phi.value[k], eq.lambda[index(eq.Phi.col[k])]);
  for (std::size_t k = 0; k < eq.C.value.size(); ++k)
    if (eq.C.col[k] == i) right.emplace_back(-eq.C.value[k], eq.frictions[index(eq.C.row[k])].force);
  return {linear(left, {eq.B[row], eq.G[row]}), linear(right, {eq.F[row]})};
}

Formula EquationPrinter::conserved(const Equations& eq, const ConservedQuantity& quantity) {
  if (form_ != Form::kCanonical || !quantity.expression.same(eq.E)) return entry(quantity.expression);
  const Written* whole = written(eq.E);
  const Expr motion = eq.E - eq.V;
  if (!whole || whole->terms.size() != 1 || !written(motion) || !written(eq.V)) return entry(eq.E);
  return linear({}, {motion, eq.V});
}

bool EquationPrinter::moves(const Equations& eq, const std::string& name) {
  if (moving_of_ != &eq) {
    moving_of_ = &eq;
    moving_.clear();
    for (const std::vector<Expr>* symbols : {&eq.q, &eq.qd, &eq.velocities()})
      for (const Expr& symbol : *symbols) moving_.insert(print(symbol, Notation::kText));
    stated_ = eq.model->rows();
  }
  return moving_.contains(name);
}

Formula EquationPrinter::constraint(const Equations& eq, int j) {
  const auto row = static_cast<std::size_t>(j);
  const Expr& h = eq.h[row];
  const auto is_moving = [&](const std::string& name) { return moves(eq, name); };
  is_moving({});
  std::string_view typed;
  if (row < stated_.size())
    if (const Span& span = stated_[row]->span; span && span.end <= span.source->text().size())
      typed = std::string_view(span.source->text()).substr(span.begin, span.end - span.begin);

  // The order of the terms is found in plain text, in which names are whole words: `text` has the same terms in the same order as `printed`.
  Formula printed = entry(h), text = printed;
  if (notation_ != Notation::kText) {
    const Written* canonical = form_ == Form::kCanonical ? written(h) : nullptr;
    text = canonical
               ? formula(canonicalizer_, canonical->terms, Notation::kText)
               : EquationPrinter(canonicalizer_.graph(), form_, Notation::kText, nullptr, canonicalizer_.relations())
                     .entry(h);
  }
  const std::vector<SignedTerm> terms = terms_of(printed), as_text = terms_of(text);
  if (terms.size() < 2 || terms.size() != as_text.size()) return printed;
  FormulaWriter writer;
  for (const std::size_t k : typed_order(as_text, typed, is_moving)) {
    add_sign(writer, terms[k].negative, notation_);
    writer.add(Formula(terms[k].formula));
  }
  Formula ordered = writer.take();
  match_brackets(ordered);
  return ordered;
}

std::pair<Formula, Formula> EquationPrinter::reduced_equation(const Reduced& reduced, int k) {
  std::vector<std::pair<Expr, Expr>> left;
  for (std::size_t e = 0; e < reduced.M.value.size(); ++e)
    if (reduced.M.row[e] == k)
      left.emplace_back(reduced.M.value[e], reduced.velocities[static_cast<std::size_t>(reduced.M.col[e])].vdot);
  return {linear(left, {}), entry(-reduced.b[static_cast<std::size_t>(k)])};
}

Formula EquationPrinter::linear(const std::vector<std::pair<Expr, Expr>>& terms, const std::vector<Expr>& rest) {
  return counted(uncounted_linear(terms, rest));
}

Formula EquationPrinter::uncounted_linear(const std::vector<std::pair<Expr, Expr>>& terms,
                                          const std::vector<Expr>& rest) {
  std::vector<FormTerm> sum;
  const bool crowded = characters_ > most_written_ || operations_ > kMostOperations;
  bool canonical = form_ == Form::kCanonical && !crowded;
  for (const auto& [coefficient, symbol] : terms) {
    const Written* factor = canonical ? written(coefficient) : nullptr;
    canonical = factor != nullptr;
    if (!canonical) break;
    if (factor->terms.empty()) continue;
    const GeneratorPower power =
        canonicalizer_.monomial(canonicalizer_.canonical(symbol)->front().key.monomial).front();
    sum.push_back(times(canonicalizer_, factor->terms, {power.generator, Trig::kOne, power.twelfths}));
  }
  for (const Expr& e : rest) {
    const Written* part = canonical ? written(e) : nullptr;
    canonical = part != nullptr;
    if (!canonical) break;
    sum.insert(sum.end(), part->terms.begin(), part->terms.end());
  }
  if (canonical) return formula(canonicalizer_, sum, notation_);
  std::vector<Graph::Term> list;
  for (const auto& [coefficient, symbol] : terms) list.push_back({coefficient * symbol, 1});
  for (const Expr& e : rest) list.push_back({e, 1});
  const Expr whole = canonicalizer_.graph().sum(list);
  if (crowded && is_crowded_by(whole)) return crowded_note();
  return form_ == Form::kCanonical ? as_derived(whole) : uncounted_entry(whole);
}

}  // namespace dalembert
