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
  double size = 0;  ///< of the matrix of all such modes: real parts below a part of it are round-off
  int order = 1;    ///< of an eigenvalue 0: wᵀz is constant (1), or its order-th derivative is 0
  std::vector<std::complex<double>> direction;  ///< w; its largest entry is 1
};

/// Orthonormal columns that span the states which inputs reach from 0, by a staircase of ranks in balanced units. What is below `tolerance` of the columns of A
/// or B that it is made of counts for zero. Source: Rosenbrock, State-space and multivariable theory (1970), ch. 2; Paige, IEEE Trans. Autom. Control 26 (1981) 130.
struct Reach {
  Matrix reached;                  ///< states × dimension
  std::vector<HiddenMode> hidden;  ///< the other modes
  bool in_doubt = false;  ///< what counted for zero could move the other modes: round-off alone says that it does not
};
inline constexpr double kReachedSurely = 1e-10, kReachedBarely = 1e-14;
Reach find_reach(const Matrix& A, const Matrix& B, double tolerance);
/// The modes that outputs y = C z do not show are those that inputs with Cᵀ do not reach in ż = Aᵀ z.
Reach find_seen(const Matrix& A, const Matrix& C, double tolerance);

}  // namespace dalembert
