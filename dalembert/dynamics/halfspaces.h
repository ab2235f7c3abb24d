// SPDX-License-Identifier: Apache-2.0
// Whether inequalities a·x >= b, |a| = 1, have a solution with |x| <= kFar. The point of least norm in the intersection of the halfspaces
// that were looked at so far is kept with its active ones, so that a few more cost a few steps of O(d²): a search that adds inequalities on
// its way down a tree copies this object at each node.
//
// Dual method of Goldfarb & Idnani with the identity as the matrix. An intersection that is found empty has a certificate by Farkas: multipliers
// y >= 0 with |Σ yᵢaᵢ| kFar < Σ yᵢbᵢ, computed from the inequalities themselves.
// Source: Goldfarb & Idnani.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

class Halfspaces {
 public:
  /// Largest norm of the solutions in question.
  static constexpr double kFar = 1e6;

  /// For x of `size` numbers. `normals` and `offsets` are all inequalities that may be added, b.size() × size row-major; they must outlive
  /// this object and its copies.
  Halfspaces(std::size_t size, const std::vector<double>& normals, const std::vector<double>& offsets);

  /// Adds an inequality.
  void add(std::size_t inequality) { added_.push_back(inequality); }
  /// False where it is certain that those added have no common point.
  bool may_meet();

 private:
  const double* normal(std::size_t inequality) const { return normals_.data() + inequality * size_; }
  std::size_t most_violated() const;
  void split(const double* a);
  void drop(std::size_t place);
  void append(std::size_t inequality);
  bool is_certain(std::size_t inequality) const;

  std::size_t size_;
  const std::vector<double>&normals_, &offsets_;
  std::vector<std::size_t> added_, active_;
  std::vector<double> x_, multiplier_;         // multipliers of the active inequalities
  std::vector<double> basis_;                  // orthonormal rows that span the active normals, in their order
  std::vector<std::vector<double>> triangle_;  // normal k as a sum of the rows 0 to k of the basis
  std::vector<double> rest_, share_,
      along_;  // of a normal: the part beyond the span; its sum of active normals; of rows of the basis
};

}  // namespace dalembert
