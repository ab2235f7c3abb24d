// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/adjoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "dalembert/base/aligned.h"
#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kinematics.h"

namespace dalembert::integration {
namespace {

using Part = RunDerivatives::Part;
// A weight that counts as small beside the largest one so far.
constexpr double kSmallWeight = 1e-3;
// sweep() asks go_on() after so many maps.
constexpr std::size_t kMapsBetween = 1000;

alignas(64) constexpr std::array<double, Collocation::kLanes> kUnits{1, 1, 1, 1, 1, 1, 1, 1};

// Chebyshev points on [0, 1] with both ends, and the barycentric formula. Trefethen, Approximation Theory and Approximation Practice, ch. 5.
double sample_at(std::size_t j, std::size_t count) {
  return (1 - std::cos(std::numbers::pi * static_cast<double>(j) / static_cast<double>(count - 1))) / 2;
}

}  // namespace

Adjoint::Adjoint(Dynamics& system, Workspace& workspace, ExactDerivatives& exact, double rtol, std::size_t memory)
    : system_(system),
      workspace_(workspace),
      exact_(exact),
      layout_(system.layout()),
      rtol_(rtol),
      n_(index(layout_.state_size())),
      nq_(index(layout_.nq)),
      nv_(index(layout_.nv)),
      m_(exact.multipliers()),
      parameters_(index(exact.columns().integrals - exact.columns().p)),
      integrals_(index(exact.columns().end - exact.columns().integrals)),
      memory_(std::max(memory, std::size_t{1} << 20)),
      mode_(mode()),
      explicit_(false, true),
      implicit_(true, true),
      point_(n_ + 1),  // methods may step the work, too
      direction_(index(exact.columns().end)) {}

void Adjoint::add(Map map) {
  kept_ += bytes_of(map);
  maps_.push_back(std::move(map));
  // The part that is kept begins with a step before which nothing changes.
  for (bool good = true; maps_.size() > 1 && (kept_ > memory_ || !good); dropped_ = true) {
    const Kind last = maps_.front().kind;
    kept_ -= bytes_of(maps_.front());
    maps_.pop_front();
    good = maps_.front().kind == Kind::kStep && (last == Kind::kStep || last == Kind::kProjection);
  }
}

// The parameters, with the states of contacts, and what frictions do.
std::vector<double> Adjoint::mode() const {
  std::vector<double> all(system_.parameters().begin(), system_.parameters().end());
  if (workspace_.friction != nullptr) workspace_.friction->add_hold(all);
  return all;
}

void Adjoint::note_mode() {
  std::vector<double> now = mode();
  if (now == mode_) return;
  add({Kind::kMode, false, 0, 0, std::exchange(mode_, std::move(now))});
}

void Adjoint::add_step(const OneStepMethod& method, double t, double t1, const double* y, const double* y1) {
  note_mode();
  Map map{Kind::kStep, method.facts().implicit, t, t1, std::vector<double>(kSamples * n_)};
  std::copy_n(y, n_, map.numbers.begin());
  std::copy_n(y1, n_, map.numbers.end() - static_cast<std::ptrdiff_t>(n_));
  for (std::size_t j = 1; j + 1 < kSamples; ++j) {
    method.interpolate(sample_at(j, kSamples), y, point_.data());
    std::copy_n(point_.begin(), n_, map.numbers.begin() + static_cast<std::ptrdiff_t>(j * n_));
  }
  add(std::move(map));
}

void Adjoint::add_projection(double t, const double* y) {
  if (layout_.m == 0 && layout_.quaternions.empty()) return;
  note_mode();
  add({Kind::kProjection, false, t, t, std::vector<double>(y, y + n_)});
}

void Adjoint::add_change(const std::vector<std::vector<double>>& tangents,
                         const std::vector<std::vector<double>>& integrals) {
  Map map{Kind::kChange, false, 0, 0, {}};
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    map.numbers.insert(map.numbers.end(), tangents[k].begin(), tangents[k].end());
    for (std::size_t i = 0; i < integrals_; ++i) map.numbers.push_back(integrals[k][i]);
  }
  add(std::move(map));
  note_mode();
}

bool Adjoint::begin(double t, const double* y, std::span<const int> outputs, const double* integrals) {
  exact_.set_point(0, t, y);
  if (!exact_.find_slopes(1)) return false;
  if (!exact_.find_outputs(0, t, y, integrals)) return false;
  const RunDerivatives::Columns& columns = exact_.columns();
  for (const int output : outputs) {
    std::vector<double> row(index(exact_.pattern(Part::kOutputs).rows)), x(direction_.size());
    row[index(output)] = 1;
    exact_.multiply_transposed(Part::kOutputs, 0, row.data(), x.data());
    const std::vector<double> of_forces(x.begin() + columns.qdd,
                                        x.begin() + columns.lambda + static_cast<std::ptrdiff_t>(m_));
    std::fill(x.begin() + columns.qdd, x.begin() + columns.lambda + static_cast<std::ptrdiff_t>(m_), 0.0);
    exact_.multiply_transposed(Part::kAccelerations, 0, of_forces.data(), x.data());
    const auto from = [&](int first, std::size_t count) {
      return std::vector<double>(x.begin() + first, x.begin() + first + static_cast<std::ptrdiff_t>(count));
    };
    AdjointWeights& weights = weights_.emplace_back();
    weights = {from(0, n_), from(columns.p, parameters_), from(columns.integrals, integrals_)};
    for (std::size_t i = 0; i < integrals_; ++i)
      if (layout_.integral_bends[i] != 0 && std::exchange(weights.integrals[i], 0.0) != 0) weights.known = false;
  }
  return true;
}

// Makes ready for sweep(), once the number of weights is known.
void Adjoint::prepare() {
  const std::size_t count = weights_.size();
  states_.assign(count, {});
  largest_.assign(2 * count, 0.0);
  of_sources_.assign(count * Collocation::kNodes, std::vector<double>(parameters_));
  // Aᵀ, in ascending order of its rows.
  const auto take = [&](Part part, int rows, std::size_t first) {
    const Pattern& pattern = exact_.pattern(part);
    for (std::size_t k = 0; k < pattern.row.size(); ++k)
      if (pattern.row[k] < rows && pattern.col[k] < exact_.columns().qdd)
        entries_.push_back({index(pattern.col[k]), first + index(pattern.row[k]), exact_.entry(part, k)});
  };
  if (layout_.v_is_qdot)
    for (std::size_t i = 0; i < nq_; ++i) entries_.push_back({nq_ + i, i, kUnits.data()});
  else
    take(Part::kRates, layout_.nq, 0);
  take(Part::kAccelerations, layout_.nv, nq_);
  std::ranges::stable_sort(entries_, {}, &Collocation::Entry::row);
  for (Collocation* one : {&explicit_, &implicit_}) {
    one->set_tolerance(rtol_);
    one->keep_states();
    one->resize(n_, count);
    one->use_entries(entries_);
  }
}

bool Adjoint::sweep(const std::function<bool()>& go_on) {
  prepare();
  std::size_t done = 0;
  for (auto map = maps_.rbegin(); map != maps_.rend(); ++map) {
    exact_.expect(static_cast<double>(maps_.size() - done) / 2);  // each second map is a step, as a rule
    if (++done % kMapsBetween == 0 && !go_on()) return false;
    switch (map->kind) {
      case Kind::kMode:
        use(map->numbers);
        break;
      case Kind::kStep:
        if (!carry_over(*map)) return false;
        break;
      case Kind::kProjection:
        if (!carry_through_projection(*map)) return false;
        break;
      case Kind::kChange:
        carry_through_change(*map);
        break;
    }
  }
  return true;
}

std::optional<AdjointRest> Adjoint::rest() const {
  if (!dropped_) return std::nullopt;
  return AdjointRest{maps_.front().t, weights_};
}

void Adjoint::use(std::span<const double> mode) {
  const std::size_t parameters = system_.parameters().size();
  system_.set_parameters(0, mode.first(parameters));
  evaluate_constant_inputs(system_, workspace_);  // an input may read the level of a condition
  if (workspace_.friction != nullptr) workspace_.friction->hold(mode.subspan(parameters));
  exact_.use_parameters();
}

void Adjoint::interpolate(const Map& map, double t, double* y) const {
  const double theta = (t - map.t) / (map.t1 - map.t);
  double sum = 0;
  std::fill_n(y, n_, 0.0);
  for (std::size_t j = 0; j < kSamples; ++j) {
    const double distance = theta - sample_at(j, kSamples), *at = map.numbers.data() + j * n_;
    if (distance == 0) {
      std::copy_n(at, n_, y);
      return;
    }
    const double weight = (j % 2 == 0 ? 1 : -1) * (j == 0 || j + 1 == kSamples ? 0.5 : 1) / distance;
    sum += weight;
    for (std::size_t i = 0; i < n_; ++i) y[i] += weight * at[i];
  }
  for (std::size_t i = 0; i < n_; ++i) y[i] /= sum;
}

// Carries the weights back over a step, which is divided where one collocation step would be too coarse.
bool Adjoint::carry_over(const Map& step) {
  Collocation& use = step.implicit ? implicit_ : explicit_;
  const double whole = step.t1 - step.t;
  double at = step.t1, length = std::abs(whole);
  while (at != step.t) {
    const double left = at - step.t;
    double h = length < std::abs(left) ? std::copysign(length, left) : left;
    for (std::size_t f = 0; f < weights_.size(); ++f) states_[f] = weights_[f].state;
    for (;;) {
      if (!linearize(step, at - h, h, use)) return false;
      if (use.advance(h, states_)) {
        const double error = error_of(use, h);
        if (!(error >= 0)) return false;
        if (h != left || error > 1) length = use.length_after(h, error);
        if (error <= 1) break;
        h = std::copysign(std::min(length, std::abs(h) / 2), left);
      } else {
        h /= 4;
      }
      if (!(std::abs(h) > Collocation::kShortest * std::abs(whole))) return false;
    }
    keep(use, h);
    at = h == left ? step.t : at - h;
  }
  return true;
}

bool Adjoint::linearize(const Map& step, double t, double h, Collocation& use) {
  for (std::size_t i = 0; i < Collocation::kNodes; ++i) {
    const double at = t + use.node(i) * h;
    interpolate(step, at, point_.data());
    exact_.set_point(i, at, point_.data());
  }
  if (!exact_.find_slopes(Collocation::kNodes)) return false;
  return find_sources(use);
}

// Sets b to (∂e/∂y)ᵀμ, and of_sources_ to (∂e/∂p)ᵀμ.
bool Adjoint::find_sources(Collocation& use) {
  const bool any = integrals_ > 0;
  if (any && !exact_.find_integrands()) return false;
  const RunDerivatives::Columns& columns = exact_.columns();
  for (std::size_t f = 0; f < weights_.size(); ++f) {
    std::fill_n(&use.b(0, f, 0), n_ * Collocation::kLanes, 0.0);
    for (std::size_t i = 0; any && i < Collocation::kNodes; ++i) {
      std::vector<double>& x = direction_;
      std::ranges::fill(x, 0.0);
      exact_.multiply_transposed(Part::kIntegrands, i, weights_[f].integrals.data(), x.data());
      if (layout_.integrals_read_forces) {
        row_.assign(x.begin() + columns.qdd, x.begin() + columns.lambda + static_cast<std::ptrdiff_t>(m_));
        exact_.multiply_transposed(Part::kAccelerations, i, row_.data(), x.data());
      }
      for (std::size_t k = 0; k < n_; ++k) use.b(i, f, k) = x[k];
      of_sources_[f * Collocation::kNodes + i].assign(x.begin() + columns.p, x.begin() + columns.integrals);
    }
  }
  return true;
}

// The estimated error of a step, relative to the tolerance, as for tangents.
double Adjoint::error_of(const Collocation& made, double h) const {
  double error = 0;
  for (std::size_t f = 0; f < weights_.size(); ++f)
    for (const std::size_t group : {0, 1}) {
      double size = kSmallWeight * largest_[2 * f + group], doubt = 0;
      for (std::size_t i = group == 0 ? 0 : nq_; i < (group == 0 ? nq_ : n_); ++i) {
        size = std::max({size, std::abs(states_[f][i]), std::abs(h) * made.steepest(f, i)});
        doubt = std::max(doubt, std::abs(made.doubt(f, i)));
        if (std::isnan(made.doubt(f, i))) return std::numeric_limits<double>::quiet_NaN();
      }
      if (size > 0) error = std::max(error, made.error_of(doubt / size));
    }
  return error / rtol_;
}

// Takes over a step: the new weights, and what it adds to those of the parameters.
void Adjoint::keep(const Collocation& made, double h) {
  const RunDerivatives::Columns& columns = exact_.columns();
  for (std::size_t f = 0; f < weights_.size(); ++f) {
    AdjointWeights& weights = weights_[f];
    for (std::size_t i = 0; i < Collocation::kNodes && parameters_ > 0; ++i) {
      row_.resize(std::max(nq_, nv_ + m_));
      std::ranges::fill(direction_, 0.0);
      std::ranges::fill(row_, 0.0);
      for (std::size_t k = 0; k < nv_; ++k) row_[k] = made.state(f, nq_ + k, i);
      exact_.multiply_transposed(Part::kAccelerations, i, row_.data(), direction_.data());
      if (!layout_.v_is_qdot) {
        for (std::size_t k = 0; k < nq_; ++k) row_[k] = made.state(f, k, i);
        exact_.multiply_transposed(Part::kRates, i, row_.data(), direction_.data());
      }
      for (std::size_t p = 0; p < parameters_; ++p)
        weights.parameters[p] +=
            h * made.weight(i) *
            (direction_[index(columns.p) + p] + (integrals_ > 0 ? of_sources_[f * Collocation::kNodes + i][p] : 0));
    }
    for (std::size_t i = 0; i < n_; ++i) {
      weights.state[i] += made.change(f, i);
      double& largest = largest_[2 * f + (i < nq_ ? 0 : 1)];
      largest = std::max(largest, std::abs(weights.state[i]));
    }
  }
}

// The transpose of Tangents::project_exactly().
bool Adjoint::carry_through_projection(const Map& projection) {
  const double* y = projection.numbers.data();
  const bool levels = !layout_.holonomic.empty();
  if (!exact_.find_steps(projection.t, y)) return false;
  if (levels && !layout_.v_is_qdot) evaluate_kinematics(system_, projection.t, y, workspace_);
  const int p = exact_.columns().p;
  for (AdjointWeights& weights : weights_) {
    std::vector<double>&w = weights.state, &x = direction_;
    const auto add = [&](Part part, const double* row) {
      std::ranges::fill(x, 0.0);
      if (!exact_.add_step_transposed(part, row, x.data())) return false;
      for (std::size_t i = 0; i < n_; ++i) w[i] += x[i];
      for (std::size_t i = 0; i < parameters_; ++i) weights.parameters[i] += x[index(p) + i];
      return true;
    };
    if (m_ > 0) {
      row_.assign(w.begin() + static_cast<std::ptrdiff_t>(nq_), w.end());
      if (!add(Part::kVelocityStep, row_.data())) return false;
    }
    if (levels) {
      project_on_quaternions(layout_, y, w.data());
      row_.assign(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(nv_ < nq_ ? nv_ : nq_));
      if (!layout_.v_is_qdot) {
        row_.assign(nv_, 0.0);
        for (std::size_t e = 0; e < layout_.N.row.size(); ++e)
          row_[index(layout_.N.col[e])] += workspace_.N[e] * w[index(layout_.N.row[e])];
      }
      if (!add(Part::kPositionStep, row_.data())) return false;
    }
    project_on_quaternions(layout_, y, w.data());
  }
  return true;
}

void Adjoint::carry_through_change(const Map& change) {
  const std::size_t rows = n_ + integrals_;
  for (AdjointWeights& weights : weights_) {
    const auto product = [&](std::size_t column) {
      const double* at = change.numbers.data() + column * rows;
      double sum = 0;
      for (std::size_t i = 0; i < n_; ++i) sum += at[i] * weights.state[i];
      for (std::size_t i = 0; i < integrals_; ++i)
        if (weights.integrals[i] != 0) sum += at[n_ + i] * weights.integrals[i];
      return sum;
    };
    std::vector<double> state(n_);
    for (std::size_t k = 0; k < n_; ++k) state[k] = product(k);
    for (std::size_t p = 0; p < parameters_; ++p) weights.parameters[p] += product(n_ + p);
    weights.state = std::move(state);
  }
}

}  // namespace dalembert::integration
