// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/packed_numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dalembert {

std::string packed(const std::vector<double>& values) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(values.size() * 16 / 3 + 4);
  std::uint32_t pending = 0;
  int bytes = 0;
  for (const double value : values) {
    const bool representable = std::abs(value) <= std::numeric_limits<float>::max();
    const auto bits = std::bit_cast<std::uint32_t>(representable ? static_cast<float>(value)
                                                                 : std::numeric_limits<float>::quiet_NaN());
    for (int byte = 0; byte < 4; ++byte) {
      pending = pending << 8 | (bits >> (8 * byte) & 0xff);
      if (++bytes < 3) continue;
      for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[pending >> shift & 63];
      pending = 0;
      bytes = 0;
    }
  }
  if (bytes == 0) return text;
  pending <<= 8 * (3 - bytes);
  for (int digit = 0; digit < 4; ++digit) text += digit <= bytes ? kDigits[pending >> (18 - 6 * digit) & 63] : '=';
  return text;
}

}  // namespace dalembert
