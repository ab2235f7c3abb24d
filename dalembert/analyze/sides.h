// SPDX-License-Identifier: Apache-2.0
// What meets at a point at which conditions, abs, sign, min, max or floor are at their limit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/matrix.h"
#include "dalembert/analyze/steady.h"

namespace dalembert {

/// An expression whose sign chooses, and is 0 at the point.
struct ActiveGuard {
  Expr free;
  double level = 0;  ///< of floor: the integer
  bool floor = false;
  std::vector<double> slope;  ///< by coordinates, then velocities
  Matrix curvature;           ///< by coordinates
  bool of_position = true, straight = true;
};

/// The pieces that meet at a point, as equations of their own, and the guards that divide them. Guards inside of others are held
/// first: what is chosen by min(x, 0) is known on each side of x.
class Sides {
 public:
  static constexpr std::size_t kMostPieces = 64;  ///< at once
  /// Pieces are the same, and forces none, within this part of the largest terms, and within what so large an error of the position
  /// makes of them.
  static constexpr double kSamePiece = 1e-11;

  struct Held {
    Equations equations;
    std::vector<int> side;  ///< by guard: ±1, or 0 where it chooses nothing
  };

  Sides(const SteadySystem& system, const Equations& equations, const MotionPoint& at);

  static bool has_choices(const Equations& eq);

  const std::vector<ActiveGuard>& guards() const { return guards_; }
  const std::vector<Held>& pieces() const { return pieces_; }
  /// Why the pieces are not all there; empty: they are.
  const std::string& obstacle() const { return obstacle_; }
  /// How far the point may be from the limits, and from where it is meant to be.
  double offset() const { return offset_; }

  /// Of a piece's force at rest, −U', by the only coordinate: the first derivative of U' that is not 0.
  struct Leading {
    int order = 0;
    double value = 0;
    bool flat = false;  ///< none at all
  };
  std::optional<Leading> leading_force(const Held& piece) const;

 private:
  void note_values(const Dynamics& dynamics);
  std::vector<double> numbers(std::span<const Expr> e) const;
  double number(const Expr& e) const { return numbers(std::span(&e, 1))[0]; }
  double size_of_terms(const Expr& e) const;
  double value_of_state(std::size_t i) const { return i < at_.q.size() ? at_.q[i] : at_.v[i - at_.q.size()]; }

  // A node that chooses here: the guard, and whether it asks for its negative.
  struct Choice {
    std::size_t guard = 0;
    int turned = 1;
  };
  using Choices = std::unordered_map<NodeId, Choice>;

  void expand(Equations eq, std::vector<int> side);

  // What follows from sides that are chosen follows at once: max(max(x, 2*x), 3*x) is a choice by x alone.
  Equations hold(Equations eq, const Choices& choices, const std::vector<int>& side);

  // Innermost ones: nothing inside of what they choose by chooses here.
  Choices find_choices(const Equations& eq);

  // What chooses at its limit, with what it chooses by: 0 within kAtLimit of what changes of the state by its own size make of it, by
  // differences, which cost as many evaluations as there are states, however many nodes choose.
  std::unordered_map<NodeId, Expr> find_at_limit(const std::vector<NodeId>& order);

  // How many of its arguments say what a node chooses.
  static std::size_t arguments_of_guard(Op op);

  Expr chosen_by(NodeId id) const;

  // What is asked for its sign, of arguments; -2*x and -x, 2 - 4*x and 1/2 - x are one guard.
  Expr guard_by(Op op, std::span<const Expr> x) const;

  std::optional<Choice> known_guard(const Expr& free, Op op) const;

  Choice guard_of(const Expr& free, Op op);

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
