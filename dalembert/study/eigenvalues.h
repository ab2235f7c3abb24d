// SPDX-License-Identifier: Apache-2.0
// Eigenvalues as text and JSON.
#pragma once

#include <complex>
#include <string>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// A complex number as the pair [re, im].
Json complex_json(const std::complex<double>& z);
/// A matrix as a list of rows.
Json rows_json(const Matrix& matrix);
/// A complex number as text, such as "-0.5 + 2i".
std::string complex_text(const std::complex<double>& z);
/// An eigenvalue as text; a complex pair is written as "-0.5 +- 2i".
std::string eigenvalue_text(const std::complex<double>& z);

}  // namespace dalembert
