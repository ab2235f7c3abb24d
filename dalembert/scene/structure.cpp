// SPDX-License-Identifier: Apache-2.0
#include "dalembert/scene/structure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace dalembert {
namespace {

constexpr std::size_t kAllPairs = 400;  // with more nodes, only pairs of neighbours are compared
constexpr std::size_t kNeighbours = 8;

class Finder {
 public:
  Finder(const SampledTracks& samples, double size) : samples_(samples), tolerance_(1e-7 * size) {}

  SceneStructure run() {
    merge();
    for (SceneStructure::Node& node : found_.nodes) judge_path(node);
    find_rigid_pairs();
    find_bodies();
    return std::move(found_);
  }

 private:
  const ScenePoint& at(std::size_t sample, int node) const {
    const int track = found_.nodes[static_cast<std::size_t>(node)].tracks.front();
    return samples_[sample][static_cast<std::size_t>(track)];
  }

  // Merges tracks that coincide into nodes. Tracks are sorted by x in one configuration, so only neighbours need a
  // comparison.
  void merge() {
    const std::vector<ScenePoint>& last = samples_.back();
    std::vector<int> order(last.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) {
      return std::pair(last[static_cast<std::size_t>(a)][0], a) < std::pair(last[static_cast<std::size_t>(b)][0], b);
    });
    std::vector<int> representative(last.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto a = static_cast<std::size_t>(order[i]);
      if (representative[a] < 0) representative[a] = order[i];
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        const auto b = static_cast<std::size_t>(order[j]);
        if (last[b][0] - last[a][0] > tolerance_) break;
        if (representative[b] < 0 && same(a, b)) representative[b] = representative[a];
      }
    }
    found_.node_of.assign(last.size(), -1);
    std::map<int, int> node;
    for (std::size_t track = 0; track < last.size(); ++track) {
      const auto [place, is_new] = node.emplace(representative[track], static_cast<int>(found_.nodes.size()));
      if (is_new) found_.nodes.emplace_back();
      found_.nodes[static_cast<std::size_t>(place->second)].tracks.push_back(static_cast<int>(track));
      found_.node_of[track] = place->second;
    }
  }
  bool same(std::size_t a, std::size_t b) const {
    return std::ranges::all_of(
        samples_, [&](const std::vector<ScenePoint>& sample) { return distance(sample[a], sample[b]) < tolerance_; });
  }

  void judge_path(SceneStructure::Node& node) const {
    const auto track = static_cast<std::size_t>(node.tracks.front());
    const ScenePoint& first = samples_.front()[track];
    ScenePoint far = first;
    for (const std::vector<ScenePoint>& sample : samples_)
      if (distance(sample[track], first) > distance(far, first)) far = sample[track];
    const double length = distance(far, first);
    node.fixed = length < tolerance_;
    if (node.fixed) return;
    for (std::size_t k = 0; k < 3; ++k) node.direction[k] = (far[k] - first[k]) / length;
    node.on_line = std::ranges::all_of(samples_, [&](const std::vector<ScenePoint>& sample) {
      ScenePoint d;
      double along = 0;
      for (std::size_t k = 0; k < 3; ++k) d[k] = sample[track][k] - first[k], along += d[k] * node.direction[k];
      for (std::size_t k = 0; k < 3; ++k) d[k] -= along * node.direction[k];
      return std::hypot(d[0], d[1], d[2]) < tolerance_;
    });
  }

  void add_pair(int a, int b) {
    const auto &na = found_.nodes[static_cast<std::size_t>(a)], &nb = found_.nodes[static_cast<std::size_t>(b)];
    if (na.fixed && nb.fixed) return;
    const double d = distance(at(0, a), at(0, b));
    for (std::size_t s = 1; s < samples_.size(); ++s)
      if (std::abs(distance(at(s, a), at(s, b)) - d) > tolerance_) return;
    rigid_[static_cast<std::size_t>(a)].insert(b);
    rigid_[static_cast<std::size_t>(b)].insert(a);
  }

  void find_rigid_pairs() {
    const std::size_t n = found_.nodes.size();
    rigid_.resize(n);
    if (n <= kAllPairs) {
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b) add_pair(static_cast<int>(a), static_cast<int>(b));
      return;
    }
    // Compare each node with its next neighbours along the longest axis of the configuration.
    std::size_t axis = 0;
    double longest = -1;
    for (std::size_t k = 0; k < 3; ++k) {
      double low = at(0, 0)[k], high = low;
      for (std::size_t i = 0; i < n; ++i) {
        low = std::min(low, at(0, static_cast<int>(i))[k]);
        high = std::max(high, at(0, static_cast<int>(i))[k]);
      }
      if (high - low > longest) longest = high - low, axis = k;
    }
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) { return at(0, a)[axis] < at(0, b)[axis]; });
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < std::min(n, i + 1 + kNeighbours); ++j) add_pair(order[i], order[j]);
  }

  // Finds the rigid bodies. Each rigid pair that is in no body yet grows greedily by the nodes that are rigid against
  // all of its nodes.
  void find_bodies() {
    std::set<std::pair<int, int>> covered;
    const int n = static_cast<int>(found_.nodes.size());
    for (int a = 0; a < n; ++a)
      for (const int b : rigid_[static_cast<std::size_t>(a)]) {
        if (b < a || covered.contains({a, b})) continue;
        std::vector<int> body{a, b};
        for (const int c : rigid_[static_cast<std::size_t>(a)]) {
          if (c == b) continue;
          const auto& of_c = rigid_[static_cast<std::size_t>(c)];
          if (std::ranges::all_of(body, [&](int d) { return of_c.contains(d); })) body.push_back(c);
        }
        std::ranges::sort(body);
        for (const int c : body)
          for (const int d : body)
            if (c < d) covered.insert({c, d});
        found_.bodies.push_back(std::move(body));
      }
  }

  const SampledTracks& samples_;
  double tolerance_;
  SceneStructure found_;
  std::vector<std::set<int>> rigid_;
};

}  // namespace

SceneStructure find_structure(const SampledTracks& samples, double size) { return Finder(samples, size).run(); }

double sort_along_line(const std::vector<ScenePoint>& at, std::vector<int>& of) {
  std::pair<int, int> ends{of.front(), of.front()};
  double longest = -1;
  for (const int a : of)
    for (const int b : of)
      if (const double d = distance(at[static_cast<std::size_t>(a)], at[static_cast<std::size_t>(b)]);
          d > longest * (1 + 1e-9)) {
        longest = d;
        ends = {a, b};
      }
  if (!(longest > 0)) return 0;
  const ScenePoint &from = at[static_cast<std::size_t>(ends.first)], &to = at[static_cast<std::size_t>(ends.second)];
  const auto along = [&](int track) {
    double dot = 0;
    for (std::size_t k = 0; k < 3; ++k) dot += (at[static_cast<std::size_t>(track)][k] - from[k]) * (to[k] - from[k]);
    return dot / longest;
  };
  std::ranges::stable_sort(of, {}, along);
  double off = 0;
  for (const int track : of) {
    const double length = along(track);
    ScenePoint rest;
    for (std::size_t k = 0; k < 3; ++k)
      rest[k] = at[static_cast<std::size_t>(track)][k] - from[k] - length * (to[k] - from[k]) / longest;
    off = std::max(off, std::hypot(rest[0], rest[1], rest[2]));
  }
  return off;
}

}  // namespace dalembert
