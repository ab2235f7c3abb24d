// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape_jacobian.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/lowering.h"
#include "dalembert/tape/tape_builder.h"

namespace dalembert {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// Computes values of the old tape again on the new one, but only those that some derivative needs.
class Values {
 public:
  Values(const Tape& tape, TapeBuilder& builder, const std::vector<JacobianRows::Held>& held)
      : tape_(tape), builder_(builder), defined_by_(tape.registers, kNone), known_(tape.registers) {
    for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
      const Instruction& instruction = tape.instructions[i];
      const RegisterUse use = register_use(instruction);
      if (use.writes_dst) define(instruction.dst, i);
      if (use.writes_b) define(instruction.b, i);
    }
    if (!held.empty()) find_held(held);
  }
  Operand constant(std::uint32_t index) const { return Operand::of(tape_.constants[index]); }
  const Instruction& definition(std::uint32_t value) const { return tape_.instructions[defined_by_[value]]; }

  Operand operator()(std::uint32_t value) {
    open_.push_back(value);
    while (!open_.empty()) {
      const std::uint32_t next = open_.back();
      const std::size_t depth = open_.size();
      const auto needs = [&](std::uint32_t operand) {
        if (!known_[operand]) open_.push_back(operand);
      };
      if (!known_[next]) {
        if (const auto held = held_.find(next); held != held_.end())
          needs(held->second);
        else
          for_each_read(definition(next), needs);
      }
      if (open_.size() > depth) continue;
      open_.pop_back();
      if (!known_[next]) compute(next);
    }
    return *known_[value];
  }

 private:
  void define(std::uint32_t value, std::size_t instruction) {
    assert(defined_by_[value] == kNone && "single-assignment form");
    defined_by_[value] = static_cast<std::uint32_t>(instruction);
  }
  Operand k(std::uint32_t index) const { return constant(index); }
  void find_held(const std::vector<JacobianRows::Held>& held);
  void compute(std::uint32_t value);

  const Tape& tape_;
  TapeBuilder& builder_;
  std::vector<std::uint32_t> defined_by_;
  std::vector<std::optional<Operand>> known_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      held_;  // a value that loads an argument, and the value that it stands for
  // Values that are still to be computed; an explicit stack, because nesting may be deep.
  std::vector<std::uint32_t> open_;
};

void Values::find_held(const std::vector<JacobianRows::Held>& held) {
  const auto key = [](std::size_t array, std::size_t entry) { return std::pair(array, entry); };
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> output_of;
  for (const auto& [argument, output] : held)
    output_of[key(static_cast<std::size_t>(argument.array), static_cast<std::size_t>(argument.index))] = output;
  std::vector<std::uint32_t> value_of(tape_.outputs, kNone);
  for (const Instruction& i : tape_.instructions)
    if (i.op == TapeOp::kOutput) value_of[i.dst] = i.a;
  for (const Instruction& i : tape_.instructions) {
    if (i.op != TapeOp::kArgument) continue;
    if (const auto found = output_of.find(key(i.a, i.b)); found != output_of.end())
      held_[i.dst] = value_of[found->second];
  }
}

void Values::compute(std::uint32_t value) {
  if (const auto held = held_.find(value); held != held_.end()) {
    known_[value] = known_[held->second];
    return;
  }
  const Instruction& i = definition(value);
  TapeBuilder& on = builder_;
  const auto a = [&] { return *known_[i.a]; };
  const auto b = [&] { return *known_[i.b]; };
  const auto c = [&] { return *known_[i.c]; };
  const auto result = [&]() -> Operand {
    switch (i.op) {
      case TapeOp::kConstant:
        return k(i.a);
      case TapeOp::kArgument:
        return on.argument(static_cast<TapeArray>(i.a), static_cast<int>(i.b));
      case TapeOp::kAdd:
        return on.add(a(), b());
      case TapeOp::kSubtract:
        return on.subtract(a(), b());
      case TapeOp::kMultiply:
        return on.multiply(a(), b());
      case TapeOp::kDivide:
        return on.divide(a(), b());
      case TapeOp::kNegate:
        return on.negate(a());
      case TapeOp::kSquare:
        return on.square(a());
      case TapeOp::kSquareRoot:
        return on.square_root(a());
      case TapeOp::kAddConstant:
        return on.add(a(), k(i.b));
      case TapeOp::kSubtractFrom:
        return on.subtract(k(i.b), a());
      case TapeOp::kScale:
        return on.multiply(k(i.b), a());
      case TapeOp::kDivideInto:
        return on.divide(k(i.b), a());
      case TapeOp::kMultiplyAdd:
        return on.add(on.multiply(a(), b()), c());
      case TapeOp::kMultiplySubtract:
        return on.subtract(on.multiply(a(), b()), c());
      case TapeOp::kSubtractProduct:
        return on.subtract(c(), on.multiply(a(), b()));
      case TapeOp::kScaleAdd:
        return on.add(on.multiply(k(i.b), a()), c());
      case TapeOp::kScaleSubtract:
        return on.subtract(on.multiply(k(i.b), a()), c());
      case TapeOp::kSinCos: {
        const Operand angle = a();
        return on.call(value == i.dst ? Op::kSin : Op::kCos, {&angle, 1});
      }
      case TapeOp::kCall: {
        const int count = arity(i.function);
        const std::array<Operand, 3> x{a(), count > 1 ? b() : Operand{}, count > 2 ? c() : Operand{}};
        return on.call(i.function, std::span(x).first(static_cast<std::size_t>(count)));
      }
      case TapeOp::kOutput:
        break;
    }
    return {};
  };
  known_[value] = result();
}

// The derivatives ∂(value)/∂(operand) of single instructions, for each register that an instruction reads.
class Partials {
 public:
  Partials(Values& values, TapeBuilder& builder) : at_(values), on_(builder) {}

  // Calls visit(operand, derivative) for each operand for which wanted(operand) holds; one that occurs twice is visited
  // twice.
  template <class Wanted, class Visitor>
  void of(std::uint32_t value, Wanted&& wanted, Visitor&& visit);

 private:
  static Operand number(double x) { return Operand::of(x); }
  Operand reciprocal(Operand x) { return on_.divide(number(1), x); }
  Operand of_call(std::uint32_t value, const Instruction& i, int which);
  // The product x^n sqrt(x) with n ≥ 1, whose derivative at x = 0 is no product of 0 and infinity.
  struct HalfPower {
    std::uint32_t base, root;
    unsigned whole;
  };
  std::optional<HalfPower> half_power(std::uint32_t a, std::uint32_t b) const;
  // n if the value is x^n with n ≥ 1, by at most `steps` products and squares one in the other; else 0.
  unsigned exponent_of(std::uint32_t value, std::uint32_t x, int steps = 12) const;
  Expr symbol(const char* name) { return graph_.add_symbol({name, SymbolKind::kShorthand, 0, {}}); }

  Values& at_;
  TapeBuilder& on_;
  Graph graph_;  // the graph in which derivatives of functions are built
  Expr self_ = symbol("self");
  std::array<Expr, 3> x_{symbol("x"), symbol("y"), symbol("z")};
};

// The derivative that the table of functions states (expr/functions.h), lowered with the tape's values for its symbols.
Operand Partials::of_call(std::uint32_t value, const Instruction& i, int which) {
  const FunctionInfo& function = function_info(i.function);
  const auto count = static_cast<std::size_t>(function.arguments);
  const Expr derivative =
      function.derivative ? function.derivative({self_, x_[0], count > 1 ? x_[1] : Expr(), count > 2 ? x_[2] : Expr()},
                                                static_cast<std::size_t>(which))
                          : Expr();
  if (!derivative) return number(0);
  // Only values of symbols that the derivative contains are computed.
  Lowering lowering(graph_, on_);
  const std::array<std::uint32_t, 3> operands{i.a, i.b, i.c};
  for (const SymbolId symbol : symbols_in(std::array{derivative}))
    lowering.bind(graph_.symbol(symbol), at_(symbol == 0 ? value : operands[symbol - 1]));
  return lowering.value(derivative);
}

unsigned Partials::exponent_of(std::uint32_t value, std::uint32_t x, int steps) const {
  if (value == x) return 1;
  const Instruction& i = at_.definition(value);
  if (steps == 0) return 0;
  if (i.op == TapeOp::kSquare) return 2 * exponent_of(i.a, x, steps - 1);
  if (i.op != TapeOp::kMultiply) return 0;
  const unsigned a = exponent_of(i.a, x, steps - 1), b = a > 0 ? exponent_of(i.b, x, steps - 1) : 0;
  return b > 0 ? a + b : 0;
}

std::optional<Partials::HalfPower> Partials::half_power(std::uint32_t a, std::uint32_t b) const {
  for (const auto& [root, power] : {std::pair(a, b), std::pair(b, a)}) {
    const Instruction& i = at_.definition(root);
    if (i.op != TapeOp::kSquareRoot) continue;
    if (const unsigned whole = exponent_of(power, i.a); whole > 0) return HalfPower{i.a, root, whole};
  }
  return std::nullopt;
}

template <class Wanted, class Visitor>
void Partials::of(std::uint32_t value, Wanted&& wanted, Visitor&& visit) {
  const Instruction& i = at_.definition(value);
  // A derivative that is not wanted is not computed.
  const auto by = [&](std::uint32_t operand, auto&& derivative) {
    if (wanted(operand)) visit(operand, derivative());
  };
  const auto by_constant = [&](std::uint32_t operand, double derivative) {
    by(operand, [&] { return number(derivative); });
  };
  const auto by_k = [&] { by(i.a, [&] { return at_.constant(i.b); }); };
  const auto product = [&](bool negative) {
    if (const std::optional<HalfPower> half = half_power(i.a, i.b)) {
      return by(half->base, [&] {
        const Operand by_base = on_.multiply(number((negative ? -1 : 1) * (half->whole + 0.5)), at_(half->root));
        return half->whole == 1 ? by_base : on_.multiply(by_base, on_.integer_power(at_(half->base), half->whole - 1));
      });
    }
    const auto signed_value = [&](std::uint32_t factor) { return negative ? on_.negate(at_(factor)) : at_(factor); };
    by(i.a, [&] { return signed_value(i.b); });
    by(i.b, [&] { return signed_value(i.a); });
  };
  switch (i.op) {
    case TapeOp::kConstant:
    case TapeOp::kArgument:
    case TapeOp::kOutput:
      return;
    case TapeOp::kAdd:
    case TapeOp::kSubtract:
      by_constant(i.a, 1);
      return by_constant(i.b, i.op == TapeOp::kAdd ? 1 : -1);
    case TapeOp::kMultiply:
      return product(false);
    case TapeOp::kDivide:
      by(i.a, [&] { return reciprocal(at_(i.b)); });
      return by(i.b, [&] { return on_.negate(on_.multiply(at_(value), reciprocal(at_(i.b)))); });
    case TapeOp::kNegate:
    case TapeOp::kSubtractFrom:
      return by_constant(i.a, -1);
    case TapeOp::kSquare:
      return by(i.a, [&] { return on_.multiply(number(2), at_(i.a)); });
    case TapeOp::kSquareRoot:
      return by(i.a, [&] { return on_.divide(number(0.5), at_(value)); });
    case TapeOp::kAddConstant:
      return by_constant(i.a, 1);
    case TapeOp::kScale:
      return by_k();
    case TapeOp::kDivideInto:
      return by(i.a, [&] { return on_.negate(on_.divide(at_(value), at_(i.a))); });
    case TapeOp::kMultiplyAdd:
    case TapeOp::kMultiplySubtract:
      product(false);
      return by_constant(i.c, i.op == TapeOp::kMultiplyAdd ? 1 : -1);
    case TapeOp::kSubtractProduct:
      product(true);
      return by_constant(i.c, 1);
    case TapeOp::kScaleAdd:
    case TapeOp::kScaleSubtract:
      by_k();
      return by_constant(i.c, i.op == TapeOp::kScaleAdd ? 1 : -1);
    case TapeOp::kSinCos:
      return by(i.a, [&] {
        const Operand angle = at_(i.a);
        return value == i.dst ? on_.call(Op::kCos, {&angle, 1}) : on_.negate(on_.call(Op::kSin, {&angle, 1}));
      });
    case TapeOp::kCall: {
      const std::array<std::uint32_t, 3> operand{i.a, i.b, i.c};
      for (int k = 0; k < arity(i.function); ++k)
        by(operand[static_cast<std::size_t>(k)], [&] { return of_call(value, i, k); });
      return;
    }
  }
}

// Vertices in ascending order, each with a value; few, so that moving them costs less than allocating each.
template <class Value>
class Neighbours {
 public:
  struct Item {
    std::uint32_t vertex = kNone;
    Value value;
  };
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  // The item of the vertex, which is inserted with this value if it is new.
  std::pair<Item*, bool> insert(std::uint32_t vertex, const Value& value) {
    const auto place = find(vertex);
    if (place != items_.end() && place->vertex == vertex) return {&*place, false};
    return {&*items_.insert(place, {vertex, value}), true};
  }
  void erase(std::uint32_t vertex) {
    if (const auto place = find(vertex); place != items_.end() && place->vertex == vertex) items_.erase(place);
  }
  // Removes the vertex, which is there, and returns its value.
  Value take(std::uint32_t vertex) {
    const auto place = find(vertex);
    const Value value = place->value;
    items_.erase(place);
    return value;
  }

 private:
  auto find(std::uint32_t vertex) { return std::ranges::lower_bound(items_, vertex, {}, &Item::vertex); }
  std::vector<Item> items_;
};

// The graph of derivatives. Its vertices are the values of the tape, and the columns and rows of the Jacobian.
class Elimination {
 public:
  Elimination(std::size_t vertices, TapeBuilder& builder) : builder_(builder), into_(vertices), from_(vertices) {}

  void add_edge(std::uint32_t tail, std::uint32_t head, Operand derivative) {
    if (derivative.is(0)) return;
    const auto [edge, is_new] = into_[head].insert(tail, derivative);
    if (is_new) {
      from_[tail].insert(head, {});
      return;
    }
    edge->value = builder_.add(edge->value, derivative);
    // An edge whose derivatives cancel, as in x − x, is removed.
    if (edge->value.is(0)) {
      into_[head].erase(tail);
      from_[tail].erase(head);
    }
  }
  const Neighbours<Operand>& edges_into(std::uint32_t head) const { return into_[head]; }

  // Eliminates all vertices of [first, last), those with the fewest products first. Returns false once the tape is
  // longer than `most`.
  bool eliminate(std::uint32_t first, std::uint32_t last, std::size_t most) {
    for (std::uint32_t vertex = first; vertex < last; ++vertex) offer(vertex);
    while (!offers_.empty()) {
      const Offer best = offers_.top();
      const auto vertex = static_cast<std::uint32_t>(best);
      offers_.pop();
      if (best != offer_of(vertex)) continue;  // the queue also holds a newer offer for this vertex
      if (into_[vertex].empty() && from_[vertex].empty()) continue;
      take_out(vertex, first, last);
      if (builder_.size() > most) return false;
    }
    return true;
  }

 private:
  struct None {};
  // The number of products, in the upper half, and the vertex.
  using Offer = std::uint64_t;
  std::size_t products_of(std::uint32_t vertex) const { return into_[vertex].size() * from_[vertex].size(); }
  Offer offer_of(std::uint32_t vertex) const {
    constexpr std::size_t kMost = 0xFFFFFFFFu;
    return std::uint64_t{std::min(products_of(vertex), kMost)} << 32 | vertex;
  }
  void offer(std::uint32_t vertex) { offers_.push(offer_of(vertex)); }

  void take_out(std::uint32_t vertex, std::uint32_t first, std::uint32_t last) {
    const Neighbours<Operand> tails = std::exchange(into_[vertex], {});
    const Neighbours<None> heads = std::exchange(from_[vertex], {});
    for (const auto& [head, none] : heads) {
      const Operand outer = into_[head].take(vertex);
      for (const auto& [tail, inner] : tails) add_edge(tail, head, chain(outer, inner));
    }
    for (const auto& [tail, inner] : tails) from_[tail].erase(vertex);
    const auto is_between = [&](std::uint32_t other) { return other >= first && other < last; };
    for (const auto& [head, none] : heads)
      if (is_between(head)) offer(head);
    for (const auto& [tail, inner] : tails)
      if (is_between(tail)) offer(tail);
  }

  // The product of two derivatives. What a choice leaves out does not count, even if it is infinite: sqrt(x) in if(x > 0, sqrt(x), 0).
  Operand chain(Operand outer, Operand inner) {
    for (const auto& [one, other] : {std::pair(outer, inner), std::pair(inner, outer)})
      if (auto choice = builder_.choice_with_zero(one)) {
        choice->value = chain(choice->value, other);
        return builder_.choose(*choice);
      }
    return builder_.multiply(outer, inner);
  }

  TapeBuilder& builder_;
  // By vertex k: each vertex i with an edge i → k, and the derivative ∂k/∂i.
  std::vector<Neighbours<Operand>> into_;
  std::vector<Neighbours<None>> from_;  // by vertex i: all vertices k with an edge i → k
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers_;
};

// `active`: by value, whether it depends on one of the entries `by` and one of the rows depends on it.
// `column`: by value, the index in `by` of the entry that it loads.
struct Between {
  std::vector<bool> active;
  std::vector<std::uint32_t> column;  // kNone: the value is no entry of `by`
  // Of JacobianRows::through, by value: whether it is one of these outputs or depends on one; whether it is one or one depends on it. Empty: all edges count.
  std::vector<bool> after, before;

  // Whether a change of the operand reaches the value in a way that counts.
  bool counts(std::uint32_t operand, std::uint32_t value) const {
    return active[operand] && (after.empty() || after[operand] || before[value]);
  }
};

// Marks what depends on marked values; entries of `mark` that are set stay set.
void mark_dependents(const Tape& tape, std::vector<bool>& mark) {
  for (const Instruction& i : tape.instructions) {
    const RegisterUse use = register_use(i);
    bool any = false;
    for_each_read(i, [&](std::uint32_t value) { any = any || mark[value]; });
    if (use.writes_dst) mark[i.dst] = mark[i.dst] || any;
    if (use.writes_b) mark[i.b] = mark[i.b] || any;
  }
}

// Marks what marked values depend on.
void mark_sources(const Tape& tape, std::vector<bool>& mark) {
  for (auto i = tape.instructions.rbegin(); i != tape.instructions.rend(); ++i) {
    const RegisterUse use = register_use(*i);
    if (!(use.writes_dst && mark[i->dst]) && !(use.writes_b && mark[i->b])) continue;
    for_each_read(*i, [&](std::uint32_t value) { mark[value] = true; });
  }
}

bool is_row(const Instruction& i, const JacobianRows& rows) {
  return i.op == TapeOp::kOutput && i.dst >= rows.first && i.dst - rows.first < rows.count;
}

Between find_between(const Tape& tape, std::span<const ArgumentEntry> by, const JacobianRows& rows) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> column_of;
  for (std::uint32_t c = 0; c < by.size(); ++c)
    column_of[{static_cast<std::uint32_t>(by[c].array), static_cast<std::uint32_t>(by[c].index)}] = c;
  for (const auto& [argument, output] : rows.held)
    column_of.erase({static_cast<std::uint32_t>(argument.array), static_cast<std::uint32_t>(argument.index)});
  Between found{std::vector<bool>(tape.registers), std::vector<std::uint32_t>(tape.registers, kNone), {}, {}};
  std::vector<bool> moves(tape.registers), matters(tape.registers), through(tape.registers);
  for (const Instruction& i : tape.instructions) {
    if (i.op == TapeOp::kArgument) {
      const auto at = column_of.find({i.a, i.b});
      if (at == column_of.end()) continue;
      found.column[i.dst] = at->second;
      moves[i.dst] = true;
    } else if (i.op == TapeOp::kOutput) {
      if (is_row(i, rows)) matters[i.a] = true;
      if (i.dst < rows.through) through[i.a] = true;
    }
  }
  if (rows.through > 0) {
    found.after = found.before = through;
    mark_dependents(tape, found.after);
    mark_sources(tape, found.before);
  }
  mark_dependents(tape, moves);
  mark_sources(tape, matters);
  for (std::size_t value = 0; value < tape.registers; ++value) found.active[value] = moves[value] && matters[value];
  return found;
}

}  // namespace

TapeJacobian make_jacobian(const Tape& tape, std::span<const ArgumentEntry> by, const JacobianRows& rows,
                           std::size_t most) {
  assert(tape.loops.empty());
  const Between between = find_between(tape, by, rows);
  TapeBuilder builder;
  Values values(tape, builder, rows.held);
  Partials partials(values, builder);

  // Vertices: values of the tape, then columns, then rows.
  const auto first_column = static_cast<std::uint32_t>(tape.registers);
  const auto first_row = static_cast<std::uint32_t>(first_column + by.size());
  Elimination graph(first_row + rows.count, builder);
  const auto differentiate = [&](std::uint32_t value) {
    if (!between.active[value]) return;
    if (between.column[value] != kNone)
      return graph.add_edge(first_column + between.column[value], value, Operand::of(1));
    partials.of(
        value, [&](std::uint32_t operand) { return between.counts(operand, value); },
        [&](std::uint32_t operand, const Operand& derivative) { graph.add_edge(operand, value, derivative); });
  };
  for (const Instruction& i : tape.instructions) {
    const RegisterUse use = register_use(i);
    if (use.writes_dst) differentiate(i.dst);
    if (use.writes_b) differentiate(i.b);
    if (is_row(i, rows) && between.active[i.a] && (rows.through == 0 || between.after[i.a]))
      graph.add_edge(i.a, static_cast<std::uint32_t>(first_row + (i.dst - rows.first)), Operand::of(1));
  }
  TapeJacobian jacobian;
  if (!graph.eliminate(0, first_column, most)) {
    jacobian.too_long = true;
    return jacobian;
  }
  std::uint32_t position = 0;
  for (std::uint32_t row = 0; row < rows.count; ++row) {
    for (const auto& [column, derivative] : graph.edges_into(first_row + row)) {
      builder.output(position++, derivative);
      jacobian.row.push_back(static_cast<int>(row));
      jacobian.col.push_back(static_cast<int>(column - first_column));
    }
  }
  const std::size_t values_from = std::min(rows.values_from, tape.outputs);
  for (const Instruction& i : tape.instructions)
    if (i.op == TapeOp::kOutput && i.dst >= values_from)
      builder.output(static_cast<std::uint32_t>(position + i.dst - values_from), values(i.a));
  jacobian.tape = builder.take(position + tape.outputs - values_from);
  return jacobian;
}

}  // namespace dalembert
