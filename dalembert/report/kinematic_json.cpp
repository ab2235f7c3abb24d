// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/kinematic_json.h"

#include "dalembert/derive/reduce.h"

namespace dalembert {
namespace {

Json list(EquationPrinter& printer, const std::vector<Expr>& values) {
  Json json = Json::array();
  for (const Expr& value : values) json.push_back(text_of(printer.entry(value)));
  return json;
}

// Transposed: one row for each axis, one column for each pair of shape coordinates.
std::vector<std::vector<Expr>> by_axis(const std::vector<std::vector<Expr>>& pairs) {
  std::vector<std::vector<Expr>> rows(pairs.empty() ? 0 : pairs.front().size());
  for (const auto& pair : pairs)
    for (std::size_t r = 0; r < pair.size(); ++r) rows[r].push_back(pair[r]);
  return rows;
}

}  // namespace

Json formulas_json(EquationPrinter& printer, const std::vector<std::vector<Expr>>& rows) {
  Json json = Json::array();
  for (const std::vector<Expr>& row : rows) json.push_back(list(printer, row));
  return json;
}

Json kinematic_json(const Equations& eq, EquationPrinter& printer) {
  const auto form = build_kinematic(eq, eq.model->actuated(), kAskedCost);
  if (!form) return nullptr;
  Json qdot = Json::object();
  for (std::size_t k = 0; k < form->qdot.size(); ++k)
    qdot.append(eq.model->coordinates[static_cast<std::size_t>(form->parts.passive[k])].name,
                text_of(printer.entry(form->qdot[k])));
  return {{"qdot", std::move(qdot)},
          {"connection", formulas_json(printer, form->A)},
          {"drift", list(printer, form->drift)},
          {"singular", list(printer, form->singular)}};
}

Json body_axes_json(const Equations& eq, const LocalConnection* local, EquationPrinter& printer) {
  if (!local) return nullptr;
  Json axes = Json::array();
  for (const int i : local->parts.passive) axes.push_back(eq.model->coordinates[static_cast<std::size_t>(i)].name);
  Json json = {
      {"axes", std::move(axes)},
      {"connection", formulas_json(printer, local->A)},
      {"curvature", local->curvature.empty() ? Json(nullptr) : formulas_json(printer, by_axis(local->curvature))},
      {"singular", list(printer, local->singular)},
      {"momentum", nullptr}};
  if (!local->mixed()) return json;
  Json all = Json::array();
  for (std::size_t k = 0; k < local->p.size(); ++k)
    all.push_back({{"name", text_of(printer.entry(local->p[k]))},
                   {"definition", text_of(printer.entry(local->momentum[k]))},
                   {"rate", text_of(printer.entry(local->pdot[k]))},
                   {"alpha", formulas_json(printer, local->alpha[k])},
                   {"beta", formulas_json(printer, local->beta[k])},
                   {"gamma", formulas_json(printer, local->gamma[k])},
                   {"rest", text_of(printer.entry(local->rest[k]))}});
  json["momentum"] = {{"p", std::move(all)}, {"B", formulas_json(printer, local->B)}};
  return json;
}

}  // namespace dalembert
