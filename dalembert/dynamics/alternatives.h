// SPDX-License-Identifier: Apache-2.0
// Finds further assemblies, in addition to the one that assemble() found: a kinematic loop closes in more than one way.
//
// The search starts from random positions, so it may miss an assembly that only few starts lead to. The starts are
// independent and evenly spread. If a fraction p of all starts leads to an assembly, N starts miss it with probability
// (1 − p)ᴺ. This probability is at most 1 % where
//
//   p ≥ 1 − 0.01^(1/N) ≈ 4.6/N                                                                            (1)
//
// The search ends when every known assembly was met kOften times, or at a limit. In the first case, an assembly
// that a quarter as many starts lead to as to the rarest one found is missed with a probability of at most 1 %.
// Source: Good, The population frequencies of species and the estimation of population parameters, Biometrika 40
// (1953) 237, for what was not met.
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/dynamics/assemble.h"

namespace dalembert {

/// How many starts find_alternatives() tries.
enum class AlternativesEffort {
  kGuesses,  ///< a few fixed starts and a dozen random ones: enough for a warning
  kCovered,  ///< random starts until every assembly was met often enough for the bound (1), or until a limit
};

struct Alternatives {
  enum class Search {
    kDone,
    kNone,       ///< no coordinate is free, or no constraint of position
    kFree,       ///< the given assembly is not isolated: a freedom of position is left, or the position is singular
    kTooLarge,   ///< more than 60 coordinates and rows
    kAttitudes,  ///< attitudes are quaternions, so the velocities are not the rates of the coordinates
  };
  /// The other assemblies, nq numbers each; angles are within half a turn of the given one.
  std::vector<std::vector<double>> q;
  /// For each coordinate: whether it is an angle, that is, whether a full turn of it changes no position constraint.
  std::vector<bool> angle;
  Search search = Search::kNone;
  int starts = 0;        ///< number of random starts
  std::vector<int> met;  ///< number of random starts that led to the given assembly, then to each assembly of q
  int led_nowhere = 0;   ///< number of random starts that led to no consistent position
  /// Number of singular positions that one start each led to. Most likely they are points of a continuous motion, so
  /// they are not in q.
  int singular = 0;
  bool covered = false;  ///< whether every assembly was met 20 times or more, in at least 200 random starts
  /// p of (1): an assembly to which a smaller fraction of the starts leads may well be
  /// missing. 1 before any random start.
  double missing_below() const;
};
/// Why there was no search; empty for kDone.
std::string_view to_text(Alternatives::Search search);

/// Looks for isolated assemblies other than `found`, where the coordinates that `options` holds leave no freedom of
/// position. Every run gives the same result. `found` must be ok.
Alternatives find_alternatives(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                               const Assembly& found, AlternativesEffort effort = AlternativesEffort::kCovered);

}  // namespace dalembert
