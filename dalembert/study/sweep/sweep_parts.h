// SPDX-License-Identifier: Apache-2.0
// Private to sweep: what a study is, read and compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/dynamics/lane_code.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/measures.h"
#include "dalembert/study/quantities.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/quantities.h"
#include "dalembert/study/sweep/sampling.h"

namespace dalembert {

struct Sweep::Parts {
  std::optional<BuiltModel> system;
  Measures measures;
  std::vector<sweeping::Axis> axes;
  std::vector<sweeping::Sampled> samples;
  sweeping::SampleOf sampling;
  std::vector<StudyQuantity> quantities;  // of the axes, then of the samples; or of the columns of `rows`
  StudyRows rows;
  std::int64_t runs = 1;
  IntegrateOptions options;
  std::vector<std::string> names, units, measure_units;
  std::string description;
  Diagnostics warnings;

  /// Reads everything; the measures become outputs of `model`.
  Diagnostics read(Model& model, const StudyStatement& study, const StudyRows& given);
  Diagnostics read_quantities(const Model& model, const StudyStatement& study);
  Diagnostics read_sampling(const StudyStatement& study);
  Diagnostics read_rows(const Model& model, const StudyRows& given);
  Diagnostics count_runs(const StudyStatement& study);
  void describe(const Model& model, const StudyStatement& study, bool machine_code);

  /// Code for runs in lanes, made on the first call; null if there is none. Safe to call from several threads.
  const std::shared_ptr<const LaneCode>& lane_code() const;

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<const LaneCode> lane_code_;
};

}  // namespace dalembert
