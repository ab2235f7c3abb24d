// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/residuals.h"

#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/compile/kernel_expressions.h"

namespace dalembert {
namespace {

using Sums = std::vector<std::vector<Expr>>;

std::vector<Expr> add_up(const Equations& eq, const Sums& sums) {
  std::vector<Expr> all;
  for (const std::vector<Expr>& terms : sums) all.push_back(eq.graph->sum(terms));
  return all;
}

// matrix · x + begin.
std::vector<Expr> affine(const Equations& eq, const SparseMatrix& matrix, const std::vector<Expr>& x,
                         const std::vector<Expr>& begin) {
  Sums sums(begin.size());
  for (std::size_t i = 0; i < begin.size(); ++i) sums[i].push_back(begin[i]);
  for (std::size_t k = 0; k < matrix.value.size(); ++k)
    sums[index(matrix.row[k])].push_back(matrix.value[k] * x[index(matrix.col[k])]);
  return add_up(eq, sums);
}

Sums terms_of_forces(const Equations& eq) {
  Sums r(index(eq.nv()));
  const std::vector<Expr> f = generalized_force(eq);
  const std::vector<Expr>& vdot = eq.accelerations();
  for (std::size_t i = 0; i < r.size(); ++i) r[i].push_back(-f[i]);
  for (std::size_t k = 0; k < eq.M.value.size(); ++k)
    r[index(eq.M.row[k])].push_back(eq.M.value[k] * vdot[index(eq.M.col[k])]);
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    r[index(eq.W.col[k])].push_back(-(eq.W.value[k] * eq.lambda[index(eq.W.row[k])]));
  for (std::size_t k = 0; k < eq.Phi.value.size(); ++k)
    r[index(eq.Phi.row[k])].push_back(-(eq.Phi.value[k] * eq.lambda[index(eq.Phi.col[k])]));
  return r;
}

}  // namespace

std::vector<Expr> force_residuals(const Equations& eq) { return add_up(eq, terms_of_forces(eq)); }

std::vector<Expr> acceleration_rows(const Equations& eq) { return affine(eq, eq.W, eq.accelerations(), eq.gamma); }

std::vector<Expr> velocity_rows(const Equations& eq) { return affine(eq, eq.W, eq.velocities(), eq.a); }

std::vector<Expr> rates_of_coordinates(const Equations& eq) {
  return eq.v_is_qdot() ? eq.velocities() : affine(eq, eq.N, eq.velocities(), eq.n0);
}

std::vector<Expr> friction_residuals(const Equations& eq) {
  Sums r = terms_of_forces(eq);
  for (std::size_t k = 0; k < eq.C.value.size(); ++k)
    r[index(eq.C.col[k])].push_back(eq.C.value[k] * eq.frictions[index(eq.C.row[k])].force);
  std::vector<Expr> all = add_up(eq, r);
  const auto add = [&](const std::vector<Expr>& list) { all.insert(all.end(), list.begin(), list.end()); };
  const auto of_frictions = [&](Expr FrictionLaw::*part) {
    std::vector<Expr> list;
    for (const FrictionLaw& law : eq.frictions) list.push_back(law.*part);
    return list;
  };
  add(acceleration_rows(eq));
  add(affine(eq, eq.C, eq.accelerations(), of_frictions(&FrictionLaw::gamma)));
  add(affine(eq, eq.load, eq.lambda, of_frictions(&FrictionLaw::N0)));
  add(affine(eq, eq.C, eq.velocities(), of_frictions(&FrictionLaw::c0)));
  add(of_frictions(&FrictionLaw::mu));
  add(of_frictions(&FrictionLaw::viscous));
  return all;
}

std::vector<Expr> rows_of_state(const Equations& eq) {
  std::vector<Expr> all;
  for (const int row : eq.holonomic) all.push_back(eq.h[index(row)]);
  const std::vector<Expr> w = velocity_rows(eq);
  all.insert(all.end(), w.begin(), w.end());
  std::vector<Expr> c0;
  for (const FrictionLaw& law : eq.frictions) c0.push_back(law.c0);
  const std::vector<Expr> speeds = affine(eq, eq.C, eq.velocities(), c0);
  all.insert(all.end(), speeds.begin(), speeds.end());
  return all;
}

}  // namespace dalembert
