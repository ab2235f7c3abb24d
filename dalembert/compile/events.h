// SPDX-License-Identifier: Apache-2.0
// The events of a model as functions of numbers (dynamics/events.h).
#pragma once

#include <memory>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/events.h"

namespace dalembert {

/// What the model's events are made of, in the symbols that kernels read.
struct EventExpressions {
  std::vector<Events::Event> events;
  std::vector<Expr> functions;              ///< what passes 0, of each event
  std::vector<Expr> rates;                  ///< rates of these along the motion; 0 where they are not known
  std::vector<Expr> conditions;             ///< null: the event has none
  std::vector<std::vector<Expr>> settings;  ///< of each event: values of its coordinates, then of its velocities
};
/// Adds nodes to the graph of the equations.
EventExpressions event_expressions(const Equations& equations);

/// The model's events; null where it states none. Adds nodes to the graph of the equations.
std::shared_ptr<const Events> compile_events(const Equations& equations);

}  // namespace dalembert
