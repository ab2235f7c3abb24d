// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/expr.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <ranges>
#if !defined(__wasi__)
#include <thread>
#endif

#include "dalembert/expr/symbol_name.h"

namespace dalembert {
namespace {

constexpr NodeId kNone = IdTable::kNone;
constexpr std::size_t kMaxFoldedBits = 4096;  // limit in bits; a constant power with more bits is not evaluated
// Products up to this number of factors are merged into a product that contains them. In d_n = d_{n-1} cos(d_{n-1}) the merged product has
// n factors and its derivative n² factors, so a longer product stays one factor.
constexpr std::size_t kMostSpread = 24;
constexpr std::uint32_t kOne = 1;  // index of the number 1 in `numbers_`; every graph begins with 0 and 1

// Whether (c·b)ⁿ is written as cⁿ·bⁿ. A cⁿ that is far from the numbers in use would be 0 or infinite as a double, or as good as that, where the power is
// neither: ((1 + cos x)/2)^10000. A number itself and its reciprocal are always taken out.
bool leaves_power(const Rational& c, const Rational& n) {
  constexpr double kMostDecades = 100;
  const double exponent = std::abs(n.to_double());
  return exponent <= 1 || c.is_one() || std::abs(std::log10(std::abs(c.to_double()))) * exponent < kMostDecades;
}

// Applies a binary operation: the result is the first null operand if there is one, otherwise make(graph) in the common graph of both operands.
template <class Make>
Expr combine(const Expr& a, const Expr& b, Make make) {
  for (const Expr& operand : {a, b})
    if (!operand) return operand;
  if (&a.graph() == &b.graph() || a.graph().knows(b)) return make(a.graph());
  return b.graph().knows(a) ? make(b.graph()) : Expr::none(Misuse::kTwoGraphs);
}

using Factor = std::pair<NodeId, Rational>;

// Sums by halves (divide and conquer): adding n numbers, whose sum has b bits, one after the other would take O(n·b) operations on words.
Rational total(std::span<const Factor> parts) {
  constexpr std::size_t kFew = 8;
  if (parts.size() > kFew) return total(parts.first(parts.size() / 2)) + total(parts.subspan(parts.size() / 2));
  Rational sum = 0;
  for (const Factor& part : parts) sum = sum + part.second;
  return sum;
}

// Stable sort by node id. Most lists are short and are sorted in place, without allocation.
void sort_by_node(std::vector<Factor>& list) {
  constexpr std::size_t kShort = 16;
  if (list.size() > kShort) {
    std::ranges::stable_sort(list, {}, &Factor::first);
    return;
  }
  for (std::size_t i = 1; i < list.size(); ++i)
    for (std::size_t k = i; k > 0 && list[k].first < list[k - 1].first; --k) std::swap(list[k], list[k - 1]);
}

// The item array that all nodes without items share.
constexpr Graph::Item kNoItems[2] = {};

std::uint32_t hash(Op op, std::uint32_t data, std::span<const Graph::Item> items) {
  std::uint64_t h = static_cast<std::uint64_t>(op) * 0x9E3779B97F4A7C15u + data;
  for (const Graph::Item& item : items) {
    h ^= (std::uint64_t{item.node} << 32 | item.number) + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
    h *= 0xFF51AFD7ED558CCDu;
    h ^= h >> 32;
  }
  h *= 0xC2B2AE3D27D4EB4Fu;
  return static_cast<std::uint32_t>(h ^ h >> 29);
}

std::uint32_t hash(const Rational& value) {
  const std::uint64_t h = std::uint64_t{value.hash()} * 0x9E3779B97F4A7C15u;
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace

// Spin lock: while one thread adds to a shared graph, other threads that want to add wait.
class Graph::Lock {
 public:
  explicit Lock(const Graph& graph) : graph_(graph.shared_.load(std::memory_order_relaxed) ? &graph : nullptr) {
    if (graph_ != nullptr)
      while (graph_->locked_.test_and_set(std::memory_order_acquire)) wait();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (graph_ != nullptr) graph_->locked_.clear(std::memory_order_release);
  }
  explicit operator bool() const { return graph_ != nullptr; }

 private:
#if defined(__wasi__)
  static void wait() {}
#else
  static void wait() { std::this_thread::yield(); }
#endif
  const Graph* graph_;
};

Graph& Expr::graph_of_nothing() { return Graph::nothing(); }

Graph& Graph::nothing() {
  struct Nothing : Graph {
    Nothing() {
      // One node for each Misuse, and one symbol, so that functions which read a null expression find something.
      for (NodeId why = 0; why < static_cast<NodeId>(Misuse::kNotFinite); ++why) append(why, Op::kNothing, 0, {});
      add_symbol({"(nothing)", SymbolKind::kShorthand, 0, {}});
      share();
    }
  };
  static Nothing graph;
  return graph;
}

Misuse Expr::misuse_in(const Graph* graph) const {
  return graph_ == nullptr ? misuse() : graph->knows(*this) ? Misuse::kNone : Misuse::kTwoGraphs;
}

Graph::Graph() : node_table_(1024), number_table_(64) {
  for (const Rational& first : {Rational(0), Rational(1)}) {
    number_table_.insert(hash(first), static_cast<std::uint32_t>(numbers_.size()), false);
    numbers_.push_back(first);
  }
}

Graph::Graph(std::shared_ptr<const Graph> base, std::size_t nodes)
    : node_table_(256), number_table_(64), base_(std::move(base)) {
  base_nodes_ = static_cast<NodeId>(std::min(nodes, base_->size()));
  nodes_.begin_with(base_->nodes_, base_nodes_);
  base_numbers_ = static_cast<std::uint32_t>(base_->numbers_.size());
  numbers_.begin_with(base_->numbers_, base_numbers_);
  base_symbols_ = static_cast<std::uint32_t>(base_->symbols_.size());
  while (base_symbols_ > 0 && base_->symbols_[base_symbols_ - 1].node >= base_nodes_) --base_symbols_;
  symbols_.begin_with(base_->symbols_, base_symbols_);
  decimals_.store(base_->has_decimals(), std::memory_order_relaxed);
}

bool Graph::knows(const Expr& expression) const {
  if (!expression) return false;
  NodeId end = kNone;
  for (const Graph* graph = this; graph != nullptr; graph = graph->base_.get()) {
    if (&expression.graph() == graph) return expression.id() < end;
    end = std::min(end, graph->base_nodes_);
  }
  return false;
}

Expr Graph::adopt(const Expr& expression) {
  if (!expression) return expression;
  return knows(expression) ? at(expression.id()) : Expr::none(Misuse::kTwoGraphs);
}

std::uint32_t Graph::intern_number(const Rational& value) {
  if (value.is_one()) return kOne;
  const std::uint32_t h = hash(value);
  const auto same = [&](std::uint32_t index) { return numbers_[index] == value; };
  std::uint32_t end = kNone;
  for (const Graph* graph = this; graph != nullptr; graph = graph->base_.get()) {
    if (const std::uint32_t found = graph->number_table_.find(h, end, same); found != kNone) return found;
    end = std::min(end, graph->base_numbers_);
  }
  const Lock lock(*this);
  if (lock)
    if (const std::uint32_t found = number_table_.find(h, kNone, same); found != kNone) return found;
  const auto index = static_cast<std::uint32_t>(numbers_.size());
  numbers_.push_back(value);
  number_table_.insert(h, index, static_cast<bool>(lock));
  return index;
}

NodeId Graph::find(std::uint32_t h, Op op, std::uint32_t data, std::span<const Item> items) const {
  const auto same = [&](NodeId id) {
    const Node& node = nodes_[id];
    return node.op == op && node.data == data && std::ranges::equal(this->items(id), items);
  };
  NodeId end = kNone;
  for (const Graph* graph = this; graph != nullptr; graph = graph->base_.get()) {
    if (const NodeId found = graph->node_table_.find(h, end, same); found != kNone) return found;
    end = std::min(end, graph->base_nodes_);
  }
  return kNone;
}

NodeId Graph::append(std::uint32_t h, Op op, std::uint32_t data, std::span<const Item> items) {
  const auto id = static_cast<NodeId>(nodes_.size());
  const Item* place = kNoItems + 1;
  if (!items.empty()) {
    Item* const list = items_.add(items.size() + 1);
    list[0] = {static_cast<NodeId>(items.size()), 0};
    std::ranges::copy(items, list + 1);
    place = list + 1;
  }
  nodes_.push_back({place, data, op});
  parts_.store(parts_.load(std::memory_order_relaxed) + 1 + items.size(), std::memory_order_relaxed);
  node_table_.insert(h, id, shared_.load(std::memory_order_relaxed));
  return id;
}

NodeId Graph::intern(Op op, std::uint32_t data, std::span<const Item> items) {
  assert_canonical(op, data, items);
  const std::uint32_t h = hash(op, data, items);
  if (const NodeId found = find(h, op, data, items); found != kNone) return found;
  const Lock lock(*this);
  if (lock)
    if (const NodeId found = find(h, op, data, items); found != kNone) return found;
  return append(h, op, data, items);
}

void Graph::assert_canonical([[maybe_unused]] Op op, [[maybe_unused]] std::uint32_t data,
                             [[maybe_unused]] std::span<const Item> items) const {
#ifndef NDEBUG
  for (std::size_t i = 0; i < items.size(); ++i) {
    assert(items[i].node < nodes_.size());
    if (op != Op::kSum && op != Op::kProduct) continue;
    assert(i == 0 || items[i - 1].node < items[i].node);
    assert(!number(items[i]).is_zero());
  }
  if (op == Op::kSum) {
    assert(items.size() + (numbers_[data].is_zero() ? 0 : 1) >= 2);
    for (const Item& item : items) {
      assert(this->op(item.node) != Op::kConstant);
      assert(this->op(item.node) != Op::kProduct || number(item.node).is_one());
    }
  } else if (op == Op::kProduct) {
    assert(!numbers_[data].is_zero() && !items.empty());
    assert(items.size() > 1 || !numbers_[data].is_one() || !number(items[0]).is_one());
    for (const Item& item : items)
      assert(this->op(item.node) != Op::kProduct || !number(item).is_integer() ||
             this->items(item.node).size() > kMostSpread || !leaves_power(number(item.node), number(item)));
  }
#endif
}

Expr Graph::constant(const Rational& value) { return at(intern(Op::kConstant, intern_number(value), {})); }
Expr Graph::decimal(const Rational& value) {
  const std::optional<int> below = value.denominator().as_int();
  const bool halved = below && (*below & (*below - 1)) == 0;
  if (!halved) decimals_.store(true, std::memory_order_relaxed);
  return constant(value);
}
Expr Graph::pi() { return at(intern(Op::kPi, 0, {})); }

Expr Graph::add_symbol(Symbol symbol) {
  // No two symbols may look the same in LaTeX: if x1 exists, x_1 is written as it is spelled.
  const auto shown = [&] { return print_symbol(symbol, Notation::kLatex); };
  const std::string latex = shown();
  std::optional<std::string> inherited;
  if (base_) inherited = base_->owner_of(latex, base_symbols_);
  const Lock lock(*this);
  const auto id = static_cast<SymbolId>(symbols_.size());
  const auto name_of = [&](SymbolId other) -> const std::string& {
    return other == id ? symbol.name : symbol_info(other).name;
  };
  const std::string& owner = inherited ? *inherited : name_of(shown_.try_emplace(latex, id).first->second);
  if (symbol.latex.empty() && symbol.kind != SymbolKind::kMultiplier && owner != symbol.name) {
    symbol.latex = latex_as_spelled(symbol.name);
    shown_.try_emplace(shown(), id);
  }
  own_symbols_.push_back(std::move(symbol));
  symbols_.push_back({&own_symbols_.back(), static_cast<NodeId>(nodes_.size())});
  return at(append(hash(Op::kSymbol, id, {}), Op::kSymbol, id, {}));
}

// The name of a symbol with an id below `end` whose LaTeX is `latex`; nothing if there is none.
std::optional<std::string> Graph::owner_of(const std::string& latex, SymbolId end) const {
  if (base_)
    if (std::optional<std::string> found = base_->owner_of(latex, std::min(end, base_symbols_))) return found;
  const Lock lock(*this);
  const auto found = shown_.find(latex);
  if (found == shown_.end() || found->second >= end) return std::nullopt;
  return symbol_info(found->second).name;
}

Expr Graph::sum(std::span<const Term> terms) {
  if (const Misuse wrong = Expr::misuse_of(std::views::transform(terms, &Term::term), this); wrong != Misuse::kNone)
    return Expr::none(wrong);
  if (exhausted()) return constant(0);
  std::vector<Factor> collected, constants;
  collected.reserve(terms.size());
  for (const Term& term : terms) {
    if (term.coefficient.is_zero()) continue;
    const NodeId id = term.term.id();
    if (op(id) == Op::kConstant) {
      constants.emplace_back(id, term.coefficient * number(id));
    } else if (op(id) == Op::kProduct && !number(id).is_one()) {
      // The product's coefficient moves into the sum; the product without it is the term.
      const auto factors = items(id);
      const bool bare = factors.size() == 1 && number(factors[0]).is_one();
      const NodeId rest = bare ? factors[0].node : intern(Op::kProduct, kOne, factors);
      collected.emplace_back(rest, term.coefficient * number(id));
    } else {
      collected.emplace_back(id, term.coefficient);
    }
  }
  const Rational constant = total(constants);
  sort_by_node(collected);
  std::vector<Item> items;
  items.reserve(collected.size());
  for (std::size_t i = 0; i < collected.size();) {
    std::size_t j = i + 1;
    while (j < collected.size() && collected[j].first == collected[i].first) ++j;
    const Rational coefficient = j == i + 1 ? collected[i].second : total(std::span(collected).subspan(i, j - i));
    if (!coefficient.is_zero()) items.push_back({collected[i].first, intern_number(coefficient)});
    i = j;
  }
  if (items.empty()) return this->constant(constant);
  if (items.size() == 1 && constant.is_zero()) {
    if (number(items[0]).is_one()) return at(items[0].node);
    return product(std::array{this->constant(number(items[0])), at(items[0].node)});
  }
  return at(intern(Op::kSum, intern_number(constant), items));
}

Expr Graph::sum(std::span<const Expr> terms) {
  std::vector<Term> list;
  list.reserve(terms.size());
  for (const Expr& term : terms) list.push_back({term, 1});
  return sum(list);
}

void Graph::append_factor(Expr factor, const Rational& exponent, Rational& coefficient,
                          std::vector<std::pair<NodeId, Rational>>& factors) {
  const NodeId id = factor.id();
  if (op(id) == Op::kConstant) {
    const Rational value = number(id);
    const auto integer = exponent.as_int();
    const bool zero_division = value.is_zero() && exponent.sign() < 0;
    if (value.is_zero() && exponent.sign() > 0) {
      coefficient = 0;
      return;
    }
    // value^n has about |n| times as many bits as value, so a power that would be too large is not computed at all.
    const bool small = integer && (value.is_zero() || value.bits() <= 2 ||
                                   value.bits() * static_cast<std::size_t>(std::abs(*integer)) <= kMaxFoldedBits);
    if (small && !zero_division) {
      coefficient = coefficient * (value.is_zero() ? Rational(0) : value.power(*integer));
      return;
    }
    if (const Rational twice = exponent * Rational(2); !integer && !zero_division && twice.as_int()) {
      if (const auto root = exact_sqrt(value); root && !root->is_zero()) {
        coefficient = coefficient * root->power(*twice.as_int());
        return;
      }
    }
    factors.emplace_back(id, exponent);
  } else if (op(id) == Op::kProduct && !leaves_power(number(id), exponent)) {
    factors.emplace_back(id, exponent);
  } else if (op(id) == Op::kProduct && exponent.is_integer() && items(id).size() > kMostSpread) {
    append_factor(constant(number(id)), exponent, coefficient, factors);
    factors.emplace_back(intern(Op::kProduct, kOne, items(id)), exponent);
  } else if (op(id) == Op::kProduct &&
             (exponent.is_integer() ||
              (items(id).size() == 1 && number(items(id)[0]).is_one() && number(id).sign() > 0))) {
    // (c·Π b^e)^n = cⁿ Π b^(en) for integer n; (c·b)^r = c^r b^r for c > 0.
    append_factor(constant(number(id)), exponent, coefficient, factors);
    for (const Item& item : items(id)) append_factor(at(item.node), number(item) * exponent, coefficient, factors);
  } else {
    factors.emplace_back(id, exponent);
  }
}

Expr Graph::product_of(Rational coefficient, std::vector<std::pair<NodeId, Rational>> factors) {
  if (coefficient.is_zero()) {
    // 0 · 0⁻¹ has no value; it must not become 0.
    for (const auto& [id, exponent] : factors)
      if (op(id) == Op::kConstant && number(id).is_zero() && exponent.sign() < 0)
        return at(intern(Op::kProduct, kOne, std::array<Item, 1>{{{id, intern_number(-1)}}}));
    return constant(0);
  }
  sort_by_node(factors);
  std::vector<Item> items;
  items.reserve(factors.size());
  bool again = false;
  for (std::size_t i = 0; i < factors.size();) {
    Rational exponent = factors[i].second;
    std::size_t j = i + 1;
    for (; j < factors.size() && factors[j].first == factors[i].first; ++j) exponent = exponent + factors[j].second;
    if (!exponent.is_zero()) {
      // Exponents that add up to an integer may allow to expand a constant or a product: √2·√2, (ab)^½·(ab)^½.
      again = again || (j > i + 1 && exponent.is_integer() &&
                        (op(factors[i].first) == Op::kConstant || op(factors[i].first) == Op::kProduct));
      items.push_back({factors[i].first, intern_number(exponent)});
    }
    i = j;
  }
  if (again) {
    std::vector<std::pair<NodeId, Rational>> opened;
    for (const Item& item : items) append_factor(at(item.node), number(item), coefficient, opened);
    return product_of(coefficient, std::move(opened));
  }
  if (items.empty()) return constant(coefficient);
  if (items.size() == 1 && number(items[0]).is_one()) {
    const NodeId only = items[0].node;
    if (coefficient.is_one()) return at(only);
    // A constant times a long product has one form: that product, with the constant as its coefficient.
    if (op(only) == Op::kProduct) items.assign(this->items(only).begin(), this->items(only).end());
  }
  return at(intern(Op::kProduct, intern_number(coefficient), items));
}

Expr Graph::product(std::span<const Expr> list) {
  if (const Misuse wrong = Expr::misuse_of(list, this); wrong != Misuse::kNone) return Expr::none(wrong);
  if (exhausted()) return constant(0);
  Rational coefficient = 1;
  std::vector<std::pair<NodeId, Rational>> factors;
  factors.reserve(list.size() + 4);
  for (const Expr& factor : list) append_factor(factor, 1, coefficient, factors);
  return product_of(coefficient, std::move(factors));
}

Expr Graph::power(Expr base, const Rational& exponent) {
  if (const Misuse wrong = Expr::misuse_of(std::array{base}, this); wrong != Misuse::kNone) return Expr::none(wrong);
  if (exhausted()) return constant(0);
  if (exponent.is_zero()) return constant(1);
  if (exponent.is_one()) return base;
  Rational coefficient = 1;
  std::vector<std::pair<NodeId, Rational>> factors;
  append_factor(base, exponent, coefficient, factors);
  return product_of(coefficient, std::move(factors));
}

Expr Graph::power(Expr base, Expr exponent) {
  if (const Misuse wrong = Expr::misuse_of(std::array{base, exponent}, this); wrong != Misuse::kNone)
    return Expr::none(wrong);
  if (exhausted()) return constant(0);
  if (exponent.is_constant()) return power(base, exponent.constant());
  if (base.is_constant() && base.constant().is_one()) return base;
  const std::array<Item, 2> items{{{base.id(), 0}, {exponent.id(), 0}}};
  return at(intern(Op::kPower, 0, items));
}

Graph& common_graph(std::span<const Expr> expressions) {
  Graph* graph = &expressions.front().graph();
  for (const Expr& e : expressions)
    if (e && &e.graph() != graph && !graph->knows(e)) graph = &e.graph();
  return *graph;
}

Expr operator+(const Expr& a, const Expr& b) {
  return combine(a, b, [&](Graph& graph) { return graph.sum(std::array<Graph::Term, 2>{{{a, 1}, {b, 1}}}); });
}
Expr operator-(const Expr& a, const Expr& b) {
  return combine(a, b, [&](Graph& graph) { return graph.sum(std::array<Graph::Term, 2>{{{a, 1}, {b, -1}}}); });
}
Expr operator-(const Expr& a) { return a ? a.graph().product(std::array{a.graph().constant(-1), a}) : a; }
Expr operator*(const Expr& a, const Expr& b) {
  return combine(a, b, [&](Graph& graph) { return graph.product(std::array{a, b}); });
}
Expr operator/(const Expr& a, const Expr& b) {
  return combine(a, b, [&](Graph& graph) { return graph.product(std::array{a, graph.power(b, Rational(-1))}); });
}

Expr pow(const Expr& base, const Rational& exponent) { return base ? base.graph().power(base, exponent) : base; }
Expr pow(const Expr& base, const Expr& exponent) {
  return combine(base, exponent, [&](Graph& graph) { return graph.power(base, exponent); });
}
Expr square(const Expr& x) { return pow(x, Rational(2)); }
Expr sqrt(const Expr& x) { return pow(x, Rational(1, 2)); }

}  // namespace dalembert
