// SPDX-License-Identifier: Apache-2.0
// What names mean while an expression is read.
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
#include "dalembert/expr/kinds.h"

namespace dalembert {

/// What a name stands for.
struct Meaning {
  enum class State {
    kUnknown,  ///< there is no such name
    kKnown,
    kSilent,  ///< known to be wrong, and reported elsewhere: what contains it is not judged
  };
  State state = State::kUnknown;
  Expr value;
  Expr velocity, acceleration;  ///< of a coordinate; null otherwise
  DimensionTerm dimension;
  bool anchored = false;  ///< made of parameters or inputs: numbers beside it are pure numbers

  static Meaning silent() { return {State::kSilent, {}, {}, {}, {}, false}; }
  static Meaning known(Expr value, DimensionTerm dimension = {}, bool anchored = false) {
    return {State::kKnown, value, {}, {}, std::move(dimension), anchored};
  }
};

class Scope {
 public:
  virtual ~Scope() = default;
  virtual Graph& graph() = 0;
  virtual DimensionSolver& dimensions() = 0;
  /// Time, coordinates, parameters, inputs, definitions. `t` is asked for as well.
  virtual Meaning name(std::string_view name) = 0;
  /// `P.x`: component 0, 1, 2 of a point. kUnknown when there is no such point or no such component.
  virtual Meaning component(std::string_view point, int axis);
  /// `wheel.R[i,j]`, i and j from 1.
  virtual Meaning frame_entry(std::string_view frame, std::int64_t i, std::int64_t j);
  /// `lambda(pin.x)`.
  virtual Meaning multiplier(std::string_view row);
  /// An integer that ranges and `{…}` may use.
  virtual std::optional<std::int64_t> integer(std::string_view name);
  /// d/dt of an expression; a null Expr when it has none.
  virtual Expr dot(const Expr& expression);
  /// Why symbols of this kind may not be used here; nothing when they may.
  virtual std::optional<Diagnostic> refuse(SymbolKind kind, std::string_view name, const Span& span);
  /// Called for each part of an expression that may have no value, a quotient, a root, a function, before anything in
  /// it cancels: 1/x where `k*x/x` is read, which becomes k.
  virtual void partial(const Expr& part);
  /// What could have been meant: for the nearest-name search.
  enum class Candidates { kNames, kPoints, kFrames, kRows };
  virtual std::vector<std::string> candidates(Candidates which);
  /// Whether name() or integer() knows it, without asking what it means.
  virtual bool declares(std::string_view name);
  /// Where a name was declared, for "(declared at …)"; may be empty.
  virtual Span declared(std::string_view name);
  /// Symbols in expressions of `graph()`, remembered from one question to the next.
  KindMasks& kinds() { return kinds_; }
  /// Parts of expressions read so far, those that `for` and `sum` repeat each time: some ten seconds of work at most.
  WorkMeter& work() { return work_; }

 private:
  WorkMeter work_{10'000'000};
  KindMasks kinds_;
};

/// The symbols of a graph by name and kind, without dimensions: `theta` with `theta'` and `theta''`, `lambda(row)`.
/// dot() of anything made of coordinates, velocities and t.
class SymbolScope : public Scope {
 public:
  explicit SymbolScope(Graph& graph);
  Graph& graph() override { return graph_; }
  DimensionSolver& dimensions() override { return solver_; }
  Meaning name(std::string_view name) override;
  Meaning multiplier(std::string_view row) override;
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
