// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/print_form.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dalembert/algebra/squares.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// How people write sums in parentheses: 2*(r - R)*x, not (-2*R + 2*r)*x, and -(a + b)*x, not (-a - b)*x. The value is the same.
FormTerm with_usual_signs(const FormTerm& term, bool leading) {
  FormTerm written = term;
  for (FormTerm::SumPower& power : written.sums) {
    const auto negative = std::ranges::count_if(power.sum, [](const FormTerm& t) { return t.coefficient.sign() < 0; });
    const auto positive = std::ssize(power.sum) - negative;
    Rational common = 1;
    // A common integer goes outside, unless the parentheses would be all that is left of the product.
    if (power.exponent == 1 && (!written.factors.empty() || written.sums.size() > 1)) {
      common = power.sum.front().coefficient.numerator();
      for (const FormTerm& t : power.sum)
        common = t.coefficient.is_integer() && !common.is_zero() ? gcd(common, t.coefficient) : Rational(0);
      if (common.is_zero()) common = 1;
      if (common.sign() < 0) common = -common;
    }
    const bool odd = power.exponent % 2 != 0;
    const bool minus = odd && written.coefficient.sign() < 0;
    const bool turned = positive == 0 || (minus && (negative > positive || (negative == positive && leading)));
    if (turned && odd) written.coefficient = -written.coefficient;
    written.coefficient = written.coefficient * common;
    if (turned) common = -common;
    if (!common.is_one())
      for (FormTerm& t : power.sum) t.coefficient = t.coefficient / common;
  }
  return written;
}

// The sum with its first positive term in front: 1 - x, not -x + 1.
std::vector<FormTerm> positive_first(std::vector<FormTerm> sum) {
  const auto positive = [](const FormTerm& t) { return t.coefficient.sign() > 0; };
  const auto first = std::ranges::find_if(sum, positive);
  if (first != sum.end()) std::rotate(sum.begin(), first, first + 1);
  return sum;
}

class FormPrinter {
 public:
  FormPrinter(Canonicalizer& canonicalizer, Gathering gathering, Notation notation)
      : canonicalizer_(canonicalizer), gathering_(gathering), notation_(notation) {}

  Formula polynomial(const Polynomial& form) { return sum(gather(canonicalizer_, form, gathering_)); }
  Formula sum(const std::vector<FormTerm>& terms) {
    if (terms.empty()) return number_formula(0, notation_);
    FormulaWriter writer;
    bool leading = true;
    for (const FormTerm& term : constants_last(terms)) {
      const FormTerm written = with_usual_signs(term, std::exchange(leading, false));
      add_sign(writer, written.coefficient.sign() < 0, notation_);
      writer.add(product(written));
    }
    return writer.take();
  }

 private:
  // Whether the term contains numbers and parameters alone.
  bool is_constant(const FormTerm& term) const {
    return std::ranges::all_of(term.factors,
                               [&](const FormFactor& f) { return rank(canonicalizer_, f).stage <= kLastParameter; }) &&
           std::ranges::all_of(term.sums, [&](const FormTerm::SumPower& power) {
             return std::ranges::all_of(power.sum, [&](const FormTerm& inner) { return is_constant(inner); });
           });
  }

  // The sum with its constants at the end, if all of them are negative: x^2 + y^2 - L^2, not -L^2 + x^2 + y^2. A sum that would begin with a
  // minus sign all the same stays as it is.
  std::vector<FormTerm> constants_last(std::vector<FormTerm> terms) const {
    const auto state = std::ranges::find_if_not(terms, [&](const FormTerm& t) { return is_constant(t); });
    const bool negative = std::all_of(terms.begin(), state, [](const FormTerm& t) { return t.coefficient.sign() < 0; });
    if (state != terms.end() && negative && state->coefficient.sign() > 0)
      std::rotate(terms.begin(), state, terms.end());
    return terms;
  }

  // Prints a product without its sign. A sum in parentheses is placed where its first factor would be: (m1 + m2)*g*L.
  Formula product(const FormTerm& written) {
    std::vector<std::pair<FactorRank, PrintedFactor>> list;
    for (const FormFactor& f : with_tangents(written.factors)) list.emplace_back(rank(canonicalizer_, f), factor(f));
    for (const FormTerm::SumPower& power : written.sums) {
      const auto& lead = power.sum.front().factors;
      const FactorRank place = lead.empty() ? FactorRank{} : rank(canonicalizer_, lead.front());
      const auto next = std::ranges::find_if(list, [&](const auto& other) { return other.first > place; });
      list.insert(next, {place, PrintedFactor{sum(positive_first(constants_last(power.sum))), false, power.exponent}});
    }
    std::vector<PrintedFactor> factors;
    for (auto& [place, printed] : list) factors.push_back(std::move(printed));
    return product_formula(written.coefficient.sign() < 0 ? -written.coefficient : written.coefficient,
                           std::move(factors), notation_, canonicalizer_.graph().has_decimals());
  }

  PrintedFactor called(Op op, std::vector<Formula> arguments, bool atomic, const Rational& exponent) {
    return {function_formula(op, std::move(arguments), atomic, notation_), true, exponent, function_info(op).powers};
  }

  // The angle whose cosine the factor is a power of; nothing if it is none.
  std::optional<std::uint32_t> cosine_of(const FormFactor& f) const {
    if (f.trig != Trig::kOne) return f.trig == Trig::kCos ? std::optional(f.id) : std::nullopt;
    const Generator& g = canonicalizer_.generator(f.id);
    if (g.kind != Generator::Kind::kSum || g.arguments[0].size() != 1) return std::nullopt;
    const PolynomialTerm& term = g.arguments[0][0];
    const bool cosine = term.coefficient.is_one() && term.key.monomial == 0 && term.key.trig == Trig::kCos;
    return cosine ? std::optional(term.key.angle) : std::nullopt;
  }

  // A sine over the cosine of the same angle is a tangent. Its factor has the angle and kTangent.
  std::vector<FormFactor> with_tangents(std::vector<FormFactor> factors) const {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i].trig != Trig::kSin || factors[i].twelfths < 12) continue;
      const auto below = std::ranges::find_if(factors, [&](const FormFactor& f) {
        return f.twelfths <= -12 && cosine_of(f) == std::optional(factors[i].id);
      });
      if (below == factors.end()) continue;
      const std::int32_t power = std::min(factors[i].twelfths, -below->twelfths) / 12 * 12;
      below->twelfths += power;
      factors[i].twelfths -= power;
      factors.push_back({factors[i].id, kTangent, power});
    }
    std::erase_if(factors, [](const FormFactor& f) { return f.twelfths == 0; });
    return factors;
  }

  PrintedFactor factor(const FormFactor& f) {
    const Rational exponent(f.twelfths, 12);
    if (f.trig != Trig::kOne) {
      const Angle& angle = canonicalizer_.angle(f.id);
      const auto lone = [&](const Monomial& m) {
        return m.size() == 1 && canonicalizer_.generator(m[0].generator).kind != Generator::Kind::kSum;
      };
      const bool symbol =
          angle.size() == 1 && angle[0].second.is_one() && lone(canonicalizer_.monomial(angle[0].first));
      std::vector<Formula> argument{sum(gather(canonicalizer_, angle))};
      const Op op = f.trig == kTangent ? Op::kTan : f.trig == Trig::kCos ? Op::kCos : Op::kSin;
      return called(op, std::move(argument), symbol, exponent);
    }
    const Generator& g = canonicalizer_.generator(f.id);
    // The generator as print() writes it in an expression.
    const auto graph_formula = [&] {
      return dalembert::formula(canonicalizer_.expression(GeneratorPower{f.id, 12}), notation_);
    };
    switch (g.kind) {
      case Generator::Kind::kSymbol:
        return {symbol_formula(canonicalizer_.graph().symbol_info(g.symbol), notation_), true, exponent};
      case Generator::Kind::kSum: {
        const Polynomial& base = g.arguments[0];
        const bool lone = base.size() == 1 && base[0].coefficient.is_one() && base[0].key.monomial == 0;
        const bool trigonometric = lone && base[0].key.trig != Trig::kOne;
        return {lone ? polynomial(base) : sum_below_a_root(base), lone, exponent,
                trigonometric ? function_info(Op::kSin).powers : Powers::kAfter};
      }
      case Generator::Kind::kFunction: {
        if (g.op == Op::kPower) return {graph_formula(), false, exponent};
        if (function_info(g.op).truth || g.op == Op::kSelect)
          return {graph_formula(), true, exponent, Powers::kParentheses};
        std::vector<Formula> arguments;
        for (const Polynomial& argument : g.arguments) arguments.push_back(polynomial(argument));
        return called(g.op, std::move(arguments), false, exponent);
      }
      default:
        return {graph_formula(), true, exponent};
    }
  }

  Formula sum_below_a_root(const Polynomial& base) {
    std::vector<FormTerm> terms = gather(canonicalizer_, base, gathering_);
    return sum(gathering_ == Gathering::kShortest ? with_squares(canonicalizer_, base, std::move(terms), true) : terms);
  }

  // A function that forms do not have, for factors that are about to be printed.
  static constexpr Trig kTangent = static_cast<Trig>(100);

  Canonicalizer& canonicalizer_;
  Gathering gathering_;
  Notation notation_;
};

}  // namespace

Formula formula(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation) {
  Formula result = FormPrinter(canonicalizer, gathering, notation).polynomial(form);
  match_brackets(result);
  return result;
}

Formula formula(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation) {
  Formula result = FormPrinter(canonicalizer, Gathering::kShortest, notation).sum(sum);
  match_brackets(result);
  return result;
}

std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation) {
  return text_of(FormPrinter(canonicalizer, gathering, notation).polynomial(form));
}

std::string print(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation) {
  return text_of(FormPrinter(canonicalizer, Gathering::kShortest, notation).sum(sum));
}

double written_size(const Expr& expression) {
  const Graph& graph = expression.graph();
  std::unordered_map<NodeId, double> sizes;
  for (const NodeId id : reachable(std::array{expression})) {
    double size = 1;
    for (const Graph::Item& item : graph.items(id)) size += sizes.at(item.node);
    sizes.emplace(id, size);
  }
  return sizes.at(expression.id());
}

std::string print_within(const Expr& expression, double most, Notation notation) {
  if (written_size(expression) <= most) return print(expression, notation);
  return text_of(size_note(count_operations(std::array{expression}), notation));
}

}  // namespace dalembert
