// SPDX-License-Identifier: Apache-2.0
// From the text of a model to something that evaluates it.
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/shipped.h"

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

enum class Part { kAll, kDerive, kDeriveAndCompile };

// The time of one part, with all parts as counters; file reading is not among them.
void ready(benchmark::State& state, const std::string& model, const std::vector<std::string>& set, Part part) {
  const std::string text = text_of(model);
  const LoadOptions options = options_with(set);
  double parse = 0, derivation = 0, compilation = 0, rounds = 0;
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    auto loaded = std::make_shared<const Model>(value_or_abort(load_model(make_source(model, text), options)));
    const Clock::time_point parsed = Clock::now();
    std::optional<Equations> equations = value_or_abort(derive(loaded));
    const Clock::time_point derived = Clock::now();
    std::optional<Dynamics> dynamics = compile(*equations);
    const Clock::time_point compiled = Clock::now();
    benchmark::DoNotOptimize(dynamics->kernel());
    const double now[3] = {seconds(start, parsed), seconds(parsed, derived), seconds(derived, compiled)};
    state.SetIterationTime(part == Part::kAll      ? now[0] + now[1] + now[2]
                           : part == Part::kDerive ? now[1]
                                                   : now[1] + now[2]);
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

void register_row(const std::string& row, const std::string& model, const std::vector<std::string>& set, Part part) {
  measure(row, "dalembert", [=](benchmark::State& state) { ready(state, model, set, part); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  register_row("ready.slider_crank", "slider-crank", {}, Part::kAll);
  register_row("ready.slider_crank.derive", "slider-crank", {}, Part::kDerive);
  register_row("ready.andrews", "andrews-squeezer", {}, Part::kAll);
  register_row("ready.andrews.derive", "andrews-squeezer", {}, Part::kDerive);
  for (const char* n : {"100", "1000"})
    register_row(std::string("ready.chain_maximal.") + n, "n-link-chain-maximal", {std::string("N=") + n},
                 Part::kDeriveAndCompile);
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
