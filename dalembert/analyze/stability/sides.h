// SPDX-License-Identifier: Apache-2.0
// The smooth pieces of the equations that meet at a point where conditions, abs, sign, min, max or floor are at their limit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/steady.h"

namespace dalembert {

/// A guard, an expression whose sign selects a branch, that is 0 at the point.
struct ActiveGuard {
  Expr free;
  double level = 0;  ///< for floor: the integer at which it jumps
  bool floor = false;
  /// Derivatives of the guard by the coordinates, then by the velocities; 0 where an error of the position can explain one.
  std::vector<double> slope;
  Matrix curvature;         ///< second derivatives of the guard by the coordinates
  bool of_position = true;  ///< contains no velocity, also none whose derivative is 0 at the point: x*x'
  bool straight = true;     ///< linear in coordinates and velocities
};

/// The pieces that meet at a point, each with equations of its own, and the guards that separate them. Guards nested
/// inside of others are decided first: on each side of x it is known what min(x, 0) chooses.
class Sides {
 public:
  static constexpr std::size_t kMostPieces = 64;  ///< largest number of pieces that may meet at a point
  /// Pieces count as equal, and forces as 0, within this fraction of the largest terms, and within the effect of a
  /// relative error of this size in the position.
  static constexpr double kSamePiece = 1e-11;

  struct Held {
    Equations equations;
    std::vector<int> side;  ///< for each guard: ±1, or 0 where it has no effect in this piece
  };

  Sides(const SteadySystem& system, const Equations& equations, const MotionPoint& at);

  static bool has_choices(const Equations& eq);
  static bool has_choices(std::span<const Expr> e);
  /// Whether a velocity selects a branch in the expression.
  static bool velocity_selects(const Expr& e, const Equations& eq);

  const std::vector<ActiveGuard>& guards() const { return guards_; }
  const std::vector<Held>& pieces() const { return pieces_; }
  /// The reason where not all pieces were found, else empty.
  const std::string& obstacle() const { return obstacle_; }
  /// Bound on the distance of the point from the limits of the guards, and from the state that it stands for.
  double offset() const { return offset_; }

  /// For a piece of a system with one coordinate, whose force at rest is −U': the first derivative of U' that is not 0.
  struct Leading {
    int order = 0;
    double value = 0;
    bool flat = false;  ///< every derivative of U' by the coordinate is 0, of all orders
  };
  std::optional<Leading> leading_force(const Held& piece) const;

  /// Whether the equations of steady motions, v̇ = 0, in which only these velocities are not 0 are the same expressions in all pieces, wherever the coordinates are and whatever
  /// the velocities.
  bool agree_while(const std::vector<bool>& moving) const;

 private:
  std::vector<double> numbers(std::span<const Expr> e) const;
  double number(const Expr& e) const { return numbers(std::span(&e, 1))[0]; }
  double size_of_terms(const Expr& e) const;
  double value_of_state(std::size_t i) const { return i < at_.q.size() ? at_.q[i] : at_.v[i - at_.q.size()]; }

  // How a node selects a branch: by a guard (turned = 1), or by the negative of one (turned = -1).
  struct Choice {
    std::size_t guard = 0;
    int turned = 1;
  };
  using Choices = std::unordered_map<NodeId, Choice>;

  void expand(Equations eq, std::vector<int> side);

  // Replaces the nodes that choose by the branches for the given sides. Nodes with the same guard are decided together:
  // max(max(x, 2*x), 3*x) is a choice by x alone.
  Equations hold(Equations eq, const Choices& choices, const std::vector<int>& side);

  // The innermost choices: those whose guards contain no other choice.
  Choices find_choices(const Equations& eq);

  // The nodes that choose and are at their limit, with the expressions they choose by. Such an expression counts as 0
  // within kAtLimit of its change with the state. The change is found by differences: one evaluation for each entry of
  // the state, however many nodes choose.
  std::unordered_map<NodeId, Expr> find_at_limit(const std::vector<NodeId>& order);

  Expr chosen_by(NodeId id) const;

  // The guard of an operation with these arguments, scaled so that -2*x and -x, 2 - 4*x and 1/2 - x are one guard.
  Expr guard_by(Op op, std::span<const Expr> x) const;

  std::optional<Choice> known_guard(const Expr& free, Op op) const;

  Choice guard_of(const Expr& free, Op op);

  // The slopes and the curvature of a new guard.
  void differentiate(ActiveGuard& guard);

  Expr choose(NodeId id, std::span<const Expr> x, const Choice& choice, const std::vector<int>& side) const;

  Equations eq_;
  const MotionPoint& at_;
  Graph& graph_;
  std::unordered_map<SymbolId, double> values_;
  std::vector<Expr> state_;
  std::vector<ActiveGuard> guards_;
  std::vector<Held> pieces_;
  double offset_ = kSamePiece;
  std::string obstacle_;
};

}  // namespace dalembert
