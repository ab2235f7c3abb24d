// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/canonical.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Limits on the effort in term operations, as multiples of max_terms: for one call of canonical(), and for all calls together.
constexpr std::size_t kEffortEach = 20, kEffortAll = 200;
constexpr std::size_t kNewAngles = 4;     // effort of forming A + B and A − B for a new pair of angles, in operations
constexpr std::size_t kFewSummands = 12;  // summands of two angles together; with more, memory dominates the effort
constexpr std::size_t kShortMonomial = 8;  // number of factors of a term whose multiplication counts as one operation

struct TermKeyHash {
  std::size_t operator()(const TermKey& key) const {
    std::uint64_t h = key.monomial * 0x9E3779B97F4A7C15u;
    h ^= (std::uint64_t{key.angle} * 3 + static_cast<std::uint64_t>(key.trig)) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<std::size_t>(h ^ h >> 29);
  }
};

// Mixes a value into a hash in 64 bits, even where std::size_t has 32 bits.
std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

// Effort added by long coefficients: the length of the longest coefficient in units of two machine words, rounded down.
std::size_t extra_words(const Polynomial& p) {
  std::size_t most = 0;
  for (const PolynomialTerm& term : p) most = std::max(most, term.coefficient.bits());
  return most / 128;
}

// Adds up the terms of a product by key; they are sorted at the end.
class Collector {
 public:
  void add(const TermKey& key, const Rational& coefficient) {
    if (coefficient.is_zero()) return;
    auto [place, fresh] = terms_.try_emplace(key, coefficient);
    if (!fresh) place->second = place->second + coefficient;
  }
  std::size_t size() const { return terms_.size(); }
  Polynomial sorted() const {
    Polynomial p;
    p.reserve(terms_.size());
    for (const auto& [key, coefficient] : terms_)
      if (!coefficient.is_zero()) p.push_back({key, coefficient});
    std::ranges::sort(p, {}, &PolynomialTerm::key);
    return p;
  }

 private:
  std::unordered_map<TermKey, Rational, TermKeyHash> terms_;
};

}  // namespace

std::size_t FormHash::operator()(const Monomial& monomial) const {
  std::uint64_t h = monomial.size();
  for (const GeneratorPower& power : monomial)
    h = mixed(h, std::uint64_t{power.generator} << 32 | static_cast<std::uint32_t>(power.twelfths));
  return static_cast<std::size_t>(h);
}
std::size_t FormHash::operator()(const Angle& angle) const {
  std::uint64_t h = angle.size();
  for (const auto& [monomial, coefficient] : angle) h = mixed(mixed(h, monomial), coefficient.hash());
  return static_cast<std::size_t>(h);
}
std::size_t FormHash::operator()(const Generator& generator) const {
  std::uint64_t h = mixed(static_cast<std::size_t>(generator.kind), static_cast<std::size_t>(generator.op));
  h = mixed(mixed(h, generator.symbol), static_cast<std::size_t>(generator.prime));
  for (const Polynomial& argument : generator.arguments) {
    h = mixed(h, argument.size());
    for (const PolynomialTerm& term : argument)
      h = mixed(mixed(h, std::uint64_t{term.key.monomial} << 32 | term.key.angle),
                term.coefficient.hash() * 4 + static_cast<std::size_t>(term.key.trig));
  }
  return static_cast<std::size_t>(h);
}
std::size_t FormHash::operator()(const std::pair<std::uint32_t, std::uint32_t>& angles) const {
  return static_cast<std::size_t>(mixed(0, std::uint64_t{angles.first} << 32 | angles.second));
}

Canonicalizer::Canonicalizer(Graph& graph, std::size_t max_terms, StateRelations relations)
    : graph_(graph), max_terms_(max_terms), relations_(std::move(relations)) {
  intern(Monomial{});
  angles_.push_back(&angle_index_.try_emplace(Angle{}, 0).first->first);
  has_pi_.push_back(false);
  if (!relations_.empty()) use_relations();
}

void Canonicalizer::use_relations() {
  allow();
  for (const std::array<SymbolId, 4>& unit : relations_.units) {
    const auto generator_of = [&](SymbolId s) {
      return intern_generator({Generator::Kind::kSymbol, s, 0, Op::kConstant, {}});
    };
    Polynomial square = constant(1);
    for (std::size_t k = 1; k < unit.size(); ++k)
      square = add(square, single({{generator_of(unit[k]), 2 * kWhole}}), -1);
    units_.push_back({generator_of(unit[0]), std::move(square)});
  }
  for (const Expr& side : relations_.sides) {
    const auto form = canonical(graph_.adopt(side));
    if (!form || form->size() != 1 || form->front().key.trig != Trig::kOne) continue;
    const Monomial& powers = monomial(form->front().key.monomial);
    if (powers.size() == 1 && powers.front().twelfths == kWhole) sides_.push_back(powers.front().generator);
  }
}

// Applies the state relations to every term of p: squares for which a relation is known are replaced.
std::optional<Polynomial> Canonicalizer::with_state_relations(Result p) {
  if (relations_.empty() || !p) return p;
  // The squares are collected from the form, because it contains few of the model's attitudes.
  std::vector<std::uint32_t> squares;  // generators that occur in an integer power other than 1
  for (const PolynomialTerm& term : *p)
    for (const GeneratorPower& power : monomial(term.key.monomial))
      if (power.twelfths % kWhole == 0 && power.twelfths != kWhole) squares.push_back(power.generator);
  if (squares.empty()) return p;
  std::ranges::sort(squares);
  squares.erase(std::ranges::unique(squares).begin(), squares.end());
  for (const std::uint32_t side : sides_) {
    if (!p) return p;
    if (!std::ranges::binary_search(squares, side)) continue;
    Collector collector;
    for (const PolynomialTerm& term : *p) {
      Monomial powers = monomial(term.key.monomial);
      for (GeneratorPower& power : powers)
        if (power.generator == side && power.twelfths % kWhole == 0)
          power.twelfths = (power.twelfths / kWhole % 2) ? kWhole : 0;
      std::erase_if(powers, [](const GeneratorPower& power) { return power.twelfths == 0; });
      collector.add({intern(std::move(powers)), term.key.angle, term.key.trig}, term.coefficient);
    }
    p = collector.sorted();
  }
  for (const std::uint32_t square : squares) {
    // units_ is sorted by generator, because the generators of attitudes were interned one after the other.
    const auto found = std::ranges::lower_bound(units_, square, {}, &Unit::first);
    if (found == units_.end() || found->first != square) continue;
    const Unit& unit = *found;
    for (bool more = true; more && p;) {
      more = false;
      Collector collector;
      for (const PolynomialTerm& term : *p) {
        Monomial powers = monomial(term.key.monomial);
        const auto square = std::ranges::find_if(powers, [&](const GeneratorPower& power) {
          return power.generator == unit.first && power.twelfths >= 2 * kWhole && power.twelfths % kWhole == 0;
        });
        if (square == powers.end()) {
          collector.add(term.key, term.coefficient);
          continue;
        }
        more = true;
        square->twelfths -= 2 * kWhole;
        if (square->twelfths == 0) powers.erase(square);
        const Result rest = multiply(
            {{TermKey{intern(std::move(powers)), term.key.angle, term.key.trig}, term.coefficient}}, unit.square);
        if (!rest) return std::nullopt;
        for (const PolynomialTerm& t : *rest) collector.add(t.key, t.coefficient);
        if (collector.size() > max_terms_) return std::nullopt;
      }
      p = collector.sorted();
    }
  }
  return p;
}

std::uint32_t Canonicalizer::intern(Monomial monomial) {
  const auto [place, fresh] =
      monomial_index_.try_emplace(std::move(monomial), static_cast<std::uint32_t>(monomials_.size()));
  if (fresh) monomials_.push_back(&place->first);
  return place->second;
}

std::uint32_t Canonicalizer::intern_generator(Generator generator) {
  const auto [place, fresh] =
      generator_index_.try_emplace(std::move(generator), static_cast<std::uint32_t>(generators_.size()));
  if (fresh) generators_.push_back(&place->first);
  return place->second;
}

bool Canonicalizer::angle_before(std::uint32_t a, std::uint32_t b) const {
  // Order of angles: the lowest coordinate comes first, then other symbols in order of creation, opaque generators last.
  const auto rank = [&](std::uint32_t id) {
    std::pair<int, std::uint32_t> best{9, 0};
    for (const GeneratorPower& power : monomial(id)) {
      const Generator& g = generator(power.generator);
      std::pair<int, std::uint32_t> own{3, power.generator};
      if (g.kind == Generator::Kind::kSymbol) {
        const Symbol& symbol = graph_.symbol_info(g.symbol);
        const bool coordinate = symbol.kind == SymbolKind::kCoordinate;
        own = {coordinate ? 0 : 1, coordinate ? static_cast<std::uint32_t>(symbol.index) : g.symbol};
      }
      best = std::min(best, own);
    }
    return best;
  };
  const auto ra = rank(a), rb = rank(b);
  return ra != rb ? ra < rb : monomial(a) < monomial(b);
}

std::pair<std::uint32_t, int> Canonicalizer::intern_angle(Angle angle) {
  if (angle.empty()) return {0, 1};
  const int sign = angle.front().second.sign();
  if (sign < 0)
    for (auto& [monomial, coefficient] : angle) coefficient = -coefficient;
  const auto [place, fresh] = angle_index_.try_emplace(std::move(angle), static_cast<std::uint32_t>(angles_.size()));
  if (fresh) {
    angles_.push_back(&place->first);
    has_pi_.push_back(!turns(place->second).is_zero());
    any_pi_ = any_pi_ || has_pi_.back();
  }
  return {place->second, sign};
}

Angle Canonicalizer::combine(const Angle& a, const Angle& b, int sign_of_b) const {
  Angle sum;
  std::size_t i = 0, j = 0;
  const auto signed_b = [&](std::size_t k) { return sign_of_b < 0 ? -b[k].second : b[k].second; };
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first != b[j].first && angle_before(a[i].first, b[j].first))) {
      sum.push_back(a[i++]);
    } else if (i == a.size() || a[i].first != b[j].first) {
      sum.emplace_back(b[j].first, signed_b(j));
      ++j;
    } else {
      if (const Rational c = a[i].second + signed_b(j); !c.is_zero()) sum.emplace_back(a[i].first, c);
      ++i;
      ++j;
    }
  }
  return sum;
}

Polynomial Canonicalizer::constant(const Rational& value) const {
  if (value.is_zero()) return {};
  return {{TermKey{}, value}};
}

// Integer powers of a prime are numbers: √3·√3 = 3. The remaining exponent is in [0, 1).
void Canonicalizer::fold_primes(Monomial& monomial, Rational& coefficient) const {
  for (GeneratorPower& power : monomial) {
    const Generator& g = generator(power.generator);
    if (g.kind != Generator::Kind::kPrime || (power.twelfths >= 0 && power.twelfths < kWhole)) continue;
    const std::int32_t whole = (power.twelfths - (power.twelfths < 0 ? kWhole - 1 : 0)) / kWhole;
    coefficient = coefficient * Rational(g.prime).power(whole);
    power.twelfths -= whole * kWhole;
  }
  std::erase_if(monomial, [](const GeneratorPower& power) { return power.twelfths == 0; });
}

Polynomial Canonicalizer::single(Monomial monomial, const Rational& coefficient) {
  if (coefficient.is_zero()) return {};
  Rational number = coefficient;
  fold_primes(monomial, number);
  return {{TermKey{intern(std::move(monomial)), 0, Trig::kOne}, number}};
}

std::optional<Rational> Canonicalizer::as_constant(const Polynomial& p) const {
  if (p.empty()) return Rational(0);
  if (p.size() == 1 && p[0].key == TermKey{}) return p[0].coefficient;
  return std::nullopt;
}

Polynomial Canonicalizer::add(const Polynomial& a, const Polynomial& b, const Rational& factor) const {
  Polynomial sum;
  sum.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].key < b[j].key)) {
      sum.push_back(a[i++]);
    } else if (i == a.size() || b[j].key < a[i].key) {
      sum.push_back({b[j].key, b[j].coefficient * factor});
      ++j;
    } else {
      if (const Rational c = a[i].coefficient + b[j].coefficient * factor; !c.is_zero()) sum.push_back({a[i].key, c});
      ++i;
      ++j;
    }
  }
  return sum;
}

std::uint32_t Canonicalizer::multiply_monomials(std::uint32_t a, std::uint32_t b, Rational& coefficient) {
  if (a == 0) return b;
  if (b == 0) return a;
  const Monomial &x = monomial(a), &y = monomial(b);
  Monomial product;
  product.reserve(x.size() + y.size());
  std::size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i].generator < y[j].generator)) {
      product.push_back(x[i++]);
    } else if (i == x.size() || y[j].generator < x[i].generator) {
      product.push_back(y[j++]);
    } else {
      const std::int32_t twelfths = x[i].twelfths + y[j].twelfths;
      if (twelfths != 0) product.push_back({x[i].generator, twelfths});
      ++i;
      ++j;
    }
  }
  fold_primes(product, coefficient);
  return intern(std::move(product));
}

std::optional<Polynomial> Canonicalizer::multiply(const Polynomial& a, const Polynomial& b) {
  // The product of two single terms is always computed, even if the allowed effort is used up.
  const std::size_t products = a.size() * b.size();
  const std::size_t work = products * (1 + extra_words(a) + extra_words(b));
  if (products > 40 * max_terms_ || (!spend(work) && products > 1)) return std::nullopt;
  Collector collector;
  bool roots = false;
  for (const PolynomialTerm& x : a) {
    for (const PolynomialTerm& y : b) {
      Rational c = x.coefficient * y.coefficient;
      const std::uint32_t m = multiply_monomials(x.key.monomial, y.key.monomial, c);
      for (const GeneratorPower& power : monomial(m)) roots = roots || must_open(power);
      if (!spend(monomial(m).size() / kShortMonomial) && products > 1) return std::nullopt;
      if (x.key.trig == Trig::kOne || y.key.trig == Trig::kOne) {
        const TermKey& angle = x.key.trig == Trig::kOne ? y.key : x.key;
        collector.add({m, angle.angle, angle.trig}, c);
        continue;
      }
      if (has_pi_[x.key.angle] || has_pi_[y.key.angle]) {
        // A sum of multiples of π can be an angle with known cosine, or exceed half a turn.
        for (const PolynomialTerm& t : trigonometric_product(x.key, y.key)) {
          Rational scaled = c * t.coefficient;
          const std::uint32_t with_roots = multiply_monomials(m, t.key.monomial, scaled);
          collector.add({with_roots, t.key.angle, t.key.trig}, scaled);
        }
        continue;
      }
      const auto [place, fresh] = angle_products_.try_emplace({x.key.angle, y.key.angle});
      if (fresh) {
        const std::size_t summands = angle(x.key.angle).size() + angle(y.key.angle).size();
        if (!spend(kNewAngles + (summands <= kFewSummands ? summands / 4 : summands))) return std::nullopt;
        const Angle first = angle(x.key.angle), second = angle(y.key.angle);
        place->second = {intern_angle(combine(first, second, 1)), intern_angle(combine(first, second, -1))};
      }
      const auto [plus, minus] = place->second;
      c = c * Rational(1, 2);
      const auto put = [&](Trig trig, const std::pair<std::uint32_t, int>& sum, const Rational& factor) {
        if (trig == Trig::kSin) {
          if (sum.first != 0) collector.add({m, sum.first, Trig::kSin}, sum.second < 0 ? -factor : factor);
        } else {
          collector.add(sum.first == 0 ? TermKey{m, 0, Trig::kOne} : TermKey{m, sum.first, Trig::kCos}, factor);
        }
      };
      if (x.key.trig == y.key.trig) {
        put(Trig::kCos, minus, c);
        put(Trig::kCos, plus, x.key.trig == Trig::kCos ? c : -c);
      } else {
        // sin A cos B = ½ sin(A+B) + ½ sin(A−B);  cos A sin B = ½ sin(A+B) − ½ sin(A−B)
        put(Trig::kSin, plus, c);
        put(Trig::kSin, minus, x.key.trig == Trig::kSin ? c : -c);
      }
    }
    if (collector.size() > max_terms_) return std::nullopt;
  }
  Polynomial product = collector.sorted();
  return roots ? opened(product) : std::move(product);
}

// Whether a power must be expanded: a sum whose exponent has grown to 1 or more, or |u| with an exponent of at least 2, since |u|² = u².
bool Canonicalizer::must_open(const GeneratorPower& power) const {
  const Generator& g = generator(power.generator);
  if (g.kind == Generator::Kind::kSum) return power.twelfths >= kWhole;
  return g.kind == Generator::Kind::kFunction && g.op == Op::kAbs && std::abs(power.twelfths) >= 2 * kWhole;
}

std::optional<Polynomial> Canonicalizer::opened(const Polynomial& product) {
  Polynomial sum;
  for (const PolynomialTerm& term : product) {
    Result value = Polynomial{{TermKey{0, term.key.angle, term.key.trig}, term.coefficient}};
    Monomial rest;
    for (const GeneratorPower power : Monomial(monomial(term.key.monomial))) {
      if (!must_open(power)) {
        rest.push_back(power);
        continue;
      }
      const Generator& g = generator(power.generator);
      const std::int32_t step = g.kind == Generator::Kind::kSum ? kWhole : 2 * kWhole;
      const std::int32_t steps = power.twelfths / step;
      const Polynomial base = g.arguments[0];
      if (steps > 0) {
        for (std::int32_t k = 0; k < steps * (step / kWhole) && value; ++k) value = multiply(*value, base);
      } else {
        const Result inverse = this->power(base, Rational(steps * (step / kWhole)));
        value = inverse ? multiply(*value, *inverse) : std::nullopt;
      }
      if (const std::int32_t left = power.twelfths - steps * step; left != 0) rest.push_back({power.generator, left});
    }
    if (value) value = multiply(*value, single(rest));
    if (!value) return std::nullopt;
    sum = add(sum, *value);
  }
  return sum;
}

std::optional<Polynomial> Canonicalizer::compute(NodeId id) {
  switch (graph_.op(id)) {
    case Op::kConstant:
      return constant(graph_.number(id));
    case Op::kPi:
      return opaque({Generator::Kind::kPi, 0, 0, Op::kConstant, {}}, kWhole);
    case Op::kSymbol:
      return opaque({Generator::Kind::kSymbol, graph_.symbol_of(id), 0, Op::kConstant, {}}, kWhole);
    case Op::kSum: {
      Collector collector;
      collector.add(TermKey{}, graph_.number(id));
      for (const Graph::Item& item : graph_.items(id)) {
        const Result& term = known_.at(item.node);
        if (!term) return std::nullopt;
        for (const PolynomialTerm& t : *term) collector.add(t.key, t.coefficient * graph_.number(item));
        if (collector.size() > max_terms_ || !spend(term->size())) return std::nullopt;
      }
      return without_angle_relations(collector.sorted());
    }
    case Op::kProduct: {
      Result product = constant(graph_.number(id));
      // power() may add nodes to the graph, which moves the items, so the loop runs over a copy.
      const auto items = graph_.items(id);
      for (const Graph::Item& item : std::vector<Graph::Item>(items.begin(), items.end())) {
        const Result& base = known_.at(item.node);
        if (!base) return std::nullopt;
        const Result factor = power(*base, graph_.number(item));
        if (!factor) return std::nullopt;
        product = multiply(*product, *factor);
        if (!product) return std::nullopt;
      }
      return without_angle_relations(*std::move(product));
    }
    default:
      return function(id);
  }
}

// Counts operations instead of time, so that the same input gives the same output on every machine.
bool Canonicalizer::spend(std::size_t operations) {
  effort_ += operations;
  return effort_ <= limit_;
}

// Sets the limit on effort before a call of canonical(): what is done already plus kEffortEach · max_terms, but at most
// kEffortAll · max_terms plus max_terms/10 for each call so far.
void Canonicalizer::allow() {
  total_ += max_terms_ / 10;
  limit_ = std::min(effort_ + kEffortEach * max_terms_, kEffortAll * max_terms_ + total_);
}

std::optional<Polynomial> Canonicalizer::canonical(const Expr& expression) {
  if (const auto found = known_.find(expression.id()); found != known_.end()) return found->second;
  // The outermost call gets its own allowance; recursive calls share it.
  const bool outermost = depth_ == 0;
  if (outermost) allow();
  ++depth_;
  for (const NodeId id : reachable(std::array{expression}))
    if (!known_.contains(id)) known_.emplace(id, with_state_relations(compute(id)));
  --depth_;
  return known_.at(expression.id());
}

// Adds neighbours until one is left: O(n log n) for n terms of all.
Polynomial Canonicalizer::sum_of(std::vector<Polynomial> parts) const {
  while (parts.size() > 1) {
    std::vector<Polynomial> half;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) half.push_back(add(parts[i], parts[i + 1]));
    if (parts.size() % 2 == 1) half.push_back(std::move(parts.back()));
    parts = std::move(half);
  }
  return parts.empty() ? Polynomial{} : std::move(parts.front());
}

std::optional<Polynomial> Canonicalizer::cleared(Polynomial p) {
  allow();
  if (Result primitive = with_primitive_roots(p)) p = *std::move(primitive);
  for (int round = 0; round < 32; ++round) {
    // The sum with the most negative exponent in any term is cleared first.
    std::optional<GeneratorPower> worst;
    for (const PolynomialTerm& term : p)
      for (const GeneratorPower& power : monomial(term.key.monomial))
        if (generator(power.generator).kind == Generator::Kind::kSum && power.twelfths < 0 &&
            (!worst || power.twelfths < worst->twelfths))
          worst = power;
    if (!worst) return with_state_relations(without_angle_relations(std::move(p)));
    std::vector<Polynomial> parts;
    std::size_t terms = 0;
    for (const PolynomialTerm& term : p) {
      Monomial m = monomial(term.key.monomial);
      std::int32_t owed = -worst->twelfths;
      for (GeneratorPower& power : m)
        if (power.generator == worst->generator) {
          owed += power.twelfths;
          power.twelfths = 0;
        }
      std::erase_if(m, [](const GeneratorPower& power) { return power.twelfths == 0; });
      Result value = Polynomial{{TermKey{intern(std::move(m)), term.key.angle, term.key.trig}, term.coefficient}};
      const Polynomial base = generator(worst->generator).arguments[0];
      for (; owed >= kWhole && value; owed -= kWhole) value = multiply(*value, base);
      if (value && owed > 0) value = multiply(*value, single({{worst->generator, owed}}));
      // Terms of different parts may cancel, so more than the limit may be in sight.
      if (!value || (terms += value->size()) > 8 * max_terms_) return std::nullopt;
      parts.push_back(*std::move(value));
    }
    p = sum_of(std::move(parts));
    if (p.size() > max_terms_) return std::nullopt;
  }
  return std::nullopt;
}

Expr Canonicalizer::expression(const GeneratorPower& power) {
  const auto [known, fresh] = expressions_.try_emplace(power.generator);
  if (!fresh) return graph_.power(known->second, Rational(power.twelfths, kWhole));
  const Generator& g = generator(power.generator);
  Expr base;
  switch (g.kind) {
    case Generator::Kind::kSymbol:
      base = graph_.symbol(g.symbol);
      break;
    case Generator::Kind::kPi:
      base = graph_.pi();
      break;
    case Generator::Kind::kPrime:
      base = graph_.constant(Rational(g.prime));
      break;
    case Generator::Kind::kSum:
      base = expression(g.arguments[0]);
      break;
    case Generator::Kind::kFunction: {
      std::vector<Expr> arguments;
      for (const Polynomial& argument : g.arguments) arguments.push_back(expression(argument));
      base = g.op == Op::kPower ? graph_.power(arguments[0], arguments[1]) : graph_.function(g.op, arguments);
    }
  }
  expressions_.insert_or_assign(power.generator, base);
  return graph_.power(base, Rational(power.twelfths, kWhole));
}

Expr Canonicalizer::expression(const Angle& angle) {
  std::vector<Graph::Term> terms;
  for (const auto& [m, coefficient] : angle) {
    std::vector<Expr> factors;
    for (const GeneratorPower& power : monomial(m)) factors.push_back(expression(power));
    terms.push_back({graph_.product(factors), coefficient});
  }
  return graph_.sum(terms);
}

Expr Canonicalizer::expression(const PolynomialTerm& term) {
  std::vector<Expr> factors{graph_.constant(term.coefficient)};
  for (const GeneratorPower& power : monomial(term.key.monomial)) factors.push_back(expression(power));
  if (term.key.trig != Trig::kOne) {
    const Expr x = expression(angle(term.key.angle));
    factors.push_back(term.key.trig == Trig::kCos ? cos(x) : sin(x));
  }
  return graph_.product(factors);
}

Expr Canonicalizer::expression(const Polynomial& p) {
  std::vector<Expr> terms;
  for (const PolynomialTerm& term : p) terms.push_back(expression(term));
  return graph_.sum(terms);
}

}  // namespace dalembert
