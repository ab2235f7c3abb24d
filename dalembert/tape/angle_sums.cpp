// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/angle_sums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// The sum Σ coefficient · symbol, sorted by the symbols' nodes.
using Angle = std::vector<std::pair<NodeId, Rational>>;

// With more angles than this no sums are searched, since the search takes quadratic time.
constexpr std::size_t kMostAngles = 400;

// Sums within sums are expanded to this depth.
constexpr int kDeepest = 8;

// angle += factor · node. False where the node is not a sum of multiples of symbols and π.
bool add(const Graph& graph, NodeId node, const Rational& factor, int depth, std::map<NodeId, Rational>& angle) {
  const Op op = graph.op(node);
  const auto items = graph.items(node);
  if (op == Op::kSymbol || op == Op::kPi) {
    const auto [place, is_new] = angle.try_emplace(node, factor);
    if (!is_new) place->second = place->second + factor;
    return true;
  }
  if (depth == kDeepest) return false;
  if (op == Op::kProduct && items.size() == 1 && graph.number(items[0]).is_one())
    return add(graph, items[0].node, factor * graph.number(node), depth + 1, angle);
  if (op != Op::kSum || !graph.number(node).is_zero()) return false;
  return std::all_of(items.begin(), items.end(), [&](const Graph::Item& item) {
    return add(graph, item.node, factor * graph.number(item), depth + 1, angle);
  });
}

std::optional<Angle> as_angle(const Graph& graph, NodeId node) {
  std::map<NodeId, Rational> angle;
  if (!add(graph, node, 1, 0, angle)) return std::nullopt;
  std::erase_if(angle, [](const auto& term) { return term.second.is_zero(); });
  if (angle.empty()) return std::nullopt;
  return Angle(angle.begin(), angle.end());
}

// The angle a + factor · b.
Angle combine(const Angle& a, const Angle& b, int factor) {
  Angle sum;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool take_a = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
    const bool take_b = i == a.size() || (j < b.size() && b[j].first <= a[i].first);
    Rational coefficient = 0;
    const NodeId symbol = take_a ? a[i].first : b[j].first;
    if (take_a) coefficient = coefficient + a[i++].second;
    if (take_b) coefficient = coefficient + Rational(factor) * b[j++].second;
    if (!coefficient.is_zero()) sum.emplace_back(symbol, coefficient);
  }
  return sum;
}

// Arguments of sines and cosines, each once.
std::set<NodeId> arguments_in(const Graph& graph, std::span<const Expr> expressions) {
  std::set<NodeId> found;
  for (const NodeId node : reachable(expressions))
    if (graph.op(node) == Op::kSin || graph.op(node) == Op::kCos) found.insert(graph.items(node)[0].node);
  return found;
}

}  // namespace

std::unordered_map<NodeId, AngleSum> find_angle_sums(std::span<const Expr> expressions) {
  std::unordered_map<NodeId, AngleSum> sums;
  if (expressions.empty()) return sums;
  const Graph& graph = common_graph(expressions);
  std::vector<std::pair<Angle, NodeId>> angles;
  for (const NodeId node : arguments_in(graph, expressions))
    if (auto angle = as_angle(graph, node)) angles.emplace_back(std::move(*angle), node);
  const auto compound = [](const Angle& angle) { return angle.size() > 1 || !angle[0].second.is_one(); };
  if (angles.size() > kMostAngles) return sums;
  // Angles with few terms come first, then the order of the model decides, so that the result does not depend on
  // anything else.
  std::sort(angles.begin(), angles.end(), [](const auto& a, const auto& b) {
    return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.second < b.second;
  });
  std::map<Angle, NodeId> at_hand;
  for (const auto& [angle, node] : angles) {
    if (compound(angle)) {
      for (const auto& [other, other_node] : at_hand) {
        // angle = other + rest, or other − rest.
        const auto rest = at_hand.find(combine(angle, other, -1));
        if (rest != at_hand.end()) {
          sums[node] = {other_node, rest->second, 1};
          break;
        }
        const auto opposite = at_hand.find(combine(other, angle, -1));
        if (opposite != at_hand.end()) {
          sums[node] = {other_node, opposite->second, -1};
          break;
        }
      }
    }
    at_hand.emplace(angle, node);
  }
  return sums;
}

}  // namespace dalembert
