// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/eigenvalues.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "dalembert/base/wording.h"
#include "dalembert/store/json_parts.h"

namespace dalembert {

Json complex_json(const std::complex<double>& z) {
  // −0 reads as a slip.
  return list_json(std::vector<double>{z.real() + 0.0, z.imag() + 0.0});
}

std::string complex_text(const std::complex<double>& z) {
  if (z.imag() == 0) return shown_number(z.real(), 6);
  return fmt::format("{} {} {}i", shown_number(z.real(), 6), z.imag() < 0 ? "-" : "+",
                     shown_number(std::abs(z.imag()), 6));
}

std::string eigenvalue_text(const std::complex<double>& z) {
  if (z.imag() == 0) return complex_text(z);
  // Round-off beside the frequency is not worth reading.
  const double real = std::abs(z.real()) < 1e-13 * std::abs(z) ? 0 : z.real();
  return fmt::format("{} +- {}i", shown_number(real, 6), shown_number(std::abs(z.imag()), 6));
}

}  // namespace dalembert
