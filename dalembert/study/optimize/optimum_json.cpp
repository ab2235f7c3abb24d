// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "dalembert/report/json_documents.h"
#include "dalembert/study/optimize.h"

namespace dalembert {

std::string_view to_text(Optimum::Status status) {
  switch (status) {
    case Optimum::Status::kFound:
      return "found";
    case Optimum::Status::kNotProved:
      return "not proved";
    case Optimum::Status::kInfeasible:
      return "infeasible";
    case Optimum::Status::kNothing:
      return "nothing";
    case Optimum::Status::kInterrupted:
      return "interrupted";
  }
  return "";
}

namespace {

Json start_json(const Optimum& optimum, const OptimizationStart& start) {
  return {{"from", named_json(optimum.names, start.from)},
          {"to", start.to.empty() ? Json(nullptr) : named_json(optimum.names, start.to)},
          {"objective", start.objective},
          {"feasible", start.feasible},
          {"points", start.points},
          {"ended", start.ended},
          {"without_derivatives", start.without_derivatives.empty() ? Json(nullptr) : Json(start.without_derivatives)}};
}

}  // namespace

Json optimum_json(const Optimum& optimum) {
  Json parameters = Json::object(), constraints = Json::array(), active = Json::array(), starts = Json::array(),
       failures = Json::array();
  for (std::size_t k = 0; k < optimum.names.size(); ++k)
    parameters.append(optimum.names[k], {{"value", optimum.values.empty() ? Json(nullptr) : Json(optimum.values[k])},
                                         {"unit", optimum.units[k]},
                                         {"from", optimum.lower[k]},
                                         {"to", optimum.upper[k]}});
  for (std::size_t i = 0; i < optimum.constraints.size(); ++i)
    constraints.push_back(
        {{"constraint", optimum.constraints[i]},
         {"difference", i < optimum.differences.size() ? Json(optimum.differences[i]) : Json(nullptr)}});
  for (const ActiveLimit& limit : optimum.active)
    active.push_back({{limit.kind == ActiveLimit::Kind::kConstraint ? "constraint" : "bound", limit.text},
                      {"multiplier", limit.multiplier},
                      {"unit", limit.unit}});
  for (const OptimizationStart& start : optimum.starts) starts.push_back(start_json(optimum, start));
  for (const auto& [reason, count] : optimum.failures) failures.push_back({{"reason", reason}, {"count", count}});
  Json json = {{"status", to_text(optimum.status)},
               {"message", optimum.message},
               {"parameters", std::move(parameters)},
               {"objective", optimum.objective},
               {"objective_unit", optimum.objective_unit},
               {"constraints", std::move(constraints)},
               {"active", std::move(active)},
               {"stationarity", optimum.stationarity},
               {"notes", Json(optimum.notes)},
               {"best_start", static_cast<std::int64_t>(optimum.best)},
               {"starts", std::move(starts)},
               {"runs", optimum.runs},
               {"gradients", optimum.gradients},
               {"failures", std::move(failures)}};
  json["verdict"] = optimum.values.empty() ? Json(nullptr) : verdict_json(optimum.run.verdict);
  return json;
}

}  // namespace dalembert
