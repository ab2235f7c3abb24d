// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/steady_at.h"

#include "dalembert/analyze/stability/relative.h"

namespace dalembert {

SteadyAt::SteadyAt(const SystemAt& given, const Dynamics& dynamics, const EquationDerivatives& derivatives)
    : steady_{&dynamics, &derivatives, given.left_out, given.follows} {
  if (!given.relative) return;
  relative_ = {&dynamics, &derivatives, given.relative->left_out, given.relative->follows};
  steady_.relative = &relative_;
}

}  // namespace dalembert
