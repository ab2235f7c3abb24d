// SPDX-License-Identifier: Apache-2.0
// dalembert bench: the cost of a model on this machine, from reading its text to one evaluation of (q̈, λ).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/tape/interpreter.h"

namespace dalembert::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBlocks = 21;             // number of timed blocks of calls; their median is reported
constexpr double kBlockSeconds = 4e-3;  // least duration of a block
constexpr int kFewestBlocks = 3;        // least number of blocks; further ones are skipped after kMostSeconds
constexpr double kMostSeconds = 0.25;
constexpr std::size_t kStates = 256;
constexpr int kLanes[] = {4, 8};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Seconds per call of `work`: the median of kBlocks blocks, or of fewer for slow work.
double time_of(const std::function<void()>& work) {
  std::int64_t calls = 1;
  const auto block_seconds = [&] {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < calls; ++i) work();
    return seconds_since(begin);
  };
  while (block_seconds() < kBlockSeconds) calls *= 2;
  std::vector<double> blocks;
  double spent = 0;
  for (int block = 0; block < kBlocks && (block < kFewestBlocks || spent < kMostSeconds); ++block) {
    const double seconds = block_seconds();
    spent += seconds;
    blocks.push_back(seconds / static_cast<double>(calls));
  }
  return median(blocks);
}

// A code cache that is empty at first, so that the first compilation is cold. The destructor removes it.
class EmptyCache {
 public:
  EmptyCache()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("dalembert-bench-{:x}", Clock::now().time_since_epoch().count())) {}
  ~EmptyCache() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;
  CodeOptions options() const {
    CodeOptions options;
    options.cache_folder = folder_;
    return options;
  }

 private:
  std::filesystem::path folder_;
};

struct Cost {
  double parse = 0, derive = 0, compile = 0, compile_cached = 0, load = 0;
  std::size_t operations = 0, operations_as_derived = 0, states = 0;
  std::optional<double> interpreter_ns, scalar_ns, steps_per_second;
  std::map<int, double> lane_ns;
  int step_lanes = 0;  // lanes used for steps_per_second
  std::int64_t fallbacks = 0;
  std::string why_no_machine_code;
};

// States along the motion from the start; only the start if there is no motion.
std::vector<State> spread_states(const System& system, const State& start) {
  const std::size_t most = std::clamp<std::size_t>(1'000'000 / (start.q.size() + 1), 8, kStates);
  IntegrateOptions options;
  options.until = start.t + system.model->simulation.until.value_or(10.0);
  options.rtol = 1e-6;
  options.max_steps = static_cast<std::int64_t>(2 * most);
  const Trajectory path = integrate(system.dynamics, start, options);
  std::vector<State> states;
  const std::size_t stride = std::max<std::size_t>(1, path.size() / most);
  for (std::size_t k = 0; k < path.size() && states.size() < most; k += stride) states.push_back(path.state(k));
  if (states.empty()) states.push_back(start);
  return states;
}

// Evaluates (q̈, λ) at all states in turn, by the interpreter (`code` null) or by machine code.
class Evaluation {
 public:
  Evaluation(const Dynamics& dynamics, const TapeKernel& tapes, const std::vector<State>& states,
             const MachineCode* code)
      : dynamics_(dynamics),
        tape_(tapes.tape(KernelFunction::kAccelerations)),
        states_(states),
        code_(code),
        work_(tapes.layout().work + (code ? code_work({.tape = &tape_}) : 0)),
        u_(static_cast<std::size_t>(dynamics.layout().inputs)),
        out_(tape_.outputs) {
    dynamics.inputs(0, work_.data(), u_.data());
  }

  // Evaluates all states once. Returns the number of untrusted results.
  std::int64_t run() {
    const bool constant = dynamics_.has_constant_inputs();
    std::int64_t refused = 0;
    for (const State& state : states_) {
      if (!constant) dynamics_.inputs(state.t, work_.data(), u_.data());
      const double* const arguments[kTapeArrays] = {
          &state.t, dynamics_.parameters().data(), u_.data(), state.q.data(), state.v.data(), nullptr,
          nullptr,  dynamics_.prepared()};
      std::uint64_t outside = 0;
      if (code_ != nullptr)
        outside = code_->run(0, arguments, work_.data(), out_.data());
      else
        dalembert::run(tape_, arguments, work_.data(), out_.data(), 1);
      refused += outside != 0 || !trusted(out_.data() + out_.size() - 2);
    }
    return refused;
  }

 private:
  const Dynamics& dynamics_;
  const Tape& tape_;
  const std::vector<State>& states_;
  const MachineCode* code_;
  std::vector<double> work_, u_, out_;
};

// Seconds of one evaluation if the kernel does not solve the system itself: its terms, then the dense solve.
double dense_seconds(const System& system, const std::vector<State>& states) {
  Workspace workspace(system.dynamics);
  std::vector<double> qdd(states.front().q.size()),
      lambda(static_cast<std::size_t>(system.dynamics.layout().multipliers()));
  return time_of([&] {
           for (const State& state : states)
             solve_kkt(system.dynamics, state.t, state.q.data(), state.v.data(), workspace, qdd.data(), lambda.data());
         }) /
         static_cast<double>(states.size());
}

// Measures evaluation in lanes: each block has one state per lane, and the last one is filled up with the first states.
void measure_lanes(const System& system, const std::vector<State>& states, const CodeOptions& code, Cost& cost) {
  const std::size_t n = states.front().q.size(), m = static_cast<std::size_t>(system.dynamics.m());
  for (const int lanes : kLanes) {
    const auto width = static_cast<std::size_t>(lanes);
    LaneKernel kernel(system.dynamics, lanes, {.code = &code});
    if (!kernel.machine_code()) return;
    const std::size_t blocks = (states.size() + width - 1) / width;
    std::vector<double> t(blocks * width), q(blocks * width * n), v(q.size()), out(width * (n + m + 2));
    for (std::size_t k = 0; k < blocks * width; ++k) {
      const State& state = states[k % states.size()];
      const std::size_t block = k / width, lane = k % width;
      t[k] = state.t;
      for (std::size_t i = 0; i < n; ++i) {
        q[(block * n + i) * width + lane] = state.q[i];
        v[(block * n + i) * width + lane] = state.v[i];
      }
    }
    // Constant inputs are prepared once, as for any caller.
    std::vector<double> u(static_cast<std::size_t>(system.dynamics.layout().inputs) * width);
    const bool constant = system.dynamics.has_constant_inputs();
    if (constant && !u.empty()) {
      std::vector<double> work(system.dynamics.layout().work), one(u.size() / width);
      system.dynamics.inputs(0, work.data(), one.data());
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = one[i / width];
    }
    const auto all = [&] {
      std::int64_t refused = 0;
      for (std::size_t block = 0; block < blocks; ++block)
        refused += kernel.accelerations({.t = &t[block * width],
                                         .q = &q[block * n * width],
                                         .v = &v[block * n * width],
                                         .u = constant && !u.empty() ? u.data() : nullptr},
                                        out.data());
      return refused;
    };
    cost.fallbacks += all();
    cost.lane_ns[lanes] = 1e9 * time_of(all) / static_cast<double>(blocks * width);
  }

  // Fixed steps of an ensemble whose members start along the motion.
  constexpr std::uint64_t kSteps = 100;
  cost.step_lanes = fastest_lanes(system.dynamics);
  LaneKernel kernel(system.dynamics, cost.step_lanes, {.code = &code});
  const auto width = static_cast<std::size_t>(cost.step_lanes);
  std::vector<double> begin(2 * n * width), state;
  for (std::size_t k = 0; k < width; ++k) {
    const State& from = states[k * states.size() / width];
    for (std::size_t i = 0; i < n; ++i) {
      begin[i * width + k] = from.q[i];
      begin[(n + i) * width + k] = from.v[i];
    }
  }
  const double h = 1e-4 * system.model->simulation.until.value_or(10.0);
  state = begin;
  const int refused = kernel.advance(state.data(), states.front().t, h, kSteps);
  cost.fallbacks += refused;
  if (refused > 0) return;
  const double seconds = time_of([&] {
    state = begin;
    kernel.advance(state.data(), states.front().t, h, kSteps);
  });
  cost.steps_per_second = static_cast<double>(kSteps * width) / seconds;
}

Cost measure(const Arguments& arguments, Diagnostics& warnings) {
  Cost cost;
  const std::vector<Override> overrides = overrides_of(arguments);
  auto begin = Clock::now();
  LoadedModel loaded = load(read_model_source(arguments.operands.at(0)), overrides);
  cost.parse = seconds_since(begin);
  const System system = build(std::move(loaded));
  warnings = system.warnings;
  begin = Clock::now();
  const Result<Equations> again = derive(system.model);
  cost.derive = seconds_since(begin);
  cost.compile = cost.compile_cached = system.compile_seconds;
  const Dynamics& dynamics = system.dynamics;
  const auto tapes = tapes_of(dynamics);
  cost.operations_as_derived = tapes->operations_as_derived();
  const ModelStart start = find_start(system);
  if (!start.assembly.ok()) fail(kExitNumerical, explain_start(system, start));
  const std::vector<State> states = spread_states(system, start.assembly.state);
  cost.states = states.size();
  if (!tapes->solves_kkt()) {
    cost.why_no_machine_code =
        "no order of elimination works for this system in every state, so it has no generated solver";
    cost.operations = count_operations(tapes->tape(KernelFunction::kRates));
    cost.interpreter_ns = 1e9 * dense_seconds(system, states);
    return cost;
  }

  const Tape& tape = tapes->tape(KernelFunction::kAccelerations);
  cost.operations = count_operations(tape);
  Evaluation interpreted(dynamics, *tapes, states, nullptr);
  cost.fallbacks = interpreted.run();
  cost.interpreter_ns = 1e9 * time_of([&] { interpreted.run(); }) / static_cast<double>(states.size());

  // Compile a trivial tape first, because the first compilation in the process also loads the compiler.
  const EmptyCache cache;
  const CodeOptions options = cache.options();
  const Tape nothing;
  const CodeFunction trivial{.tape = &nothing}, function{.tape = &tape};
  begin = Clock::now();
  if (generate_code({&trivial, 1}, options, &cost.why_no_machine_code) == nullptr) return cost;
  cost.load = seconds_since(begin);
  begin = Clock::now();
  const auto code = generate_code({&function, 1}, options, &cost.why_no_machine_code);
  if (code == nullptr) return cost;
  cost.compile += seconds_since(begin);
  begin = Clock::now();
  const auto cached = generate_code({&function, 1}, options);
  cost.compile_cached += seconds_since(begin);

  Evaluation compiled(dynamics, *tapes, states, code.get());
  cost.fallbacks = compiled.run();
  cost.scalar_ns = 1e9 * time_of([&] { compiled.run(); }) / static_cast<double>(states.size());
  measure_lanes(system, states, options, cost);
  return cost;
}

Json document(const Cost& cost) {
  const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json lanes = Json::object();
  for (const auto& [width, ns] : cost.lane_ns) lanes[fmt::format("{}", width)] = ns;
  return {{"parse_seconds", cost.parse},
          {"derive_seconds", cost.derive},
          {"compile_seconds", cost.compile},
          {"compile_cached_seconds", cost.compile_cached},
          {"compiler_load_seconds", cost.load},
          {"operations_as_derived", cost.operations_as_derived},
          {"operations", cost.operations},
          {"operations_per_ns", cost.scalar_ns ? Json(static_cast<double>(cost.operations) / *cost.scalar_ns) : Json()},
          {"interpreter_ns", or_null(cost.interpreter_ns)},
          {"scalar_ns", or_null(cost.scalar_ns)},
          {"lanes", lanes},
          {"steps_per_second", or_null(cost.steps_per_second)},
          {"states", cost.states},
          {"fallbacks", cost.fallbacks},
          {"machine_code", cost.scalar_ns ? Json(true) : Json(cost.why_no_machine_code)}};
}

std::string text(const Cost& cost) {
  const auto ms = [](double seconds) { return to_text(1e3 * seconds, 3) + " ms"; };
  Table table;
  table.add({"parse", ms(cost.parse), ""});
  table.add({"derive", ms(cost.derive), ""});
  table.add({"compile", ms(cost.compile), fmt::format("cached {}", ms(cost.compile_cached))});
  if (cost.load > 0) table.add({"load the compiler", ms(cost.load), "once a process, not for cached code"});
  std::string out = table.text() + "\n";
  Table speed;
  speed.add({"one evaluation of (q'', lambda)", "ns", "operations per ns"});
  const auto row = [&](const std::string& name, double ns) {
    speed.add({name, to_text(ns, 4), to_text(static_cast<double>(cost.operations) / ns, 3)});
  };
  if (cost.interpreter_ns) row("interpreter", *cost.interpreter_ns);
  if (cost.scalar_ns) row("machine code", *cost.scalar_ns);
  for (const auto& [width, ns] : cost.lane_ns) row(fmt::format("a lane of {}", width), ns);
  if (cost.interpreter_ns) out += speed.text();
  out += fmt::format("\n  {} operations, {} as derived; {}\n", cost.operations, cost.operations_as_derived,
                     counted(static_cast<int>(cost.states), "state", "states"));
  if (cost.steps_per_second)
    out += fmt::format("  {} million Runge-Kutta steps of order 4 a second, {} lanes, one core\n",
                       to_text(*cost.steps_per_second / 1e6, 4), cost.step_lanes);
  if (cost.fallbacks > 0)
    out += fmt::format("  {} took the rank-revealing solve\n",
                       counted(static_cast<int>(cost.fallbacks), "evaluation", "evaluations"));
  if (!cost.scalar_ns) out += fmt::format("  no machine code: {}\n", cost.why_no_machine_code);
  return out;
}

}  // namespace

int run_bench(const Arguments& arguments, Terminal& terminal) {
  Diagnostics warnings;
  const Cost cost = measure(arguments, warnings);
  terminal.report(warnings);
  terminal.out(arguments.json() ? document_text(document(cost)) : text(cost));
  return kExitOk;
}

}  // namespace dalembert::app
