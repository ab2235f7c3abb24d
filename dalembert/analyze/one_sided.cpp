// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/one_sided.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dalembert/analyze/slopes.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/jumps.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostGuards = 4, kMostPieces = 64;  // at once
constexpr int kMostOrders = 8;                            // of derivatives of a force
// A guard is 0 within this part of what a change of the state by its own size makes of it.
constexpr double kAtLimit = 1e-8;
// Pieces are the same, and forces none, within this part of the largest terms, and within what so large an error of the
// position makes of them.
constexpr double kSamePiece = 1e-11;
// Directions lie inside a piece, and eigenvalues are positive, beyond this.
constexpr double kInside = 1e-6;

struct ActiveGuard {
  Expr free;
  double level = 0;  // of floor: the integer
  bool floor = false;
  std::vector<double> slope;  // by coordinates, then velocities
  Matrix curvature;           // by coordinates
  bool of_position = true, straight = true;
};

// The pieces that meet at a point, as equations of their own, and the guards that divide them. Guards inside of others are held
// first: what is chosen by min(x, 0) is known on each side of x.
class Sides {
 public:
  struct Held {
    Equations equations;
    std::vector<int> side;  // by guard: ±1, or 0 where it chooses nothing
  };

  Sides(const SteadySystem& system, const Equations& equations, const MotionPoint& at)
      : eq_(on_overlay(equations)), at_(at), graph_(*eq_.graph) {
    note_values(*system.dynamics);
    expand(eq_, {});
    for (Held& piece : pieces_) piece.side.resize(guards_.size());
  }

  static bool has_choices(const Equations& eq) {
    return std::ranges::any_of(reachable(all_of(eq)), [&](NodeId id) { return chooses(eq.graph->op(id)); });
  }

  const std::vector<ActiveGuard>& guards() const { return guards_; }
  const std::vector<Held>& pieces() const { return pieces_; }
  const std::string& obstacle() const { return obstacle_; }
  // How far the point may be from the limits, and from where it is meant to be.
  double offset() const { return offset_; }

  // Of a piece's force at rest, −U', by the only coordinate: the first derivative of U' that is not 0.
  struct Leading {
    int order = 0;
    double value = 0;
    bool flat = false;  // none at all
  };
  std::optional<Leading> leading_force(const Held& piece) const {
    std::unordered_map<SymbolId, Expr> at_rest;
    for (const Expr& v : eq_.velocities()) at_rest.emplace(v.symbol(), graph_.constant(0));
    const Equations& eq = piece.equations;
    Expr slope = substitute(eq.G[0] + eq.B[0] - eq.F[0], at_rest);
    for (int order = 0; order <= kMostOrders; ++order) {
      if (slope.is_zero()) return Leading{order, 0, true};
      const Expr next = gradient(slope, std::span(&eq_.q[0], 1))[0];
      const double value = number(slope), by_offset = offset_ * std::abs(number(next));
      if (!std::isfinite(value) || !std::isfinite(by_offset)) return std::nullopt;
      if (std::abs(value) > std::max(by_offset, kSamePiece * size_of_terms(slope))) return Leading{order, value, false};
      slope = next;
    }
    return std::nullopt;
  }

 private:
  // All lists that equations of motion are made of.
  template <class Of>
  static auto parts(Of& eq) {
    return std::array{&eq.M.value, &eq.B,         &eq.G,       &eq.F,          &eq.W.value, &eq.a, &eq.gamma,
                      &eq.h,       &eq.Phi.value, &eq.C.value, &eq.load.value, &eq.N.value, &eq.n0};
  }
  template <class Of>
  static std::vector<Expr> all_of(Of& eq) {
    std::vector<Expr> all;
    for (const std::vector<Expr>* list : parts(eq)) all.insert(all.end(), list->begin(), list->end());
    return all;
  }
  static bool chooses(Op op) { return function_info(op).guard != Guard::kNone || op == Op::kEqual; }

  void note_values(const Dynamics& dynamics) {
    const auto add = [&](const std::vector<Expr>& symbols, const std::vector<double>& values) {
      for (std::size_t i = 0; i < symbols.size() && i < values.size(); ++i)
        values_.emplace(symbols[i].symbol(), values[i]);
    };
    add(eq_.q, at_.q);
    add(eq_.velocities(), at_.v);
    add(eq_.accelerations(), at_.vdot);
    add(eq_.lambda, at_.lambda);
    values_.emplace(eq_.t.symbol(), at_.t);
    for (std::size_t i = 0; i < eq_.model->parameters.size(); ++i)
      values_.emplace(eq_.model->parameters[i].symbol.symbol(), dynamics.parameters()[i]);
    for (std::size_t i = 0; i < eq_.model->inputs.size() && i < at_.u.size(); ++i)
      values_.emplace(eq_.model->inputs[i].symbol.symbol(), at_.u[i]);
    state_ = eq_.q;
    state_.insert(state_.end(), eq_.velocities().begin(), eq_.velocities().end());
  }
  std::vector<double> numbers(std::span<const Expr> e) const {
    return evaluate(e, [&](SymbolId symbol) {
      const auto found = values_.find(symbol);
      return found == values_.end() ? 0.0 : found->second;
    });
  }
  double number(const Expr& e) const { return numbers(std::span(&e, 1))[0]; }
  double size_of_terms(const Expr& e) const {
    if (graph_.op(e.id()) != Op::kSum) return std::abs(number(e));
    double size = std::abs(graph_.number(e.id()).to_double());
    for (const Graph::Item& item : graph_.items(e.id()))
      size += std::abs(graph_.number(item).to_double() * number(Expr(&graph_, item.node)));
    return size;
  }
  double value_of_state(std::size_t i) const { return i < at_.q.size() ? at_.q[i] : at_.v[i - at_.q.size()]; }

  // A node that chooses here: the guard, and whether it asks for its negative.
  struct Choice {
    std::size_t guard = 0;
    int turned = 1;
  };
  using Choices = std::unordered_map<NodeId, Choice>;

  void expand(Equations eq, std::vector<int> side) {
    if (pieces_.size() > kMostPieces || !obstacle_.empty()) return;
    if (guards_.size() > kMostPieces) {
      obstacle_ = "too many branches meet here";
      return;
    }
    const Choices choices = find_choices(eq);
    if (!obstacle_.empty()) return;
    side.resize(guards_.size());
    if (choices.empty()) {
      pieces_.push_back({std::move(eq), std::move(side)});
      return;
    }
    std::vector<std::size_t> open;
    for (const auto& [id, choice] : choices)
      if (side[choice.guard] == 0 && std::ranges::find(open, choice.guard) == open.end()) open.push_back(choice.guard);
    std::ranges::sort(open);
    if (open.size() > kMostGuards) {
      obstacle_ = "too many branches meet here";
      return;
    }
    for (std::size_t mask = 0; mask < (std::size_t{1} << open.size()); ++mask) {
      std::vector<int> chosen = side;
      for (std::size_t k = 0; k < open.size(); ++k) chosen[open[k]] = (mask >> k & 1U) != 0 ? 1 : -1;
      expand(hold(eq, choices, chosen), chosen);
    }
  }

  // What follows from sides that are chosen follows at once: max(max(x, 2*x), 3*x) is a choice by x alone.
  Equations hold(Equations eq, const Choices& choices, const std::vector<int>& side) {
    const std::vector<Expr> rebuilt = rebuild(all_of(eq), [&](NodeId id, std::span<const Expr> x) {
      const auto found = choices.find(id);
      if (found != choices.end()) return choose(id, x, found->second, side);
      const Op op = graph_.op(id);
      if (!chooses(op) || op == Op::kEqual) return Expr();
      const std::optional<Choice> known = known_guard(guard_by(op, x), op);
      return known && side[known->guard] != 0 ? choose(id, x, *known, side) : Expr();
    });
    std::size_t next = 0;
    for (std::vector<Expr>* list : parts(eq))
      for (Expr& e : *list) e = rebuilt[next++];
    return eq;
  }

  // Innermost ones: nothing inside of what they choose by chooses here.
  Choices find_choices(const Equations& eq) {
    Choices choices;
    const std::vector<NodeId> order = reachable(all_of(eq));
    const std::unordered_map<NodeId, Expr> at_limit = find_at_limit(order);
    std::unordered_set<NodeId> above;  // nodes that contain a choice, choices among them
    for (const NodeId id : order) {
      const auto is_above = [&](const Graph::Item& item) { return above.contains(item.node); };
      const std::span<const Graph::Item> items = graph_.items(id);
      if (std::ranges::any_of(items, is_above)) above.insert(id);
      const auto found = at_limit.find(id);
      if (found == at_limit.end()) continue;
      const Op op = graph_.op(id);
      if (std::ranges::any_of(items.first(arguments_of_guard(op)), is_above)) continue;
      if (op == Op::kEqual) {
        obstacle_ = "an equality is a condition here";
        return {};
      }
      const Expr& free = found->second;
      if (depends_on(free, eq_.lambda)) {
        obstacle_ = "what chooses a branch here is a multiplier";
        return {};
      }
      choices.emplace(id, guard_of(free, op));
      above.insert(id);
    }
    return choices;
  }

  // What chooses at its limit, with what it chooses by: 0 within kAtLimit of what changes of the state by its own size make of it, by
  // differences, which cost as many evaluations as there are states, however many nodes choose.
  std::unordered_map<NodeId, Expr> find_at_limit(const std::vector<NodeId>& order) {
    constexpr double kStep = 1e-6;
    std::unordered_set<NodeId> moves;  // with the state or multipliers
    for (const std::vector<Expr>* symbols : {&state_, &eq_.lambda})
      for (const Expr& symbol : *symbols) moves.insert(symbol.id());
    std::vector<NodeId> nodes;
    std::vector<Expr> free;
    for (const NodeId id : order) {
      const auto moved = [&](const Graph::Item& item) { return moves.contains(item.node); };
      const std::span<const Graph::Item> items = graph_.items(id);
      if (std::ranges::any_of(items, moved)) moves.insert(id);
      const Op op = graph_.op(id);
      if (!chooses(op) || std::ranges::none_of(items.first(arguments_of_guard(op)), moved)) continue;
      nodes.push_back(id);
      free.push_back(chosen_by(id));
    }
    std::unordered_map<NodeId, Expr> found;
    if (nodes.empty()) return found;
    const std::vector<double> values = numbers(free);
    std::vector<double> reach(free.size());
    for (std::size_t i = 0; i < state_.size(); ++i) {
      double& entry = values_[state_[i].symbol()];
      const double before = entry;
      entry += kStep * std::max(1.0, std::abs(value_of_state(i)));
      const std::vector<double> beside = numbers(free);
      entry = before;
      for (std::size_t k = 0; k < free.size(); ++k) reach[k] += std::abs(beside[k] - values[k]) / kStep;
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
      const double away = graph_.op(nodes[k]) == Op::kFloor ? values[k] - std::round(values[k]) : values[k];
      if (std::abs(away) <= std::max(kAtLimit * reach[k], 1e-14)) found.emplace(nodes[k], free[k]);
    }
    return found;
  }

  // How many of its arguments say what a node chooses.
  static std::size_t arguments_of_guard(Op op) {
    return op == Op::kEqual || function_info(op).guard == Guard::kDifference ? 2 : 1;
  }

  Expr chosen_by(NodeId id) const {
    std::vector<Expr> x;
    for (const Graph::Item& item : graph_.items(id)) x.emplace_back(&graph_, item.node);
    return guard_by(graph_.op(id), x);
  }

  // What is asked for its sign, of arguments; -2*x and -x, 2 - 4*x and 1/2 - x are one guard.
  Expr guard_by(Op op, std::span<const Expr> x) const {
    const Expr free = arguments_of_guard(op) == 1 ? x[0] : x[0] - x[1];
    const Op kind = graph_.op(free.id());
    if (op == Op::kFloor || (kind != Op::kSum && kind != Op::kProduct)) return free;
    const Rational first = kind == Op::kProduct ? graph_.number(free.id()) : graph_.number(graph_.items(free.id())[0]);
    return free * graph_.constant(first.sign() < 0 ? (-first).inverse() : first.inverse());
  }

  std::optional<Choice> known_guard(const Expr& free, Op op) const {
    const bool floor = op == Op::kFloor;
    const Expr negative = -free;
    for (std::size_t k = 0; k < guards_.size(); ++k) {
      if (guards_[k].floor != floor || (floor && guards_[k].level != std::round(number(free)))) continue;
      if (guards_[k].free.id() == free.id()) return Choice{k, 1};
      if (!floor && guards_[k].free.id() == negative.id()) return Choice{k, -1};
    }
    return std::nullopt;
  }

  Choice guard_of(const Expr& free, Op op) {
    if (const std::optional<Choice> known = known_guard(free, op)) return *known;
    const bool floor = op == Op::kFloor;
    const double level = floor ? std::round(number(free)) : 0;
    const std::vector<Expr> slopes = gradient(free, state_);
    ActiveGuard guard{free, level, floor, {}, {}, true, true};
    const std::size_t nq = at_.q.size();
    guard.curvature = Matrix(nq, nq);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      guard.slope.push_back(number(slopes[i]));
      if (i >= nq && guard.slope[i] != 0) guard.of_position = false;
      const std::vector<Expr> second = gradient(slopes[i], state_);
      for (std::size_t j = 0; j < state_.size(); ++j) {
        if (second[j].is_zero()) continue;
        guard.straight = false;
        if (i < nq && j < nq) guard.curvature(i, j) = number(second[j]);
      }
    }
    double length = 0;
    for (const double entry : guard.slope) length = std::hypot(length, entry);
    if (length > 0) offset_ = std::max(offset_, 10 * std::abs(number(free) - level) / length);
    guards_.push_back(std::move(guard));
    return {guards_.size() - 1, 1};
  }

  Expr choose(NodeId id, std::span<const Expr> x, const Choice& choice, const std::vector<int>& side) const {
    const int s = side[choice.guard] * choice.turned;
    const ActiveGuard& guard = guards_[choice.guard];
    const Op op = graph_.op(id);
    switch (op) {
      case Op::kAbs:
        return s > 0 ? x[0] : -x[0];
      case Op::kSign:
        return graph_.constant(s);
      case Op::kFloor:
        return graph_.constant(Rational::from_double(s > 0 ? guard.level : guard.level - 1));
      case Op::kMin:
        return s < 0 ? x[0] : x[1];
      case Op::kMax:
        return s < 0 ? x[1] : x[0];
      default:
        return graph_.function(op, std::array{graph_.constant(s), graph_.constant(0)});
    }
  }

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

// The equations of one piece at the point.
struct SmoothPiece {
  std::vector<int> side;
  EquationDerivatives derivatives;
  Slopes slopes;
  std::vector<double> values;  // at rest, v̇ = 0 and λ = 0

  SmoothPiece(const Sides::Held& held, const Dynamics& dynamics, const MotionPoint& at)
      : side(held.side),
        derivatives(held.equations),
        slopes(derivatives, dynamics, at),
        values(derivatives.values(dynamics, at)) {}
};

class OneSidedJudge {
 public:
  OneSidedJudge(const SteadySystem& system, const Equations& equations, const LinearMotion& motion)
      : system_(system), equations_(equations), motion_(motion), sides_(system, equations, motion.at) {}

  std::optional<OneSided> run() {
    if (sides_.guards().empty() && sides_.obstacle().empty()) return std::nullopt;
    OneSided result;
    for (const ActiveGuard& guard : sides_.guards()) result.guards.push_back(to_text(guard.free));
    if (!sides_.obstacle().empty()) return undecided(std::move(result), sides_.obstacle());
    if (sides_.pieces().size() > kMostPieces) return undecided(std::move(result), "too many branches meet here");
    at_ = motion_.at;
    std::ranges::fill(at_.vdot, 0.0);
    for (const Sides::Held& held : sides_.pieces()) {
      pieces_.emplace_back(held, *system_.dynamics, at_);
      if (!std::isfinite(largest(determining(pieces_.back().slopes.all))))
        return undecided(std::move(result), "a derivative of one side is not finite");
    }
    if (agree()) {
      // Where nothing of first order is left, what is of higher order may differ.
      if (motion_.kind == MotionKind::kEquilibrium && system_.nq() == 1 && system_.m() == 0 &&
          std::abs(pieces_.front().slopes.all(row().r, column().q)) <= 1e-12)
        if (const std::optional<StabilityVerdict> verdict = one_freedom_by_orders())
          return decided(std::move(result), *verdict, of_orders(*verdict));
      if (!differs_from_all()) {
        if (!depend_on_position()) return std::nullopt;
        result.linear = motion_;
        return result;
      }
      // What is chosen at the limit itself has another derivative: sign(0) = 0.
      const SteadySystem of_piece{system_.dynamics, &pieces_.front().derivatives, system_.left_out, system_.follows};
      Result<LinearMotion> linear = linearize(of_piece, state_of(motion_.at));
      if (!linear || linear->kind != motion_.kind) return undecided(std::move(result), "at the limit itself alone");
      result.linear = std::move(linear).value();
      result.derivatives = std::make_shared<const EquationDerivatives>(pieces_.front().derivatives);
      return result;
    }
    if (motion_.kind != MotionKind::kEquilibrium)
      return undecided(std::move(result), "and what is chosen at the limit itself is one of them");
    if (constraints_differ()) return undecided(std::move(result), "in a constraint");
    if (!system_.left_out.empty() || !system_.follows.empty() || !system_.dynamics->layout().v_is_qdot)
      return undecided(std::move(result), "in equations of other velocities than rates");
    if (accelerates_away())
      return decided(std::move(result), StabilityVerdict::kUnstable, "a force on one side leads away");
    if (grows_inside())
      return decided(std::move(result), StabilityVerdict::kUnstable, "on one side it leads away exponentially");
    if (drifts_off())
      return decided(std::move(result), StabilityVerdict::kUnstable,
                     "on one side there is no force, and it drifts off at constant speed");
    if (const std::optional<StabilityVerdict> verdict = one_freedom_by_orders())
      return decided(std::move(result), *verdict, of_orders(*verdict));
    if (potential_is_least())
      return decided(std::move(result), StabilityVerdict::kStable, "the energy is least on every side");
    if (one_freedom_falls())
      return decided(std::move(result), StabilityVerdict::kAsymptoticallyStable,
                     "on every side it is pulled back and damped");
    return undecided(std::move(result), "and what is known of its sides does not decide");
  }

 private:
  static std::string of_orders(StabilityVerdict verdict) {
    return verdict == StabilityVerdict::kStable ? "the energy rises on every side"
                                                : "the energy does not rise on every side";
  }
  static OneSided undecided(OneSided result, const std::string& why) {
    result.because = "the equations have no derivative here (" + join_words(result.guards) + "), " + why;
    if (result.guards.empty()) result.because = "the equations have no derivative here: " + why;
    return result;
  }
  static OneSided decided(OneSided result, StabilityVerdict verdict, const std::string& why) {
    result.verdict = verdict;
    result.because = "the equations have no derivative here (" + join_words(result.guards) + "): " + why;
    return result;
  }

  const DerivativeRows& row() const { return system_.derivatives->rows(); }
  const DerivativeColumns& column() const { return system_.derivatives->columns(); }
  Matrix determining(const Matrix& all) const { return block(all, 0, 0, row().y, all.cols); }

  double same_within() const { return kSamePiece + sides_.offset(); }

  // To first order.
  bool agree() const {
    const SmoothPiece& first = pieces_.front();
    const Matrix of_first = determining(first.slopes.all);
    double size = 0;
    for (std::size_t i = 0; i < row().y; ++i) size = std::max(size, std::abs(first.values[i]));
    const double most = std::max(largest(of_first), size);
    for (const SmoothPiece& piece : pieces_) {
      const Matrix of_piece = determining(piece.slopes.all);
      for (std::size_t k = 0; k < of_piece.entries.size(); ++k)
        if (std::abs(of_piece.entries[k] - of_first.entries[k]) > same_within() * most) return false;
      for (std::size_t i = 0; i < row().y; ++i)
        if (std::abs(piece.values[i] - first.values[i]) > same_within() * most) return false;
    }
    return true;
  }
  bool differs_from_all() const {
    const Slopes chosen(*system_.derivatives, *system_.dynamics, at_);
    const Matrix here = determining(chosen.all), first = determining(pieces_.front().slopes.all);
    const std::vector<double> values = system_.derivatives->values(*system_.dynamics, at_);
    double most = std::max(largest(first), largest(here));
    for (std::size_t i = 0; i < row().y; ++i) most = std::max(most, std::abs(values[i]));
    for (std::size_t k = 0; k < here.entries.size(); ++k)
      if (std::abs(here.entries[k] - first.entries[k]) > same_within() * most) return true;
    for (std::size_t i = 0; i < row().y; ++i)
      if (std::abs(values[i] - pieces_.front().values[i]) > same_within() * most) return true;
    return false;
  }

  bool depend_on_position() const {
    return std::ranges::any_of(sides_.guards(), [&](const ActiveGuard& guard) {
      return largest(guard.curvature) > 0 ||
             std::any_of(guard.slope.begin(), guard.slope.begin() + static_cast<std::ptrdiff_t>(system_.nq()),
                         [](double slope) { return slope != 0; });
    });
  }

  bool constraints_differ() const {
    const SmoothPiece& first = pieces_.front();
    for (const SmoothPiece& piece : pieces_)
      for (std::size_t i = row().c; i < row().y; ++i) {
        if (std::abs(piece.values[i] - first.values[i]) > kSamePiece) return true;
        for (std::size_t j = 0; j < first.slopes.all.cols; ++j)
          if (std::abs(piece.slopes.all(i, j) - first.slopes.all(i, j)) > kSamePiece) return true;
      }
    return false;
  }

  // s_k ∇g_k·x > 0 of all guards, x a change of coordinates and velocities.
  bool is_inside(const SmoothPiece& piece, const std::vector<double>& x) const {
    double length = 0;
    for (const double entry : x) length = std::hypot(length, entry);
    for (std::size_t k = 0; k < piece.side.size(); ++k) {
      if (piece.side[k] == 0) continue;
      double along = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        along += sides_.guards()[k].slope[i] * x[i];
        size = std::hypot(size, sides_.guards()[k].slope[i]);
      }
      if (!(piece.side[k] * along > kInside * size * length)) return false;
    }
    return length > 0;
  }

  // (v̇, λ) of the piece at rest.
  std::vector<double> acceleration(const SmoothPiece& piece) const {
    const std::size_t nv = system_.nv(), size = nv + system_.m();
    const Matrix K = block(piece.slopes.all, row().r, column().vdot, size, size);
    Matrix right(size, 1);
    MotionPoint free = at_;
    std::ranges::fill(free.lambda, 0.0);
    const std::vector<double> values = piece.derivatives.values(*system_.dynamics, free);
    for (std::size_t i = 0; i < size; ++i) right(i, 0) = -values[row().r + i];
    const Matrix solved = solve_least(K, right, 1e-13);
    std::vector<double> vdot(nv);
    // What is left of forces that balance, or are those of an error of the position, is none.
    double most = 0, none = 0;
    for (std::size_t i = 0; i < nv; ++i) {
      vdot[i] = solved(i, 0);
      most = std::max(most, std::abs(vdot[i]) / piece.slopes.v_size[i]);
      double terms = kSamePiece * std::abs(right(i, 0));
      for (std::size_t j = 0; j < at_.q.size(); ++j)
        terms += sides_.offset() * std::abs(piece.slopes.all(row().r + i, column().q + j)) *
                 std::max(1.0, std::abs(at_.q[j]));
      none = std::max(none, terms * piece.slopes.v_size[i]);
    }
    if (most <= none) std::ranges::fill(vdot, 0.0);
    return vdot;
  }
  bool rests(const SmoothPiece& piece) const {
    return std::ranges::all_of(acceleration(piece), [](double x) { return x == 0; });
  }

  bool accelerates_away() const {
    for (const SmoothPiece& piece : pieces_) {
      const std::vector<double> vdot = acceleration(piece);
      // After a moment v = v̇ t, q = v̇ t²/2.
      std::vector<double> x(system_.nq() + system_.nv());
      const bool of_position = std::ranges::all_of(sides_.guards(), &ActiveGuard::of_position);
      for (std::size_t i = 0; i < vdot.size(); ++i) x[of_position ? i : system_.nq() + i] = vdot[i];
      if (is_inside(piece, x)) return true;
    }
    return false;
  }

  std::optional<LinearMotion> linearized(const SmoothPiece& piece) const {
    if (!rests(piece)) return std::nullopt;
    const SteadySystem of_piece{system_.dynamics, &piece.derivatives};
    Result<LinearMotion> motion = linearize(of_piece, state_of(motion_.at));
    if (!motion || motion->kind != MotionKind::kEquilibrium) return std::nullopt;
    for (std::size_t i = 0; i < at_.q.size(); ++i)
      if (std::abs(motion->at.q[i] - at_.q[i]) > 1e-7 * std::max(1.0, std::abs(at_.q[i]))) return std::nullopt;
    return std::move(motion).value();
  }

  bool grows_inside() const {
    for (const SmoothPiece& piece : pieces_) {
      const std::optional<LinearMotion> motion = linearized(piece);
      if (!motion) continue;
      const Eigenpairs pairs = eigenpairs(motion->A);
      for (std::size_t e = 0; e < pairs.value.size(); ++e) {
        const double size = std::max(1e-300, largest(motion->A));
        if (!(pairs.value[e].real() > kInside * size) || std::abs(pairs.value[e].imag()) > kSamePiece * size) continue;
        for (const double half : {1.0, -1.0}) {
          std::vector<double> x(motion->tangent.rows);
          for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t k = 0; k < pairs.vector[e].size(); ++k)
              x[i] += half * motion->tangent(i, k) * pairs.vector[e][k].real();
          if (is_inside(piece, x)) return true;
        }
      }
    }
    return false;
  }

  // A coordinate that nothing of the piece depends on, and that nothing resists.
  bool drifts_off() const {
    for (const SmoothPiece& piece : pieces_) {
      if (!rests(piece)) continue;
      for (std::size_t i = 0; i < system_.nq(); ++i) {
        if (piece.derivatives.motion_depends_on(column().q + i)) continue;
        for (const double half : {1.0, -1.0}) {
          std::vector<double> x(system_.nq() + system_.nv());
          x[i] = half;
          const bool straight = std::ranges::all_of(
              sides_.guards(), [](const ActiveGuard& guard) { return guard.straight && guard.of_position; });
          if (!straight || !is_inside(piece, x)) continue;
          if (goes_on(piece, i, half)) return true;
        }
      }
    }
    return false;
  }

  // Whether nothing changes a speed, be it large or small.
  bool goes_on(const SmoothPiece& piece, std::size_t i, double direction) const {
    for (const double speed : {1.0, 0.37, 1e-3}) {
      MotionPoint moving = at_;
      moving.v[i] = direction * speed;
      const std::vector<double> values = piece.derivatives.values(*system_.dynamics, moving);
      for (std::size_t k = 0; k < row().k; ++k)
        if (std::abs(values[k] - piece.values[k]) > 1e-14 * (1 + std::abs(piece.values[k]))) return false;
    }
    return true;
  }

  // One coordinate and a conserved energy: the first derivative that is not 0 says whether it rises, whatever the order; where it
  // falls or is flat, what starts there at rest, or with a push, goes on.
  std::optional<StabilityVerdict> one_freedom_by_orders() const {
    if (system_.nq() != 1 || system_.m() != 0 || !keeps_energy()) return std::nullopt;
    bool rises = true;
    for (const Sides::Held& piece : sides_.pieces()) {
      double half = 0;  // 2: both, or none
      for (const double x : {1.0, -1.0}) {
        bool inside = true;
        for (std::size_t k = 0; k < piece.side.size(); ++k)
          inside = inside && (piece.side[k] == 0 || piece.side[k] * sides_.guards()[k].slope[0] * x > 0);
        if (inside) half = half == 0 ? x : 2;
      }
      if (half != 1 && half != -1) return std::nullopt;
      const std::optional<Sides::Leading> leading = sides_.leading_force(piece);
      if (!leading) return std::nullopt;
      rises = rises && !leading->flat && leading->value * std::pow(half, leading->order + 1) > 0;
    }
    return rises ? StabilityVerdict::kStable : StabilityVerdict::kUnstable;
  }

  bool keeps_energy() const {
    if (!equations_.conservative || equations_.holonomic.size() != equations_.rows.size()) return false;
    for (const ActiveGuard& guard : sides_.guards())
      if (!guard.of_position) return false;
    for (const Expr& energy : {equations_.V, equations_.T})
      if (!find_jumps(energy, *equations_.model).empty()) return false;
    return true;
  }

  bool potential_is_least() const {
    if (!keeps_energy()) return false;
    return std::ranges::all_of(pieces_, [&](const SmoothPiece& piece) { return is_least(piece); });
  }

  bool is_least(const SmoothPiece& piece) const {
    const std::size_t n = system_.nv(), m = system_.m(), guards = piece.side.size();
    MotionPoint free = at_;
    std::ranges::fill(free.lambda, 0.0);
    const std::vector<double> values = piece.derivatives.values(*system_.dynamics, free);
    // ∇V = Wᵀλ + Σ μ_k s_k ∇g_k; guards whose slopes are 0 stand for nothing.
    Matrix A(n, m + guards), right(n, 1);
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double unit = piece.slopes.v_size[i];
      right(i, 0) = values[row().r + i] * unit;
      size = std::max(size, std::abs(right(i, 0)));
      for (std::size_t j = 0; j < m; ++j) A(i, j) = -piece.slopes.all(row().r + i, column().lambda + j) * unit;
      for (std::size_t k = 0; k < guards; ++k) A(i, m + k) = piece.side[k] * sides_.guards()[k].slope[i] * unit;
    }
    const Matrix solved = solve_least(A, right);
    const Matrix left = A * solved;
    for (std::size_t i = 0; i < n; ++i)
      if (std::abs(left(i, 0) - right(i, 0)) > kSamePiece * std::max(size, 1e-12)) return false;
    MotionPoint at = at_;
    for (std::size_t j = 0; j < m; ++j) at.lambda[j] = solved(j, 0);
    std::vector<std::size_t> pressing;
    for (std::size_t k = 0; k < guards; ++k) {
      double slope = 0;
      for (std::size_t i = 0; i < n; ++i) slope = std::max(slope, std::abs(A(i, m + k)));
      const double force = solved(m + k, 0) * slope;
      if (force < -kSamePiece * size) return false;
      if (force > kInside * size && size > 0) pressing.push_back(k);
    }
    // The Hessian of the Lagrangian on what is left.
    const Slopes slopes(piece.derivatives, *system_.dynamics, at);
    Matrix H = block(slopes.all, row().r, column().q, n, n), rows(m + pressing.size(), n);
    for (const std::size_t k : pressing)
      for (std::size_t i = 0; i < H.entries.size(); ++i)
        H.entries[i] -= solved(m + k, 0) * piece.side[k] * sides_.guards()[k].curvature.entries[i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) H(i, j) *= slopes.v_size[i] * slopes.v_size[j];
      for (std::size_t j = 0; j < m; ++j) rows(j, i) = A(i, j);
      for (std::size_t p = 0; p < pressing.size(); ++p) rows(m + p, i) = A(i, m + pressing[p]);
    }
    for (std::size_t r = 0; r < rows.rows; ++r) {
      double norm = 0;
      for (std::size_t i = 0; i < n; ++i) norm = std::hypot(norm, rows(r, i));
      for (std::size_t i = 0; i < n && norm > 0; ++i) rows(r, i) /= norm;
    }
    const Matrix along = null_space(rows, 1e-9, 1);
    if (along.cols == 0) return true;
    Matrix K = transposed(along) * H * along;
    for (std::size_t i = 0; i < K.rows; ++i)
      for (std::size_t j = 0; j < i; ++j) K(i, j) = K(j, i) = (K(i, j) + K(j, i)) / 2;
    const double scale = std::max(largest(K), 1e-300);
    return std::ranges::all_of(eigenpairs(K).value,
                               [&](const std::complex<double>& value) { return value.real() > kInside * scale; });
  }

  bool one_freedom_falls() const {
    for (const ActiveGuard& guard : sides_.guards())
      if (!guard.of_position) return false;
    for (const SmoothPiece& piece : pieces_) {
      const std::optional<LinearMotion> motion = linearized(piece);
      if (!motion || motion->A.rows != 2 || !motion->states[1].velocity || motion->states[0].velocity) return false;
      const double k = -motion->A(1, 0), c = -motion->A(1, 1), unit = std::max(std::sqrt(std::abs(k)), std::abs(c));
      if (!(k > kInside * unit * unit) || !(c > kInside * unit) || std::abs(motion->A(0, 0)) > 0 ||
          motion->A(0, 1) != 1)
        return false;
    }
    return true;
  }

  const SteadySystem& system_;
  const Equations& equations_;
  const LinearMotion& motion_;
  Sides sides_;
  MotionPoint at_;
  std::vector<SmoothPiece> pieces_;
};

}  // namespace

std::optional<OneSided> judge_one_sided(const SteadySystem& system, const Equations& equations,
                                        const LinearMotion& motion) {
  if (!Sides::has_choices(equations)) return std::nullopt;
  return OneSidedJudge(system, equations, motion).run();
}

}  // namespace dalembert
