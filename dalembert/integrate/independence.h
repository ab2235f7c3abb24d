// SPDX-License-Identifier: Apache-2.0
// Private to integrate: measures how far the constraints are from a singular position.
#pragma once

#include <span>
#include <vector>

#include "dalembert/base/number_block.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::integration {

/// About the smallest singular value of W, with columns in the mass metric of the start (divided by √M_jj) and rows
/// divided by the largest norm that they had along the run. It shows a row that vanishes as well as rows that become
/// parallel; the sines of the KKT solve show only the latter. Near a singular position it is proportional to the time
/// from there. For systems up to kSmallSystem.
class Independence {
 public:
  Independence(const Dynamics& dynamics, Workspace& workspace);
  /// Whether the run may leap over singular positions (leaps.h): measures(), v = q̇, and no
  /// forces that depend on multipliers.
  bool possible() const { return possible_; }
  /// Whether at() works: the system has rows and is small enough.
  bool measures() const { return measures_; }
  /// Takes the mass metric at the start.
  void begin(double t, const double* q, const double* v);
  struct Turn {
    bool far = false;          ///< the line of a row has turned by more than 45 degrees
    bool flipped = false;      ///< a row has turned by more than 90 degrees, or vanishes
    double moved_squared = 0;  ///< squared change of W, in the scales of at()
    double way_squared = 0;    ///< squared length of the path that W may have covered
    double row_way = 0;        ///< longest path, in units of its size, of a row that may have vanished twice
  };
  /// Compares the rows of W in the workspace with those of the last call, in the mass metric of the start, and notes
  /// their sizes. A row that is back where it was may have moved far in between, but at most as fast, relative to the
  /// velocities, as it ever has. `v`: the velocities now; `seconds`: the time since the last call.
  Turn turn_of_rows(const double* v, double seconds);
  /// Notes the sizes of the rows of W in the workspace alone. A run that calls it does not call turn_of_rows().
  void note_sizes();
  /// The independence at (t, q), where `rank` rows are independent in general. Overwrites W of the workspace.
  double at(double t, const double* q, int rank);
  /// The independence for the W in the workspace.
  double of_workspace(int rank);
  /// A lower bound on the distance of q from the manifold, and the distance of two positions, both in the mass metric
  /// of the start. off_manifold() overwrites h of the workspace.
  double off_manifold(double t, const double* q);
  double distance(const double* q1, const double* q2) const;
  /// The norm of v in the mass metric of the start, and the largest speed that a drive asks for: max |a_r|
  /// with scaled rows, for the a in the workspace.
  double speed(const double* v) const;
  double asked_speed() const;
  /// The magnitude of velocity i in the mass metric of the start.
  double part_of_speed(const double* v, int i) const;
  /// The rank of the scaled W in the workspace, up to the tolerance. Appends to `dependent` the rows that
  /// take part in a linear dependence.
  int rank_of_workspace(double tolerance, std::vector<int>* dependent);

 private:
  double squared_speed(const double* v) const;
  template <bool kCompares>
  void note_rows();
  void spread();

  const Dynamics& dynamics_;
  Workspace& workspace_;
  const bool measures_, possible_;
  NumberBlock memory_;
  std::span<double> column_scale_, row_scale_;  // scales of the columns (n) and the rows (m) of W
  std::span<double> mass_;                      // 1/column_scale_², the masses
  // Memory of turn_of_rows(). By entry of W: last values, squared column scales. By row: squared norms, products and
  // 1/row_scale²; pace_: largest squared ratio of a row's path to that of the state.
  std::span<double> W_before_, metric_, norm_before_, product_, norm_, row_weight_, pace_;
  bool has_metric_ = false;  // metric_ is known
  double squared_speed_ = 0;
  HouseholderQr rows_;
};

}  // namespace dalembert::integration
