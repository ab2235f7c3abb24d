// SPDX-License-Identifier: Apache-2.0
// Claims about the motion of models with prescribed coordinates. Truth: a sum of equations of motion and of constraints
// on accelerations holds on every motion; left without its actuation it does not. Numbers at points that are shown come
// from a solve of M q̈ − Wᵀλ − F_a = F − B − G, W q̈ = −γ that is written here.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/audit.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

std::string written(const Expr& e) { return print(e, Notation::kText); }

Equations shipped_equations(const std::string& name) {
  const auto equations =
      derive(std::make_shared<const Model>(*load_model_file(source_tree() + "/models/" + name + ".toml")));
  EXPECT_TRUE(equations.ok()) << render(equations.diagnostics());
  return on_overlay(*equations);
}

AuditedClaim verdict_on_motion(const Equations& eq, const std::string& entry, const Expr& value) {
  auto claiming = std::make_shared<Model>(*eq.model);
  Claim claim;
  claim.entry = MappedText::of(entry);
  claim.value = value;
  claim.text = written(value);
  claiming->claims = {std::move(claim)};
  Equations judged = eq;
  judged.model = std::move(claiming);
  const auto report = audit(judged);
  EXPECT_TRUE(report.ok()) << render(report.diagnostics());
  return report.ok() ? report->claims.at(0) : AuditedClaim{};
}

// What the equations determine, and the equations, in which all of it is linear.
struct MotionSystem {
  explicit MotionSystem(const Equations& eq) : graph(*eq.graph) {
    std::vector<int> driven = eq.model->actuated();
    for (int i = 0; i < eq.nv(); ++i) {
      rows.push_back(equation_of_motion(eq, i));
      if (std::find(driven.begin(), driven.end(), i) == driven.end())
        unknowns.push_back(eq.qdd[static_cast<std::size_t>(i)]);
    }
    for (int j = 0; j < eq.m(); ++j) {
      Expr row = eq.gamma[static_cast<std::size_t>(j)];
      for (int i = 0; i < eq.nv(); ++i)
        if (const Expr w = eq.W.find(j, i)) row = row + w * eq.qdd[static_cast<std::size_t>(i)];
      rows.push_back(row);
      unknowns.push_back(eq.lambda[static_cast<std::size_t>(j)]);
    }
    for (const int i : driven) unknowns.push_back(actuation_of(eq, i));
  }

  // By name, with what is free by name. Multipliers that are given are one more force, and constraints say nothing then.
  std::map<std::string, double> solve(const std::map<std::string, double>& at) const {
    const auto value_of = [&](SymbolId s) {
      const auto found = at.find(written(graph.symbol(s)));
      return found == at.end() ? 0.0 : found->second;
    };
    std::vector<Expr> wanted;
    for (const Expr& u : unknowns)
      if (!at.contains(written(u))) wanted.push_back(u);
    const std::size_t n = wanted.size();
    std::vector<std::vector<double>> a;
    for (std::size_t i = 0; i < n; ++i) {
      a.push_back(evaluate(gradient(rows[i], wanted), value_of));
      a.back().push_back(-evaluate(rows[i], value_of));  // with the unknowns at 0
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(a[i][k]) > std::abs(a[k][k])) std::swap(a[i], a[k]);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = n + 1; i != k && j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    std::map<std::string, double> values = at;
    for (std::size_t k = 0; k < n; ++k) values[written(wanted[k])] = a[k][n] / a[k][k];
    return values;
  }

  Graph& graph;
  std::vector<Expr> rows, unknowns;
};

void expect_numbers_of_the_point(const MotionSystem& system, const Expr& unknown, const Expr& claimed,
                                 const AuditedClaim& said) {
  ASSERT_TRUE(said.point);
  std::map<std::string, double> at;
  for (const auto& [name, value] : said.point->at) at[name] = value.to_double();
  int multipliers = 0, chosen = 0;
  for (const Expr& u : system.unknowns) {
    const bool multiplier = written(u).starts_with("lambda");
    multipliers += multiplier;
    chosen += multiplier && at.contains(written(u));
    EXPECT_TRUE(multiplier || !at.contains(written(u))) << written(u) << " is not free";
  }
  // All of them, in a claim about accelerations in terms of multipliers, or none.
  EXPECT_TRUE(chosen == 0 || chosen == multipliers) << chosen << " of " << multipliers;
  const auto motion = system.solve(at);
  const auto value_of = [&](SymbolId s) { return motion.at(written(system.graph.symbol(s))); };
  EXPECT_NEAR(said.point->correct, evaluate(unknown, value_of), 1e-7 * (1 + std::abs(said.point->correct)));
  EXPECT_NEAR(said.point->claimed, evaluate(claimed, value_of), 1e-7 * (1 + std::abs(said.point->claimed)));
  for (const auto& follower : said.point->follows)
    EXPECT_NEAR(follower.value, motion.at(follower.name), 1e-8 * (1 + std::abs(follower.value))) << follower.name;
}

class PrescribedMotion : public ::testing::TestWithParam<const char*> {};
TEST_P(PrescribedMotion, SumsOfEquationsAreNotDisprovedAndOnesWithoutActuationAreNotProved) {
  const Equations eq = shipped_equations(GetParam());
  const MotionSystem system(eq);
  std::mt19937 random(7);
  const std::size_t n = eq.qdd.size();
  for (int k = 0; k < 2; ++k) {
    // x_k by one of its equations, and others that are 0 on the motion, the driven one among them.
    const bool multiplier = eq.m() > 0 && random() % 2 == 0;
    const std::size_t at = random() % (multiplier ? static_cast<std::size_t>(eq.m()) : n);
    const Expr unknown = multiplier ? eq.lambda[at] : eq.qdd[at];
    std::size_t row = 0;
    while (row < system.rows.size() && gradient(system.rows[row], std::array{unknown})[0].is_zero()) ++row;
    if (row == system.rows.size()) continue;  // a steering angle without inertia
    const Expr slope = gradient(system.rows[row], std::array{unknown})[0];
    const auto driven = static_cast<std::size_t>(eq.model->actuated().front());
    const Expr right = unknown - system.rows[row] / slope + cos(eq.q[random() % n]) * system.rows[driven] +
                       sin(eq.q[random() % n]) * system.rows[random() % system.rows.size()];
    const std::string entry =
        multiplier ? "lambda[" + eq.rows[at] + "]" : "qdd[" + eq.model->coordinates[at].name + "]";
    const AuditedClaim truly = verdict_on_motion(eq, entry, right);
    EXPECT_NE(truly.verdict, ClaimVerdict::kDisproved) << entry << ": " << written(right);

    const Expr force = actuation_of(eq, static_cast<int>(driven));
    const Expr wrong = substitute(right, {{force.symbol(), system.graph.constant(0)}});
    const AuditedClaim falsely = verdict_on_motion(eq, entry, wrong);
    EXPECT_EQ(falsely.verdict, ClaimVerdict::kDisproved) << entry << ": " << written(wrong) << ": " << falsely.note;
    if (falsely.point) expect_numbers_of_the_point(system, unknown, wrong, falsely);
  }
}
INSTANTIATE_TEST_SUITE_P(Audit, PrescribedMotion, ::testing::Values("twistcar", "trailer"), [](const auto& model) {
  std::string name = model.param;
  std::erase(name, '-');
  return name;
});

// By hand: −sin θ eom[x] + cos θ eom[y] has λ alone, for the wheels stand across.
TEST(AuditPrescribed, AFewEquationsTogetherAreAProof) {
  const Equations eq = shipped_equations("twistcar");
  const MotionSystem system(eq);
  const Expr theta = eq.q[2], phi = eq.q[3];
  const Expr both = -sin(theta) * system.rows[0] + cos(theta) * system.rows[1];
  const Expr right = eq.lambda[0] + both;
  const AuditedClaim claim = verdict_on_motion(eq, "lambda[rear_wheels]", right);
  EXPECT_EQ(claim.verdict, ClaimVerdict::kProved);
  EXPECT_TRUE(claim.exact);
  EXPECT_THAT(claim.note, HasSubstr("it follows from eom[x] and eom[y]"));
  EXPECT_NE(verdict_on_motion(eq, "lambda[rear_wheels]", right + phi).verdict, ClaimVerdict::kProved);
}

// By hand: a cart that is dragged along, with a mass on a spring: m ẍ₂ = −k (x₂ − x₁), F₁ = M ẍ₁ + k (x₁ − x₂).
TEST(AuditPrescribed, AccelerationsOfPrescribedCoordinatesBelongToTheState) {
  const std::string text = R"toml(coordinates = ["x", "y"]
[parameters]
M = 2
m = 0.5
k = 3
[energy]
kinetic = "M*x'^2/2 + m*y'^2/2"
potential = "k*(y - x)^2/2"
[prescribed]
x = "sin(2*t)"
)toml";
  const auto derived = derive(std::make_shared<const Model>(*load_model(make_source("dragged.toml", text))));
  ASSERT_TRUE(derived.ok());
  const Equations eq = on_overlay(*derived);
  const Expr x = eq.q[0], y = eq.q[1];
  const auto parameter = [&](std::size_t i) { return eq.graph->adopt(eq.model->parameters[i].symbol); };
  const Expr M = parameter(0), m = parameter(1), k = parameter(2), force = actuation_of(eq, 0);
  EXPECT_EQ(verdict_on_motion(eq, "qdd[y]", -k * (y - x) / m).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on_motion(eq, "qdd[x]", (force - k * (x - y)) / M).verdict, ClaimVerdict::kProved);
  // Each alone would do with a row of its own; together they need the actuation in closed form.
  EXPECT_EQ(verdict_on_motion(eq, "qdd[y]", -(force - M * eq.qdd[0]) / m).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on_motion(eq, "qdd[y]", (force - M * eq.qdd[0]) / m).verdict, ClaimVerdict::kProved);
  // Nothing drives it: false, and at the point shown x'' is one of the numbers.
  const AuditedClaim alone = verdict_on_motion(eq, "qdd[x]", -k * (x - y) / M);
  EXPECT_EQ(alone.verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(alone.point);
  EXPECT_TRUE(std::ranges::any_of(alone.point->at, [](const auto& value) { return value.first == "x''"; }));
}

// By hand: ẍ₂ is not free where the claim has it; the point says what it is.
TEST(AuditPrescribed, APointTellsWhatFollows) {
  const Equations eq = shipped_equations("point-pendulum-3d");
  const MotionSystem system(eq);
  const Expr wrong = eq.qdd[2];
  const AuditedClaim said = verdict_on_motion(eq, "qdd[p1]", wrong);
  EXPECT_EQ(said.verdict, ClaimVerdict::kDisproved);
  expect_numbers_of_the_point(system, eq.qdd[0], wrong, said);
  ASSERT_EQ(said.point->follows.size(), 1u);
  EXPECT_EQ(said.point->follows[0].name, "p3''");
  EXPECT_DOUBLE_EQ(said.point->follows[0].value, said.point->claimed);
}

}  // namespace
}  // namespace dalembert
