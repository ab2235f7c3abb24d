// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kkt_tapes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/base/numeric.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/kkt_emission.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/lowering.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// Most operations of a factorisation that is written out. A full matrix of 64 unknowns takes about 50,000 operations;
// that of a chain about 40 per unknown.
std::size_t most_operations(int unknowns) { return std::max<std::size_t>(50'000, 400 * index(unknowns)); }

// Beyond this many unknowns, or terms in an entry, canonical forms take longer than they save.
constexpr int kLargestSimplified = 100;
constexpr std::size_t kMostTerms = 300;

bool has_parameters_only(const Expr& expression) {
  const std::vector<SymbolId> symbols = symbols_in(std::array{expression});
  return std::ranges::all_of(
      symbols, [&](SymbolId symbol) { return expression.graph().symbol_info(symbol).kind == SymbolKind::kParameter; });
}

// The terms of the KKT system that one kernel function solves.
struct System {
  Pattern M, W;
  std::vector<Expr> M_value, W_value, force, gamma, h, a;
  std::vector<Expr> h_size;  // size of h's terms, Σ|∂h/∂q_j q_j|; empty where v = q̇, since W gives it
  std::vector<Expr> D;       // for each row, 1 where it does not act (kkt_emission.h); empty: all act
  bool is_position_step = false;

  std::vector<Expr> all() const {
    std::vector<Expr> list;
    for (const std::vector<Expr>* part : {&M_value, &W_value, &force, &gamma, &h, &a, &h_size, &D})
      list.insert(list.end(), part->begin(), part->end());
    return list;
  }
};

// A coordinate without inertia, for which M has no pivot, and what gives its unknown: a row alone, x_j = −c_r/W_rj with a number W_rj, as that of a prescribed coordinate. Its own equation
// then gives λ_r. In a step onto the positions, one that is in no row stays, x_j = 0. The other unknowns are those of a smaller KKT system.
struct Given {
  std::size_t coordinate = 0;
  std::optional<std::size_t> entry;  // of W, in the row that gives it
  std::vector<std::size_t> others;   // the other entries of W in this column
};

// The KKT system without the unknowns of `given`.
struct Rest {
  std::vector<Given> given;
  std::vector<std::size_t> coordinates, rows;  // those that are left, by their numbers in the whole system
  std::vector<std::size_t> entries;            // of W
  Pattern M, W;
};

std::vector<Given> given_coordinates(const System& system) {
  std::vector<bool> has_inertia(index(system.M.rows));
  for (const int i : system.M.row) has_inertia[index(i)] = true;
  std::vector<std::size_t> in_row(index(system.W.rows));
  for (const int row : system.W.row) ++in_row[index(row)];
  std::vector<Given> given;
  for (std::size_t j = 0; j < has_inertia.size(); ++j) {
    if (has_inertia[j]) continue;
    Given one{j, {}, {}};
    for (std::size_t k = 0; k < system.W_value.size(); ++k) {
      if (index(system.W.col[k]) != j) continue;
      const std::size_t row = index(system.W.row[k]);
      const bool acts = system.D.empty() || system.D[row].is_zero();
      if (!one.entry && in_row[row] == 1 && acts && system.W_value[k].is_constant())
        one.entry = k;
      else
        one.others.push_back(k);
    }
    if (one.entry || (system.is_position_step && one.others.empty())) given.push_back(std::move(one));
  }
  return given;
}

Rest without_given(const System& system) {
  Rest rest;
  rest.given = given_coordinates(system);
  constexpr int kGone = -1;
  std::vector<int> coordinate(index(system.M.rows)), row(index(system.W.rows));
  for (const Given& one : rest.given) {
    coordinate[one.coordinate] = kGone;
    if (one.entry) row[index(system.W.row[*one.entry])] = kGone;
  }
  const auto number = [](std::vector<int>& all, std::vector<std::size_t>& left) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == kGone) continue;
      all[i] = static_cast<int>(left.size());
      left.push_back(i);
    }
    return static_cast<int>(left.size());
  };
  const int n = number(coordinate, rest.coordinates), m = number(row, rest.rows);
  rest.M = {n, n, {}, {}};
  rest.W = {m, n, {}, {}};
  for (std::size_t k = 0; k < system.M.row.size(); ++k) {
    rest.M.row.push_back(coordinate[index(system.M.row[k])]);
    rest.M.col.push_back(coordinate[index(system.M.col[k])]);
  }
  for (std::size_t k = 0; k < system.W.row.size(); ++k) {
    const int i = row[index(system.W.row[k])], j = coordinate[index(system.W.col[k])];
    if (i == kGone || j == kGone) continue;
    rest.entries.push_back(k);
    rest.W.row.push_back(i);
    rest.W.col.push_back(j);
  }
  return rest;
}

struct Plan {
  Rest rest;
  Elimination elimination;
};

// Writes the tape of one function that solves the KKT system.
class Function {
 public:
  Function(const System& system, const Plan& plan)
      : system_(system),
        rest_(plan.rest),
        lowering_(system.M_value.front().graph(), builder_, system.all()),
        kkt_(
            builder_, plan.elimination, rest_.M, [this](std::size_t k) { return value(system_.M_value[k]); }, rest_.W,
            [this](std::size_t k) { return value(system_.W_value[rest_.entries[k]]); },
            system.D.empty() ? KktEmission::Entry()
                             : [this](std::size_t row) { return value(system_.D[rest_.rows[row]]); }) {}

  Operand value(const Expr& expression) { return lowering_.value(expression); }
  Operand argument(TapeArray array, std::size_t entry) { return builder_.argument(array, static_cast<int>(entry)); }

  // Solves the system. Outputs from `first` on: x, then λ if `with_multipliers`, then the trust numbers.
  void solve(const KktEmission::Entry& b, const KktEmission::Entry& c, std::size_t first, bool with_multipliers) {
    const std::size_t n = index(system_.M.rows), left = rest_.coordinates.size();
    for (const Given& one : rest_.given) {
      const Operand x = one.entry && c ? given_by(c(row_of(*one.entry)), one) : Operand::of(0);
      write(first + one.coordinate, x_[one.coordinate] = x);
    }
    KktEmission::Entry b_left, c_left;
    if (b) b_left = [&](std::size_t i) { return b(rest_.coordinates[i]); };
    if (c) c_left = [&](std::size_t r) { return with_given(c(rest_.rows[r]), rest_.rows[r]); };
    kkt_.solve(b_left, c_left, [&](int unknown, Operand x) {
      const std::size_t i = index(unknown);
      if (i < left)
        write(first + rest_.coordinates[i], x);
      else if (with_multipliers)
        write(first + n + rest_.rows[i - left], lambda_[rest_.rows[i - left]] = x);
    });
    if (with_multipliers)
      for (const Given& one : rest_.given)
        if (one.entry) write(first + n + row_of(*one.entry), multiplier_of(one, b));
    const KktEmission::Trust trust = kkt_.trust();
    const std::size_t end = first + n + (with_multipliers ? index(system_.W.rows) : 0);
    write(end, trust.least);
    write(end + 1, trust.largest);
  }

  // Writes for each row i its residual and the size of its terms, Σ_j |W_ij x_j| + |rest_i|, with x one of the argument
  // arrays; outputs 0 … 2m−1.
  void write_residuals(const std::vector<Operand>& residual, TapeArray x, const std::vector<Operand>& rest) {
    std::vector<Operand> size(residual.size(), Operand::of(0));
    for (std::size_t i = 0; i < rest.size(); ++i) size[i] = magnitude(rest[i]);
    for (std::size_t k = 0; k < system_.W_value.size(); ++k) {
      Operand& sum = size[index(system_.W.row[k])];
      sum = builder_.add(sum, magnitude(term(k, x)));
    }
    for (std::size_t i = 0; i < residual.size(); ++i) {
      write(i, residual[i]);
      write(residual.size() + i, size[i]);
    }
  }
  // Writes the residuals h of the holonomic constraints, and the given sizes of their terms.
  void write_levels(const std::vector<Operand>& h, const std::vector<Expr>& size) {
    for (std::size_t i = 0; i < h.size(); ++i) {
      write(i, h[i]);
      write(h.size() + i, value(size[i]));
    }
  }
  // Writes and returns b − M v̇ + Wᵀ λ, then c + W v̇ (rows that do not act have λ = 0), with v̇ and λ among the arguments.
  std::vector<Operand> write_residuals_of_motion(const KktEmission::Entry& b, const KktEmission::Entry& c) {
    const std::size_t n = index(system_.M.rows), m = index(system_.W.rows);
    std::vector<Operand> r;
    for (std::size_t i = 0; i < n; ++i) r.push_back(b(i));
    for (std::size_t i = 0; i < m; ++i) r.push_back(c(i));
    for (std::size_t k = 0; k < system_.M_value.size(); ++k) {
      Operand& sum = r[index(system_.M.row[k])];
      const Operand vdot = builder_.argument(TapeArray::kAcceleration, system_.M.col[k]);
      sum = builder_.subtract(sum, builder_.multiply(value(system_.M_value[k]), vdot));
    }
    for (std::size_t k = 0; k < system_.W_value.size(); ++k) {
      Operand& sum = r[index(system_.W.col[k])];
      const Operand lambda = builder_.argument(TapeArray::kMultiplier, system_.W.row[k]);
      sum = builder_.add(sum, builder_.multiply(value(system_.W_value[k]), lambda));
      Operand& row = r[n + index(system_.W.row[k])];
      row = builder_.add(row, term(k, TapeArray::kAcceleration));
    }
    for (std::size_t i = 0; i < r.size(); ++i)
      if (!r[i].is_constant) write(i, r[i]);
    return r;
  }
  // The product W_ij x_j for entry k of W, in row i and column j.
  Operand term(std::size_t k, TapeArray x) {
    const Operand entry = value(system_.W_value[k]);
    return builder_.multiply(entry, builder_.argument(x, system_.W.col[k]));
  }
  Operand add(Operand x, Operand y) { return builder_.add(x, y); }

  void append(Operand x) { write(outputs_, x); }
  Tape take() { return builder_.take(outputs_); }

 private:
  std::size_t row_of(std::size_t entry) const { return index(system_.W.row[entry]); }
  // From −W_rj x_j = c_r, or −W_rj λ_r = sum.
  Operand given_by(Operand side, const Given& one) {
    return side.is(0) ? side : builder_.divide(builder_.negate(side), value(system_.W_value[*one.entry]));
  }
  // The right-hand side c of a row that is left: −Σ W x over the others = c + Σ W x over those that are given.
  Operand with_given(Operand c, std::size_t row) {
    for (const Given& one : rest_.given)
      for (const std::size_t k : one.others)
        if (row_of(k) == row) c = builder_.add(c, builder_.multiply(value(system_.W_value[k]), x_[one.coordinate]));
    return c;
  }
  // From the equation of a given coordinate, −Σ W_ij λ_i = b_j.
  Operand multiplier_of(const Given& one, const KktEmission::Entry& b) {
    Operand sum = b ? b(one.coordinate) : Operand::of(0);
    for (const std::size_t k : one.others)
      sum = builder_.add(sum, builder_.multiply(value(system_.W_value[k]), lambda_[row_of(k)]));
    return given_by(sum, one);
  }
  Operand magnitude(Operand x) { return builder_.call(Op::kAbs, std::array{x}); }
  void write(std::size_t place, Operand x) {
    builder_.output(static_cast<std::uint32_t>(place), x);
    outputs_ = std::max(outputs_, place + 1);
  }

  const System& system_;
  const Rest& rest_;
  std::unordered_map<std::size_t, Operand> x_, lambda_;  // of given coordinates; of the rows that are left
  TapeBuilder builder_;
  Lowering lowering_;
  KktEmission kkt_;
  std::size_t outputs_ = 0;
};

Tape accelerations(const System& system, const Plan& plan) {
  Function function(system, plan);
  function.solve([&](std::size_t i) { return function.value(system.force[i]); },
                 [&](std::size_t i) { return function.value(system.gamma[i]); }, 0, true);
  return function.take();
}

// Outputs of KktTapes::by_residuals: r, K⁻¹ r and its trust numbers, x and its trust numbers.
struct PlacesByResiduals {
  PlacesByResiduals(std::size_t nv, std::size_t m) : step(nv + m), solution(2 * step + 2) {}
  std::size_t step, solution;
};

Tape accelerations_by_residuals(const System& system, const Plan& plan) {
  Function function(system, plan);
  const std::size_t n = index(system.M.rows);
  const PlacesByResiduals places(n, index(system.W.rows));
  const auto force = [&](std::size_t i) { return function.value(system.force[i]); };
  const auto gamma = [&](std::size_t i) { return function.value(system.gamma[i]); };
  function.solve(force, gamma, places.solution, true);
  const std::vector<Operand> r = function.write_residuals_of_motion(force, gamma);
  function.solve([&](std::size_t i) { return r[i]; }, [&](std::size_t i) { return r[n + i]; }, places.step, true);
  return function.take();
}

// The system with given right sides.
Tape solution(const System& system, const Plan& plan) {
  Function function(system, plan);
  function.solve([&](std::size_t i) { return function.argument(TapeArray::kAcceleration, i); },
                 [&](std::size_t i) { return function.argument(TapeArray::kMultiplier, i); }, 0, true);
  return function.take();
}

// The tape that solves W δq = −h, the step onto the position constraints.
Tape position_step(const System& system, const Plan& plan) {
  Function function(system, plan);
  std::vector<Operand> h;
  for (const Expr& level : system.h) h.push_back(function.value(level));
  if (system.h_size.empty())
    function.write_residuals(h, TapeArray::kCoordinate, {});
  else
    function.write_levels(h, system.h_size);
  function.solve(
      {}, [&](std::size_t i) { return h[i]; }, 2 * h.size(), false);
  return function.take();
}

// The tape that solves W δv = −(Wv + a), the step onto the velocity constraints. `levels` are the expressions of
// KernelFunction::kPosition, which this function writes as well.
Tape velocity_step(const System& system, const std::vector<Expr>& levels, const Plan& plan) {
  Function function(system, plan);
  std::vector<Operand> a, residual;
  for (const Expr& rate : system.a) a.push_back(function.value(rate));
  residual = a;
  for (std::size_t k = 0; k < system.W_value.size(); ++k) {
    Operand& sum = residual[index(system.W.row[k])];
    sum = function.add(sum, function.term(k, TapeArray::kVelocity));
  }
  function.write_residuals(residual, TapeArray::kVelocity, a);
  function.solve(
      {}, [&](std::size_t i) { return residual[i]; }, 2 * residual.size(), false);
  for (const Expr& entry : system.W_value) function.append(function.value(entry));
  for (const Operand& rate : a) function.append(rate);
  for (const Expr& level : levels) function.append(function.value(level));
  return function.take();
}

System system_of(const Equations& equations) {
  return {pattern(equations.M),
          pattern(equations.W),
          equations.M.value,
          equations.W.value,
          generalized_force(equations),
          equations.gamma,
          {},
          equations.a,
          {},
          equations.idle};
}

// The system with only the holonomic rows of W and only their residuals h.
System position_system(const System& all, const Equations& equations) {
  std::vector<int> place(index(equations.m()), -1);
  System system{all.M,
                {static_cast<int>(equations.holonomic.size()), equations.nv(), {}, {}},
                all.M_value,
                {},
                {},
                {},
                {},
                {},
                position_sizes(equations),
                {},
                true};
  for (const int row : equations.holonomic) {
    place[index(row)] = static_cast<int>(system.h.size());
    system.h.push_back(equations.h[index(row)]);
    if (!all.D.empty()) system.D.push_back(all.D[index(row)]);
  }
  for (std::size_t k = 0; k < all.W_value.size(); ++k) {
    const int row = place[index(all.W.row[k])];
    if (row < 0) continue;
    system.W.row.push_back(row);
    system.W.col.push_back(all.W.col[k]);
    system.W_value.push_back(all.W_value[k]);
  }
  return system;
}

// The system in canonical forms, in which sin² + cos² has become 1; empty where one has more than kMostTerms terms.
std::optional<System> simplified(System system) {
  Canonicalizer canonicalizer(system.M_value.front().graph(), kMostTerms);
  for (std::vector<Expr>* part : {&system.M_value, &system.W_value, &system.force, &system.gamma}) {
    for (Expr& expression : *part) {
      const auto form = canonicalizer.canonical(expression);
      if (!form) return std::nullopt;
      expression = canonicalizer.expression(*form);
    }
  }
  return system;
}

// The cost of a tape without its preparation, roughly in multiplications.
std::size_t weight(Tape tape) {
  split_preparation(tape, 0);
  std::size_t sum = 0;
  for (const Instruction& instruction : tape.instructions) {
    const bool division = instruction.op == TapeOp::kDivide || instruction.op == TapeOp::kDivideInto ||
                          instruction.op == TapeOp::kSquareRoot;
    const bool cheap_call =
        instruction.function == Op::kLess || instruction.function == Op::kSelect || instruction.function == Op::kAbs;
    const bool function = instruction.op == TapeOp::kSinCos || (instruction.op == TapeOp::kCall && !cheap_call);
    sum += division ? 5 : function ? 20 : 1;
  }
  return sum;
}

std::optional<Plan> plan_of(const System& system) {
  if (system.M_value.empty()) return std::nullopt;
  Rest rest = without_given(system);
  std::vector<std::optional<Expr>> pivots(rest.coordinates.size());
  for (std::size_t k = 0; k < system.M_value.size(); ++k)
    if (rest.M.row[k] == rest.M.col[k]) pivots[index(rest.M.row[k])] = system.M_value[k];
  std::vector<bool> constant;
  for (const std::optional<Expr>& pivot : pivots) constant.push_back(pivot && has_parameters_only(*pivot));
  std::optional<Elimination> elimination =
      plan_elimination(rest.M.rows, rest.M, rest.W, constant, most_operations(system.M.rows + system.W.rows));
  if (!elimination) return std::nullopt;
  return Plan{std::move(rest), *std::move(elimination)};
}

}  // namespace

bool has_kkt_tapes(const Equations& given) {
  const Equations equations = on_overlay(given);
  if (equations.nv() == 0) return false;
  const System all = system_of(equations);
  if (!plan_of(all)) return false;
  return static_cast<int>(equations.holonomic.size()) == equations.m() || plan_of(position_system(all, equations));
}

JacobianRows rows_by_residuals(std::size_t nv, std::size_t m, bool with_values) {
  const PlacesByResiduals places(nv, m);
  JacobianRows rows(places.step, nv + m, nv + m);
  if (with_values) rows.values_from = places.solution;
  for (std::size_t i = 0; i < nv + m; ++i) {
    const TapeArray array = i < nv ? TapeArray::kAcceleration : TapeArray::kMultiplier;
    rows.held.push_back({{array, static_cast<int>(i < nv ? i : i - nv)}, places.solution + i});
  }
  return rows;
}

std::optional<KktTapes> make_kkt_tapes(const Equations& given, KktUse use) {
  const Equations equations = on_overlay(given);
  const int n = equations.nv(), m = equations.m();
  if (n == 0) return std::nullopt;
  System all = system_of(equations);
  std::optional<Plan> plan = plan_of(all);
  if (!plan) return std::nullopt;
  Tape solved = accelerations(all, *plan);
  const std::size_t as_derived = count_operations(solved);
  if (n + m <= kLargestSimplified) {
    if (std::optional<System> other = simplified(all)) {
      auto other_plan = plan_of(*other);
      Tape other_solved = accelerations(*other, *other_plan);
      if (weight(other_solved) < weight(solved)) {
        all = std::move(*other);
        plan = std::move(other_plan);
        solved = std::move(other_solved);
      }
    }
  }
  const System holonomic = position_system(all, equations);
  const auto position_plan = static_cast<int>(equations.holonomic.size()) == m ? plan : plan_of(holonomic);
  if (!position_plan) return std::nullopt;
  KktTapes tapes{.accelerations = std::move(solved), .operations_as_derived = as_derived};
  if (use == KktUse::kDifferentiate) {
    tapes.by_residuals = accelerations_by_residuals(all, *plan);
    tapes.position_solution = solution(holonomic, *position_plan);
    tapes.velocity_solution = solution(all, *plan);
  } else {
    tapes.position_step = position_step(holonomic, *position_plan);
    tapes.velocity_step = velocity_step(all, kernel_expressions(equations, KernelFunction::kPosition), *plan);
  }
  return tapes;
}

}  // namespace dalembert
