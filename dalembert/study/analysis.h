// SPDX-License-Identifier: Apache-2.0
// What can be said of a system without running it: for `analyze` and for reports.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/analyze/equilibria.h"
#include "dalembert/analyze/integrability.h"
#include "dalembert/analyze/redundancy.h"
#include "dalembert/dynamics/motion_branches.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// Velocities and constraint rows together: what is dense and tried from many starts.
inline constexpr int kMostAnalyzed = 200;

/// And what the frictions do there.
struct Found : Equilibrium {
  std::shared_ptr<const Unheld> unheld;
};

struct Analysis {
  ConstraintRank rank;
  MotionBranches singular;  ///< where the rank is lower than beside the state
  Integrability integrability;
  std::vector<Found> equilibria;
  std::vector<std::pair<std::string, std::string>> conserved, first_integrals;  ///< name or row, formula
  bool searched = false;              ///< for equilibria: the system does not depend on time
  bool looked = true;                 ///< for equilibria; else the equations are too large for that (W0315)
  std::optional<SystemAt> alone;      ///< equilibria are those of the quasi-velocities
  std::vector<std::string> left_out;  ///< coordinates that drop out with the constraints
  Diagnostics warnings;               ///< W0311 where there are too many modes of frictions to be looked at, W0315
};

/// E0904 for a model of more than kMostAnalyzed, before anything is built of it.
std::optional<Diagnostic> refuse_to_analyze(const Model& model);

/// `search`: for equilibria and steady motions too. E0904 for a system of more than kMostAnalyzed.
Result<Analysis> analyze_system(const SystemAt& given, bool search);

/// Of the constraints alone: what is prescribed takes no freedom away, as `check` counts.
int rank_of_constraints(const BuiltModel& system, const Analysis& analysis);
int velocity_freedoms(const BuiltModel& system, const Analysis& analysis);
/// "2 of velocity, 3 of configuration, 1 of them prescribed"
std::string freedoms_text(const BuiltModel& system, const Analysis& analysis);
/// The most there can be, where it is not decided which rows are integrable.
int configuration_freedoms(const BuiltModel& system, const Analysis& analysis);
/// `mixed: 1 of 2 integrable, growth (2, 3)`, and what is not certain about it.
std::string integrability_text(const Integrability& found);
/// An equilibrium as values that system_at() takes.
StateValues values_of(const BuiltModel& system, const Analysis& analysis, const Found& found);
/// What `analyze --json` prints.
Json analysis_json(const BuiltModel& system, const Analysis& analysis);

}  // namespace dalembert
