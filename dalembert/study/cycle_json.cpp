// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/json_documents.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/cycle.h"
#include "dalembert/study/eigenvalues.h"

namespace dalembert {

Json cycle_json(const BuiltModel& system, const Cycle& cycle) {
  const Names& names = system.dynamics.names();
  Json multipliers = Json::array(), free = Json::array();
  for (const std::complex<double>& m : cycle.multipliers) multipliers.push_back(complex_json(m));
  for (const Cycle::Free& one : cycle.free)
    free.push_back(
        {{"multiplier", one.multiplier.imag() == 0 ? Json(one.multiplier.real()) : complex_json(one.multiplier)},
         {"because", one.because}});
  Json json = {{"model", names.model},
               {"found", cycle.found},
               {"reason", cycle.reason},
               {"period", cycle.period},
               {"state",
                {{"t", cycle.state.t},
                 {"q", named_json(names.coordinates, cycle.state.q)},
                 {"qd", named_json(names.of_motion(), cycle.state.v)}}},
               {"residual", cycle.residual},
               {"multipliers", std::move(multipliers)},
               {"uncertainty", cycle.uncertainty},
               {"stable", cycle.stable ? Json(*cycle.stable) : Json(nullptr)},
               {"free", std::move(free)}};
  if (cycle.found) {
    json["events"] = events_json(cycle.run);
    json["verdict"] = verdict_json(cycle.run.verdict);
  }
  return json;
}

}  // namespace dalembert
