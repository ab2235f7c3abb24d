// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/section.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/events.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// Names of the events, and of the rows of the contacts, in the order of their indices.
std::vector<std::string> names_of_events(const BuiltModel& system) {
  std::vector<std::string> names;
  for (const Event& event : system.model->events) names.push_back(event.name);
  return names;
}

std::vector<std::string> names_of_contacts(const BuiltModel& system) {
  std::vector<std::string> names;
  if (const Contacts* contacts = system.dynamics.contacts())
    for (const Contacts::Contact& contact : contacts->contacts)
      names.push_back(system.dynamics.names().rows[static_cast<std::size_t>(contact.row)]);
  return names;
}

int index_in(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace

Section section_of(const BuiltModel& system, const std::string& name) {
  if (name.empty()) return {};
  Section section{.event = index_in(names_of_events(system), name)};
  if (section.event < 0) section.contact = index_in(names_of_contacts(system), name);
  return section;
}

Diagnostic no_such_section(const BuiltModel& system, const std::string& name) {
  std::vector<std::string> known = names_of_events(system);
  for (std::string& contact : names_of_contacts(system)) known.push_back(std::move(contact));
  Diagnostic problem = error("E0102", fmt::format("there is no event or contact `{}`", name));
  if (const auto near = nearest(name, known)) problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  return problem;
}

std::optional<double> seconds_to_event(const Dynamics& dynamics, const State& state, int event) {
  const Events& events = *dynamics.events();
  const auto which = static_cast<std::size_t>(event);
  if (events.events[which].reads_integrals || !events.events[which].has_rate) return std::nullopt;
  const std::shared_ptr<Workspace> workspace = make_workspace(dynamics);
  const KktSolution solution = solve_kkt(dynamics, state, *workspace);
  if (solution.status != KktStatus::kOk) return std::nullopt;
  evaluate_inputs(dynamics, state.t, *workspace);
  KernelArguments in = kernel_arguments(dynamics, state.t, state.q.data(), state.v.data(), *workspace);
  std::vector<double> work(events.work_size()), g(events.events.size()), rate(g.size());
  in.qdd = solution.qdd.data();
  in.lambda = solution.lambda.data();
  in.work = work.data();
  events.watch(in, g.data(), rate.data());
  const double seconds = -g[which] / rate[which];
  return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

}  // namespace dalembert
