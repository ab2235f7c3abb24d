// SPDX-License-Identifier: Apache-2.0
// Sizes and sparsity patterns of the equations of motion, and the memory layout of kernel results and states.
//
//   q̇ = N(q,t) v + n₀(q,t)        M v̇ + B + G = F + Wᵀλ,   W v + a = 0,   W v̇ + γ = 0
//
// v are the velocities of the motion: q̇ itself (N = 1, n₀ = 0), or others that determine it, such as the angular
// velocity of a body whose attitude is a unit quaternion. The holonomic rows of W are (∂h/∂q) N.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// The sparsity pattern of a matrix: row and column of each entry, in the order in which a kernel writes the entries.
/// Symmetric matrices list both halves.
struct Pattern {
  int rows = 0, cols = 0;
  std::vector<int> row, col;
  int nonzeros() const { return static_cast<int>(row.size()); }
};

/// Sizes and patterns of a system. Constraint rows are in the order of the model.
struct Layout {
  int nq = 0;             ///< number of coordinates q
  int nv = 0;             ///< number of velocities v
  int m = 0;              ///< number of constraint rows
  bool v_is_qdot = true;  ///< nq = nv, N = 1, n₀ = 0; the kernel does not compute N and n₀
  Pattern N;              ///< nq×nv; empty where v_is_qdot
  /// For each unit quaternion, the index of the first of its four consecutive coordinates.
  std::vector<int> quaternions;
  std::vector<int> holonomic;  ///< rows (ascending, of 0..m-1) that have a position level h; the others are Pfaffian
  int parameters = 0, inputs = 0, outputs = 0, conserved = 0;
  Pattern M, W;  ///< nv×nv, m×nv
  /// Number of friction forces, which are multipliers after those of the rows (friction.h).
  int frictions = 0;
  Pattern Phi, C, load;          ///< nv×m: ∂F/∂λ; frictions×nv: ∂v_s/∂v; frictions×m: ∂N/∂λ
  bool conservative = false;     ///< F = 0, a = 0 and ∂L/∂t = 0 identically: the energy E is constant
  bool constant_inputs = false;  ///< the kernel's inputs do not depend on t
  bool driven = false;           ///< constraints or energies depend on inputs, so every function may read u
  std::size_t work = 0;          ///< doubles of scratch memory that a call needs
  std::size_t prepared = 0;      ///< numbers that Kernel::prepare() writes

  /// Sets n coordinates and n velocities, each the rate of a coordinate.
  void set_coordinates(int n) { nq = nv = n; }
  /// Number of multipliers: those of the rows, then the friction forces.
  int multipliers() const { return m + frictions; }
  /// Whether forces depend on multipliers. Then the KKT system is not symmetric, and FrictionSolver solves it.
  bool load_dependent() const { return frictions > 0 || Phi.nonzeros() > 0; }
  /// Number of entries of a state y = (q, v), and of its derivative (q̇, v̇).
  int state_size() const { return nq + nv; }
  /// The second part, v or v̇, of a state or of its derivative.
  template <class Number>
  Number* v(Number* y) const {
    return y + nq;
  }
};

// Offsets of the parts of a kernel's result, in the order that KernelFunction lists them. `end` is the total size.

inline std::size_t as_size(int count) { return static_cast<std::size_t>(count); }

struct TermsPlaces {
  explicit TermsPlaces(const Layout& layout)
      : B(as_size(layout.M.nonzeros())),
        G(B + as_size(layout.nv)),
        F(G + as_size(layout.nv)),
        W(F + as_size(layout.nv)),
        a(W + as_size(layout.W.nonzeros())),
        gamma(a + as_size(layout.m)),
        end(gamma + as_size(layout.m)) {}
  std::size_t M = 0, B, G, F, W, a, gamma, end;
};

struct RatesPlaces {
  explicit RatesPlaces(const Layout& layout)
      : f(as_size(layout.M.nonzeros())),
        W(f + as_size(layout.nv)),
        gamma(W + as_size(layout.W.nonzeros())),
        end(gamma + as_size(layout.m)) {}
  std::size_t M = 0, f, W, gamma, end;
};

struct VelocityPlaces {
  explicit VelocityPlaces(const Layout& layout) : a(as_size(layout.W.nonzeros())), end(a + as_size(layout.m)) {}
  std::size_t W = 0, a, end;
};

struct PositionPlaces {
  explicit PositionPlaces(const Layout& layout)
      : size(layout.holonomic.size()), end(layout.v_is_qdot ? size : 2 * size) {}
  std::size_t h = 0, size, end;
};

struct KinematicsPlaces {
  explicit KinematicsPlaces(const Layout& layout)
      : n0(as_size(layout.N.nonzeros())), end(layout.v_is_qdot ? 0 : n0 + as_size(layout.nq)) {}
  std::size_t N = 0, n0, end;
};

struct FrictionPlaces {
  explicit FrictionPlaces(const Layout& layout)
      : C(as_size(layout.Phi.nonzeros())),
        load(C + as_size(layout.C.nonzeros())),
        c0(load + as_size(layout.load.nonzeros())),
        gamma(c0 + as_size(layout.frictions)),
        N0(gamma + as_size(layout.frictions)),
        mu(N0 + as_size(layout.frictions)),
        mu_s(mu + as_size(layout.frictions)),
        viscous(mu_s + as_size(layout.frictions)),
        end(viscous + as_size(layout.frictions)) {}
  std::size_t Phi = 0, C, load, c0, gamma, N0, mu, mu_s, viscous, end;
};

struct AccelerationsPlaces {
  explicit AccelerationsPlaces(const Layout& layout)
      : lambda(as_size(layout.nv)), trust(lambda + as_size(layout.m)), end(trust + 2) {}
  std::size_t vdot = 0, lambda, trust, end;
};

/// Offsets for kPositionStep (with rows = all holonomic rows) and for the beginning of kVelocityStep (all rows).
struct StepPlaces {
  StepPlaces(const Layout& layout, std::size_t rows)
      : size(rows), step(2 * rows), trust(step + as_size(layout.nv)), end(trust + 2) {}
  std::size_t residual = 0, size, step, trust, end;
};

struct VelocityStepPlaces : StepPlaces {
  explicit VelocityStepPlaces(const Layout& layout)
      : StepPlaces(layout, as_size(layout.m)),
        W(StepPlaces::end),
        a(W + VelocityPlaces(layout).a),
        h(W + VelocityPlaces(layout).end),
        end(h + PositionPlaces(layout).end) {}
  std::size_t W, a, h, end;
};

struct EnergyPlaces {
  explicit EnergyPlaces(const Layout& layout) : end(conserved + as_size(layout.conserved)) {}
  static constexpr std::size_t T = 0, V = 1, E = 2, dLdt = 3, power = 4, conserved = 5;
  std::size_t end;
};

}  // namespace dalembert
