// SPDX-License-Identifier: Apache-2.0
// Private to integrate: how far the constraints are from a singular position.
#pragma once

#include <vector>

#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::integration {

/// About the smallest singular value of W, with columns in the mass metric of the start (divided by √M_jj) and rows
/// divided by the largest norm that they had along the run. A row that vanishes counts as well as rows that become
/// parallel, which the sines that the KKT solve guards against do not show. It vanishes in proportion to the time from
/// a singular position. For systems up to kSmallSystem.
class Independence {
 public:
  Independence(const Dynamics& dynamics, Workspace& workspace);
  /// For leaps, which take v for q̇.
  bool possible() const { return possible_; }
  /// Whether at() says something.
  bool measures() const { return measures_; }
  /// The mass metric of the start.
  void begin(double t, const double* q, const double* v);
  struct Turn {
    bool far = false;          ///< a row is off the line that it was on by more than 45 degrees
    bool flipped = false;      ///< a row points the other way, or vanishes
    double moved_squared = 0;  ///< of how far W is, as at() measures it, from where it was
    double way_squared = 0;    ///< of how far it may have gone
    double row_way = 0;        ///< how far a row may have gone, in units of its size, that may have vanished twice
  };
  /// Of the rows of W of the workspace since this was last called, in the mass metric of the start. Notes their sizes. A
  /// row that is back where it was may have gone far: at most as fast, compared with the velocities, as it ever has. `v`:
  /// there; `seconds`: since then.
  Turn turn_of_rows(const double* v, double seconds);
  /// At (t, q), where `rank` rows are independent in general. Overwrites W of the workspace.
  double at(double t, const double* q, int rank);
  /// The same with W of the workspace.
  double of_workspace(int rank);
  /// How far q is off the positions that the rows allow, at least, and how far two positions are apart; both in that
  /// metric. Overwrites h of the workspace.
  double off_manifold(double t, const double* q);
  double distance(const double* q1, const double* q2) const;
  /// How fast v is in that metric, and how fast what moves asks to be followed: max |a_r|, rows scaled; a of the workspace.
  double speed(const double* v) const;
  double asked_speed() const;
  /// Of velocity i.
  double part_of_speed(const double* v, int i) const;
  /// How many rows of W of the workspace are independent up to the tolerance; appends those that the others are tied
  /// to.
  int rank_of_workspace(double tolerance, std::vector<int>* dependent);

 private:
  double squared_speed(const double* v) const;
  void spread();

  const Dynamics& dynamics_;
  Workspace& workspace_;
  const bool measures_, possible_;
  std::vector<double> column_scale_, row_scale_;  // n, m
  std::vector<double> mass_;                      // 1/column_scale²
  // Of turn_of_rows(): entries, squares of column_scale_ for each; squares of m, 1/row_scale², and of ways of rows to that
  // of the state.
  std::vector<double> W_before_, metric_, norm_before_, product_, norm_, row_weight_, pace_;
  double squared_speed_ = 0;
  HouseholderQr rows_;
};

}  // namespace dalembert::integration
