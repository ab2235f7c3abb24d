// SPDX-License-Identifier: Apache-2.0
// Private to integrate: derivatives of accelerations, multipliers and steps onto the constraints from those of the equations that they solve
// (RunDerivatives::Part::kResiduals, kRows). The equations, with frictions those that hold in their mode, are differentiated implicitly, with the factors of
// their own solution (FrictionSystem::differentiate): a column of a Jacobian is one more right side. Griewank & Walther, §15.1.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/linearization.h"

namespace dalembert::integration {

/// Belongs to one thread.
class ImplicitDerivatives {
 public:
  using Part = RunDerivatives::Part;
  ImplicitDerivatives(const RunDerivatives& functions, const Layout& layout);
  ImplicitDerivatives(const ImplicitDerivatives&) = delete;
  ImplicitDerivatives& operator=(const ImplicitDerivatives&) = delete;

  /// Of kAccelerations, with rows v̇, λ and the forces of frictions, of kPositionStep and of kVelocityStep; columns as those of RunDerivatives.
  const Pattern& pattern(Part part) const { return jacobian(part).pattern; }
  static bool has(Part part) {
    return part == Part::kAccelerations || part == Part::kPositionStep || part == Part::kVelocityStep;
  }

  /// Writes the entries of kAccelerations at the point of the last solve() of `friction` to out[k · stride]. `residuals`: entries of kResiduals there. False
  /// where the mode does not determine them; those of forces are not determined where FrictionSystem::determines() says so.
  bool find_slopes(const double* residuals, FrictionSystem& friction, double* out, std::size_t stride);
  /// Writes the entries of a step at the point of the last evaluate() of `friction`. `rows`: entries of kRows there. False where no step is determined.
  bool find_step(Part part, const double* rows, const RowBasis& basis, FrictionSystem& friction, double* out);

 private:
  struct Column {
    std::size_t first = 0, end = 0;  // of the entries in the order of `source`
    std::vector<int> rows;           // of the Jacobian
  };
  struct Jacobian {
    Pattern pattern;
    std::vector<std::size_t> entry;  // of the source, column by column
    std::vector<Column> columns;
  };
  const Jacobian& jacobian(Part part) const {
    return part == Part::kAccelerations ? slopes_ : part == Part::kPositionStep ? position_ : velocity_;
  }
  template <class Take>
  Jacobian make(const Pattern& source, int rows, const Take& take) const;

  const Layout& layout_;
  const std::size_t nv_, m_, m_h_, k_;
  const Pattern &residuals_, &rows_;                // of RunDerivatives
  std::vector<std::vector<int>> unknowns_of_part_;  // v̇, λ and forces, as numbers of rows
  std::vector<int> part_of_velocity_, part_of_row_, part_of_friction_;
  Jacobian slopes_, position_, velocity_;
  FrictionChange change_;
  std::vector<double*> place_;  // of each row of kResiduals, in change_
  std::vector<double> change_of_rows_, change_of_speeds_, result_;
  RowBasis acting_;
};

}  // namespace dalembert::integration
