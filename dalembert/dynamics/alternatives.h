// SPDX-License-Identifier: Apache-2.0
// Other assemblies than the one that was found: loops close in more than one way.
//
// They are looked for from random starts, so an assembly that few starts lead to may be missed. Starts are independent
// and spread evenly; from N of them, one that a part p leads to is missed with a chance of (1 − p)ᴺ, and this is at most
// 1 % where
//
//   p ≥ 1 − 0.01^(1/N) ≈ 4.6/N                                                                            (1)
//
// The search ends when every assembly was met kOften times, so that one is missed whose part is a quarter of the
// smallest of those found with a chance of 1 % or less; or at a limit. Source: Good, The population frequencies of
// species and the estimation of population parameters, Biometrika 40 (1953) 237, for what was not met.
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/dynamics/assemble.h"

namespace dalembert {

/// How many starts.
enum class AlternativesEffort {
  kGuesses,  ///< some fixed ones and a dozen others: for warnings
  kCovered,  ///< until (1) says something
};

struct Alternatives {
  enum class Search {
    kDone,
    kNone,       ///< no coordinate is free, or no constraint of position
    kFree,       ///< at the assembly that was found, positions are not isolated, or singular
    kTooLarge,   ///< more than 60 coordinates and rows
    kAttitudes,  ///< velocities that are no rates of coordinates
  };
  std::vector<std::vector<double>> q;  ///< n each; angles within half a turn of the assembly that was found
  /// Per coordinate: whether full turns of it change no position constraint.
  std::vector<bool> angle;
  Search search = Search::kNone;
  int starts = 0;        ///< random ones
  std::vector<int> met;  ///< of them: how many led to the assembly that was found, and to each of q
  int led_nowhere = 0;   ///< of them: how many led to no position at all
  /// Of them: how many led to singular positions, each once, which belong to a motion more likely than not. Not in q.
  int singular = 0;
  bool covered = false;  ///< each of q was met often enough
  /// (1): one that a smaller part of the starts leads to may well be missing. 1 where nothing is known.
  double missing_below() const;
};
/// Why nothing was looked for; empty where it was.
std::string_view to_text(Alternatives::Search search);

/// Assemblies that are isolated, where the coordinates that are held leave no freedom of position; the same ones in
/// every run. `found` must be ok.
Alternatives find_alternatives(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                               const Assembly& found, AlternativesEffort effort = AlternativesEffort::kCovered);

}  // namespace dalembert
