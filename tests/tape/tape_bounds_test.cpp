// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/tape_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/expr/visit.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape_passes.h"
#include "tape/random_graph.h"

namespace dalembert {
namespace {

using namespace dalembert::testing;

// Truth: the interpreter at random points within the intervals; what bounds say must hold at every one of them.
TEST(TapeBounds, HoldAtEveryPoint) {
  int narrow = 0, total = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    RandomGraph random(seed);
    for (int i = 0; i < 40; ++i) random.grow();
    Tape tape = flatten(random.nodes);
    reuse_registers(tape);
    std::vector<std::vector<NodeId>> below;
    for (const Expr& node : random.nodes) below.push_back(reachable(std::span(&node, 1)));
    for (const double width : {0.0, 1e-6, 0.1, 2.0}) {
      testing::Arguments low(tape.registers), at(tape.registers);
      std::array<std::vector<Bounds>, kTapeArrays> bounds;
      std::array<const Bounds*, kTapeArrays> view{};
      for (std::size_t kind = 0; kind < 7; ++kind) {
        for (double& x : low.of_kind[kind]) {
          x = random.uniform(-2, 2);
          bounds[kind].push_back({x, x + width});
        }
        view[kind] = bounds[kind].data();
      }
      const double t0 = random.uniform(-2, 2);
      bounds[0][0] = {t0, t0 + width};
      std::vector<Bounds> registers(tape.registers), out(tape.outputs);
      find_bounds(tape, view.data(), registers.data(), out.data());
      for (int point = 0; point < 20; ++point) {
        at.t = t0 + random.uniform(0, 1) * width;
        for (std::size_t kind = 0; kind < 7; ++kind)
          for (std::size_t i = 0; i < testing::Arguments::kEach; ++i)
            at.of_kind[kind][i] = low.of_kind[kind][i] + random.uniform(0, 1) * width;
        std::vector<double> values(tape.outputs);
        const KernelArguments in = at.view();
        run(tape, in, values.data());
        // Bounds are of numbers: nothing is said of a comparison with sin(∞).
        std::set<NodeId> open;
        for (std::size_t i = 0; i < values.size(); ++i) {
          ++total;
          narrow += std::isfinite(out[i].high - out[i].low);
          if (std::isnan(values[i]) || std::ranges::any_of(below[i], [&](NodeId id) { return open.contains(id); })) {
            open.insert(random.nodes[i].id());
            continue;
          }
          ASSERT_LE(out[i].low, values[i]) << seed << " " << width << " output " << i;
          ASSERT_GE(out[i].high, values[i]) << seed << " " << width << " output " << i;
        }
      }
    }
  }
  // Bounds that say nothing would always hold.
  EXPECT_GT(narrow, total / 2);
}

// Truth: over an interval that shrinks the bounds close in on the value.
TEST(TapeBounds, CloseIn) {
  Graph graph;
  const Expr t = graph.add_symbol({"t", SymbolKind::kTime, 0, {}});
  const Tape tape = flatten(std::vector<Expr>{exp(-square(t)) * sin(t * 3) + t / (2 + cos(t)) + floor(t * t)});
  std::vector<Bounds> registers(tape.registers);
  for (double width = 0.1; width > 1e-10; width /= 10) {
    const Bounds at{0.7, 0.7 + width};
    const Bounds* const arguments[kTapeArrays] = {&at};
    Bounds out;
    find_bounds(tape, arguments, registers.data(), &out);
    EXPECT_LE(out.high - out.low, 20 * width + 1e-14);
  }
}

// Powers that are too long to be products of their factors, over intervals on both sides of 0 and across it. Truth: the power at its ends and at 0.
TEST(TapeBounds, LongPowers) {
  Graph graph;
  const Expr t = graph.add_symbol({"t", SymbolKind::kTime, 0, {}});
  for (const int n : {100, 101, -100, -101}) {
    const Tape tape = flatten(std::vector<Expr>{pow(t, Rational(n))});
    std::vector<Bounds> registers(tape.registers);
    for (const Bounds at : {Bounds{-0.9, 1.1}, {-1.1, 0.9}, {-1.1, -0.9}, {0.9, 1.1}, {0, 1.1}, {-1.1, 0}}) {
      const Bounds* const arguments[kTapeArrays] = {&at};
      Bounds out;
      find_bounds(tape, arguments, registers.data(), &out);
      const auto [least, most] = std::minmax({std::pow(at.low, n), std::pow(at.high, n)});
      const bool across = at.low <= 0 && at.high >= 0;
      if (across && n < 0) {
        EXPECT_TRUE(std::isinf(out.high)) << n << " from " << at.low;
      } else {
        EXPECT_NEAR(out.low, across && n % 2 == 0 ? 0 : least, 1e-14 * std::abs(least)) << n << " from " << at.low;
        EXPECT_NEAR(out.high, most, 1e-14 * std::abs(most)) << n << " from " << at.low;
      }
    }
  }
}

}  // namespace
}  // namespace dalembert
