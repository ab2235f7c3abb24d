// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kkt_tapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/solve_in_kernel.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/tape/tape_passes.h"
#include "source_tree.h"

namespace dalembert {
namespace {

Equations shipped(const std::string& model, const std::vector<std::string>& overrides = {}) {
  LoadOptions options;
  for (const std::string& text : overrides) options.overrides.push_back(parse_override(text).value());
  Result<Model> loaded = load_model_file(source_tree() + "/models/" + model + ".toml", options);
  EXPECT_TRUE(loaded);
  Result<Equations> equations = derive(std::make_shared<Model>(std::move(loaded).value()));
  EXPECT_TRUE(equations);
  return std::move(equations).value();
}

// The most divisions one after the other that some acceleration or multiplier waits for, parameters given.
int divisions_in_a_row(const std::string& model, const std::vector<std::string>& overrides = {}) {
  const Equations equations = shipped(model, overrides);
  auto tapes = make_kkt_tapes(equations);
  EXPECT_TRUE(tapes);
  Tape& tape = tapes->accelerations;
  split_preparation(tape, 0);
  std::vector<int> divisions(tape.registers);
  int most = 0;
  for (const Instruction& at : tape.instructions) {
    int before = 0;
    for_each_read(at, [&](std::uint32_t value) { before = std::max(before, divisions[value]); });
    const RegisterUse use = register_use(at);
    const bool divides = at.op == TapeOp::kDivide || at.op == TapeOp::kDivideInto;
    if (use.writes_dst) divisions[at.dst] = before + (divides ? 1 : 0);
    if (use.writes_b) divisions[at.b] = before;
    const auto unknowns = static_cast<std::uint32_t>(equations.n() + equations.m());
    if (at.op == TapeOp::kOutput && at.dst < unknowns) most = std::max(most, before);
  }
  return most;
}

// What is too large to be written is refused by this before anything is written. Oracle: the tapes.
TEST(KktTapes, AreKnownToExistBeforeTheyAreMade) {
  for (const auto& [model, links] : {std::pair("n-link-chain", "N=130"), std::pair("n-link-chain", "N=12"),
                                     std::pair("n-link-chain-maximal", "N=30")}) {
    const Equations equations = shipped(model, {links});
    EXPECT_EQ(has_kkt_tapes(equations), make_kkt_tapes(equations).has_value()) << model << " " << links;
  }
  EXPECT_FALSE(has_kkt_tapes(shipped("n-link-chain", {"N=130"})));
  EXPECT_TRUE(has_kkt_tapes(shipped("n-link-chain-maximal", {"N=30"})));
}

// Counted on paper: what is eliminated last does not wait for the division before it.
//   slider-crank: det M, det S at the same time.
//   Andrews: the inverse of M's blocks, then of two pairs of rows, then of the third with the second.
//   A chain of 11 in maximal coordinates, whose M is constant: five pairs from each end, the last with the middle one.
TEST(KktTapes, FewDivisionsWaitForEachOther) {
  EXPECT_EQ(divisions_in_a_row("slider-crank"), 1);
  EXPECT_LE(divisions_in_a_row("andrews-squeezer"), 3);
  EXPECT_LE(divisions_in_a_row("n-link-chain-maximal", {"N=11"}), 6);
}

// Which coordinates have a common inertia, which rows which coordinates, what is constant: all of it by chance.
Equations random_structure(std::mt19937& random) {
  const auto chance = [&](double share) { return std::uniform_real_distribution<>(0, 1)(random) < share; };
  Model model("random");
  const int n = 2 + static_cast<int>(random() % 4), m = std::min(n, 1 + static_cast<int>(random() % 3));
  std::vector<Coordinate> q;
  for (int i = 0; i < n; ++i) q.push_back(model.coordinate("q" + std::to_string(i + 1)));
  const auto any = [&] { return q[random() % q.size()].q; };
  for (int i = 0; i < n; ++i) {
    const auto& x = q[static_cast<std::size_t>(i)];
    model.kinetic((chance(0.5) ? 1 + square(any()) : 1 + 0 * any()) * square(x.qd) * (1 + i) / 2);
    model.potential(square(x.q) * any());
    if (i > 0 && chance(0.5))
      model.kinetic((chance(0.5) ? cos(any()) : 1 + 0 * any()) * x.qd * q[random() % static_cast<std::size_t>(i)].qd /
                    4);
  }
  // A coordinate without inertia, whose rate a row gives alone.
  const bool with_given = chance(0.3);
  const std::optional<Coordinate> given = with_given ? std::optional(model.coordinate("z")) : std::nullopt;
  if (given) model.potential(given->q * any());
  std::vector<Expr> rows;
  for (int r = 0; r < m; ++r) {
    Expr row = given && chance(0.5) ? (1 + square(given->q)) * given->qd : 0 * any();
    for (int i = 0; i < n; ++i)
      if (chance(0.6) || i == r)
        row = row + (chance(0.6) ? 1 + square(any()) / 3 : 1 + r + i + 0 * any()) * q[static_cast<std::size_t>(i)].qd;
    rows.push_back(row);
  }
  const bool holds_level = chance(0.5);
  if (given && holds_level) model.holonomic("level", {4 * given->q - 1});
  if (given && !holds_level)
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(random() % rows.size()), -2 * given->qd);
  model.pfaffian("row", rows);
  const auto equations = derive(std::make_shared<Model>(std::move(model)));
  EXPECT_TRUE(equations) << equations.diagnostics().front().message;
  return *equations;
}

// Truth: the rank-revealing solver, which knows nothing of the order of elimination, of pairs of rows, and of what is
// multiplied by which pivot. Of accelerations, and of the step that takes velocities back to their rows; of some
// structures by machine code.
TEST(KktTapes, AnyStructureIsSolvedAsByTheRankRevealingSolver) {
  std::mt19937 random(7);
  int trusted = 0, with_levels = 0;
  constexpr int kCount = 300, kInCode = 20;
  for (int k = 0; k < kCount; ++k) {
    const Dynamics dynamics = compile(random_structure(random), {.machine_code = k < kInCode});
    dynamics.kernel().expect_many_calls();
    const auto nv = static_cast<std::size_t>(dynamics.nv()), m = static_cast<std::size_t>(dynamics.m());
    ASSERT_TRUE(dynamics.kernel().solves_kkt()) << k;
    Workspace workspace(dynamics);
    workspace.find_code(dynamics.kernel());
    std::vector<double> q(nv), v(nv), qdd(nv), lambda(m), expected(nv), expected_lambda(m);
    for (std::vector<double>* x : {&q, &v})
      for (double& value : *x) value = std::uniform_real_distribution<>(-1.5, 1.5)(random);
    if (!solve_in_kernel(dynamics, 0, q.data(), v.data(), workspace, qdd.data(), lambda.data())) continue;
    ++trusted;
    const double loss = std::max(workspace.loss, 1.0);
    const auto expect_near = [&](const double* found, const std::vector<double>& truth, double size) {
      for (std::size_t i = 0; i < truth.size(); ++i)
        EXPECT_NEAR(found[i], truth[i], 1e-12 * size * loss) << "structure " << k;
    };
    const auto size_of = [](const std::vector<double>& x, double size) {
      for (const double value : x) size = std::max(size, std::abs(value));
      return size;
    };
    ASSERT_EQ(solve_kkt_densely(dynamics, 0, q.data(), v.data(), workspace, expected.data(), expected_lambda.data()),
              KktStatus::kOk);
    const double size = size_of(expected, size_of(expected_lambda, 1));
    expect_near(qdd.data(), expected, size);
    expect_near(lambda.data(), expected_lambda, size);

    call_kernel(dynamics, KernelFunction::kVelocityStep, 0, q.data(), v.data(), workspace, workspace.out.data());
    const VelocityStepPlaces at(dynamics.layout());
    const std::vector<double> out = workspace.out;
    evaluate_velocity_residual(dynamics, 0, q.data(), v.data(), workspace);
    expect_near(out.data(), workspace.residual, size_of(workspace.residual, 1));
    DenseWorkspace& dense = *workspace.dense(dynamics);
    ASSERT_EQ(dense.kkt.factor(dense.M.data(), dense.W.data()), KktStatus::kOk);
    ASSERT_EQ(
        dense.kkt.solve(workspace.zero.data(), workspace.residual.data(), expected.data(), expected_lambda.data()),
        KktStatus::kOk);
    expect_near(out.data() + at.step, expected, size_of(expected, size_of(workspace.residual, 1)));
    expect_near(out.data() + at.W, workspace.W, size_of(workspace.W, 1));

    // The one level is 4 z − 1, and z the last coordinate.
    if (dynamics.layout().holonomic.empty()) continue;
    ++with_levels;
    call_kernel(dynamics, KernelFunction::kPositionStep, 0, q.data(), v.data(), workspace, workspace.out.data());
    for (std::size_t i = 0; i < nv; ++i) EXPECT_EQ(workspace.out[2 + i], i + 1 == nv ? 0.25 - q[i] : 0.0) << k;
  }
  EXPECT_GT(trusted, kCount / 2);
  EXPECT_GT(with_levels, 20);
}

}  // namespace
}  // namespace dalembert
