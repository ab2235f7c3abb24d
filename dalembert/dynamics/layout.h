// SPDX-License-Identifier: Apache-2.0
// Sizes and sparsity of a system of equations of motion, and where a kernel's results and a state's parts are.
//
//   q̇ = N(q,t) v + n₀(q,t)        M v̇ + B + G = F + Wᵀλ,   W v + a = 0,   W v̇ + γ = 0
//
// v are the velocities of the motion: q̇ itself (N = 1, n₀ = 0), or others that determine it, such as the angular
// velocity of a body whose attitude is a unit quaternion. The holonomic rows of W are (∂h/∂q) N.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// The places of the entries that a kernel writes of a sparse matrix, in the order it writes them. Symmetric matrices
/// list both halves.
struct Pattern {
  int rows = 0, cols = 0;
  std::vector<int> row, col;
  int nonzeros() const { return static_cast<int>(row.size()); }
};

/// Constraint rows are in the order of the model.
struct Layout {
  int nq = 0;                    ///< coordinates q
  int nv = 0;                    ///< velocities v
  int m = 0;                     ///< constraint rows
  bool v_is_qdot = true;         ///< nq = nv, N = 1, n₀ = 0: a kernel is not asked for them
  Pattern N;                     ///< nq×nv; empty where v_is_qdot
  std::vector<int> quaternions;  ///< the first of four neighbouring coordinates that are a unit quaternion, of each one
  std::vector<int> holonomic;    ///< rows (ascending, of 0..m-1) that have a position level h; the others are Pfaffian
  int parameters = 0, inputs = 0, outputs = 0, conserved = 0;
  Pattern M, W;                  ///< nv×nv, m×nv
  bool conservative = false;     ///< F = 0, a = 0 and ∂L/∂t = 0 identically: the energy E is constant
  bool constant_inputs = false;  ///< the kernel's inputs do not depend on t
  bool driven = false;           ///< inputs are in constraints or energies: every function may read u
  std::size_t work = 0;          ///< doubles of scratch memory that a call needs
  std::size_t prepared = 0;      ///< numbers that Kernel::prepare() writes

  /// As many coordinates as velocities, each velocity the rate of a coordinate.
  void set_coordinates(int n) { nq = nv = n; }
  /// Numbers of a state y = (q, v), and of a slope (q̇, v̇).
  int state_size() const { return nq + nv; }
  /// The second part of a state or a slope, whatever follows it.
  template <class Number>
  Number* v(Number* y) const {
    return y + nq;
  }
};

// Where the parts of a kernel's results are: offsets of the vectors that KernelFunction names, in its order, and their
// end, which is the size of the whole.

struct TermsPlaces {
  explicit TermsPlaces(const Layout& layout)
      : B(size(layout.M.nonzeros())),
        G(B + size(layout.nv)),
        F(G + size(layout.nv)),
        W(F + size(layout.nv)),
        a(W + size(layout.W.nonzeros())),
        gamma(a + size(layout.m)),
        end(gamma + size(layout.m)) {}
  static std::size_t size(int count) { return static_cast<std::size_t>(count); }
  std::size_t M = 0, B, G, F, W, a, gamma, end;
};

struct RatesPlaces {
  explicit RatesPlaces(const Layout& layout)
      : f(TermsPlaces::size(layout.M.nonzeros())),
        W(f + TermsPlaces::size(layout.nv)),
        gamma(W + TermsPlaces::size(layout.W.nonzeros())),
        end(gamma + TermsPlaces::size(layout.m)) {}
  std::size_t M = 0, f, W, gamma, end;
};

struct VelocityPlaces {
  explicit VelocityPlaces(const Layout& layout)
      : a(TermsPlaces::size(layout.W.nonzeros())), end(a + TermsPlaces::size(layout.m)) {}
  std::size_t W = 0, a, end;
};

struct PositionPlaces {
  explicit PositionPlaces(const Layout& layout)
      : size(layout.holonomic.size()), end(layout.v_is_qdot ? size : 2 * size) {}
  std::size_t h = 0, size, end;
};

struct KinematicsPlaces {
  explicit KinematicsPlaces(const Layout& layout)
      : n0(TermsPlaces::size(layout.N.nonzeros())), end(layout.v_is_qdot ? 0 : n0 + TermsPlaces::size(layout.nq)) {}
  std::size_t N = 0, n0, end;
};

struct AccelerationsPlaces {
  explicit AccelerationsPlaces(const Layout& layout)
      : lambda(TermsPlaces::size(layout.nv)), trust(lambda + TermsPlaces::size(layout.m)), end(trust + 2) {}
  std::size_t vdot = 0, lambda, trust, end;
};

/// Of kPositionStep with all holonomic rows; the beginning of kVelocityStep with all rows.
struct StepPlaces {
  StepPlaces(const Layout& layout, std::size_t rows)
      : size(rows), step(2 * rows), trust(step + TermsPlaces::size(layout.nv)), end(trust + 2) {}
  std::size_t residual = 0, size, step, trust, end;
};

struct VelocityStepPlaces : StepPlaces {
  explicit VelocityStepPlaces(const Layout& layout)
      : StepPlaces(layout, TermsPlaces::size(layout.m)),
        W(StepPlaces::end),
        a(W + VelocityPlaces(layout).a),
        h(W + VelocityPlaces(layout).end),
        end(h + PositionPlaces(layout).end) {}
  std::size_t W, a, h, end;
};

struct EnergyPlaces {
  explicit EnergyPlaces(const Layout& layout) : end(conserved + TermsPlaces::size(layout.conserved)) {}
  static constexpr std::size_t T = 0, V = 1, E = 2, dLdt = 3, power = 4, conserved = 5;
  std::size_t end;
};

}  // namespace dalembert
