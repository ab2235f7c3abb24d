// SPDX-License-Identifier: Apache-2.0
// Derivatives along runs are made once for a model and its copies: making them takes longer than a short run, and machine code of them is worth its time over several.
#pragma once

#include <deque>
#include <memory>
#if !defined(__wasi__)  // one thread
#include <mutex>
#endif
#include <utility>
#include <vector>

#include "dalembert/study/built_model.h"

namespace dalembert {

/// Belongs to the equations of a BuiltModel and of its copies with other parameter values. Thread-safe.
class KeptDerivatives {
 public:
  explicit KeptDerivatives(const CompileOptions& options) : options_(options) {}
  /// compile_derivatives(): made anew unless it is one of the last kMost.
  std::shared_ptr<const RunDerivatives> find(const Equations& equations, const std::vector<int>& parameters);

 private:
  static constexpr std::size_t kMost = 8;
  const CompileOptions options_;
#if !defined(__wasi__)
  std::mutex mutex_;
#endif
  std::deque<std::pair<std::vector<int>, std::shared_ptr<const RunDerivatives>>>
      made_;  // the last one that was used in front
};

/// The derivatives along runs of a system by these parameters; null where it has none (compile_derivatives()).
std::shared_ptr<const RunDerivatives> derivatives_along_runs(const BuiltModel& system,
                                                             const std::vector<int>& parameters);

}  // namespace dalembert
