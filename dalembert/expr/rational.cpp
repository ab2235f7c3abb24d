// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/rational.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/throw_exception.hpp>

#include "dalembert/base/text.h"

// The core is built without exceptions. Nothing below divides by zero or reads malformed digits, so this is
// unreachable.
namespace boost {
void throw_exception(const std::exception&) { std::abort(); }
void throw_exception(const std::exception&, const boost::source_location&) { std::abort(); }
}  // namespace boost

namespace dalembert {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

struct BigRational {
  cpp_rational value;
};

namespace {
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

Rational::Rational(const BigRational& value) {
  const cpp_int n = boost::multiprecision::numerator(value.value), d = boost::multiprecision::denominator(value.value);
  if (n > kMin && n <= INT64_MAX && d <= INT64_MAX) {
    numerator_ = static_cast<std::int64_t>(n);
    denominator_ = static_cast<std::int64_t>(d);
  } else {
    big_ = std::make_shared<const BigRational>(value);
  }
}

BigRational Rational::big() const {
  return big_ ? *big_ : BigRational{cpp_rational(cpp_int(numerator_), cpp_int(denominator_))};
}

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
  // Leading and trailing zeros say nothing; without them the exponent bounds the size of the number.
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
  const Rational value(BigRational{exponent >= 0 ? cpp_rational(mantissa * scale) : cpp_rational(mantissa, scale)});
  // What a double cannot hold would turn into infinity or zero later, in silence.
  const double nearest = value.to_double();
  return std::isfinite(nearest) && nearest != 0 ? std::optional(value) : std::nullopt;
}

Rational Rational::from_double(double value) {
  assert(std::isfinite(value));
  return *parse(to_text(value));
}

bool Rational::is_integer() const {
  return big_ ? boost::multiprecision::denominator(big_->value) == 1 : denominator_ == 1;
}
int Rational::sign() const { return big_ ? big_->value.sign() : (numerator_ > 0) - (numerator_ < 0); }

std::optional<int> Rational::as_int() const {
  if (big_ || denominator_ != 1 || numerator_ > INT32_MAX || numerator_ < INT32_MIN) return std::nullopt;
  return static_cast<int>(numerator_);
}

double Rational::to_double() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (!big_ && std::abs(numerator_) <= kExact && denominator_ <= kExact)
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  return big().value.convert_to<double>();
}

std::string Rational::to_string() const {
  if (!big_)
    return denominator_ == 1 ? std::to_string(numerator_)
                             : std::to_string(numerator_) + "/" + std::to_string(denominator_);
  const cpp_int d = boost::multiprecision::denominator(big_->value);
  const std::string n = boost::multiprecision::numerator(big_->value).str();
  return d == 1 ? n : n + "/" + d.str();
}

Rational Rational::numerator() const {
  return big_ ? Rational(BigRational{cpp_rational(boost::multiprecision::numerator(big_->value))})
              : Rational(numerator_);
}
Rational Rational::denominator() const {
  return big_ ? Rational(BigRational{cpp_rational(boost::multiprecision::denominator(big_->value))})
              : Rational(denominator_);
}

std::size_t Rational::hash() const {
  if (big_) return std::hash<std::string>()(to_string());
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
  return length(boost::multiprecision::numerator(big_->value)) +
         length(boost::multiprecision::denominator(big_->value));
}

Rational Rational::operator-() const {
  if (big_) return Rational(BigRational{-big_->value});
  Rational r;
  r.numerator_ = -numerator_;  // INT64_MIN never stands in numerator_
  r.denominator_ = denominator_;
  return r;
}

Rational Rational::floor() const {
  if (is_integer()) return *this;
  // Division of integers drops the fraction: what is negative has then been rounded up.
  const int down = sign() < 0 ? 1 : 0;
  if (!big_) return Rational(numerator_ / denominator_ - down);
  const cpp_int quotient =
      boost::multiprecision::numerator(big_->value) / boost::multiprecision::denominator(big_->value);
  return Rational(BigRational{cpp_rational(cpp_int(quotient - down))});
}

Rational Rational::inverse() const {
  assert(!is_zero());
  if (big_) return Rational(BigRational{1 / big_->value});
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
      return Rational(BigRational{cpp_rational(to_big(n), to_big(d))});
    }
  }
  return Rational(BigRational{a.big().value + b.big().value});
}

Rational operator*(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) {
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
  return Rational(BigRational{a.big().value * b.big().value});
}

bool operator==(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  return a.big_ && b.big_ && a.big_->value == b.big_->value;
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (!a.big_ && !b.big_) {
    const __int128 left = static_cast<__int128>(a.numerator_) * b.denominator_,
                   right = static_cast<__int128>(b.numerator_) * a.denominator_;
    return left < right   ? std::strong_ordering::less
           : left > right ? std::strong_ordering::greater
                          : std::strong_ordering::equal;
  }
  const int order = a.big().value.compare(b.big().value);
  return order < 0   ? std::strong_ordering::less
         : order > 0 ? std::strong_ordering::greater
                     : std::strong_ordering::equal;
}

std::optional<Rational> exact_sqrt(const Rational& value) {
  if (value.sign() < 0) return std::nullopt;
  const auto root = [](const Rational& integer) -> std::optional<Rational> {
    const cpp_int n(integer.to_string());
    const cpp_int r = boost::multiprecision::sqrt(n);
    if (r * r != n) return std::nullopt;
    return Rational::parse(r.str());
  };
  const auto above = root(value.numerator()), below = root(value.denominator());
  if (!above || !below) return std::nullopt;
  return *above / *below;
}

}  // namespace dalembert
