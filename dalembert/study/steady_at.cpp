// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/steady_at.h"

#include <utility>

#include "dalembert/analyze/stability/relative.h"
#include "dalembert/analyze/stability/symmetries.h"

namespace dalembert {

SteadyAt::SteadyAt(const SystemAt& given, const Dynamics& dynamics, const EquationDerivatives& derivatives)
    : steady_{&dynamics, &derivatives, given.left_out, given.follows} {
  if (given.symmetries) {
    symmetries_ = given.symmetries;
    if (&dynamics != &given.system.dynamics) {
      auto found = find_symmetries(steady_, given.system.equations, given.state);
      symmetries_ = found && found->size() == given.symmetries->size()
                        ? std::make_shared<const std::vector<Symmetry>>(std::move(*found))
                        : nullptr;
    }
    steady_.symmetries = symmetries_.get();
  }
  if (!given.relative) return;
  relative_ = {&dynamics, &derivatives, given.relative->left_out, given.relative->follows};
  steady_.relative = &relative_;
}

}  // namespace dalembert
