// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/rational_form.h"

#ifdef DALEMBERT_HAS_FLINT

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <flint/fmpq_mpoly.h>
#include <flint/fmpq_mpoly_factor.h>

#include "dalembert/algebra/flint_memory.h"

namespace dalembert {
namespace {

constexpr std::size_t kMaxTerms = 400;  // limit on the terms of the given form
constexpr slong kMaxLength = 20000;     // limit on the terms of an intermediate polynomial
// Number of base angles up to which eliminations() tries all choices; beyond it, two.
constexpr std::size_t kMaxBaseAngles = 3;
// Largest multiple of a base angle; if one is larger, every angle becomes a base angle.
constexpr int kMaxMultiple = 24;
constexpr std::size_t kMostKept = 200'000;  // limit on the total number of terms of forms whose results are cached
constexpr double kMaxEffort = 2e6;          // limit on the products of terms computed in one context
constexpr double kMaxGcd = 3e5;             // limit on terms times degrees in a call of FLINT, which cannot be stopped

class Context {
 public:
  explicit Context(std::size_t variables) : variables_(variables) {
    use_flint_memory();
    fmpq_mpoly_ctx_init(context_, static_cast<slong>(variables), ORD_LEX);
  }
  ~Context() { fmpq_mpoly_ctx_clear(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  const fmpq_mpoly_ctx_struct* get() const { return context_; }
  std::size_t variables() const { return variables_; }

  /// Counts effort. Returns false once the total exceeds kMaxEffort: results computed after that must not be used.
  bool spend(double effort) const { return (effort_ += effort) <= kMaxEffort; }
  bool exhausted() const { return effort_ > kMaxEffort; }

 private:
  std::size_t variables_;
  mutable double effort_ = 0;
  fmpq_mpoly_ctx_t context_;
};

// A polynomial over Q, with the usual operators.
class Poly {
 public:
  explicit Poly(const Context& context, int value = 0) : context_(&context) {
    fmpq_mpoly_init(p_, context.get());
    fmpq_mpoly_set_si(p_, value, context.get());
  }
  Poly(const Poly& other) : context_(other.context_) {
    fmpq_mpoly_init(p_, context_->get());
    fmpq_mpoly_set(p_, other.p_, context_->get());
  }
  Poly& operator=(const Poly& other) {
    fmpq_mpoly_set(p_, other.p_, context_->get());
    return *this;
  }
  ~Poly() { fmpq_mpoly_clear(p_, context_->get()); }

  static Poly variable(const Context& context, std::size_t index) {
    Poly x(context);
    fmpq_mpoly_gen(x.p_, static_cast<slong>(index), context.get());
    return x;
  }

  bool is_zero() const { return fmpq_mpoly_is_zero(p_, context_->get()); }
  bool is_one() const { return fmpq_mpoly_is_one(p_, context_->get()); }
  slong length() const { return fmpq_mpoly_length(p_, context_->get()); }
  const fmpq_mpoly_struct* get() const { return p_; }
  fmpq_mpoly_struct* get() { return p_; }

  friend Poly operator+(const Poly& a, const Poly& b) {
    Poly r(*a.context_);
    fmpq_mpoly_add(r.p_, a.p_, b.p_, a.context_->get());
    return r;
  }
  friend Poly operator-(const Poly& a, const Poly& b) {
    Poly r(*a.context_);
    fmpq_mpoly_sub(r.p_, a.p_, b.p_, a.context_->get());
    return r;
  }
  friend Poly operator*(const Poly& a, const Poly& b) {
    Poly r(*a.context_);
    if (!a.context_->spend(static_cast<double>(a.length()) * static_cast<double>(b.length()))) return r;
    fmpq_mpoly_mul(r.p_, a.p_, b.p_, a.context_->get());
    return r;
  }
  Poly scaled(const Rational& factor) const {
    Poly r(*context_);
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_str(q, factor.to_string().c_str(), 10);
    fmpq_mpoly_scalar_mul_fmpq(r.p_, p_, q, context_->get());
    fmpq_clear(q);
    return r;
  }
  Poly power(std::int64_t exponent) const {
    Poly r(*context_, 1), square = *this;
    for (std::int64_t e = exponent; e > 0 && !context_->exhausted(); e >>= 1) {
      if (e & 1) r = r * square;
      if (e > 1) square = square * square;
    }
    return r;
  }
  std::vector<slong> degrees() const {
    std::vector<slong> degrees(context_->variables());
    fmpq_mpoly_degrees_si(degrees.data(), p_, context_->get());
    return degrees;
  }
  // Estimates the work to factor the polynomial: terms · (1 + sum of the degrees in all variables).
  double weight() const { return weight(degrees()); }
  double weight(const std::vector<slong>& degrees) const {
    double sum = 1;
    for (const slong d : degrees) sum += static_cast<double>(std::max<slong>(d, 0));
    return sum * static_cast<double>(length());
  }
  std::optional<Poly> divided_by(const Poly& d) const {
    Poly q(*context_);
    if (!fmpq_mpoly_divides(q.p_, p_, d.p_, context_->get())) return std::nullopt;
    return q;
  }
  Poly remainder(const Poly& d) const {
    Poly q(*context_), r(*context_);
    if (!context_->spend(weight())) return r;
    fmpq_mpoly_divrem(q.p_, r.p_, p_, d.p_, context_->get());
    return r;
  }
  std::optional<Poly> gcd(const Poly& other) const {
    Poly g(*context_);
    if (context_->exhausted() || weight() + other.weight() > kMaxGcd) return std::nullopt;
    if (!fmpq_mpoly_gcd(g.p_, p_, other.p_, context_->get())) return std::nullopt;
    return g;
  }

  struct Term {
    Rational coefficient;
    std::vector<ulong> exponents;
  };
  std::vector<Term> terms() const {
    std::vector<Term> list;
    fmpq_t q;
    fmpq_init(q);
    for (slong i = 0; i < length(); ++i) {
      Term term{0, std::vector<ulong>(context_->variables())};
      fmpq_mpoly_get_term_coeff_fmpq(q, p_, i, context_->get());
      fmpq_mpoly_get_term_exp_ui(term.exponents.data(), p_, i, context_->get());
      term.coefficient = to_rational_number(q);
      list.push_back(std::move(term));
    }
    fmpq_clear(q);
    return list;
  }
  void push(const Rational& coefficient, const std::vector<ulong>& exponents) {
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_str(q, coefficient.to_string().c_str(), 10);
    fmpq_mpoly_push_term_fmpq_ui(p_, q, exponents.data(), context_->get());
    fmpq_clear(q);
  }
  void finish() {
    fmpq_mpoly_sort_terms(p_, context_->get());
    fmpq_mpoly_combine_like_terms(p_, context_->get());
  }
  static Rational to_rational_number(const fmpq_t q) {
    char* text = fmpq_get_str(nullptr, 10, q);
    const std::string digits(text);
    flint_free(text);
    const std::size_t slash = digits.find('/');
    const Rational above = integer(std::string_view(digits).substr(0, slash));
    return slash == std::string::npos ? above : above / integer(std::string_view(digits).substr(slash + 1));
  }
  // An integer of any size: numerator and denominator of a fraction may be larger than any double.
  static Rational integer(std::string_view digits) {
    constexpr std::size_t kAtOnce = 18;
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    Rational value;
    while (!digits.empty()) {
      const std::size_t count = std::min(kAtOnce, digits.size());
      std::int64_t part = 0;
      for (const char digit : digits.substr(0, count)) part = 10 * part + (digit - '0');
      value = value * Rational(10).power(static_cast<int>(count)) + Rational(part);
      digits.remove_prefix(count);
    }
    return negative ? -value : value;
  }

 private:
  const Context* context_;
  fmpq_mpoly_t p_;
};

struct Fraction {
  Poly above, below;
};

// How base angles are chosen.
enum class Bases {
  kDirections,      // one for each direction: 2θ−2φ is a multiple of θ−φ; kAtoms if directions are dependent
  kHalfDirections,  // like kDirections, but an even multiple is halved: 2θ alone is a multiple of θ
  kAtoms,           // one for each symbol (atom): θ+φ and θ−φ are sums of θ and φ
};

// Converts forms to polynomials in these variables: s_k and c_k (sine and cosine) of each base angle, then the generators.
class Quotients {
 public:
  Quotients(Canonicalizer& canonicalizer, const Polynomial& form, Bases bases) : canonicalizer_(canonicalizer) {
    collect(form);
    choose_bases(bases);
    std::size_t next = 2 * bases_.size();
    for (const auto& [generator, unit] : units_)
      if (!expanded(generator)) variable_.emplace(generator, next++);
    context_.emplace(next);
  }

  const std::vector<Angle>& bases() const { return bases_; }
  std::size_t angles() const { return bases_.size(); }
  Poly sine(std::size_t k) const { return Poly::variable(*context_, 2 * k); }
  Poly cosine(std::size_t k) const { return Poly::variable(*context_, 2 * k + 1); }

  std::optional<Fraction> fraction(const Polynomial& form) {
    // For each generator its lowest exponent in the form, at most 0. The common denominator contains its negative as
    // exponent.
    std::map<std::uint32_t, std::int32_t> lowest;
    for (const PolynomialTerm& term : form)
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial)) {
        std::int32_t& low = lowest[power.generator];
        low = std::min(low, power.twelfths);
      }
    std::map<std::uint32_t, Fraction> sums;
    Poly below(*context_, 1);
    for (const auto& [generator, low] : lowest) {
      if (expanded(generator)) {
        auto inner = fraction(canonicalizer_.generator(generator).arguments[0]);
        if (!inner) return std::nullopt;
        below = below * inner->above.power(-low / 12);
        sums.emplace(generator, std::move(*inner));
      } else if (low < 0) {
        below = below * Poly::variable(*context_, variable_.at(generator)).power(-low / units_.at(generator));
      }
    }
    Poly above(*context_);
    for (const PolynomialTerm& term : form) {
      Poly product = trigonometric(term.key).scaled(term.coefficient);
      std::map<std::uint32_t, std::int32_t> present;
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial))
        present[power.generator] = power.twelfths;
      for (const auto& [generator, low] : lowest) {
        const std::int32_t own = present.contains(generator) ? present.at(generator) : 0;
        if (const auto sum = sums.find(generator); sum != sums.end()) {
          // A generator 1/S with S = above/below, whose lowest exponent is `low`, occurs as S^own. Over the common
          // denominator above^(−low) its numerator is S^own · above^(−low) = above^(own − low) · below^(−own), without
          // negative exponents.
          product = product * sum->second.above.power((own - low) / 12);
          if (own < 0) product = product * sum->second.below.power(-own / 12);
        } else if (own != low) {
          product =
              product * Poly::variable(*context_, variable_.at(generator)).power((own - low) / units_.at(generator));
        }
      }
      above = reduced(above + product);
      if (above.length() > kMaxLength || context_->exhausted()) return std::nullopt;
    }
    Fraction f{above, reduced(below)};
    return context_->exhausted() ? std::nullopt : std::optional(std::move(f));
  }

  // Reduces to lowest terms with a denominator free of sines; false if the polynomials become too long.
  bool normalize(Fraction& f) const {
    for (std::size_t k = 0; k < angles(); ++k) {
      const auto [even, odd] = split(f.below, 2 * k);
      if (odd.is_zero()) continue;
      f.above = reduced(f.above * (even - odd * sine(k)));
      f.below = reduced(even * even - odd * odd * (Poly(*context_, 1) - cosine(k) * cosine(k)));
      if (f.above.length() > kMaxLength || f.below.length() > kMaxLength) return false;
    }
    return cancel(f);
  }

  bool cancel(Fraction& f) const {
    const auto g = f.above.gcd(f.below);
    if (!g || g->is_zero()) return false;
    f.above = *f.above.divided_by(*g);
    f.below = *f.below.divided_by(*g);
    return true;
  }

  // Replaces even powers of the cosine of angle k by powers of its sine.
  Poly without_cosine_powers(const Poly& p, std::size_t k) const {
    const std::size_t variable = 2 * k + 1;
    const Poly other = sine(k);
    const Poly square = Poly(*context_, 1) - other * other;
    Poly result(*context_);
    std::map<ulong, Poly> by_power;
    for (Poly::Term& term : p.terms()) {
      const ulong e = term.exponents[variable];
      term.exponents[variable] = e % 2;
      by_power.try_emplace(e / 2, *context_).first->second.push(term.coefficient, term.exponents);
    }
    for (auto& [half, part] : by_power) {
      part.finish();
      result = result + part * square.power(static_cast<std::int64_t>(half));
    }
    return result;
  }

  // The terms of a fraction with a constant denominator as a sum to print; nothing for other denominators.
  std::optional<std::vector<FormTerm>> sum(const Fraction& f) {
    if (!fmpq_mpoly_is_fmpq(f.below.get(), context_->get())) return std::nullopt;
    const Rational number = f.below.terms().front().coefficient;
    return gather(canonicalizer_, terms(f.above.scaled(number.inverse())), Gathering::kShortest);
  }

  // The factors of above/below as a product to print.
  std::optional<FormTerm> written(const Fraction& f) {
    FormTerm product;
    for (const bool below : {false, true}) {
      const Poly& p = below ? f.below : f.above;
      if (context_->exhausted() || p.weight() > kMaxGcd) return std::nullopt;
      fmpq_mpoly_factor_t factors;
      fmpq_mpoly_factor_init(factors, context_->get());
      const bool ok = fmpq_mpoly_factor(factors, p.get(), context_->get());
      bool fine = ok;
      if (ok) {
        fmpq_t q;
        fmpq_init(q);
        fmpq_mpoly_factor_get_constant_fmpq(q, factors, context_->get());
        const Rational constant = Poly::to_rational_number(q);
        fmpq_clear(q);
        fine = !constant.is_zero();
        if (fine) product.coefficient = below ? product.coefficient / constant : product.coefficient * constant;
        for (slong i = 0; i < fmpq_mpoly_factor_length(factors, context_->get()) && fine; ++i) {
          Poly base(*context_);
          fmpq_mpoly_factor_get_base(base.get(), factors, i, context_->get());
          const auto exponent = static_cast<int>(fmpq_mpoly_factor_get_exp_si(factors, i, context_->get()));
          fine = append(product, base, below ? -exponent : exponent);
        }
      }
      fmpq_mpoly_factor_clear(factors, context_->get());
      if (!fine) return std::nullopt;
    }
    std::ranges::sort(product.factors, {}, [&](const FormFactor& x) { return rank(canonicalizer_, x); });
    std::erase_if(product.factors, [](const FormFactor& x) { return x.twelfths == 0; });
    return product;
  }

 private:
  // Whether a sum is multiplied out, which needs integer powers only; otherwise it is a variable.
  bool expanded(std::uint32_t generator) const {
    return canonicalizer_.generator(generator).kind == Generator::Kind::kSum && units_.at(generator) % 12 == 0;
  }

  void collect(const Polynomial& form) {
    for (const PolynomialTerm& term : form) {
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial)) {
        auto [unit, fresh] = units_.try_emplace(power.generator, std::abs(power.twelfths));
        unit->second = std::gcd(unit->second, std::abs(power.twelfths));
        const Generator& g = canonicalizer_.generator(power.generator);
        if (fresh && g.kind == Generator::Kind::kSum) collect(g.arguments[0]);
      }
      if (term.key.trig != Trig::kOne) multiples_.try_emplace(term.key.angle);
    }
  }

  // The base angles' sizes: the greatest common divisor of the coefficients for each direction, and for each atom.
  struct Steps {
    // Key: a direction, as the angle with first coefficient 1; value: size of its base angle.
    std::map<Angle, Rational> directions;
    std::map<std::uint32_t, Rational> atoms;
  };
  Steps find_steps() const {
    Steps steps;
    auto& [directions, atoms] = steps;
    const auto step = [](std::optional<Rational> a, const Rational& b) {
      if (!a) return b;
      // The greatest common divisor of fractions: gcd of the numerators over lcm of the denominators.
      const Rational below = a->denominator() * b.denominator() / gcd(a->denominator(), b.denominator());
      return gcd((*a * below).numerator(), (b * below).numerator()) / below;
    };
    for (const auto& [id, unused] : multiples_) {
      Angle direction = canonicalizer_.angle(id);
      const Rational lead = direction.front().second;
      for (auto& [atom, coefficient] : direction) {
        const auto known = atoms.find(atom);
        const Rational size = coefficient.sign() < 0 ? -coefficient : coefficient;
        atoms.insert_or_assign(atom, step(known == atoms.end() ? std::nullopt : std::optional(known->second), size));
        coefficient = coefficient / lead;
      }
      const auto known = directions.find(direction);
      directions.insert_or_assign(direction,
                                  step(known == directions.end() ? std::nullopt : std::optional(known->second), lead));
    }
    return steps;
  }

  void choose_bases(Bases wanted) {
    auto [directions, atoms] = find_steps();
    bool independent = wanted != Bases::kAtoms && rank_of(directions) == directions.size();
    if (wanted != Bases::kDirections) {
      const auto halve = [](Rational& least) {
        if (const auto n = least.as_int(); n && *n % 2 == 0) least = Rational(*n / 2);
      };
      for (auto& [direction, least] : directions) halve(least);
      for (auto& [atom, least] : atoms) halve(least);
    }
    // If the multiples are too large, each angle is a base angle of its own. The result is correct, but relations between the angles are lost.
    const auto small = [](const std::optional<int>& n) { return n && std::abs(*n) <= kMaxMultiple; };
    const auto all_small = [&](bool by_direction) {
      return std::ranges::all_of(multiples_, [&](const auto& entry) {
        const Angle& angle = canonicalizer_.angle(entry.first);
        if (by_direction)
          return small((angle.front().second / directions.at(scaled(angle, angle.front().second.inverse()))).as_int());
        return std::ranges::all_of(
            angle, [&](const auto& part) { return small((part.second / atoms.at(part.first)).as_int()); });
      });
    };
    if (!independent && !all_small(false)) independent = true;
    if (independent && !all_small(true)) {
      for (auto& [id, multiples] : multiples_) {
        multiples.emplace_back(bases_.size(), 1);
        bases_.push_back(canonicalizer_.angle(id));
      }
      return;
    }
    if (independent) {
      for (const auto& [direction, least] : directions) bases_.push_back(scaled(direction, least));
    } else {
      for (const auto& [atom, least] : atoms) bases_.push_back({{atom, least}});
    }
    for (auto& [id, multiples] : multiples_) {
      const Angle& angle = canonicalizer_.angle(id);
      for (std::size_t k = 0; k < bases_.size(); ++k) {
        const auto part = std::ranges::find(angle, bases_[k].front().first, &std::pair<std::uint32_t, Rational>::first);
        const bool own = part != angle.end() &&
                         (!independent || scaled(bases_[k], part->second / bases_[k].front().second) == angle);
        if (own) multiples.emplace_back(k, (part->second / bases_[k].front().second).as_int().value_or(0));
      }
    }
  }

  static Angle scaled(Angle angle, const Rational& factor) {
    for (auto& [atom, coefficient] : angle) coefficient = coefficient * factor;
    return angle;
  }

  // Rank of the angle directions as vectors over the atoms, by elimination.
  static std::size_t rank_of(const std::map<Angle, Rational>& directions) {
    std::vector<std::map<std::uint32_t, Rational>> rows;
    std::size_t rank = 0;
    for (const auto& [direction, unused] : directions) {
      std::map<std::uint32_t, Rational> row(direction.begin(), direction.end());
      for (const auto& other : rows) {
        const auto pivot = other.begin()->first;
        if (!row.contains(pivot)) continue;
        const Rational factor = row.at(pivot) / other.begin()->second;
        for (const auto& [atom, value] : other) {
          Rational& entry = row.try_emplace(atom, 0).first->second;
          entry = entry - factor * value;
        }
        std::erase_if(row, [](const auto& entry) { return entry.second.is_zero(); });
      }
      if (row.empty()) continue;
      ++rank;
      rows.push_back(std::move(row));
    }
    return rank;
  }

  Poly reduced(Poly p) const {
    std::vector<slong> degrees = p.degrees();
    for (std::size_t k = 0; k < angles(); ++k) {
      // Reduction by s² + c² = 1. Most polynomials have degree 1 in most sines, and then no division is needed.
      if (degrees[2 * k] < 2) {
        if (!context_->spend(p.weight(degrees))) return Poly(*context_);
        continue;
      }
      p = p.remainder(sine(k) * sine(k) + cosine(k) * cosine(k) - Poly(*context_, 1));
      degrees = p.degrees();
    }
    return p;
  }

  // Splits p = even + odd · x for the variable x, where p has degree at most 1 in x.
  std::pair<Poly, Poly> split(const Poly& p, std::size_t variable) const {
    Poly even(*context_), odd(*context_);
    for (Poly::Term& term : p.terms()) {
      const bool has = term.exponents[variable] != 0;
      term.exponents[variable] = 0;
      (has ? odd : even).push(term.coefficient, term.exponents);
    }
    even.finish();
    odd.finish();
    return {even, odd};
  }

  Poly trigonometric(const TermKey& key) {
    if (key.trig == Trig::kOne) return Poly(*context_, 1);
    auto found = angles_.find(key.angle);
    if (found == angles_.end()) {
      // cos A + i sin A = Π (c_k + i s_k)^n_k
      Poly re(*context_, 1), im(*context_);
      for (const auto& [k, n] : multiples_.at(key.angle)) {
        const Poly c = cosine(k), s = n < 0 ? sine(k).scaled(-1) : sine(k);
        for (int i = 0; i < std::abs(n); ++i) {
          const Poly next = reduced(re * c - im * s);
          im = reduced(re * s + im * c);
          re = next;
        }
      }
      found = angles_.emplace(key.angle, std::pair{re, im}).first;
    }
    return key.trig == Trig::kCos ? found->second.first : found->second.second;
  }

  // The terms of a polynomial in the variables as products to print.
  std::vector<FormTerm> terms(const Poly& p) {
    std::vector<FormTerm> sum;
    for (const Poly::Term& term : p.terms()) {
      FormTerm product{term.coefficient, {}, {}};
      for (std::size_t v = 0; v < term.exponents.size(); ++v) {
        const auto e = static_cast<std::int32_t>(term.exponents[v]);
        if (e == 0) continue;
        if (v < 2 * angles()) {
          const auto [id, sign] = canonicalizer_.intern_angle(bases_[v / 2]);
          product.factors.push_back({id, v % 2 == 0 ? Trig::kSin : Trig::kCos, 12 * e});
          if (v % 2 == 0 && sign < 0 && e % 2 != 0) product.coefficient = -product.coefficient;
        } else {
          const auto generator = std::ranges::find_if(variable_, [&](const auto& g) { return g.second == v; })->first;
          product.factors.push_back({generator, Trig::kOne, e * units_.at(generator)});
        }
      }
      sum.push_back(std::move(product));
    }
    return sum;
  }

  // Multiplies `product` by base^exponent. A single term becomes factors; a sum is put in parentheses, with its first term positive and
  // without a common number inside.
  bool append(FormTerm& product, const Poly& base, int exponent) {
    std::vector<FormTerm> sum = gather(canonicalizer_, terms(base), Gathering::kNone);
    if (sum.empty()) return false;
    if (sum.size() == 1) {
      multiply(product, sum[0], exponent);
      return true;
    }
    std::int64_t above = 0, below = 1;
    for (const FormTerm& term : sum) {
      const auto n = term.coefficient.numerator().as_int(), d = term.coefficient.denominator().as_int();
      if (!n || !d || below > (std::int64_t{1} << 31)) return false;
      above = std::gcd(above, static_cast<std::int64_t>(*n));
      below = std::lcm(below, static_cast<std::int64_t>(*d));
    }
    const Rational content = Rational(above, below) * Rational(sum[0].coefficient.sign());
    for (FormTerm& term : sum) term.coefficient = term.coefficient / content;
    product.coefficient = product.coefficient * content.power(exponent);
    sum = cheaper(gather(canonicalizer_, std::move(sum), Gathering::kShortest));
    if (sum.size() == 1)
      multiply(product, sum[0], exponent);
    else
      product.sums.push_back({std::move(sum), exponent});
    return true;
  }

  // The sum in powers of sines and cosines, or in sums and multiples of angles if that is cheaper: cos(a)*cos(b) + sin(a)*sin(b) as cos(a - b).
  std::vector<FormTerm> cheaper(std::vector<FormTerm> powers) {
    if (angles() == 0) return powers;
    const auto form = canonicalizer_.canonical(expression(canonicalizer_, powers));
    if (!form || form->empty()) return powers;
    std::vector<FormTerm> multiples = gather(canonicalizer_, *form, Gathering::kShortest);
    return cost(canonicalizer_, multiples) < cost(canonicalizer_, powers) ? multiples : powers;
  }

  Canonicalizer& canonicalizer_;
  std::vector<Angle> bases_;
  // By id of an angle: the pairs (index of a base angle, n) for which the angle is Σ n · (base angle).
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, int>>> multiples_;
  std::map<std::uint32_t, std::int32_t> units_;  // by generator: the common divisor of its exponents, in twelfths
  std::map<std::uint32_t, std::size_t> variable_;
  // By angle: its cosine and sine; they need context_ and are cleared before it ends.
  std::map<std::uint32_t, std::pair<Poly, Poly>> angles_;
  std::optional<Context> context_;

 public:
  ~Quotients() { angles_.clear(); }  // polynomials must be destroyed before their context
};

}  // namespace

bool has_rational_forms() { return true; }

namespace {

// Keeps the cheapest of the sums that are offered.
class Choice {
 public:
  explicit Choice(const Canonicalizer& canonicalizer) : canonicalizer_(canonicalizer) {}
  void offer(std::optional<std::vector<FormTerm>> candidate) {
    if (!candidate) return;
    const int c = cost(canonicalizer_, *candidate);
    if (best_ && c >= lowest_) return;
    best_ = std::move(candidate);
    lowest_ = c;
  }
  std::optional<std::vector<FormTerm>> best() && { return std::move(best_); }

 private:
  const Canonicalizer& canonicalizer_;
  std::optional<std::vector<FormTerm>> best_;
  int lowest_ = 0;
};

// For each base angle, whether even powers of the cosine (true) or of the sine are eliminated: all combinations for few angles, otherwise only
// the two uniform ones.
std::set<std::vector<bool>> eliminations(std::size_t angles) {
  std::set<std::vector<bool>> choices{std::vector<bool>(angles, false), std::vector<bool>(angles, true)};
  if (angles > kMaxBaseAngles) return choices;
  for (std::size_t bits = 0; bits < std::size_t{1} << angles; ++bits) {
    std::vector<bool> choice(angles);
    for (std::size_t k = 0; k < angles; ++k) choice[k] = bits >> k & 1;
    choices.insert(std::move(choice));
  }
  return choices;
}

void offer_all(Quotients& quotients, const Polynomial& form, Choice& choice) {
  auto lowest = quotients.fraction(form);
  if (!lowest || lowest->below.is_zero() || !quotients.normalize(*lowest) || lowest->above.is_zero()) return;
  for (const std::vector<bool>& cosines : eliminations(quotients.angles())) {
    Fraction f = *lowest;
    for (std::size_t k = 0; k < cosines.size(); ++k) {
      if (!cosines[k]) continue;
      f.above = quotients.without_cosine_powers(f.above, k);
      f.below = quotients.without_cosine_powers(f.below, k);
    }
    if (!quotients.cancel(f)) continue;
    if (auto product = quotients.written(f)) choice.offer(std::vector{*std::move(product)});
    choice.offer(quotients.sum(f));
  }
}

}  // namespace

struct Canonicalizer::RationalForms {
  std::map<Polynomial, std::optional<std::vector<FormTerm>>> known;
  std::size_t terms = 0;  // total number of terms of the cached forms
};

namespace {

std::optional<std::vector<FormTerm>> make_rational_form(Canonicalizer& canonicalizer, const Polynomial& form) {
  Choice choice(canonicalizer);
  std::vector<std::vector<Angle>> tried;
  for (const Bases wanted : {Bases::kDirections, Bases::kHalfDirections, Bases::kAtoms}) {
    Quotients quotients(canonicalizer, form, wanted);
    if (std::ranges::find(tried, quotients.bases()) != tried.end()) continue;
    tried.push_back(quotients.bases());
    offer_all(quotients, form, choice);
  }
  return std::move(choice).best();
}

}  // namespace

// Results are cached, because the entries of a system share parentheses and denominators.
std::optional<std::vector<FormTerm>> rational_form(Canonicalizer& canonicalizer, const Polynomial& form) {
  if (form.empty() || form.size() > kMaxTerms) return std::nullopt;
  std::shared_ptr<Canonicalizer::RationalForms>& made = canonicalizer.rational_forms();
  if (!made) made = std::make_shared<Canonicalizer::RationalForms>();
  if (const auto found = made->known.find(form); found != made->known.end()) return found->second;
  std::optional<std::vector<FormTerm>> result = make_rational_form(canonicalizer, form);
  if ((made->terms += form.size()) <= kMostKept) made->known.emplace(form, result);
  return result;
}

}  // namespace dalembert

#else

namespace dalembert {
bool has_rational_forms() { return false; }
std::optional<std::vector<FormTerm>> rational_form(Canonicalizer&, const Polynomial&) { return std::nullopt; }
}  // namespace dalembert

#endif
