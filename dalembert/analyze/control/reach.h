// SPDX-License-Identifier: Apache-2.0
// What the inputs of ż = A z + B u cannot move, and what outputs cannot see.
#pragma once

#include <complex>
#include <vector>

#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

/// A combination wᵀz of states that obeys d(wᵀz)/dt = s wᵀz whatever the inputs do, or, for outputs, a motion z = w exp(s t) that no output shows.
struct HiddenMode {
  std::complex<double> eigenvalue;
  int order = 1;           ///< of an eigenvalue 0: wᵀz is constant (1), or its order-th derivative is 0
  double size = 1;         ///< of the part of A, in balanced units, in which it was found
  double uncertainty = 0;  ///< of the real part of its eigenvalue
  bool exactly =
      true;  ///< to round-off; otherwise what moves or shows it is more than that, and less than 1e-10 of A or B
  std::vector<std::complex<double>> direction;  ///< w; its largest entry is 1
};

/// Orthonormal columns that span the states which inputs reach from 0: by the pattern of A and B, and of those states by a staircase of ranks that counts
/// entries below 1e-10 of A or B for zeros, in balanced units. Source: Rosenbrock, State-space and multivariable theory (1970), ch. 2; Paige, IEEE Trans. Autom. Control 26 (1981) 130.
struct Reach {
  Matrix reached;                  ///< states × dimension
  std::vector<HiddenMode> hidden;  ///< the other modes
};
Reach find_reach(const Matrix& A, const Matrix& B);
/// The modes that outputs y = C z do not show.
std::vector<HiddenMode> find_unseen(const Matrix& A, const Matrix& C);

}  // namespace dalembert
