// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/report_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/expr/print.h"
#include "dalembert/report/packed_numbers.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostFrames = 600, kFewestFrames = 25, kMostPlaces = 240'000;

const std::vector<double>* find_column(const Table& run, const std::string& name) {
  const auto at = std::ranges::find(run.names, name);
  return at == run.names.end() ? nullptr : &run.columns[static_cast<std::size_t>(at - run.names.begin())];
}

std::vector<double> row_of(const std::vector<const std::vector<double>*>& columns, std::size_t row, double otherwise) {
  std::vector<double> values;
  for (const std::vector<double>* column : columns) values.push_back(column ? (*column)[row] : otherwise);
  return values;
}

Json vector_json(const ScenePoint& v) { return {v[0], v[1], v[2]}; }

Json indices(const std::vector<int>& list) {
  Json json = Json::array();
  for (const int index : list) json.push_back(index);
  return json;
}

}  // namespace

RunStates states_of_run(const Table& run, const Names& names, std::size_t most) {
  std::vector<const std::vector<double>*> q, v, lambda;
  for (const std::string& name : names.coordinates) q.push_back(find_column(run, "q/" + name));
  for (const std::string& name : names.of_motion()) v.push_back(find_column(run, "v/" + name));
  for (const std::string& name : names.rows) lambda.push_back(find_column(run, "lambda/" + name));
  for (const std::string& name : names.frictions) lambda.push_back(find_column(run, "friction/" + name));

  RunStates states;
  const std::size_t rows = run.rows(), count = std::min(rows, std::max<std::size_t>(most, 2));
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t row = count < 2 ? 0 : k * (rows - 1) / (count - 1);
    states.states.push_back({run.columns[0][row], row_of(q, row, 0), row_of(v, row, 0)});
    states.lambda.push_back(row_of(lambda, row, std::numeric_limits<double>::quiet_NaN()));
  }
  return states;
}

std::size_t most_frames(const Scene& scene) {
  const std::size_t places = (scene.tracks.size() + scene.forces.size()) * static_cast<std::size_t>(scene.space);
  return std::clamp(kMostPlaces / std::max<std::size_t>(places, 1), kFewestFrames, kMostFrames);
}

Json scene_json(const Scene& scene, const Dynamics& dynamics, const Equations& equations, const RunStates& run) {
  const auto space = static_cast<std::size_t>(scene.space);
  Json tracks = Json::array(), shapes = Json::array(), forces = Json::array();
  for (const SceneTrack& track : scene.tracks) tracks.push_back({{"name", track.name}, {"label", track.label}});
  for (const SceneShape& shape : scene.shapes)
    shapes.push_back({{"kind", std::string(to_text(shape.kind))},
                      {"tracks", indices(shape.tracks)},
                      {"name", shape.name},
                      {"size", shape.size},
                      {"direction", vector_json(shape.direction)}});
  for (const SceneForce& force : scene.forces) {
    Json series = Json::array();
    std::string formula;
    for (const int row : force.rows) {
      const auto r = static_cast<std::size_t>(row), rows = equations.rows.size();
      series.push_back(r < rows ? "lambda/" + equations.rows[r] : "friction/" + equations.frictions[r - rows].name);
      formula += (formula.empty() ? "" : ",\\ ") +
                 to_latex(r < rows ? equations.lambda[r] : equations.frictions[r - rows].force);
    }
    forces.push_back({{"name", force.name},
                      {"track", force.track},
                      {"unit", force.unit},
                      {"turns", force.turns},
                      {"opposite", force.opposite < 0 ? Json() : Json(force.opposite)},
                      {"series", std::move(series)},
                      {"formula", formula}});
  }

  SceneEvaluator evaluator(scene, dynamics);
  std::vector<double> times, places, vectors;
  for (std::size_t k = 0; k < run.states.size(); ++k) {
    const SceneInstant instant = evaluator.at(run.states[k], run.lambda[k]);
    if (!std::ranges::all_of(instant.at, [](const ScenePoint& p) { return std::isfinite(p[0] + p[1] + p[2]); }))
      continue;
    times.push_back(instant.t);
    for (const ScenePoint& p : instant.at) places.insert(places.end(), p.begin(), p.begin() + space);
    for (const ScenePoint& f : instant.force) vectors.insert(vectors.end(), f.begin(), f.begin() + space);
  }
  return {
      {"space", scene.space},
      {"size", scene.size},
      {"up", scene.up},
      {"gravity", vector_json(scene.gravity)},
      {"floor", scene.floor ? Json(*scene.floor) : Json()},
      {"simplified", scene.simplified},
      {"tracks", std::move(tracks)},
      {"shapes", std::move(shapes)},
      {"traces", indices(scene.traces)},
      {"forces", std::move(forces)},
      {"frames",
       {{"count", times.size()}, {"time", packed(times)}, {"positions", packed(places)}, {"forces", packed(vectors)}}}};
}

}  // namespace dalembert
