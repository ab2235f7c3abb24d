// SPDX-License-Identifier: Apache-2.0
// Runs as bytes: the same run comes back; what is no run is refused, however it is cut or changed.
#include "dalembert/store/run_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

#include "dalembert/store/run_files.h"
#include "dalembert/store/zip.h"

namespace dalembert {
namespace {

Trajectory example() {
  Trajectory run;
  run.status = RunStatus::kStopped;
  run.reason = "interrupted";
  run.names.model = "example";
  run.names.coordinates = {"x", "theta"};
  run.names.coordinate_units = {"m", "1"};
  run.names.rows = {"pin", "x"};
  run.names.actuated = 1;
  run.holonomic = {0};
  run.time = {0, 0.1, 0.30000000000000004};
  run.q = run.v = run.a = run.lambda = run.residual = {{1, -0.0, 1e-308}, {2, std::nan(""), INFINITY}};
  run.kinetic = run.potential = run.total = run.work = {1, 2, 3};
  run.rank = {2, 2, 1};
  run.events = {{RunEventKind::kStick, "pin sticks", 0.05}};
  run.steps = std::numeric_limits<std::int64_t>::max();
  run.wall_seconds = 0.25;
  run.verdict.holds = true;
  run.verdict.reasons = {"none", ""};
  run.verdict.error.lost_at = 0.2;
  run.verdict.error.estimated = true;
  run.verdict.error.coordinates = run.names.coordinates;
  run.verdict.error.q = {1e-9, 2e-9};
  run.verdict.error.worst = 1;
  run.verdict.conserved = {{"energy", 1e-12}};
  run.verdict.min_rank = 1;
  run.forgotten = 7;
  return run;
}

TEST(RunBytes, ComeBackAsTheSameRun) {
  const std::string bytes = run_bytes(example());
  const Result<Trajectory> read = run_from_bytes(bytes);
  ASSERT_TRUE(read) << render(read.diagnostics());
  // Every member is written: the same bytes again, those of numbers that are no numbers too.
  EXPECT_EQ(run_bytes(*read), bytes);
  EXPECT_EQ(read->names.rows, example().names.rows);
  EXPECT_EQ(read->time, example().time);
  EXPECT_EQ(read->steps, example().steps);
  EXPECT_EQ(read->verdict.error.lost_at, 0.2);
  EXPECT_EQ(read->verdict.reasons, example().verdict.reasons);
  EXPECT_EQ(read->events.at(0).name, "pin sticks");
  EXPECT_TRUE(std::isnan(read->q[1][1]));
  EXPECT_EQ(read->columns().size(), example().columns().size());
  EXPECT_TRUE(run_from_bytes(run_bytes(Trajectory())));
}

TEST(RunBytes, ThatAreCutShortAreRefused) {
  const std::string bytes = run_bytes(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Trajectory> read = run_from_bytes(bytes.substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.diagnostics().front().code, "E0502");
  }
  EXPECT_FALSE(run_from_bytes(bytes + " "));
  EXPECT_FALSE(run_from_bytes("dalembert run 1\n" + bytes.substr(16)));
}

// No oracle but that it ends: what comes back can be looked at.
TEST(RunBytes, ThatAreChangedDoNoHarm) {
  const std::string bytes = run_bytes(example());
  std::mt19937 random(1);
  int taken = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::string changed = bytes;
    for (int n = 0; n < 3; ++n) changed[16 + random() % (bytes.size() - 20)] = static_cast<char>(random());
    EXPECT_TRUE(changed == bytes || !run_from_bytes(changed));
    // By who knows the checksum.
    const std::uint32_t checksum = crc32(std::string_view(changed).substr(16, changed.size() - 20));
    std::memcpy(changed.data() + changed.size() - 4, &checksum, 4);
    const Result<Trajectory> read = run_from_bytes(changed);
    if (!read) continue;
    ++taken;
    EXPECT_FALSE(to_text(read->verdict).empty());
    std::ostringstream csv;
    write_csv(*read, csv);
    double sum = 0;
    for (const Trajectory::Column& column : read->columns())
      for (const double value : column.values) sum += value;
    for (std::size_t row = 0; row < read->size(); ++row) sum += read->state(row).t;
    ASSERT_EQ(read->time.size(), read->rank.size()) << sum;
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace dalembert
