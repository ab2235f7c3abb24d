// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/interpreter.h"
#include "tape/random_graph.h"

namespace dalembert {
namespace {

using testing::Arguments;
using testing::RandomGraph;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::vector<double> values(const Tape& tape, Arguments arguments) {
  std::vector<double> out(tape.outputs, std::nan(""));
  arguments.work.assign(tape.registers, std::nan(""));
  run(tape, arguments.view(), out.data());
  return out;
}

std::size_t count(const Tape& tape, TapeOp op) {
  return static_cast<std::size_t>(std::ranges::count(tape.instructions, op, &Instruction::op));
}

bool equal_bits(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

// What a node's value is, given the values of its children, by the definitions of expr/visit.h; and the largest and
// smallest magnitude that its factors and their products can have.
struct LocalValue {
  double value = 0;
  double magnitude = 0;  ///< of what is added up
  bool extreme = false;  ///< a product in some order may leave the range of double
};
LocalValue local_value(const Graph& graph, NodeId id, const std::unordered_map<NodeId, double>& known) {
  const auto items = graph.items(id);
  LocalValue result;
  if (graph.op(id) == Op::kSum) {
    result.value = graph.number(id).to_double();
    result.magnitude = std::abs(result.value);
    for (const auto& item : items) {
      const double term = graph.number(item).to_double() * known.at(item.node);
      result.value += term;
      result.magnitude += std::abs(term);
    }
  } else if (graph.op(id) == Op::kProduct) {
    result.value = graph.number(id).to_double();
    for (const auto& item : items) {
      const double factor = evaluate_power(known.at(item.node), graph.number(item).to_double());
      result.value *= factor;
      result.extreme = result.extreme || !(std::abs(factor) < 1e60 && std::abs(factor) > 1e-60);
    }
    result.magnitude = std::abs(result.value);
  } else {
    std::array<double, 3> arguments{};
    for (std::size_t i = 0; i < items.size(); ++i) arguments[i] = known.at(items[i].node);
    result.value = evaluate_function(graph.op(id), arguments.data());
    result.magnitude = std::abs(result.value);
  }
  return result;
}

// Oracle: expr/visit.h, node by node, so that an error is not amplified by what follows. A product of k factors is
// rounded at most 3k times here and there (powers, multiplications, one division in place of reciprocals); a sum has
// the same order of additions on both sides, but a processor may contract a·b + c in one of them. 4(k + 1) ε of the
// largest term covers both.
TEST(Tape, EveryNodeIsWhatItsOpMeans) {
  int compared = 0, finite = 0;
  std::set<Op> seen;
  for (unsigned seed = 0; seed < 600; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 60; ++i) random.grow();
    std::vector<Expr> outputs;
    const std::vector<NodeId> nodes = reachable(random.nodes);
    for (const NodeId id : nodes) outputs.emplace_back(&random.graph, id);
    const std::vector<double> computed = values(make_tape(outputs), random.arguments(-2, 2));
    std::unordered_map<NodeId, double> known;
    for (std::size_t i = 0; i < nodes.size(); ++i) known.emplace(nodes[i], computed[i]);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto items = random.graph.items(nodes[i]);
      if (items.empty()) continue;
      const LocalValue expected = local_value(random.graph, nodes[i], known);
      if (expected.extreme) continue;  // (ab)⁻¹ for a⁻¹b⁻¹ may overflow earlier
      ++compared;
      finite += std::isfinite(computed[i]);
      seen.insert(random.graph.op(nodes[i]));
      if (equal_bits(expected.value, computed[i]) || expected.value == computed[i]) continue;
      const double tolerance = 4 * kEpsilon * (static_cast<double>(items.size()) + 1) * expected.magnitude;
      EXPECT_NEAR(computed[i], expected.value, tolerance)
          << "seed " << seed << ", op " << static_cast<int>(random.graph.op(nodes[i]));
    }
  }
  EXPECT_GT(compared, 20000);
  EXPECT_GT(finite, 10000);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(Op::kSelect) - 2);  // all but constants, pi and symbols
}

// Oracle: the same graph with every node an output, which nothing can be fused in and which needs no register twice.
// Fusing, register reuse and the order of evaluation must not change a single bit.
TEST(Tape, PassesKeepEveryBit) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 80; ++i) random.grow();
    const Arguments arguments = random.arguments(-2, 2);
    const std::vector<double> all = values(make_tape(random.nodes), arguments);
    std::vector<std::size_t> chosen;
    std::vector<Expr> outputs;
    for (int i = 0; i < 3; ++i) {
      chosen.push_back(static_cast<std::size_t>(random.below(static_cast<int>(random.nodes.size()))));
      outputs.push_back(random.nodes[chosen.back()]);
    }
    const std::vector<double> few = values(make_tape(outputs), arguments);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      EXPECT_TRUE(equal_bits(few[i], all[chosen[i]])) << "seed " << seed << ": " << few[i] << ", " << all[chosen[i]];
  }
}

// Oracle: evaluate(). All values are positive and every operation at most adds the relative errors of its operands, so
// that along 12 operations, each of at most 4 roundings, fewer than 2^12 · 4 half ulps can gather in the worst case;
// 1e-12 is 4500 ε.
TEST(Tape, AgreesWithEvaluateOnWholeGraphs) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomGraph random(seed);
    const Arguments arguments = random.arguments(0.5, 2);
    for (int i = 0; i < 12; ++i) random.grow_positive();
    const std::vector<double> computed = values(make_tape(random.nodes), arguments);
    const std::vector<double> expected =
        evaluate(random.nodes, [&](SymbolId s) { return arguments.value_of(random.graph.symbol_info(s)); });
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(computed[i], expected[i], 1e-12 * std::abs(expected[i])) << "seed " << seed;
  }
}

// Oracle: central differences D(h) of the function's tape. D(h) − D(2h) is three times the truncation error of D(h);
// round-off adds ε|f|/h. Ten times their sum is allowed.
TEST(Tape, DerivativesAgreeWithDifferences) {
  int compared = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 25; ++i) random.grow_smooth();
    const Expr f = random.graph.sum(std::span(random.nodes).last(8));
    const std::vector<Expr> q = random.symbols(SymbolKind::kCoordinate);
    const Arguments here = random.arguments(-1, 1);
    const std::vector<double> slope = values(make_tape(gradient(f, q)), here);
    const Tape tape = make_tape(std::array{f});
    for (std::size_t k = 0; k < q.size(); ++k) {
      const auto f_at = [&](double step) {
        Arguments there = here;
        there.of_kind[static_cast<std::size_t>(SymbolKind::kCoordinate)][k] += step;
        return values(tape, there).front();
      };
      const auto difference = [&](double h) { return (f_at(h) - f_at(-h)) / (2 * h); };
      const double h = 1e-4, near = difference(h), far = difference(2 * h);
      const double round_off = kEpsilon * std::abs(f_at(0)) / h;
      EXPECT_NEAR(slope[k], near, 10 * (std::abs(near - far) + 20 * round_off) + 1e-11) << "seed " << seed;
      compared += slope[k] != 0;
    }
  }
  EXPECT_GT(compared, 100);
}

// A graph with one symbol a kind: q and v.
struct Small {
  Graph graph;
  Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}),
       y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}}),
       z = graph.add_symbol({"z", SymbolKind::kCoordinate, 2, {}});
  static Arguments at(double x, double y = 0, double z = 0) {
    Arguments made;
    made.of_kind[static_cast<std::size_t>(SymbolKind::kCoordinate)] = {x, y, z};
    return made;
  }
};

// Oracle: IEEE 754. What depends on a NaN is NaN, what does not is untouched; infinities arise and vanish as in
// arithmetic.
TEST(Tape, NotANumberAndInfinityPassThrough) {
  Small s;
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const Tape tape = make_tape(std::array{s.x + s.y, s.x * s.y, s.x / s.y, sin(s.x), sqrt(s.x), abs(s.x), max(s.x, s.y),
                                         min(s.x, s.y), s.z * s.z});
  const std::vector<double> with_nan = values(tape, Small::at(nan, 2, 3));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(std::isnan(with_nan[i])) << i;
  EXPECT_EQ(with_nan[8], 9);
  const std::vector<double> with_inf = values(tape, Small::at(inf, 0, 3));
  EXPECT_EQ(with_inf[0], inf);
  EXPECT_TRUE(std::isnan(with_inf[1]));
  EXPECT_EQ(with_inf[2], inf);
  EXPECT_TRUE(std::isnan(with_inf[3]));
  EXPECT_EQ(with_inf[4], inf);
  EXPECT_EQ(values(make_tape(std::array{1 / s.x}), Small::at(0)).front(), inf);
  EXPECT_TRUE(std::isnan(values(make_tape(std::array{sqrt(s.x)}), Small::at(-1)).front()));
}

// A name that stands for nothing has no value; it must not read anything either.
TEST(Tape, ShorthandIsNotANumber) {
  Small s;
  const Expr name = s.graph.add_symbol({"xc", SymbolKind::kShorthand, 77, {}});
  EXPECT_TRUE(std::isnan(values(make_tape(std::array{name + s.x}), Small::at(1)).front()));
}

// Sine and cosine of one argument are one instruction, whichever is met first; another argument is another one.
TEST(Tape, SineAndCosineShareOneInstruction) {
  Small s;
  for (const bool sine_first : {true, false}) {
    const Expr a = sine_first ? sin(s.x) : cos(s.x), b = sine_first ? cos(s.x) : sin(s.x);
    const Tape tape = make_tape(std::array{a * s.y, b + square(b) * a, sin(s.y)});
    EXPECT_EQ(count(tape, TapeOp::kSinCos), 1u);
    EXPECT_EQ(count(tape, TapeOp::kCall), 1u);
    const std::vector<double> out = values(tape, Small::at(0.7, 3));
    const double first = sine_first ? std::sin(0.7) : std::cos(0.7),
                 second = sine_first ? std::cos(0.7) : std::sin(0.7);
    EXPECT_DOUBLE_EQ(out[0], first * 3);
    EXPECT_DOUBLE_EQ(out[1], second + second * second * first);
  }
}

// A common subexpression is computed once for all outputs; equal outputs are stored twice and computed once.
TEST(Tape, OutputsShareWhatTheyHaveInCommon) {
  Small s;
  const Expr common = exp(s.x * s.y);
  const Tape tape = make_tape(std::array{common + s.z, common * s.z, common, common});
  EXPECT_EQ(count(tape, TapeOp::kCall), 1u);
  EXPECT_EQ(count(tape, TapeOp::kMultiply), 2u);
  EXPECT_EQ(count(tape, TapeOp::kOutput), 4u);
  EXPECT_EQ(count(tape, TapeOp::kArgument), 3u);
}

// The same value that two different nodes need is found again below the level of nodes: x² in x²y and in x³.
TEST(Tape, PartsOfNodesAreShared) {
  Small s;
  EXPECT_EQ(count(make_tape(std::array{square(s.x) * s.y, pow(s.x, Rational(3)), 1 / square(s.x)}), TapeOp::kSquare),
            1u);
}

// Numbers are folded and are in the instruction that uses them; a product has one division.
TEST(Tape, ConstantsAreFolded) {
  Small s;
  const Tape tape = make_tape(std::array{s.graph.pi() * s.x * sqrt(s.graph.constant(2)) + 1, s.x / (s.y * s.z)});
  EXPECT_EQ(count(tape, TapeOp::kConstant), 0u);
  EXPECT_EQ(count(tape, TapeOp::kScale), 1u);
  EXPECT_EQ(count(tape, TapeOp::kAddConstant), 1u);
  EXPECT_EQ(count(tape, TapeOp::kDivide), 1u);
  EXPECT_EQ(tape.instructions.size(), 3u + 2 + 2 + 2);  // arguments, first, second, outputs
  EXPECT_NEAR(values(tape, Small::at(0.5, 2, 4))[0], std::sqrt(0.5) * M_PI + 1, 1e-15);
  EXPECT_EQ(values(make_tape(std::array{s.graph.constant(Rational(1, 4))}), Small::at(0)), std::vector<double>{0.25});
}

// Oracle: written out. Each way in which a product can occur in a sum.
TEST(Tape, ProductsInSums) {
  Small s;
  const Expr x = s.x, y = s.y, z = s.z, pi = s.graph.pi();
  const std::array<Expr, 6> sums{y + x * z, y - x * z, x * z - y, y + pi * x, y - pi * x, pi * x - y};
  const Tape tape = make_tape(sums);
  const double px = M_PI * 0.7;
  const std::vector<double> expected{2 + 0.7 * 3, 2 - 0.7 * 3, 0.7 * 3 - 2, 2 + px, 2 - px, px - 2};
  const std::vector<double> out = values(tape, Small::at(0.7, 2, 3));
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(out[i], expected[i], 4 * kEpsilon) << i;
    // Alone, so that the product has one use.
    const Tape alone = make_tape(std::array{sums[i]});
    EXPECT_NEAR(values(alone, Small::at(0.7, 2, 3)).front(), expected[i], 4 * kEpsilon) << i;
    EXPECT_EQ(alone.instructions.size(), i < 3 ? 5u : 4u) << i;
  }
}

TEST(Tape, NoOutputsIsNoWork) {
  const Tape tape = make_tape({});
  EXPECT_TRUE(tape.instructions.empty());
  EXPECT_EQ(tape.registers, 0u);
  run(tape, {}, nullptr);
}

// Checks a tape as a program: no register is read before it is written, nothing written is left unread, the two results
// of a sincos are distinct, every output is written once, and no more registers are claimed than used.
void expect_sound(const Tape& tape) {
  std::vector<int> state(tape.registers);  // 0 never written, 1 written and not read yet, 2 read
  std::vector<int> outputs(tape.outputs);
  for (const Instruction& instruction : tape.instructions) {
    for_each_read(instruction, [&](std::uint32_t r) {
      ASSERT_LT(r, tape.registers);
      EXPECT_NE(state[r], 0);
      state[r] = 2;
    });
    const RegisterUse use = register_use(instruction);
    EXPECT_FALSE(use.writes_b && instruction.dst == instruction.b);
    for (const auto& [writes, r] :
         {std::pair{use.writes_dst, instruction.dst}, std::pair{use.writes_b, instruction.b}}) {
      if (!writes) continue;
      ASSERT_LT(r, tape.registers);
      EXPECT_NE(state[r], 1) << "overwritten before it was read";
      state[r] = 1;
    }
    if (instruction.op == TapeOp::kOutput) ++outputs[instruction.dst];
  }
  for (const int s : state) EXPECT_EQ(s, 2);
  for (const int times : outputs) EXPECT_EQ(times, 1);
}

TEST(Tape, IsASoundProgram) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 100; ++i) random.grow();
    expect_sound(make_tape(std::array{random.nodes.back(), random.pick(), random.pick()}));
    expect_sound(make_tape(random.nodes));
  }
}

// A result may take the register of its own operand: x, x², x⁴, … need one register, sin and cos of x two.
TEST(Tape, ResultsTakeTheRegistersOfTheirOperands) {
  Small s;
  const Tape power = make_tape(std::array{pow(s.x, Rational(32))});
  EXPECT_EQ(power.registers, 1u);
  EXPECT_EQ(values(power, Small::at(2)).front(), 4294967296.0);
  const Tape pair = make_tape(std::array{sin(s.x), cos(s.x)});
  EXPECT_EQ(pair.registers, 2u);
  EXPECT_DOUBLE_EQ(values(pair, Small::at(2))[1], std::cos(2.0));
}

// Each of 1000 terms is one instruction besides its factors.
TEST(Tape, LongSumsAreFused) {
  Small s;
  std::vector<Expr> terms;
  double expected = 0;
  for (int i = 1; i <= 1000; ++i) {
    terms.push_back(sin(i * s.x) * square(s.y + i));
    expected += std::sin(i * 0.3) * (2.0 + i) * (2.0 + i);
  }
  const Tape tape = make_tape(std::array{s.graph.sum(terms)});
  EXPECT_EQ(count(tape, TapeOp::kMultiplyAdd), 999u);
  EXPECT_NEAR(values(tape, Small::at(0.3, 2)).front(), expected, 1e-3);  // terms of 1e6, 1000 of them: 1e9 ε and more
}

// Nothing beyond the registers and the outputs is touched.
TEST(Tape, WritesOnlyItsOwnMemory) {
  RandomGraph random(5);
  for (int i = 0; i < 50; ++i) random.grow();
  const Tape tape = make_tape(random.nodes);
  Arguments arguments = random.arguments(0.5, 1);
  arguments.work.assign(tape.registers + 1, 42);
  std::vector<double> out(tape.outputs + 1, 43);
  run(tape, arguments.view(), out.data());
  EXPECT_EQ(arguments.work.back(), 42);
  EXPECT_EQ(out.back(), 43);
}

// Deep nesting is no problem for the stack.
TEST(Tape, DeepGraphs) {
  Small s;
  Expr nested = s.x;
  for (int i = 0; i < 200000; ++i) nested = sin(nested) + s.y;
  const Tape tape = make_tape(std::array{nested});
  EXPECT_NEAR(static_cast<double>(count_operations(tape)), 400000, 10);  // a copy or so at the seams
  EXPECT_LE(tape.instructions.size(), 200u);                             // rolled
  EXPECT_LE(tape.registers, 100u);
}

// The size of a tape is that of its expressions: count_operations counts each shared node's operations once.
TEST(Tape, IsNotLongerThanItsOperations) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 100; ++i) random.grow();
    const Tape tape = make_tape(random.nodes);
    const std::size_t moves =
        count(tape, TapeOp::kArgument) + count(tape, TapeOp::kConstant) + count(tape, TapeOp::kOutput);
    // A power with the exponent n/2 is counted as one operation and takes up to three.
    EXPECT_LE(tape.instructions.size() - moves, count_operations(random.nodes) * 11 / 10 + 10) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dalembert
