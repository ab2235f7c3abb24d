// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "dalembert/compile/tape_builder.h"
#include "dalembert/compile/tape_passes.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kLargestUnrolledPower = 64;  // as in evaluate_power

// A node whose children are being visited. Sums and products absorb each child as soon as it is known, so that the
// terms of a long sum do not all wait in registers.
struct Frame {
  NodeId node;
  std::size_t next = 0;                  // child
  double number = 0;                     // product: all constant factors
  Operand total{};                       // sum: what was added so far; product: the numerator without `number`
  Operand denominator = Operand::of(1);  // product
  bool negated = false;                  // sum: `total` is to be negated
};

class Flattening {
 public:
  explicit Flattening(std::span<const Expr> outputs);
  Tape run();

 private:
  Operand done(NodeId node) const { return operands_[place_[node]]; }
  void visit(NodeId root);
  void open(NodeId node);
  bool advance();
  void absorb(Frame& frame, const Graph::Item& item);
  void absorb_term(Frame& frame, const Rational& coefficient, Operand term);
  void absorb_factor(Frame& frame, Operand base, const Rational& exponent);
  Operand finish(const Frame& frame);
  Operand leaf(NodeId node);
  void close(NodeId node, Operand value);

  std::span<const Expr> outputs_;
  const Graph* graph_ = nullptr;
  TapeBuilder builder_;
  std::vector<Frame> open_;           // a stack of our own: nesting may be deep
  std::vector<std::uint32_t> place_;  // by node: its place in operands_, 0 while it is not known
  std::vector<Operand> operands_{Operand{}};
  std::vector<std::pair<NodeId, std::uint32_t>> wanted_;  // outputs by node
};

Flattening::Flattening(std::span<const Expr> outputs) : outputs_(outputs) {
  if (outputs.empty()) return;
  graph_ = &outputs.front().graph();
  for (std::size_t i = 0; i < outputs.size(); ++i) wanted_.emplace_back(outputs[i].id(), static_cast<std::uint32_t>(i));
  std::ranges::sort(wanted_);
  place_.resize(wanted_.back().first + 1);
}

Tape Flattening::run() {
  for (const Expr& output : outputs_) visit(output.id());
  return builder_.take(outputs_.size());
}

void Flattening::visit(NodeId root) {
  if (place_[root] != 0) return;
  open(root);
  while (!open_.empty()) {
    if (!advance()) continue;
    const Frame frame = open_.back();
    open_.pop_back();
    close(frame.node, finish(frame));
  }
}

void Flattening::open(NodeId node) {
  Frame frame{.node = node};
  if (graph_->op(node) == Op::kSum) frame.total = Operand::of(graph_->number(node).to_double());
  if (graph_->op(node) == Op::kProduct) {
    frame.number = graph_->number(node).to_double();
    frame.total = Operand::of(1);
  }
  open_.push_back(frame);
}

// Absorbs children of the innermost node. True when it is complete; false when a child had to be opened first.
bool Flattening::advance() {
  Frame& frame = open_.back();
  const auto items = graph_->items(frame.node);
  for (; frame.next < items.size(); ++frame.next) {
    const Graph::Item item = items[frame.next];
    if (place_[item.node] == 0) {
      open(item.node);
      return false;
    }
    absorb(frame, item);
  }
  return true;
}

void Flattening::absorb(Frame& frame, const Graph::Item& item) {
  const Op op = graph_->op(frame.node);
  if (op == Op::kSum) absorb_term(frame, graph_->number(item), done(item.node));
  if (op == Op::kProduct) absorb_factor(frame, done(item.node), graph_->number(item));
}

void Flattening::absorb_term(Frame& frame, const Rational& coefficient, Operand term) {
  if (coefficient.is_minus_one()) {
    // −a at the front waits for the next term: −a + b is b − a, to the bit.
    if (frame.total.is(0)) frame.negated = true;
    const bool same_sign = frame.negated;
    frame.total = same_sign ? builder_.add(frame.total, term) : builder_.subtract(frame.total, term);
    return;
  }
  const Operand scaled = builder_.multiply(Operand::of(coefficient.to_double()), term);
  frame.total = frame.negated ? builder_.subtract(scaled, frame.total) : builder_.add(frame.total, scaled);
  frame.negated = false;
}

// Negative powers gather in one denominator: a product costs at most one division. Numbers gather too and come in last,
// so that 2ab and 3ab share ab.
void Flattening::absorb_factor(Frame& frame, Operand base, const Rational& exponent) {
  if (base.is_constant) {
    frame.number *= evaluate_power(base.constant, exponent.to_double());
    return;
  }
  Operand& side = exponent.sign() > 0 ? frame.total : frame.denominator;
  const auto halves = (exponent * Rational(2)).as_int();
  if (!halves || std::abs(*halves) > 2 * kLargestUnrolledPower) {
    const Operand power = builder_.call(Op::kPower, std::array{base, Operand::of(exponent.to_double())});
    frame.total = builder_.multiply(frame.total, power);
    return;
  }
  const auto n = static_cast<unsigned>(std::abs(*halves));
  if (n >= 2) side = builder_.multiply(side, builder_.integer_power(base, n / 2));
  if (n % 2 == 1) side = builder_.multiply(side, builder_.square_root(base));
}

Operand Flattening::finish(const Frame& frame) {
  const auto items = graph_->items(frame.node);
  if (items.empty()) return leaf(frame.node);
  switch (const Op op = graph_->op(frame.node)) {
    case Op::kSum:
      return frame.negated ? builder_.negate(frame.total) : frame.total;
    case Op::kProduct:
      return builder_.divide(builder_.multiply(Operand::of(frame.number), frame.total), frame.denominator);
    default: {
      std::array<Operand, 3> arguments;
      for (std::size_t i = 0; i < items.size(); ++i) arguments[i] = done(items[i].node);
      return builder_.call(op, std::span(arguments).first(items.size()));
    }
  }
}

Operand Flattening::leaf(NodeId node) {
  const Op op = graph_->op(node);
  if (op == Op::kConstant) return Operand::of(graph_->number(node).to_double());
  if (op == Op::kPi) return Operand::of(evaluate_function(op, nullptr));
  const Symbol& symbol = graph_->symbol_info(graph_->symbol_of(node));
  if (symbol.kind == SymbolKind::kShorthand) return Operand::of(std::numeric_limits<double>::quiet_NaN());
  return builder_.argument(symbol.kind, symbol.kind == SymbolKind::kTime ? 0 : symbol.index);
}

void Flattening::close(NodeId node, Operand value) {
  place_[node] = static_cast<std::uint32_t>(operands_.size());
  operands_.push_back(value);
  const std::pair<NodeId, std::uint32_t> first{node, 0};
  for (auto at = std::ranges::lower_bound(wanted_, first); at != wanted_.end() && at->first == node; ++at)
    builder_.output(at->second, value);
}

}  // namespace

Tape flatten(std::span<const Expr> outputs) { return Flattening(outputs).run(); }

}  // namespace dalembert
