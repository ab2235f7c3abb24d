// SPDX-License-Identifier: Apache-2.0
// Symbolic expressions: an immutable, hash-consed graph with exact rational constants.
//
// Every node exists once, so equal handles mean equal expressions and a derivative shares what it has in common with
// its function. A node's children have smaller ids: ascending ids are a topological order, and one array loop is a
// pass. Building canonicalises locally and nothing more (algebra/ decides equality):
//
//   sum        c0 + Σ c_i t_i : terms distinct and in order of id, c_i ≠ 0, no t_i a constant or a product with a
//              coefficient; a nested sum is kept as one term, so sharing and linear cost survive
//   product    c · Π b_i^e_i : bases distinct and in order of id, e_i ≠ 0, nested products of up to 24 factors
//              merged, numbers in c; (ab)^n = aⁿbⁿ and (a^e)^n = a^(en) for integer n; sqrt(x) is x^(1/2)
//   functions  sin(−x) = −sin(x), cos(−x) = cos(x) …; values at rational multiples of π/2; constants folded exactly
//              where they are rational
//
// The invariants are asserted when a node is made.
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
  kNot,      // 1 or 0
  kSelect,   // condition, value if it is not 0, value if it is 0
  kNothing,  // a null expression; no node of a model's graph has it
};

using NodeId = std::uint32_t;

class Graph;

/// Why an expression stands for nothing.
enum class Misuse : std::uint8_t {
  kNone,       ///< it stands for something
  kEmpty,      ///< it, or one that it was made of, was default-constructed
  kTwoGraphs,  ///< it was made of expressions of two graphs (models) of which none is an overlay of the other
  kNotFinite,  ///< it was made with a NaN or an infinity
};

/// A handle to one node. Valid while its graph lives.
///
/// What is made of expressions is a node of their graph. Until `derive`, a model and its graph belong to one thread.
/// Afterwards any thread may read and build expressions of it, at the same time as others; nothing that takes
/// `const Equations&` adds to it, since such a pass builds on an overlay of its own (Graph).
///
/// What is made of a null expression, of two graphs or of a number that is not finite is null and remembers why: misuse()
/// tells, and a model that is given it reports it. A null expression has the operation kNothing and no value.
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

  /// Of a null expression a graph without symbols.
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

/// An overlay is a graph that begins with the nodes of another: it finds them under their numbers, and what it adds is
/// its own. Expressions of the other graph may be used in it as they are. Opening one takes microseconds (for each 1,024
/// nodes a pointer). It belongs to one thread; the other graph may be read, built in and have other overlays meanwhile.
class Graph {
 public:
  /// Sum: (term, coefficient); product: (base, exponent); functions: (argument, unused).
  struct Item {
    NodeId node;
    std::uint32_t number;
    friend bool operator==(const Item&, const Item&) = default;
  };

  Graph();
  /// An overlay of `base` that knows its first `nodes` nodes; later ones are not part of it.
  Graph(std::shared_ptr<const Graph> base, std::size_t nodes);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Leaves.
  Expr constant(const Rational& value);
  /// One that someone wrote as a decimal: from now on fractions of this graph that end as decimals are printed as such,
  /// unless halving makes them (1/2, 3/8).
  Expr decimal(const Rational& value);
  Expr pi();
  Expr add_symbol(Symbol symbol);  ///< a new symbol, even if the name exists
  Expr symbol(SymbolId id) { return {this, symbols_[id].node}; }

  // Composites.
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
  /// The same expression as one of this overlay; null stays null. kTwoGraphs where this graph does not know it.
  Expr adopt(const Expr& expression);

  /// What this graph may hold, nodes and their operands; an overlay has no limit of its lower graph. Beyond it composites are
  /// 0, so that whoever builds comes to an end soon: who sets a limit must look at exhausted() before anything is read.
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  void limit_parts(std::size_t most) { most_parts_ = most; }
  std::size_t most_parts() const { return most_parts_; }
  std::size_t parts() const { return parts_.load(std::memory_order_relaxed); }
  bool exhausted() const { return parts() > most_parts_; }

  // Reading. What is returned by reference stays where it is while the graph grows.
  std::size_t size() const { return nodes_.size(); }
  Op op(NodeId id) const { return nodes_[id].op; }
  std::span<const Item> items(NodeId id) const {
    const Item* const first = nodes_[id].items;
    return {first, first[-1].node};
  }
  /// The constant's value, the sum's c0, the product's c.
  const Rational& number(NodeId id) const { return numbers_[nodes_[id].data]; }
  const Rational& number(const Item& item) const { return numbers_[item.number]; }
  SymbolId symbol_of(NodeId id) const { return nodes_[id].data; }
  const Symbol& symbol_info(SymbolId id) const { return *symbols_[id].symbol; }
  std::size_t symbol_count() const { return symbols_.size(); }
  bool is_overlay() const { return base_ != nullptr; }
  bool has_decimals() const { return decimals_.load(std::memory_order_relaxed); }
  /// Whether `expression` is one of this graph or, in an overlay, of what it lies on.
  bool knows(const Expr& expression) const;
  /// From now on several threads may build in it.
  void share() { shared_.store(true, std::memory_order_relaxed); }

 private:
  friend class Expr;
  struct Node {
    const Item* items;  // before them one whose `node` is their number
    std::uint32_t data;
    Op op;
  };
  struct SymbolEntry {
    const Symbol* symbol;
    NodeId node;
  };
  class Lock;

  static Graph& nothing();  ///< that of null expressions
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
  std::unordered_map<std::string, SymbolId> shown_;  // LaTeX → the symbol that has it

  std::shared_ptr<const Graph> base_;
  NodeId base_nodes_ = 0;                              // those of `base_` that are known here
  std::uint32_t base_numbers_ = 0, base_symbols_ = 0;  // likewise
  std::atomic<bool> shared_{false}, decimals_{false};
  std::atomic<std::size_t> parts_{0};
  std::size_t most_parts_ = kNoLimit;
  mutable std::atomic_flag locked_;
};

inline Op Expr::op() const { return graph_ != nullptr ? graph_->op(id_) : Op::kNothing; }
inline bool Expr::is_zero() const { return is_constant() && constant().is_zero(); }
inline const Rational& Expr::constant() const { return graph().number(id_); }
inline SymbolId Expr::symbol() const { return graph().symbol_of(id_); }

/// That of all of them: of a graph and an overlay of it the overlay. There is at least one; null ones are in none.
Graph& common_graph(std::span<const Expr> expressions);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);

// Numbers beside expressions: integers and rationals are exact, doubles mean their shortest decimal (0.1 is 1/10).
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_same_v<T, Rational>;
template <Number T>
Rational to_rational(const T& x) {
  if constexpr (std::is_floating_point_v<T>)
    return Rational::from_double(static_cast<double>(x));
  else
    return Rational(x);
}
/// The number in the graph of `a`; null where there is none, or where the number is not finite.
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
