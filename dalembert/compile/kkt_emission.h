// SPDX-License-Identifier: Apache-2.0
// The KKT system factored and solved on a tape: LDLᵀ without pivoting on the known sparsity, in a given order.
//
//   ⎡  M  −Wᵀ ⎤ ⎡ x ⎤   ⎡ b ⎤                l_ij = K_ij / d_j,   d_j = K_jj after the pivots before j,
//   ⎣ −W   0  ⎦ ⎣ λ ⎦ = ⎣ c ⎦                K_ik ← K_ik − l_ij K_kj
//
// Two multipliers in a row that are coupled to the same later unknowns, as the two of a pin, go together: one division
// instead of two, one after the other.
//
// What goes last of all that is coupled waits for every division before it. Its rows are multiplied by the pivot p that
// they would wait for longest (of a pair: its determinant), so that the two divisions do not wait for each other:
//
//   p K_ik − K_ij adj(p) K_jk   instead of   K_ik − K_ij p⁻¹ K_jk
//
// and what had gone with that pivot divides at the end, x_j = (b_j − Σ K_ij x_i) / p.
//
// Every entry is computed when it is first needed (left-looking), so that a body's terms are next to the rows that
// use them. Each pivot d = (what it started from and what the other sign added) − (what was taken away) is watched: the
// ratio of the first to d, at least 1 in a healthy system, goes into the trust numbers of kernel.h.
// Source: Golub & Van Loan, Matrix Computations, 4th ed., §4.1.2; T. Davis, Direct Methods for Sparse Linear Systems,
// SIAM 2006, ch. 4.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "dalembert/dynamics/elimination_order.h"
#include "dalembert/tape/tape_builder.h"

namespace dalembert {

/// A value or its negative, so that signs cost nothing.
struct Signed {
  Operand value = Operand::of(0);
  bool negative = false;
  bool is_zero() const { return value.is(0); }
};

class KktEmission {
 public:
  using Entry = std::function<Operand(std::size_t)>;  ///< value of entry k of a pattern, or of entry i of a vector

  /// `M` and `W` give the values of the patterns' entries when they are first needed. All must outlive this.
  KktEmission(TapeBuilder& builder, const Elimination& plan, const Pattern& M_pattern, Entry M,
              const Pattern& W_pattern, Entry W);

  /// Right-hand sides b and c (an empty function means 0). `found` is called with each unknown (n + row for λ) as soon
  /// as its value is known.
  void solve(const Entry& b, const Entry& c, const std::function<void(int, Operand)>& found);

  struct Trust {
    Operand least, largest;
  };
  /// Of all pivots; after solve().
  Trust trust();

 private:
  // Of a coordinate d, of a multiplier −d: positive in a healthy system. Of a pair its diagonal entry without the
  // partner; `inverse` is of the whole block.
  struct Pivot {
    Operand from, size, inverse;               // before and after something was taken away
    Operand determinant, determinant_inverse;  // of a pair
    Signed beside, across;                     // of a pair: the off-diagonal entry, and that of the inverse
    bool reduced = false;                      // whether anything was taken away
    bool sized = false, known = false;
    int divisions = 0;  // in a row, with its own; 0: of nothing but parameters
  };
  static constexpr int kNone = -1;
  struct Unknown {
    std::vector<std::pair<int, std::size_t>> initial;  // (earlier unknown, entry of its pattern), by unknown
    std::vector<int> earlier;                          // coupled unknowns that go before it, in their order
    std::vector<Signed> entry, scaled;                 // K_ij and l_ij for earlier j
    std::vector<char> entry_known, scaled_known;
    int partner = kNone;  // of a pair; neither counts as earlier or later than the other
    int scale = kNone;    // whose pivot its row is multiplied by; of a pair the first
    Pivot pivot;
    Signed sum, z;  // forward sweep: b_k − Σ K_kj z_j, and d⁻¹ times it
    bool scale_known = false, sum_known = false, z_known = false;
  };

  // In braces, which are evaluated from left to right: what their computation emits is in that order with every compiler.
  struct Two {
    Signed x, y;
  };
  Signed add(const Two& terms);
  Signed subtract(const Two& terms) { return add({terms.x, {terms.y.value, !terms.y.negative}}); }
  Signed multiply(const Two& factors);
  Operand plain(Signed x, bool negative = false) { return x.negative != negative ? builder_.negate(x.value) : x.value; }

  Unknown& at(int i) { return unknowns_[static_cast<std::size_t>(i)]; }
  void form_pairs();
  Signed initial(int i, int k);
  int first_of(int k);
  int scale_of(int k);
  int longest_wait(int k);
  Operand scale_value(int scale);
  Operand scale_inverse(int scale);
  Signed undivided(int i, std::size_t place);
  Signed coupling(int i, std::size_t places, int k);
  Signed entry(int i, std::size_t place);
  Signed scaled(int i, std::size_t place);
  Pivot& size_pivot(int k);
  const Pivot& pivot(int k);
  Signed inverse(int k) { return {pivot(k).inverse, k >= n_}; }
  Signed forward_sum(int k, const Entry& b, const Entry& c);
  Signed divided(int k, Signed own, Signed other);
  Signed forward(int k, const Entry& b, const Entry& c);
  Operand least(Operand x, Operand y);
  Operand largest(Operand x, Operand y);
  Signed back(int j, const std::vector<Signed>& x, const Entry& b, const Entry& c);
  void watch(int k);
  void watch(Operand ratio);
  void watch_row_sizes();

  TapeBuilder& builder_;
  const Elimination& plan_;
  std::vector<std::vector<int>> later_;  // as in plan_, without partners
  const Entry M_, W_;
  const int n_;
  std::vector<int> position_;  // of each unknown in the order
  std::vector<Unknown> unknowns_;
  std::optional<Trust> trust_;  // of the pivots so far
};

}  // namespace dalembert
