// SPDX-License-Identifier: Apache-2.0
// One evaluation of accelerations and multipliers, ours beside the kernels written by hand (bench/reference).
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/shipped.h"
#include "bench/states.h"

namespace dalembert::bench {
namespace {

using reference::Trigonometry;

// Rounding differs, and S is formed from M⁻¹: some 1e-14 are lost near dead centres.
constexpr double kTolerance = 1e-9;

// What evaluates (q̈, λ) at every state of `states`, packed state after state.
struct Results {
  std::vector<double> qdd, lambda;
  Results(const States& states, int m)
      : qdd(states.total()), lambda(static_cast<std::size_t>(m) * static_cast<std::size_t>(states.count)) {}
  double difference_from(const Results& other) const {
    return std::max(difference(qdd, other.qdd), difference(lambda, other.lambda));
  }
};

Results by_hand(const States& states, int m, reference::Kernel kernel) {
  Results results(states, m);
  for (int j = 0; j < states.count; ++j)
    kernel(states.position(j), states.velocity(j), &results.qdd[static_cast<std::size_t>(j * states.n)],
           &results.lambda[static_cast<std::size_t>(j * m)]);
  return results;
}

Results by_us(const States& states, Evaluation& evaluate) {
  Results results(states, evaluate.m());
  for (int j = 0; j < states.count; ++j) {
    if (!evaluate(states.position(j), states.velocity(j))) std::fprintf(stderr, "state %d is not to be trusted\n", j);
    std::copy_n(evaluate.qdd(), states.n, results.qdd.begin() + static_cast<std::ptrdiff_t>(j) * states.n);
    std::copy_n(evaluate.lambda(), evaluate.m(),
                results.lambda.begin() + static_cast<std::ptrdiff_t>(j) * evaluate.m());
  }
  return results;
}

// A mechanism that there is a hand-written kernel for.
struct Mechanism {
  std::string name, model;
  int m = 0;
  States (*states)(int count);
  reference::Kernel (*kernel)(Trigonometry);
  reference::Kernel eight;
};
const std::array<Mechanism, 2>& mechanisms() {
  static const std::array<Mechanism, 2> list{
      {{"slider_crank", "slider-crank", 2, slider_crank_states, reference::slider_crank, reference::slider_crank_eight},
       {"andrews", "andrews-squeezer", 6, andrews_states, reference::andrews, reference::andrews_eight}}};
  return list;
}
constexpr int kStates = 256;

void hand_scalar(benchmark::State& state, const Mechanism& mechanism, reference::Kernel kernel) {
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.kernel(Trigonometry::kLibrary));
  if (!same_physics(state, by_hand(states, mechanism.m, kernel).difference_from(expected), kTolerance)) return;
  std::vector<double> qdd(states.total()), lambda(static_cast<std::size_t>(mechanism.m));
  for (auto _ : state) {
    for (int j = 0; j < kStates; ++j) kernel(states.position(j), states.velocity(j), qdd.data(), lambda.data());
    benchmark::DoNotOptimize(qdd.data());
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
}

void hand_lanes(benchmark::State& state, const Mechanism& mechanism) {
  constexpr int kLanes = 8;
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.kernel(Trigonometry::kLibrary));
  const std::vector<double> q = in_lanes(states.q, states.n, kLanes), v = in_lanes(states.v, states.n, kLanes);
  std::vector<double> qdd(q.size()), lambda(expected.lambda.size());
  const auto all = [&] {
    for (int j = 0; j < kStates; j += kLanes) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(j) * states.n;
      mechanism.eight(&q[static_cast<std::size_t>(at)], &v[static_cast<std::size_t>(at)], qdd.data() + at,
                      lambda.data() + static_cast<std::ptrdiff_t>(j) * mechanism.m);
    }
  };
  all();
  if (!same_physics(state, difference(qdd, in_lanes(expected.qdd, states.n, kLanes)), kTolerance)) return;
  for (auto _ : state) {
    all();
    benchmark::DoNotOptimize(qdd.data());
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
}

void ours_scalar(benchmark::State& state, const Mechanism& mechanism) {
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.kernel(Trigonometry::kLibrary));
  Evaluation evaluate(compile(derive_shipped(mechanism.model)));
  if (!same_physics(state, by_us(states, evaluate).difference_from(expected), kTolerance)) return;
  for (auto _ : state) {
    for (int j = 0; j < kStates; ++j) evaluate(states.position(j), states.velocity(j));
    benchmark::DoNotOptimize(evaluate.qdd());
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
}

// ------------------------------------------------------------------------------------------------------------ chains

constexpr int kChainStates = 4;

struct HandChain {
  int n;
  reference::Chain chain;
  std::vector<double> alpha, ax, ay, force;
  explicit HandChain(int links) : n(links), chain(links), alpha(size()), ax(size()), ay(size()), force(2 * size()) {}
  std::size_t size() const { return static_cast<std::size_t>(n); }
  void evaluate(Trigonometry trigonometry, const double* theta, const double* omega) {
    chain.evaluate(trigonometry, theta, omega, {alpha.data(), ax.data(), ay.data(), force.data()});
  }
};

// Angles and rates alone; state j starts at [j · n].
States chain_angles(int n) {
  States states(n, kChainStates);
  for (int j = 0; j < kChainStates; ++j) chain_state(n, j, states.position(j), states.velocity(j));
  return states;
}

void hand_chain(benchmark::State& state, int n, Trigonometry trigonometry) {
  const States states = chain_angles(n);
  HandChain hand(n);
  int j = 0;
  for (auto _ : state) {
    hand.evaluate(trigonometry, states.position(j), states.velocity(j));
    j = (j + 1) % kChainStates;
    benchmark::DoNotOptimize(hand.alpha.data());
    benchmark::ClobberMemory();
  }
  count_as(state, n);
}

// x1 … xN, y1 … yN, theta1 … thetaN: rods that hang together.
States maximal(const States& angles) {
  const int n = angles.n;
  States states(3 * n, angles.count);
  for (int j = 0; j < angles.count; ++j) {
    double x = 0, y = 0, vx = 0, vy = 0;
    for (int i = 0; i < n; ++i) {
      const double theta = angles.position(j)[i], omega = angles.velocity(j)[i];
      const double dx = 0.5 * std::cos(theta), dy = 0.5 * std::sin(theta);
      double *q = states.position(j) + i, *v = states.velocity(j) + i;
      q[0] = x + dx;
      q[n] = y + dy;
      q[2 * n] = theta;
      v[0] = vx - dy * omega;
      v[n] = vy + dx * omega;
      v[2 * n] = omega;
      x += 2 * dx;
      y += 2 * dy;
      vx -= 2 * dy * omega;
      vy += 2 * dx * omega;
    }
  }
  return states;
}

// All accelerations and forces at every state, as the hand-written kernel finds them, in the order of `states`.
double chain_difference(const States& angles, const States& states, Evaluation& evaluate, bool with_forces) {
  const auto n = static_cast<std::size_t>(angles.n);
  HandChain hand(angles.n);
  double largest = 0;
  for (int j = 0; j < angles.count; ++j) {
    hand.evaluate(Trigonometry::kLibrary, angles.position(j), angles.velocity(j));
    if (!evaluate(states.position(j), states.velocity(j))) return std::nan("");
    const double* qdd = evaluate.qdd();
    if (with_forces) {
      largest =
          std::max({largest, difference({qdd, n}, hand.ax), difference({qdd + n, n}, hand.ay),
                    difference({qdd + 2 * n, n}, hand.alpha), difference({evaluate.lambda(), 2 * n}, hand.force)});
    } else {
      largest = std::max(largest, difference({qdd, n}, hand.alpha));
    }
  }
  return largest;
}

void our_chain(benchmark::State& state, const std::string& model, int n, bool in_maximal_coordinates) {
  const States angles = chain_angles(n), states = in_maximal_coordinates ? maximal(angles) : angles;
  Dynamics dynamics = compile(derive_shipped(model, {"N=" + std::to_string(n), "m=1 kg", "l=1 m"}));
  if (!dynamics.kernel().solves_kkt() && n > 100) {
    state.SkipWithError("the kernel does not solve the KKT system, and the dense one takes O(N³)");
    return;
  }
  Evaluation evaluate(std::move(dynamics));
  // Round-off of the angles grows along the chain: the condition of M grows like N².
  if (!same_physics(state, chain_difference(angles, states, evaluate, in_maximal_coordinates), 1e-10 * n)) return;
  int j = 0;
  for (auto _ : state) {
    evaluate(states.position(j), states.velocity(j));
    j = (j + 1) % kChainStates;
    benchmark::DoNotOptimize(evaluate.qdd());
    benchmark::ClobberMemory();
  }
  count_as(state, in_maximal_coordinates ? n : 1);
}

const bool registered = [] {
  for (const Mechanism& m : mechanisms()) {
    const std::string scalar = m.name + ".scalar", lanes = m.name + ".lanes";
    const auto hand = [&](const std::string& who, reference::Kernel kernel) {
      measure(scalar, who, [&m, kernel](benchmark::State& state) { hand_scalar(state, m, kernel); });
    };
    hand("hand", m.kernel(Trigonometry::kPolynomial));
    hand("hand, libm", m.kernel(Trigonometry::kLibrary));
    if (m.name == "slider_crank") hand("hand, pivoted dense LU", reference::slider_crank_dense);
    measure(scalar, "dalembert", [&m](benchmark::State& state) { ours_scalar(state, m); });
    measure(lanes, "hand", [&m](benchmark::State& state) { hand_lanes(state, m); });
  }
  for (const int n : {10, 100, 1000, 10000}) {
    const std::string row = "chain_maximal." + std::to_string(n);
    measure(row, "hand", [n](benchmark::State& state) { hand_chain(state, n, Trigonometry::kPolynomial); });
    measure(row, "hand, libm", [n](benchmark::State& state) { hand_chain(state, n, Trigonometry::kLibrary); });
    if (n <= 100)
      measure(row, "dalembert", [n](benchmark::State& state) { our_chain(state, "n-link-chain-maximal", n, true); });
  }
  measure("chain_minimal.10", "dalembert",
          [](benchmark::State& state) { our_chain(state, "n-link-chain", 10, false); });
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
