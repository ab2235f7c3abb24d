// SPDX-License-Identifier: Apache-2.0
// The KKT system factored and solved on a tape: LDLᵀ without pivoting on the known sparsity, in a given order.
//
//   ⎡  M  −Wᵀ ⎤ ⎡ x ⎤   ⎡ b ⎤                l_ij = K_ij / d_j,   d_j = K_jj after the pivots before j,
//   ⎣ −W  −D  ⎦ ⎣ λ ⎦ = ⎣ c ⎦                K_ik ← K_ik − l_ij K_kj
//
// D is 0, but for rows that do not act (open contacts): there W is 0 and D is 1, so that λ = 0.
//
// Two consecutive multipliers that are coupled to the same later unknowns, as the two of a pin, are eliminated together
// (a pair, a 2×2 pivot): one division instead of two that wait for each other.
//
// An unknown that is coupled to no later one waits for every division before it. Its row is multiplied by the pivot p
// whose division it would wait for longest (by the determinant if that pivot is a pair), so that the two divisions do
// not wait for each other:
//
//   p K_ik − K_ij adj(p) K_jk   instead of   K_ik − K_ij p⁻¹ K_jk
//
// and the unknown of that pivot is divided last, x_j = (b_j − Σ K_ij x_i) / p.
//
// Every entry is computed when it is first needed (left-looking), so that a body's terms are next to the rows that use
// them. Each pivot is d = from − taken: `from` is the initial entry and the terms that enlarge it, `taken` the terms
// that reduce it. The loss from / d is at least 1 in a healthy system; the trust numbers (base/kernel_code.h) are the
// least and the largest loss.
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

/// A row whose Schur entry S_rr is below 1e-28 of the largest one may be round-off (KktOptions::rank_tolerance): the
/// rank-revealing solve must decide. The factor 1e7 makes a ratio of 1e28 reach the limit of trusted().
inline constexpr double kRowSize = 1e7 * 1e-28;

/// A value or its negative, so that changes of sign need no instructions.
struct Signed {
  Operand value = Operand::of(0);
  bool negative = false;
  bool is_zero() const { return value.is(0); }
};

class KktEmission {
 public:
  using Entry = std::function<Operand(std::size_t)>;  ///< the value of entry k of a pattern or of a vector

  /// `M` and `W` are called for the value of an entry of their pattern when it is first needed, `D` for that of a row; an
  /// empty D is 0. All arguments must outlive this.
  KktEmission(TapeBuilder& builder, const Elimination& plan, const Pattern& M_pattern, Entry M,
              const Pattern& W_pattern, Entry W, Entry D);

  /// Right-hand sides b and c (an empty function means 0). `found` is called with each unknown (n + row for λ) as soon
  /// as its value is known. May be called again with other right-hand sides: the factors are shared.
  void solve(const Entry& b, const Entry& c, const std::function<void(int, Operand)>& found);

  struct Trust {
    Operand least, largest;
  };
  /// The trust numbers over all pivots (base/kernel_code.h); call after solve().
  Trust trust();

 private:
  // The pivot of one unknown: d of a coordinate, −d of a multiplier, which is positive in a healthy system. In a pair,
  // `from` and `size` are of the own diagonal entry, before the partner is eliminated; `inverse` is the diagonal entry
  // of the pair's inverse.
  struct Pivot {
    Operand from, size, inverse;               // diagonal entry before and after elimination subtracts terms; inverse
    Operand determinant, determinant_inverse;  // of a pair: determinant of its block, and its inverse
    Signed beside, across;                     // of a pair: off-diagonal entry of the block and of its inverse
    bool reduced = false;                      // whether elimination has subtracted terms from `from`
    bool sized = false, known = false;
    int divisions = 0;  // divisions that wait for each other, up to its own; 0: depends on parameters only
  };
  static constexpr int kNone = -1;
  struct Unknown {
    std::vector<std::pair<int, std::size_t>> initial;  // (earlier unknown or itself, entry of M or W), sorted
    std::vector<int> earlier;                          // coupled unknowns that are eliminated before this one, in order
    std::vector<Signed> entry, scaled;                 // K_ij and l_ij for earlier j
    std::vector<char> entry_known, scaled_known;
    int partner = kNone;  // the other unknown of the pair, which is neither in `earlier` nor later
    int scale = kNone;    // the unknown (of a pair, the first one) whose pivot multiplies this row
    Pivot pivot;
    Signed sum, z;  // forward sweep: the sum b_k − Σ K_kj z_j; z, the sum divided by the pivot
    bool scale_known = false, sum_known = false, z_known = false;
  };

  // Two operands in braces, which are evaluated from left to right: so their instructions have the same order with
  // every compiler.
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
  std::vector<std::vector<int>> later_;  // by unknown: coupled later ones, as in plan_ but without partners
  const Entry M_, W_, D_;
  const int n_;
  std::vector<int> position_;  // position of each unknown in the order of elimination
  std::vector<Unknown> unknowns_;
  bool factored_ = false;       // whether trust_ has all pivots
  std::optional<Trust> trust_;  // trust numbers of the pivots so far
};

}  // namespace dalembert
