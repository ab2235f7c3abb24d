// SPDX-License-Identifier: Apache-2.0
// Private to integrate: checks and records the rows of the output, and searches the peaks between them.
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
  /// `integrals` is null where the system has none; all arguments must outlive this object.
  Rows(StepMaker& maker, Trajectory& path, Judge& judge, Leaps& leaps, Integrals* integrals, RunFor purpose);

  /// Records the start, which must have been evaluated and checked last.
  void begin();
  /// Begins the search for peaks anew at an evaluated point where the equations have changed.
  void begin_peaks(double t, const double* y, const double* qdd);
  double round_to_row(double t) const { return recorder_.round_to_row(t); }
  /// Tells the search for peaks that the series have a corner here.
  void bend_peaks();
  bool look_within() override;
  bool arrive() override;
  /// Records the last point, if the run broke off between rows, and the peaks.
  void finish(bool broken_off);

 private:
  bool record(double t, const double* y, const double* qdd, const double* lambda, int rank, double loss);
  bool record_looked_at(double t);
  const std::vector<double>& values_with_peaks(double t, const double* y, const double* qdd, const double* lambda);
  const std::vector<double>& values_about_middle(double h);
  std::vector<PeakSearch::Seek> sought_peaks(std::size_t multipliers) const;
  void look_for_peaks(bool dense);
  bool is_noise(double t, const double* y, const std::vector<double>& values);
  bool leave_out_noise();
  bool is_round_off(int row);
  void warn_of_turns();

  Judge& judge_;
  const double started_at_;
  Leaps& leaps_;
  Recorder recorder_;
  std::unique_ptr<PeakSearch> peaks_;  // null unless IntegrateOptions::find_peaks
  bool redundant_ = false;             // rows have followed from others so far
  int noisy_ = 0;                      // number of steps whose multipliers are no peaks
  std::vector<double> peak_values_, end_values_, refined_, refined_qdd_;
};

}  // namespace dalembert::integration
