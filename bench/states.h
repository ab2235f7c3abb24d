// SPDX-License-Identifier: Apache-2.0
// The states at which kernels are measured, the same for every program.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace dalembert::bench {

inline constexpr double kPi = 3.14159265358979323846;

/// State j is q[n j …], v[n j …].
struct States {
  int n = 0, count = 0;
  std::vector<double> q, v;

  States(int size, int number) : n(size), count(number), q(total()), v(total()) {}
  std::size_t total() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(count); }
  double* position(int j) { return q.data() + static_cast<std::ptrdiff_t>(n) * j; }
  double* velocity(int j) { return v.data() + static_cast<std::ptrdiff_t>(n) * j; }
  const double* position(int j) const { return q.data() + static_cast<std::ptrdiff_t>(n) * j; }
  const double* velocity(int j) const { return v.data() + static_cast<std::ptrdiff_t>(n) * j; }
};

/// `values` of n numbers for each of `count` systems, as lanes read them: entry i of system j at
/// [(j / lanes) · n · lanes + i · lanes + j % lanes].
inline std::vector<double> in_lanes(const std::vector<double>& values, int n, int lanes) {
  std::vector<double> result(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto size = static_cast<std::size_t>(n), width = static_cast<std::size_t>(lanes);
    const std::size_t j = k / size, i = k % size;
    result[(j / width) * size * width + i * width + j % width] = values[k];
  }
  return result;
}

/// The slider-crank of models/slider-crank.toml on its manifold, slider to the right of the crank.
inline void slider_crank_state(double theta, double rate, double* q, double* v) {
  constexpr double L1 = 0.15, L2 = 0.35;
  q[0] = theta;
  q[1] = kPi - std::asin(L1 * std::sin(theta) / L2);
  q[2] = 2 * L1 * std::cos(theta) - 2 * L2 * std::cos(q[1]);
  v[0] = rate;
  v[1] = L1 * std::cos(theta) * rate / (L2 * std::cos(q[1]));
  v[2] = -2 * L1 * std::sin(theta) * rate + 2 * L2 * std::sin(q[1]) * v[1];
}

/// All around the circle, at 5 … 15 rad/s.
inline States slider_crank_states(int count) {
  States states(3, count);
  for (int j = 0; j < count; ++j)
    slider_crank_state(0.1 + 2 * kPi * j / count, 10 + 5 * std::sin(j), states.position(j), states.velocity(j));
  return states;
}

inline const std::vector<double>& andrews_start() {
  static const std::vector<double> q{-0.0617138900142764496358948458001, 0,
                                     0.455279819163070380255912382449,   0.222668390165885884674473185609,
                                     0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                                     1.23054744454982119249735015568};
  return q;
}

/// About the start, off the manifold by up to 0.005 rad; rates up to 50 rad/s.
inline States andrews_states(int count) {
  States states(7, count);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (int j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < 7; ++i) {
      states.position(j)[i] = andrews_start()[i] + 0.01 * uniform(random);
      states.velocity(j)[i] = 100 * uniform(random);
    }
  }
  return states;
}

/// Angles and rates of a chain of N links; `phase` makes them different.
inline void chain_state(int n, double phase, double* theta, double* omega) {
  for (int i = 0; i < n; ++i) {
    theta[i] = -kPi / 2 + 0.5 * std::sin(1.3 * (i + 1) + phase);
    omega[i] = std::cos(0.7 * (i + 1) + phase);
  }
}

}  // namespace dalembert::bench
