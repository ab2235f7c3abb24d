// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/energy_place.h"

namespace dalembert {

Span energy_place(const Model& model, bool potential) {
  if (model.L_span) return model.L_span;
  const Span& stated = potential ? model.V_span : model.T_span;
  if (stated) return stated;
  if (!model.bodies.empty()) return model.bodies.front().span;
  return model.coordinates.empty() ? Span{} : model.coordinates.front().span;
}

}  // namespace dalembert
