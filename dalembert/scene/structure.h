// SPDX-License-Identifier: Apache-2.0
// Which tracks are one node, which nodes move as one body, which do not move: from positions at several configurations.
#pragma once

#include <cmath>
#include <vector>

#include "dalembert/scene/scene.h"

namespace dalembert {

/// [configuration][track]
using SampledTracks = std::vector<std::vector<ScenePoint>>;

inline double distance(const ScenePoint& a, const ScenePoint& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

struct SceneStructure {
  struct Node {
    std::vector<int> tracks;  ///< all at one place, always
    bool fixed = false;
    bool on_line = false;  ///< moves, along a straight line
    ScenePoint direction{};
  };
  std::vector<Node> nodes;
  std::vector<int> node_of;  ///< by track
  std::vector<std::vector<int>>
      bodies;  ///< maximal sets of nodes that keep their distances, two or more; not the ground
};

/// `size`: of the mechanism, m. Distances that change by less than 1e-7 of it do not change.
SceneStructure find_structure(const SampledTracks& samples, double size);

/// The largest distance of nodes of `of` (indices of tracks) from the line through the two that are farthest apart; these
/// two come first and last, the others in their order between.
double sort_along_line(const std::vector<ScenePoint>& at, std::vector<int>& of);

}  // namespace dalembert
