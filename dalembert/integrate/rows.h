// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the rows of the output, each checked, and the peaks between them.
#pragma once

#include <memory>
#include <vector>

#include "dalembert/integrate/judge.h"
#include "dalembert/integrate/leaps.h"
#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/peak_search.h"
#include "dalembert/integrate/recorder.h"

namespace dalembert::integration {

class Rows final : public Observer {
 public:
  Rows(StepMaker& maker, Trajectory& path, Judge& judge, Leaps& leaps);

  /// The start, which was evaluated and checked last.
  void begin();
  /// The equations have changed at a point that is evaluated: peaks begin anew there.
  void begin_peaks(double t, const double* y, const double* qdd);
  /// What comes is smooth, but not with what was before.
  void bend_peaks();
  bool look_within() override;
  bool arrive() override;
  /// The place where the run is, if it broke off between rows.
  void finish(bool broken_off);

 private:
  bool record(double t, const double* y, const double* qdd, const double* lambda, int rank, double loss);
  bool record_looked_at(double t);
  const std::vector<double>& values_with_peaks(double t, const double* y, const double* qdd, const double* lambda);
  std::vector<double> values_about_middle(double h);
  void look_for_peaks(bool dense);

  Judge& judge_;
  Leaps& leaps_;
  Recorder recorder_;
  std::unique_ptr<PeakSearch> peaks_;  // null where they are not asked for
  std::vector<double> peak_values_, refined_, refined_qdd_;
};

}  // namespace dalembert::integration
