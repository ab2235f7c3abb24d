// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/kept_derivatives.h"

#include <algorithm>

namespace dalembert {

std::shared_ptr<const RunDerivatives> KeptDerivatives::find(const Equations& equations,
                                                            const std::vector<int>& parameters) {
#if !defined(__wasi__)
  const std::scoped_lock lock(mutex_);
#endif
  const auto known = std::ranges::find(made_, parameters, [](const auto& one) { return one.first; });
  if (known == made_.end()) {
    made_.emplace_front(parameters, compile_derivatives(equations, parameters, options_));
    if (made_.size() > kMost) made_.pop_back();
  } else {
    std::rotate(made_.begin(), known, known + 1);
  }
  return made_.front().second;
}

std::shared_ptr<const RunDerivatives> derivatives_along_runs(const BuiltModel& system,
                                                             const std::vector<int>& parameters) {
  return system.derivatives->find(system.equations, parameters);
}

}  // namespace dalembert
