// SPDX-License-Identifier: Apache-2.0
// What a study is, apart from its rows. FILE.log says it in its first lines, which begin with `#`:
//
//   # study IDENTITY runs 22 shard 1/1
//   # model,slider-crank
//   # program,dalembert 0.1.0
//   # vary,L1,m,11             a quantity of the grid: name, unit, number of values
//   # sample,k,N/m             a random quantity
//   # run,theta,rad            a quantity of given rows
//   # measure,peak,N
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::sweeping {

/// Which study, how many runs it has, and which part of them a file holds.
struct StudyMark {
  std::string identity;
  std::int64_t runs = 0, shard = 1, shards = 1;
  std::string text() const;
};

struct StudyColumn {
  enum class Kind { kVaried, kSampled, kGiven, kMeasure };
  std::string name, unit;  ///< the unit in SI; empty if unknown
  Kind kind = Kind::kMeasure;
  std::int64_t count = 0;  ///< number of values of a varied quantity
};

struct StudyHead {
  StudyMark mark;
  std::string model, program;
  std::vector<StudyColumn> columns;  ///< of the grid, then other quantities, then measures

  /// Lines of FILE.log, with their line ends.
  std::string text() const;
  /// The header row of a CSV file, without a line end.
  std::string csv_header() const;
  /// Number of values in each dimension: of the varied quantities, and of the samples or given rows after them.
  std::vector<std::int64_t> shape() const;
  /// Name of the last dimension where it is no varied quantity: `sample` or `run`; else empty.
  std::string_view last_dimension() const;
};

/// What FILE.log says of a finished output; an empty identity if there is no such file.
StudyHead read_head(const std::string& output);

/// Whether the output is a NetCDF file, by its name.
bool is_netcdf_path(std::string_view path);

}  // namespace dalembert::sweeping
