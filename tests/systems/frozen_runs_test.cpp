// SPDX-License-Identifier: Apache-2.0
// Every shipped model's run, bit for bit as it was: what changes how a run is organised must change nothing that it computes. The
// file frozen_runs.txt is written by this test where DALEMBERT_FREEZE names it; a change that is meant to change numbers writes it anew.
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/compile/compile.h"
#include "dalembert/store/zip.h"
#include "sanitized.h"
#include "source_tree.h"
#include "systems/run_ways.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

std::uint32_t checksum(const std::vector<double>& numbers) {
  return crc32({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
}

// Counts, the last row, and checksums: of all rows, of the peaks, of the numbers of the verdict.
std::string describe_run(const Trajectory& path) {
  std::vector<double> rows, last, peaks;
  for (const Trajectory::Column& column : path.columns()) {
    rows.insert(rows.end(), column.values.begin(), column.values.end());
    if (!column.values.empty()) last.push_back(column.values.back());
  }
  for (const Extremes& of : path.peaks) peaks.insert(peaks.end(), {of.min, of.t_min, of.max, of.t_max});
  const Verdict& verdict = path.verdict;
  std::vector<double> judged = verdict.motion;
  judged.insert(judged.end(), verdict.error.q.begin(), verdict.error.q.end());
  judged.insert(judged.end(), verdict.error.v.begin(), verdict.error.v.end());
  judged.insert(judged.end(), {verdict.max_position_residual, verdict.max_velocity_residual, verdict.energy_drift,
                               verdict.power_balance_error, verdict.work_error, verdict.residual_excess});
  for (const ConservedDrift& of : verdict.conserved) judged.push_back(of.drift);
  return fmt::format(
      "{}: {} steps, {} rejected, {} evaluations, {} switches, {} events, {} warnings; rows {:08x}, peaks {:08x}, "
      "verdict {:08x}; last row {}",
      to_text(path.status), path.steps, path.rejected, path.evaluations, verdict.switches, path.events.size(),
      verdict.warnings.size(), checksum(rows), checksum(peaks), checksum(judged), fmt::join(last, " "));
}

// Interpreted: bits of machine code are those of the processor it is made for.
std::string run_as(const Equations& equations, const RunWay& way) {
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Assembly start = assemble_start(equations, dynamics);
  if (!start.ok() || !project(dynamics, start.state).ok) return "no start";
  IntegrateOptions options = value_of(run_options(*equations.model));
  if (way.method) options.method = *way.method;
  if (way.formulation == Formulation::kReduced) {
    options.formulation = way.formulation;
    options.quasi_velocities = compile_quasi_velocities(equations);
  }
  options.find_peaks = true;
  options.max_steps = 20'000;
  return describe_run(integrate(dynamics, start.state, options));
}

std::string frozen_file() { return source_tree() + "/tests/systems/frozen_runs.txt"; }

// "four_bar radau" → what is said of that run.
const std::map<std::string, std::string>& frozen_runs() {
  static const std::map<std::string, std::string> runs = [] {
    std::map<std::string, std::string> read;
    std::ifstream file(frozen_file());
    for (std::string line; std::getline(file, line);)
      if (const std::size_t at = line.find(" | "); at != std::string::npos)
        read[line.substr(0, at)] = line.substr(at + 3);
    return read;
  }();
  return runs;
}

class FrozenRun : public ::testing::TestWithParam<std::string> {};

// Oracle: the program itself, before.
TEST_P(FrozenRun, IsWhatItWas) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT other formulas are computed";
  const std::string name = name_of_file({GetParam(), 0});
  const Equations equations = equations_of(GetParam());
  const char* freeze = std::getenv("DALEMBERT_FREEZE");
  for (const RunWay& way : kRunWays) {
#if !defined(__clang__) || DALEMBERT_SANITIZED
    // Complex numbers of radau's Newton iteration are computed in another way, by g++ and where code is not optimised: other last digits.
    if (std::string_view(way.name) == "radau" || std::string_view(way.name) == "auto") continue;
#endif
    const std::string run = fmt::format("{} {}", name, way.name), text = run_as(equations, way);
    if (freeze != nullptr) {
      std::ofstream(freeze, std::ios::app) << run << " | " << text << '\n';
      continue;
    }
    const auto known = frozen_runs().find(run);
    ASSERT_NE(known, frozen_runs().end()) << run << " is not in " << frozen_file();
    EXPECT_EQ(text, known->second) << run;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, FrozenRun, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert
