// SPDX-License-Identifier: Apache-2.0
// Symbolic expressions: an immutable, hash-consed graph with exact rational constants.
//
// Every node exists once, so equal handles mean equal expressions, and a derivative shares common subexpressions with its function.
// A node's children have smaller ids: ascending ids are a topological order, so a loop over one array is a pass.
// Building an expression canonicalises it locally and does no more (algebra/ decides equality):
//
//   sum        c0 + Σ c_i t_i : terms distinct and in order of id, c_i ≠ 0, no t_i a constant or a product with a
//              coefficient; a nested sum is kept as one term, so sharing and linear cost survive
//   product    c · Π b_i^e_i : bases distinct and in order of id, e_i ≠ 0, nested products of up to 24 factors
//              merged, numbers in c; (ab)^n = aⁿbⁿ, unless a is a number whose aⁿ is beyond 1e±100, and (a^e)^n = a^(en) for integer n; sqrt(x) is x^(1/2)
//   functions  sin(−x) = −sin(x), cos(−x) = cos(x) …; values at rational multiples of π/2; constants folded exactly
//              where they are rational
//
// The invariants are asserted when a node is created.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/rational.h"
#include "dalembert/expr/stable_storage.h"
#include "dalembert/expr/symbol.h"

namespace dalembert {

enum class Op : std::uint8_t {
  kConstant,
  kPi,
  kSymbol,
  kSum,
  kProduct,
  kPower,  // base^exponent with an exponent that is not a rational number
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kErf,
  kExp,
  kLog,
  kAbs,
  kSign,
  kFloor,
  kAtan2,
  kMin,
  kMax,
  kLess,
  kLessEqual,
  kEqual,
  kAnd,
  kOr,
  kNot,      // 1 if the argument is 0, else 0
  kSelect,   // condition, value if the condition is not 0, value if it is 0
  kNothing,  // operation of a null expression; no node of a model's graph has it
};

using NodeId = std::uint32_t;

class Graph;

/// Why an expression is null.
enum class Misuse : std::uint8_t {
  kNone,       ///< the expression is valid
  kEmpty,      ///< the expression or an operand of it was default-constructed
  kTwoGraphs,  ///< operands belong to two graphs (models), neither of which is an overlay of the other
  kNotFinite,  ///< a NaN or an infinity was used as a number
};

/// A handle to one node. Valid while its graph lives.
///
/// An expression built from others is a node of their graph. Until `derive`, a model and its graph belong to one thread. After `derive`, any
/// thread may read expressions and build new ones, at the same time as other threads. A pass that takes `const Equations&` adds nothing to their
/// graph: it builds on an overlay of its own (see Graph).
///
/// An expression built from a null expression, from two graphs or from a number that is not finite is null and remembers the reason:
/// misuse() returns it, and a model that receives such an expression reports it. A null expression has the operation kNothing and no value.
class Expr {
 public:
  Expr() = default;
  Expr(Graph* graph, NodeId id) : graph_(graph), id_(id) {}
  static Expr none(Misuse why) {
    return {nullptr, why == Misuse::kNone ? NodeId{0} : static_cast<NodeId>(why) - NodeId{1}};
  }
  Misuse misuse() const { return graph_ != nullptr ? Misuse::kNone : static_cast<Misuse>(id_ + 1); }
  /// The first misuse among expressions that are to be combined in `graph`.
  template <class Range>
  static Misuse misuse_of(const Range& expressions, const Graph* graph) {
    for (const Expr& e : expressions) {
      if (e.graph_ == graph) continue;
      if (const Misuse wrong = e.misuse_in(graph); wrong != Misuse::kNone) return wrong;
    }
    return Misuse::kNone;
  }

  /// The graph of the expression; a null expression has a graph of its own, without symbols of any model.
  Graph& graph() const { return graph_ != nullptr ? *graph_ : graph_of_nothing(); }
  NodeId id() const { return id_; }
  explicit operator bool() const { return graph_ != nullptr; }
  bool same(const Expr& other) const { return graph_ == other.graph_ && id_ == other.id_; }

  Op op() const;
  bool is_zero() const;
  bool is_constant() const { return op() == Op::kConstant; }
  /// The value of a constant node.
  const Rational& constant() const;
  SymbolId symbol() const;

 private:
  static Graph& graph_of_nothing();
  Misuse misuse_in(const Graph* graph) const;

  Graph* graph_ = nullptr;
  NodeId id_ = 0;
};

/// An overlay is a graph that begins with the nodes of another graph, its base, under the same ids; nodes added later belong to the overlay
/// only. Expressions of the base can be used in the overlay as they are. Opening an overlay takes microseconds (one pointer for each 1,024
/// nodes). An overlay belongs to one thread; meanwhile other threads may read the base, build in it and open other overlays.
class Graph {
 public:
  /// An operand of a node. In a sum (term, coefficient), in a product (base, exponent), in a function (argument, unused).
  struct Item {
    NodeId node;
    std::uint32_t number;
    friend bool operator==(const Item&, const Item&) = default;
  };

  Graph();
  /// An overlay of `base` that contains the first `nodes` nodes of `base`; nodes added to `base` later are not part of it.
  Graph(std::shared_ptr<const Graph> base, std::size_t nodes);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Builders of leaves: nodes without operands.
  Expr constant(const Rational& value);
  /// A constant that was written as a decimal. From now on this graph prints fractions that are finite decimals as decimals, except those
  /// that arise from halving (1/2, 3/8).
  Expr decimal(const Rational& value);
  Expr pi();
  Expr add_symbol(Symbol symbol);  ///< always a new symbol, even if the name exists
  Expr symbol(SymbolId id) { return {this, symbols_[id].node}; }

  // Builders of nodes with operands.
  struct Term {
    Expr term;
    Rational coefficient = 1;
  };
  Expr sum(std::span<const Term> terms);
  Expr sum(std::span<const Expr> terms);
  Expr product(std::span<const Expr> factors);
  Expr power(Expr base, const Rational& exponent);
  Expr power(Expr base, Expr exponent);
  Expr function(Op op, std::span<const Expr> arguments);
  /// The same expression as a node of this overlay; a null expression stays null. The result is null with kTwoGraphs if this graph does not
  /// contain the expression.
  Expr adopt(const Expr& expression);

  /// Limit on the parts (nodes and their operands) of this graph; an overlay does not inherit the limit of its base. Beyond the limit every
  /// new composite is 0, so that a computation ends soon. A caller that sets a limit must check exhausted() before it reads any result.
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  void limit_parts(std::size_t most) { most_parts_ = most; }
  std::size_t most_parts() const { return most_parts_; }
  std::size_t parts() const { return parts_.load(std::memory_order_relaxed); }
  bool exhausted() const { return parts() > most_parts_; }

  // Read access. References stay valid while the graph grows.
  std::size_t size() const { return nodes_.size(); }
  Op op(NodeId id) const { return nodes_[id].op; }
  std::span<const Item> items(NodeId id) const {
    const Item* const first = nodes_[id].items;
    return {first, first[-1].node};
  }
  /// The number of a node: the value of a constant, c0 of a sum, c of a product.
  const Rational& number(NodeId id) const { return numbers_[nodes_[id].data]; }
  const Rational& number(const Item& item) const { return numbers_[item.number]; }
  SymbolId symbol_of(NodeId id) const { return nodes_[id].data; }
  const Symbol& symbol_info(SymbolId id) const { return *symbols_[id].symbol; }
  std::size_t symbol_count() const { return symbols_.size(); }
  bool is_overlay() const { return base_ != nullptr; }
  bool has_decimals() const { return decimals_.load(std::memory_order_relaxed); }
  /// Whether `expression` is a node of this graph or, for an overlay, of the shared part of its base.
  bool knows(const Expr& expression) const;
  /// From now on several threads may add nodes to this graph; it locks itself.
  void share() { shared_.store(true, std::memory_order_relaxed); }

 private:
  friend class Expr;
  struct Node {
    const Item* items;  // the Item before the first one holds the number of items in `node`
    std::uint32_t data;
    Op op;
  };
  struct SymbolEntry {
    const Symbol* symbol;
    NodeId node;
  };
  class Lock;

  static Graph& nothing();  ///< the graph of null expressions
  NodeId intern(Op op, std::uint32_t data, std::span<const Item> items);
  NodeId find(std::uint32_t hash, Op op, std::uint32_t data, std::span<const Item> items) const;
  NodeId append(std::uint32_t hash, Op op, std::uint32_t data, std::span<const Item> items);
  std::uint32_t intern_number(const Rational& value);
  std::optional<std::string> owner_of(const std::string& latex, SymbolId end) const;
  void assert_canonical(Op op, std::uint32_t data, std::span<const Item> items) const;
  Expr at(NodeId id) { return {this, id}; }
  Expr product_of(Rational coefficient, std::vector<std::pair<NodeId, Rational>> factors);
  void append_factor(Expr factor, const Rational& exponent, Rational& coefficient,
                     std::vector<std::pair<NodeId, Rational>>& factors);

  StableArray<Node, 10> nodes_;
  StableArray<Rational, 8> numbers_;
  StableArray<SymbolEntry, 7> symbols_;
  StableLists<Item> items_;
  IdTable node_table_, number_table_;
  std::deque<Symbol> own_symbols_;
  std::unordered_map<std::string, SymbolId> shown_;  // by LaTeX text: the symbol that is printed so

  std::shared_ptr<const Graph> base_;
  NodeId base_nodes_ = 0;                              // number of nodes of `base_` that this overlay contains
  std::uint32_t base_numbers_ = 0, base_symbols_ = 0;  // numbers and symbols of `base_` in this overlay
  std::atomic<bool> shared_{false}, decimals_{false};
  std::atomic<std::size_t> parts_{0};
  std::size_t most_parts_ = kNoLimit;
  mutable std::atomic_flag locked_;
};

inline Op Expr::op() const { return graph_ != nullptr ? graph_->op(id_) : Op::kNothing; }
inline bool Expr::is_zero() const { return is_constant() && constant().is_zero(); }
inline const Rational& Expr::constant() const { return graph().number(id_); }
inline SymbolId Expr::symbol() const { return graph().symbol_of(id_); }

/// The graph of all expressions; if some belong to an overlay, the overlay. Needs at least one expression; null ones are ignored.
Graph& common_graph(std::span<const Expr> expressions);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);

// Mixed operations of numbers and expressions: integers and rationals are exact, a double means its shortest decimal (0.1 is 1/10).
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_same_v<T, Rational>;
template <Number T>
Rational to_rational(const T& x) {
  if constexpr (std::is_floating_point_v<T>)
    return Rational::from_double(static_cast<double>(x));
  else
    return Rational(x);
}
/// The number x as an expression of the graph of `a`; null if `a` is null or x is not finite.
template <Number T>
Expr number_beside(const Expr& a, const T& x) {
  if (!a) return a;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(x)) return Expr::none(Misuse::kNotFinite);
  if constexpr (std::is_floating_point_v<T>) return a.graph().decimal(to_rational(x));
  return a.graph().constant(to_rational(x));
}
template <Number T>
Expr operator+(const Expr& a, const T& b) {
  return a + number_beside(a, b);
}
template <Number T>
Expr operator+(const T& a, const Expr& b) {
  return number_beside(b, a) + b;
}
template <Number T>
Expr operator-(const Expr& a, const T& b) {
  return a - number_beside(a, b);
}
template <Number T>
Expr operator-(const T& a, const Expr& b) {
  return number_beside(b, a) - b;
}
template <Number T>
Expr operator*(const Expr& a, const T& b) {
  return a * number_beside(a, b);
}
template <Number T>
Expr operator*(const T& a, const Expr& b) {
  return number_beside(b, a) * b;
}
template <Number T>
Expr operator/(const Expr& a, const T& b) {
  return a / number_beside(a, b);
}
template <Number T>
Expr operator/(const T& a, const Expr& b) {
  return number_beside(b, a) / b;
}

Expr pow(const Expr& base, const Rational& exponent);
Expr pow(const Expr& base, const Expr& exponent);
Expr square(const Expr& x);
Expr sqrt(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr erf(const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr abs(const Expr& x);
Expr sign(const Expr& x);
Expr floor(const Expr& x);  ///< the largest integer not above x
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr hypot(const Expr& a, const Expr& b);
/// a − b floor(a/b): between 0 and b, with the sign of b.
Expr mod(const Expr& a, const Expr& b);

}  // namespace dalembert
