// SPDX-License-Identifier: Apache-2.0
// What can be said of a system without running it: for `analyze` and for reports.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/dalembert/system_at.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/analyze/equilibria.h"
#include "dalembert/analyze/integrability.h"
#include "dalembert/analyze/redundancy.h"
#include "dalembert/store/json_value.h"

namespace dalembert::app {

/// Velocities and constraint rows together: what is dense and tried from many starts.
inline constexpr int kMostAnalyzed = 200;

/// And what the frictions do there.
struct Found : Equilibrium {
  std::shared_ptr<const Unheld> unheld;
};

struct Analysis {
  ConstraintRank rank;
  Integrability integrability;
  std::vector<Found> equilibria;
  std::vector<std::pair<std::string, std::string>> conserved, first_integrals;  ///< name or row, formula
  bool searched = false;              ///< for equilibria: the system does not depend on time
  std::optional<SystemAt> alone;      ///< equilibria are those of the quasi-velocities
  std::vector<std::string> left_out;  ///< coordinates that drop out with the constraints
};

/// Of a system of at most kMostAnalyzed; `search`: for equilibria and steady motions too.
Analysis analyze_system(const SystemAt& given, bool search, Terminal& terminal);

int configuration_freedoms(const System& system, const Analysis& analysis);
/// What `analyze --json` prints.
Json analysis_json(const System& system, const Analysis& analysis);

}  // namespace dalembert::app
