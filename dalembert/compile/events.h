// SPDX-License-Identifier: Apache-2.0
// The events of a model as functions of numbers (dynamics/events.h).
#pragma once

#include <memory>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/events.h"

namespace dalembert {

/// The model's events; null where it states none. Adds nodes to the graph of the equations.
std::shared_ptr<const Events> compile_events(const Equations& equations);

}  // namespace dalembert
