// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/angular_velocity.h"

#include <array>

namespace dalembert {

Expr angular_velocity_by_rates(const Model& model, const FrameQuaternion& quaternion, int axis) {
  const auto e = [&](int k) -> const Coordinate& {
    return model.coordinates[static_cast<std::size_t>(quaternion.first + k)];
  };
  // The columns of E: component k of the rate times the coordinate at the index, with its sign.
  struct Entry {
    int coordinate, sign;
  };
  static constexpr std::array<std::array<Entry, 4>, 3> kColumns = {{{{{1, -1}, {0, 1}, {3, 1}, {2, -1}}},
                                                                    {{{2, -1}, {3, -1}, {0, 1}, {1, 1}}},
                                                                    {{{3, -1}, {2, 1}, {1, -1}, {0, 1}}}}};
  std::array<Graph::Term, 4> terms;
  for (int k = 0; k < 4; ++k) {
    const Entry& entry = kColumns[static_cast<std::size_t>(axis)][static_cast<std::size_t>(k)];
    terms[static_cast<std::size_t>(k)] = {e(entry.coordinate).q * e(k).qd, 2 * entry.sign};
  }
  return model.graph->sum(terms);
}

}  // namespace dalembert
