// SPDX-License-Identifier: Apache-2.0
// Finds what is fixed in a frame, and answers small questions about nodes.
#include <algorithm>
#include <cmath>

#include "dalembert/expr/visit.h"
#include "dalembert/scene/builder.h"
#include "dalembert/tape/interpreter.h"

namespace dalembert {
bool SceneBuilder::depends_on_coordinates(const std::vector<int>& nodes) const {
  std::vector<Expr> positions;
  for (const int index : nodes) {
    const Vector& position = positions_[static_cast<std::size_t>(node(index).tracks.front())];
    positions.insert(positions.end(), position.begin(), position.end());
  }
  const std::vector<SymbolId> symbols = symbols_in(positions);
  return std::ranges::any_of(symbols, [&](SymbolId id) { return coordinate_symbols_.contains(id); });
}

// The convex hull of tracks in the plane, counter-clockwise (Andrew's monotone chain).
std::vector<int> SceneBuilder::hull_of(std::vector<int> tracks) const {
  std::ranges::sort(tracks, {}, [&](int track) { return std::pair(place(track)[0], place(track)[1]); });
  std::vector<int> hull;
  const auto turns_right = [&](int a, int b, int c) {
    const ScenePoint &p = place(a), &q = place(b), &r = place(c);
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) <= 0;
  };
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t least = std::max<std::size_t>(hull.size(), 1);
    for (const int track : tracks) {
      while (hull.size() > least && turns_right(hull[hull.size() - 2], hull.back(), track)) hull.pop_back();
      if (hull.empty() || hull.back() != track) hull.push_back(track);
    }
    std::ranges::reverse(tracks);
  }
  if (hull.size() > 1) hull.pop_back();
  return hull;
}

// Finds the nodes fixed in each frame: their components along its axes are constant. In space constant distances are
// not enough, because a point that turns about the line through two joints keeps its distances from both.
void SceneBuilder::find_frame_bodies() {
  in_frame_.assign(structure_.nodes.size(), false);
  if (scene_.space != 3 || scene_.simplified) return;
  for (const Frame& stated : model_.frames) {
    if (stated.origin.empty() || stated.rotation.empty()) continue;
    const Frame frame = adopt(stated);
    std::vector<Expr> outputs = frame.origin;
    outputs.insert(outputs.end(), frame.rotation.begin(), frame.rotation.end());
    const std::vector<std::vector<double>> values = evaluate_at_samples(outputs);
    std::vector<int>& body = frame_bodies_.emplace_back();
    frame_names_.push_back(stated.name);
    frame_origins_.push_back(frame_track_.at(stated.name));
    for (std::size_t i = 0; i < structure_.nodes.size(); ++i) {
      if (is_contact(static_cast<int>(i))) continue;
      const auto track = static_cast<std::size_t>(structure_.nodes[i].tracks.front());
      ScenePoint first{};
      bool same = true;
      for (std::size_t s = 0; s < samples_.size() && same; ++s) {
        ScenePoint local{};
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t j = 0; j < 3; ++j)
            local[k] += values[s][3 + 3 * j + k] * (samples_[s][track][j] - values[s][j]);
        if (s == 0) first = local;
        same = distance(local, first) < 1e-7 * scene_.size;
      }
      if (!same) continue;
      body.push_back(static_cast<int>(i));
      in_frame_[i] = true;
    }
  }
}

int SceneBuilder::joints_of_frame(const std::string& name, int center) const {
  int joints = 0;
  for (std::size_t f = 0; f < frame_names_.size(); ++f)
    if (frame_names_[f] == name && !name.empty())
      for (const int index : frame_bodies_[f])
        joints += index != node_of(center) &&
                  std::ranges::any_of(node(index).tracks, [&](int t) { return joint_[static_cast<std::size_t>(t)]; });
  return joints;
}

bool SceneBuilder::is_needle(const BodyTracks& body) const {
  std::vector<double> lengths;
  for (const int axis : body.axes) lengths.push_back(distance(place(axis), place(body.center)));
  std::ranges::sort(lengths);
  return !(lengths[1] > 0.03 * lengths[2]);
}

// Values of the expressions as [configuration][output].
std::vector<std::vector<double>> SceneBuilder::evaluate_at_samples(std::vector<Expr> outputs) const {
  if (const auto motion = motion_of_coordinates(equations_); !motion.empty()) outputs = substitute(outputs, motion);
  const Tape tape = dalembert::make_tape(outputs);
  std::vector<std::vector<double>> values;
  std::vector<double> work(tape.registers), kernel_work(dynamics_.layout().work),
      u(static_cast<std::size_t>(dynamics_.layout().inputs));
  for (const State& state : states_) {
    dynamics_.inputs(state.t, kernel_work.data(), u.data());
    const double* arguments[kTapeArrays]{};
    arguments[static_cast<std::size_t>(TapeArray::kTime)] = &state.t;
    arguments[static_cast<std::size_t>(TapeArray::kParameter)] = dynamics_.parameters().data();
    arguments[static_cast<std::size_t>(TapeArray::kInput)] = u.data();
    arguments[static_cast<std::size_t>(TapeArray::kCoordinate)] = state.q.data();
    arguments[static_cast<std::size_t>(TapeArray::kVelocity)] = state.v.data();
    std::vector<double>& out = values.emplace_back(tape.outputs);
    dalembert::run(tape, arguments, work.data(), out.data(), 1);
  }
  return values;
}

}  // namespace dalembert
