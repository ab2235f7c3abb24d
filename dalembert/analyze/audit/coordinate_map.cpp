// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/coordinate_map.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/scope.h"
#include "dalembert/model/roles.h"

namespace dalembert {
namespace {

// The names that a formula of a map may have.
class MapScope : public Scope {
 public:
  explicit MapScope(const Equations& here) : here_(here), solver_(here.model->has_units) {
    for (const Parameter& parameter : here.model->parameters)
      add(parameter.name, parameter.symbol, parameter.dimension, true);
    for (const Output& definition : here.model->definitions)
      add(definition.name, definition.expression, definition.dimension, false);
    for (const Coordinate& coordinate : here.model->coordinates) {
      Meaning& meaning = add(coordinate.name, coordinate.q, coordinate.dimension, false);
      meaning.velocity = graph().adopt(coordinate.qd);
      meaning.acceleration = graph().adopt(coordinate.qdd);
    }
    add("t", here.t, Dimension::time(), false);
  }

  Graph& graph() override { return *here_.graph; }
  DimensionSolver& dimensions() override { return solver_; }
  bool time_has_its_unit() const override { return true; }
  bool declares(std::string_view name) override { return known_.contains(std::string(name)); }

  Meaning name(std::string_view name) override {
    const auto found = known_.find(std::string(name));
    return found == known_.end() ? Meaning{} : found->second;
  }

  Meaning component(std::string_view point, int axis) override {
    const std::vector<Point>& points = here_.model->points;
    const auto found = std::ranges::find(points, point, &Point::name);
    if (found == points.end() || static_cast<std::size_t>(axis) >= found->position.size()) return {};
    return Meaning::known(graph().adopt(found->position[static_cast<std::size_t>(axis)]),
                          DimensionTerm(Dimension::length()));
  }

  std::optional<Diagnostic> refuse(SymbolKind kind, std::string_view name, const Span& span) override {
    return refusal(Role::kGeometry, kind, name, span);
  }

  std::vector<std::string> candidates(Candidates which) override {
    std::vector<std::string> found;
    if (which == Candidates::kNames)
      for (const auto& [name, meaning] : known_) found.push_back(name);
    if (which == Candidates::kPoints)
      for (const Point& point : here_.model->points) found.push_back(point.name);
    return found;
  }

 private:
  Meaning& add(const std::string& name, const Expr& value, const std::optional<Dimension>& dimension, bool anchored) {
    const DimensionTerm term = dimension ? DimensionTerm(*dimension) : solver_.fresh();
    return known_.insert_or_assign(name, Meaning::known(graph().adopt(value), term, anchored)).first->second;
  }

  const Equations& here_;
  DimensionSolver solver_;
  std::map<std::string, Meaning> known_;
};

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const Coordinate& c : model.coordinates) names.push_back(c.name);
  return names;
}

Diagnostic no_coordinate(const Model& there, const StudyStatement::Named& one) {
  Diagnostic problem = error("E0434", fmt::format("`{}` is no coordinate of {}", one.name, there.name), one.place);
  if (const auto near = nearest(one.name, names_of(there)))
    problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  else
    problem.help.push_back(fmt::format("its coordinates are {}; a map says what they are in those of the other model",
                                       join_words(names_of(there))));
  return problem;
}

Diagnostic no_formula(const Model& here, const Model& there, const Coordinate& coordinate) {
  Diagnostic problem =
      error("E0434", fmt::format("the map does not say what `{}` of {} is", coordinate.name, there.name));
  problem.help.push_back(
      fmt::format("state it as a formula of {}, the coordinates of {}", join_words(names_of(here)), here.name));
  return problem;
}

}  // namespace

Result<CoordinateMap> read_coordinate_map(const Equations& here, const Equations& there,
                                          const std::vector<StudyStatement::Named>& written) {
  CoordinateMap map;
  map.q.resize(there.q.size());
  Diagnostics problems;
  MapScope scope(here);
  std::vector<bool> named(there.q.size());
  for (const StudyStatement::Named& one : written) {
    const int index = there.model->coordinate_index(one.name);
    if (index < 0) {
      problems.push_back(no_coordinate(*there.model, one));
      continue;
    }
    const auto i = static_cast<std::size_t>(index);
    if (named[i]) {
      problems.push_back(error("E0434", fmt::format("the map says twice what `{}` is", one.name), one.place));
      problems.back().help.emplace_back("leave one of the two out");
      continue;
    }
    named[i] = true;
    const Result<Ast> ast = parse_ast(one.text);
    if (!ast) {
      problems.insert(problems.end(), ast.diagnostics().begin(), ast.diagnostics().end());
      continue;
    }
    const Lowered lowered = lower(*ast, scope, {}, problems);
    if (!lowered.value) continue;
    if (const auto& dimension = there.model->coordinates[i].dimension)
      expect_dimension(lowered, DimensionTerm(*dimension), fmt::format("`{}` of {}", one.name, there.model->name),
                       one.text.trimmed().span(), scope, problems);
    map.q[i] = lowered.value;
    map.texts.emplace_back(one.name, one.text.trimmed().text);
  }
  for (std::size_t i = 0; i < there.q.size(); ++i) {
    const Coordinate& coordinate = there.model->coordinates[i];
    const int same = here.model->coordinate_index(coordinate.name);
    if (named[i]) continue;
    if (same < 0)
      problems.push_back(no_formula(*here.model, *there.model, coordinate));
    else
      map.q[i] = here.q[static_cast<std::size_t>(same)];
  }
  if (!problems.empty()) return problems;
  return map;
}

}  // namespace dalembert
