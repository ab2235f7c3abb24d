// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/state_relations.h"

#include <algorithm>
#include <vector>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Collects sign(cos β) and sign(sin β) that lowest_of_rim() (model/geometry.h) has put into the point's position; signs
// that are part of the disk's frame are left out.
void add_sides(const Point& point, std::vector<Expr>& sides) {
  std::vector<Expr> of_frame = point.disk->origin;
  of_frame.insert(of_frame.end(), point.disk->rotation.begin(), point.disk->rotation.end());
  const std::vector<NodeId> stated = reachable(of_frame);
  for (const Expr& component : point.position) {
    Graph& graph = component.graph();
    for (const NodeId id : reachable(std::array{component})) {
      if (graph.op(id) != Op::kSign || std::ranges::find(stated, id) != stated.end()) continue;
      const Op of = graph.op(graph.items(id)[0].node);
      const Expr side(&graph, id);
      if ((of == Op::kCos || of == Op::kSin) &&
          std::ranges::none_of(sides, [&](const Expr& known) { return known.same(side); }))
        sides.push_back(side);
    }
  }
}

}  // namespace

StateRelations state_relations(const Model& model) {
  StateRelations relations;
  for (const FrameQuaternion& quaternion : model.quaternions) {
    std::array<SymbolId, 4> unit{};
    for (std::size_t k = 0; k < unit.size(); ++k)
      unit[k] = model.coordinates[static_cast<std::size_t>(quaternion.first) + k].q.symbol();
    relations.units.push_back(unit);
  }
  for (const Point& point : model.points)
    if (point.disk) add_sides(point, relations.sides);
  return relations;
}

StateRelations state_relations(const Equations& equations) { return state_relations(*equations.model); }

}  // namespace dalembert
