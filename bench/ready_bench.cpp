// SPDX-License-Identifier: Apache-2.0
// From the text of a model to something that evaluates it.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/shipped.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/tape_kernel.h"

namespace dalembert::bench {
namespace {

std::string text_of(const std::string& model) {
  std::ifstream file(model_path(model));
  return {std::istreambuf_iterator<char>(file), {}};
}

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// What is ready in the end.
enum class Ready {
  kKernel,        // machine code of accelerations and multipliers, made with all effort
  kCachedKernel,  // the same, found on disk
  kRun,           // machine code of all that a run calls
  kInterpreter,   // tapes
};
enum class Part { kAll, kDerive, kDeriveAndCompile };

// A folder for code, empty at first and gone in the end.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("dalembert-bench-" + std::to_string(Clock::now().time_since_epoch().count()));
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

// Loads LLVM, once a process: it is not what is measured.
bool load_compiler(std::string* why_not) {
  const Tape nothing;
  const CodeFunction trivial{.tape = &nothing};
  return generate_code({&trivial, 1}, {}, why_not) != nullptr;
}

// False where there is no machine code.
bool compile_to(Ready what, const Equations& equations, const CodeOptions& options) {
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  benchmark::DoNotOptimize(tapes.get());
  if (what == Ready::kInterpreter) return true;
  if (what == Ready::kRun) {
    const MachineKernel kernel(tapes, options);
    kernel.expect_many_calls();
    return kernel.has_code(KernelFunction::kAccelerations);
  }
  const CodeFunction function{.tape = &tapes->tape(KernelFunction::kAccelerations)};
  return tapes->solves_kkt() && is_compilable(*function.tape) && generate_code({&function, 1}, options) != nullptr;
}

// The time of one part, with all parts as counters. Reading the file is not among them.
void ready(benchmark::State& state, const std::string& model, const std::vector<std::string>& set, Ready what,
           Part part) {
  const std::string text = text_of(model);
  const LoadOptions load_options = options_with(set);
  const Folder folder;
  CodeOptions options;
  if (what == Ready::kCachedKernel) options.cache_folder = folder.path;
  std::string why_not;
  if (what != Ready::kInterpreter && !load_compiler(&why_not)) return state.SkipWithError(why_not.c_str());
  if (what == Ready::kCachedKernel) {
    const Model loaded = value_or_abort(load_model(make_source(model, text), load_options));
    compile_to(what, value_or_abort(derive(std::make_shared<const Model>(loaded))), options);
  }
  double parse = 0, derivation = 0, compilation = 0, rounds = 0;
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    auto loaded = std::make_shared<const Model>(value_or_abort(load_model(make_source(model, text), load_options)));
    const Clock::time_point parsed = Clock::now();
    const Equations equations = value_or_abort(derive(loaded));
    const Clock::time_point derived = Clock::now();
    if (!compile_to(what, equations, options)) return state.SkipWithError("no machine code");
    const double now[3] = {seconds(start, parsed), seconds(parsed, derived), seconds(derived, Clock::now())};
    state.SetIterationTime(part == Part::kDerive ? now[1] : now[1] + now[2] + (part == Part::kAll ? now[0] : 0));
    parse += now[0];
    derivation += now[1];
    compilation += now[2];
    ++rounds;
  }
  count_as(state, 1);
  state.counters["parse"] = parse / rounds;
  state.counters["derive"] = derivation / rounds;
  state.counters["compile"] = compilation / rounds;
}

const bool registered = [] {
  const auto add = [](const std::string& row, const std::string& who, const std::string& model,
                      const std::vector<std::string>& set, Ready what, Part part) {
    auto* one = measure(row, who, [=](benchmark::State& state) { ready(state, model, set, what, part); });
    one->UseManualTime()->Unit(benchmark::kMillisecond);
    if (!set.empty()) one->Iterations(1)->Repetitions(3);  // long enough as it is
  };
  for (const auto& [name, model] : {std::pair{"slider_crank", "slider-crank"},
                                    {"andrews", "andrews-squeezer"},
                                    {"ur5", "ur5"},
                                    {"whipple_bicycle", "whipple-bicycle"}}) {
    const std::string row = std::string("ready.") + name;
    add(row, "dalembert", model, {}, Ready::kKernel, Part::kAll);
    add(row, "dalembert, code on disk", model, {}, Ready::kCachedKernel, Part::kAll);
    add(row, "dalembert, all that a run calls", model, {}, Ready::kRun, Part::kAll);
    add(row, "dalembert, interpreter", model, {}, Ready::kInterpreter, Part::kAll);
    add(row + ".derive", "dalembert", model, {}, Ready::kInterpreter, Part::kDerive);
  }
  for (const char* n : {"1000", "10000"}) {
    const std::string row = std::string("ready.chain_maximal.") + n;
    add(row, "dalembert", "n-link-chain-maximal", {std::string("N=") + n}, Ready::kKernel, Part::kDeriveAndCompile);
    add(row, "dalembert, interpreter", "n-link-chain-maximal", {std::string("N=") + n}, Ready::kInterpreter,
        Part::kDeriveAndCompile);
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
