// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/canonical.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::int32_t kOne = 12;  // exponent 1 in twelfths

struct TermKeyHash {
  std::size_t operator()(const TermKey& key) const {
    std::size_t h = key.monomial * 0x9E3779B97F4A7C15u;
    h ^= (static_cast<std::size_t>(key.angle) * 3 + static_cast<std::size_t>(key.trig)) * 0xC2B2AE3D27D4EB4Fu;
    return h ^ h >> 29;
  }
};

// Collects terms of a product before they are sorted.
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

std::optional<std::int32_t> in_twelfths(const Rational& exponent) {
  const auto scaled = (exponent * Rational(kOne)).as_int();
  if (!scaled || std::abs(*scaled) > 12000) return std::nullopt;
  return scaled;
}

}  // namespace

Canonicalizer::Canonicalizer(Graph& graph, std::size_t max_terms) : graph_(graph), max_terms_(max_terms) {
  intern(Monomial{});
  angles_.push_back(&angle_index_.try_emplace(Angle{}, 0).first->first);
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
  // The lowest coordinate leads; then other symbols in the order they were made; opaque things last.
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
  if (fresh) angles_.push_back(&place->first);
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

Polynomial Canonicalizer::single(Monomial monomial, const Rational& coefficient) {
  if (coefficient.is_zero()) return {};
  return {{TermKey{intern(std::move(monomial)), 0, Trig::kOne}, coefficient}};
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
      std::int32_t twelfths = x[i].twelfths + y[j].twelfths;
      // Whole powers of a prime are numbers: √3·√3 = 3.
      if (const Generator& g = generator(x[i].generator); g.kind == Generator::Kind::kPrime) {
        for (; twelfths >= kOne; twelfths -= kOne) coefficient = coefficient * Rational(g.prime);
        for (; twelfths < 0; twelfths += kOne) coefficient = coefficient / Rational(g.prime);
      }
      if (twelfths != 0) product.push_back({x[i].generator, twelfths});
      ++i;
      ++j;
    }
  }
  return intern(std::move(product));
}

std::optional<Polynomial> Canonicalizer::multiply(const Polynomial& a, const Polynomial& b) {
  if (a.size() * b.size() > 40 * max_terms_) return std::nullopt;
  Collector collector;
  bool roots = false;
  for (const PolynomialTerm& x : a) {
    for (const PolynomialTerm& y : b) {
      Rational c = x.coefficient * y.coefficient;
      const std::uint32_t m = multiply_monomials(x.key.monomial, y.key.monomial, c);
      // The root of a sum whose exponent has grown to 1 or more must be multiplied out below.
      for (const GeneratorPower& power : monomial(m))
        roots = roots || (power.twelfths >= kOne && generator(power.generator).kind == Generator::Kind::kSum);
      if (x.key.trig == Trig::kOne || y.key.trig == Trig::kOne) {
        const TermKey& angle = x.key.trig == Trig::kOne ? y.key : x.key;
        collector.add({m, angle.angle, angle.trig}, c);
        continue;
      }
      const auto [place, fresh] = angle_products_.try_emplace({x.key.angle, y.key.angle});
      if (fresh) {
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
  if (!roots) return product;
  Polynomial opened;
  for (const PolynomialTerm& term : product) {
    Result value = Polynomial{{TermKey{0, term.key.angle, term.key.trig}, term.coefficient}};
    Monomial rest;
    for (const GeneratorPower power : Monomial(monomial(term.key.monomial))) {
      if (generator(power.generator).kind == Generator::Kind::kSum && power.twelfths >= kOne) {
        const Polynomial base = generator(power.generator).arguments[0];
        for (std::int32_t k = 0; k < power.twelfths / kOne && value; ++k) value = multiply(*value, base);
        if (power.twelfths % kOne != 0) rest.push_back({power.generator, power.twelfths % kOne});
      } else {
        rest.push_back(power);
      }
    }
    if (value) value = multiply(*value, single(rest));
    if (!value) return std::nullopt;
    opened = add(opened, *value);
  }
  return opened;
}

std::optional<Polynomial> Canonicalizer::power_of_number(const Rational& base, const Rational& exponent) {
  if (const auto integer = exponent.as_int(); integer && !(base.is_zero() && *integer < 0))
    return constant(base.is_zero() ? Rational(0) : base.power(*integer));
  const auto twelfths = in_twelfths(exponent);
  if (!twelfths || base.sign() <= 0) return std::nullopt;
  // p/q into primes; only numbers that trial division finishes.
  Polynomial result = constant(1);
  for (const int side : {1, -1}) {
    const Rational part = side > 0 ? base.numerator() : base.denominator();
    if (part > Rational(1000000000000)) return std::nullopt;
    auto rest = static_cast<std::int64_t>(part.to_double());
    const auto use = [&](std::int64_t prime, int count) {
      std::int32_t total = *twelfths * count * side;
      Rational whole = 1;
      for (; total >= kOne; total -= kOne) whole = whole * Rational(prime);
      for (; total < 0; total += kOne) whole = whole / Rational(prime);
      Monomial monomial;
      Generator g{Generator::Kind::kPrime, 0, prime, Op::kConstant, {}};
      if (total != 0) monomial.push_back({intern_generator(std::move(g)), total});
      result = *multiply(result, single(std::move(monomial), whole));
    };
    for (std::int64_t prime = 2; prime * prime <= rest; ++prime) {
      int count = 0;
      for (; rest % prime == 0; rest /= prime) ++count;
      if (count > 0) use(prime, count);
    }
    if (rest > 1) use(rest, 1);
  }
  return result;
}

std::optional<Polynomial> Canonicalizer::opaque(Generator generator, std::int32_t twelfths) {
  return single({{intern_generator(std::move(generator)), twelfths}});
}

std::optional<Polynomial> Canonicalizer::power(const Polynomial& base, const Rational& exponent) {
  if (exponent.is_one()) return base;
  if (const auto number = as_constant(base)) {
    if (auto value = power_of_number(*number, exponent)) return value;
  }
  const auto twelfths = in_twelfths(exponent);
  const auto integer = exponent.as_int();
  if (!twelfths) {
    // An unusual root: the whole power is one opaque thing.
    return opaque({Generator::Kind::kFunction, 0, 0, Op::kPower, {base, constant(exponent)}}, kOne);
  }
  if (base.size() == 1 && base[0].key.trig == Trig::kOne) {
    const Monomial& m = monomial(base[0].key.monomial);
    const bool lone_symbol = m.size() == 1 && m[0].twelfths == kOne && base[0].coefficient.is_one();
    if (integer || lone_symbol) {
      Monomial raised = m;
      for (GeneratorPower& g : raised) g.twelfths = integer ? g.twelfths * *integer : *twelfths;
      if (integer) return multiply(constant(base[0].coefficient.power(*integer)), single(std::move(raised)));
      return single(std::move(raised));
    }
  }
  if (integer && *integer > 0) {
    if (*integer > 64) return std::nullopt;
    Result result = constant(1), square = base;
    for (int e = *integer; e > 0; e >>= 1) {
      if (e & 1) result = multiply(*result, *square);
      if (e > 1 && result) square = multiply(*square, *square);
      if (!result || !square) return std::nullopt;
    }
    return result;
  }
  if (base.empty()) return opaque({Generator::Kind::kSum, 0, 0, Op::kConstant, {base}}, *twelfths);
  Polynomial primitive = base;
  Result factor = constant(1);
  if (integer) {
    // 1/(c·S) = (1/c)·1/S with S's first coefficient 1: one generator for all multiples of a sum.
    const Rational lead = base.front().coefficient;
    for (PolynomialTerm& term : primitive) term.coefficient = term.coefficient / lead;
    factor = constant(lead.power(*integer));
  }
  // S^(k+f) with 0 ≤ f < 1: positive whole powers are multiplied out.
  std::int32_t rest = *twelfths;
  Result whole = constant(1);
  for (; rest >= kOne && whole; rest -= kOne) whole = multiply(*whole, primitive);
  if (!whole) return std::nullopt;
  Result value = rest == 0 ? constant(1) : opaque({Generator::Kind::kSum, 0, 0, Op::kConstant, {primitive}}, rest);
  value = multiply(*value, *whole);
  return value ? multiply(*value, *factor) : value;
}

std::optional<Polynomial> Canonicalizer::trigonometric(Op op, const Polynomial& argument) {
  Angle angle;
  Rational turns = 0;  // multiple of π in the argument
  for (const PolynomialTerm& term : argument) {
    // The sine of a sine is opaque.
    if (term.key.trig != Trig::kOne) return opaque({Generator::Kind::kFunction, 0, 0, op, {argument}}, kOne);
    const Monomial& m = monomial(term.key.monomial);
    if (m.size() == 1 && m[0].twelfths == kOne && generator(m[0].generator).kind == Generator::Kind::kPi)
      turns = term.coefficient;
    else
      angle.emplace_back(term.key.monomial, term.coefficient);
  }
  std::ranges::sort(angle, [&](const auto& a, const auto& b) { return angle_before(a.first, b.first); });
  // cos and sin of kπ/12 are known for multiples of π/6 and π/4; other multiples of π stay in the angle.
  const auto sixths = (turns * Rational(6)).as_int(), quarters = (turns * Rational(4)).as_int();
  Polynomial cos_shift = constant(1), sin_shift = constant(0);
  if (sixths || quarters) {
    const int step = ((sixths ? *sixths * 2 : *quarters * 3) % 24 + 24) % 24;  // in units of π/12
    const auto cosine = [&](int k) -> Polynomial {
      k = (k % 24 + 24) % 24;
      if (k > 12) k = 24 - k;
      const int sign = k > 6 ? -1 : 1;
      if (k > 6) k = 12 - k;
      switch (k) {
        case 0:
          return constant(sign);
        case 2:
          return *multiply(constant(Rational(sign, 2)), *power_of_number(3, Rational(1, 2)));
        case 3:
          return *multiply(constant(Rational(sign, 2)), *power_of_number(2, Rational(1, 2)));
        case 4:
          return constant(Rational(sign, 2));
        default:
          return {};
      }
    };
    cos_shift = cosine(step);
    sin_shift = cosine(step - 6);
  } else if (!turns.is_zero()) {
    const Polynomial pi = *opaque({Generator::Kind::kPi, 0, 0, Op::kConstant, {}}, kOne);
    angle.emplace_back(pi[0].key.monomial, turns);
    std::ranges::sort(angle, [&](const auto& a, const auto& b) { return angle_before(a.first, b.first); });
  }
  const auto [id, sign] = intern_angle(std::move(angle));
  const Polynomial cosine = id == 0 ? constant(1) : Polynomial{{TermKey{0, id, Trig::kCos}, 1}};
  const Polynomial sine = id == 0 ? Polynomial{} : Polynomial{{TermKey{0, id, Trig::kSin}, sign}};
  const bool is_sine = op == Op::kSin;
  const Result first = multiply(is_sine ? sine : cosine, cos_shift),
               second = multiply(is_sine ? cosine : sine, sin_shift);
  if (!first || !second) return std::nullopt;
  return add(*first, *second, is_sine ? 1 : -1);
}

std::optional<Polynomial> Canonicalizer::function(NodeId id) {
  std::vector<Polynomial> arguments;
  for (const Graph::Item& item : graph_.items(id)) {
    const Result& argument = known_.at(item.node);
    if (!argument) return std::nullopt;
    arguments.push_back(*argument);
  }
  switch (graph_.op(id)) {
    case Op::kSin:
    case Op::kCos:
      return trigonometric(graph_.op(id), arguments[0]);
    case Op::kTan: {
      const Result sine = trigonometric(Op::kSin, arguments[0]), cosine = trigonometric(Op::kCos, arguments[0]);
      const Result reciprocal = cosine ? power(*cosine, Rational(-1)) : std::nullopt;
      return sine && reciprocal ? multiply(*sine, *reciprocal) : std::nullopt;
    }
    default:
      return opaque({Generator::Kind::kFunction, 0, 0, graph_.op(id), std::move(arguments)}, kOne);
  }
}

std::optional<Polynomial> Canonicalizer::compute(NodeId id) {
  switch (graph_.op(id)) {
    case Op::kConstant:
      return constant(graph_.number(id));
    case Op::kPi:
      return opaque({Generator::Kind::kPi, 0, 0, Op::kConstant, {}}, kOne);
    case Op::kSymbol:
      return opaque({Generator::Kind::kSymbol, graph_.symbol_of(id), 0, Op::kConstant, {}}, kOne);
    case Op::kSum: {
      Collector collector;
      collector.add(TermKey{}, graph_.number(id));
      for (const Graph::Item& item : graph_.items(id)) {
        const Result& term = known_.at(item.node);
        if (!term) return std::nullopt;
        for (const PolynomialTerm& t : *term) collector.add(t.key, t.coefficient * graph_.number(item));
        if (collector.size() > max_terms_) return std::nullopt;
      }
      return collector.sorted();
    }
    case Op::kProduct: {
      Result product = constant(graph_.number(id));
      for (const Graph::Item& item : graph_.items(id)) {
        const Result& base = known_.at(item.node);
        if (!base) return std::nullopt;
        const Result factor = power(*base, graph_.number(item));
        if (!factor) return std::nullopt;
        product = multiply(*product, *factor);
        if (!product) return std::nullopt;
      }
      return product;
    }
    default:
      return function(id);
  }
}

std::optional<Polynomial> Canonicalizer::canonical(const Expr& expression) {
  for (const NodeId id : reachable(std::array{expression}))
    if (!known_.contains(id)) known_.emplace(id, compute(id));
  return known_.at(expression.id());
}

std::optional<Polynomial> Canonicalizer::cleared(Polynomial p) {
  for (int round = 0; round < 32; ++round) {
    // The sum with the lowest negative power in any term.
    std::optional<GeneratorPower> worst;
    for (const PolynomialTerm& term : p)
      for (const GeneratorPower& power : monomial(term.key.monomial))
        if (generator(power.generator).kind == Generator::Kind::kSum && power.twelfths < 0 &&
            (!worst || power.twelfths < worst->twelfths))
          worst = power;
    if (!worst) return p;
    Polynomial next;
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
      for (; owed >= kOne && value; owed -= kOne) value = multiply(*value, base);
      if (value && owed > 0) value = multiply(*value, single({{worst->generator, owed}}));
      if (!value) return std::nullopt;
      next = add(next, *value);
    }
    p = std::move(next);
  }
  return std::nullopt;
}

Expr Canonicalizer::expression(const GeneratorPower& power) {
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
  return graph_.power(base, Rational(power.twelfths, kOne));
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

namespace {

// Whether the value at some random point is certainly not round-off. Cheap, so it is asked before anything is expanded.
bool differs_from_zero(const Expr& expression, int points) {
  const std::vector<SymbolId> symbols = symbols_in(std::array{expression});
  std::mt19937_64 random(20240229);
  std::uniform_real_distribution<double> uniform(0.25, 1.75);
  int finite = 0;
  for (int attempt = 0; attempt < 4 * points && finite < points; ++attempt) {
    std::unordered_map<SymbolId, double> value;
    for (const SymbolId s : symbols) value.emplace(s, uniform(random));
    const double x = evaluate(expression, [&](SymbolId s) { return value.at(s); });
    if (!std::isfinite(x)) continue;
    ++finite;
    // The same point nudged by a relative 1e-9 shows how large a value round-off can fake.
    const double nudged = evaluate(expression, [&](SymbolId s) { return value.at(s) * (1 + 1e-9); });
    if (std::abs(x) > 1e-7 && std::abs(x) > 1e3 * std::abs(x - nudged)) return true;
  }
  return false;
}

}  // namespace

ZeroTest decide_zero(Canonicalizer& canonicalizer, const Expr& expression) {
  if (expression.is_zero()) return ZeroTest::kZero;
  if (differs_from_zero(expression, 2)) return ZeroTest::kNonzero;
  auto form = canonicalizer.canonical(expression);
  if (form) form = canonicalizer.cleared(*form);
  if (form) {
    if (form->empty()) return ZeroTest::kZero;
    // Without opaque generators (roots of primes are independent) a form that is not empty is not zero.
    bool decidable = true;
    for (const PolynomialTerm& term : *form)
      for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
        const auto kind = canonicalizer.generator(power.generator).kind;
        if (kind == Generator::Kind::kFunction || kind == Generator::Kind::kSum) decidable = false;
      }
    if (decidable) return ZeroTest::kNonzero;
  }
  return differs_from_zero(expression, 16) ? ZeroTest::kNonzero : ZeroTest::kUndecided;
}

}  // namespace dalembert
