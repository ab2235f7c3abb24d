// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/elimination_order.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace dalembert {
namespace {

using Graph = std::vector<std::vector<int>>;  // neighbours of each unknown, ascending

// Builds the graph of the KKT matrix. False when a pivot is missing.
bool couple(int n, const Pattern& M, const Pattern& W, Graph& graph) {
  std::vector<bool> diagonal(index(n));
  for (std::size_t k = 0; k < M.row.size(); ++k) {
    if (M.row[k] == M.col[k])
      diagonal[index(M.row[k])] = true;
    else
      graph[index(M.row[k])].push_back(M.col[k]);
  }
  for (std::size_t k = 0; k < W.row.size(); ++k) {
    graph[index(n + W.row[k])].push_back(W.col[k]);
    graph[index(W.col[k])].push_back(n + W.row[k]);
  }
  for (std::vector<int>& neighbours : graph) {
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }
  for (int r = 0; r < W.rows; ++r)
    if (graph[index(n + r)].empty()) return false;
  return std::find(diagonal.begin(), diagonal.end(), false) == diagonal.end();
}

class LeastDegree {
 public:
  LeastDegree(Graph graph, int n, const std::vector<bool>& constant_pivot, bool multipliers_last)
      : n_(n),
        constant_pivot_(constant_pivot),
        multipliers_last_(multipliers_last),
        rows_(graph),
        graph_(std::move(graph)) {
    const int size = static_cast<int>(graph_.size());
    waiting_.resize(graph_.size());
    divisions_.resize(graph_.size());
    reduced_.resize(graph_.size());
    for (int i = n; i < size; ++i) waiting_[index(i)] = multipliers_last ? n : static_cast<int>(rows_[index(i)].size());
    for (int i = 0; i < size; ++i)
      if (waiting_[index(i)] == 0) queue_.insert(key(i));
  }

  std::optional<Elimination> run(std::size_t most) {
    Elimination plan;
    plan.later.resize(graph_.size());
    while (!queue_.empty()) {
      const int next = std::get<3>(*queue_.begin());
      queue_.erase(queue_.begin());
      plan.order.push_back(next);
      std::vector<int>& later = plan.later[index(next)];
      later = std::move(graph_[index(next)]);
      plan.operations += 1 + later.size() * (later.size() + 7) / 2;
      if (plan.operations > most) return std::nullopt;
      eliminate(next, later);
    }
    std::vector<int> position(graph_.size());
    for (std::size_t k = 0; k < plan.order.size(); ++k) position[index(plan.order[k])] = static_cast<int>(k);
    for (std::vector<int>& later : plan.later)
      std::sort(later.begin(), later.end(), [&](int a, int b) { return position[index(a)] < position[index(b)]; });
    return plan;
  }

 private:
  using Key = std::tuple<std::size_t, bool, int, int>;
  Key key(int i) const {
    return {graph_[index(i)].size(), !(i < n_ && constant_pivot_[index(i)]), divisions_[index(i)], i};
  }

  // Length of the longest sequence of divisions, each of which needs the one before, up to and including the
  // division by the pivot of `gone`.
  int divisions_with(int gone) const {
    const bool free = gone < n_ && constant_pivot_[index(gone)] && !reduced_[index(gone)];
    return divisions_[index(gone)] + (free ? 0 : 1);
  }

  // Eliminates an unknown: its neighbours become neighbours of each other.
  void eliminate(int gone, const std::vector<int>& clique) {
    const int divisions = divisions_with(gone);
    for (const int i : clique) {
      if (waiting_[index(i)] == 0) queue_.erase(key(i));
      divisions_[index(i)] = std::max(divisions_[index(i)], divisions);
      reduced_[index(i)] = true;
      merged_.clear();
      std::set_union(graph_[index(i)].begin(), graph_[index(i)].end(), clique.begin(), clique.end(),
                     std::back_inserter(merged_));
      std::erase_if(merged_, [&](int j) { return j == i || j == gone; });
      graph_[index(i)] = merged_;
      const std::vector<int>& row = rows_[index(i)];
      if (i >= n_ && !multipliers_last_ && std::binary_search(row.begin(), row.end(), gone)) --waiting_[index(i)];
      if (waiting_[index(i)] == 0) queue_.insert(key(i));
    }
    if (!multipliers_last_ || gone >= n_ || ++gone_coordinates_ < n_) return;
    for (int i = n_; i < static_cast<int>(graph_.size()); ++i) {
      waiting_[index(i)] = 0;
      queue_.insert(key(i));
    }
  }

  const int n_;
  const std::vector<bool>& constant_pivot_;
  const bool multipliers_last_;
  const Graph rows_;          // for each multiplier: the coordinates of its row
  Graph graph_;               // neighbours among the unknowns that are left
  std::vector<int> waiting_;  // number of coordinates that must be eliminated before the unknown
  std::vector<int> merged_;
  std::vector<int> divisions_;  // longest sequence of dependent divisions that the pivot waits for
  std::vector<bool> reduced_;   // whether the elimination of a neighbour has changed the pivot
  int gone_coordinates_ = 0;
  std::set<Key> queue_;  // unknowns that may be eliminated now
};

}  // namespace

std::optional<Elimination> plan_elimination(int n, const Pattern& M, const Pattern& W,
                                            const std::vector<bool>& constant_pivot, std::size_t most) {
  Graph graph(index(n + W.rows));
  if (!couple(n, M, W, graph)) return std::nullopt;
  std::optional<Elimination> early = LeastDegree(graph, n, constant_pivot, false).run(most);
  std::optional<Elimination> last = LeastDegree(std::move(graph), n, constant_pivot, true).run(most);
  return last && (!early || last->operations <= early->operations) ? last : early;
}

}  // namespace dalembert
