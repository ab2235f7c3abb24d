// SPDX-License-Identifier: Apache-2.0
// Sines and cosines in canonical forms: of sums of angles, of multiples of π, and of angles that are functions themselves.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/cyclotomic.h"

namespace dalembert {
namespace {

constexpr int kMostMultiples = 16;            // cos(16 atan x) is written by powers, cos(17 atan x) is not
constexpr std::size_t kMostAngleTerms = 100;  // limit on the number of terms of one angle
constexpr std::size_t kMostSquareRoots = 5;   // limit on the distinct primes whose square roots may occur in a value
constexpr std::size_t kMostRoots = 20000;     // limit on the roots of unity that are added up for one value

// The number in (−period/2, period/2] that differs from q by a multiple of the period.
Rational reduced(const Rational& q, int period) {
  const Rational x = q * Rational(1, period) + Rational(1, 2);
  const auto above = x.numerator().as_int(), below = x.denominator().as_int();
  if (!above || !below) return q;
  std::int64_t k = *above / *below;
  if (*above % *below == 0 || *above < 0) --k;  // floor(x), minus 1 if x is an integer
  return q - Rational(k * period);
}

bool is_whole(const Rational& q, int times) { return (q * Rational(times)).is_integer(); }

}  // namespace

std::uint32_t Canonicalizer::pi_monomial() {
  if (!pi_monomial_)
    pi_monomial_ = intern({{intern_generator({Generator::Kind::kPi, 0, 0, Op::kConstant, {}}), kWhole}});
  return *pi_monomial_;
}

Rational Canonicalizer::turns(std::uint32_t id) const {
  if (pi_monomial_)
    for (const auto& [monomial, coefficient] : angle(id))
      if (monomial == *pi_monomial_) return coefficient;
  return 0;
}

// cos(turns · π): with square roots for multiples of π/12 and π/5, otherwise ± the cosine or sine of an angle of at most π/4.
Polynomial Canonicalizer::constant_cosine(const Rational& turns) {
  Rational q = reduced(turns, 2);
  if (q.sign() < 0) q = -q;
  const bool negative = q > Rational(1, 2);
  if (negative) q = Rational(1) - q;
  const Rational sign = negative ? -1 : 1;
  const auto root = [&](int of, const Rational& factor) {
    return add({}, *power_of_number(of, Rational(1, 2)), factor * sign);
  };
  if (is_whole(q, 12)) {
    switch (*(q * Rational(12)).as_int()) {
      case 0:
        return constant(sign);
      case 1:
        return add(root(6, Rational(1, 4)), root(2, Rational(1, 4)));
      case 2:
        return root(3, Rational(1, 2));
      case 3:
        return root(2, Rational(1, 2));
      case 4:
        return constant(sign * Rational(1, 2));
      case 5:
        return add(root(6, Rational(1, 4)), root(2, Rational(-1, 4)));
      default:
        return {};
    }
  }
  if (is_whole(q, 5))
    return add(root(5, Rational(1, 4)), constant(sign * (q == Rational(1, 5) ? Rational(1, 4) : Rational(-1, 4))));
  const bool sine = q > Rational(1, 4);
  const auto [id, unused] = intern_angle({{pi_monomial(), sine ? Rational(1, 2) - q : q}});
  return {{TermKey{0, id, sine ? Trig::kSin : Trig::kCos}, sign}};
}

const Canonicalizer::Circle& Canonicalizer::angle_circle(const Angle& angle) {
  if (const auto found = circles_.find(angle); found != circles_.end()) return found->second;
  Angle rest = angle;
  Rational q = 0;
  const std::uint32_t pi = pi_monomial();
  std::erase_if(rest, [&](const auto& part) {
    if (part.first == pi) q = part.second;
    return part.first == pi;
  });
  if (rest.empty())
    return circles_.emplace(angle, Circle{constant_cosine(q), constant_cosine(q - Rational(1, 2))}).first->second;
  const bool flipped = rest.front().second.sign() < 0;
  if (flipped) {
    for (auto& [monomial, coefficient] : rest) coefficient = -coefficient;
    q = -q;
  }
  // Half turns become signs. What remains, at most a quarter turn, stays in the angle unless it is a multiple of π/6 or π/4.
  const Rational left = reduced(q, 1);
  const Rational sign = is_whole((q - left), 1) && !is_whole((q - left) * Rational(1, 2), 1) ? -1 : 1;
  const bool known = is_whole(left, 6) || is_whole(left, 4);
  if (!known) {
    rest.emplace_back(pi, left);
    std::ranges::sort(rest, [&](const auto& a, const auto& b) { return angle_before(a.first, b.first); });
  }
  const auto [id, lead] = intern_angle(std::move(rest));
  const Polynomial c = {{TermKey{0, id, Trig::kCos}, 1}}, s = {{TermKey{0, id, Trig::kSin}, lead}};
  Circle both{c, s};
  if (known && !left.is_zero()) {
    const Polynomial cq = constant_cosine(left), sq = constant_cosine(left - Rational(1, 2));
    const auto times = [&](const Polynomial& a, const Polynomial& b) {
      // Since the factor b is a constant, no product of sines must be expanded, and the products are too short to fail.
      Polynomial sum;
      for (const PolynomialTerm& x : a)
        for (const PolynomialTerm& y : b)
          sum = add(sum, {{TermKey{y.key.monomial, x.key.angle, x.key.trig}, x.coefficient * y.coefficient}});
      return sum;
    };
    both = {add(times(c, cq), times(s, sq), -1), add(times(s, cq), times(c, sq))};
  }
  both.cosine = add({}, both.cosine, sign);
  both.sine = add({}, both.sine, flipped ? -sign : sign);
  return circles_.emplace(angle, std::move(both)).first->second;
}

Polynomial Canonicalizer::trigonometric_product(const TermKey& a, const TermKey& b) {
  const Angle first = angle(a.angle), second = angle(b.angle);
  const Circle plus = angle_circle(combine(first, second, 1)), minus = angle_circle(combine(first, second, -1));
  const Rational half(1, 2);
  if (a.trig == b.trig) return add(add({}, minus.cosine, half), plus.cosine, a.trig == Trig::kCos ? half : -half);
  return add(add({}, plus.sine, half), minus.sine, a.trig == Trig::kSin ? half : -half);
}

std::optional<Canonicalizer::Circle> Canonicalizer::sum(const Circle& a, const Circle& b) {
  const Result cc = multiply(a.cosine, b.cosine), ss = multiply(a.sine, b.sine), sc = multiply(a.sine, b.cosine),
               cs = multiply(a.cosine, b.sine);
  if (!cc || !ss || !sc || !cs) return std::nullopt;
  return Circle{add(*cc, *ss, -1), add(*sc, *cs)};
}

std::optional<Canonicalizer::Circle> Canonicalizer::multiple(const Circle& circle, int times) {
  std::optional<Circle> result = Circle{constant(1), {}};
  for (int i = 0; i < std::abs(times) && result; ++i) result = sum(*result, circle);
  if (result && times < 0) result->sine = add({}, result->sine, -1);
  return result;
}

// Cosine and sine of an angle that is a function itself: n·atan u, n·atan2(y, x), n·asin u, n·acos u with integer 2n, and c·|u|.
std::optional<Canonicalizer::Circle> Canonicalizer::function_circle(const PolynomialTerm& term) {
  const Monomial& m = monomial(term.key.monomial);
  if (term.key.trig != Trig::kOne || m.size() != 1 || m[0].twelfths != kWhole) return std::nullopt;
  const Generator& g = generator(m[0].generator);
  if (g.kind != Generator::Kind::kFunction) return std::nullopt;
  const Polynomial u = g.arguments[0];
  if (g.op == Op::kAbs) {
    // Identities: cos(c|u|) = cos(cu), sin(c|u|) = sign(u) sin(cu).
    auto both = circle(add({}, u, term.coefficient));
    const Result sign = opaque({Generator::Kind::kFunction, 0, 0, Op::kSign, {u}}, kWhole);
    const Result sine = both ? multiply(*sign, both->sine) : std::nullopt;
    if (!sine) return std::nullopt;
    both->sine = *sine;
    return both;
  }
  const auto halves = (term.coefficient * Rational(2)).as_int();
  if (!halves || std::abs(*halves) > 2 * kMostMultiples) return std::nullopt;
  const Result square = multiply(u, u);
  if (!square) return std::nullopt;
  Result cosine, sine;
  const auto over_root = [&](const Polynomial& above, const Result& radicand) -> Result {
    const Result root = radicand ? power(*radicand, Rational(-1, 2)) : std::nullopt;
    return root ? multiply(above, *root) : std::nullopt;
  };
  switch (g.op) {
    case Op::kAtan: {
      const Polynomial below = add(constant(1), *square);
      cosine = over_root(constant(1), below);
      sine = over_root(u, below);
      break;
    }
    case Op::kAtan2: {
      const Polynomial x = g.arguments[1];
      const Result other = multiply(x, x);
      if (!other) return std::nullopt;
      const Polynomial below = add(*square, *other);
      cosine = over_root(x, below);
      sine = over_root(u, below);
      break;
    }
    case Op::kAsin:
      sine = u;
      cosine = power(add(constant(1), *square, -1), Rational(1, 2));
      break;
    case Op::kAcos:
      cosine = u;
      sine = power(add(constant(1), *square, -1), Rational(1, 2));
      break;
    default:
      return std::nullopt;
  }
  if (!cosine || !sine) return std::nullopt;
  if (*halves % 2 == 0) return multiple({*cosine, *sine}, *halves / 2);
  // cos(A/2) = √((1 + cos A)/2), which is not negative because A is in (−π, π].
  const Polynomial raised = add(constant(Rational(1, 2)), *cosine, Rational(1, 2));
  const Result half_cosine = power(raised, Rational(1, 2)), inverse = power(raised, Rational(-1, 2));
  const Result half_sine = inverse ? multiply(add({}, *sine, Rational(1, 2)), *inverse) : std::nullopt;
  if (!half_cosine || !half_sine) return std::nullopt;
  return multiple({*half_cosine, *half_sine}, *halves);
}

// Cosine and sine of an argument with too many terms to be an angle: two opaque functions, between which no relation is known.
std::optional<Canonicalizer::Circle> Canonicalizer::opaque_circle(Polynomial argument) {
  const bool flipped = argument.front().coefficient.sign() < 0;
  if (flipped) argument = add({}, argument, -1);
  const Result cosine = opaque({Generator::Kind::kFunction, 0, 0, Op::kCos, {argument}}, kWhole),
               sine = opaque({Generator::Kind::kFunction, 0, 0, Op::kSin, {argument}}, kWhole);
  return Circle{*cosine, add({}, *sine, flipped ? -1 : 1)};
}

// Cosine and sine of a sum. A term that contains a sine or cosine is one opaque part of the angle.
std::optional<Canonicalizer::Circle> Canonicalizer::circle(const Polynomial& argument) {
  if (argument.size() > kMostAngleTerms) return opaque_circle(argument);
  Angle angle;
  std::vector<Circle> functions;
  for (const PolynomialTerm& term : argument) {
    if (auto both = function_circle(term)) {
      functions.push_back(*std::move(both));
    } else if (term.key.trig != Trig::kOne) {
      const Polynomial alone = {{term.key, 1}};
      const std::uint32_t generator = intern_generator({Generator::Kind::kSum, 0, 0, Op::kConstant, {alone}});
      angle.emplace_back(intern({{generator, kWhole}}), term.coefficient);
    } else {
      angle.emplace_back(term.key.monomial, term.coefficient);
    }
  }
  std::ranges::sort(angle, [&](const auto& a, const auto& b) { return angle_before(a.first, b.first); });
  std::optional<Circle> total = angle_circle(angle);
  for (const Circle& other : functions)
    if (total) total = sum(*total, other);
  return total;
}

namespace {

// A term, split into coefficient · (common monomial) · √(Π roots) · Re e^{i(A + 2π·turn)} with a common angle A.
struct AngleTerm {
  const PolynomialTerm* term;
  Rational turn;
  std::vector<std::int64_t> roots;
};

std::optional<RootSum> product_of_roots(const std::vector<std::int64_t>& primes, std::int64_t order) {
  RootSum product(order);
  product.add(0, 1);
  std::size_t size = 1;
  for (const std::int64_t p : primes) {
    const auto root = square_root_of_prime(p, order);
    if (!root || (size *= root->terms().size()) > kMostRoots) return std::nullopt;
    product = product.times(*root);
  }
  return product;
}

// A summand factor·√(Π primes)·(1 or i) of a value that is written with square roots.
struct Radical {
  Rational factor;
  std::vector<std::int64_t> primes;
  bool imaginary;
};

// Upper bound on the products of terms that by_square_roots() computes for each term of its argument: the number of
// roots of unity in √d, summed over every product d of primes.
std::size_t work_of_square_roots(std::int64_t order, bool with_imaginary) {
  double terms = with_imaginary ? 2 : 1;
  for (const std::int64_t p : prime_factors(order))
    if (square_root_of_prime(p, order)) terms *= 1 + (p == 2 ? 2 : static_cast<double>(p - 1));
  return static_cast<std::size_t>(std::min(terms, 1e9));
}

std::optional<std::vector<Radical>> by_square_roots(RootSum value, bool with_imaginary) {
  std::vector<std::int64_t> primes;
  for (const std::int64_t p : prime_factors(value.order()))
    if (square_root_of_prime(p, value.order())) primes.push_back(p);
  if (primes.size() > kMostSquareRoots) return std::nullopt;
  std::vector<Radical> sum;
  const RootSum given = value;
  for (std::size_t bits = 0; bits < std::size_t{1} << primes.size(); ++bits) {
    std::vector<std::int64_t> chosen;
    Rational d = 1;
    for (std::size_t i = 0; i < primes.size(); ++i)
      if (bits >> i & 1) {
        chosen.push_back(primes[i]);
        d = d * Rational(primes[i]);
      }
    const auto root = product_of_roots(chosen, value.order());
    if (!root || root->terms().size() * given.terms().size() > kMostRoots) continue;
    for (const bool imaginary : {false, true}) {
      if (imaginary && !with_imaginary) continue;
      RootSum unit(value.order());
      unit.add(imaginary ? Rational(1, 4) : Rational(0), 1);
      RootSum inverse(value.order());
      inverse.add(imaginary ? Rational(-1, 4) : Rational(0), 1);
      const Rational factor = given.times(*root).times(inverse).rational_part() / d;
      if (factor.is_zero()) continue;
      value.add(root->times(unit), -factor);
      sum.push_back({factor, chosen, imaginary});
    }
  }
  if (!value.vanishes()) return std::nullopt;
  return sum;
}

}  // namespace

// Applies the relations between roots of unity: replaces groups of terms by equal ones with fewer terms.
class Canonicalizer::AngleRelations {
 public:
  explicit AngleRelations(Canonicalizer& forms) : forms_(forms) {}

  // A polynomial d for which p + d has the same value as p and fewer terms; nothing if a product is too large.
  Result find_change(const Polynomial& p) {
    Polynomial change;
    for (const auto& [common, members] : groups_of(p)) {
      const std::optional<std::int64_t> order = order_of(members);
      if (!order) continue;
      for (const auto& [outside, part] : by_foreign_roots(members, *order)) {
        if (part.size() < 2) continue;
        Result replacement = simpler(common, outside, part, *order);
        if (failed_) return std::nullopt;
        if (!replacement) continue;
        for (const AngleTerm& member : part) replacement = forms_.add(*replacement, {*member.term}, -1);
        change = forms_.add(change, *replacement);
      }
    }
    return change;
  }

 private:
  using Primes = std::vector<std::int64_t>;
  using Common = std::pair<Monomial, Angle>;

  // Groups of terms that can cancel: all factors are equal, except square roots of primes and multiples of π.
  std::map<Common, std::vector<AngleTerm>> groups_of(const Polynomial& p) const {
    std::map<Common, std::vector<AngleTerm>> groups;
    for (const PolynomialTerm& term : p) {
      AngleTerm own{&term, 0, {}};
      Monomial rest;
      for (GeneratorPower power : forms_.monomial(term.key.monomial)) {
        if (const Generator& g = forms_.generator(power.generator);
            g.kind == Generator::Kind::kPrime && power.twelfths >= kHalf) {
          own.roots.push_back(g.prime);
          power.twelfths -= kHalf;
        }
        if (power.twelfths != 0) rest.push_back(power);
      }
      Angle variable;
      if (term.key.trig != Trig::kOne) {
        variable = forms_.angle(term.key.angle);
        own.turn = forms_.turns(term.key.angle) * Rational(1, 2);
        if (term.key.trig == Trig::kSin) own.turn = own.turn - Rational(1, 4);
        std::erase_if(variable, [&](const auto& part) { return part.first == *forms_.pi_monomial_; });
        if (!variable.empty() && variable.front().second.sign() < 0) {
          for (auto& [monomial, coefficient] : variable) coefficient = -coefficient;
          own.turn = -own.turn;
        }
      }
      groups[{std::move(rest), std::move(variable)}].push_back(std::move(own));
    }
    return groups;
  }

  // The order of the roots of unity e^{2πi·turn} of all members; nothing if it is too large, or at most 4, where there are no relations.
  std::optional<std::int64_t> order_of(const std::vector<AngleTerm>& members) {
    if (members.size() < 2) return std::nullopt;
    std::int64_t order = 4;
    for (const AngleTerm& member : members) {
      const auto below = member.turn.denominator().as_int();
      order = below && order <= RootSum::kMaxOrder ? std::lcm<std::int64_t>(order, *below) : RootSum::kMaxOrder + 1;
    }
    if (order > RootSum::kMaxOrder || order <= 4 || !forms_.spend(10 * members.size())) return std::nullopt;
    return order;
  }

  // Separates the members by those square roots of primes that are not sums of roots of unity of this order: they are independent of such sums.
  static std::map<Primes, std::vector<AngleTerm>> by_foreign_roots(const std::vector<AngleTerm>& members,
                                                                   std::int64_t order) {
    std::map<Primes, std::vector<AngleTerm>> parts;
    for (AngleTerm member : members) {
      const auto foreign = std::ranges::stable_partition(
          member.roots, [&](std::int64_t q) { return q == 2 ? order % 8 == 0 : order % q == 0; });
      Primes outside(foreign.begin(), foreign.end());
      member.roots.erase(foreign.begin(), foreign.end());
      parts[std::move(outside)].push_back(std::move(member));
    }
    return parts;
  }

  // The sum of a group of terms, written with fewer terms, or with square roots if it is a number; nothing if there is no such form.
  Result simpler(const Common& common, const Primes& outside, const std::vector<AngleTerm>& part, std::int64_t order) {
    const bool is_number = common.second.empty();
    const std::optional<RootSum> value = sum_of_roots(part, order, is_number);
    if (!value) return std::nullopt;
    const std::optional<std::vector<Radical>> radicals = radicals_of(*value, is_number);
    if (radicals && (is_number || radicals->size() < part.size())) return by_radicals(common, outside, *radicals);
    if (is_number) return std::nullopt;
    Result replacement = by_quarter_turns(common.second, part);
    return replacement && replacement->size() < part.size() ? replacement : std::nullopt;
  }

  // The sum of the coefficients of e^{iA} in a group of terms, or the group's value if it is a number (A = 0).
  std::optional<RootSum> sum_of_roots(const std::vector<AngleTerm>& part, std::int64_t order, bool is_number) {
    RootSum value(order);
    for (const AngleTerm& member : part) {
      const auto root = product_of_roots(member.roots, order);
      if (!root || !forms_.spend(root->terms().size()) || value.terms().size() >= kMostRoots) return std::nullopt;
      for (const bool mirrored : {false, true}) {
        if (mirrored && !is_number) continue;
        RootSum turned(order);
        turned.add(mirrored ? -member.turn : member.turn, 1);
        value.add(root->times(turned), member.term->coefficient * (is_number ? Rational(1, 2) : Rational(1)));
      }
    }
    return value;
  }

  std::optional<std::vector<Radical>> radicals_of(const RootSum& value, bool is_number) {
    if (value.vanishes()) return std::vector<Radical>();
    const std::size_t work = value.terms().size() * work_of_square_roots(value.order(), !is_number);
    if (!forms_.can_spend(4 * work) || !forms_.spend(work)) return std::nullopt;
    return by_square_roots(value, !is_number);
  }

  Result by_radicals(const Common& common, const Primes& outside, const std::vector<Radical>& radicals) {
    const bool is_number = common.second.empty();
    const Circle both = forms_.angle_circle(common.second);
    Polynomial sum;
    for (const Radical& radical : radicals) {
      Result term = forms_.single(common.first, radical.factor);
      for (const Primes* primes : {&radical.primes, &outside})
        for (const std::int64_t prime : *primes)
          if (term) term = forms_.multiply(*term, *forms_.power_of_number(prime, Rational(1, 2)));
      // Re i·e^{iA} = −sin A
      if (term && !is_number)
        term = forms_.multiply(*term, radical.imaginary ? forms_.add({}, both.sine, -1) : both.cosine);
      failed_ = !term;
      if (failed_) return std::nullopt;
      sum = forms_.add(sum, *term);
    }
    return sum;
  }

  // Shifts each angle by quarter turns to the smallest one, so that a cosine and a sine a quarter turn apart become the same function.
  Result by_quarter_turns(const Angle& variable, const std::vector<AngleTerm>& part) {
    Polynomial sum;
    for (const AngleTerm& member : part) {
      const Rational least = reduced(member.turn * Rational(4), 1) * Rational(1, 4);
      const auto quarter = ((member.turn - least) * Rational(4)).as_int();
      failed_ = !quarter;
      if (failed_) return std::nullopt;
      Angle shifted = variable;
      if (!least.is_zero()) shifted.emplace_back(*forms_.pi_monomial_, least * Rational(2));
      const Circle both = forms_.angle_circle(shifted);
      const int k = (*quarter % 4 + 4) % 4;
      const Polynomial turned = forms_.add({}, k % 2 == 0 ? both.cosine : both.sine, k == 1 || k == 2 ? -1 : 1);
      const Polynomial monomial = {{TermKey{member.term->key.monomial, 0, Trig::kOne}, member.term->coefficient}};
      const Result product = forms_.multiply(monomial, turned);
      failed_ = !product;
      if (failed_) return std::nullopt;
      sum = forms_.add(sum, *product);
    }
    return sum;
  }

  Canonicalizer& forms_;
  bool failed_ = false;  // whether a product was too large
};

Polynomial Canonicalizer::without_angle_relations(Polynomial p) {
  if (!any_pi_ || std::ranges::none_of(
                      p, [&](const PolynomialTerm& t) { return t.key.trig != Trig::kOne && has_pi_[t.key.angle]; }))
    return p;
  const Result change = AngleRelations(*this).find_change(p);
  return change && !change->empty() ? add(p, *change) : p;
}

}  // namespace dalembert
