// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/rational.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/throw_exception.hpp>

#include "dalembert/base/text.h"

// Boost is used without exceptions. The code below never divides by zero or reads malformed digits, so these functions are never called.
namespace boost {
void throw_exception(const std::exception&) { std::abort(); }
void throw_exception(const std::exception&, const boost::source_location&) { std::abort(); }
}  // namespace boost

namespace dalembert {

using boost::multiprecision::cpp_int;

// A fraction in lowest terms, with a positive denominator.
struct BigRational {
  cpp_int above, below;
};

namespace {
// Reduces to lowest terms. Integers and powers of two in the denominator, which products of sines produce, need no greatest common divisor.
BigRational reduced(cpp_int above, cpp_int below) {
  if (above == 0) return {0, 1};
  if (below == 1) return {std::move(above), std::move(below)};
  const auto zeros = lsb(below);
  if (msb(below) == zeros) {
    const auto shift = std::min<std::size_t>(zeros, lsb(above < 0 ? cpp_int(-above) : above));
    const bool negative = above < 0;
    if (negative) above = -above;
    above >>= shift;
    below >>= shift;
    return {negative ? cpp_int(-above) : std::move(above), std::move(below)};
  }
  const cpp_int common = gcd(above, below);
  if (common != 1) {
    above /= common;
    below /= common;
  }
  return {std::move(above), std::move(below)};
}

// Decimal digits of x >= 0, eighteen at a time.
std::string digits_of(cpp_int x) {
  constexpr std::uint64_t kBlock = 1'000'000'000'000'000'000;
  constexpr std::size_t kDigits = 18;
  std::vector<std::uint64_t> blocks;
  while (x > kBlock) {
    cpp_int quotient, rest;
    divide_qr(x, cpp_int(kBlock), quotient, rest);
    blocks.push_back(static_cast<std::uint64_t>(rest));
    x = std::move(quotient);
  }
  std::string text = std::to_string(static_cast<std::uint64_t>(x));
  for (std::size_t i = blocks.size(); i-- > 0;) {
    const std::string block = std::to_string(blocks[i]);
    text.append(kDigits - block.size(), '0');
    text += block;
  }
  return text;
}

constexpr std::int64_t kMin = INT64_MIN;
bool fits(__int128 x) { return x > kMin && x <= INT64_MAX; }
__int128 gcd128(__int128 a, __int128 b) {
  if (a < 0) a = -a;
  while (b != 0) {
    const __int128 r = a % b;
    a = b;
    b = r < 0 ? -r : r;
  }
  return a;
}
cpp_int to_big(__int128 x) {
  const bool negative = x < 0;
  unsigned __int128 u = negative ? -static_cast<unsigned __int128>(x) : static_cast<unsigned __int128>(x);
  cpp_int big = static_cast<std::uint64_t>(u >> 64);
  big <<= 64;
  big += static_cast<std::uint64_t>(u);
  return negative ? cpp_int(-big) : big;
}
}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  assert(denominator != 0);
  *this = Rational(numerator) * Rational(denominator).inverse();
}

Rational::Rational(BigRational value) {
  if (value.above > kMin && value.above <= INT64_MAX && value.below <= INT64_MAX) {
    numerator_ = static_cast<std::int64_t>(value.above);
    denominator_ = static_cast<std::int64_t>(value.below);
  } else {
    big_ = std::make_shared<const BigRational>(std::move(value));
  }
}

BigRational Rational::big() const { return big_ ? *big_ : BigRational{numerator_, denominator_}; }

std::optional<Rational> Rational::parse(std::string_view text) {
  std::string digits;
  int exponent = 0;
  std::size_t i = 0;
  bool negative = false;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  for (bool point = false; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits += text[i];
      if (point) --exponent;
    } else {
      break;
    }
  }
  if (digits.empty() || digits.size() > 4000) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    bool minus = false;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) minus = text[i++] == '-';
    int written = 0;
    const std::size_t from = i;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      written = std::min(written * 10 + (text[i] - '0'), 100000);
    if (i == from) return std::nullopt;
    exponent += minus ? -written : written;
  }
  if (i != text.size()) return std::nullopt;
  // Leading and trailing zeros are removed, so that the exponent bounds the size of the number.
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return Rational(0);
  const std::size_t last = digits.find_last_not_of('0');
  exponent += static_cast<int>(digits.size() - 1 - last);
  digits = digits.substr(first, last - first + 1);
  const int magnitude = exponent + static_cast<int>(digits.size());
  if (magnitude > 309 || magnitude < -323) return std::nullopt;
  cpp_int mantissa(digits);
  if (negative) mantissa = -mantissa;
  const cpp_int scale = boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
  const Rational value(exponent >= 0 ? BigRational{mantissa * scale, 1} : reduced(mantissa, scale));
  // A value that a double cannot represent would later become infinity or zero without an error.
  const double nearest = value.to_double();
  return std::isfinite(nearest) && nearest != 0 ? std::optional(value) : std::nullopt;
}

Rational Rational::from_double(double value) {
  assert(std::isfinite(value));
  return *parse(to_text(value));
}

bool Rational::is_integer() const { return big_ ? big_->below == 1 : denominator_ == 1; }
int Rational::sign() const { return big_ ? big_->above.sign() : (numerator_ > 0) - (numerator_ < 0); }

std::optional<int> Rational::as_int() const {
  if (big_ || denominator_ != 1 || numerator_ > INT32_MAX || numerator_ < INT32_MIN) return std::nullopt;
  return static_cast<int>(numerator_);
}

double Rational::to_double() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (!big_ && std::abs(numerator_) <= kExact && denominator_ <= kExact)
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  const BigRational value = big();
  return boost::multiprecision::cpp_rational(value.above, value.below).convert_to<double>();
}

std::string Rational::to_string() const {
  if (!big_)
    return denominator_ == 1 ? std::to_string(numerator_)
                             : std::to_string(numerator_) + "/" + std::to_string(denominator_);
  const bool negative = big_->above < 0;
  std::string text = (negative ? "-" : "") + digits_of(negative ? cpp_int(-big_->above) : big_->above);
  return big_->below == 1 ? text : text + "/" + digits_of(big_->below);
}

Rational Rational::numerator() const { return big_ ? Rational(BigRational{big_->above, 1}) : Rational(numerator_); }
Rational Rational::denominator() const { return big_ ? Rational(BigRational{big_->below, 1}) : Rational(denominator_); }

std::size_t Rational::hash() const {
  if (big_) return hash_value(big_->above) * 0x9E3779B97F4A7C15u ^ hash_value(big_->below);
  return static_cast<std::size_t>(numerator_) * 0x9E3779B97F4A7C15u ^
         (static_cast<std::size_t>(denominator_) * 0xC2B2AE3D27D4EB4Fu >> 7);
}

std::size_t Rational::bits() const {
  const auto length = [](const cpp_int& x) {
    return x == 0 ? std::size_t{0} : static_cast<std::size_t>(msb(x < 0 ? cpp_int(-x) : x)) + 1;
  };
  if (!big_)
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(std::abs(numerator_))) +
                                    std::bit_width(static_cast<std::uint64_t>(denominator_)));
  return length(big_->above) + length(big_->below);
}

Rational Rational::operator-() const {
  if (big_) return Rational(BigRational{-big_->above, big_->below});
  Rational r;
  r.numerator_ = -numerator_;  // safe, because numerator_ is never INT64_MIN
  r.denominator_ = denominator_;
  return r;
}

Rational Rational::floor() const {
  if (is_integer()) return *this;
  // Integer division truncates towards zero, so a negative value was rounded up.
  const int down = sign() < 0 ? 1 : 0;
  if (!big_) return Rational(numerator_ / denominator_ - down);
  return Rational(BigRational{big_->above / big_->below - down, 1});
}

Rational Rational::inverse() const {
  assert(!is_zero());
  if (big_)
    return Rational(big_->above < 0 ? BigRational{-big_->below, -big_->above} : BigRational{big_->below, big_->above});
  Rational r;
  r.numerator_ = numerator_ < 0 ? -denominator_ : denominator_;
  r.denominator_ = numerator_ < 0 ? -numerator_ : numerator_;
  return r;
}

Rational Rational::power(int exponent) const {
  if (exponent < 0) return inverse().power(-exponent);
  Rational result(1), base = *this;
  for (int e = exponent; e > 0; e >>= 1) {
    if (e & 1) result = result * base;
    if (e > 1) base = base * base;
  }
  return result;
}

Rational operator+(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) {
    if (a.denominator_ == 1 && b.denominator_ == 1) {
      std::int64_t sum;
      if (!__builtin_add_overflow(a.numerator_, b.numerator_, &sum) && sum != kMin) return Rational(sum);
    } else {
      const std::int64_t g = std::gcd(a.denominator_, b.denominator_);
      // Each product is below 2^126, so their sum fits 128 bits.
      __int128 n = static_cast<__int128>(a.numerator_) * (b.denominator_ / g) +
                   static_cast<__int128>(b.numerator_) * (a.denominator_ / g);
      __int128 d = static_cast<__int128>(a.denominator_) * (b.denominator_ / g);
      const __int128 common = gcd128(n, d);
      n /= common;
      d /= common;
      if (fits(n) && fits(d)) {
        Rational r;
        r.numerator_ = static_cast<std::int64_t>(n);
        r.denominator_ = static_cast<std::int64_t>(d);
        return r;
      }
      return Rational(BigRational{to_big(n), to_big(d)});
    }
  }
  const BigRational x = a.big(), y = b.big();
  if (x.below == y.below) return Rational(reduced(x.above + y.above, x.below));
  return Rational(reduced(x.above * y.below + y.above * x.below, x.below * y.below));
}

Rational operator*(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) {
    std::int64_t product;
    if (a.denominator_ == 1 && b.denominator_ == 1 && !__builtin_mul_overflow(a.numerator_, b.numerator_, &product) &&
        product != kMin)
      return Rational(product);
    const std::int64_t g1 = std::gcd(a.numerator_, b.denominator_), g2 = std::gcd(b.numerator_, a.denominator_);
    const __int128 n = static_cast<__int128>(a.numerator_ / (g1 ? g1 : 1)) * (b.numerator_ / (g2 ? g2 : 1));
    const __int128 d = static_cast<__int128>(a.denominator_ / (g2 ? g2 : 1)) * (b.denominator_ / (g1 ? g1 : 1));
    if (n == 0) return Rational(0);
    if (fits(n) && fits(d)) {
      Rational r;
      r.numerator_ = static_cast<std::int64_t>(n);
      r.denominator_ = static_cast<std::int64_t>(d);
      return r;
    }
  }
  const BigRational x = a.big(), y = b.big();
  return Rational(reduced(x.above * y.above, x.below * y.below));
}

bool operator==(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  return a.big_ && b.big_ && a.big_->above == b.big_->above && a.big_->below == b.big_->below;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) {
    const __int128 left = static_cast<__int128>(a.numerator_) * b.denominator_,
                   right = static_cast<__int128>(b.numerator_) * a.denominator_;
    return left < right   ? std::strong_ordering::less
           : left > right ? std::strong_ordering::greater
                          : std::strong_ordering::equal;
  }
  const BigRational x = a.big(), y = b.big();
  const int order = cpp_int(x.above * y.below).compare(cpp_int(y.above * x.below));
  return order < 0   ? std::strong_ordering::less
         : order > 0 ? std::strong_ordering::greater
                     : std::strong_ordering::equal;
}

std::optional<Rational> exact_sqrt(const Rational& value) {
  if (value.sign() < 0) return std::nullopt;
  const auto root = [](const cpp_int& n) -> std::optional<cpp_int> {
    const cpp_int r = boost::multiprecision::sqrt(n);
    if (r * r != n) return std::nullopt;
    return r;
  };
  const BigRational number = value.big();
  const auto above = root(number.above), below = above ? root(number.below) : std::nullopt;
  if (!above || !below) return std::nullopt;
  return Rational(BigRational{*above, *below});
}

Rational gcd(const Rational& a, const Rational& b) {
  assert(a.is_integer() && b.is_integer());
  if (a.is_zero() && b.is_zero()) return 1;
  if (!a.big_ && !b.big_) return std::gcd(a.numerator_, b.numerator_);
  return Rational(BigRational{gcd(a.big().above, b.big().above), 1});
}

}  // namespace dalembert
