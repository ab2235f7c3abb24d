// SPDX-License-Identifier: Apache-2.0
// Expressions become numbers: Equations → Dynamics, the derivatives of its functions, and its functions for many states at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

struct CompileOptions {
  bool machine_code = true;  ///< for runs where possible (Kernel::expect_many_calls); false: interpret
};

/// Compiles equations to a system of numeric functions, with the model's parameter values and inputs bound.
Dynamics compile(const Equations& equations, const CompileOptions& options = {});

/// The quasi-velocities of the model as a system that VelocityElimination and IntegrateOptions take; null where it states none.
std::shared_ptr<const Dynamics> compile_quasi_velocities(const Equations& equations);

/// A coordinate, or its name.
struct CoordinateName {
  std::string name;
  CoordinateName(const Coordinate& coordinate) : name(coordinate.name) {}
  CoordinateName(std::string text) : name(std::move(text)) {}
  CoordinateName(std::string_view text) : name(text) {}
  CoordinateName(const char* text) : name(text) {}
};

/// Where to start, by name, in SI units: `{.position = {{theta, 1.05}}, .velocity = {{theta, 4.0}}, .guess = {{phi, 2.8}, {"x", 0.8}}}`,
/// or positions and velocities together, `{.fixed = {{theta, 1.05, 4.0}}, …}`. `fixed`, `position` and `velocity` are kept exactly;
/// guesses may change. A function that takes a start says from which guess a coordinate begins that is not named.
struct Start {
  struct Value {
    CoordinateName coordinate;
    std::optional<double> position = {}, velocity = {};
  };
  struct Number {
    CoordinateName coordinate;  ///< or, among velocities, the name of a velocity: "top.omega.x"
    double value = 0;
    Span span = {};  ///< place of the name in the input
  };
  std::vector<Value> fixed = {}, guess = {};
  std::optional<double> t = {};
  std::vector<Number> position = {}, velocity = {};
  std::vector<Number> quasi_velocity = {};  ///< kept; in models with quaternions, all velocities
};

/// The model's initial values as a state: held values and guesses, 0 elsewhere. Prescribed coordinates have their prescribed values
/// and rates at the start time; a different value that the model holds replaces these, but then no start exists.
State initial_state(const Model& model);
/// The initial state with prescribed values at time t instead of the model's start time.
State initial_state(const Model& model, double t);
/// What assembly holds of the initial state: the values that the model holds, and prescribed coordinates. nq and nv flags.
AssembleOptions held_values(const Model& model);

/// Value, rate and acceleration at t of prescribed coordinate k (Model::prescribed). NaN where a spline has no value.
std::array<double, 3> prescribed_motion(const Model& model, std::size_t k, double t);

/// assemble() for a start (dynamics/assemble.h) that also holds the initial values which the model states for
/// quasi-velocities. These rows follow the m constraint rows: `worst_row` = m + k is the k-th held quasi-velocity.
Assembly assemble_start(const Equations& equations, const Dynamics& dynamics, const State& guess,
                        const AssembleOptions& options, AssemblyMemory* memory = nullptr);
/// From the initial state of the model.
Assembly assemble_start(const Equations& equations, const Dynamics& dynamics);

struct CodeOptions;
struct Tape;
class RunDerivatives;

/// Entry `index` of what a kernel's functions read: coordinates, velocities, accelerations, multipliers, inputs, parameters,
/// the time.
struct KernelArgument {
  SymbolKind kind = SymbolKind::kCoordinate;
  int index = 0;
};
/// Every entry of these kinds, one kind after the other.
std::vector<KernelArgument> arguments_of(const Equations& equations, std::initializer_list<SymbolKind> kinds);

/// The Jacobian of one function of dynamics/kernel.h. Immutable; safe to call from many threads, each with its own
/// `work`.
class KernelJacobian {
 public:
  /// Rows are the function's outputs, columns the arguments `by`. For a function that solves the KKT system the rows
  /// exclude trust[2], and the derivatives are meaningful only where trust[2] is trusted(). Such a function needs
  /// TapeKernel::solves_kkt(). The result is not valid() without it, or if the Jacobian takes more operations than
  /// `most`; call() then does nothing.
  KernelJacobian(const Equations& equations, KernelFunction function, const std::vector<KernelArgument>& by,
                 std::size_t most = std::numeric_limits<std::size_t>::max());

  bool valid() const { return valid_; }
  const Pattern& pattern() const { return pattern_; }
  std::size_t work() const;  ///< doubles of scratch memory that a call needs
  const Tape& tape() const;

  /// Writes the value of each entry of pattern() to `out`. Reads the arguments of the function, and `p`.
  void call(const KernelArguments& in, double* out) const;

  /// Compiles machine code for later calls, if possible; without it calls are interpreted. Only the first make_code() has an effect.
  void make_code() const;
  void make_code(const CodeOptions& options) const;

 private:
  struct Program;
  std::shared_ptr<Program> program_;  // copies share it
  Pattern pattern_;
  bool valid_ = true;
};

/// Derivatives of what a run computes by the state and these parameters (dynamics/linearization.h). Null if they would have too many operations.
std::shared_ptr<const RunDerivatives> compile_derivatives(const Equations& equations,
                                                          const std::vector<int>& parameters,
                                                          const CompileOptions& options = {});

struct CodeOptions;

/// Entry i of lane l is at [i · lanes + l]. A function reads only the arrays that its row in dynamics/kernel.h names;
/// the others may be null.
struct LaneArguments {
  const double* t = nullptr;       ///< lanes doubles
  const double* q = nullptr;       ///< nq · lanes doubles
  const double* v = nullptr;       ///< nv · lanes doubles
  const double* qdd = nullptr;     ///< nv · lanes doubles
  const double* lambda = nullptr;  ///< m · lanes doubles
  const double* u = nullptr;       ///< inputs · lanes doubles
};

struct LaneOptions {
  bool machine_code = true;           ///< if false, or if no machine code can be made, tapes are interpreted
  const CodeOptions* code = nullptr;  ///< see machine/machine_code.h; null: the default options of machine code
};

/// The number of lanes whose machine code is fastest: 8, or 4 for more than 4,000 instructions without loops, whose
/// values do not fit the processor's cache. (8 lanes of a dense chain of 40 links, 18,000 instructions, take a fifth
/// more time per lane than 4; of one of 20 links, 3,800 instructions, the same.)
int fastest_lanes(const Dynamics& dynamics);

/// Belongs to one thread: it holds the memory that calls work in. After construction nothing allocates but the first
/// lane that takes the rank-revealing solve, the first call() of a function and the first advance().
class LaneKernel {
 public:
  /// `dynamics` was made by compile(). lanes: 4 or 8; 32 by the interpreter only.
  explicit LaneKernel(Dynamics dynamics, int lanes, const LaneOptions& options = {});

  LaneKernel(LaneKernel&&) noexcept;
  LaneKernel& operator=(LaneKernel&&) noexcept;
  ~LaneKernel();

  int lanes() const;
  bool machine_code() const;
  const std::string& why_no_machine_code() const;

  /// Writes qdd[nv], lambda[m] and trust[2] to `out`, each for all lanes. `u` is computed from `t` where it is null.
  /// Lanes whose pivots cannot be trusted are solved one by one by solve_kkt(); where that fails as well, q̈ and λ of
  /// the lane are NaN. Returns the number of lanes solved one by one.
  int accelerations(const LaneArguments& in, double* out);

  /// Evaluates any function of the kernel: residuals, terms, steps of projection, outputs. Its code is made on the
  /// first call. `u` is computed from `t` where it is null and `t` is not. Returns the number of lanes that the
  /// interpreter computed because an angle was beyond 2³⁰.
  int call(KernelFunction function, const LaneArguments& in, double* out);

  /// Makes `steps` classical Runge–Kutta steps of size h from time t on (the same for all lanes), on the index-1 form
  /// without projection. state: q[nq] then v[nv], entry i of lane l at [i · lanes + l]. Returns the number of lanes
  /// that were advanced one by one because a pivot was not trusted or an angle was beyond 2³⁰. The code of the steps is
  /// made on the first call.
  int advance(double* state, double t, double h, std::uint64_t steps);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalembert
