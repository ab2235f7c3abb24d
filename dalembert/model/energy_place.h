// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dalembert/model/model.h"

namespace dalembert {

/// Where the kinetic or potential energy is stated: in [energy], else by the first body; empty where nothing has a place.
Span energy_place(const Model& model, bool potential);

}  // namespace dalembert
