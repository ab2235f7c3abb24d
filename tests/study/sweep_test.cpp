// SPDX-License-Identifier: Apache-2.0
// Many runs: each row is what a run by itself says, whoever makes it and however often it is begun.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/sampling.h"
#include "dalembert/study/sweep/sweep_run.h"
#include "dalembert/study/system_at.h"
#include "folder.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using sweeping::SampleOf;
using sweeping::Sampling;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Model model_of(const std::string& name, const std::vector<std::string>& set = {}) {
  LoadOptions options;
  for (const std::string& assignment : set) options.overrides.push_back(*parse_override(assignment));
  Result<Model> model = load_model_file(source_tree() + "/models/" + name + ".toml", options);
  EXPECT_TRUE(model) << render(model.diagnostics());
  return *std::move(model);
}

StudyStatement::Named text(const std::string& name, const std::string& value) {
  return {name, MappedText::of(value), {}};
}

IntegrateOptions options_until(const Model& model, double until) {
  SimulationSettings settings = model.simulation;
  settings.until = until;
  Result<IntegrateOptions> options = run_options(settings, model, model.initial.t);
  EXPECT_TRUE(options) << render(options.diagnostics());
  return *std::move(options);
}

Sweep prepare(const Model& model, const StudyStatement& study, double until, const StudyRows& rows = {}) {
  Result<Sweep> sweep = Sweep::prepare(model, study, rows, options_until(model, until));
  EXPECT_TRUE(sweep) << render(sweep.diagnostics());
  return *std::move(sweep);
}

// What prepare() refuses, as text.
std::string refusal_of(const std::string& model, const StudyStatement& study) {
  const Model stated = model_of(model);
  Result<Sweep> sweep = Sweep::prepare(stated, study, {}, options_until(stated, 1));
  return sweep ? "" : render(sweep.diagnostics());
}

std::vector<StudyRun> rows_of(const Sweep& sweep, int threads = 1) {
  std::vector<StudyRun> rows;
  run_sweep(sweep, {.threads = threads}, rows);
  return rows;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class SweepInFiles : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  const Folder folder_;
};

// --- values of the quantities

TEST(Study, HasTheLastQuantityOfAGridChangeFastest) {
  StudyStatement study;
  study.vary = {text("L1", "0.1 m : 0.2 m : 3"), text("theta'", "1, 2 rad/s")};
  const Sweep sweep = prepare(model_of("slider-crank"), study, 0.1);
  ASSERT_EQ(sweep.runs(), 6);
  EXPECT_THAT(sweep.values(0), ElementsAre(0.1, 1.0));
  EXPECT_THAT(sweep.values(1), ElementsAre(0.1, 2.0));
  EXPECT_THAT(sweep.values(2), ElementsAre(0.1 + (0.2 - 0.1) / 2, 1.0));
  EXPECT_THAT(sweep.values(5), ElementsAre(0.2, 2.0));
  EXPECT_THAT(sweep.quantity_units(), ElementsAre("m", "rad/s"));
}

TEST(Study, HasTheSameSamplesAtEachPointOfAGrid) {
  StudyStatement study;
  study.vary = {text("L1", "0.1, 0.2")};
  study.sample = {text("theta", "uniform(0, 1 rad)")};
  study.runs = 3;
  const Sweep sweep = prepare(model_of("slider-crank"), study, 0.1);
  ASSERT_EQ(sweep.runs(), 6);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sweep.values(i)[0], 0.1);
    EXPECT_EQ(sweep.values(3 + i)[0], 0.2);
    EXPECT_EQ(sweep.values(i)[1], sweep.values(3 + i)[1]);
  }
  EXPECT_NE(sweep.values(0)[1], sweep.values(1)[1]);
}

// Known answer of philox4x32-10 for counter and key 0: Random123's kat_vectors.
TEST(Sample, ComesFromPhilox) {
  EXPECT_THAT(sweeping::philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
}

// Abramowitz & Stegun, table 26.5 (p = 0.975), and mpmath for the tail.
TEST(Sample, OfTheNormalDistributionIsItsQuantile) {
  EXPECT_NEAR(sweeping::normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_NEAR(sweeping::normal_quantile(0.025), -1.959963984540054, 1e-15);
  EXPECT_NEAR(sweeping::normal_quantile(1e-12), -7.034483825301131, 1e-13);
  EXPECT_NEAR(sweeping::normal_quantile(0.5), 0, 1e-17);
  for (const double p : {1e-15, 1e-6, 0.01, 0.3, 0.49999, 0.7, 0.999, 1 - 0x1p-52})
    EXPECT_NEAR(std::erfc(-sweeping::normal_quantile(p) / std::numbers::sqrt2) / 2 / p, 1, 4e-14) << p;
}

TEST(Sample, OfALatinHypercubeHasOneValueInEachStratum) {
  for (const std::uint64_t count : {1u, 2u, 7u, 64u, 1000u})
    for (const std::size_t dimension : {0u, 3u}) {
      std::set<std::uint64_t> strata;
      for (std::uint64_t i = 0; i < count; ++i) {
        const double u = sweeping::sample({Sampling::kLatinHypercube, 5, count}, i, dimension);
        ASSERT_TRUE(u > 0 && u < 1);
        strata.insert(static_cast<std::uint64_t>(u * static_cast<double>(count)));
      }
      EXPECT_EQ(strata.size(), count);
    }
}

// Of 2^m points of a Sobol' sequence each interval [k, k + 1)/2^m has one, in every dimension, and of the first two dimensions (a (0, 2)-sequence)
// each elementary rectangle has one, also after a digital shift. Niederreiter, Point sets and sequences with small discrepancy (1987).
TEST(Sample, OfASobolSequenceFillsElementaryIntervals) {
  constexpr std::uint64_t kPoints = 256;
  const SampleOf of{Sampling::kSobol, 11, kPoints};
  for (std::size_t dimension = 0; dimension < sweeping::kMostSobol; ++dimension) {
    std::set<int> cells;
    for (std::uint64_t i = 0; i < kPoints; ++i)
      cells.insert(static_cast<int>(sweeping::sample(of, i, dimension) * kPoints));
    EXPECT_EQ(cells.size(), kPoints) << dimension;
  }
  for (int columns = 2; columns < static_cast<int>(kPoints); columns *= 2) {
    std::set<std::pair<int, int>> cells;
    for (std::uint64_t i = 0; i < kPoints; ++i)
      cells.emplace(static_cast<int>(sweeping::sample(of, i, 0) * columns),
                    static_cast<int>(sweeping::sample(of, i, 1) * static_cast<double>(kPoints) / columns));
    EXPECT_EQ(cells.size(), kPoints) << columns;
  }
}

TEST(Sample, HasTheMomentsOfItsDistribution) {
  constexpr int kSamples = 4096;
  StudyStatement study;
  study.sample = {text("L1", "normal(0.2 m, 0.01 m)"), text("L2", "uniform(0.4, 0.6)"),
                  text("m1", "lognormal(2 kg, 0.25)"), text("m2", "triangular(1, 2, 4)")};
  study.runs = kSamples;
  study.sampling = "sobol";
  const Sweep sweep = prepare(model_of("slider-crank"), study, 0.1);
  std::vector<double> mean(4), square(4);
  for (int i = 0; i < kSamples; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      const double value = sweep.values(i)[k];
      mean[k] += value / kSamples;
      square[k] += value * value / kSamples;
    }
  const auto deviation = [&](std::size_t k) { return std::sqrt(square[k] - mean[k] * mean[k]); };
  EXPECT_NEAR(mean[0], 0.2, 1e-5);
  EXPECT_NEAR(deviation(0), 0.01, 1e-5);
  EXPECT_NEAR(mean[1], 0.5, 1e-4);
  EXPECT_NEAR(deviation(1), 0.2 / std::sqrt(12), 1e-4);
  EXPECT_NEAR(mean[2], 2 * std::exp(0.25 * 0.25 / 2), 1e-3);
  EXPECT_NEAR(deviation(2), mean[2] * std::sqrt(std::exp(0.25 * 0.25) - 1), 2e-3);
  EXPECT_NEAR(mean[3], 7.0 / 3, 1e-3);
  EXPECT_NEAR(deviation(3), std::sqrt((1.0 + 4 + 16 - 2 - 4 - 8) / 18), 1e-3);
}

// --- measures

struct Single {
  const char* model;
  std::vector<StudyStatement::Named> quantities;
  std::vector<std::string> set;
  double until;
};

class SweepLikeSimulate : public testing::TestWithParam<Single> {};

// A row has the numbers of a run by itself: its extremes, its end, its verdict.
TEST_P(SweepLikeSimulate, HasTheNumbersOfARun) {
  const Single& one = GetParam();
  const Model model = model_of(one.model, one.set);
  Result<BuiltModel> built = build_model(std::make_shared<const Model>(model));
  ASSERT_TRUE(built);
  built->dynamics.kernel().expect_many_calls();
  const Result<ModelStart> start = find_model_start(*built);
  ASSERT_TRUE(start && start->assembly.ok());
  IntegrateOptions options = options_until(model, one.until);
  options.find_peaks = true;
  const Trajectory run = integrate(built->dynamics, start->assembly.state, options);

  StudyStatement study;
  study.vary = one.quantities;
  std::vector<double> expected;
  const auto ask = [&](const std::string& measure, double value) {
    study.measure.push_back(text("m" + std::to_string(expected.size()), measure));
    expected.push_back(value);
  };
  for (std::size_t i = 0; i < run.names.coordinates.size(); ++i)
    ask("final(" + run.names.coordinates[i] + ")", run.q[i].back());
  for (std::size_t j = 0; j < run.names.constraint_rows() && j < 3; ++j) {
    ask("max(lambda(" + run.names.rows[j] + "))", run.peaks[j].max);
    ask("min(lambda(" + run.names.rows[j] + "))", run.peaks[j].min);
  }
  ask("final(energy(total))", run.total.back());
  ask("at(energy(kinetic), 0 s)", run.kinetic.front());

  const std::vector<StudyRun> rows = rows_of(prepare(model_of(one.model), study, one.until));
  ASSERT_EQ(rows.size(), 1u);
  const StudyRun& row = rows.front();
  EXPECT_EQ(row.status, RunStatus::kOk) << row.reason;
  EXPECT_EQ(row.holds, run.verdict.holds);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(row.measures[k], expected[k], 1e-11 * std::max(1.0, std::abs(expected[k])))
        << study.measure[k].text.text;
}

INSTANTIATE_TEST_SUITE_P(
    Models, SweepLikeSimulate,
    testing::Values(
        Single{"slider-crank", {text("L1", "0.12 m"), text("theta'", "5 rad/s")}, {"L1=0.12 m", "theta'=5 rad/s"}, 1},
        Single{"rolling-disk", {text("r", "0.4 m")}, {"r=0.4 m"}, 2},
        Single{"heavy-top", {text("m", "4 kg")}, {"m=4 kg"}, 0.5},
        Single{"block-on-belt", {text("k", "1.5 N/m")}, {"k=1.5 N/m"}, 10},
        Single{"bouncing-ball", {text("e", "0.7"), text("y", "1.2 m")}, {"e=0.7", "y=1.2 m"}, 2}),
    [](const auto& info) {
      std::string name = info.param.model;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// The bouncing ball: t_1 = √(2h/g), and the n-th flight lasts e^n as long as from h to h.
TEST(Measure, OfEventsIsTheirTimeAndNumber) {
  StudyStatement study;
  study.vary = {text("e", "0.8")};
  study.measure = {text("first", "time(ground)"), text("number", "count(ground)"), text("ratio", "max(y)/at(y, 0 s)")};
  const Sweep sweep = prepare(model_of("bouncing-ball"), study, 2);
  const StudyRun row = rows_of(sweep).front();
  double t = row.measures[0];
  int number = 0;
  for (double flight = 2 * t; t < 2; flight *= 0.8, ++number) t += 0.8 * flight;
  EXPECT_EQ(row.measures[1], number);
  EXPECT_EQ(row.measures[2], 1);
  EXPECT_THAT(sweep.measure_units(), ElementsAre("s", "1", "1"));
}

// A measure has the unit of its expression, of an integral times s; a time is in s, a number of events is 1.
TEST(Measure, HasTheUnitOfItsExpression) {
  const std::string model = R"toml(coordinates = [{name = "theta", unit = "rad"}, {name = "x", unit = "m"}]
[parameters]
I = "1 kg*m^2"
m = "2 kg"
mu = 0.3
turn = "30 deg"
[inputs]
tau = "0.1 N*m"
[energy]
kinetic = "I/2*theta'^2 + m/2*x'^2"
[[force]]
coordinate = "theta"
value = "tau/mu"
[outputs]
square = "theta^2"
slope = "sin(theta)*theta'"
[[event]]
name = "far"
when = "x - 1 m"
[study]
vary = {mu = "0.1, 0.2", turn = "10 deg, 20 deg"}
)toml";
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"max(abs(theta))", "rad"},
      {"min(theta) + max(2*mu*theta)", "rad"},
      {"final(max(theta, turn))", "rad"},
      {"at(if(x > 0, theta', 0), 0.5 s)", "rad/s"},
      {"mean(theta)", "rad"},
      {"integral(theta)", "rad*s"},
      {"integral(theta')", "rad"},
      {"max(atan2(x, x + 1 m))", "rad"},
      {"max(square)", "1"},
      {"max(slope)", "1/s"},
      {"max(theta)/min(theta)", "1"},
      {"max(x/(2 m))", "1"},
      {"mean(abs(x'))", "m/s"},
      {"max(abs(tau))", "N*m"},
      {"max(tau) - mean(tau)", "N*m"},
      {"max(tau - I*theta/(1 s^2))", "N*m"},
      {"final(tau*theta)", "J"},
      {"mean(energy(kinetic))", "J"},
      {"time(far)", "s"},
      {"count(far)", "1"},
  };
  Result<Model> loaded = load_model(make_source("study.toml", model));
  ASSERT_TRUE(loaded) << render(loaded.diagnostics());
  StudyStatement study = loaded->study;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    study.measure.push_back(text("m" + std::to_string(k), wanted[k].first));
  const Sweep sweep = prepare(*loaded, study, 1);
  EXPECT_THAT(sweep.quantity_units(), ElementsAre("1", "rad"));
  for (std::size_t k = 0; k < wanted.size(); ++k)
    EXPECT_EQ(sweep.measure_units()[k], wanted[k].second) << wanted[k].first;
}

TEST(Measure, OfWhatDoesNotHappenIsNoNumber) {
  StudyStatement study;
  study.vary = {text("e", "0.8")};
  study.measure = {text("first", "time(ground)"), text("number", "count(ground)"), text("late", "at(y, 3 s)")};
  const StudyRun row = rows_of(prepare(model_of("bouncing-ball"), study, 0.1)).front();
  EXPECT_TRUE(std::isnan(row.measures[0]));
  EXPECT_EQ(row.measures[1], 0);
  EXPECT_TRUE(std::isnan(row.measures[2]));
}

// Of what no run has there is a warning: runs go from 0 s to 0.1 s. A time that the study changes is that of each run.
TEST(Measure, OfAnInstantBeyondAllRunsIsWarnedOf) {
  StudyStatement study;
  study.vary = {text("L1", "0.1, 0.2")};
  study.measure = {text("end", "at(x, 0.1 s)"), text("late", "2*at(x, 3 s) + max(x)"),
                   text("early", "at(x, -L2*(1 s/m))"), text("own", "at(x, L1*(1 s/m))")};
  const Sweep sweep = prepare(model_of("slider-crank"), study, 0.1);
  std::vector<std::string> said;
  for (const Diagnostic& one : sweep.warnings())
    if (one.code == "W0327") said.push_back(one.message);
  EXPECT_THAT(said,
              ElementsAre("`late` has a value in no run: it reads one at t = 3 s, and runs go from 0 s to 0.1 s",
                          "`early` has a value in no run: it reads one at t = -0.35 s, and runs go from 0 s to 0.1 s"));
  const std::vector<StudyRun> rows = rows_of(sweep);
  EXPECT_TRUE(std::isfinite(rows[0].measures[0]) && std::isnan(rows[0].measures[1]) && std::isnan(rows[0].measures[2]));
  EXPECT_TRUE(std::isfinite(rows[0].measures[3]) && std::isnan(rows[1].measures[3]));
}

// x = 0.1 cos ωt: ∫ x² dt and the mean of |x'| in closed form, and the work of the spring, which is what the kinetic energy became.
TEST(Measure, OfIntegralsAndMeansOverARun) {
  const std::string model = R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
k = "4 N/m"
[energy]
kinetic = "1/2*m*x'^2"
potential = "1/2*k*x^2"
[initial]
position = {x = "0.1 m"}
[study]
vary = {k = "4, 9 N/m"}
measure = {square = "integral(x^2)", speed = "mean(abs(x'))", work = "integral(-k*x*x')", two = "integral(x^2) + 2*mean(x)^2*1 s"}
)toml";
  Result<Model> loaded = load_model(make_source("study.toml", model));
  ASSERT_TRUE(loaded) << render(loaded.diagnostics());
  const Sweep sweep = prepare(*loaded, loaded->study, 1);
  EXPECT_THAT(sweep.measure_units(), ElementsAre("m^2*s", "m/s", "J", "m^2*s"));
  for (const StudyRun& row : rows_of(sweep)) {
    EXPECT_TRUE(row.holds) << row.reason;
    const double w = std::sqrt(row.values[0]), mean = 0.1 * std::sin(w) / w;
    const double square = 0.01 * (0.5 + std::sin(2 * w) / (4 * w));
    EXPECT_NEAR(row.measures[0], square, 1e-10);
    EXPECT_NEAR(row.measures[1], 0.1 * (1 - std::cos(w)), 1e-9);  // x' < 0 up to t = 1
    EXPECT_NEAR(row.measures[2], 0.005 * w * w * std::sin(w) * std::sin(w), 1e-10);
    EXPECT_NEAR(row.measures[3], square + 2 * mean * mean, 1e-10);
  }
}

// A crank that is longer than its rod cannot be assembled everywhere: those runs are rows that say so.
TEST(Sweep, HasARowForARunThatFails) {
  StudyStatement study;
  study.vary = {text("L2", "0.01, 0.4 m")};
  const std::vector<StudyRun> rows = rows_of(prepare(model_of("slider-crank"), study, 0.5));
  EXPECT_EQ(rows[0].status, RunStatus::kFailed);
  EXPECT_THAT(rows[0].reason, HasSubstr("position"));
  EXPECT_TRUE(std::isnan(rows[0].measures[0]));
  EXPECT_EQ(rows[1].status, RunStatus::kOk) << rows[1].reason;
}

// What `simulate` warns of stands in the row.
TEST(Sweep, SaysOfANegativeMass) {
  StudyStatement study;
  study.vary = {text("m1", "1 kg, -1 kg")};
  const std::vector<StudyRun> rows = rows_of(prepare(model_of("slider-crank"), study, 0.1));
  EXPECT_EQ(rows[0].reason, "");
  EXPECT_THAT(rows[1].reason, HasSubstr("the mass `m1` is negative"));
}

// --- files

// So many runs that a sweep is not over before it is looked at.
constexpr std::int64_t kManyRuns = 4000;

StudyStatement noisy_study(std::int64_t runs) {
  StudyStatement study;
  study.sample = {text("L1", "normal(0.15 m, 0.01 m)"), text("theta'", "uniform(1, 6)")};
  study.runs = runs;
  study.seed = 7;
  study.measure = {text("peak", "max(abs(lambda(pin[1])))"), text("x", "final(x)")};
  return study;
}

TEST_F(SweepInFiles, HasTheSameBytesByAnyNumberOfThreadsAndByShards) {
  const Sweep sweep = prepare(model_of("slider-crank"), noisy_study(60), 0.3);
  ASSERT_TRUE(run_sweep(sweep, {.threads = 1, .output = file("one.csv")}));
  ASSERT_TRUE(run_sweep(sweep, {.threads = 3, .output = file("three.csv")}));
  const std::string whole = content(file("one.csv"));
  EXPECT_EQ(content(file("three.csv")), whole);
  EXPECT_THAT(whole, testing::StartsWith("index,L1,theta',peak,x,holds,status,error,reason\n0,"));
  std::vector<std::string> shards;
  for (int k = 7; k >= 1; --k) {
    shards.push_back(file("shard" + std::to_string(k) + ".csv"));
    ASSERT_TRUE(run_sweep(sweep, {.threads = 2, .shard = k, .shards = 7, .output = shards.back()}));
  }
  const Result<SweepOutcome> merged = merge_sweeps(shards, file("merged.csv"));
  ASSERT_TRUE(merged) << render(merged.diagnostics());
  EXPECT_EQ(content(file("merged.csv")), whole);
  EXPECT_EQ(merged->count.ok, 60);
  // The merged file counts as made: the whole study goes on from it.
  const Result<SweepOutcome> again = run_sweep(sweep, {.output = file("merged.csv")});
  ASSERT_TRUE(again) << render(again.diagnostics());
  EXPECT_EQ(again->count.earlier, 60);

  shards.pop_back();
  EXPECT_THAT(render(merge_sweeps(shards, file("gap.csv")).diagnostics()), HasSubstr("run 0 is in none of the files"));
  shards.push_back(shards.front());
  shards.push_back(file("shard1.csv"));
  EXPECT_THAT(render(merge_sweeps(shards, file("twice.csv")).diagnostics()), HasSubstr("run 6 is in"));
  EXPECT_FALSE(std::filesystem::exists(file("twice.csv")));
}

// Two studies whose columns have the same names: only logs tell them apart.
TEST_F(SweepInFiles, SayWhatWasNotComparedWhereLogsAreAbsent) {
  StudyStatement other = noisy_study(12);
  other.seed = 8;
  const std::vector<std::string> shards{file("1.csv"), file("2.csv")};
  ASSERT_TRUE(run_sweep(prepare(model_of("slider-crank"), noisy_study(12), 0.3),
                        {.shard = 1, .shards = 2, .output = shards[0]}));
  ASSERT_TRUE(run_sweep(prepare(model_of("slider-crank"), other, 0.3), {.shard = 2, .shards = 2, .output = shards[1]}));
  const auto refusal = [&] { return render(merge_sweeps(shards, file("merged.csv")).diagnostics()); };
  EXPECT_THAT(refusal(), HasSubstr("is of another study than"));
  std::filesystem::remove(shards[0] + ".log");
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("is not known: no `" + shards[0] + ".log` says"), testing::Not(HasSubstr("another"))));
  EXPECT_FALSE(std::filesystem::exists(file("merged.csv")));
  std::filesystem::remove(shards[1] + ".log");
  const Result<SweepOutcome> merged = merge_sweeps(shards, file("merged.csv"));
  ASSERT_TRUE(merged) << render(merged.diagnostics());
  EXPECT_EQ(merged->count.made(), 12);
  EXPECT_THAT(render(merged->warnings), AllOf(HasSubstr("W0329"), HasSubstr("whether the files are of one study")));
}

// The whole has no log, so none that an earlier study left there may be taken for its own.
TEST_F(SweepInFiles, MergedWithoutLogsLeaveNoLogOfAnEarlierStudy) {
  const Sweep sweep = prepare(model_of("slider-crank"), noisy_study(6), 0.3);
  ASSERT_TRUE(run_sweep(sweep, {.output = file("whole.csv")}));
  ASSERT_TRUE(run_sweep(sweep, {.output = file("part.csv")}));
  std::filesystem::remove(file("part.csv.log"));
  const Result<SweepOutcome> merged = merge_sweeps({file("part.csv")}, file("whole.csv"));
  ASSERT_TRUE(merged) << render(merged.diagnostics());
  EXPECT_THAT(render(merged->warnings), HasSubstr("whether runs are missing after the last one is not known"));
  EXPECT_FALSE(std::filesystem::exists(file("whole.csv.log")));
}

// Runs that are long enough for lanes, some of which fail at their start or on the way. Oracle: each run by itself.
TEST_F(SweepInFiles, HasTheSameBytesInLanes) {
  StudyStatement study;
  study.vary = {text("L2", "0.08 m : 0.6 m : 14"), text("theta'", "0, 4, 9 rad/s")};
  study.measure = {text("peak", "max(abs(lambda(pin[1])))"), text("x", "final(x)"), text("late", "at(x, 10 s)")};
  const Sweep sweep = prepare(model_of("slider-crank"), study, 20);
  Sweep::Worker worker(sweep);
  std::string alone = "index,L2,theta',peak,x,late,holds,status,error,reason\n";
  int failed = 0;
  for (std::int64_t k = 0; k < sweep.runs(); ++k) {
    const std::optional<StudyRun> run = worker.run(k);
    ASSERT_TRUE(run);
    failed += run->status == RunStatus::kFailed ? 1 : 0;
    alone += study_row(*run) + "\n";
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, sweep.runs() / 2);
  for (const int threads : {1, 2, 3}) {
    const std::string path = file(std::to_string(threads) + ".csv");
    ASSERT_TRUE(run_sweep(sweep, {.threads = threads, .output = path}));
    EXPECT_EQ(content(path), alone) << threads;
  }
}

// A run is given up wherever it is told to stop, also in the second run that names its error.
TEST_F(SweepInFiles, HaveNoRowOfARunThatWasStopped) {
  StudyStatement study;
  study.vary = {text("L2", "0.3 m, 0.4 m")};
  study.measure = {text("x", "final(x)")};
  const Sweep sweep = prepare(model_of("slider-crank"), study, 60);
  Sweep::Worker worker(sweep);
  const std::string whole = study_row(*worker.run(0));
  int calls = 0, stopped = 0;
  for (bool is_whole = false; !is_whole && calls < 10000; ++calls) {
    int left = calls;
    const std::optional<StudyRun> run = worker.run(0, [&left] { return left-- > 0; });
    is_whole = run.has_value();
    if (run) EXPECT_EQ(study_row(*run), whole) << calls;
    stopped += run ? 0 : 1;
  }
  EXPECT_GT(stopped, 10);
  EXPECT_LT(calls, 10000);
}

TEST_F(SweepInFiles, GoesOnAfterInterruptionsWithTheSameBytes) {
  const Sweep sweep = prepare(model_of("slider-crank"), noisy_study(kManyRuns), 0.1);
  ASSERT_TRUE(run_sweep(sweep, {.threads = 2, .output = file("whole.csv")}));
  std::int64_t made = 0;
  int calls = 0;
  for (bool over = false; !over; ++calls) {
    ASSERT_LT(calls, 400);
    SweepJob job{.threads = 2, .output = file("parts.csv")};
    job.progress = [&](const SweepCount& count) { return count.made() - count.earlier < 400; };
    const Result<SweepOutcome> outcome = run_sweep(sweep, job);
    ASSERT_TRUE(outcome) << render(outcome.diagnostics());
    EXPECT_GE(outcome->count.earlier, made);
    made = outcome->count.made();
    over = !outcome->interrupted;
    EXPECT_EQ(std::filesystem::exists(file("parts.csv")), over);
    EXPECT_EQ(std::filesystem::exists(file("parts.csv.parts")), !over);
  }
  EXPECT_GT(calls, 1);
  EXPECT_EQ(content(file("parts.csv")), content(file("whole.csv")));
}

// What a process leaves that is killed while it writes: a line without its end, which is no row.
TEST_F(SweepInFiles, DoesNotTakeHalfARow) {
  const Sweep sweep = prepare(model_of("slider-crank"), noisy_study(kManyRuns), 0.1);
  ASSERT_TRUE(run_sweep(sweep, {.output = file("whole.csv")}));
  SweepJob job{.threads = 1, .output = file("half.csv")};
  job.progress = [](const SweepCount&) { return false; };
  ASSERT_TRUE(run_sweep(sweep, job));
  std::ofstream(file("half.csv.parts/9.rows")) << "3935,0.15,3,1,1,1,ok,1e-9,\t0.1\tvm\n3936,0.15,3,1.2";
  const Result<SweepOutcome> outcome = run_sweep(sweep, {.output = file("half.csv")});
  ASSERT_TRUE(outcome) << render(outcome.diagnostics());
  std::string expected = content(file("whole.csv")), made = content(file("half.csv"));
  EXPECT_NE(made, expected);  // run 3935 is as it was left
  const auto without_it = [](std::string text) {
    return text.substr(0, text.find("\n3935,")) + text.substr(text.find("\n3936,"));
  };
  EXPECT_EQ(without_it(made), without_it(expected));
}

TEST_F(SweepInFiles, RefusesTheOutputOfAnotherStudy) {
  const Sweep sweep = prepare(model_of("slider-crank"), noisy_study(kManyRuns), 0.1);
  StudyStatement other = noisy_study(kManyRuns);
  other.measure.pop_back();
  const Sweep changed = prepare(model_of("slider-crank"), other, 0.1);
  ASSERT_TRUE(run_sweep(sweep, {.output = file("a.csv")}));
  EXPECT_THAT(render(run_sweep(changed, {.output = file("a.csv")}).diagnostics()), HasSubstr("E0423"));
  EXPECT_TRUE(run_sweep(changed, {.output = file("a.csv"), .restart = true}));

  SweepJob job{.threads = 1, .output = file("b.csv")};
  job.progress = [](const SweepCount&) { return false; };
  ASSERT_TRUE(run_sweep(sweep, job));
  EXPECT_THAT(render(run_sweep(changed, {.output = file("b.csv")}).diagnostics()), HasSubstr("`measure x` differs"));
  const Sweep another_model = prepare(model_of("slider-crank", {"m1=1.5 kg"}), noisy_study(400), 0.3);
  EXPECT_THAT(render(run_sweep(another_model, {.output = file("b.csv")}).diagnostics()), HasSubstr("E0423"));

  std::ofstream(file("c.csv")) << "mine\n";
  EXPECT_THAT(render(run_sweep(sweep, {.output = file("c.csv")}).diagnostics()), HasSubstr("no"));
  EXPECT_EQ(content(file("c.csv")), "mine\n");
}

TEST_F(SweepInFiles, RefusesAnOutputThatAnotherSweepWrites) {
  const Sweep sweep = prepare(model_of("slider-crank"), noisy_study(kManyRuns), 0.1);
  bool refused = false;
  SweepJob job{.threads = 1, .output = file("a.csv")};
  job.progress = [&](const SweepCount&) {
    refused = refused ||
              testing::Matches(HasSubstr("E0424"))(render(run_sweep(sweep, {.output = file("a.csv")}).diagnostics()));
    return true;
  };
  ASSERT_TRUE(run_sweep(sweep, job));
  EXPECT_TRUE(refused);
}

// --- bad input

TEST(Study, SaysWhatIsWrongWithIt) {
  const auto vary = [](const std::string& name, const std::string& values) {
    StudyStatement study;
    study.vary = {text(name, values)};
    return study;
  };
  const auto measure = [&](const std::string& expression) {
    StudyStatement study = vary("L1", "0.1, 0.2");
    study.measure = {text("m", expression)};
    return study;
  };
  const auto sample = [](const std::string& distribution, std::int64_t runs) {
    StudyStatement study;
    study.sample = {text("L1", distribution)};
    study.runs = runs;
    return study;
  };
  const std::vector<std::pair<StudyStatement, const char*>> cases{
      {{}, "the study changes nothing"},
      {vary("L1", "1:0:-1"), "`-1` is no number of values"},
      {vary("L1", "0:1:2.5"), "`2.5` is no number of values"},
      {vary("L1", "0:1:1e12"), "1e+12 runs"},
      {vary("L1", "nan, 1"), "`nan`"},
      {vary("L1", "1 kg"), "`L1` must be in `m`, not in `kg`"},
      {vary("L3", "1"), "did you mean `L1`?"},
      {vary("L1", ""), "E0"},
      {measure("x"), "E0420"},
      {measure("max(x - mean(x))"), "takes a function of a run of another one"},
      {measure("max(min(x))"), "takes a function of a run of another one"},
      {measure("at(x, final(t)/2)"), "a time that is not known before the run"},
      {measure("at(x, t/2)"), "a time that is not known before the run"},
      {measure("max(y)"), "unknown symbol `y`"},
      {measure("max(x) + final(theta)"), "E0203"},
      {measure("final(x + t)"), "cannot add `s` to `m`"},
      {measure("max()"), "E0104"},
      {measure("time(pin)"), "there is no event or contact `pin`"},
      {sample("normal(0.1)", 3), "takes 2 numbers, not 1"},
      {sample("normal(0.1, -1)", 3), "the standard deviation is negative"},
      {sample("cauchy(0.1, 1)", 3), "there is no distribution `cauchy`"},
      {sample("normal(0.1, 1", 3), "is no distribution"},
      {sample("lognormal(1 m, 0.1 m)", 3), "a pure number"},
      {sample("normal(0.1, 0.01)", 0), "there cannot be 0 samples"},
  };
  for (const auto& [study, message] : cases) EXPECT_THAT(refusal_of("slider-crank", study), HasSubstr(message));
  // Numbers beside t may have units, as in models.
  EXPECT_EQ(refusal_of("slider-crank", measure("max(x - 2*t) + final(x*sin(3*t))")), "");
}

// [study] of a model file, with the place of what is wrong.
TEST(Study, IsStatedInAModelFile) {
  const std::string model = R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
k = "20 N/m"
[define]
stretch = "2*x"
[energy]
kinetic = "1/2*m*x'^2"
potential = "1/2*k*x^2"
[initial]
position = {x = "0.1 m"}
[outputs]
force = "-k*x"
[study]
vary = {k = "10 N/m : 40 N/m : 3"}
measure = {most = "max(force)", end = "final(x)", wide = "max(stretch) - min(stretch)"}
)toml";
  Result<Model> loaded = load_model(make_source("study.toml", model));
  ASSERT_TRUE(loaded) << render(loaded.diagnostics());
  const std::vector<StudyRun> rows = rows_of(prepare(*loaded, loaded->study, 1));
  ASSERT_EQ(rows.size(), 3u);
  for (const StudyRun& row : rows) {
    const double k = row.values[0], w = std::sqrt(k);
    EXPECT_NEAR(row.measures[0], w < std::numbers::pi ? -k * 0.1 * std::cos(w) : 0.1 * k, 1e-8);
    EXPECT_NEAR(row.measures[1], 0.1 * std::cos(w), 1e-8);
    EXPECT_NEAR(row.measures[2], 0.4, 1e-8);
  }
  std::string wrong = model;
  wrong.replace(wrong.find("max(force)"), 10, "max(farce)");
  loaded = load_model(make_source("study.toml", wrong));
  ASSERT_TRUE(loaded);
  const Result<Sweep> refused = Sweep::prepare(*loaded, loaded->study, {}, options_until(*loaded, 1));
  EXPECT_THAT(render(refused.diagnostics()),
              testing::AllOf(HasSubstr("study.toml:16:24"), HasSubstr("did you mean `force`?")));
  EXPECT_EQ(render(Sweep::check(*loaded)), render(refused.diagnostics()));
}

}  // namespace
}  // namespace dalembert
