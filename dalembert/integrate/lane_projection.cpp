// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/lane_projection.h"

#include <limits>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/lanes.h"

namespace dalembert::integration {
namespace {

// Numbers of Workspace::RowSize, in its order: position, velocity, squared.
constexpr std::size_t kOfRow = 3;
static_assert(sizeof(Workspace::RowSize) == kOfRow * sizeof(double));

}  // namespace

LaneProjection::LaneProjection(std::shared_ptr<const LaneCode> code, const Dynamics& dynamics)
    : code_(std::move(code)),
      nv_(index(dynamics.nv())),
      m_(index(dynamics.m())),
      m_h_(dynamics.layout().holonomic.size()),
      at_(dynamics.layout()),
      rows_(dynamics.layout().W),
      take_apart_(lanes_apart()),
      position_(StepPlaces(dynamics.layout(), m_h_).end * kLanes),
      velocity_(at_.end * kLanes),
      residual_(m_ * kLanes),
      magnitude_(m_ * kLanes),
      row_sizes_(kOfRow * m_ * kLanes) {}

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

// ResidualSize::needs_step() of the lanes.
std::uint64_t LaneProjection::Sizes::that_need_steps() const {
  std::uint64_t lanes = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    lanes = bits_of(lanes_at(roundoff.data()) > ResidualSize::kGoodEnough);
  });
  return lanes;
}

// Replaces the sizes of these lanes by those after their step. Returns the bits of all lanes but those that need another step or got no better
// (ResidualSize::better_than).
std::uint64_t LaneProjection::Sizes::replace(const Sizes& next, std::uint64_t lanes) {
  std::uint64_t better = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    LaneMask replaced;
    spread(lanes, replaced);
    Lanes &most = lanes_at(largest.data()), &units = lanes_at(roundoff.data());
    const Lanes &next_most = lanes_at(next.largest.data()), &next_units = lanes_at(next.roundoff.data());
    better = bits_of((next_units < units) | (next_most < 0.5 * most));
    most = replaced ? next_most : most;
    units = replaced ? next_units : units;
  });
  return ~lanes | (better & next.finite & ~next.that_need_steps());
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
  std::uint64_t good = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    Lanes sum{};
    LaneMask moves, trust;
    spread(lanes, moves);
    for (std::size_t i = 0; i < nv_ * kLanes; i += kLanes) {
      const Lanes &by = lanes_at(step + i), from = lanes_at(x + i);
      sum += by * 0.0;
      lanes_at(x + i) = moves ? from + by : from;
    }
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
      double* sizes = row_sizes_.data() + kOfRow * r * kLanes;
      lanes_at(sizes) = position;
      lanes_at(sizes + kLanes) = velocity;
      lanes_at(sizes + 2 * kLanes) = squared;
    }
  });
}

void LaneProjection::hand_back(const std::array<Workspace*, kLanes>& workspaces) const {
  const auto take = [&](const double* from, std::size_t count, const auto& numbers_of) {
    std::array<double*, kLanes> to{};
    for (std::size_t l = 0; l < kLanes; ++l)
      if (workspaces[l] != nullptr) to[l] = numbers_of(*workspaces[l]);
    take_apart_(from, count, to.data());
  };
  take(velocity_.data() + at_.W * kLanes, at_.a - at_.W, [](Workspace& w) { return w.W.data(); });
  take(velocity_.data() + at_.a * kLanes, m_, [](Workspace& w) { return w.a.data(); });
  take(velocity_.data() + at_.h * kLanes, m_h_, [](Workspace& w) { return w.h.data(); });
  take(residual_.data(), m_, [](Workspace& w) { return w.residual.data(); });
  take(row_sizes_.data(), kOfRow * m_, [](Workspace& w) { return &w.row_sizes.data()->position; });
}

Projection LaneProjection::of(std::size_t lane) const {
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
