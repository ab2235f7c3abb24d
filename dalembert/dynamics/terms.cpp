// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/terms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

Terms evaluate_terms(const Dynamics& dynamics, const State& state) {
  const Layout& layout = dynamics.layout();
  std::vector<double> work(layout.work), u(static_cast<std::size_t>(layout.inputs));
  dynamics.inputs(state.t, work.data(), u.data());
  KernelArguments in{.t = state.t,
                     .q = state.q.data(),
                     .v = state.v.data(),
                     .u = u.data(),
                     .p = dynamics.parameters().data(),
                     .prepared = dynamics.prepared(),
                     .work = work.data()};

  std::vector<double> out(output_size(layout, KernelFunction::kTerms));
  if (dynamics.contacts() != nullptr) {
    // The rows of open contacts are evaluated too.
    const Dynamics closed = dynamics.with_all_contacts_closed();
    KernelArguments all = in;
    all.p = closed.parameters().data();
    all.prepared = closed.prepared();
    closed.kernel().call(KernelFunction::kTerms, all, out.data());
  } else {
    dynamics.kernel().call(KernelFunction::kTerms, in, out.data());
  }
  const TermsPlaces at(layout);
  const auto take = [&](std::size_t begin, std::size_t end) {
    return std::vector<double>(out.data() + begin, out.data() + end);
  };
  Terms terms;
  terms.M = take(at.M, at.B);
  terms.B = take(at.B, at.G);
  terms.G = take(at.G, at.F);
  terms.F = take(at.F, at.W);
  terms.W = take(at.W, at.a);
  terms.a = take(at.a, at.gamma);
  terms.gamma = take(at.gamma, at.end);

  terms.energy = energy(dynamics, state);
  terms.solution = solve_kkt(dynamics, state);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> no_qdd(static_cast<std::size_t>(layout.nv), nan);
  std::vector<double> multipliers(static_cast<std::size_t>(layout.multipliers()), nan);
  if (terms.has_motion()) {
    const auto rest = std::copy(terms.solution.lambda.begin(), terms.solution.lambda.end(), multipliers.begin());
    std::copy(terms.solution.friction.begin(), terms.solution.friction.end(), rest);
  }
  in.qdd = terms.has_motion() ? terms.solution.qdd.data() : no_qdd.data();
  in.lambda = multipliers.data();
  terms.outputs.resize(static_cast<std::size_t>(layout.outputs));
  if (layout.outputs > 0) dynamics.kernel().call(KernelFunction::kOutputs, in, terms.outputs.data());
  return terms;
}

std::vector<std::string> not_finite(const Dynamics& dynamics, const Terms& terms) {
  const std::vector<std::string>&motion = dynamics.names().of_motion(), &rows = dynamics.names().rows;
  std::vector<std::string> names;
  const auto look_at = [&](const char* name, const std::vector<double>& values, const std::vector<std::string>& of) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) names.push_back(fmt::format("{}[{}]", name, of[i]));
  };
  const auto look_into = [&](const char* name, const std::vector<double>& values, const Pattern& pattern,
                             const std::vector<std::string>& of) {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        names.push_back(fmt::format("{}[{},{}]", name, of[static_cast<std::size_t>(pattern.row[k])],
                                    motion[static_cast<std::size_t>(pattern.col[k])]));
  };
  const Layout& layout = dynamics.layout();
  look_into("M", terms.M, layout.M, motion);
  look_at("B", terms.B, motion);
  look_at("G", terms.G, motion);
  look_at("F", terms.F, motion);
  look_into("W", terms.W, layout.W, rows);
  look_at("a", terms.a, rows);
  look_at("gamma", terms.gamma, rows);
  if (!std::isfinite(terms.energy.kinetic)) names.emplace_back("T");
  if (!std::isfinite(terms.energy.potential)) names.emplace_back("V");
  return names;
}

namespace {

std::string say_no_inertia(const std::vector<std::string>& named) {
  return fmt::format("{} {} no inertia, and the constraints do not determine {}", join_words(named),
                     named.size() == 1 ? "has" : "have", named.size() == 1 ? "it" : "them");
}

}  // namespace

std::string explain_no_inertia(const Dynamics& dynamics, const Terms& terms) {
  const Layout& layout = dynamics.layout();
  const auto n = static_cast<std::size_t>(layout.nv);
  const std::vector<std::string>& names = dynamics.names().of_motion();
  std::vector<bool> inert(n), constrained(n);
  for (std::size_t k = 0; k < terms.M.size(); ++k)
    if (terms.M[k] != 0) inert[static_cast<std::size_t>(layout.M.row[k])] = true;
  for (std::size_t k = 0; k < terms.W.size(); ++k)
    if (terms.W[k] != 0) constrained[static_cast<std::size_t>(layout.W.col[k])] = true;
  // A motion of such a coordinate alone is allowed if it is in no constraint, and then it is certainly the cause.
  std::vector<std::string> negative, maybe;
  for (std::size_t k = 0; k < terms.M.size(); ++k) {
    const auto i = static_cast<std::size_t>(layout.M.row[k]);
    if (layout.M.row[k] != layout.M.col[k] || !(terms.M[k] < 0)) continue;
    (constrained[i] ? maybe : negative).push_back(fmt::format("M[{0},{0}] = {1}", names[i], to_text(terms.M[k], 6)));
  }
  if (!negative.empty())
    return fmt::format("{} {} negative, so the mass matrix is not positive definite", join_words(negative),
                       negative.size() == 1 ? "is" : "are");
  // A massless coordinate in no constraint is certainly the cause. A massless one in a constraint may be.
  std::vector<std::string> free, all;
  for (std::size_t i = 0; i < n; ++i) {
    if (inert[i]) continue;
    all.push_back(names[i]);
    if (!constrained[i]) free.push_back(all.back());
  }
  if (free.empty() && !maybe.empty())
    return fmt::format("{} {} negative, and so may be the inertia of a motion that the constraints allow",
                       join_words(maybe), maybe.size() == 1 ? "is" : "are");
  const std::vector<std::string>& named = free.empty() ? all : free;
  if (named.empty()) return "some motion that the constraints allow has no inertia, or a negative one";
  return say_no_inertia(named);
}

std::string explain_undetermined(const Dynamics& dynamics, const Terms& terms) {
  const Layout& layout = dynamics.layout();
  std::vector<bool> determined(static_cast<std::size_t>(layout.nv)), rubs = determined;
  const auto note = [&](int i) { determined[static_cast<std::size_t>(i)] = true; };
  for (std::size_t k = 0; k < terms.M.size(); ++k)
    if (terms.M[k] != 0) note(layout.M.row[k]), note(layout.M.col[k]);
  for (std::size_t k = 0; k < terms.W.size(); ++k)
    if (terms.W[k] != 0) note(layout.W.col[k]);
  for (const int i : layout.C.col) rubs[static_cast<std::size_t>(i)] = true;
  std::vector<std::string> free, rubbing;
  for (std::size_t i = 0; i < determined.size(); ++i)
    if (!determined[i]) (rubs[i] ? rubbing : free).push_back(dynamics.names().of_motion()[i]);
  if (!free.empty()) return say_no_inertia(free);
  if (rubbing.empty()) return {};
  return fmt::format("{} {} no inertia, and neither the constraints nor a friction that slides determine {}",
                     join_words(rubbing), rubbing.size() == 1 ? "has" : "have", rubbing.size() == 1 ? "it" : "them");
}

// Modified Gram–Schmidt on rows scaled to norm 1.
std::vector<int> dependent_rows(const Dynamics& dynamics, const State& state) {
  Workspace workspace(dynamics);
  evaluate_velocity(dynamics, state.t, state.q.data(), workspace);
  const auto n = static_cast<std::size_t>(dynamics.nv());
  const double tolerance = 1e-8;
  std::vector<std::vector<double>> basis;
  std::vector<int> dependent;
  const auto norm = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum);
  };
  for (int r = 0; r < dynamics.m(); ++r) {
    std::vector<double> row(n);
    workspace.W_rows.for_each(r, workspace.W, [&](int i, double w) { row[static_cast<std::size_t>(i)] = w; });
    const double length = norm(row);
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : basis) {
        double product = 0;
        for (std::size_t i = 0; i < n; ++i) product += row[i] * other[i];
        for (std::size_t i = 0; i < n; ++i) row[i] -= product * other[i];
      }
    }
    const double rest = norm(row);
    if (!(rest > tolerance * length)) {
      dependent.push_back(r);
      continue;
    }
    for (double& value : row) value /= rest;
    basis.push_back(std::move(row));
  }
  return dependent;
}

int last_freedom_row(const Dynamics& dynamics, const State& state) {
  constexpr int kLargest = 1000;  // limit of the quadratic cost of dependent_rows()
  const int n = dynamics.nv(), m = dynamics.m();
  if (m < n || m > kLargest) return -1;
  const std::vector<int> dependent = dependent_rows(dynamics, state);
  if (m - static_cast<int>(dependent.size()) < n) return -1;
  for (int row = m - 1; row >= 0; --row)
    if (std::ranges::find(dependent, row) == dependent.end()) return row;
  return -1;
}

}  // namespace dalembert
