// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/squares.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace dalembert {
namespace {

constexpr std::size_t kMostSquared = 60;
constexpr std::int32_t kSquare = 2 * kWhole;

bool is_coordinate(const Canonicalizer& canonicalizer, std::uint32_t generator) {
  const Generator& g = canonicalizer.generator(generator);
  return g.kind == Generator::Kind::kSymbol &&
         canonicalizer.graph().symbol_info(g.symbol).kind == SymbolKind::kCoordinate;
}

bool is_plain(const Canonicalizer& canonicalizer, const GeneratorPower& power) {
  const Generator& g = canonicalizer.generator(power.generator);
  if (g.kind == Generator::Kind::kPrime) return true;
  if (g.kind != Generator::Kind::kSymbol || power.twelfths < 0) return false;
  const SymbolKind kind = canonicalizer.graph().symbol_info(g.symbol).kind;
  return kind == SymbolKind::kParameter || kind == SymbolKind::kCoordinate || kind == SymbolKind::kTime;
}

// Coordinates x with one term c x², c a number, in the order of the model; none where the form has rates, forces or anything opaque.
std::vector<std::uint32_t> squared_coordinates(const Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<std::uint32_t> found;
  for (const PolynomialTerm& term : form) {
    const Monomial& factors = canonicalizer.monomial(term.key.monomial);
    for (const GeneratorPower& power : factors)
      if (!is_plain(canonicalizer, power)) return {};
    if (term.key.trig == Trig::kOne && factors.size() == 1 && factors[0].twelfths == kSquare &&
        is_coordinate(canonicalizer, factors[0].generator))
      found.push_back(factors[0].generator);
  }
  std::ranges::sort(found, {}, [&](std::uint32_t g) { return rank(canonicalizer, {g, Trig::kOne, kWhole}); });
  return found;
}

class SquareCompletion {
 public:
  SquareCompletion(Canonicalizer& canonicalizer, const Polynomial& form) : canonicalizer_(canonicalizer), rest_(form) {}

  // The terms, those with squares of coordinates first; nothing where no square is completed. `each`: only squares by which the rest gets shorter.
  std::optional<std::vector<FormTerm>> write(const std::vector<std::uint32_t>& coordinates, bool each) {
    bool any = false;
    for (const std::uint32_t x : coordinates) any = complete(x, each) || any;
    if (!any) return std::nullopt;
    // What is left of squares alone stands among them.
    std::vector<FormTerm> terms = std::move(squares_);
    for (const FormTerm& term : gather(canonicalizer_, rest_, Gathering::kShortest)) terms.push_back(term);
    const auto place = [&](const FormTerm& term) {
      const std::vector<FormFactor>& factors = term.sums.empty() ? term.factors : term.sums.front().sum.front().factors;
      const bool square = term.sums.empty() ? factors.size() == 1 && factors.front().twelfths == kSquare : true;
      const auto found = std::ranges::find(coordinates, factors.empty() ? 0 : factors.front().id);
      const bool first = square && !factors.empty() && factors.front().trig == Trig::kOne;
      return first ? found - coordinates.begin() : std::ssize(coordinates);
    };
    std::ranges::stable_sort(terms, {}, place);
    return terms;
  }

 private:
  // Writes c x² + 2 c b x + … as c (x + b)² + …
  bool complete(std::uint32_t x, bool only_if_cheaper) {
    Rational c = 0;
    Polynomial linear;
    for (const PolynomialTerm& term : rest_) {
      const Monomial& factors = canonicalizer_.monomial(term.key.monomial);
      const auto power = std::ranges::find(factors, x, &GeneratorPower::generator);
      if (power == factors.end()) continue;
      if (power->twelfths == kWhole)
        linear.push_back(term);
      else if (power->twelfths == kSquare && factors.size() == 1 && term.key.trig == Trig::kOne)
        c = term.coefficient;
      else
        return false;
    }
    if (c.is_zero() || linear.empty()) return false;
    const Expr symbol = canonicalizer_.expression(GeneratorPower{x, kWhole});
    const Expr base = symbol + canonicalizer_.expression(linear) / symbol * (Rational(1, 2) / c);
    const auto sum = canonicalizer_.canonical(base);
    const auto rest = canonicalizer_.canonical(canonicalizer_.expression(rest_) - base * base * c);
    if (!sum || !rest || sum->size() < 2 || rest->size() > kMostSquared) return false;
    std::vector<FormTerm> inner = gather(canonicalizer_, *sum, Gathering::kShortest);
    const auto first = std::ranges::find_if(
        inner, [&](const FormTerm& t) { return t.sums.empty() && t.factors.size() == 1 && t.factors.front().id == x; });
    if (first == inner.end()) return false;
    std::rotate(inner.begin(), first, first + 1);
    FormTerm square{c, {}, {{std::move(inner), 2}}};
    const auto cost_of = [&](const Polynomial& form) {
      return cost(canonicalizer_, gather(canonicalizer_, form, Gathering::kShortest)) + (form.empty() ? 0 : 2);
    };
    if (only_if_cheaper && cost(canonicalizer_, {square}) + cost_of(*rest) >= cost_of(rest_)) return false;
    squares_.push_back(std::move(square));
    rest_ = *rest;
    return true;
  }

  Canonicalizer& canonicalizer_;
  Polynomial rest_;
  std::vector<FormTerm> squares_;
};

}  // namespace

std::vector<FormTerm> with_squares(Canonicalizer& canonicalizer, const Polynomial& form, std::vector<FormTerm> written,
                                   bool preferred) {
  if (form.size() < 3 || form.size() > kMostSquared) return written;
  const std::vector<std::uint32_t> coordinates = squared_coordinates(canonicalizer, form);
  if (coordinates.empty()) return written;
  int lowest = cost(canonicalizer, written) + (preferred ? 1 : 0);
  for (const bool each : {true, false}) {
    auto squares = SquareCompletion(canonicalizer, form).write(coordinates, each);
    if (!squares) continue;
    if (const int c = cost(canonicalizer, *squares); c < lowest) {
      lowest = c;
      written = *std::move(squares);
    }
  }
  return written;
}

}  // namespace dalembert
