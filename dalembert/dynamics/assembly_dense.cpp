// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/assembly_steps.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/dynamics/sparse_rows.h"

namespace dalembert::assembly {
namespace {

class DenseSteps final : public Steps {
 public:
  DenseSteps(const Layout& layout, Places coordinates, Places rows)
      : layout_(layout),
        coordinates_(std::move(coordinates)),
        rows_(std::move(rows)),
        f_(coordinates_.size()),
        m_(rows_.size()),
        solver_(static_cast<int>(f_), static_cast<int>(m_), {.slow_when_needed = true}),
        metric_(f_ * f_),
        W_(m_ * f_),
        scale_(m_, 1.0),
        delta_(f_),
        force_(f_),
        lambda_(m_) {}

  bool set_metric(const Vector& M) override {
    std::ranges::fill(metric_, 0.0);  // factor() may have taken the identity
    spread(layout_.M, M, coordinates_, metric_);
    return all_finite(metric_);
  }

  void set_rows(const Vector& W, const Vector& scale) override {
    spread(layout_.W, W, rows_, W_);
    scale_ = scale;
  }

  bool factor(double rank_tolerance) override {
    KktStatus status = solver_.factor(metric_.data(), W_.data(), rank_tolerance);
    if (status == KktStatus::kSingular) {
      std::fill(metric_.begin(), metric_.end(), 0.0);
      for (std::size_t i = 0; i < f_; ++i) metric_[i * f_ + i] = 1;
      status = solver_.factor(metric_.data(), W_.data(), rank_tolerance);
    }
    return status == KktStatus::kOk;
  }

  bool constrained_step(const Vector* pull, const Vector& r, Vector& step) override {
    std::fill(force_.begin(), force_.end(), 0.0);
    if (pull != nullptr)
      for (std::size_t i = 0; i < f_; ++i)
        for (std::size_t j = 0; j < f_; ++j) force_[i] += metric_[i * f_ + j] * (*pull)[index(coordinates_.chosen[j])];
    const KktStatus status = solver_.solve(force_.data(), r.data(), delta_.data(), lambda_.data());
    give(step);
    return status != KktStatus::kNotFinite;
  }

  bool damped_step(double damping, const Vector& r, Vector& step) override {
    normal_.resize(static_cast<int>(f_));
    double largest = 0;
    for (std::size_t i = 0; i < f_; ++i) largest = std::max(largest, metric_[i * f_ + i]);
    for (std::size_t i = 0; i < f_; ++i) {
      for (std::size_t j = i; j < f_; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < m_; ++k) sum += W_[k * f_ + i] * W_[k * f_ + j] * scale_[k] * scale_[k];
        normal_.row(static_cast<int>(i))[j] = sum;
      }
      const double weight = largest > 0 ? std::max(metric_[i * f_ + i] / largest, 1e-6) : 1.0;
      normal_.row(static_cast<int>(i))[i] += damping * weight;
      double sum = 0;
      for (std::size_t k = 0; k < m_; ++k) sum -= W_[k * f_ + i] * r[k] * scale_[k] * scale_[k];
      delta_[i] = sum;
    }
    if (!(normal_.factor() > 0)) return false;
    normal_.solve_forward(delta_.data());
    normal_.solve_backward(delta_.data());
    give(step);
    return all_finite(delta_);
  }

  double work() const override { return dense_work(static_cast<double>(f_), static_cast<double>(m_)); }

  double length(const Vector& x) const override {
    double sum = 0;
    for (std::size_t i = 0; i < f_; ++i)
      for (std::size_t j = 0; j < f_; ++j)
        sum += x[index(coordinates_.chosen[i])] * metric_[i * f_ + j] * x[index(coordinates_.chosen[j])];
    return std::sqrt(std::max(sum, 0.0));
  }

 private:
  void spread(const Pattern& pattern, const Vector& values, const Places& rows, Vector& dense) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const int i = rows.place[index(pattern.row[k])], j = coordinates_.place[index(pattern.col[k])];
      if (i >= 0 && j >= 0) dense[index(i) * f_ + index(j)] = values[k];
    }
  }
  void give(Vector& step) const {
    std::fill(step.begin(), step.end(), 0.0);
    for (std::size_t i = 0; i < f_; ++i) step[index(coordinates_.chosen[i])] = delta_[i];
  }

  const Layout& layout_;
  const Places coordinates_, rows_;
  const std::size_t f_, m_;
  KktSolver solver_;
  SkylineLdlt normal_;
  Vector metric_, W_, scale_, delta_, force_, lambda_;
};

}  // namespace

Places::Places(std::vector<int> those, int count) : chosen(std::move(those)), place(index(count), -1) {
  for (std::size_t i = 0; i < chosen.size(); ++i) place[index(chosen[i])] = static_cast<int>(i);
}

std::unique_ptr<Steps> make_dense_steps(const Layout& layout, Places coordinates, Places rows) {
  return std::make_unique<DenseSteps>(layout, std::move(coordinates), std::move(rows));
}

std::unique_ptr<Steps> make_steps(const Layout& layout, Places coordinates, Places rows) {
  const auto size = static_cast<int>(coordinates.size() + rows.size());
  if (size > kSmallSystem)
    if (std::unique_ptr<Steps> sparse = make_sparse_steps(layout, coordinates, rows)) return sparse;
  const bool fits = fits_dense(static_cast<int>(coordinates.size()), static_cast<int>(rows.size()));
  return fits ? make_dense_steps(layout, std::move(coordinates), std::move(rows)) : nullptr;
}

}  // namespace dalembert::assembly
