// SPDX-License-Identifier: Apache-2.0
// Properties of a system that are found without running it, for `analyze` and for reports.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/analyze/constraints.h"
#include "dalembert/analyze/linear_motion.h"
#include "dalembert/dynamics/motion_branches.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// Largest number of velocities plus constraint rows: the analysis uses dense matrices, from many starts.
inline constexpr int kMostAnalyzed = 200;

/// An equilibrium, and the state of the frictions there.
struct Found : Equilibrium {
  std::shared_ptr<const Unheld> unheld;
};

struct Analysis {
  ConstraintRank rank;
  MotionBranches singular;  ///< where rank W is lower than at nearby positions
  Integrability integrability;
  std::vector<Found> equilibria;
  std::vector<std::pair<std::string, std::string>> conserved, first_integrals;  ///< pairs of name or row, and formula
  bool searched = false;  ///< whether equilibria were searched: the system is autonomous
  bool looked =
      true;  ///< false if the equations are too large to search equilibria (W0315), or a constraint holds nothing
  bool holds_nothing = false;         ///< a row vanishes wherever it holds (W0333)
  std::optional<SystemAt> alone;      ///< if set: equilibria are those of these quasi-velocity equations
  std::vector<std::string> left_out;  ///< coordinates that drop out when constraints are eliminated
  Diagnostics warnings;               ///< W0311 (too many friction modes to examine), W0315, W0333
};

/// Error E0904 for a model of more than kMostAnalyzed velocities and rows, before anything is derived.
std::optional<Diagnostic> refuse_to_analyze(const Model& model);

/// `search`: also search for equilibria and steady motions. Contacts count as closed: of a system with contacts, give
/// with_contacts_held(). Errors: E0904 for a system of more than kMostAnalyzed.
Result<Analysis> analyze_system(const SystemAt& given, bool search);

/// Counts of rank and freedoms as in `check`: from the constraints alone, so prescribed coordinates remain free.
int rank_of_constraints(const BuiltModel& system, const Analysis& analysis);
int velocity_freedoms(const BuiltModel& system, const Analysis& analysis);
/// The freedoms as text, such as "2 of velocity, 3 of configuration, 1 of them prescribed".
std::string freedoms_text(const BuiltModel& system, const Analysis& analysis);
/// Freedoms of configuration; an upper bound if it is undecided which rows are integrable.
int configuration_freedoms(const BuiltModel& system, const Analysis& analysis);
/// Integrability as text, such as `mixed: 1 of 2 integrable, growth (2, 3)`, with the parts that are uncertain.
std::string integrability_text(const Integrability& found);
/// An equilibrium as a start that system_at() takes.
Start start_of(const BuiltModel& system, const Analysis& analysis, const Found& found);
/// What `analyze --json` prints.
Json analysis_json(const BuiltModel& system, const Analysis& analysis);

}  // namespace dalembert
