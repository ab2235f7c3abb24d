// SPDX-License-Identifier: Apache-2.0
// Model: coordinates that follow a function of time.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/expr/print.h"
#include "dalembert/model/model.h"
#include "dalembert/model/roles.h"

namespace dalembert {

bool Model::may_prescribe(const Coordinate& coordinate, bool again) {
  const int index = coordinate_index(coordinate.name);
  if (index < 0 || !coordinates[static_cast<std::size_t>(index)].q.same(coordinate.q)) {
    problem("E0102", fmt::format("unknown coordinate `{}`", coordinate.name));
    return false;
  }
  const auto known = std::ranges::find(prescribed, index, &Prescribed::coordinate);
  if (again || known == prescribed.end()) return true;
  problem("E0008", fmt::format("the coordinate `{}` is prescribed twice", coordinate.name));
  if (known->span) diagnostics_.back().secondary.push_back({known->span, "first here"});
  return false;
}

void Model::prescribe(const Coordinate& coordinate, const Expr& value) {
  if (may_prescribe(coordinate, false)) prescribe_instead(coordinate, value);
}

void Model::prescribe_instead(const Coordinate& coordinate, const Expr& value) {
  if (!may_prescribe(coordinate, true) || !takes(Role::kPrescribed, {value})) return;
  const int index = coordinate_index(coordinate.name);
  if (const auto known = std::ranges::find(prescribed, index, &Prescribed::coordinate); known != prescribed.end()) {
    known->value = value;
    known->span = here;
    return;
  }
  const std::string force = fmt::format("actuation({})", coordinate.name);
  // The index is provisional: the final index in kernels follows those of all rows, which are known when the equations are derived.
  const Expr actuation = graph->add_symbol({force, SymbolKind::kMultiplier, static_cast<int>(multipliers_.size()),
                                            fmt::format("F_{{{}}}", dalembert::print(coordinate.q, Notation::kLatex))});
  multipliers_.emplace(force, actuation);
  prescribed.push_back({index, value, actuation, here});
  std::ranges::sort(prescribed, {}, &Prescribed::coordinate);
}

void Model::prescribe(const Coordinate& coordinate, std::vector<double> time, std::vector<double> value) {
  if (!may_prescribe(coordinate, false) || !are_samples(coordinate.name, time, value, true)) return;
  const std::size_t first = inputs.size();
  const Expr spline = add_spline(fmt::format("prescribed({})", coordinate.name));
  for (std::size_t i = first; i < inputs.size(); ++i) inputs[i].value = {};
  inputs[first].time = std::move(time);
  inputs[first].sample = std::move(value);
  if (const auto& unit = coordinates[static_cast<std::size_t>(coordinate_index(coordinate.name))].dimension; unit) {
    Dimension dimension = *unit;
    for (std::size_t i = first; i < inputs.size(); ++i, dimension = dimension / Dimension::time())
      inputs[i].dimension = dimension;
  }
  prescribe_instead(coordinate, spline);
}

std::vector<int> Model::actuated() const {
  std::vector<int> all;
  for (const Prescribed& one : prescribed) all.push_back(one.coordinate);
  return all;
}

Span Model::row_span(std::size_t r) const {
  const std::vector<const ConstraintRow*> own = rows();
  if (r < own.size()) return own[r]->span;
  return r - own.size() < prescribed.size() ? prescribed[r - own.size()].span : Span{};
}

}  // namespace dalembert
