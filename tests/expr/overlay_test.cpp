// SPDX-License-Identifier: Apache-2.0
// Overlays of graphs, and graphs that several threads build in.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

class OverlayTest : public ::testing::Test {
 protected:
  std::shared_ptr<Graph> base = std::make_shared<Graph>();
  Expr x = base->add_symbol({"x", SymbolKind::kCoordinate, 0, ""});
  Expr y = base->add_symbol({"y", SymbolKind::kCoordinate, 1, ""});
  Expr known = sin(x) * y + Rational(2, 3);
};

// A deep chain of expressions: x, sin(x) + 1/2, …; every one of them is new.
std::vector<Expr> chain(Expr x, int length) {
  std::vector<Expr> all{x};
  for (int i = 1; i < length; ++i) all.push_back(sin(all.back()) + Rational(1, 2 + i));
  return all;
}

// Truth: hash-consing, which gives equal expressions equal handles.
TEST_F(OverlayTest, FindsWhatItLiesOnAndKeepsTheRest) {
  const std::size_t size = base->size();
  Graph overlay(base, size);
  const Expr u = overlay.adopt(x), v = overlay.adopt(y);
  EXPECT_EQ(&u.graph(), &overlay);
  EXPECT_EQ((sin(u) * v + Rational(2, 3)).id(), known.id());
  EXPECT_EQ(overlay.size(), size);
  const Expr more = cos(u) * v + Rational(5, 7);
  EXPECT_EQ(overlay.size(), size + 4);  // cos(x), cos(x)·y, 5/7, their sum
  EXPECT_EQ(more.id(), size + 3);
  EXPECT_TRUE((v * cos(u) + Rational(5, 7)).same(more));
  EXPECT_EQ(base->size(), size);
  EXPECT_EQ(to_text(more), "y*cos(x) + 5/7");
  EXPECT_DOUBLE_EQ(evaluate(more, [](SymbolId s) { return s == 0 ? 0.0 : 2.0; }), 2 + 5.0 / 7);
  EXPECT_TRUE(gradient(more, std::array{v}).front().same(cos(u)));
}

// Opening copies none of what the nodes hold: their items and numbers are at the same places.
TEST_F(OverlayTest, SharesWhatItBeginsWith) {
  const std::vector<Expr> all = chain(x, 3000);
  Graph overlay(base, base->size());
  for (const Expr& e : all) {
    EXPECT_EQ(overlay.items(e.id()).data(), base->items(e.id()).data());
    EXPECT_EQ(&overlay.number(e.id()), &base->number(e.id()));
  }
  EXPECT_EQ(&overlay.symbol_info(x.symbol()), &base->symbol_info(x.symbol()));
}

// Expressions of both are used as they are; the result is the overlay's.
TEST_F(OverlayTest, MixesWithItsGraph) {
  Graph overlay(base, base->size());
  const Expr more = cos(overlay.adopt(x));
  for (const Expr& both : {more + y, y + more, y * more, pow(y, more), atan2(y, more), overlay.sum(std::array{x, y})})
    EXPECT_EQ(&both.graph(), &overlay);
  EXPECT_EQ(reachable(std::array{x, more, known}).size(), reachable(std::array{more, known}).size());
  EXPECT_EQ(evaluate(std::array{known, more}, [](SymbolId) { return 0.0; }), (std::vector{2.0 / 3, 1.0}));
  EXPECT_TRUE(substitute(std::array{y, more}, {{x.symbol(), y}})[1].same(cos(overlay.adopt(y))));
}

// What the graph got after the overlay was opened is not part of the overlay, by any of its ways in.
TEST_F(OverlayTest, DoesNotKnowWhatCameLater) {
  const std::size_t size = base->size();
  Graph overlay(base, size);
  const Expr later = cos(x) + Rational(7, 11);
  const Expr z = base->add_symbol({"z", SymbolKind::kCoordinate, 2, ""});
  EXPECT_EQ(overlay.adopt(later).misuse(), Misuse::kTwoGraphs);
  EXPECT_EQ((overlay.adopt(x) + later).misuse(), Misuse::kTwoGraphs);
  EXPECT_EQ(overlay.sum(std::array{z, x}).misuse(), Misuse::kTwoGraphs);
  EXPECT_EQ(overlay.symbol_count(), 2u);
  EXPECT_EQ(overlay.adopt(Expr()).misuse(), Misuse::kEmpty);
  const Expr own = cos(overlay.adopt(x)) + Rational(7, 11);
  EXPECT_EQ(own.id(), size + 2);  // after cos(x) and 7/11
  EXPECT_EQ(to_text(own), to_text(later));
  // Nor does the graph know what the overlay got.
  EXPECT_EQ(base->adopt(own).misuse(), Misuse::kTwoGraphs);
  EXPECT_EQ((overlay.adopt(x) + Graph(base, size).adopt(x)).misuse(), Misuse::kTwoGraphs);
}

// Numbers of nodes are those of the graph had it been built in itself: forms and printed orders depend on them.
// Sizes around the chunks of the storage (1,024 nodes), and a graph that goes on growing beside.
TEST_F(OverlayTest, NumbersNodesAsTheGraphWould) {
  for (const int length : {1, 510, 511, 512, 513, 1024, 3000}) {
    const auto graph = std::make_shared<Graph>(), other = std::make_shared<Graph>();
    const auto symbol = [](Graph& g) { return g.add_symbol({"x", SymbolKind::kCoordinate, 0, ""}); };
    const std::vector<Expr> there = chain(symbol(*graph), length), here = chain(symbol(*other), length);
    Graph overlay(graph, graph->size());
    const std::vector<Expr> beside = chain(cos(there.back()), 700);
    const std::vector<Expr> above = chain(cos(overlay.adopt(there.back())) + 3, 1500),
                            plain = chain(cos(here.back()) + 3, 1500);
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(above[i].id(), plain[i].id()) << length << " " << i;
    EXPECT_EQ(overlay.size(), other->size());
    for (NodeId id = 0; id < overlay.size(); ++id) {
      ASSERT_EQ(overlay.op(id), other->op(id));
      ASSERT_EQ(overlay.items(id).size(), other->items(id).size());
      for (std::size_t k = 0; k < overlay.items(id).size(); ++k) {
        EXPECT_EQ(overlay.items(id)[k].node, other->items(id)[k].node);
        EXPECT_EQ(overlay.number(overlay.items(id)[k]), other->number(other->items(id)[k]));
      }
      EXPECT_EQ(overlay.number(id), other->number(id));
    }
  }
}

// An overlay of an overlay knows both below it.
TEST_F(OverlayTest, LieOnEachOther) {
  const auto middle = std::make_shared<Graph>(base, base->size());
  const Expr in_middle = cos(middle->adopt(x));
  Graph top(middle, middle->size());
  EXPECT_EQ(top.adopt(known).id(), known.id());
  EXPECT_EQ(top.adopt(in_middle).id(), in_middle.id());
  EXPECT_EQ(cos(top.adopt(x)).id(), in_middle.id());
  EXPECT_EQ(&(top.adopt(x) * in_middle * known).graph(), &top);
  const Expr after = exp(middle->adopt(x));
  EXPECT_EQ(top.adopt(after).misuse(), Misuse::kTwoGraphs);
  EXPECT_EQ(top.adopt(tan(x)).misuse(), Misuse::kTwoGraphs);
}

// Symbols of an overlay continue those below it, and none looks like another in LaTeX (x1, x_1).
TEST_F(OverlayTest, HasSymbolsOfItsOwn) {
  const Expr x1 = base->add_symbol({"x1", SymbolKind::kParameter, 0, ""});
  Graph overlay(base, base->size());
  const Expr spelled = overlay.add_symbol({"x_1", SymbolKind::kParameter, 1, ""});
  EXPECT_EQ(overlay.symbol_count(), 4u);
  EXPECT_EQ(base->symbol_count(), 3u);
  EXPECT_EQ(overlay.symbol_info(spelled.symbol()).name, "x_1");
  EXPECT_TRUE(overlay.symbol(spelled.symbol()).same(spelled));
  EXPECT_EQ(overlay.symbol(x1.symbol()).id(), x1.id());
  EXPECT_NE(print(spelled, Notation::kLatex), print(x1, Notation::kLatex));
}

// Two threads build the same expressions in a shared graph: each exists once, and both have it.
TEST_F(OverlayTest, SharedGraphsAreBuiltInByManyThreads) {
  base->share();
  std::array<std::vector<Expr>, 4> made;
  std::vector<std::thread> threads;
  for (std::vector<Expr>& list : made) threads.emplace_back([&] { list = chain(x * y, 5000); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Expr>& list : made)
    for (std::size_t i = 0; i < list.size(); ++i) ASSERT_TRUE(list[i].same(made[0][i]));
  EXPECT_EQ(reachable(made[0]).size(), 2u + 2u * 5000 - 1);  // x, y, x·y; a sine and a sum each
}

// Whatever is asked of a null expression has an answer, and no value.
TEST(NullExpr, AnswersWhateverIsAsked) {
  for (const Misuse why : {Misuse::kEmpty, Misuse::kTwoGraphs, Misuse::kNotFinite}) {
    const Expr nothing = Expr::none(why);
    EXPECT_EQ(nothing.op(), Op::kNothing);
    EXPECT_FALSE(nothing.is_zero());
    EXPECT_FALSE(nothing.is_constant());
    EXPECT_EQ(nothing.graph().symbol_info(nothing.symbol()).name, "(nothing)");
    EXPECT_TRUE(nothing.graph().items(nothing.id()).empty());
    EXPECT_EQ(nothing.graph().op(nothing.id()), Op::kNothing);
    EXPECT_TRUE(reachable(std::array{nothing}).empty());
    EXPECT_FALSE(depends_on_kind(nothing, SymbolKind::kCoordinate));
    EXPECT_EQ(count_operations(std::array{nothing}), 0u);
    EXPECT_EQ(to_text(nothing), "(nothing)");
    Graph graph;
    const Expr x = graph.add_symbol({"x", SymbolKind::kCoordinate, 0, ""});
    const std::vector<double> values = evaluate(std::array{nothing, 2 * x}, [](SymbolId) { return 3.0; });
    EXPECT_TRUE(std::isnan(values[0]));
    EXPECT_EQ(values[1], 6.0);
    const std::vector<Expr> replaced = substitute(std::array{nothing, x + 1}, {{x.symbol(), graph.constant(1)}});
    EXPECT_EQ(replaced[0].misuse(), why);
    EXPECT_EQ(replaced[1].constant(), Rational(2));
  }
}

}  // namespace
}  // namespace dalembert
