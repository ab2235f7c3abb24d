// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape_jacobian.h"
#include "dalembert/compile/kernel_expressions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape_passes.h"
#include "tape/model_files.h"
#include "tape/random_graph.h"

namespace dalembert {
namespace {

using testing::Arguments;
using testing::RandomGraph;

// The arguments of a tape, by TapeArray.
struct Values {
  std::array<std::vector<double>, kTapeArrays> of;
  std::array<const double*, kTapeArrays> view() const {
    std::array<const double*, kTapeArrays> pointers{};
    for (std::size_t i = 0; i < kTapeArrays; ++i) pointers[i] = of[i].data();
    return pointers;
  }
};

std::vector<double> evaluate(Tape tape, const Values& values) {
  finish(tape);
  std::vector<double> work(tape.registers, std::nan("")), out(tape.outputs, std::nan(""));
  run(tape, values.view().data(), work.data(), out.data(), 1);
  return out;
}

Values values_of(const Arguments& arguments) {
  Values values;
  values.of[0] = {arguments.t};
  for (std::size_t kind = 1; kind < arguments.of_kind.size(); ++kind) values.of[kind] = arguments.of_kind[kind];
  return values;
}

ArgumentEntry entry_of(const Graph& graph, SymbolId symbol) {
  const Symbol& info = graph.symbol_info(symbol);
  return {static_cast<TapeArray>(info.kind), info.kind == SymbolKind::kTime ? 0 : info.index};
}

// Every symbol of the random graph.
struct Entries {
  std::vector<Expr> symbols;
  std::vector<ArgumentEntry> entries;
  explicit Entries(const RandomGraph& random) {
    Graph& graph = const_cast<Graph&>(random.graph);
    for (SymbolId id = 0; id < graph.symbol_count(); ++id) {
      symbols.push_back(graph.symbol(id));
      entries.push_back(entry_of(graph, id));
    }
  }
};

// Of a TapeJacobian or a SparseMatrix.
template <class Matrix>
std::map<std::pair<int, int>, double> as_map(const Matrix& matrix, const std::vector<double>& values) {
  std::map<std::pair<int, int>, double> map;
  for (std::size_t k = 0; k < values.size(); ++k) map[{matrix.row[k], matrix.col[k]}] = values[k];
  EXPECT_EQ(map.size(), values.size()) << "an entry occurs twice";
  return map;
}

// Both matrices entry by entry; what one of them lacks is zero. How many entries were finite in both.
int compare(const std::map<std::pair<int, int>, double>& found, const std::map<std::pair<int, int>, double>& expected,
            double tolerance, const std::string& what) {
  auto all = expected;
  all.insert(found.begin(), found.end());
  int finite = 0;
  for (const auto& [place, ignored] : all) {
    const auto value = [&](const auto& map) { return map.contains(place) ? map.at(place) : 0.0; };
    const double x = value(found), y = value(expected);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;  // 0 · ∞ depends on the order
    ++finite;
    EXPECT_NEAR(x, y, tolerance * (1 + std::abs(y))) << what << ", entry " << place.first << ", " << place.second;
  }
  return finite;
}

// Oracle: jacobian() of expr/differentiate.h, node by node: each output is one operation of symbols, so that only the
// rule of that operation counts. Both sides evaluate a formula of at most ten roundings.
TEST(TapeJacobian, EveryRuleIsThatOfExpressions) {
  int compared = 0;
  std::set<Op> seen;
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomGraph random(seed);
    const Entries by(random);
    const std::size_t leaves = random.nodes.size();
    std::vector<Expr> outputs;
    for (int i = 0; i < 12; ++i) {
      random.grow();
      outputs.push_back(random.nodes.back());
      seen.insert(random.graph.op(outputs.back().id()));
      random.nodes.resize(leaves);
    }
    const Values values = values_of(random.arguments(0.1, 0.9));
    const TapeJacobian jacobian = make_jacobian(flatten(outputs), by.entries, outputs.size());
    const SparseMatrix expected = dalembert::jacobian(outputs, by.symbols);
    compared +=
        compare(as_map(jacobian, evaluate(jacobian.tape, values)),
                as_map(expected, evaluate(flatten(expected.value), values)), 1e-13, "seed " + std::to_string(seed));
  }
  EXPECT_GT(compared, 5000);
  EXPECT_GE(seen.size(), static_cast<std::size_t>(Op::kSelect) - 3);
}

// Oracle: the same for deep graphs of smooth functions with many outputs. Errors grow along 30 operations; 1e-9 leaves
// that 4e6 ε.
TEST(TapeJacobian, AgreesWithExpressionsOnDeepGraphs) {
  int compared = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomGraph random(seed);
    const Entries by(random);
    for (int i = 0; i < 30; ++i) random.grow_smooth();
    const std::vector<Expr> outputs(random.nodes.end() - 6, random.nodes.end());
    const Values values = values_of(random.arguments(-1, 1));
    const TapeJacobian jacobian = make_jacobian(flatten(outputs), by.entries, outputs.size());
    const SparseMatrix expected = dalembert::jacobian(outputs, by.symbols);
    compared +=
        compare(as_map(jacobian, evaluate(jacobian.tape, values)),
                as_map(expected, evaluate(flatten(expected.value), values)), 1e-9, "seed " + std::to_string(seed));
  }
  EXPECT_GT(compared, 2000);
}

// An output that is an argument, one that is constant, one that occurs twice, x − x, and rows that are left out.
// Derivatives of roots at 0, and of what a choice leaves out there. Of equal arguments max takes the second.
TEST(TapeJacobian, RootsAtZero) {
  Graph graph;
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}), zero = graph.constant(0);
  const auto choose = [&](const Expr& condition, const Expr& a, const Expr& b) {
    return graph.function(Op::kSelect, std::array{condition, a, b});
  };
  const Expr positive = graph.function(Op::kLess, std::array{zero, x});
  const auto power = [&](const Expr& base, std::int64_t halves) {
    return graph.power(base, Rational(halves) / Rational(2));
  };
  const Expr larger = graph.function(Op::kMax, std::array{zero, x});
  const std::vector<Expr> rows{power(x, 3),
                               power(x, 5) * x,
                               choose(positive, power(x, 1), zero),
                               -choose(positive, log(x), zero) * x,
                               power(larger, 1),
                               power(graph.function(Op::kMin, std::array{graph.constant(1), larger}), 1),
                               power(x, 1)};
  const std::vector<ArgumentEntry> by{entry_of(graph, x.symbol())};
  const auto column = [&](double at) {
    Values values;
    for (std::vector<double>& array : values.of) array.assign(1, at);
    const TapeJacobian jacobian = make_jacobian(flatten(rows), by, rows.size());
    const std::vector<double> found = evaluate(jacobian.tape, values);
    std::vector<double> all(rows.size());
    for (std::size_t i = 0; i < found.size(); ++i) all[static_cast<std::size_t>(jacobian.row[i])] = found[i];
    return all;
  };
  EXPECT_EQ(column(0), (std::vector<double>{0, 0, 0, 0, HUGE_VAL, HUGE_VAL, HUGE_VAL}));
  const std::vector<double> at_minus_one = column(-1);
  for (const std::size_t i : {2U, 3U, 4U, 5U}) EXPECT_EQ(at_minus_one[i], 0);
  EXPECT_TRUE(std::isnan(at_minus_one[0]));
  const std::vector<double> at_four = column(4), expected{3, 3.5 * 32, 0.25, -std::log(4) - 1, 0.25, 0, 0.25};
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(at_four[i], expected[i], 1e-13 * std::abs(expected[i]));
}

TEST(TapeJacobian, OddOutputs) {
  Graph graph;
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}),
             y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  const std::vector<Expr> outputs{x, graph.constant(3), sin(x) * y, sin(x) * y, y, x * y};
  const std::vector<ArgumentEntry> by{{TapeArray::kCoordinate, 1}, {TapeArray::kCoordinate, 0}};
  const TapeJacobian jacobian = make_jacobian(flatten(outputs), by, 5);
  EXPECT_EQ(jacobian.row, (std::vector<int>{0, 2, 2, 3, 3, 4}));
  EXPECT_EQ(jacobian.col, (std::vector<int>{1, 0, 1, 0, 1, 0}));
  Values values;
  values.of[static_cast<std::size_t>(TapeArray::kCoordinate)] = {0.3, 0.7};
  const std::vector<double> found = evaluate(jacobian.tape, values);
  const double s = std::sin(0.3), c = std::cos(0.3) * 0.7;
  EXPECT_EQ(found, (std::vector<double>{1, s, c, s, c, 1}));
}

// The step d = −g(x) r(x), differentiated through r: −g ∂r/∂x, even where r is not 0 and both contain the same terms. The values follow.
TEST(TapeJacobian, ThroughSomeOutputs) {
  Graph graph;
  const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, {}}),
             y = graph.add_symbol({"y", SymbolKind::kCoordinate, 1, {}});
  const Expr s = sin(x), first = s * y - graph.constant(2), second = exp(first * x);
  const std::vector<Expr> outputs{first, second, cos(y) * first + s * second, x};
  const std::vector<ArgumentEntry> by{{TapeArray::kCoordinate, 0}, {TapeArray::kCoordinate, 1}};
  JacobianRows rows(2, 2, 2);
  rows.values_from = 0;
  const TapeJacobian jacobian = make_jacobian(flatten(outputs), by, rows);
  EXPECT_EQ(jacobian.row, (std::vector<int>{0, 0}));
  EXPECT_EQ(jacobian.col, (std::vector<int>{0, 1}));
  Values values;
  values.of[static_cast<std::size_t>(TapeArray::kCoordinate)] = {0.3, 0.7};
  const std::vector<double> found = evaluate(jacobian.tape, values);
  const double sine = std::sin(0.3), r = sine * 0.7 - 2, e = std::exp(r * 0.3);
  const double by_x = std::cos(0.3) * 0.7, by_y = sine;
  ASSERT_EQ(found.size(), 6U);
  EXPECT_NEAR(found[0], std::cos(0.7) * by_x + sine * e * (by_x * 0.3 + r), 1e-15);
  EXPECT_NEAR(found[1], std::cos(0.7) * by_y + sine * e * by_y * 0.3, 1e-15);
  EXPECT_NEAR(found[2], r, 1e-15);
  EXPECT_NEAR(found[4], std::cos(0.7) * r + sine * e, 1e-15);
  EXPECT_EQ(found[5], 0.3);
}

// x = b/k by its residual b − k x, where x is held: the derivative (b' − k' x)/k, without that of the quotient.
TEST(TapeJacobian, OfASolutionByItsResidual) {
  Graph graph;
  const Expr y = graph.add_symbol({"y", SymbolKind::kCoordinate, 0, {}}),
             x = graph.add_symbol({"x", SymbolKind::kAcceleration, 0, {}});
  const Expr b = sin(y), k = exp(y) + graph.constant(1);
  const std::vector<Expr> outputs{b - k * x, (b - k * x) / k, b / k};
  const std::vector<ArgumentEntry> by{{TapeArray::kAcceleration, 0}, {TapeArray::kCoordinate, 0}};
  JacobianRows rows(1, 1, 1);
  rows.values_from = 2;
  rows.held = {{{TapeArray::kAcceleration, 0}, 2}};
  const TapeJacobian jacobian = make_jacobian(flatten(outputs), by, rows);
  EXPECT_EQ(jacobian.row, (std::vector<int>{0}));
  EXPECT_EQ(jacobian.col, (std::vector<int>{1}));
  Values values;
  values.of[static_cast<std::size_t>(TapeArray::kCoordinate)] = {0.3};
  values.of[static_cast<std::size_t>(TapeArray::kAcceleration)] = {1000};  // not read
  const std::vector<double> found = evaluate(jacobian.tape, values);
  const double e = std::exp(0.3), quotient = std::sin(0.3) / (e + 1);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], (std::cos(0.3) - quotient * e) / (e + 1), 1e-15);
  EXPECT_NEAR(found[1], quotient, 1e-15);
}

// One that would be longer than what is allowed is given up, and one that is not is the same as without a limit.
TEST(TapeJacobian, IsGivenUpWhereItGetsTooLong) {
  RandomGraph random(7);
  const Entries by(random);
  for (int i = 0; i < 60; ++i) random.grow_smooth();
  const std::vector<Expr> outputs(random.nodes.end() - 6, random.nodes.end());
  const Tape tape = flatten(outputs);
  const TapeJacobian whole = make_jacobian(tape, by.entries, outputs.size());
  EXPECT_FALSE(whole.too_long);
  const TapeJacobian within = make_jacobian(tape, by.entries, outputs.size(), 100'000);
  EXPECT_FALSE(within.too_long);
  EXPECT_EQ(within.row, whole.row);
  EXPECT_EQ(within.tape.instructions.size(), whole.tape.instructions.size());
  EXPECT_TRUE(make_jacobian(tape, by.entries, outputs.size(), whole.tape.instructions.size() / 2).too_long);
}

// All positions and velocities; and values for everything, parameters as the model has them.
struct ModelValues {
  std::vector<ArgumentEntry> by;
  Values values;
  ModelValues(const Equations& equations, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(0.2, 1.2);
    const int n = equations.n();
    for (int i = 0; i < n; ++i) by.push_back({TapeArray::kCoordinate, i});
    for (int i = 0; i < equations.nv(); ++i) by.push_back({TapeArray::kVelocity, i});
    const std::size_t most =
        static_cast<std::size_t>(std::max({1, n, equations.m() + static_cast<int>(equations.frictions.size())})) +
        equations.model->inputs.size();
    for (std::vector<double>& list : values.of) {
      list.resize(most);
      for (double& value : list) value = any(random);
    }
    std::vector<double>& parameters = values.of[static_cast<std::size_t>(TapeArray::kParameter)];
    parameters.clear();
    for (const Parameter& parameter : equations.model->parameters) parameters.push_back(parameter.value);
  }
};

class TapeJacobianOfModel : public ::testing::TestWithParam<std::string> {};

// Oracle: jacobian() of expr on M, f, W and γ. Entries of thousands of operations; 1e-10 of the entry or of 1.
TEST_P(TapeJacobianOfModel, RatesAgreeWithExpressions) {
  const Equations equations = equations_of(GetParam());
  ASSERT_TRUE(equations.model);
  const std::vector<Expr> rates = kernel_expressions(equations, KernelFunction::kRates);
  std::vector<Expr> symbols = equations.q;
  symbols.insert(symbols.end(), equations.velocities().begin(), equations.velocities().end());
  const SparseMatrix expected = jacobian(rates, symbols);
  const ModelValues model(equations, 3);
  const TapeJacobian found = make_jacobian(flatten(rates), model.by, rates.size());
  compare(as_map(found, evaluate(found.tape, model.values)),
          as_map(expected, evaluate(flatten(expected.value), model.values)), 1e-10, GetParam());
}

// Oracle: central differences of q̈ and λ, extrapolated: (4 D(h/2) − D(h))/3 is off by O(h⁴) and by ε|f|/h. With
// h = 1e-3 of numbers of size 1 both are below 1e-9 of the largest entry of a row, where the motion is not nearly
// singular; the pivots' conditions leave some digits more.
TEST_P(TapeJacobianOfModel, AccelerationsAgreeWithDifferences) {
  const Equations stated = equations_of(GetParam());
  ASSERT_TRUE(stated.model);
  const Equations equations = with_contacts_held(stated);
  std::vector<Expr> ignored = kernel_expressions(equations, KernelFunction::kRates);
  const std::optional<KktTapes> tapes = make_kkt_tapes(equations);
  if (!tapes) GTEST_SKIP() << "solved by the dense solver";
  const auto rows = static_cast<std::size_t>(equations.nv() + equations.m());
  ModelValues model(equations, 4);
  const TapeJacobian found = make_jacobian(tapes->accelerations, model.by, rows);
  const auto entries = as_map(found, evaluate(found.tape, model.values));

  const auto difference = [&](const ArgumentEntry& entry, double h) {
    double& x = model.values.of[static_cast<std::size_t>(entry.array)][static_cast<std::size_t>(entry.index)];
    const double at = x;
    x = at + h;
    std::vector<double> up = evaluate(tapes->accelerations, model.values);
    x = at - h;
    const std::vector<double> down = evaluate(tapes->accelerations, model.values);
    x = at;
    for (std::size_t i = 0; i < up.size(); ++i) up[i] = (up[i] - down[i]) / (2 * h);
    return up;
  };
  std::vector<std::vector<double>> columns;
  std::vector<double> largest(rows, 1);
  for (const ArgumentEntry& entry : model.by) {
    const std::vector<double> coarse = difference(entry, 1e-3), fine = difference(entry, 5e-4);
    std::vector<double>& column = columns.emplace_back(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      column[i] = (4 * fine[i] - coarse[i]) / 3;
      largest[i] = std::max(largest[i], std::abs(column[i]));
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      const auto at = entries.find({static_cast<int>(r), static_cast<int>(c)});
      const double value = at == entries.end() ? 0 : at->second;
      EXPECT_NEAR(value, columns[c][r], 1e-6 * largest[r]) << "row " << r << ", column " << c;
    }
}

// By the residual of the equations, without the derivatives of their factors: it takes no more operations, but some for residuals. Oracle: the same through the factors, whose terms cancel
// where constraints alone give accelerations; 1e-8 of the largest entry in a column, or of 1.
TEST_P(TapeJacobianOfModel, AccelerationsByTheirResidualsAgree) {
  const Equations stated = equations_of(GetParam());
  ASSERT_TRUE(stated.model);
  const Equations equations = with_contacts_held(stated);
  std::vector<Expr> ignored = kernel_expressions(equations, KernelFunction::kRates);
  const std::optional<KktTapes> tapes = make_kkt_tapes(equations, KktUse::kDifferentiate);
  if (!tapes) GTEST_SKIP() << "solved by the dense solver";
  const auto nv = static_cast<std::size_t>(equations.nv()), m = static_cast<std::size_t>(equations.m());
  ModelValues model(equations, 4);
  const JacobianRows rows = rows_by_residuals(nv, m, true);
  EXPECT_LE(count_operations(make_jacobian(tapes->by_residuals, model.by, rows_by_residuals(nv, m, false)).tape),
            count_operations(make_jacobian(tapes->accelerations, model.by, nv + m).tape) + 2 * (nv + m));
  for (std::size_t i = 0; i < stated.model->parameters.size(); ++i)
    model.by.push_back({TapeArray::kParameter, static_cast<int>(i)});
  const TapeJacobian through = make_jacobian(tapes->accelerations, model.by, nv + m),
                     found = make_jacobian(tapes->by_residuals, model.by, rows);
  std::vector<double> derivatives = evaluate(found.tape, model.values);
  const auto end = derivatives.begin() + static_cast<std::ptrdiff_t>(found.row.size());
  EXPECT_EQ(std::vector<double>(end, derivatives.end()), evaluate(tapes->accelerations, model.values));
  derivatives.erase(end, derivatives.end());
  auto entries = as_map(found, derivatives), expected = as_map(through, evaluate(through.tape, model.values));
  // Those by parameters are of relative changes.
  const std::size_t states = model.by.size() - stated.model->parameters.size();
  for (auto* map : {&entries, &expected})
    for (auto& [place, value] : *map)
      if (const auto column = static_cast<std::size_t>(place.second); column >= states)
        value *= stated.model->parameters[column - states].value;
  std::vector<double> largest(model.by.size(), 1);
  for (const auto& [place, value] : expected)
    largest[static_cast<std::size_t>(place.second)] =
        std::max(largest[static_cast<std::size_t>(place.second)], std::abs(value));
  for (auto* map : {&entries, &expected})
    for (auto& [place, value] : *map) value /= largest[static_cast<std::size_t>(place.second)];
  compare(entries, expected, 1e-8, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Models, TapeJacobianOfModel, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert
