// SPDX-License-Identifier: Apache-2.0
// Eigenvalues as the verbs write them.
#pragma once

#include <complex>
#include <string>

#include "apps/dalembert/json.h"

namespace dalembert::app {

/// [re, im]
Json complex_json(const std::complex<double>& z);
/// "-0.5 + 2i"
std::string complex_text(const std::complex<double>& z);
/// The same; of a pair "-0.5 +- 2i".
std::string eigenvalue_text(const std::complex<double>& z);

}  // namespace dalembert::app
