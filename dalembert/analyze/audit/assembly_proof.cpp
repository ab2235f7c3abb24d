// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/assembly_proof.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <Eigen/Dense>

#include "dalembert/algebra/narrowing.h"
#include "dalembert/base/numeric.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kMostBoxes = 20000;
constexpr double kMostProducts = 1e7;  // limit for (boxes) × (products in bounds of C ∂h/∂q over one box): about 1 s
constexpr double kFullTurn = 2 * std::numbers::pi;
// Largest and smallest half-width tried for the box around an assembly: in rad for an angle, else as a fraction of the
// coordinate's range.
constexpr double kWidest = 0.5, kNarrowest = 1e-7;
// Least size of a coordinate that hardly varies: this fraction of its largest value and of the largest size of another
// coordinate, whichever is more.
constexpr double kLeastSize = 1e-3;
// A box that is narrower than this, relative to the sizes of the coordinates, is not split further: the search ends undecided.
constexpr double kSmallest = 1e-9;

// Whether the symbol occurs only in sin, cos and tan and only multiplied by integers, so that a full turn changes nothing.
bool is_periodic(std::span<const Expr> roots, const Expr& symbol) {
  const Graph& graph = roots.front().graph();
  const std::vector<NodeId> nodes = reachable(roots);
  // The symbol itself, and sums that contain it with an integer coefficient.
  std::vector<NodeId> linear{symbol.id()};
  const auto is_linear = [&](NodeId id) { return std::ranges::find(linear, id) != linear.end(); };
  for (const Expr& root : roots)
    if (root.id() == symbol.id()) return false;
  for (const NodeId id : nodes) {
    const Op op = graph.op(id);
    bool uses = false;
    for (const Graph::Item& item : graph.items(id)) uses = uses || is_linear(item.node);
    if (!uses || op == Op::kSin || op == Op::kCos || op == Op::kTan) continue;
    if (op == Op::kProduct) {
      // A multiple of a node is a product with one factor.
      if (graph.items(id).size() != 1 || graph.number(graph.items(id)[0]) != Rational(1) ||
          !graph.number(id).is_integer())
        return false;
    } else if (op == Op::kSum) {
      for (const Graph::Item& item : graph.items(id))
        if (is_linear(item.node) && !graph.number(item).is_integer()) return false;
    } else {
      return false;
    }
    for (const Expr& root : roots)
      if (root.id() == id) return false;
    linear.push_back(id);
  }
  return true;
}

class Proof {
 public:
  Proof(std::span<const Expr> h, std::span<const Expr> variables, const std::function<double(SymbolId)>& value_of,
        std::vector<bool> angle)
      : n_(variables.size()),
        m_(h.size()),
        rows_(h, variables, value_of),
        slopes_(slopes_of(h, variables), variables, value_of),
        angle_(std::move(angle)),
        size_(n_, kFullTurn) {}

  bool known() const { return rows_.known() && slopes_.known(); }
  AssemblyProof run(std::span<const std::vector<double>> known);

 private:
  struct Around {
    std::vector<double> at;
    Box box;
  };

  static std::vector<Expr> slopes_of(std::span<const Expr> h, std::span<const Expr> variables) {
    std::vector<Expr> slopes;
    for (const Expr& one : h) {
      const std::vector<Expr> row = gradient(one, variables);
      slopes.insert(slopes.end(), row.begin(), row.end());
    }
    return slopes;
  }
  bool precondition(const std::vector<double>& at, Eigen::MatrixXd& C);
  bool preconditioned(const Box& box, const Eigen::MatrixXd& C, std::vector<Stretch>& A);
  bool surround(const std::vector<double>& at);
  bool is_around_known(const Box& box) const;
  bool narrow_by_slopes(Box& box);

  std::size_t n_, m_;
  BoundedFunctions rows_, slopes_;
  std::vector<bool> angle_;
  std::vector<double> size_;
  std::vector<Around> around_;
  std::vector<Stretch> values_, J_, A_;
};

// Computes C, a left inverse of the Jacobian ∂h/∂q of the constraints h = 0 at a point; false where the Jacobian does
// not have full column rank there.
bool Proof::precondition(const std::vector<double>& at, Eigen::MatrixXd& C) {
  Box point(n_);
  for (std::size_t i = 0; i < n_; ++i) point[i] = {at[i], at[i]};
  slopes_.bound(point, J_);
  Eigen::MatrixXd J(static_cast<Eigen::Index>(m_), static_cast<Eigen::Index>(n_));
  for (std::size_t r = 0; r < m_; ++r)
    for (std::size_t i = 0; i < n_; ++i) {
      const Stretch& slope = J_[r * n_ + i];
      if (slope.empty() || !slope.finite()) return false;
      J(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(i)) = slope.middle();
    }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J);
  if (qr.rank() < static_cast<Eigen::Index>(n_)) return false;
  C = qr.solve(Eigen::MatrixXd::Identity(J.rows(), J.rows()));
  return C.allFinite();
}

// Bounds A = C ∂h/∂q over the box (h = 0: the constraints); false where ∂h/∂q has no bounds.
bool Proof::preconditioned(const Box& box, const Eigen::MatrixXd& C, std::vector<Stretch>& A) {
  slopes_.bound(box, J_);
  A.assign(n_ * n_, {0, 0});
  for (const Stretch& slope : J_)
    if (slope.empty() || !slope.finite()) return false;
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t r = 0; r < m_; ++r) {
        const double c = C(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(r));
        if (c != 0) A[i * n_ + j] = A[i * n_ + j] + Stretch{c, c} * J_[r * n_ + j];
      }
  return true;
}

// Finds a box around an assembly that contains no other one: C h is injective in it (h: constraints), because A − 1
// with A = C ∂h/∂q is a contraction in scaled coordinates. False where even the narrowest box is too wide.
bool Proof::surround(const std::vector<double>& at) {
  Eigen::MatrixXd C;
  if (!precondition(at, C)) return false;
  for (double part = kWidest; part >= kNarrowest; part *= 0.7) {
    Box box(n_);
    const auto half = [&](std::size_t i) { return part * (angle_[i] ? 1 : size_[i]); };
    for (std::size_t i = 0; i < n_; ++i) box[i] = {at[i] - half(i), at[i] + half(i)};
    if (!preconditioned(box, C, A_)) continue;
    bool contracts = true;
    for (std::size_t i = 0; i < n_ && contracts; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n_; ++j) {
        const Stretch a = A_[i * n_ + j] - Stretch{i == j ? 1.0 : 0.0, i == j ? 1.0 : 0.0};
        sum += std::max(std::abs(a.lower), std::abs(a.upper)) * half(j) / half(i);
      }
      contracts = sum < 0.99;
    }
    if (!contracts) continue;
    around_.push_back({at, std::move(box)});
    return true;
  }
  return false;
}

bool Proof::is_around_known(const Box& box) const {
  return std::ranges::any_of(around_, [&](const Around& known) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double turn = angle_[i] ? kFullTurn * std::round((box[i].middle() - known.at[i]) / kFullTurn) : 0,
                   slack = 1e-12 * (1 + std::abs(turn) + std::abs(known.at[i]));
      if (!(box[i].lower - turn >= known.box[i].lower + slack && box[i].upper - turn <= known.box[i].upper - slack))
        return false;
    }
    return true;
  });
}

// Narrows the box by formula (1) of the header; false where the box contains no zero.
bool Proof::narrow_by_slopes(Box& box) {
  std::vector<double> middle(n_);
  for (std::size_t i = 0; i < n_; ++i) middle[i] = box[i].middle();
  Eigen::MatrixXd C;
  if (!precondition(middle, C) || !preconditioned(box, C, A_)) return true;
  Box point(n_);
  for (std::size_t i = 0; i < n_; ++i) point[i] = {middle[i], middle[i]};
  rows_.bound(point, values_);
  for (const Stretch& value : values_)
    if (value.empty() || !value.finite()) return true;
  for (std::size_t i = 0; i < n_; ++i) {
    if (A_[i * n_ + i].contains(0)) continue;
    Stretch sum{0, 0};
    for (std::size_t r = 0; r < m_; ++r) {
      const double c = C(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(r));
      if (c != 0) sum = sum + Stretch{c, c} * values_[r];
    }
    for (std::size_t j = 0; j < n_; ++j)
      if (j != i) sum = sum + A_[i * n_ + j] * (box[j] - point[j]);
    box[i] = intersection(box[i], point[i] - sum / A_[i * n_ + i]);
    if (box[i].empty()) return false;
  }
  return true;
}

AssemblyProof Proof::run(std::span<const std::vector<double>> known) {
  AssemblyProof proof;
  Box all(n_);
  for (std::size_t i = 0; i < n_; ++i)
    if (angle_[i]) all[i] = {known[0][i] - kFullTurn / 2 - 1e-9, known[0][i] + kFullTurn / 2 + 1e-9};
  for (int pass = 0; pass < 8; ++pass)
    if (!rows_.narrow_to_zeros(all)) return proof;  // no zero, so that the known assemblies must be wrong
  // Boxes are measured by the sizes of the coordinates: how far each may range. A coordinate with almost no range gets
  // a fraction of the largest size.
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (angle_[i]) continue;
    if (!all[i].finite()) {
      proof.outcome = AssemblyProof::Outcome::kUnbounded;
      return proof;
    }
    size_[i] = std::max(all[i].width(), kLeastSize * std::max(std::abs(all[i].lower), std::abs(all[i].upper)));
    largest = std::max(largest, size_[i]);
  }
  for (std::size_t i = 0; i < n_; ++i)
    if (!angle_[i]) size_[i] = std::max(size_[i], largest > 0 ? kLeastSize * largest : 1.0);
  if (!std::ranges::all_of(known, [&](const std::vector<double>& at) { return surround(at); })) return proof;

  proof.outcome = AssemblyProof::Outcome::kTooMuch;
  std::vector<Box> open{all};
  while (!open.empty()) {
    Box box = std::move(open.back());
    open.pop_back();
    if (++proof.boxes > kMostBoxes || proof.boxes * static_cast<double>(n_ * n_ * m_) > kMostProducts) return proof;
    const auto size = [&] {
      double widest = 0;
      for (std::size_t i = 0; i < n_; ++i) widest = std::max(widest, box[i].width() / size_[i]);
      return widest;
    };
    bool possible = true, around = false;
    for (int pass = 0; pass < 4 && possible && !around; ++pass) {
      const double before = size();
      possible = rows_.narrow_to_zeros(box) && narrow_by_slopes(box);
      around = possible && is_around_known(box);
      if (size() > 0.7 * before) break;
    }
    if (!possible || around) continue;
    if (size() < kSmallest) return proof;
    std::size_t widest = 0;
    for (std::size_t i = 1; i < n_; ++i)
      if (box[i].width() / size_[i] > box[widest].width() / size_[widest]) widest = i;
    Box other = box;
    box[widest].upper = other[widest].lower = box[widest].middle();
    open.push_back(std::move(box));
    open.push_back(std::move(other));
  }
  proof.outcome = AssemblyProof::Outcome::kComplete;
  return proof;
}

}  // namespace

AssemblyProof prove_complete(const Equations& equations, double t, const std::vector<double>& parameters,
                             std::span<const std::vector<double>> known, const std::vector<int>& free,
                             const std::vector<bool>& angle) {
  AssemblyProof open;
  const Equations eq = on_overlay(equations);
  std::vector<Expr> h, variables;
  for (const int row : eq.holonomic) h.push_back(eq.h[index(row)]);
  for (const int i : free) variables.push_back(eq.q[index(i)]);
  if (known.empty() || h.empty() || variables.empty()) return open;
  for (const Expr& one : h)
    if (depends_on_kind(one, SymbolKind::kInput)) return open;
  std::vector<bool> periodic;
  for (std::size_t k = 0; k < free.size(); ++k) {
    periodic.push_back(angle[index(free[k])]);
    if (periodic.back() && !is_periodic(h, variables[k])) return open;
  }
  const auto value_of = [&](SymbolId s) {
    const Symbol& symbol = eq.graph->symbol_info(s);
    if (symbol.kind == SymbolKind::kTime) return t;
    if (symbol.kind == SymbolKind::kCoordinate) return known[0][index(symbol.index)];  // a coordinate that is held
    return symbol.kind == SymbolKind::kParameter && index(symbol.index) < parameters.size()
               ? parameters[index(symbol.index)]
               : std::nan("");
  };
  Proof proof(h, variables, value_of, std::move(periodic));
  if (!proof.known()) return open;
  std::vector<std::vector<double>> at;
  for (const std::vector<double>& q : known) {
    std::vector<double> chosen;
    for (const int i : free) chosen.push_back(q[index(i)]);
    at.push_back(std::move(chosen));
  }
  return proof.run(at);
}

}  // namespace dalembert
