// SPDX-License-Identifier: Apache-2.0
// Models of models/ as the benchmarks use them, and one evaluation of (q̈, λ) by the quickest way there is.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/modelfile/load.h"

namespace dalembert::bench {

/// Benchmarks have no user to report to.
template <class T>
T value_or_abort(Result<T> result) {
  if (!result) {
    std::fputs(render(result.diagnostics()).c_str(), stderr);
    std::abort();
  }
  return std::move(result).value();
}

inline LoadOptions options_with(const std::vector<std::string>& set) {
  LoadOptions options;
  for (const std::string& assignment : set) options.overrides.push_back(value_or_abort(parse_override(assignment)));
  return options;
}

inline std::string model_path(const std::string& name) {
  return std::string(DALEMBERT_SOURCE_DIR) + "/models/" + name + ".toml";
}

/// `set` holds NAME=VALUE assignments, as behind --set.
inline Equations derive_shipped(const std::string& name, const std::vector<std::string>& set = {}) {
  Model model = value_or_abort(load_model_file(model_path(name), options_with(set)));
  return value_or_abort(derive(std::make_shared<const Model>(std::move(model))));
}

/// (q̈, λ) at states without inputs that depend on time: inside the kernel where it can, else kRates and solve_kkt.
class Evaluation {
 public:
  explicit Evaluation(Dynamics dynamics)
      : dynamics_(std::move(dynamics)),
        workspace_(in_kernel() ? nullptr : std::make_unique<Workspace>(dynamics_)),
        u_(size(dynamics_.layout().inputs)),
        work_(dynamics_.layout().work),
        out_(size(dynamics_.n() + dynamics_.m() + 2)) {
    dynamics_.inputs(0, work_.data(), u_.data());
  }

  int n() const { return dynamics_.n(); }
  int m() const { return dynamics_.m(); }
  bool in_kernel() const { return dynamics_.kernel().solves_kkt(); }

  /// True when the result can be relied on. It stays valid until the next call: q̈ [n], then λ [m].
  bool operator()(const double* q, const double* v) {
    double* out = out_.data();
    if (!in_kernel()) return solve_kkt(dynamics_, 0, q, v, *workspace_, out, out + n()) == KktStatus::kOk;
    dynamics_.kernel().call(KernelFunction::kAccelerations,
                            {.q = q,
                             .v = v,
                             .u = u_.data(),
                             .p = dynamics_.parameters().data(),
                             .prepared = dynamics_.prepared(),
                             .work = work_.data()},
                            out);
    return trusted(out + n() + m());
  }
  const double* qdd() const { return out_.data(); }
  const double* lambda() const { return out_.data() + n(); }

 private:
  static std::size_t size(int count) { return static_cast<std::size_t>(count); }

  Dynamics dynamics_;
  std::unique_ptr<Workspace> workspace_;  // dense matrices: only where the kernel does not solve
  std::vector<double> u_, work_, out_;
};

}  // namespace dalembert::bench
