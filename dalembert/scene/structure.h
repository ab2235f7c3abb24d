// SPDX-License-Identifier: Apache-2.0
// Finds from positions at several configurations which tracks form one node, which nodes move as one body, and which
// are fixed.
#pragma once

#include <cmath>
#include <vector>

#include "dalembert/scene/scene.h"

namespace dalembert {

/// Positions as [configuration][track].
using SampledTracks = std::vector<std::vector<ScenePoint>>;

inline double distance(const ScenePoint& a, const ScenePoint& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

struct SceneStructure {
  struct Node {
    std::vector<int> tracks;  ///< the tracks of the node, which coincide in every configuration
    bool fixed = false;
    bool on_line = false;  ///< the node moves on a straight line
    ScenePoint direction{};
  };
  std::vector<Node> nodes;
  std::vector<int> node_of;              ///< index of the node of each track
  std::vector<std::vector<int>> bodies;  ///< maximal rigid sets of nodes, two or more; without the ground
};

/// `size`: of the mechanism, m. A distance counts as constant if it changes by less than 1e-7 times `size`.
SceneStructure find_structure(const SampledTracks& samples, double size);

/// Sorts the tracks `of` along the line through the two that are farthest apart; these two come first and last. Returns
/// the largest distance of a track from that line.
double sort_along_line(const std::vector<ScenePoint>& at, std::vector<int>& of);

}  // namespace dalembert
