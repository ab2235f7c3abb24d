// SPDX-License-Identifier: Apache-2.0
// Whether a motion has a negative inertia. The equations of friction.h are not symmetric, and the elimination that solves them takes any M that is regular
// on the motions in question. A mass matrix without friction must be positive definite there (kkt.h).
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/numbers.h"

namespace dalembert {
namespace {

// An inertia that is not below minus this fraction of its terms is round-off of 0.
constexpr double kRoundoffOfInertia = 1e-12;

}  // namespace

// Whether M is positive semidefinite up to round-off: M plus a fraction of its diagonal has positive pivots.
bool FrictionSolver::is_mass_semidefinite() {
  const std::size_t n = at(n_);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = mass_.row(static_cast<int>(i));
    std::copy(M_.begin() + static_cast<std::ptrdiff_t>(i * n + i),
              M_.begin() + static_cast<std::ptrdiff_t>((i + 1) * n), row + i);
    // A coordinate without mass is coupled to no other by M.
    row[i] = row[i] == 0 ? 1 : row[i] * (1 + kRoundoffOfInertia);
    if (M_[i * n + i] == 0 &&
        std::any_of(M_.begin() + static_cast<std::ptrdiff_t>(i * n),
                    M_.begin() + static_cast<std::ptrdiff_t>((i + 1) * n), [](double entry) { return entry != 0; }))
      return false;
  }
  return mass_.factor() > 0;
}

// The same on the motions that the rows allow, without those of contacts, which may open. M is scaled as in the solve without friction. What is not finite has no
// inertia to judge.
bool FrictionSolver::find_negative_inertia() const {
  const std::size_t n = at(n_);
  if (!all_finite(M_) || !all_finite(W_)) return false;
  std::vector<const double*> rows;
  for (std::size_t r = 0; r < at(m_); ++r)
    if (one_sided_.empty() || one_sided_[r] == 0) rows.push_back(W_.data() + r * n);
  Equilibration scales;
  scales.resize(n, rows.size());
  scales.find(M_.data(), rows);
  HouseholderQr qr;
  qr.resize(n_, static_cast<int>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < n; ++i)
      qr.column(static_cast<int>(r))[i] = rows[r][i] * scales.column[i] * scales.row[r];
  const std::size_t rank = at(qr.factor_pivoted(kRankTolerance, static_cast<int>(rows.size())));
  std::vector<double> K(n * n), temporary(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      K[i * n + j] = M_[i * n + j] * scales.column[i] * scales.column[j];
      largest = std::max(largest, std::abs(K[i * n + j]));
    }
  qr.apply_congruence(K.data(), temporary.data());
  SkylineLdlt inertia;
  inertia.resize(static_cast<int>(n - rank));
  for (std::size_t i = rank; i < n; ++i) {
    double* row = inertia.row(static_cast<int>(i - rank));
    for (std::size_t j = i; j < n; ++j) row[j - rank] = K[i * n + j];
    row[i - rank] += kRoundoffOfInertia * largest;
  }
  return !(inertia.factor() > 0);
}

}  // namespace dalembert
