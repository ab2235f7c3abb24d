// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/eigenvalues.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "dalembert/base/wording.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

Json complex_json(const std::complex<double>& z) {
  // Adding 0 turns −0, which would look like a mistake, into 0.
  return list_json(std::vector<double>{z.real() + 0.0, z.imag() + 0.0});
}

std::string complex_text(const std::complex<double>& z) {
  if (z.imag() == 0) return shown_number(z.real(), 6);
  return fmt::format("{} {} {}i", shown_number(z.real(), 6), z.imag() < 0 ? "-" : "+",
                     shown_number(std::abs(z.imag()), 6));
}

std::string eigenvalue_text(const std::complex<double>& z) {
  if (z.imag() == 0) return complex_text(z);
  // A real part at round-off level, compared with the frequency, is shown as 0.
  const double real = std::abs(z.real()) < 1e-13 * std::abs(z) ? 0 : z.real();
  return fmt::format("{} +- {}i", shown_number(real, 6), shown_number(std::abs(z.imag()), 6));
}

Json rows_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows; ++i)
    rows.push_back(list_json(std::span(matrix.entries).subspan(i * matrix.cols, matrix.cols)));
  return rows;
}

}  // namespace dalembert
