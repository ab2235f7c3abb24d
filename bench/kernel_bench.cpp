// SPDX-License-Identifier: Apache-2.0
// One evaluation of accelerations and multipliers, ours beside the kernels written by hand (bench/reference).
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/machine.h"
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

// States in blocks of lanes; by machine code, or by the interpreter.
void ours_lanes(benchmark::State& state, const Mechanism& mechanism, int lanes, bool interpreted) {
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.kernel(Trigonometry::kLibrary));
  Machine machine(derive_shipped(mechanism.model), CodeKind::kTape, lanes);
  if (!machine.why_not().empty()) return state.SkipWithError(machine.why_not().c_str());
  const std::vector<double> q = in_lanes(states.q, states.n, lanes), v = in_lanes(states.v, states.n, lanes);
  const std::size_t block = static_cast<std::size_t>(lanes), each = block * static_cast<std::size_t>(states.n);
  std::vector<double> out(machine.outputs() * block), qdd;
  std::uint64_t refused = 0;
  const auto evaluate = [&](std::size_t at) {
    if (interpreted)
      machine.interpret(lanes, &q[at], &v[at], out.data());
    else
      refused |= machine.run(&q[at], &v[at], out.data());
  };
  for (std::size_t at = 0; at < q.size(); at += each) {
    evaluate(at);
    qdd.insert(qdd.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(each));
  }
  if (refused != 0) return state.SkipWithError("some lanes were refused");
  if (!same_physics(state, difference(qdd, in_lanes(expected.qdd, states.n, lanes)), kTolerance)) return;
  for (auto _ : state) {
    for (std::size_t at = 0; at < q.size(); at += each) evaluate(at);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
  state.counters["instructions"] = static_cast<double>(machine.tape().instructions.size());
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
    const auto ours = [&](const std::string& row, const std::string& who, int width, bool interpreted) {
      measure(row, who,
              [&m, width, interpreted](benchmark::State& state) { ours_lanes(state, m, width, interpreted); });
    };
    ours(scalar, "dalembert", 1, false);
    measure(scalar, "dalembert, as compile() has it", [&m](benchmark::State& state) { ours_scalar(state, m); });
    ours(scalar, "dalembert, interpreter", 1, true);
    measure(lanes, "hand", [&m](benchmark::State& state) { hand_lanes(state, m); });
    ours(lanes, "dalembert", 8, false);
    ours(lanes, "dalembert, 4 lanes", 4, false);
    ours(lanes, "dalembert, interpreter, 32 lanes", 32, true);
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
