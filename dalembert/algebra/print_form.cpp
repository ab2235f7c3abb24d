// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/print_form.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace dalembert {
namespace {

// One factor of a term: a generator's power, or the sine or cosine of an angle.
struct Factor {
  std::uint32_t id = 0;  // generator, or angle
  Trig trig = Trig::kOne;
  std::int32_t twelfths = 12;
  bool same_base(const Factor& other) const { return id == other.id && trig == other.trig; }
  friend bool operator==(const Factor&, const Factor&) = default;
};
struct Term {
  Rational coefficient;
  std::vector<Factor> factors;  // in printing order
};
using Terms = std::vector<Term>;

// A printed sum or product; `sum` says that it needs parentheses as a factor.
struct Written {
  std::string text;  // without the sign
  bool negative = false, sum = false;
};

class FormPrinter {
 public:
  FormPrinter(Canonicalizer& canonicalizer, Gathering gathering, Notation notation)
      : canonicalizer_(canonicalizer), gathering_(gathering), notation_(notation) {}

  std::string print(const Polynomial& form) {
    if (form.empty()) return "0";
    Terms terms;
    for (const PolynomialTerm& term : form) {
      Term t{term.coefficient, {}};
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial)) t.factors.push_back({power.generator, Trig::kOne, power.twelfths});
      if (term.key.trig != Trig::kOne) t.factors.push_back({term.key.angle, term.key.trig, 12});
      std::ranges::sort(t.factors, {}, [&](const Factor& f) { return rank(f); });
      terms.push_back(std::move(t));
    }
    std::ranges::sort(terms, [&](const Term& a, const Term& b) { return order(a) < order(b); });
    const Written written = gathering_ == Gathering::kNone ? plain(terms) : gathered(terms);
    return (written.negative ? "-" : "") + written.text;
  }

 private:
  // Masses, inertias, stiffnesses and dampings, g, other parameters, roots; coordinates, velocities, functions.
  std::pair<int, std::uint32_t> rank(const Factor& factor) const {
    if (factor.trig != Trig::kOne) return {12, factor.id};
    const Generator& g = canonicalizer_.generator(factor.id);
    if (g.kind != Generator::Kind::kSymbol) return {g.kind == Generator::Kind::kSum || g.kind == Generator::Kind::kFunction ? 11 : 0, factor.id};
    const Symbol& symbol = canonicalizer_.graph().symbol_info(g.symbol);
    switch (symbol.kind) {
      case SymbolKind::kParameter: {
        static constexpr std::array<std::string_view, 4> kFirst = {"mM", "IJ", "kc", "g"};
        for (std::size_t i = 0; i < kFirst.size(); ++i)
          if (kFirst[i].find(symbol.name[0]) != std::string_view::npos) return {static_cast<int>(i) + 1, g.symbol};
        return {5, g.symbol};
      }
      case SymbolKind::kInput:
      case SymbolKind::kShorthand: return {6, g.symbol};
      case SymbolKind::kMultiplier: return {7, g.symbol};
      case SymbolKind::kTime: return {8, g.symbol};
      case SymbolKind::kCoordinate: return {8, static_cast<std::uint32_t>(symbol.index)};
      case SymbolKind::kVelocity: return {9, static_cast<std::uint32_t>(symbol.index)};
      case SymbolKind::kAcceleration: return {10, static_cast<std::uint32_t>(symbol.index)};
    }
    return {13, factor.id};
  }

  bool is_parameter(const Factor& factor) const { return rank(factor).first <= 5 && factor.trig == Trig::kOne; }

  // Terms with accelerations first, then velocities, then the state alone, constants of the system first among those.
  std::tuple<int, std::vector<std::pair<std::pair<int, std::uint32_t>, std::int32_t>>> order(const Term& term) const {
    int stage = 3;
    std::vector<std::pair<std::pair<int, std::uint32_t>, std::int32_t>> state, parameters;
    for (const Factor& factor : term.factors) {
      const auto place = rank(factor);
      if (place.first == 10) stage = std::min(stage, 0);
      if (place.first == 9) stage = std::min(stage, 1);
      (is_parameter(factor) ? parameters : state).emplace_back(place, -factor.twelfths);
    }
    std::ranges::reverse(state);
    state.push_back({{-1, 0}, 0});  // what contains less stands first
    state.insert(state.end(), parameters.begin(), parameters.end());
    state.push_back({{99, 0}, 0});  // among parameters what contains more stands first
    return {stage, std::move(state)};
  }

  PrintedFactor printed(const Factor& factor) {
    if (factor.trig != Trig::kOne) {
      const Expr x = canonicalizer_.expression(canonicalizer_.angle(factor.id));
      const Angle& angle = canonicalizer_.angle(factor.id);
      Terms terms;
      for (const auto& [m, coefficient] : angle) {
        Term t{coefficient, {}};
        for (const GeneratorPower& power : canonicalizer_.monomial(m)) t.factors.push_back({power.generator, Trig::kOne, power.twelfths});
        std::ranges::sort(t.factors, {}, [&](const Factor& f) { return rank(f); });
        terms.push_back(std::move(t));
      }
      const Written inner = plain(terms);
      const Op op = factor.trig == Trig::kCos ? Op::kCos : Op::kSin;
      return {print_function(op, {inner.text}, x.op() == Op::kSymbol, notation_), true, 1};
    }
    const Rational exponent(factor.twelfths, 12);
    const Generator& g = canonicalizer_.generator(factor.id);
    switch (g.kind) {
      case Generator::Kind::kSymbol: return {print_symbol(canonicalizer_.graph().symbol_info(g.symbol), notation_), true, exponent};
      case Generator::Kind::kSum: return {FormPrinter(*this).print(g.arguments[0]), g.arguments[0].size() == 1 && g.arguments[0][0].key.monomial == 0, exponent};
      case Generator::Kind::kFunction: {
        std::vector<std::string> arguments;
        for (const Polynomial& argument : g.arguments) arguments.push_back(FormPrinter(*this).print(argument));
        // Operators and general powers print as the graph prints them.
        const bool call = g.op != Op::kPower && g.op != Op::kLess && g.op != Op::kLessEqual && g.op != Op::kEqual && g.op != Op::kAnd && g.op != Op::kOr;
        if (call) return {print_function(g.op, arguments, false, notation_), true, exponent};
        return {dalembert::print(canonicalizer_.expression(GeneratorPower{factor.id, 12}), notation_), false, exponent};
      }
      default: return {dalembert::print(canonicalizer_.expression(GeneratorPower{factor.id, 12}), notation_), true, exponent};
    }
  }

  // `sum`, if any, is one more factor; it stands where its own first factor `lead` would stand: (m1 + m2)*g*L.
  Written product(const Rational& coefficient, const std::vector<Factor>& factors, const std::string& sum = {}, std::pair<int, std::uint32_t> lead = {}) {
    std::vector<PrintedFactor> list;
    bool placed = sum.empty();
    for (const Factor& factor : factors) {
      if (!placed && rank(factor) > lead) {
        list.push_back({sum, false, 1});
        placed = true;
      }
      list.push_back(printed(factor));
    }
    if (!placed) list.push_back({sum, false, 1});
    const bool negative = coefficient.sign() < 0;
    return {print_product(negative ? -coefficient : coefficient, list, notation_), negative, false};
  }

  Written join(const std::vector<Written>& parts) {
    if (parts.size() == 1) return parts[0];
    Written sum{"", false, true};
    for (const Written& part : parts) {
      // A part that is a sum itself brings the sign of its first term with it.
      const bool inner_minus = part.sum && part.text.starts_with('-');
      const std::string text = inner_minus ? part.text.substr(1) : part.text;
      if (sum.text.empty()) sum.text = (part.negative || inner_minus ? "-" : "") + text;
      else sum.text += (part.negative || inner_minus ? " - " : " + ") + text;
    }
    return sum;
  }

  Written plain(const Terms& terms) {
    std::vector<Written> parts;
    for (const Term& term : terms) parts.push_back(product(term.coefficient, term.factors));
    return join(parts);
  }

  // Common factors outside; then the factor that most of the rest shares; and so on.
  Written gathered(const Terms& terms) {
    if (terms.size() == 1) return plain(terms);
    if (const Term common = common_factor(terms); !common.factors.empty() || !common.coefficient.is_one()) {
      const Terms rest = divided(terms, common);
      Written inner = gathered(rest);
      if (common.factors.empty() && common.coefficient.is_minus_one() && !inner.negative) {
        // A bare minus in front of a parenthesis is no gain over signs inside.
        return gathered_by_state(terms);
      }
      if (!inner.sum) return plain(terms);
      const auto& first = rest.front().factors;
      return product(common.coefficient, common.factors, inner.text, first.empty() ? std::pair<int, std::uint32_t>{} : rank(first.front()));
    }
    return gathered_by_state(terms);
  }

  Written gathered_by_state(const Terms& terms) {
    // The factor shared by most terms, the state before parameters; one of at least two terms.
    std::vector<std::pair<Factor, int>> count;
    for (const Term& term : terms)
      for (const Factor& factor : term.factors) {
        const auto found = std::ranges::find_if(count, [&](const auto& c) { return c.first == factor; });
        if (found == count.end()) count.emplace_back(factor, 1);
        else ++found->second;
      }
    const Factor* best = nullptr;
    std::tuple<bool, int, std::pair<int, std::uint32_t>> best_score{};
    for (const auto& [factor, times] : count) {
      if (times < 2) continue;
      const auto place = rank(factor);
      const std::tuple<bool, int, std::pair<int, std::uint32_t>> score{!is_parameter(factor), times, {-place.first, ~place.second}};
      if (best == nullptr || score > best_score) {
        best = &factor;
        best_score = score;
      }
    }
    if (best == nullptr) return plain(terms);
    const Factor chosen = *best;
    // The gathered part takes the place of its first term.
    Terms with;
    std::vector<Written> parts;
    for (const Term& term : terms)
      if (std::ranges::find(term.factors, chosen) != term.factors.end()) with.push_back(term);
    Terms without;
    bool placed = false;
    const auto flush = [&] {
      if (without.empty()) return;
      parts.push_back(gathered(without));
      without.clear();
    };
    // Terms before the first gathered one are written first, all others after it.
    for (const Term& term : terms) {
      const bool has = std::ranges::find(term.factors, chosen) != term.factors.end();
      if (has && !placed) {
        flush();
        parts.push_back(gathered(with));
        placed = true;
      } else if (!has) {
        without.push_back(term);
      }
    }
    flush();
    return join(parts);
  }

  // The rational and the factors that all terms share, with the sign of the first term.
  Term common_factor(const Terms& terms) const {
    Term common = terms[0];
    Rational numerators = common.coefficient.numerator(), denominators = common.coefficient.denominator();
    if (numerators.sign() < 0) numerators = -numerators;
    for (const Term& term : terms) {
      std::vector<Factor> shared;
      for (const Factor& factor : common.factors)
        for (const Factor& other : term.factors)
          if (factor.same_base(other) && (factor.twelfths > 0) == (other.twelfths > 0))
            shared.push_back({factor.id, factor.trig, factor.twelfths > 0 ? std::min(factor.twelfths, other.twelfths) : std::max(factor.twelfths, other.twelfths)});
      common.factors = std::move(shared);
      numerators = gcd(numerators, term.coefficient.numerator());
      denominators = lcm(denominators, term.coefficient.denominator());
    }
    // A half comes out when every term has it; it never turns a 1 inside into a 2.
    const bool same_denominator = std::ranges::all_of(terms, [&](const Term& t) { return t.coefficient.denominator() == denominators; });
    common.coefficient = same_denominator ? numerators / denominators : Rational(1);
    if (std::ranges::all_of(terms, [](const Term& t) { return t.coefficient.sign() < 0; })) common.coefficient = -common.coefficient;
    return common;
  }

  Terms divided(const Terms& terms, const Term& by) const {
    Terms rest = terms;
    for (Term& term : rest) {
      term.coefficient = term.coefficient / by.coefficient;
      for (const Factor& factor : by.factors)
        for (Factor& own : term.factors)
          if (own.same_base(factor)) own.twelfths = own.trig == Trig::kOne ? own.twelfths - factor.twelfths : 0;
      std::erase_if(term.factors, [](const Factor& f) { return f.twelfths == 0; });
    }
    return rest;
  }

  static Rational gcd(Rational a, Rational b) {
    if (a.sign() < 0) a = -a;
    if (b.sign() < 0) b = -b;
    // Euclid on integers through exact division; numbers that are not small share nothing worth printing.
    const auto x = a.as_int(), y = b.as_int();
    if (!x || !y) return a == b ? a : Rational(1);
    int p = *x, q = *y;
    while (q != 0) p = std::exchange(q, p % q);
    return Rational(p == 0 ? 1 : p);
  }
  static Rational lcm(const Rational& a, const Rational& b) { return a * b / (a.as_int() && b.as_int() ? gcd(a, b) : (a == b ? a : Rational(1))); }

  Canonicalizer& canonicalizer_;
  Gathering gathering_;
  Notation notation_;
};

}  // namespace

std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation) {
  return FormPrinter(canonicalizer, gathering, notation).print(form);
}

}  // namespace dalembert
