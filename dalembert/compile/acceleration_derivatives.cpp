// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/linearization.h"

namespace dalembert {
namespace {

// Largest number of operations in the tape of the derivatives. Systems that need more have none (compile_derivatives() is null).
constexpr std::size_t kMostOperations = 20'000;
// Number of interpreted calls after which machine code is made. Making it takes about half the time of these calls.
constexpr std::int64_t kWorthCode = 16'000;

class Derivatives final : public AccelerationDerivatives {
 public:
  Derivatives(const Equations& equations, const std::vector<int>& parameters)
      : nq_(equations.q.size()),
        nv_(equations.velocities().size()),
        parameters_(parameters.size()),
        inputs_(equations.model->inputs.size()),
        accelerations_(equations, KernelFunction::kAccelerations, arguments(equations, parameters, true),
                       kMostOperations),
        of_inputs_(equations, KernelFunction::kInputs, arguments(equations, parameters, false)) {
    values_ = std::max(accelerations_.pattern().row.size(), of_inputs_.pattern().row.size());
    work_ = std::max(accelerations_.work(), of_inputs_.work()) + values_ + inputs_ * parameters_;
  }
  bool valid() const { return accelerations_.valid() && of_inputs_.valid(); }

  void note_calls(std::int64_t made) const override {
    if (made >= kWorthCode) accelerations_.make_code();
  }

  void call(const KernelArguments& in, double* out) const override {
    const std::size_t columns = nq_ + nv_ + parameters_;
    double *values = in.work, *du = values + values_;
    KernelArguments inner = in;
    inner.work = du + inputs_ * parameters_;
    std::fill_n(out, nv_ * columns, 0.0);
    std::fill_n(du, inputs_ * parameters_, 0.0);
    if (inputs_ > 0 && parameters_ > 0) {
      of_inputs_.call(inner, values);
      const Pattern& pattern = of_inputs_.pattern();
      for (std::size_t k = 0; k < pattern.row.size(); ++k)
        du[at(pattern.row[k]) * parameters_ + at(pattern.col[k])] = values[k];
    }
    accelerations_.call(inner, values);
    const Pattern& pattern = accelerations_.pattern();
    for (std::size_t k = 0; k < pattern.row.size(); ++k) {
      const std::size_t row = at(pattern.row[k]), column = at(pattern.col[k]);
      if (row >= nv_) continue;  // multipliers
      if (column < columns) {
        out[row * columns + column] += values[k];
      } else {
        for (std::size_t p = 0; p < parameters_; ++p)
          out[row * columns + nq_ + nv_ + p] += values[k] * du[(column - columns) * parameters_ + p];
      }
    }
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::vector<KernelArgument> arguments(const Equations& equations, const std::vector<int>& parameters,
                                               bool all) {
    std::vector<KernelArgument> by;
    if (all) by = arguments_of(equations, {SymbolKind::kCoordinate, SymbolKind::kVelocity});
    for (const int parameter : parameters) by.push_back({SymbolKind::kParameter, parameter});
    if (all)
      for (const KernelArgument& input : arguments_of(equations, {SymbolKind::kInput})) by.push_back(input);
    return by;
  }

  const std::size_t nq_, nv_, parameters_, inputs_;
  const KernelJacobian accelerations_, of_inputs_;
  std::size_t values_ = 0;
};

}  // namespace

std::shared_ptr<const AccelerationDerivatives> compile_derivatives(const Equations& given,
                                                                   const std::vector<int>& parameters) {
  if (given.load_dependent() || !given.unilateral.empty()) return nullptr;
  auto made = std::make_shared<const Derivatives>(with_prescribed_rows(on_overlay(given)), parameters);
  return made->valid() ? made : nullptr;
}

}  // namespace dalembert
