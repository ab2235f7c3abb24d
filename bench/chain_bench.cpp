// SPDX-License-Identifier: Apache-2.0
// Chains of N rods: accelerations and all pin forces in maximal coordinates, for N that grows; and in minimal ones.
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/states.h"

namespace dalembert::bench {
namespace {

using reference::Elimination;
using reference::Trigonometry;

constexpr int kChainStates = 4;

struct HandChain {
  int n;
  reference::Chain chain;
  std::vector<double> alpha, ax, ay, force;
  explicit HandChain(int links) : n(links), chain(links), alpha(size()), ax(size()), ay(size()), force(2 * size()) {}
  std::size_t size() const { return static_cast<std::size_t>(n); }
  void evaluate(Trigonometry trigonometry, Elimination elimination, const double* theta, const double* omega) {
    chain.evaluate(trigonometry, theta, omega, {alpha.data(), ax.data(), ay.data(), force.data()}, elimination);
  }
};

// Angles and rates alone; state j starts at [j · n].
States chain_angles(int n) {
  States states(n, kChainStates);
  for (int j = 0; j < kChainStates; ++j) chain_state(n, j, states.position(j), states.velocity(j));
  return states;
}

void hand_chain(benchmark::State& state, int n, Trigonometry trigonometry, Elimination elimination) {
  const States states = chain_angles(n);
  HandChain hand(n), oracle(n);
  double found = 0;
  for (int j = 0; j < kChainStates; ++j) {
    hand.evaluate(trigonometry, elimination, states.position(j), states.velocity(j));
    oracle.evaluate(Trigonometry::kLibrary, Elimination::kPlain, states.position(j), states.velocity(j));
    found = std::max({found, difference(hand.alpha, oracle.alpha), difference(hand.force, oracle.force)});
  }
  if (!same_physics(state, found, 1e-10 * n)) return;
  int j = 0;
  for (auto _ : state) {
    hand.evaluate(trigonometry, elimination, states.position(j), states.velocity(j));
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

// All accelerations and forces at every state beside those of the hand-written kernel; evaluate(q, v) returns q̈, then
// λ, in the order of the model.
template <class Evaluate>
double chain_difference(const States& angles, const States& states, bool with_forces, Evaluate&& evaluate) {
  const auto n = static_cast<std::size_t>(angles.n);
  HandChain hand(angles.n);
  double largest = 0;
  for (int j = 0; j < angles.count; ++j) {
    hand.evaluate(Trigonometry::kLibrary, Elimination::kPlain, angles.position(j), angles.velocity(j));
    const double* qdd = evaluate(states.position(j), states.velocity(j));
    const auto compare = [&](const double* ours, const std::vector<double>& theirs) {
      const double found = difference(ours, theirs.data(), theirs.size());
      if (!(found <= largest)) largest = found;
    };
    if (!with_forces) {
      compare(qdd, hand.alpha);
      continue;
    }
    compare(qdd, hand.ax);
    compare(qdd + n, hand.ay);
    compare(qdd + 2 * n, hand.alpha);
    compare(qdd + 3 * n, hand.force);
  }
  return largest;
}

// Made once: setting up is repeated with every repetition.
Machine& machine_of(const std::string& model, int n, bool interpreted) {
  static std::map<std::tuple<std::string, int, bool>, std::unique_ptr<Machine>> made;
  std::unique_ptr<Machine>& machine = made[{model, n, interpreted}];
  if (!machine)
    machine =
        std::make_unique<Machine>(derive_shipped(model, {"N=" + std::to_string(n), "m=1 kg", "l=1 m"}), interpreted);
  return *machine;
}

void our_chain(benchmark::State& state, const std::string& model, int n, bool in_maximal_coordinates,
               bool interpreted) {
  const States angles = chain_angles(n), states = in_maximal_coordinates ? maximal(angles) : angles;
  Machine& machine = machine_of(model, n, interpreted);
  if (!machine.why_not().empty()) return state.SkipWithError(machine.why_not().c_str());
  std::vector<double> out(machine.outputs());
  bool refused = false;
  const auto evaluate = [&](const double* q, const double* v) {
    if (!machine(q, v, out.data())) refused = true;
    return out.data();
  };
  // Round-off of the angles grows along the chain: the condition of M grows like N².
  const double found = chain_difference(angles, states, in_maximal_coordinates, evaluate);
  if (refused) return state.SkipWithError("refused");
  if (!same_physics(state, found, 1e-10 * n)) return;
  int j = 0;
  for (auto _ : state) {
    evaluate(states.position(j), states.velocity(j));
    j = (j + 1) % kChainStates;
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count_as(state, in_maximal_coordinates ? n : 1);
  state.counters["instructions"] = static_cast<double>(machine.tape().instructions.size());
}

const bool registered = [] {
  for (const int n : {10, 100, 1000, 10000}) {
    const std::string row = "chain_maximal." + std::to_string(n);
    const auto hand = [&](const std::string& who, Trigonometry trigonometry, Elimination elimination) {
      measure(row, who, [=](benchmark::State& state) { hand_chain(state, n, trigonometry, elimination); });
    };
    hand("hand", Trigonometry::kPolynomial, Elimination::kShort);
    hand("hand, from one end", Trigonometry::kPolynomial, Elimination::kPlain);
    hand("hand, libm", Trigonometry::kLibrary, Elimination::kShort);
    const auto ours = [&](const std::string& who, bool interpreted) {
      measure(row, who, [n, interpreted](benchmark::State& state) {
        our_chain(state, "n-link-chain-maximal", n, true, interpreted);
      });
    };
    ours("dalembert", false);
    ours("dalembert, interpreter", true);
  }
  for (const bool interpreted : {false, true})
    measure("chain_minimal.10", interpreted ? "dalembert, interpreter" : "dalembert",
            [=](benchmark::State& state) { our_chain(state, "n-link-chain", 10, false, interpreted); });
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
