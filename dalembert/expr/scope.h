// SPDX-License-Identifier: Apache-2.0
// The meaning of names while an expression is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/work.h"
#include "dalembert/expr/dimension_solver.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

/// The meaning of a name.
struct Meaning {
  enum class State {
    kUnknown,  ///< there is no such name
    kKnown,
    kSilent,  ///< known to be wrong and already reported: expressions that contain it get no further errors
  };
  State state = State::kUnknown;
  Expr value;
  Expr velocity, acceleration;  ///< the rates of a coordinate; null for anything else
  DimensionTerm dimension;
  bool anchored = false;  ///< contains parameters or inputs: numbers in the same term are dimensionless

  static Meaning silent() { return {State::kSilent, {}, {}, {}, {}, false}; }
  static Meaning known(Expr value, DimensionTerm dimension = {}, bool anchored = false) {
    return {State::kKnown, value, {}, {}, std::move(dimension), anchored};
  }
};

/// Functions of a whole run, each of an expression along it.
enum class OfRun {
  kFinal,  ///< final(e): the last value
  kAt,     ///< at(e, t): the value at a time
  kMax,    ///< max(e), min(e): the extremes, also between rows of the output
  kMin,
  kIntegral,  ///< integral(e): over time
  kMean,      ///< mean(e): the integral divided by the length of the run
};

struct FunctionOfRun {
  std::string_view name;
  OfRun function;
  std::size_t arguments;
};
inline constexpr FunctionOfRun kFunctionsOfRun[] = {{"final", OfRun::kFinal, 1},       {"at", OfRun::kAt, 2},
                                                    {"max", OfRun::kMax, 1},           {"min", OfRun::kMin, 1},
                                                    {"integral", OfRun::kIntegral, 1}, {"mean", OfRun::kMean, 1}};

class Scope {
 public:
  virtual ~Scope() = default;
  virtual Graph& graph() = 0;
  virtual DimensionSolver& dimensions() = 0;
  /// The meaning of a name: of a coordinate, parameter, input or definition, or of the time `t`.
  virtual Meaning name(std::string_view name) = 0;
  /// A coordinate of a point, `P.x`: axis 0, 1 or 2. kUnknown if there is no such point or component.
  virtual Meaning component(std::string_view point, int axis);
  /// A component of the angular velocity of a frame that a quaternion turns, `top.omega.x`: axis 0, 1 or 2.
  virtual Meaning angular_velocity(std::string_view frame, int axis);
  /// An entry of a rotation matrix, `wheel.R[i,j]`; i and j start at 1.
  virtual Meaning frame_entry(std::string_view frame, std::int64_t i, std::int64_t j);
  /// The multiplier of a constraint row, `lambda(pin.x)`.
  virtual Meaning multiplier(std::string_view row);
  /// A function of a whole run of `expression`; `time` is the second argument of at(e, t), else null. kUnknown where none may stand.
  virtual Meaning of_run(OfRun function, const Meaning& expression, const Expr& time);
  /// The value of an integer that ranges and `{…}` may use.
  virtual std::optional<std::int64_t> integer(std::string_view name);
  /// d/dt of an expression; a null Expr if the scope has no time derivative for it.
  virtual Expr dot(const Expr& expression);
  /// Why symbols of this kind may not be used here; nothing if they may.
  virtual std::optional<Diagnostic> refuse(SymbolKind kind, std::string_view name, const Span& span);
  /// Called for each part of an expression that may be undefined (a quotient, a root, a function) before cancellation: for `k*x/x`, which
  /// simplifies to k, it is called with 1/x.
  virtual void partial(const Expr& part);
  /// All names of one group, to suggest the nearest one.
  enum class Candidates { kNames, kPoints, kFrames, kRows, kHappenings };
  virtual std::vector<std::string> candidates(Candidates which);
  /// Whether name() or integer() knows the name; does not evaluate its meaning.
  virtual bool declares(std::string_view name);
  /// Where a name that nobody declared would be declared; empty if nothing is known.
  virtual std::string help_for_undeclared(std::string_view name) const;
  /// Where a name was declared, for "(declared at …)"; may be empty.
  virtual Span declared(std::string_view name);
  /// Whether `t` alone always is a time. Where it is not, formulas of t without numbers, as `t` and `sin(t)`, may have any unit, as those with numbers do.
  virtual bool time_has_its_unit() const { return false; }
  /// Cache of the kinds of symbols in expressions of `graph()`.
  KindMasks& kinds() { return kinds_; }
  /// Counts the parts of expressions read so far, including each repetition by `for` and `sum`. The limit is about ten seconds of work.
  WorkMeter& work() { return work_; }

 private:
  WorkMeter work_{10'000'000};
  KindMasks kinds_;
};

/// The symbols of a graph by name and kind, without dimensions: `theta` with `theta'` and `theta''`, `lambda(row)`, `integral(x)`. dot() works for
/// expressions of coordinates, velocities and t.
class SymbolScope : public Scope {
 public:
  explicit SymbolScope(Graph& graph);
  Graph& graph() override { return graph_; }
  DimensionSolver& dimensions() override { return solver_; }
  Meaning name(std::string_view name) override;
  Meaning multiplier(std::string_view row) override;
  Meaning of_run(OfRun function, const Meaning& expression, const Expr& time) override;
  Expr dot(const Expr& expression) override;
  std::vector<std::string> candidates(Candidates which) override;
  bool declares(std::string_view name) override { return names_.contains(std::string(name)); }

 private:
  Graph& graph_;
  DimensionSolver solver_{false};
  std::unordered_map<std::string, Meaning> names_, rows_;
  std::unordered_map<SymbolId, Expr> rates_;
};

}  // namespace dalembert
