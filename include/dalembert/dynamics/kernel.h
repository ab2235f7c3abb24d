// SPDX-License-Identifier: Apache-2.0
// The interface of a constrained system to the numeric layers: functions that a tape, machine code or a hand-written
// class implements.
//
// Notation: docs/notation.md, and
//
//   q̇ = N(q,t) v + n₀(q,t)        M v̇ + B + G = F + Wᵀλ,   W v + a = 0,   W v̇ + γ = 0
//
// v are the velocities of the motion: q̇ itself (N = 1, n₀ = 0), or others that determine it, such as the angular
// velocity of a body whose attitude is a unit quaternion. The holonomic rows of W are (∂h/∂q) N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/base/kernel_code.h"

namespace dalembert {

/// The sparsity pattern of a matrix: row and column of each entry, in the order in which a kernel writes the entries.
/// Symmetric matrices list both halves.
struct Pattern {
  int rows = 0, cols = 0;
  std::vector<int> row, col;
  int nonzeros() const { return static_cast<int>(row.size()); }
};

/// Where an output may have a corner or jump while the motion is smooth: at branches that it chooses itself (abs, if …), at roots of 0 (sqrt, hypot) and at ends of inverse
/// functions (acos, atan2). Corners upward, as those of abs(x) and hypot(x, y), are no places of largest values.
enum class Bends : std::uint8_t { kNowhere, kUpward, kAnywhere };

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
  std::vector<int> planes;       ///< for each friction in a plane, its first direction j; the second is j + 1
  Pattern Phi, C, load;          ///< nv×m: ∂F/∂λ; frictions×nv: ∂v_s/∂v; frictions×m: ∂N/∂λ
  bool conservative = false;     ///< F = 0, a = 0 and ∂L/∂t = 0 identically: the energy E is constant
  bool constant_inputs = false;  ///< the kernel's inputs do not depend on t
  bool driven = false;           ///< constraints or energies depend on inputs, so every function may read u
  /// Number of integrals over the time of a run that outputs and events read. Their values are parameters, from first_integral on, which a run
  /// passes to the functions that read them. Other functions do not depend on these parameters, nor does prepare().
  int integrals = 0, first_integral = 0;
  bool integrals_read_forces = false;  ///< an integrand depends on v̇ or λ
  std::vector<char>
      integral_bends;  ///< for each integral: its integrand chooses branches (abs, if …) by the state, or at times that depend on parameters
  std::vector<Bends> output_bends;  ///< of each output
  std::size_t work = 0;             ///< doubles of scratch memory that a call needs
  std::size_t prepared = 0;         ///< numbers that Kernel::prepare() writes

  /// Sets n coordinates and n velocities, each the rate of a coordinate.
  void set_coordinates(int n) { nq = nv = n; }
  /// Number of multipliers: those of the rows, then the friction forces.
  int multipliers() const { return m + frictions; }
  /// Whether forces depend on multipliers. Then the KKT system is not symmetric, and FrictionSystem solves it.
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

class Linearization;

/// Names and units, for messages and result files. Units are SI names such as "N*m"; empty where the model gives none.
struct Names {
  std::string model;
  std::vector<std::string> coordinates, coordinate_units;  ///< nq
  /// nv; empty where v = q̇, whose names and units follow from the coordinates. A velocity that is the rate of a
  /// coordinate has the coordinate's name.
  std::vector<std::string> velocities, velocity_units;
  std::vector<std::string> rows, row_units, lambda_units;  ///< m: names such as "pin[1]"; units of h or η; units of λ
  int actuated = 0;  ///< number of rows, the last ones, that make a coordinate follow a function of time; λ drives it
  std::vector<std::string> parameters;
  std::vector<std::string> inputs, input_units;
  std::vector<std::string> outputs, output_units;
  std::vector<std::string> conserved;  ///< name of each conserved quantity, such as "p[phi]"
  std::vector<std::string> frictions, friction_units;

  /// Names of the entries of M, B, F …: those of the velocities, or of the coordinates where v = q̇.
  const std::vector<std::string>& of_motion() const { return velocities.empty() ? coordinates : velocities; }
  std::size_t constraint_rows() const { return rows.size() - static_cast<std::size_t>(actuated); }
  /// Name of row r in messages: "pin[1]", "alpha (prescribed)".
  std::string row(std::size_t r) const { return r < constraint_rows() ? rows[r] : rows[r] + " (prescribed)"; }
  /// Name of velocity i: "theta'" or its own; "velocity 3" if it has no name.
  std::string velocity(std::size_t i) const {
    if (i < velocities.size()) return is_coordinate(velocities[i]) ? velocities[i] + "'" : velocities[i];
    return i < coordinates.size() ? coordinates[i] + "'" : "velocity " + std::to_string(i + 1);
  }
  bool is_coordinate(const std::string& name) const {
    for (const std::string& coordinate : coordinates)
      if (coordinate == name) return true;
    return false;
  }
  /// velocity(i) for all velocities.
  std::vector<std::string> velocity_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < of_motion().size(); ++i) names.push_back(velocity(i));
    return names;
  }
};

/// What a kernel can compute. Each comment lists what `out` receives, packed in this order (offsets: above), and the
/// arguments that the function reads.
enum class KernelFunction {
  kPosition,    ///< h[m_h], at (t, q); unless v_is_qdot, then the size of its terms Σ|∂h/∂q_j q_j| [m_h]
  kVelocity,    ///< W[nnz], a[m], at (t, q)
  kKinematics,  ///< N[nnz], n₀[nq], at (t, q); nothing where v_is_qdot
  kMass,        ///< M[nnz], at (t, q, v)
  kTerms,       ///< M[nnz], B[nv], G[nv], F[nv], W[nnz], a[m], gamma[m], at (t, q, v, u)
  kRates,       ///< M[nnz], f[nv] = F − B − G, W[nnz], gamma[m], at (t, q, v, u): what the KKT solve needs
  kEnergy,      ///< T, V, E = q̇·∂L/∂q̇ − L, ∂L/∂t, F·q̇, then conserved[..], at (t, q, v, u)
  kInputs,      ///< u[inputs], at t
  kOutputs,     ///< outputs[..], at (t, q, v, qdd, lambda, u)
  kPower,  ///< dE/dt = F·q̇ − λᵀa − ∂L/∂t, at (t, q, v, lambda, u), including forces that depend on multipliers
  /// Φ[nnz], C[nnz], ∂N/∂λ[nnz], then for each friction c₀, γ_c, N₀, μ, μ_s, c (friction.h), at (t, q, v, u); nothing
  /// unless load_dependent(). The F of other functions has only the forces that do not depend on multipliers.
  kFriction,
  kIntegrands,  ///< the integrands of the integrals [integrals], at (t, q, v, qdd, lambda, u)

  // The following functions factor and solve the KKT system (dynamics/kkt.h). They exist where Kernel::solves_kkt(), the last two also where
  // Kernel::projects().
  // trust[2] tells whether the pivots can be trusted, see trusted().
  kAccelerations,  ///< v̇[nv], lambda[m], trust[2], at (t, q, v, u)
  /// h[m_h], the size of its terms Σ|∂h/∂q_j q_j| [m_h], δ[nv], trust[2], at (t, q, v): M δ = W_hᵀμ, W_h δ = −h
  kPositionStep,
  /// Wv + a [m], Σ|W_ij v_j| + |a_i| [m], δv[nv], trust[2], then the terms of the residuals: W[nnz], a[m] and all that
  /// kPosition writes, at (t, q, v): M δv = Wᵀμ, W δv = −(Wv + a)
  kVelocityStep,
};
inline constexpr int kKernelFunctions = 15;

/// Arguments of a call. A function reads only those that its comment above names (and u where
/// Layout::driven); the others may be null.
struct KernelArguments {
  double t = 0;
  const double* q = nullptr;         ///< nq coordinates
  const double* v = nullptr;         ///< nv velocities
  const double* qdd = nullptr;       ///< nv accelerations v̇
  const double* lambda = nullptr;    ///< layout().multipliers() numbers: λ, then friction forces
  const double* u = nullptr;         ///< values of the inputs
  const double* p = nullptr;         ///< values of the parameters
  const double* prepared = nullptr;  ///< result of prepare() for p
  double* work = nullptr;            ///< layout().work doubles of scratch memory, used by one thread only
};

/// Immutable and safe to call from many threads, each with its own `work`.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const Layout& layout() const = 0;
  virtual void call(KernelFunction function, const KernelArguments& in, double* out) const = 0;
  /// Computes everything that depends on parameters alone, layout().prepared numbers, once for all calls.
  virtual void prepare(const double* /*p*/, double* /*prepared*/) const {}
  virtual bool solves_kkt() const { return false; }
  /// Whether the kernel computes kPositionStep and kVelocityStep.
  virtual bool projects() const { return solves_kkt(); }
  /// Operations of one call of kAccelerations, or of kRates where the kernel does not solve the KKT system; 0: unknown.
  virtual std::size_t operations() const { return 0; }
  /// Announces many calls: the kernel may spend time now (such as on compiling) to make later calls fast. Thread-safe.
  virtual void expect_many_calls() const {}
  /// A run reports its progress: the number of solves `made` since the last report, and the approximate number `left`.
  /// The kernel speeds itself up (such as by compiling) where that saves time. The decision depends on these numbers
  /// alone, not on a clock or on files, so that the same command gives the same digits each time.
  virtual void note_calls(std::int64_t /*made*/, double /*left*/) const {}
  /// The machine code that call() would run, valid as long as the kernel lives; null where there is none, or none yet.
  /// If the code returns a value other than 0, use call() instead.
  virtual KernelCode* code(KernelFunction /*function*/) const { return nullptr; }
  /// What executes the kernel at present, for display: "interpreter", "machine code of LLVM 19.1.7"; empty where the
  /// kernel is code of the program itself.
  virtual std::string computed_by() const { return {}; }
  /// The linearised equations (linearization.h), derived on the first call; null where the kernel has none.
  virtual const Linearization* linearization() const { return nullptr; }
};

/// Number of doubles that `function` writes.
std::size_t output_size(const Layout& layout, KernelFunction function);

}  // namespace dalembert
