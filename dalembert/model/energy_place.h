// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dalembert/model/model.h"

namespace dalembert {

/// Where the kinetic or potential energy is stated: in [energy], else at the first body, else at the first coordinate; empty if none has a place.
Span energy_place(const Model& model, bool potential);

}  // namespace dalembert
