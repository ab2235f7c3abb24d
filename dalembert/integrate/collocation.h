// SPDX-License-Identifier: Apache-2.0
// Private to integrate: linear differential equations x' = A(t) x + b(t) by collocation, for several right-hand sides at once.
//
// The slopes K_i at the nodes t + c_i h of a step solve K_i − h A_i Σ_j a_ij K_j = A_i x + b_i, and x(t + h) = x + h Σ w_j K_j, with A_i and b_i at
// node i and the weights w_j of the quadrature. Gauss's five nodes give order 10, his seven nodes order 14. Radau's five nodes, of which the last is the end of
// the step, give order 9 and are L-stable: stiff components decay. Iteration finds the slopes; if it does not converge, the linear system of all nodes is factored.
// The numbers of all nodes lie beside each other, in lanes that one instruction takes at once.
// Source: Hairer & Wanner, Solving ODEs II, 2nd ed., IV.5.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "dalembert/base/aligned.h"
#include "dalembert/dynamics/small_lu.h"

namespace dalembert::integration {

class Collocation {
 public:
  static constexpr std::size_t kNodes = 5, kMostNodes = 7;
  /// Entry i of the numbers of node l is at [i · kLanes + l].
  static constexpr std::size_t kLanes = 8;
  /// `nodes`: kNodes or kMostNodes. `stiff`: use Radau's nodes instead of Gauss's.
  /// `adjoint`: use the coefficients w_j a_ji/w_i, by which the step from t + h to t of x' = Aᵀx + b, with the
  /// nodes c_i from t on, is the adjoint of the step of s' = As: x(t) s(t) = x(t + h) s(t + h) (Hairer, Lubich & Wanner, VI.4).
  explicit Collocation(bool stiff, bool adjoint = false, std::size_t nodes = kNodes);

  std::size_t nodes() const { return nodes_; }
  double node(std::size_t i) const { return c_[i]; }  ///< as a fraction of the step
  /// Writes A x at a node to `product`; false where it cannot be computed.
  using Apply = std::function<bool(std::size_t node, const double* x, double* product)>;
  /// Sets the number of equations, n, and of right-hand sides, `columns`. With `apply` the entries of A are not stored, and A(…) must not be used.
  void resize(std::size_t n, std::size_t columns, Apply apply = {});
  /// An entry of A, at address `at` for all nodes.
  struct Entry {
    std::size_t row = 0, column = 0;
    const double* at = nullptr;
  };
  /// Until use_all_entries(), A consists of these entries, which are in ascending order of their rows
  /// and must outlive this.
  void use_entries(const std::vector<Entry>& entries);
  void use_all_entries();
  std::size_t size() const { return n_; }
  /// References to an entry of A, and of the b of a right-hand side, at node i.
  double& A(std::size_t i, std::size_t row, std::size_t column) { return A_[(row * n_ + column) * kLanes + i]; }
  double& b(std::size_t i, std::size_t column, std::size_t row) { return b_[(column * n_ + row) * kLanes + i]; }
  /// Finds the change of each column of x (n numbers) over a step of length h. False where the equations for the slopes cannot be solved. Where the last step
  /// ended at the time t, its slopes, extrapolated, begin the iteration.
  bool advance(double h, const std::vector<std::vector<double>>& x,
               double t = std::numeric_limits<double>::quiet_NaN());
  double change(std::size_t column, std::size_t row) const { return change_[column * n_ + row]; }
  /// The change minus that of a quadrature without the middle node, which has half the order.
  double doubt(std::size_t column, std::size_t row) const { return doubt_[column * n_ + row]; }
  /// An estimate of the relative error by the relative doubt: its square, as the orders say. With Gauss's seven nodes the error of growth, s' = s, follows the
  /// third power from 1e-13 on (the estimate is 1.3 to 2.6 times as large); that of an oscillation is 10 to 1,000 times smaller.
  double error_of(double doubt) const {
    return nodes_ == kMostNodes ? kOfSevenNodes * doubt * doubt * doubt : doubt * doubt;
  }
  /// For steps with errors of this relative tolerance: the slopes may be wrong by a small part of it. Otherwise they are as exact as round-off.
  void set_tolerance(double rtol) { solved_ = std::max(kPartOfTolerance * rtol, kRoundOff); }
  /// The length to try after a step of length h with this error, relative to the tolerance; and the shortest one, as a fraction of the step of the run.
  double length_after(double h, double error) const {
    return std::abs(h) *
           std::min(kMostLonger, kSafety * std::pow(std::max(error, kLeastError), -0.5 / static_cast<double>(nodes_)));
  }
  /// Whether `length` ≤ length_after(h, error), without a power.
  bool may_follow(double h, double error, double length) const {
    const double longer = length / (kSafety * std::abs(h));
    double error_of_it = std::max(error, kLeastError);
    for (std::size_t i = 0; i < 2 * nodes_; ++i) error_of_it *= longer;
    return length <= kMostLonger * std::abs(h) && error_of_it <= 1;
  }
  static constexpr double kShortest = 1e-6;
  /// Also keeps x at the nodes, for state().
  void keep_states() { keeps_states_ = true; }
  /// Entry `row` of a column of x at a node of the last advance().
  double state(std::size_t column, std::size_t row, std::size_t i) const {
    return states_[(column * n_ + row) * kLanes + i];
  }
  /// Weight of node i in the quadrature of the slopes, as a fraction of the step; and the same for doubt().
  double weight(std::size_t i) const { return weight_[i]; }
  double doubt_weight(std::size_t i) const { return doubt_weight_[i]; }
  bool is_sized() const { return n_ > 0; }  ///< resize() was called
  /// The largest |slope| at the nodes.
  double steepest(std::size_t column, std::size_t row) const { return steepest_[column * n_ + row]; }

  /// So many right-hand sides are iterated at once: they share the entries of A, and their sums do not wait for each other.
  static constexpr std::size_t kAtOnce = 2;
  /// The iteration for the slopes of one right-hand side, or of kAtOnce.
  struct Iteration {
    const std::size_t* first;  ///< of the entries of each row; n + 1 numbers
    const Entry* entries;
    std::size_t n, half;       ///< half: rows from this one on are passed first
    const double* weights;     ///< h a_ij at [j · kLanes + i]
    const double* guess;       ///< null, or weights in the same order: the old slopes guess the new ones first
    const double* x[kAtOnce];  ///< of each right-hand side: n numbers
    const double* b;           ///< b, slopes and states of the next right-hand side follow at n · kLanes
    double *slopes, *states;
    double solved;  ///< the slopes may be wrong by this part of the largest one
  };
  /// What follows from the slopes of all right-hand sides, `count` rows in all.
  struct Slopes {
    const double* slopes;
    std::size_t count;
    double h;
    const double *weights, *doubt_weights;
    double *change, *doubt, *steepest;  ///< results
  };

 private:
  void index_rows();
  bool pass_by_products(double h, std::size_t column, const std::vector<double>& x, double& change, double& size);
  bool iterate_products(double h, std::size_t column, const std::vector<double>& x);
  bool iterate(std::size_t column, std::size_t count, const std::vector<std::vector<double>>& x);
  double* slopes(std::size_t column) { return slopes_.data() + column * n_ * kLanes; }
  bool find_guess(double h, double t);
  bool factor(double h);
  void solve(double h, std::size_t column, const std::vector<double>& x);
  void find_states(double h, std::size_t column, const std::vector<double>& x);

  static constexpr double kMostLonger = 4, kSafety = 0.8, kLeastError = 1e-12, kOfSevenNodes = 1e4;
  static constexpr double kRoundOff = 4e-16, kPartOfTolerance = 1e-2;
  struct Functions {
    std::array<bool (*)(const Iteration&), kAtOnce> iterate;  // by number of right-hand sides, from 1 on
    void (*finish)(const Slopes&);
  };
  static Functions find_functions(std::size_t nodes);

  const std::size_t nodes_;
  double solved_ = kRoundOff;
  bool keeps_states_ = false;
  std::size_t n_ = 0, columns_ = 0;
  Apply apply_;
  std::array<double, kMostNodes> c_{};
  alignas(64) std::array<double, kLanes> weight_{}, doubt_weight_{};  // 0 in lanes without a node
  std::array<std::array<double, kMostNodes>, kMostNodes> a_{};
  const Functions functions_;
  std::vector<Entry> all_;  // every entry
  const std::vector<Entry>* entries_ = nullptr;
  std::vector<std::size_t> first_;                                        // of the entries of each row
  LineNumbers A_, b_, slopes_, weights_, columns_of_a_, guess_, states_;  // columns_of_a_: a_ij at [j · kLanes + i]
  std::array<double, kMostNodes> barycentric_{};                          // 1/Π (c_j − c_k)
  bool guesses_ = false;                                                  // whether guess_ holds for the present step
  // Of the last step that was made.
  double ended_at_ = std::numeric_limits<double>::quiet_NaN(), last_h_ = 0;
  std::vector<double> point_, product_, change_, doubt_, steepest_, unknowns_;
  SmallLu factors_;
};

}  // namespace dalembert::integration
