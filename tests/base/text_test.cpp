// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

// What the C++ library of the compiler reads, with the sign that parse_double allows besides.
std::optional<double> by_the_library(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> bits(std::optional<double> value) {
  if (!value) return std::nullopt;
  std::uint64_t result = 0;
  std::memcpy(&result, &*value, sizeof result);
  return result;
}

// Truth: std::from_chars of the C++ library, an independent reader of the same decimal numbers; both round to nearest.
TEST(ParseDouble, ReadsWhatTheLibraryReads) {
  for (const std::string text :
       {"",     "+",     "-",        "0",      "-0",    "+0",     "1",     "+1.5",    "++1",     "+-1",    "1.",
        ".5",   ".",     "-.5",      "1e5",    "1E-5",  "1e+5",   "1e",    "1e+",     "e5",      "1,5",    " 1",
        "1 ",   "1e400", "-1e400",   "1e-400", "0e400", "0e-400", "0.0e9", "1e-308",  "5e-324",  "2e-324", "inf",
        "-inf", "nan",   "infinity", "nan(1)", "0x10",  "1_000",  "1e5x",  "1e99999", "1e-99999"})
    EXPECT_EQ(bits(parse_double(text)), bits(by_the_library(text))) << text;
}

// Truth: as above, for numbers of 1 to 25 digits, also halfway between two doubles, and exponents that reach all of them.
TEST(ParseDouble, ReadsRandomNumbersToTheBit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = random() % 2 == 0 ? "" : "-";
    for (std::uint64_t digits = 1 + random() % 25; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
      if (random() % 16 == 0 && text.find('.') == std::string::npos) text += '.';
    }
    if (random() % 4 != 0) text += "e" + std::to_string(static_cast<int>(random() % 720) - 360);
    ASSERT_EQ(bits(parse_double(text)), bits(by_the_library(text))) << text;
  }
  // Halfway between a double and the next, written in full: to even.
  for (int i = 0; i < 1000; ++i) {
    const double value =
        std::ldexp(1.0 + std::ldexp(static_cast<double>(random() >> 12), -52), static_cast<int>(random() % 50));
    std::array<char, 2000> text{};
    const auto half = static_cast<long double>(value) +
                      (static_cast<long double>(std::nextafter(value, 1e300)) - static_cast<long double>(value)) / 2;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), half, std::chars_format::fixed, 60).ptr;
    const std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
    ASSERT_EQ(bits(parse_double(written)), bits(by_the_library(written))) << written;
  }
}

// For people there is one zero; text that is read back keeps the sign.
TEST(Text, NoMinusZeroForPeople) {
  EXPECT_EQ(to_text(-0.0, 6), "0");
  EXPECT_EQ(to_text(-0.5, 6), "-0.5");
  EXPECT_EQ(to_text(-0.0), "-0");
}

// Truth: to_text writes the shortest digits that read back as the same double.
TEST(ParseDouble, ReadsBackWhatWasWritten) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t pattern = random();
    double value = 0;
    std::memcpy(&value, &pattern, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(bits(parse_double(to_text(value))), bits(value)) << to_text(value);
  }
}

// RFC 3629, doi:10.17487/RFC3629, section 4: every code point but the surrogates in its shortest form, and nothing
// else.
TEST(Utf8, EverySequenceOfTheStandardAndNoOther) {
  const auto encoded = [](std::uint32_t c) {
    std::string s;
    if (c < 0x80) return std::string(1, static_cast<char>(c));
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
    s += static_cast<char>(kLead[more] | c >> 6 * more);
    for (int k = more; k-- > 0;) s += static_cast<char>(0x80 | (c >> 6 * k & 0x3F));
    return s;
  };
  for (std::uint32_t c = 0; c <= 0x11FFFF; ++c) {
    const std::string s = encoded(c);
    const bool valid = c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
    ASSERT_EQ(utf8_length(s), valid ? s.size() : 0) << c;
    ASSERT_EQ(utf8_length(s.substr(0, s.size() - 1)), 0U) << c << " without its last byte";
    if (valid) {
      ASSERT_EQ(code_point(s), c);
      ASSERT_EQ(shown(s) != s, is_control(c)) << c;
    }
  }
  for (const std::string broken :
       {"", "\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_EQ(utf8_length(broken), 0U);
  EXPECT_EQ(utf8_length("\xC3\xA9t\xFF"), 2U) << "only the beginning is looked at";
}

// Oracle: by hand; which characters: Unicode's general category Cc, its line and paragraph separators, its marks of direction.
TEST(Text, ControlCharactersAreShown) {
  EXPECT_EQ(shown("a\x1b[2J\r\n\xE2\x80\xA8"
                  "b\xFFθ"),
            "a<U+001B>[2J<U+000D><U+000A><U+2028>b<0xFF>θ");
  EXPECT_EQ(shown("a\tb\r\nc\rd\n", "\n\t"), "a\tb\nc<U+000D>d\n");
  EXPECT_EQ(shown(std::string_view("\0", 1)), "<U+0000>");
  EXPECT_EQ(shown("\xC2\x85\xC2\x9B\xE2\x80\xAE\x7F"), "<U+0085><U+009B><U+202E><U+007F>");
  EXPECT_EQ(one_line("a\nb\rc"), "a b c");
}

TEST(Text, SomeItemsOfALongListAreNamed) {
  const std::vector<std::string> items{"a", "b", "c"};
  EXPECT_EQ(join_some(items, 3), "`a`, `b` and `c`");
  EXPECT_EQ(join_some(items, 2), "`a`, `b` and 1 more");
  EXPECT_EQ(join_some({}, 2), "");
}

}  // namespace
}  // namespace dalembert
