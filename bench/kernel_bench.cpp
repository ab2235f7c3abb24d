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
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#ifdef DALEMBERT_BENCH_EXPORTED
#include "slider_crank.h"
#endif

namespace dalembert::bench {
namespace {

using reference::Elimination;
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

// A mechanism that there is a hand-written kernel for.
struct Mechanism {
  std::string name, model;
  int m = 0;
  States (*states)(int count);
  struct ByHand {
    std::string how;  // after "hand" in the name of the benchmark
    reference::Kernel kernel;
    int lanes = 1;
  };
  reference::Kernel oracle;  // with the C library's sine
  std::vector<ByHand> by_hand;
};
const std::array<Mechanism, 2>& mechanisms() {
  constexpr Trigonometry kLibrary = Trigonometry::kLibrary, kPolynomial = Trigonometry::kPolynomial;
  constexpr Elimination kPlain = Elimination::kPlain, kShort = Elimination::kShort;
  static const std::array<Mechanism, 2> list{
      {{"slider_crank",
        "slider-crank",
        2,
        slider_crank_states,
        reference::slider_crank(kLibrary),
        {{"", reference::slider_crank(kPolynomial, kShort)},
         {", reciprocals in a row", reference::slider_crank(kPolynomial, kPlain)},
         {", libm", reference::slider_crank(kLibrary)},
         {", pivoted dense LU", reference::slider_crank_dense},
         {"", reference::slider_crank_lanes(8, kShort), 8},
         {", reciprocals in a row", reference::slider_crank_lanes(8, kPlain), 8},
         {", 4 lanes", reference::slider_crank_lanes(4, kShort), 4},
         {", 4 lanes, reciprocals in a row", reference::slider_crank_lanes(4, kPlain), 4}}},
       {"andrews",
        "andrews-squeezer",
        6,
        andrews_states,
        reference::andrews(kLibrary),
        {{"", reference::andrews(kPolynomial)},
         {", libm", reference::andrews(kLibrary)},
         {"", reference::andrews_lanes(8), 8},
         {", 4 lanes", reference::andrews_lanes(4), 4}}}}};
  return list;
}
constexpr int kStates = 256;

void hand_scalar(benchmark::State& state, const Mechanism& mechanism, reference::Kernel kernel) {
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.oracle);
  if (!same_physics(state, by_hand(states, mechanism.m, kernel).difference_from(expected), kTolerance)) return;
  std::vector<double> qdd(states.total()), lambda(static_cast<std::size_t>(mechanism.m));
  for (auto _ : state) {
    for (int j = 0; j < kStates; ++j) kernel(states.position(j), states.velocity(j), qdd.data(), lambda.data());
    benchmark::DoNotOptimize(qdd.data());
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
}

void hand_lanes(benchmark::State& state, const Mechanism& mechanism, reference::Kernel kernel, int lanes) {
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.oracle);
  const std::vector<double> q = in_lanes(states.q, states.n, lanes), v = in_lanes(states.v, states.n, lanes);
  std::vector<double> qdd(q.size()), lambda(expected.lambda.size());
  const auto all = [&] {
    for (int j = 0; j < kStates; j += lanes) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(j) * states.n;
      kernel(&q[static_cast<std::size_t>(at)], &v[static_cast<std::size_t>(at)], qdd.data() + at,
             lambda.data() + static_cast<std::ptrdiff_t>(j) * mechanism.m);
    }
  };
  all();
  const double found = std::max(difference(qdd, in_lanes(expected.qdd, states.n, lanes)),
                                difference(lambda, in_lanes(expected.lambda, mechanism.m, lanes)));
  if (!same_physics(state, found, kTolerance)) return;
  for (auto _ : state) {
    all();
    benchmark::DoNotOptimize(qdd.data());
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
}

// evaluate(q, v) of `lanes` states at once, returning q̈, then λ; states in blocks of lanes.
template <class Evaluate>
void ours(benchmark::State& state, const Mechanism& mechanism, int lanes, Evaluate&& evaluate) {
  const States states = mechanism.states(kStates);
  const Results expected = by_hand(states, mechanism.m, mechanism.oracle);
  const std::vector<double> q = in_lanes(states.q, states.n, lanes), v = in_lanes(states.v, states.n, lanes);
  const std::size_t each = static_cast<std::size_t>(lanes) * static_cast<std::size_t>(states.n),
                    rows = static_cast<std::size_t>(lanes) * static_cast<std::size_t>(mechanism.m);
  std::vector<double> qdd, lambda;
  for (std::size_t at = 0; at < q.size(); at += each) {
    const double* out = evaluate(&q[at], &v[at]);
    if (out == nullptr) return state.SkipWithError("a state was refused");
    qdd.insert(qdd.end(), out, out + each);
    lambda.insert(lambda.end(), out + each, out + each + rows);
  }
  const double found = std::max(difference(qdd, in_lanes(expected.qdd, states.n, lanes)),
                                difference(lambda, in_lanes(expected.lambda, mechanism.m, lanes)));
  if (!same_physics(state, found, kTolerance)) return;
  for (auto _ : state) {
    for (std::size_t at = 0; at < q.size(); at += each) benchmark::DoNotOptimize(evaluate(&q[at], &v[at]));
    benchmark::ClobberMemory();
  }
  count_as(state, kStates);
}

void ours_directly(benchmark::State& state, const Mechanism& mechanism, bool interpreted, int lanes) {
  Machine machine(derive_shipped(mechanism.model), interpreted, lanes);
  if (!machine.why_not().empty()) return state.SkipWithError(machine.why_not().c_str());
  std::vector<double> out(machine.outputs());
  ours(state, mechanism, lanes, [&](const double* q, const double* v) -> const double* {
    return machine(q, v, out.data()) ? out.data() : nullptr;
  });
  state.counters["instructions"] = static_cast<double>(machine.tape().instructions.size());
}

// As integrate() calls it.
void ours_in_a_run(benchmark::State& state, const Mechanism& mechanism) {
  const Dynamics dynamics = compile(derive_shipped(mechanism.model));
  dynamics.kernel().expect_many_calls();
  const Layout& layout = dynamics.layout();
  std::vector<double> work(layout.work), u(static_cast<std::size_t>(layout.inputs)),
      out(output_size(layout, KernelFunction::kAccelerations));
  dynamics.inputs(0, work.data(), u.data());
  ours(state, mechanism, 1, [&](const double* q, const double* v) -> const double* {
    dynamics.kernel().call(KernelFunction::kAccelerations,
                           {.q = q,
                            .v = v,
                            .u = u.data(),
                            .p = dynamics.parameters().data(),
                            .prepared = dynamics.prepared(),
                            .work = work.data()},
                           out.data());
    return trusted(out.data() + AccelerationsPlaces(layout).trust) ? out.data() : nullptr;
  });
}

// As solve_kkt() does it: with inputs, and what is not finite or not trusted goes to the rank-revealing solver.
void ours_checked(benchmark::State& state, const Mechanism& mechanism) {
  const Dynamics dynamics = compile(derive_shipped(mechanism.model));
  dynamics.kernel().expect_many_calls();
  Workspace workspace(dynamics);
  const auto n = static_cast<std::size_t>(dynamics.nv());
  std::vector<double> out(n + static_cast<std::size_t>(dynamics.m()));
  ours(state, mechanism, 1, [&](const double* q, const double* v) -> const double* {
    return solve_kkt(dynamics, 0, q, v, workspace, out.data(), out.data() + n) == KktStatus::kOk ? out.data() : nullptr;
  });
}

#ifdef DALEMBERT_BENCH_EXPORTED
// The same by what `dalembert export --to c` writes.
void exported(benchmark::State& state, const Mechanism& mechanism) {
  static slider_crank_system system;
  slider_crank_init(&system);
  const double u[slider_crank_NU] = {};
  std::vector<double> out(slider_crank_NV + slider_crank_NR);
  ours(state, mechanism, 1, [&](const double* q, const double* v) -> const double* {
    const int status = slider_crank_accelerations(&system, 0, q, v, u, out.data(), out.data() + slider_crank_NV);
    return status == 0 ? out.data() : nullptr;
  });
}
#endif

// Several states at once, each with its way back to the rank-revealing solve.
void ours_in_lanes(benchmark::State& state, const Mechanism& mechanism, int lanes) {
  const Equations equations = derive_shipped(mechanism.model);
  LaneKernel kernel(compile(equations), lanes);
  if (!kernel.machine_code()) return state.SkipWithError(kernel.why_no_machine_code().c_str());
  const auto width = static_cast<std::size_t>(lanes);
  std::vector<double> t(width), u(equations.model->inputs.size() * width),
      out((static_cast<std::size_t>(equations.n() + equations.m()) + 2) * width);
  ours(state, mechanism, lanes, [&](const double* q, const double* v) -> const double* {
    return kernel.accelerations({.t = t.data(), .q = q, .v = v, .u = u.data()}, out.data()) == 0 ? out.data() : nullptr;
  });
}

const bool registered = [] {
  for (const Mechanism& m : mechanisms()) {
    const std::string scalar = m.name + ".scalar", lanes = m.name + ".lanes";
    for (const Mechanism::ByHand& hand : m.by_hand) {
      const std::string who = "hand" + hand.how;
      if (hand.lanes == 1)
        measure(scalar, who, [&](benchmark::State& state) { hand_scalar(state, m, hand.kernel); });
      else
        measure(lanes, who, [&](benchmark::State& state) { hand_lanes(state, m, hand.kernel, hand.lanes); });
    }
    const auto direct = [&](const std::string& row, const std::string& who, bool interpreted, int width) {
      measure(row, who,
              [&m, interpreted, width](benchmark::State& state) { ours_directly(state, m, interpreted, width); });
    };
    direct(scalar, "dalembert", false, 1);
    direct(scalar, "dalembert, interpreter", true, 1);
    measure(scalar, "dalembert, as a run calls it", [&m](benchmark::State& state) { ours_in_a_run(state, m); });
    measure(scalar, "dalembert, checked", [&m](benchmark::State& state) { ours_checked(state, m); });
#ifdef DALEMBERT_BENCH_EXPORTED
    if (m.name == "slider_crank")
      measure(scalar, "exported C, checked", [&m](benchmark::State& state) { exported(state, m); });
#endif
    measure(lanes, "dalembert", [&m](benchmark::State& state) { ours_in_lanes(state, m, 8); });
    measure(lanes, "dalembert, 4 lanes", [&m](benchmark::State& state) { ours_in_lanes(state, m, 4); });
    direct(lanes, "dalembert, the code alone", false, 8);
    direct(lanes, "dalembert, interpreter, 32 lanes", true, 32);
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
