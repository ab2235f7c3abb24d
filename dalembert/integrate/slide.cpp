// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/slide.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/dynamics/switching.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::integration {
namespace {

// Solves A x = b by Gaussian elimination with partial pivoting, in place. A is row-major, with `size` columns and one
// more for b. False when A is singular.
bool solve_small(std::vector<double>& A, std::size_t size, std::vector<double>& x) {
  const std::size_t width = size + 1;
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < size; ++i)
      if (std::abs(A[i * width + k]) > std::abs(A[pivot * width + k])) pivot = i;
    if (A[pivot * width + k] == 0) return false;
    for (std::size_t j = k; j < width; ++j) std::swap(A[k * width + j], A[pivot * width + j]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = A[i * width + k] / A[k * width + k];
      for (std::size_t j = k; j < width; ++j) A[i * width + j] -= factor * A[k * width + j];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    double sum = A[k * width + size];
    for (std::size_t j = k + 1; j < size; ++j) sum -= A[k * width + j] * x[j];
    x[k] = sum / A[k * width + k];
  }
  return true;
}

}  // namespace

bool Slide::contains(std::size_t guard) const {
  return std::find(guards_.begin(), guards_.end(), guard) != guards_.end();
}

void Slide::remove(std::size_t guard) { std::erase(guards_, guard); }

void Slide::hold(const Branches& branches) {
  sides_.clear();
  if (guards_.empty()) return;
  std::vector<double> levels = branches.levels();
  for (const std::size_t guard : guards_) levels[guard] = -1;
  const auto add = [&] {
    Dynamics system = branches.held();
    system.set_parameters(system.parameters().size() - levels.size(), levels);
    const std::size_t n = static_cast<std::size_t>(system.nv()),
                      m = static_cast<std::size_t>(system.layout().multipliers());
    sides_.push_back(
        {std::move(system), std::vector<double>(n), std::vector<double>(m), std::vector<double>(branches.count()), 0});
  };
  add();
  for (const std::size_t guard : guards_) {
    levels[guard] = 1;
    add();
    levels[guard] = -1;
  }
  share_.assign(guards_.size(), 0.5);
  matrix_.resize(guards_.size() * (guards_.size() + 1));
  scratch_guards_.resize(branches.count());
  work_.resize(branches.switching().work_size());
  switching_ = &branches.switching();
}

KktStatus Slide::solve(double t, const double* q, const double* v, Workspace& workspace, double* qdd, double* lambda,
                       double* power) {
  KktStatus worst = KktStatus::kOk;
  for (Side& side : sides_) {
    const KktStatus status = solve_kkt(side.system, t, q, v, workspace, side.qdd.data(), side.lambda.data());
    if (status != KktStatus::kOk && status != KktStatus::kInconsistent) return status;
    if (status != KktStatus::kOk) worst = status;
    KernelArguments in = kernel_arguments(side.system, t, q, v, workspace);
    if (power != nullptr) {
      evaluate_inputs(side.system, t, workspace);
      in.lambda = side.lambda.data();
      side.system.kernel().call(KernelFunction::kPower, in, &side.power);
    }
    in.qdd = side.qdd.data();
    in.work = work_.data();
    switching_->watch(in, scratch_guards_.data(), side.rates.data());
  }
  const std::size_t count = guards_.size();
  const Side& base = sides_.front();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < count; ++j)
      matrix_[k * (count + 1) + j] = sides_[j + 1].rates[guards_[k]] - base.rates[guards_[k]];
    matrix_[k * (count + 1) + count] = -base.rates[guards_[k]];
  }
  if (!solve_small(matrix_, count, share_)) return KktStatus::kSingular;
  const auto combine = [&](double* out, std::size_t size, auto part) {
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = part(base)[i];
      for (std::size_t j = 0; j < count; ++j) out[i] += share_[j] * (part(sides_[j + 1])[i] - part(base)[i]);
    }
  };
  combine(qdd, base.qdd.size(), [](const Side& side) { return side.qdd.data(); });
  combine(lambda, base.lambda.size(), [](const Side& side) { return side.lambda.data(); });
  if (power != nullptr) combine(power, 1, [](const Side& side) { return &side.power; });
  return worst;
}

double Slide::outside(std::size_t& guard, double& share) const {
  double most = -1;
  for (std::size_t k = 0; k < guards_.size(); ++k) {
    const double excess = std::max(-share_[k], share_[k] - 1);
    if (excess <= most) continue;
    most = excess;
    guard = guards_[k];
    share = share_[k];
  }
  return most;
}

}  // namespace dalembert::integration
