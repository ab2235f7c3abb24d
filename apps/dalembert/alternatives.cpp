// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/alternatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/dalembert/layout.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/study/start_warnings.h"

namespace dalembert::app {
namespace {

// How complete the list of alternatives is.
std::string describe_search(const Alternatives& others, const AssemblyProof& proof) {
  std::string said;
  switch (others.search) {
    case Alternatives::Search::kNone:
    case Alternatives::Search::kFree:
      return "";  // no list, so nothing to say about it
    case Alternatives::Search::kTooLarge:
    case Alternatives::Search::kAttitudes:
      said = fmt::format("other assemblies were not looked for: {}", to_text(others.search));
      break;
    case Alternatives::Search::kDone: {
      if (proof.outcome == AssemblyProof::Outcome::kComplete) {
        said = others.q.empty()
                   ? "there is no other assembly: bounds of the constraints exclude one everywhere else"
                   : "there are no more assemblies: bounds of the constraints exclude them everywhere else";
        break;
      }
      const int least = *std::ranges::min_element(others.met);
      const std::string starts = counted(others.starts, "random start", "random starts");
      if (others.covered)
        said = fmt::format(
            "{}, which reached each assembly at least {} times; one that fewer than 1 in {} starts reach may be "
            "missing",
            starts, least, static_cast<int>(1 / others.missing_below()));
      else
        said = fmt::format("{} (the limit), which reached some assemblies {}: others may be missing", starts,
                           least == 0   ? "not at all"
                           : least == 1 ? "once"
                                        : fmt::format("{} times only", least));
      if (others.singular > 0)
        said += fmt::format("; {} led to singular positions that are not listed", others.singular);
    }
  }
  return fmt::format("  {:<14}{}\n", "searched", wrapped(said, 94, 16));
}

}  // namespace

AssemblyProof decide_completeness(const System& system, const ModelStart& start, const Alternatives& others) {
  if (others.search != Alternatives::Search::kDone || !others.covered || others.singular > 0) return {};
  std::vector<std::vector<double>> known{start.assembly.state.q};
  known.insert(known.end(), others.q.begin(), others.q.end());
  std::vector<int> free;
  for (std::size_t i = 0; i < start.held.hold_position.size(); ++i)
    if (!start.held.hold_position[i]) free.push_back(static_cast<int>(i));
  const auto parameters = system.dynamics.parameters();
  return prove_complete(system.equations, start.assembly.state.t, {parameters.begin(), parameters.end()}, known, free,
                        others.angle);
}

std::string describe_alternatives(const System& system, const ModelStart& start, const Alternatives& others,
                                  const AssemblyProof& proof) {
  std::string text;
  for (std::size_t k = 0; k < others.q.size(); ++k) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < others.q[k].size(); ++i)
      if (!start.held.hold_position[i]) items.push_back(value_text(system, i, others.q[k][i]));
    text += labelled_list(k == 0 ? "alternatives" : "", items);
  }
  return text + describe_search(others, proof);
}

Json alternatives_json(const System& system, const ModelStart& start, const Alternatives& others) {
  Json list = Json::array();
  for (const std::vector<double>& q : others.q) {
    Json values = Json::object();
    for (std::size_t i = 0; i < q.size(); ++i)
      if (!start.held.hold_position[i]) values.append(system.dynamics.names().coordinates[i], q[i]);
    list.push_back({{"q", values}});
  }
  return list;
}

Json alternatives_search_json(const Alternatives& others, const AssemblyProof& proof) {
  const bool searched = others.search == Alternatives::Search::kDone;
  Json met = Json::array();
  for (const int times : others.met) met.push_back(times);
  return {{"searched", searched},
          {"because", text_or_null(std::string(to_text(others.search)))},
          {"starts", others.starts},
          {"met", std::move(met)},
          {"led_nowhere", others.led_nowhere},
          {"singular", others.singular},
          {"covered", others.covered},
          {"missing_below", searched ? Json(others.missing_below()) : Json(nullptr)},
          {"complete", proof.outcome == AssemblyProof::Outcome::kComplete},
          {"boxes", proof.boxes}};
}

}  // namespace dalembert::app
