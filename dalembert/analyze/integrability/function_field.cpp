// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/integrability/function_field.h"

#include <algorithm>
#include <numeric>

namespace dalembert {
namespace {

constexpr std::size_t kSamplePoints = 40;  // samples: a non-square passes for a square with probability 2⁻⁴⁰
constexpr int kPointTries = 4000;          // attempts to find a point where all square roots exist
constexpr std::int64_t kMostTimes = 1000;  // largest integer multiple of an exponent or angle
constexpr std::int64_t kLargestConstant = 1'000'000'000;

// Purposes of random numbers, each with a sequence of its own.
enum Use : std::uint64_t { kCoordinate, kSphere, kRate, kPower, kExponent, kCircle, kAngle, kOfField };
enum Constant : std::uint64_t { kSquareRootOfPi, kExponentialOfFirst, kCircleOfFirst, kLogarithm };

// The factors of a number as (prime, exponent); no value where the number is not positive, or too large.
std::optional<std::vector<std::pair<std::int64_t, int>>> prime_factors(const Rational& number) {
  std::vector<std::pair<std::int64_t, int>> factors;
  for (const int sign : {1, -1}) {
    const auto part = (sign > 0 ? number.numerator() : number.denominator()).as_int();
    if (!part || *part <= 0) return std::nullopt;
    std::int64_t left = *part;
    for (std::int64_t prime = 2; left > 1; ++prime) {
      if (prime * prime > left) prime = left;
      int times = 0;
      for (; left % prime == 0; left /= prime) times += sign;
      if (times != 0) factors.emplace_back(prime, times);
    }
  }
  return factors;
}

std::optional<std::int64_t> whole(const Rational& number, std::int64_t largest) {
  const auto integer = number.as_int();
  return integer && std::abs(*integer) <= largest ? std::optional<std::int64_t>(*integer) : std::nullopt;
}

// Adds up the constant parts of an expression: a rational number, and a rational multiple of π.
void add_constants(const Graph& graph, NodeId node, const Rational& factor, Rational& number, Rational& pis) {
  if (graph.op(node) == Op::kPi) pis = pis + factor;
  if (graph.op(node) == Op::kConstant || graph.op(node) == Op::kSum) number = number + factor * graph.number(node);
  if (graph.op(node) == Op::kSum)
    for (const Graph::Item& item : graph.items(node))
      add_constants(graph, item.node, factor * graph.number(item), number, pis);
  if (graph.op(node) == Op::kProduct && graph.items(node).size() == 1 && graph.number(graph.items(node)[0]).is_one())
    add_constants(graph, graph.items(node)[0].node, factor * graph.number(node), number, pis);
}

}  // namespace

int PlaceOfFunctions::place_of(SymbolId symbol) const {
  const auto found = std::ranges::find(variables, symbol);
  return found == variables.end() ? -1 : static_cast<int>(found - variables.begin());
}

// --- values at a point

PrimePoint::PrimePoint(const FunctionField& field, std::uint64_t seed, bool on_sphere)
    : field_(&field), seed_(seed), on_sphere_(on_sphere) {}

const Graph& PrimePoint::graph() const { return *field_->place_.graph; }
const PrimeField& PrimePoint::numbers() const { return *field_->numbers_; }

PrimePoint::Number PrimePoint::random(std::uint64_t kind, std::uint64_t which) const {
  std::uint64_t state = (kind == kOfField ? field_->seed_ : seed_) * 0x9e3779b97f4a7c15U + kind * 0x94d049bb133111ebU +
                        which * 0xbf58476d1ce4e5b9U;
  next_random(state);
  return numbers().of_bits(next_random(state));
}

std::optional<PrimePoint::Number> PrimePoint::number(const Rational& value) {
  if (value.as_int()) return numbers().of(value);
  const auto [found, fresh] = numbers_of_.try_emplace(value.to_string(), 0);
  if (fresh) {
    const auto number = numbers().of(value);
    if (!number) return std::nullopt;
    found->second = *number;
  }
  return found->second;
}

PrimePoint::Number PrimePoint::pi() const {
  const Number root = random(kOfField, kSquareRootOfPi);
  return numbers().multiply(root, root);
}

std::optional<int> PrimePoint::sign(NodeId node, Number) const {
  const auto found = field_->place_.signs.find(node);
  return found == field_->place_.signs.end() ? std::nullopt : std::optional(found->second);
}

std::optional<PrimePoint::Number> PrimePoint::raised(Number a, const Rational& exponent) const {
  return numbers().raised(a, exponent);
}

// The value of a symbol or, for `rate` > 0, of an input's time derivative of that order.
PrimePoint::Number PrimePoint::value_of(SymbolId id, int rate) {
  if (rate > 0) {
    const auto next = field_->place_.rates.find(id);
    return next == field_->place_.rates.end() ? random(kRate, id * 64ULL + static_cast<std::uint64_t>(rate))
                                              : value_of(next->second, rate - 1);
  }
  if (const auto found = field_->place_.known.find(id); found != field_->place_.known.end())
    return number(found->second).value_or(0);
  for (const std::vector<SymbolId>& quaternion : field_->place_.quaternions) {
    const auto at = std::ranges::find(quaternion, id);
    if (at == quaternion.end()) continue;
    // Stereographic projection gives a point of the unit sphere: (1 − s², 2s)/(1 + s²).
    const PrimeField& field = numbers();
    Number squared = 0;
    for (int i = 1; i < 4; ++i) {
      const Number s = random(kSphere, quaternion[static_cast<std::size_t>(i)]);
      squared = field.add(squared, field.multiply(s, s));
    }
    const Number over = field.inverse(field.add(field.one(), squared));
    if (at == quaternion.begin()) return field.multiply(field.subtract(field.one(), squared), over);
    const Number s = random(kSphere, id);
    return field.multiply(field.add(s, s), over);
  }
  return random(kCoordinate, id);
}

PrimePoint::Polynomial PrimePoint::symbol(const Taylor<PrimeField>& taylor, SymbolId id) {
  const PlaceOfFunctions& place = field_->place_;
  const PrimeField& field = numbers();
  Polynomial p(taylor.monomials().size(taylor.degree()), 0);
  p[0] = value_of(id, 0);
  if (taylor.degree() == 0) return p;
  const auto slope = [&](int variable) -> Number& { return p[1 + static_cast<std::size_t>(variable)]; };
  if (on_sphere_)
    for (const std::vector<SymbolId>& quaternion : place.quaternions) {
      const auto at = std::ranges::find(quaternion, id);
      if (at == quaternion.end()) continue;
      // Three tangent vectors of the sphere, normal to (a, b, c, d).
      static constexpr int kWhich[4][3] = {{-2, -3, -4}, {1, 4, -3}, {-4, 1, 2}, {3, -2, 1}};
      for (std::size_t i = 0; i < 3; ++i) {
        const int which = kWhich[at - quaternion.begin()][i];
        const Number value = value_of(quaternion[static_cast<std::size_t>(std::abs(which) - 1)], 0);
        slope(place.place_of(quaternion[i])) = which < 0 ? field.negative(value) : value;
      }
      return p;
    }
  if (const int variable = place.place_of(id); variable >= 0) slope(variable) = field.one();
  // An input is its Taylor series in time, Σ rate tᵏ/k!.
  if (graph().symbol_info(id).kind == SymbolKind::kInput && place.time) {
    const int time = place.place_of(*place.time);
    std::size_t monomial = 0;
    Number factor = field.one();
    for (int k = 1; time >= 0 && k <= taylor.degree(); ++k) {
      monomial = taylor.monomials().times(monomial, time);
      factor = field.multiply(factor, field.inverse(field.of(k)));
      p[monomial] = field.multiply(factor, value_of(id, k));
    }
  }
  return p;
}

PrimePoint::Pair& PrimePoint::pair(std::vector<Pair>& pairs, std::size_t index) {
  if (pairs.size() <= index) pairs.resize(index + 1);
  return pairs[index];
}

std::optional<PrimePoint::Number> PrimePoint::exponent_value(std::size_t of, const Rational& factor) const {
  const PrimeField& field = numbers();
  const bool symbol = field_->exponentials_[of] == FunctionField::Symbol::kPower;
  const auto times =
      whole(symbol ? factor * Rational(FunctionField::kParts) : factor, kMostTimes * FunctionField::kParts);
  const Number base = symbol ? exponentials_[of].root : exponentials_[of].power;
  if (!times || base == 0) return std::nullopt;
  return field.raised(base, Rational(*times));
}

std::optional<PrimePoint::Number> PrimePoint::exponential(NodeId node, const Polynomial& u) {
  const FunctionField::Combination& is = field_->exponential_of_.at(node);
  if (is.fresh) {
    Pair& fresh = pair(exponentials_, *is.fresh);
    fresh.y = u;
    fresh.root = random(kPower, *is.fresh);
  }
  const PrimeField& field = numbers();
  Number value = field.one();
  for (const auto& [of, factor] : is.pairs) {
    const auto power = exponent_value(of, factor);
    if (!power) return std::nullopt;
    value = field.multiply(value, *power);
  }
  if (is.number.is_zero()) return value;
  const Rational times = is.number / *field_->first_exponent_ * Rational(FunctionField::kParts);
  const auto constant = field.raised(random(kOfField, kExponentialOfFirst), times);
  return constant ? std::optional(field.multiply(value, *constant)) : std::nullopt;
}

std::optional<PrimePoint::Number> PrimePoint::logarithm(NodeId node, const Polynomial& u, const Polynomial& rest) {
  const FunctionField::Combination& is = field_->logarithm_of_.at(node);
  const PrimeField& field = numbers();
  if (is.fresh) {
    Pair& fresh = pair(exponentials_, *is.fresh);
    fresh.y = rest;
    fresh.y[0] = random(kExponent, *is.fresh);
    fresh.power = u[0];
  }
  Number value = 0;
  for (const auto& [of, factor] : is.pairs) {
    const Polynomial& y = exponentials_[of].y;
    value = field.add(value, field.multiply(*number(factor), y.empty() ? 0 : y[0]));
  }
  for (const auto& [prime, factor] : is.primes)
    value = field.add(
        value, field.multiply(*number(factor), random(kOfField, kLogarithm + static_cast<std::uint64_t>(prime))));
  return value;
}

std::optional<PrimeField::Circle> PrimePoint::circle(NodeId angle, const Polynomial& u) {
  const FunctionField::Combination& is = field_->circle_of_.at(angle);
  const PrimeField& field = numbers();
  if (is.fresh) {
    Pair& fresh = pair(angles_, *is.fresh);
    fresh.y = u;
    const auto part = field.circle_by_slope(random(kCircle, *is.fresh));
    if (!part) return std::nullopt;
    fresh.part = *part;
    if (fresh.y.empty()) return std::nullopt;
    const Number turn =
        field.multiply(*number(Rational(is.parts, static_cast<std::int64_t>(PrimeField::kTurn) / 2)), pi());
    fresh.y[0] = field.subtract(fresh.y[0], field.add(*number(is.number), turn));
  }
  PrimeField::Circle all = field.at(is.parts);
  for (const auto& [of, factor] : is.pairs) {
    const Pair& by = angles_[of];
    if (field_->angles_[of] == FunctionField::Symbol::kPower) {
      const auto times = whole(factor * Rational(FunctionField::kParts), kMostTimes * FunctionField::kParts);
      if (!times) return std::nullopt;
      all = field.turned(all, field.turned(by.part, *times));
      continue;
    }
    const auto times = whole(factor, kMostTimes);
    const Number squared = field.add(field.multiply(by.x_side, by.x_side), field.multiply(by.y_side, by.y_side));
    if (!times || squared == 0) return std::nullopt;
    const auto over = field.raised(squared, Rational(-std::abs(*times), 2));
    if (!over) return std::nullopt;
    const PrimeField::Circle turn = field.turned({by.x_side, by.y_side}, *times);
    all = field.turned(all, {field.multiply(turn.cosine, *over), field.multiply(turn.sine, *over)});
  }
  if (is.number.is_zero()) return all;
  const auto first = field.circle_by_slope(random(kOfField, kCircleOfFirst));
  const auto times =
      whole(is.number / *field_->first_angle_ * Rational(FunctionField::kParts), kMostTimes * FunctionField::kParts);
  if (!first || !times) return std::nullopt;
  return field.turned(all, field.turned(*first, *times));
}

std::optional<PrimePoint::Number> PrimePoint::angle_value(NodeId node, const std::vector<Number>& arguments,
                                                          const Polynomial& rest) {
  const PrimeField& field = numbers();
  const std::size_t index = *field_->angle_of_.at(node).fresh;
  Pair& fresh = pair(angles_, index);
  fresh.y = rest;
  const Number value = random(kAngle, index), u = arguments[0];
  fresh.y[0] = value;
  const Op op = graph().op(node);
  fresh.x_side = field.one();
  fresh.y_side = u;
  if (op == Op::kAtan2) fresh.x_side = arguments[1];
  if (op == Op::kAsin || op == Op::kAcos) {
    const auto root = field.raised(field.subtract(field.one(), field.multiply(u, u)), Rational(1, 2));
    if (!root) return std::nullopt;
    fresh.x_side = op == Op::kAsin ? *root : u;
    fresh.y_side = op == Op::kAsin ? u : *root;
  }
  return value;
}

// --- relations between functions

struct FunctionField::Sample {
  PrimePoint point;
  TaylorOf<PrimeField, PrimePoint> of;
  Sample(const FunctionField& field, std::uint64_t seed)
      : point(field, seed, true), of(*field.place_.graph, *field.first_order_, point) {}
  Number value(NodeId node) const {
    const auto& p = of.at(node);
    return p.empty() ? 0 : p[0];
  }
};

FunctionField::~FunctionField() = default;

FunctionField::FunctionField(const PlaceOfFunctions& place, std::uint64_t seed) : place_(place), seed_(seed) {
  const Graph& graph = *place_.graph;
  // The field is chosen so that numbers in the expressions have square roots in it.
  std::vector<std::int64_t> squares;
  for (const NodeId node : place_.nodes)
    if (graph.op(node) == Op::kProduct)
      for (const Graph::Item& item : graph.items(node))
        if (graph.op(item.node) == Op::kConstant)
          if (const auto factors = prime_factors(graph.number(item.node)))
            for (const auto& factor : *factors) squares.push_back(factor.first);
  std::ranges::sort(squares);
  squares.erase(std::ranges::unique(squares).begin(), squares.end());
  numbers_ = PrimeField::choose(seed, squares);
  if (!numbers_) {
    give_up(Kind::kNone);
    return;
  }
  const int variables = static_cast<int>(place_.variables.size());
  values_ = std::make_unique<Taylor<PrimeField>>(*numbers_, variables, 0);
  first_order_ = std::make_unique<Taylor<PrimeField>>(*numbers_, variables, 1);
  if (!add_samples()) give_up(Kind::kNone);
  for (const NodeId node : place_.nodes) {
    if (kind_ == Kind::kNone) break;
    decide(node);
    if (kind_ != Kind::kNone && !add_to_samples(node)) give_up(Kind::kNone);
  }
  samples_.clear();
}

bool FunctionField::add_to_samples(NodeId node) {
  std::erase_if(samples_, [&](const auto& sample) { return !sample->of.add(node); });
  ++done_;
  return !samples_.empty() && add_samples();
}

// Adds samples up to kSamplePoints, each with the values of all nodes so far; false where too many attempts fail.
bool FunctionField::add_samples() {
  for (int tries = 0; samples_.size() < kSamplePoints; ++tries) {
    if (tries > kPointTries) return false;
    auto sample = std::make_unique<Sample>(*this, ++next_seed_ * 2654435761U + seed_);
    bool valued = true;
    for (std::size_t i = 0; i < done_ && valued; ++i) valued = sample->of.add(place_.nodes[i]);
    for (std::size_t i = 0; i < radicands_.size() && valued; ++i) valued = numbers_->is_square(radicands_[i](*sample));
    if (valued) samples_.push_back(std::move(sample));
  }
  return true;
}

std::optional<std::uint64_t> FunctionField::find_point(std::uint64_t seed) const {
  for (int tries = 0; tries < kPointTries; ++tries) {
    const std::uint64_t at = seed * 1'000'003 + static_cast<std::uint64_t>(tries);
    PrimePoint point(*this, at, false);
    TaylorOf<PrimeField, PrimePoint> of(*place_.graph, *values_, point);
    if (std::ranges::all_of(place_.nodes, [&](NodeId node) { return of.add(node); })) return at;
  }
  return std::nullopt;
}

FunctionField::Polynomials FunctionField::at_samples(NodeId node) const {
  Polynomials all;
  for (const auto& sample : samples_) all.push_back(sample->of.at(node));
  return all;
}

std::optional<FunctionField::Number> FunctionField::constant(const std::vector<Number>& values) const {
  return std::ranges::all_of(values, [&](Number x) { return x == values[0]; }) ? std::optional(values[0])
                                                                               : std::nullopt;
}

FunctionField::Combination FunctionField::fresh(bool angle, Symbol symbol) {
  std::vector<Symbol>& pairs = angle ? angles_ : exponentials_;
  pairs.push_back(symbol);
  Combination is;
  is.fresh = pairs.size() - 1;
  is.pairs.emplace_back(*is.fresh, Rational(1));
  return is;
}

void FunctionField::decide(NodeId node) {
  const Graph& graph = *place_.graph;
  const auto argument = [&](std::size_t i = 0) { return graph.items(node)[i].node; };
  if (function_info(graph.op(node)).exponentials) return decide_exponential(node, at_samples(argument()));
  switch (graph.op(node)) {
    case Op::kProduct:
      for (const Graph::Item& item : graph.items(node)) {
        const auto below = graph.number(item).denominator().as_int();
        const Op base = graph.op(item.node);
        if (below && *below % 2 != 0) continue;
        if (base == Op::kConstant || base == Op::kPi || base == Op::kExp) continue;
        const NodeId of = item.node;
        decide_radicand([of](const Sample& sample) { return sample.value(of); });
      }
      return;
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
      if (!circle_of_.contains(argument())) decide_circle(argument());
      return;
    case Op::kLog:
      return decide_logarithm(node);
    case Op::kPower: {
      decide_logarithm(node);
      Polynomials y;
      for (const auto& sample : samples_) {
        const auto log = sample->of.logarithm(node, sample->of.at(argument()));
        y.push_back(log ? first_order_->product(*log, sample->of.at(argument(1))) : std::vector<Number>{});
      }
      return decide_exponential(node, y);
    }
    case Op::kAtan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kAtan2:
      return decide_angle(node);
    default:
      return;
  }
}

// Writes the derivatives of an exponent or angle y as a combination, with rational factors, of those of the exponents
// or angles known so far, if they are one. `independent`: they are not in the span of these.
std::optional<FunctionField::Combination> FunctionField::combination(const Polynomials& y, bool angles,
                                                                     bool& independent) const {
  const PrimeField& field = *numbers_;
  const std::size_t count = (angles ? angles_ : exponentials_).size(), n = place_.variables.size();
  const std::size_t used = std::min(samples_.size(), (count + 16) / std::max<std::size_t>(n, 1) + 2);
  // A row holds derivatives at the samples, followed by the factors with which known exponents or angles are in it.
  const auto row_of = [&](const std::function<const std::vector<Number>&(std::size_t)>& polynomial, std::size_t own) {
    std::vector<Number> row(used * n + count + 1, 0);
    for (std::size_t s = 0; s < used; ++s) {
      const std::vector<Number>& p = polynomial(s);
      for (std::size_t i = 0; i < n && !p.empty(); ++i) row[s * n + i] = p[1 + i];
    }
    row[used * n + own] = field.one();
    return row;
  };
  std::vector<std::pair<std::size_t, std::vector<Number>>> echelon;
  const auto reduce = [&](std::vector<Number>& row) {
    for (const auto& [pivot, with] : echelon) {
      const Number factor = field.negative(row[pivot]);
      for (std::size_t j = 0; factor != 0 && j < row.size(); ++j)
        row[j] = field.add(row[j], field.multiply(factor, with[j]));
    }
    std::size_t at = 0;
    while (at < used * n && row[at] == 0) ++at;
    return at;
  };
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<Number> row = row_of(
        [&](std::size_t s) -> const std::vector<Number>& {
          const PrimePoint& point = samples_[s]->point;
          return (angles ? point.angles_ : point.exponentials_)[k].y;
        },
        k);
    const std::size_t pivot = reduce(row);
    // The row was reduced to 0: the derivatives of this y are a combination of earlier ones and add nothing to the
    // span.
    if (pivot == used * n) continue;
    const Number over = field.inverse(row[pivot]);
    for (Number& x : row) x = field.multiply(x, over);
    echelon.emplace_back(pivot, std::move(row));
  }
  std::vector<Number> row = row_of([&](std::size_t s) -> const std::vector<Number>& { return y[s]; }, count);
  independent = reduce(row) != used * n;
  if (independent) return std::nullopt;
  Combination is;
  for (std::size_t k = 0; k < count; ++k) {
    const Number factor = field.negative(row[used * n + k]);
    if (factor == 0) continue;
    const auto fraction = field.fraction(factor, kMostTimes * kParts);
    if (!fraction) return std::nullopt;
    is.pairs.emplace_back(k, *fraction);
  }
  return is;
}

// The difference between an exponent or angle y and a combination of others, if it is the same at all samples.
std::optional<FunctionField::Number> FunctionField::constant_rest(const Polynomials& y, const Combination& of,
                                                                  bool angles) const {
  std::vector<Number> rests;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    Number rest = y[s].empty() ? 0 : y[s][0];
    PrimePoint& point = samples_[s]->point;
    for (const auto& [k, factor] : of.pairs) {
      const auto& pair = (angles ? point.angles_ : point.exponentials_)[k].y;
      const auto number = numbers_->of(factor);
      if (!number) return std::nullopt;
      rest = numbers_->subtract(rest, numbers_->multiply(*number, pair.empty() ? 0 : pair[0]));
    }
    rests.push_back(rest);
  }
  return constant(rests);
}

// Whether e^(factor·x), or sine and cosine of factor·x (`angles`), can be built from the values that the field has for e^x and for the sine
// and cosine of x, for each pair (x, factor) of the combination.
bool FunctionField::has_parts(const Combination& of, bool angles) {
  for (const auto& [k, factor] : of.pairs) {
    const bool symbol = (angles ? angles_ : exponentials_)[k] == Symbol::kPower;
    const auto times = whole(symbol ? factor * Rational(kParts) : factor, kMostTimes * (symbol ? kParts : 1));
    if (!times) return false;
    if (!angles || symbol || *times % 2 == 0) continue;
    const std::size_t which = k;
    decide_radicand([this, which](const Sample& sample) {
      const PrimePoint::Pair& pair = sample.point.angles_[which];
      return numbers_->add(numbers_->multiply(pair.x_side, pair.x_side), numbers_->multiply(pair.y_side, pair.y_side));
    });
  }
  return true;
}

// Whether a constant is a simple fraction of the first one; without a first one, this constant becomes it.
bool FunctionField::set_constant(std::optional<Rational>& first, const Rational& number) {
  if (number.is_zero()) return true;
  if (!first) first = number;
  return whole(number / *first * Rational(kParts), kMostTimes * kParts).has_value();
}

void FunctionField::decide_exponential(NodeId node, const Polynomials& y) {
  bool independent = false;
  auto is = combination(y, false, independent);
  if (is && has_parts(*is, false)) {
    const auto rest = constant_rest(y, *is, false);
    const auto number = rest ? numbers_->fraction(*rest) : std::nullopt;
    if (number && set_constant(first_exponent_, *number)) {
      is->number = *number;
      exponential_of_[node] = *is;
      return;
    }
  }
  if (!independent) give_up(Kind::kBound);
  exponential_of_[node] = fresh(false, Symbol::kPower);
}

void FunctionField::decide_logarithm(NodeId node) {
  const NodeId argument = place_.graph->items(node)[0].node;
  Polynomials y;
  for (const auto& sample : samples_) {
    const auto& u = sample->of.at(argument);
    y.push_back(u.empty() || u[0] == 0 ? u : first_order_->product(first_order_->inverse(u), u));
    if (y.back().empty()) continue;
    y.back() = first_order_->integrated(first_order_->inverse(u), u, 0);
  }
  bool independent = false;
  auto is = combination(y, false, independent);
  // log u = Σ a y + (log κ)/D with a constant κ = u^D / Π exp(D a y), where D makes every D a an integer.
  int below = 1;
  for (std::size_t k = 0; is && k < is->pairs.size(); ++k) {
    const auto denominator = is->pairs[k].second.denominator().as_int();
    below = denominator && *denominator <= kParts ? std::lcm(below, *denominator) : 0;
    if (below == 0 || below > kMostTimes) is = std::nullopt;
  }
  if (is) {
    std::vector<Number> ratios;
    for (const auto& sample : samples_) {
      auto ratio = numbers_->raised(sample->value(argument), Rational(below));
      for (const auto& [k, factor] : is->pairs) {
        const auto power = sample->point.exponent_value(k, factor * Rational(-below));
        ratio = ratio && power ? std::optional(numbers_->multiply(*ratio, *power)) : std::nullopt;
      }
      ratios.push_back(ratio.value_or(0));
    }
    const auto ratio = constant(ratios);
    const auto number = ratio ? numbers_->fraction(*ratio, kLargestConstant / 2) : std::nullopt;
    const auto factors = number && number->sign() > 0 ? prime_factors(*number) : std::nullopt;
    if (factors) {
      for (const auto& [prime, times] : *factors) is->primes.emplace_back(prime, Rational(times, below));
      logarithm_of_[node] = *is;
      return;
    }
  }
  if (!independent) give_up(Kind::kBound);
  logarithm_of_[node] = fresh(false, Symbol::kExponent);
}

void FunctionField::decide_circle(NodeId argument) {
  const PrimeField& field = *numbers_;
  Rational number, pis;
  add_constants(*place_.graph, argument, 1, number, pis);
  const auto parts_of = [](const Rational& multiple) {
    return whole(multiple * Rational(static_cast<std::int64_t>(PrimeField::kTurn) / 2), kMostTimes * 1440);
  };
  const Number pi = samples_[0]->point.pi();
  Polynomials y = at_samples(argument);
  bool independent = false;
  auto is = combination(y, true, independent);
  if (is && !has_parts(*is, true)) is = std::nullopt;
  if (kind_ == Kind::kNone) return;
  if (is) {
    y = at_samples(argument);  // has_parts() may have replaced samples
    // The constant rest is the number and the multiple of π that are written in the argument, up to a small fraction or
    // a simple multiple of π.
    const auto rest = constant_rest(y, *is, true);
    const auto written = field.of(number), turn = field.of(pis);
    const auto unwritten = rest && written && turn
                               ? std::optional(field.subtract(*rest, field.add(*written, field.multiply(*turn, pi))))
                               : std::nullopt;
    if (unwritten && *unwritten != 0) {
      if (const auto small = field.fraction(*unwritten))
        number = number + *small;
      else if (const auto half_turns = field.fraction(field.multiply(*unwritten, field.inverse(pi))))
        pis = pis + *half_turns;
      else
        is = std::nullopt;
    }
    if (!unwritten) is = std::nullopt;
  } else if (independent) {
    is = fresh(true, Symbol::kPower);
  }
  const auto parts = parts_of(pis);
  if (is && parts && set_constant(first_angle_, number)) {
    is->number = number;
    is->parts = *parts;
    circle_of_[argument] = *is;
    return;
  }
  give_up(Kind::kBound);
  circle_of_[argument] = is && is->fresh ? *is : fresh(true, Symbol::kPower);
}

void FunctionField::decide_angle(NodeId node) {
  const Graph& graph = *place_.graph;
  const NodeId u = graph.items(node)[0].node;
  const Op op = graph.op(node);
  if (op == Op::kAsin || op == Op::kAcos)
    decide_radicand([this, u](const Sample& sample) {
      const Number value = sample.value(u);
      return numbers_->subtract(numbers_->one(), numbers_->multiply(value, value));
    });
  if (kind_ == Kind::kNone) return;
  // The angle is entered as independent for now: that is enough to compute its derivatives.
  angle_of_[node] = fresh(true, Symbol::kExponent);
  const std::size_t index = angles_.size() - 1;
  angles_.pop_back();
  Polynomials y;
  for (const auto& sample : samples_) {
    TaylorOf<PrimeField, PrimePoint> probe = sample->of;
    y.push_back(probe.add(node) ? sample->point.angles_[index].y : std::vector<Number>{});
  }
  bool independent = false;
  combination(y, true, independent);
  if (!independent) give_up(Kind::kBound);
  angles_.push_back(Symbol::kExponent);
}

void FunctionField::decide_radicand(const Radicand& radicand) {
  if (kind_ == Kind::kNone) return;
  const PrimeField& field = *numbers_;
  std::vector<Number> values;
  for (const auto& sample : samples_) values.push_back(radicand(*sample));
  // No new root is needed for a positive number, and for a positive number times a known radicand.
  const auto is_positive = [&](const std::vector<Number>& ratios) {
    const auto ratio = constant(ratios);
    const auto number = ratio ? field.fraction(*ratio) : std::nullopt;
    return number && number->sign() > 0;
  };
  if (is_positive(values)) return;
  for (const Radicand& known : radicands_) {
    std::vector<Number> ratios;
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const Number below = known(*samples_[s]);
      ratios.push_back(below == 0 ? 0 : field.multiply(values[s], field.inverse(below)));
    }
    if (is_positive(ratios)) return;
  }
  std::size_t next = 0;
  const std::size_t before = samples_.size();
  std::erase_if(samples_, [&](const auto&) { return !field.is_square(values[next++]); });
  if (samples_.size() == before) return give_up(Kind::kNone);
  radicands_.push_back(radicand);
  if (!add_samples()) give_up(Kind::kNone);
}

}  // namespace dalembert
