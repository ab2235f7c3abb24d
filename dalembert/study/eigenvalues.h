// SPDX-License-Identifier: Apache-2.0
// Eigenvalues as they are written.
#pragma once

#include <complex>
#include <string>

#include "dalembert/store/json_value.h"

namespace dalembert {

/// [re, im]
Json complex_json(const std::complex<double>& z);
/// "-0.5 + 2i"
std::string complex_text(const std::complex<double>& z);
/// The same; of a pair "-0.5 +- 2i".
std::string eigenvalue_text(const std::complex<double>& z);

}  // namespace dalembert
