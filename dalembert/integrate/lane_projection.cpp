// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/lane_projection.h"

#include <limits>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/lanes.h"

namespace dalembert::integration {

LaneProjection::LaneProjection(std::shared_ptr<const LaneCode> code, const Dynamics& dynamics)
    : code_(std::move(code)),
      nv_(index(dynamics.nv())),
      m_(index(dynamics.m())),
      m_h_(dynamics.layout().holonomic.size()),
      at_(dynamics.layout()),
      rows_(dynamics.layout().W),
      position_(StepPlaces(dynamics.layout(), m_h_).end * kLanes),
      velocity_(at_.end * kLanes),
      residual_(m_ * kLanes),
      magnitude_(m_ * kLanes),
      lengths_(m_ * kLanes),
      squares_(m_ * kLanes) {}

bool LaneProjection::takes(const Dynamics& dynamics, const Workspace& workspace) const {
  return m_ > 0 && (m_h_ == 0 || code_->of(KernelFunction::kPositionStep) != nullptr) &&
         code_->of(KernelFunction::kVelocityStep) != nullptr && dynamics.kernel().projects() && workspace.basis.all &&
         workspace.position_basis.all && workspace.friction == nullptr;
}

DALEMBERT_CALLS_CODE
std::uint64_t LaneProjection::project(const double* const* arguments, double* work, double* y) {
  double *q = y, *v = y + nv_ * kLanes;
  std::uint64_t done = ~std::uint64_t{0};
  moved_ = 0;
  const double *position = position_.data(), *velocity = velocity_.data();
  if (m_h_ > 0) {
    done &= ~code_->of(KernelFunction::kPositionStep)(arguments, work, position_.data());
    position_before_ = position_left_ = measure(position, position + m_h_ * kLanes, m_h_);
    moved_ = position_before_.that_need_steps();
    done &= position_before_.finite & move(position + 2 * m_h_ * kLanes, moved_, q);
  }
  done &= ~code_->of(KernelFunction::kVelocityStep)(arguments, work, velocity_.data());
  // The sizes of the terms are those before the step, as in project().
  if (moved_ != 0)
    done &= position_left_.replace(measure(velocity + at_.h * kLanes, position + m_h_ * kLanes, m_h_), moved_);
  velocity_before_ = velocity_left_ = measure(velocity, velocity + m_ * kLanes, m_);
  turned_ = velocity_before_.that_need_steps();
  done &= velocity_before_.finite & move(velocity + at_.step * kLanes, turned_, v);
  measure_rows(q, v);
  if (turned_ != 0) done &= velocity_left_.replace(measure(residual_.data(), magnitude_.data(), m_), turned_);
  return done;
}

std::uint64_t LaneProjection::Sizes::that_need_steps() const {
  std::uint64_t lanes = 0;
  for (std::size_t l = 0; l < kLanes; ++l) lanes |= static_cast<std::uint64_t>(of(l).needs_step()) << l;
  return lanes;
}

// Replaces the sizes of these lanes by those after their step. Returns the bits of all lanes but those that need another step or got no better.
std::uint64_t LaneProjection::Sizes::replace(const Sizes& next, std::uint64_t lanes) {
  std::uint64_t off = lanes & (next.that_need_steps() | ~next.finite);
  for (std::size_t l = 0; l < kLanes; ++l) {
    if ((lanes >> l & 1) == 0) continue;
    if (!next.of(l).better_than(of(l))) off |= std::uint64_t{1} << l;
    largest[l] = next.largest[l];
    roundoff[l] = next.roundoff[l];
  }
  return ~off;
}

LaneProjection::Sizes LaneProjection::measure(const double* residual, const double* magnitude, std::size_t rows) {
  Sizes sizes;
  with_wide_registers([&]() __attribute__((always_inline)) {
    Lanes largest{}, roundoff{}, sum{};  // sum: NaN as soon as a value is not finite
    for (std::size_t i = 0; i < rows * kLanes; i += kLanes) {
      Lanes value = lanes_at(residual + i), smallest = Lanes{} + std::numeric_limits<double>::min();
      drop_sign(value);
      sum += value * 0.0;
      keep_larger(largest, value);
      // As in_roundoff().
      keep_larger(smallest, kEps * lanes_at(magnitude + i));
      keep_larger(roundoff, value / smallest);
    }
    lanes_at(sizes.largest.data()) = largest;
    lanes_at(sizes.roundoff.data()) = roundoff;
    sizes.finite = bits_of(sum == 0.0);
  });
  return sizes;
}

// Adds the steps of these lanes, followed by trust[2], to x. Returns the bits of all lanes but those whose steps are not finite or not to be trusted.
std::uint64_t LaneProjection::move(const double* step, std::uint64_t lanes, double* x) const {
  alignas(64) OfLanes shares{};
  for (std::size_t l = 0; l < kLanes; ++l) shares[l] = static_cast<double>(lanes >> l & 1);
  std::uint64_t good = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    Lanes sum{};
    const LaneMask moves = lanes_at(shares.data()) != 0.0;
    for (std::size_t i = 0; i < nv_ * kLanes; i += kLanes) {
      const Lanes &by = lanes_at(step + i), from = lanes_at(x + i);
      sum += by * 0.0;
      lanes_at(x + i) = moves ? from + by : from;
    }
    LaneMask trust;
    find_trusted(step + nv_ * kLanes, trust);
    good = bits_of((sum == 0.0) & trust);
  });
  return good | ~lanes;
}

// The velocity residuals W v + a and the sizes of their terms, as dalembert::measure_rows() where v = q̇.
void LaneProjection::measure_rows(const double* q, const double* v) {
  const double *W = velocity_.data() + at_.W * kLanes, *a = velocity_.data() + at_.a * kLanes;
  with_wide_registers([&]() __attribute__((always_inline)) {
    for (std::size_t r = 0; r < m_; ++r) {
      Lanes sum = lanes_at(a + r * kLanes), velocity = sum, position{}, squared{};
      drop_sign(velocity);
      rows_.for_each_entry(
          static_cast<int>(r), [&](int column, std::size_t entry) __attribute__((always_inline)) {
            const Lanes &w = lanes_at(W + entry * kLanes), &vi = lanes_at(v + index(column) * kLanes),
                        &qi = lanes_at(q + index(column) * kLanes);
            Lanes term = w * vi, length = w * qi;
            sum += term;
            drop_sign(term);
            velocity += term;
            drop_sign(length);
            position += length;
            squared += w * w;
          });
      lanes_at(residual_.data() + r * kLanes) = sum;
      lanes_at(magnitude_.data() + r * kLanes) = velocity;
      lanes_at(lengths_.data() + r * kLanes) = position;
      lanes_at(squares_.data() + r * kLanes) = squared;
    }
  });
}

Projection LaneProjection::hand_back(std::size_t lane, Workspace& workspace) const {
  const auto take = [lane](const double* from, std::vector<double>& to) {
    for (std::size_t s = 0; s < to.size(); ++s) to[s] = from[s * kLanes + lane];
  };
  take(velocity_.data() + at_.W * kLanes, workspace.W);
  take(velocity_.data() + at_.a * kLanes, workspace.a);
  take(velocity_.data() + at_.h * kLanes, workspace.h);
  take(residual_.data(), workspace.residual);
  for (std::size_t r = 0, s = lane; r < m_; ++r, s += kLanes)
    workspace.row_sizes[r] = {.position = lengths_[s], .velocity = magnitude_[s], .squared = squares_[s]};
  return {.ok = true,
          .position_residual = position_left_.largest[lane],
          .velocity_residual = velocity_left_.largest[lane],
          .position_roundoff = position_left_.roundoff[lane],
          .velocity_roundoff = velocity_left_.roundoff[lane],
          .position_roundoff_before = position_before_.roundoff[lane],
          .velocity_roundoff_before = velocity_before_.roundoff[lane],
          .iterations = static_cast<int>((moved_ >> lane & 1) + (turned_ >> lane & 1)),
          .measured = true};
}

}  // namespace dalembert::integration
