// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/kinematic.h"

#include <algorithm>

#include "dalembert/derive/minors.h"
#include "dalembert/derive/state_relations.h"

namespace dalembert {

std::vector<int> actuated_velocities(const Equations& equations) {
  if (equations.v_is_qdot()) return equations.model->actuated();
  const Expr one = equations.t.graph().constant(1);
  std::vector<int> velocities;
  for (const int i : equations.model->actuated())
    for (int j = 0; j < equations.nv(); ++j)
      if (const Expr entry = equations.N.find(i, j); entry && entry.same(one)) velocities.push_back(j);
  return velocities;
}

Partition partition(const Equations& equations, const std::vector<int>& actuated) {
  Partition parts;
  for (int i = 0; i < equations.nv(); ++i)
    (std::ranges::find(actuated, i) == actuated.end() ? parts.passive : parts.actuated).push_back(i);
  return parts;
}

std::string_view to_text(NotKinematic why) {
  switch (why) {
    case NotKinematic::kRows:
      return "there are not as many constraint rows as passive coordinates";
    case NotKinematic::kSingular:
      return "the constraints do not determine the passive velocities in any position";
    case NotKinematic::kTooLarge:
      return "the formulas are too large to be read";
  }
  return {};
}

std::vector<std::vector<Expr>> dense_columns(const SparseMatrix& matrix, const std::vector<int>& columns) {
  std::vector<int> place(static_cast<std::size_t>(matrix.cols), -1);
  for (std::size_t k = 0; k < columns.size(); ++k) place[static_cast<std::size_t>(columns[k])] = static_cast<int>(k);
  std::vector<std::vector<Expr>> dense(static_cast<std::size_t>(matrix.rows), std::vector<Expr>(columns.size()));
  for (std::size_t k = 0; k < matrix.value.size(); ++k)
    if (const int at = place[static_cast<std::size_t>(matrix.col[k])]; at >= 0)
      dense[static_cast<std::size_t>(matrix.row[k])][static_cast<std::size_t>(at)] = matrix.value[k];
  return dense;
}

std::optional<KinematicForm> build_kinematic(const Equations& eq, const std::vector<int>& actuated, int max_cost,
                                             NotKinematic* why) {
  const auto refuse = [&](NotKinematic reason) {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  };
  KinematicForm form;
  form.graph = eq.graph;
  form.parts = partition(eq, actuated);
  const std::size_t n = form.parts.passive.size(), m = static_cast<std::size_t>(eq.m());
  if (n == 0 || n != m || form.parts.actuated.empty()) return refuse(NotKinematic::kRows);

  ShortForms forms(*eq.graph, max_cost, state_relations(eq));
  const auto W_p = dense_columns(eq.W, form.parts.passive), W_a = dense_columns(eq.W, form.parts.actuated);
  std::vector<std::vector<Expr>> right;
  for (std::size_t j = 0; j < form.parts.actuated.size(); ++j) {
    std::vector<Expr>& column = right.emplace_back();
    for (std::size_t r = 0; r < m; ++r) column.push_back(W_a[r][j]);
  }
  right.push_back(eq.a);
  const CramerSolution solved = solve_by_minors(forms, W_p, right);
  if (!forms.possible()) return refuse(NotKinematic::kTooLarge);
  if (!solved.determinant) return refuse(NotKinematic::kSingular);

  const Expr zero = eq.graph->constant(0);
  form.determinant = solved.determinant;
  form.singular = forms.vanishing_factors(solved.determinant);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Expr>& row = form.A.emplace_back();
    const Expr& drift = solved.x.back()[i];
    form.drift.push_back(drift ? drift : zero);
    std::vector<Graph::Term> rate{{form.drift.back(), -1}};
    for (std::size_t j = 0; j < form.parts.actuated.size(); ++j) {
      const Expr& entry = solved.x[j][i];
      row.push_back(entry ? entry : zero);
      rate.push_back({row.back() * eq.qd[static_cast<std::size_t>(form.parts.actuated[j])], -1});
    }
    form.qdot.push_back(eq.graph->sum(rate));
  }
  return form;
}

}  // namespace dalembert
