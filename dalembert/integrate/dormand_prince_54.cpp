// SPDX-License-Identifier: Apache-2.0
// Dormand & Prince, order 5, with an error estimate of order 4 and a continuous extension of order 4.
// Coefficients: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. (1993), table II.5.2 and
// (II.6.12); the last row is that of the code dopri5. runge_kutta_test.cpp holds them to the order conditions.
#include "dalembert/integrate/method.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert {
namespace {

Tableau make_54() {
  Tableau tableau;
  tableau.name = "dopri5";
  tableau.order = 5;
  tableau.error_order = 4;
  tableau.dense_order = 4;
  tableau.stages = 6;
  tableau.all_stages = 7;
  tableau.largest_factor = 10;
  tableau.smallest_factor = 0.2;
  tableau.stability = 3.25;
  tableau.c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  tableau.a = {{},
               {1.0 / 5},
               {3.0 / 40, 9.0 / 40},
               {44.0 / 45, -56.0 / 15, 32.0 / 9},
               {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
               {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
               {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  tableau.b = tableau.a[6];
  tableau.e = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  tableau.d = {{-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
                701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423}};
  return tableau;
}

}  // namespace

const Tableau& dormand_prince_54() {
  static const Tableau tableau = make_54();
  return tableau;
}

}  // namespace dalembert
