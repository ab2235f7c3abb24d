// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace dalembert {
namespace {

// The digits come from the implementation in fmt (J. Jeon, Dragonbox: a new floating-point binary-to-decimal conversion
// algorithm, 2020). It is not part of fmt's public interface, so it is used only in versions of fmt that were checked.
constexpr bool kHasDragonbox = FMT_VERSION >= 90000 && FMT_VERSION < 120000;

struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;  // value = digits · 10^exponent; `digits` has no trailing zeros
};

// A template, so that it compiles with versions of fmt that lack to_decimal.
template <class Real>
Decimal shortest_decimal(Real value) {
  if constexpr (kHasDragonbox) {
    const auto found = fmt::detail::dragonbox::to_decimal(value);
    return {found.significand, found.exponent};
  } else {
    return {};
  }
}

constexpr std::array<char, 200> make_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kPairs = make_pairs();

constexpr std::array<std::uint64_t, 20> make_powers() {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < 20; ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}
constexpr std::array<std::uint64_t, 20> kPowers = make_powers();

// Decimal digits of a positive number. bits · log10 2, with log10 2 ≈ 1233/4096, is exact or one too small.
int count_digits(std::uint64_t number) {
  const std::size_t about = static_cast<std::size_t>(std::bit_width(number)) * 1233 >> 12;
  return static_cast<int>(about) + (number >= kPowers[about] ? 1 : 0);
}

void write_pair(char* at, std::uint32_t below_100) { std::memcpy(at, &kPairs[std::size_t{2} * below_100], 2); }

// Writes eight digits. The divisions do not depend on each other, so they overlap.
void write_eight(char* at, std::uint32_t number) {
  const std::uint32_t high = number / 10'000, low = number % 10'000;
  write_pair(at, high / 100);
  write_pair(at + 2, high % 100);
  write_pair(at + 4, low / 100);
  write_pair(at + 6, low % 100);
}

// Writes the last `count` digits of the number so that they end before `end`. Returns the remaining leading part.
std::uint64_t write_digits(char* end, std::uint64_t number, int count) {
  constexpr std::uint64_t kEight = 100'000'000;
  for (; count >= 8; count -= 8) {
    end -= 8;
    write_eight(end, static_cast<std::uint32_t>(number % kEight));
    number /= kEight;
  }
  for (; count >= 2; count -= 2) {
    end -= 2;
    write_pair(end, static_cast<std::uint32_t>(number % 100));
    number /= 100;
  }
  if (count == 1) {
    *--end = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return number;
}

char* write_scientific(char* at, const Decimal& d, int count) {
  // Writes all digits but the first, leaving room for the first digit and the point.
  const std::uint64_t first = write_digits(at + count + 1, d.digits, count - 1);
  *at++ = static_cast<char>('0' + first);
  if (count > 1) {
    *at = '.';
    at += count;
  }
  int exponent = d.exponent + count - 1;
  *at++ = 'e';
  *at++ = exponent < 0 ? '-' : '+';
  exponent = std::abs(exponent);
  if (exponent >= 100) {
    *at++ = static_cast<char>('0' + exponent / 100);
    exponent %= 100;
  }
  std::memcpy(at, &kPairs[static_cast<std::size_t>(2 * exponent)], 2);
  return at + 2;
}

char* write_fixed(char* at, const Decimal& d, int count) {
  if (d.exponent >= 0) {
    write_digits(at + count, d.digits, count);
    std::memset(at + count, '0', static_cast<std::size_t>(d.exponent));
    return at + count + d.exponent;
  }
  const int before = count + d.exponent;  // digits before the point
  if (before > 0) {
    const std::uint64_t rest = write_digits(at + count + 1, d.digits, count - before);
    at[before] = '.';
    write_digits(at + before, rest, before);
    return at + count + 1;
  }
  std::memcpy(at, "0.", 2);
  std::memset(at + 2, '0', static_cast<std::size_t>(-before));
  at += 2 - before;
  write_digits(at + count, d.digits, count);
  return at + count;
}

}  // namespace

char* write_number(char* at, double value) {
  // Beyond 2⁵³ fixed notation needs all digits of the integer, not the shortest ones.
  constexpr double kExact = 9007199254740992.0;
  const double size = std::abs(value);
  if (!kHasDragonbox || size >= kExact) return std::to_chars(at, at + kLongestNumber + 8, value).ptr;
  if (std::signbit(value)) *at++ = '-';
  if (size == 0) {
    *at++ = '0';
    return at;
  }
  const Decimal d = shortest_decimal(size);
  const int count = count_digits(d.digits);
  // [charconv.to.chars]: the shorter notation is used, fixed if both are equally long. The exponent has at least two
  // digits. With a single digit scientific notation needs no point and is one character shorter.
  const int least = count == 1 ? -(count + 2) : -(count + 3), most = count == 1 ? 4 : 5;
  return d.exponent >= least && d.exponent <= most ? write_fixed(at, d, count) : write_scientific(at, d, count);
}

}  // namespace dalembert
