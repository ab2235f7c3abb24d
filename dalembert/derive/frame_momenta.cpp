// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/frame_momenta.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace dalembert {
namespace {

class FrameMomentumSearch {
 public:
  FrameMomentumSearch(const Equations& equations, const std::vector<Expr>& F, Canonicalizer& canonicalizer)
      : eq_(equations), graph_(*equations.graph), canonicalizer_(canonicalizer), along_(rates_of_state(equations)) {
    // The fields ξ depend on q alone, so that ξ̇ needs no v̇.
    for (const Expr& v : eq_.v) along_[v.symbol()] = graph_.constant(0);
    for (const auto& [symbol, rate] : eq_.model->time_rates()) along_.emplace(symbol, rate);
    for (const FrameQuaternion& quaternion : eq_.model->quaternions) columns_.push_back(column_of(quaternion.first));
    in_column_.resize(eq_.v.size());
    for (std::size_t e = 0; e < eq_.W.value.size(); ++e) in_column_[index(eq_.W.col[e])].push_back(e);
    find_slopes(F);
  }

  std::vector<ConservedQuantity> run() {
    const std::vector<VelocityPlace> places = eq_.model->velocity_places();
    for (int j = 0; j < eq_.nv(); ++j) {
      const VelocityPlace& place = places[index(j)];
      const std::string name =
          place.quaternion < 0 ? eq_.model->coordinates[index(place.coordinate)].name : eq_.model->velocity_name(place);
      const Field unit{{j, graph_.constant(1)}};
      consider(unit, unit, fmt::format("p[{}]", name));
    }
    for (std::size_t k = 0; k < columns_.size(); ++k) turns_of(k);
    return std::move(found_);
  }

 private:
  using Field = std::map<int, Expr>;

  int column_of(int coordinate) const {
    for (std::size_t k = 0; k < eq_.N.value.size(); ++k)
      if (eq_.N.row[k] == coordinate) return eq_.N.col[k];
    return 0;
  }

  void find_slopes(const std::vector<Expr>& F) {
    const std::vector<Expr> L_q = gradient(eq_.L, eq_.q);
    std::vector<std::vector<Graph::Term>> terms(eq_.v.size());
    for (std::size_t k = 0; k < eq_.N.value.size(); ++k)
      terms[index(eq_.N.col[k])].push_back({eq_.N.value[k] * L_q[index(eq_.N.row[k])], 1});
    for (const int column : columns_) {
      for (int i = 0; i < 3; ++i) {
        const std::size_t a = index(column + (i + 1) % 3), b = index(column + (i + 2) % 3);
        terms[index(column + i)].push_back({eq_.v[a] * eq_.p[b], -1});
        terms[index(column + i)].push_back({eq_.v[b] * eq_.p[a], 1});
      }
    }
    for (std::size_t j = 0; j < terms.size(); ++j) {
      terms[j].push_back({F[j], 1});
      slope_.push_back(graph_.sum(terms[j]));
    }
  }

  void turns_of(std::size_t which) {
    const std::string& name = eq_.model->quaternions[which].frame;
    const auto frame = std::ranges::find(eq_.model->frames, name, &Frame::name);
    if (frame == eq_.model->frames.end() || frame->rotation.empty()) return;
    for (std::size_t k = 0; k < 3; ++k) {
      Field alone;
      for (std::size_t i = 0; i < 3; ++i)
        alone.emplace(columns_[which] + static_cast<int>(i), frame->rotation[3 * k + i]);
      // For a quaternion e that is not of norm 1 the frame's matrix R is |e|² times a rotation. With the factor |e|² in
      // the other terms all identities are polynomial.
      const auto first = static_cast<std::size_t>(eq_.model->quaternions[which].first);
      const Expr norm = graph_.sum(std::array{square(eq_.q[first]), square(eq_.q[first + 1]), square(eq_.q[first + 2]),
                                              square(eq_.q[first + 3])});
      Field whole = alone, shown = alone;
      bool is_placed = true;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto place = std::ranges::find_if(eq_.q, [&](const Expr& q) { return q.same(frame->origin[i]); });
        is_placed = is_placed && place != eq_.q.end();
        if (!is_placed) break;
        // A turn about the ground axis e_k moves the origin r of the frame by e_k × r.
        const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
        const int column = column_of(static_cast<int>(place - eq_.q.begin()));
        if (i != a && i != b) continue;
        shown.emplace(column, i == a ? -frame->origin[b] : frame->origin[a]);
        whole.emplace(column, norm * shown.at(column));
      }
      const std::string title = fmt::format("angular momentum of {} about {}", name, "xyz"[k]);
      const int axis = static_cast<int>(k);
      if (!consider(alone, alone, title, axis, norm) && is_placed) consider(whole, shown, title, axis, norm);
    }
  }

  bool vanishes(const Expr& e) { return decide_zero(canonicalizer_, e) == ZeroTest::kZero; }

  // Whether constraint row r allows a turn ξ about ground axis e_k, that is, W_r ξ vanishes on the constraints. For
  // three rows that form a vector h it need not vanish identically: it may be (e_k × h)_r, which is 0 where h = 0.
  bool allows(int row, const Expr& W_xi, int k, const Expr& norm) {
    if (vanishes(W_xi)) return true;
    const std::string& name = eq_.rows[index(row)];
    const bool holonomic = std::ranges::binary_search(eq_.holonomic, row);
    if (k < 0 || !holonomic || name.size() < 2 || name[name.size() - 2] != '.') return false;
    const int i = name.back() - 'x', first = row - i, a = (k + 1) % 3, b = (k + 2) % 3;
    if (first < 0 || first + 2 >= eq_.m() || eq_.rows[index(first + 2)] != name.substr(0, name.size() - 1) + "z")
      return false;
    if (i == a) return vanishes(W_xi + norm * eq_.h[index(first + b)]);
    return i == b && vanishes(W_xi - norm * eq_.h[index(first + a)]);
  }

  // Lists the momentum p·ξ along the field ξ if it is proven constant. `shown`: ξ at |e| = 1, with which the
  // momentum is written; `k`: ground axis of a turn, else −1; `norm`: |e|².
  bool consider(const Field& xi, const Field& shown, const std::string& name, int k = -1, const Expr& norm = {}) {
    std::map<int, std::vector<Graph::Term>> rows;
    for (const auto& [column, component] : xi)
      for (const std::size_t e : in_column_[index(column)])
        rows[eq_.W.row[e]].push_back({eq_.W.value[e] * component, 1});
    for (const auto& [row, terms] : rows)
      if (!allows(row, graph_.sum(terms), k, norm)) return false;
    std::vector<Graph::Term> rate, momentum;
    for (const auto& [j, component] : xi) {
      rate.push_back({slope_[index(j)] * component, 1});
      rate.push_back({eq_.p[index(j)] * directional_derivative(std::array{component}, along_)[0], 1});
    }
    for (const auto& [j, component] : shown) momentum.push_back({eq_.p[index(j)] * component, 1});
    if (!vanishes(graph_.sum(rate))) return false;
    const Expr conserved = graph_.sum(momentum);
    if (vanishes(conserved)) return false;  // no momentum, since the motion along ξ has no inertia
    found_.push_back({name, conserved});
    return true;
  }

  const Equations& eq_;
  Graph& graph_;
  Canonicalizer& canonicalizer_;
  std::unordered_map<SymbolId, Expr> along_;
  std::vector<int> columns_;                         // for each quaternion: the column of N where its ω begins
  std::vector<Expr> slope_;                          // s = Nᵀ ∂L/∂q − ω × ∂L/∂ω + F in ṗ = s + Wᵀλ
  std::vector<std::vector<std::size_t>> in_column_;  // by column of W: indices of its entries in W.value
  std::vector<ConservedQuantity> found_;
};

}  // namespace

std::vector<ConservedQuantity> find_frame_momenta(const Equations& equations, const std::vector<Expr>& F,
                                                  Canonicalizer& canonicalizer) {
  return FrameMomentumSearch(equations, F, canonicalizer).run();
}

}  // namespace dalembert
