// SPDX-License-Identifier: Apache-2.0
// A chain of N uniform rods in maximal coordinates, written by hand with its own solve of the KKT system: an oracle of
// any size for the sparse side, made without derive and compile. As models/n-link-chain-maximal.toml, and with the far
// end pinned to (span, 0) where span > 0: taut at span = N l, where two rows follow from the others to first order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert::oracles {

class ChainKernel : public Kernel {
 public:
  static constexpr double kMass = 0.1, kLength = 0.2, kInertia = kMass * kLength * kLength / 12, kGravity = 9.81;

  ChainKernel(int links, bool solves, double span = 0) : links_(links), solves_(solves), span_(span) {
    layout_.set_coordinates(3 * links);
    layout_.m = 2 * links + (span > 0 ? 2 : 0);
    layout_.conservative = true;
    layout_.M.rows = layout_.M.cols = layout_.W.cols = layout_.nv;
    layout_.W.rows = layout_.m;
    for (int i = 0; i < layout_.nv; ++i) layout_.M.row.push_back(i), layout_.M.col.push_back(i);
    for (int r = 0; r < layout_.m; ++r) {
      layout_.holonomic.push_back(r);
      for (const Entry& entry : row(r, nullptr)) layout_.W.row.push_back(r), layout_.W.col.push_back(entry.col);
    }
  }

  const Layout& layout() const override { return layout_; }
  bool solves_kkt() const override { return solves_; }

  void call(KernelFunction function, const KernelArguments& in, double* out) const override {
    const int n = layout_.nv, m = layout_.m;
    const std::vector<double> none(static_cast<std::size_t>(n));
    switch (function) {
      case KernelFunction::kPosition:
        for (int r = 0; r < m; ++r) out[r] = h(r, in.q);
        return;
      case KernelFunction::kVelocity:
        out = write_W(in.q, out);
        std::fill(out, out + m, 0.0);
        return;
      case KernelFunction::kKinematics:
      case KernelFunction::kFriction:
      case KernelFunction::kIntegrands:
        return;
      case KernelFunction::kMass:
        write_M(out);
        return;
      case KernelFunction::kTerms:
        out = write_M(out);
        for (int i = 0; i < 3 * n; ++i) out[i] = i >= n && i < 2 * n ? -force(i - n) : 0.0;  // B, G, F
        out = write_W(in.q, out + 3 * n);
        std::fill(out, out + m, 0.0);
        for (int r = 0; r < m; ++r) out[m + r] = gamma(r, in.q, in.v);
        return;
      case KernelFunction::kRates:
        out = write_M(out);
        for (int i = 0; i < n; ++i) out[i] = force(i);
        out = write_W(in.q, out + n);
        for (int r = 0; r < m; ++r) out[r] = gamma(r, in.q, in.v);
        return;
      case KernelFunction::kEnergy: {
        double T = 0, V = 0;
        for (int i = 0; i < n; ++i) T += mass(i) * in.v[i] * in.v[i] / 2, V -= force(i) * in.q[i];
        out[0] = T, out[1] = V, out[2] = T + V, out[3] = out[4] = 0;
        return;
      }
      case KernelFunction::kPower:
        out[0] = 0;
        return;
      case KernelFunction::kInputs:
      case KernelFunction::kOutputs:
        return;
      case KernelFunction::kAccelerations: {
        std::vector<double> b(none), c(static_cast<std::size_t>(m));
        for (int i = 0; i < n; ++i) b[static_cast<std::size_t>(i)] = force(i);
        for (int r = 0; r < m; ++r) c[static_cast<std::size_t>(r)] = gamma(r, in.q, in.v);
        solve(in.q, b, c, out, out + n, out + n + m);
        return;
      }
      case KernelFunction::kPositionStep:
      case KernelFunction::kVelocityStep: {
        const bool position = function == KernelFunction::kPositionStep;
        const double* x = position ? in.q : in.v;
        std::vector<double> c(static_cast<std::size_t>(m)), lambda(c);
        for (int r = 0; r < m; ++r) {
          double sum = 0, size = 0;
          for (const Entry& entry : row(r, in.q)) {
            sum += entry.value * x[entry.col];
            size += std::abs(entry.value * x[entry.col]);
          }
          c[static_cast<std::size_t>(r)] = position ? h(r, in.q) : sum;
          out[r] = c[static_cast<std::size_t>(r)];
          out[m + r] = size;
        }
        solve(in.q, none, c, out + 2 * m, lambda.data(), out + 2 * m + n);
        if (position) return;
        out = write_W(in.q, out + 2 * m + n + 2);
        std::fill(out, out + m, 0.0);
        for (int r = 0; r < m; ++r) out[m + r] = h(r, in.q);
        return;
      }
    }
  }

  /// On the manifold: rod i at the angle angles[i], angular velocity rates[i]. Closed form by summing up the rods.
  State state(const std::vector<double>& angles, const std::vector<double>& rates) const {
    State state;
    const std::size_t N = angles.size();
    state.q.resize(3 * N);
    state.v.resize(3 * N);
    double x = 0, y = 0, vx = 0, vy = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const double dx = kLength / 2 * std::cos(angles[i]), dy = kLength / 2 * std::sin(angles[i]);
      state.q[i] = x + dx, state.q[N + i] = y + dy, state.q[2 * N + i] = angles[i];
      state.v[i] = vx - dy * rates[i], state.v[N + i] = vy + dx * rates[i], state.v[2 * N + i] = rates[i];
      x += 2 * dx, y += 2 * dy, vx -= 2 * dy * rates[i], vy += 2 * dx * rates[i];
    }
    return state;
  }

 private:
  struct Entry {
    int col;
    double value;
  };

  double mass(int i) const { return i < 2 * links_ ? kMass : kInertia; }
  double force(int i) const { return i >= links_ && i < 2 * links_ ? -kMass * kGravity : 0.0; }

  // Row r is pin r / 2, in x (even) or y: the tail of the rod after it less the head of the one before, by column.
  std::vector<Entry> row(int r, const double* q) const {
    const int pin = r / 2, axis = r % 2;
    std::vector<Entry> entries;
    const auto add = [&](int rod, double sign, double end) {  // sign · (its end at −1 or +1)
      const double angle = q != nullptr ? q[2 * links_ + rod] : 0.0;
      entries.push_back({axis * links_ + rod, sign});
      entries.push_back(
          {2 * links_ + rod, sign * end * kLength / 2 * (axis == 0 ? -std::sin(angle) : std::cos(angle))});
    };
    if (pin > 0) add(pin - 1, pin < links_ ? -1 : 1, 1);
    if (pin < links_) add(pin, 1, -1);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.col < b.col; });
    return entries;
  }
  double h(int r, const double* q) const {
    const int pin = r / 2, axis = r % 2;
    const auto end = [&](int rod, double at) {
      const double angle = q[2 * links_ + rod];
      return q[axis * links_ + rod] + at * kLength / 2 * (axis == 0 ? std::cos(angle) : std::sin(angle));
    };
    if (pin == links_) return end(links_ - 1, 1) - (axis == 0 ? span_ : 0.0);
    return end(pin, -1) - (pin > 0 ? end(pin - 1, 1) : 0.0);
  }
  double gamma(int r, const double* q, const double* v) const {
    const int pin = r / 2, axis = r % 2;
    const auto centripetal = [&](int rod, double at) {
      const double angle = q[2 * links_ + rod], rate = v[2 * links_ + rod];
      return -at * kLength / 2 * (axis == 0 ? std::cos(angle) : std::sin(angle)) * rate * rate;
    };
    if (pin == links_) return centripetal(links_ - 1, 1);
    return centripetal(pin, -1) - (pin > 0 ? centripetal(pin - 1, 1) : 0.0);
  }
  double* write_M(double* out) const {
    for (int i = 0; i < layout_.nv; ++i) *out++ = mass(i);
    return out;
  }
  double* write_W(const double* q, double* out) const {
    for (int r = 0; r < layout_.m; ++r)
      for (const Entry& entry : row(r, q)) *out++ = entry.value;
    return out;
  }

  // M x − Wᵀλ = b, W x = −c by S = WM⁻¹Wᵀ = LDLᵀ, whose rows reach three places back.
  void solve(const double* q, const std::vector<double>& b, const std::vector<double>& c, double* x, double* lambda,
             double* trust) const {
    constexpr int kBand = 3;
    const int n = layout_.nv, m = layout_.m;
    std::vector<std::array<double, kBand + 1>> L(static_cast<std::size_t>(m));  // [k][j]: entry (k, k − j); d at 0
    std::vector<std::vector<Entry>> rows;
    trust[0] = 1, trust[1] = 1;
    for (int k = 0; k < m; ++k) {
      rows.push_back(row(k, q));
      auto& Lk = L[static_cast<std::size_t>(k)];
      double right = -c[static_cast<std::size_t>(k)];
      for (const Entry& entry : rows.back())
        right -= entry.value * b[static_cast<std::size_t>(entry.col)] / mass(entry.col);
      for (int j = 0; j <= std::min(k, kBand); ++j) {
        double sum = 0;
        for (const Entry& e : rows.back())
          for (const Entry& f : rows[static_cast<std::size_t>(k - j)])
            if (e.col == f.col) sum += e.value * f.value / mass(e.col);
        Lk[static_cast<std::size_t>(j)] = sum;
      }
      const double before = Lk[0];
      for (int j = std::min(k, kBand); j >= 1; --j) {
        auto& Lj = L[static_cast<std::size_t>(k - j)];
        double entry = Lk[static_cast<std::size_t>(j)];  // K_{k,k−j} so far
        for (int i = j + 1; i <= std::min(k, kBand); ++i)
          entry -= Lk[static_cast<std::size_t>(i)] * Lj[static_cast<std::size_t>(i - j)] *
                   L[static_cast<std::size_t>(k - i)][0];
        Lk[static_cast<std::size_t>(j)] = entry / Lj[0];
      }
      for (int j = 1; j <= std::min(k, kBand); ++j) {
        const double l = Lk[static_cast<std::size_t>(j)];
        Lk[0] -= l * l * L[static_cast<std::size_t>(k - j)][0];
        right -= l * lambda[k - j];
      }
      lambda[k] = right;
      trust[0] = std::min(trust[0], before / Lk[0]);
      trust[1] = std::max(trust[1], before / Lk[0]);
    }
    for (int k = m - 1; k >= 0; --k) {
      lambda[k] /= L[static_cast<std::size_t>(k)][0];
      for (int j = 1; j <= kBand && k + j < m; ++j)
        lambda[k] -= L[static_cast<std::size_t>(k + j)][static_cast<std::size_t>(j)] * lambda[k + j];
    }
    for (int i = 0; i < n; ++i) x[i] = b[static_cast<std::size_t>(i)];
    for (int k = 0; k < m; ++k)
      for (const Entry& entry : rows[static_cast<std::size_t>(k)]) x[entry.col] += entry.value * lambda[k];
    for (int i = 0; i < n; ++i) x[i] /= mass(i);
  }

  int links_;
  bool solves_;
  double span_;
  Layout layout_;
};

inline Dynamics chain(int links, bool solves = true, double span = 0) {
  return Dynamics(std::make_shared<ChainKernel>(links, solves, span), Names{}, {});
}

}  // namespace dalembert::oracles
