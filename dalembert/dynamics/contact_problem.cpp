// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/groups.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/small_lu.h"

namespace dalembert {
namespace {

// A contact whose entry of A is below this fraction of W M⁻¹ Wᵀ without the bilateral rows cannot move: these rows hold it.
constexpr double kBlocked = 1e-12;
// A rate or acceleration of a gap below this fraction of its terms is round-off.
constexpr double kRoundOff = 1e-11;

}  // namespace

ContactProblem::ContactProblem(const Dynamics& closed)
    : closed_(closed), contacts_(*closed.contacts()), workspace_(closed), one_sided_(at(closed.m()), 0) {
  const Layout& layout = closed.layout();
  const std::size_t n = at(layout.nv);
  for (const Contacts::Contact& contact : contacts_.contacts) one_sided_[at(contact.row)] = 1;
  Groups groups(n);
  for (std::size_t k = 0; k < layout.M.row.size(); ++k) groups.join(at(layout.M.row[k]), at(layout.M.col[k]));
  std::vector<int> first_column(at(layout.m), -1);
  for (std::size_t k = 0; k < layout.W.row.size(); ++k) {
    const std::size_t row = at(layout.W.row[k]);
    if (one_sided_[row] != 0) continue;
    if (first_column[row] < 0) first_column[row] = layout.W.col[k];
    groups.join(at(first_column[row]), at(layout.W.col[k]));
  }
  component_.assign(n, -1);
  int count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    int& name = component_[groups.find(i)];
    if (name < 0) name = count++;
    component_[i] = name;
  }
  velocities_of_.resize(at(count));
  rows_of_.resize(at(count));
  for (std::size_t i = 0; i < n; ++i) velocities_of_[at(component_[i])].push_back(static_cast<int>(i));
  for (int r = 0; r < layout.m; ++r)
    if (one_sided_[at(r)] == 0 && first_column[at(r)] >= 0)
      rows_of_[at(component_[at(first_column[at(r)])])].push_back(r);
  components_of_.resize(contacts_.count());
  std::vector<int> contact_of(at(layout.m), -1);
  for (std::size_t k = 0; k < contacts_.count(); ++k) contact_of[at(contacts_.contacts[k].row)] = static_cast<int>(k);
  for (std::size_t k = 0; k < layout.W.row.size(); ++k)
    if (const int contact = contact_of[at(layout.W.row[k])]; contact >= 0)
      components_of_[at(contact)].push_back(component_[at(layout.W.col[k])]);
  for (std::vector<int>& list : components_of_) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  place_.assign(n, -1);
}

void ContactProblem::follow_inputs(const Workspace& run) {
  workspace_.held_inputs = run.held_inputs;
  evaluate_constant_inputs(closed_, workspace_);
}

void ContactProblem::measure(double t, const double* q, const double* v) {
  evaluate_position(closed_, t, q, workspace_);
  evaluate_velocity(closed_, t, q, workspace_);
  measure_rows(closed_, q, v, workspace_);
}

void ContactProblem::measure_gaps(double t, const double* q) { evaluate_position(closed_, t, q, workspace_); }

void ContactProblem::measure_rates(const double* q, const double* v) { measure_rows(closed_, q, v, workspace_); }

double ContactProblem::gap_slope(std::size_t k) const {
  double sum = 0;
  workspace_.W_rows.for_each(contacts_.contacts[k].row, workspace_.W, [&](int, double w) { sum += std::abs(w); });
  return sum;
}

std::vector<std::size_t> ContactProblem::coupled(const std::vector<std::size_t>& candidates,
                                                 const std::vector<std::size_t>& from) const {
  if (candidates.size() < 2) return candidates;
  Groups groups(velocities_of_.size());
  for (const std::size_t k : candidates)
    for (const int component : components_of_[k]) groups.join(at(components_of_[k].front()), at(component));
  std::vector<char> wanted(velocities_of_.size(), 0);
  for (const std::size_t k : from)
    for (const int component : components_of_[k]) wanted[groups.find(at(component))] = 1;
  std::vector<std::size_t> found;
  for (const std::size_t k : candidates)
    if (components_of_[k].empty() || wanted[groups.find(at(components_of_[k].front()))] != 0) found.push_back(k);
  return found;
}

// Collects the velocities and bilateral rows that the contacts are coupled to, and spreads M and W of them. False where they are too many.
bool ContactProblem::gather(const std::vector<std::size_t>& contacts) {
  taken_.assign(velocities_of_.size(), 0);
  for (const int i : velocities_) place_[at(i)] = -1;
  velocities_.clear();
  rows_.clear();
  for (const std::size_t k : contacts)
    for (const int component : components_of_[k]) {
      if (taken_[at(component)] != 0) continue;
      taken_[at(component)] = 1;
      velocities_.insert(velocities_.end(), velocities_of_[at(component)].begin(), velocities_of_[at(component)].end());
      rows_.insert(rows_.end(), rows_of_[at(component)].begin(), rows_of_[at(component)].end());
    }
  const std::size_t n = velocities_.size();
  if (!fits_dense(static_cast<int>(n), static_cast<int>(rows_.size() + contacts.size()))) return false;
  for (std::size_t i = 0; i < n; ++i) place_[at(velocities_[i])] = static_cast<int>(i);
  M_.assign(n * n, 0.0);
  W_.assign(rows_.size() * n, 0.0);
  G_.assign(contacts.size() * n, 0.0);
  const Pattern& M = closed_.layout().M;
  for (std::size_t k = 0; k < M.row.size(); ++k)
    if (place_[at(M.row[k])] >= 0) M_[at(place_[at(M.row[k])]) * n + at(place_[at(M.col[k])])] = workspace_.M[k];
  const auto spread = [&](int row, double* to) {
    workspace_.W_rows.for_each(row, workspace_.W, [&](int i, double w) { to[place_[at(i)]] = w; });
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) spread(rows_[r], W_.data() + r * n);
  for (std::size_t k = 0; k < contacts.size(); ++k) spread(contacts_.contacts[contacts[k]].row, G_.data() + k * n);
  return true;
}

// Computes free_, the motion without contact forces, from right_ (forces, then γ of the bilateral rows), and A with its scales.
ContactStatus ContactProblem::solve(const std::vector<std::size_t>& contacts) {
  const std::size_t n = velocities_.size(), m = rows_.size(), count = contacts.size();
  if (solver_ == nullptr || solver_->n() != static_cast<int>(n) || solver_->m() != static_cast<int>(m))
    solver_ = std::make_unique<KktSolver>(static_cast<int>(n), static_cast<int>(m));
  if (solver_->factor(M_.data(), W_.data()) != KktStatus::kOk) return ContactStatus::kSingular;
  zero_.assign(m, 0.0);
  unused_.resize(m);
  free_.resize(n);
  response_.resize(count * n);
  solver_->solve(right_.data(), right_.data() + n, free_.data(), unused_.data());
  for (std::size_t k = 0; k < count; ++k)
    solver_->solve(G_.data() + k * n, zero_.data(), response_.data() + k * n, unused_.data());
  A_.resize(count * count);
  scale_.resize(count);
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += G_[j * n + i] * response_[k * n + i];
      A_[j * count + k] = sum;
    }
  for (std::size_t k = 0; k < count; ++k) {
    double alone = 0;  // a lower bound of W M⁻¹ Wᵀ without the bilateral rows
    for (std::size_t i = 0; i < n; ++i)
      if (M_[i * n + i] > 0) alone = std::max(alone, G_[k * n + i] * G_[k * n + i] / M_[i * n + i]);
    const double entry = A_[k * count + k];
    scale_[k] = entry > kBlocked * alone ? 1 / std::sqrt(entry) : 0;
  }
  return ContactStatus::kOk;
}

ContactStatus ContactProblem::accelerate(double t, const double* q, const double* v,
                                         const std::vector<std::size_t>& contacts) {
  const std::size_t count = contacts.size();
  evaluate_rates(closed_, t, q, v, workspace_);
  if (!gather(contacts)) return ContactStatus::kTooLarge;
  const std::size_t n = velocities_.size();
  right_.resize(n + rows_.size());
  for (std::size_t i = 0; i < n; ++i) right_[i] = workspace_.f[at(velocities_[i])];
  for (std::size_t r = 0; r < rows_.size(); ++r) right_[n + r] = workspace_.gamma[at(rows_[r])];
  if (const ContactStatus status = solve(contacts); status != ContactStatus::kOk) return status;
  b_.resize(count);
  left_size_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    double sum = workspace_.gamma[at(contacts_.contacts[contacts[k]].row)], size = std::abs(sum);
    for (std::size_t i = 0; i < n; ++i) {
      const double term = G_[k * n + i] * free_[i];
      sum += term;
      size += std::abs(term);
    }
    b_[k] = sum;
    left_size_[k] = size;
  }
  return complement(contacts);
}

// Solves (1) for b_, scaled so that the diagonal of A is 1.
ContactStatus ContactProblem::complement(const std::vector<std::size_t>& contacts) {
  const std::size_t count = contacts.size();
  std::vector<double>&A = scaled_A_, &b = scaled_b_;
  A.resize(count * count);
  b.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    const double own = scale_[j] > 0 ? scale_[j] : 1;
    b[j] = b_[j] * own;
    // A contact that the bilateral rows hold must not be asked to move; round-off of its b does not ask.
    if (scale_[j] == 0 && b[j] < 0) {
      if (b_[j] < -kRoundOff * left_size_[j]) {
        violated_ = contacts[j];
        return ContactStatus::kNone;
      }
      b[j] = 0;
    }
    for (std::size_t k = 0; k < count; ++k) A[j * count + k] = A_[j * count + k] * scale_[j] * scale_[k];
  }
  multiplier_.assign(count, 0.0);
  left_.assign(count, 0.0);
  multiplier_size_.assign(count, 0.0);
  if (!complementarity_.solve(A, b)) {
    violated_ = contacts[static_cast<std::size_t>(std::ranges::min_element(b) - b.begin())];
    return ContactStatus::kNone;
  }
  for (std::size_t k = 0; k < count; ++k) {
    multiplier_[k] = complementarity_.z()[k] * scale_[k];
    left_[k] = complementarity_.w()[k] / (scale_[k] > 0 ? scale_[k] : 1);
    multiplier_size_[k] = left_size_[k] * scale_[k] * scale_[k];
  }
  return ContactStatus::kOk;
}

// Solves for the impulses of these contacts alone, of either sign. False where they are redundant.
bool ContactProblem::press(const std::vector<char>& pressed) {
  const std::size_t count = pressed.size();
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < count; ++k)
    if (pressed[k] != 0) some.push_back(k);
  SmallLu matrix;
  matrix.resize(some.size());
  std::vector<double> impulse;
  for (std::size_t j = 0; j < some.size(); ++j) {
    const double own = scale_[some[j]];
    if (own == 0) return false;
    impulse.push_back(-b_[some[j]] * own);
    for (std::size_t k = 0; k < some.size(); ++k) matrix(j, k) = A_[some[j] * count + some[k]] * own * scale_[some[k]];
  }
  if (!matrix.factor(kRoundOff)) return false;
  matrix.solve(impulse.data());
  multiplier_.assign(count, 0.0);
  for (std::size_t k = 0; k < some.size(); ++k) multiplier_[some[k]] = impulse[k] * scale_[some[k]];
  return true;
}

// Adds to v what the multipliers of the last complement() do.
void ContactProblem::apply_multipliers(double* v) {
  const std::size_t n = velocities_.size();
  std::fill_n(right_.begin(), n, 0.0);
  for (std::size_t k = 0; k < multiplier_.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) right_[i] += G_[k * n + i] * multiplier_[k];
  solver_->solve(right_.data(), right_.data() + n, free_.data(), unused_.data());
  for (std::size_t i = 0; i < n; ++i) v[velocities_[i]] += free_[i];
}

// Takes the velocities that are held out of the matrices of the last gather().
void ContactProblem::hold(const std::vector<bool>& held) {
  const std::size_t n = velocities_.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!held[at(velocities_[i])]) continue;
    for (std::size_t j = 0; j < n; ++j) M_[i * n + j] = M_[j * n + i] = i == j ? 1 : 0;
    for (std::size_t r = i; r < W_.size(); r += n) W_[r] = 0;
    for (std::size_t r = i; r < G_.size(); r += n) G_[r] = 0;
  }
}

ContactStatus ContactProblem::push(double t, const double* q, double* v, const std::vector<std::size_t>& contacts,
                                   const std::vector<double>& rates, const std::vector<bool>& held) {
  evaluate_mass(closed_, t, q, v, workspace_);
  if (!gather(contacts)) return ContactStatus::kTooLarge;
  hold(held);
  right_.assign(velocities_.size() + rows_.size(), 0.0);
  if (const ContactStatus status = solve(contacts); status != ContactStatus::kOk) return status;
  b_ = rates;
  left_size_.resize(b_.size());
  for (std::size_t k = 0; k < b_.size(); ++k) {
    left_size_[k] = rate_size(contacts[k]);
    if (scale_[k] == 0) b_[k] = std::max(b_[k], 0.0);  // nothing that is not held moves it
  }
  if (const ContactStatus status = complement(contacts); status != ContactStatus::kOk) return status;
  apply_multipliers(v);
  return ContactStatus::kOk;
}

ContactStatus ContactProblem::strike(double t, const double* q, double* v, const std::vector<std::size_t>& contacts,
                                     const std::vector<double>& e, const Like* like) {
  const std::size_t count = contacts.size();
  evaluate_mass(closed_, t, q, v, workspace_);
  if (!gather(contacts)) return ContactStatus::kTooLarge;
  const std::size_t n = velocities_.size(), m = rows_.size();
  right_.assign(n + m, 0.0);
  if (const ContactStatus status = solve(contacts); status != ContactStatus::kOk) return status;
  b_.resize(count);
  left_size_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double before = rate(contacts[k]);
    b_[k] = (like != nullptr ? like->approached[k] != 0 : before < 0) ? (1 + e[k]) * before : before;
    left_size_[k] = rate_size(contacts[k]);
  }
  if (like == nullptr || !press(like->pressed))
    if (const ContactStatus status = complement(contacts); status != ContactStatus::kOk) return status;
  apply_multipliers(v);
  impulses_.assign(at(closed_.m()), 0.0);
  for (std::size_t r = 0; r < m; ++r) impulses_[at(rows_[r])] = unused_[r];
  for (std::size_t k = 0; k < count; ++k) impulses_[at(contacts_.contacts[contacts[k]].row)] = multiplier_[k];
  return ContactStatus::kOk;
}

namespace {

// Gaps and their rates at a state, of all contacts.
struct Measured {
  Dynamics closed;
  ContactProblem problem;
  Measured(const Dynamics& dynamics, const State& state)
      : closed(dynamics.with_all_contacts_closed()), problem(closed) {
    problem.measure(state.t, state.q.data(), state.v.data());
  }
};

// Decides which of the contacts at rest stay closed, together with the modes of the frictions.
void decide_with_friction(const Dynamics& all_closed, const State& state, const std::vector<std::size_t>& resting,
                          ContactDecision& decision) {
  // A friction is at rest if its sliding speed is below this, in its own unit.
  constexpr double kAtRest = 1e-12;
  const Contacts& contacts = *all_closed.contacts();
  Workspace workspace(all_closed);
  FrictionSystem& friction = *workspace.friction;
  friction.evaluate(all_closed, state.t, state.q.data(), state.v.data(), workspace);
  if (friction.has_negative_inertia()) {
    decision.status = ContactStatus::kSingular;
    return;
  }
  std::vector<char> at_rest;
  friction.find_at_rest(kAtRest, at_rest);
  for (const Contacts::Contact& contact : contacts.contacts) friction.acts[static_cast<std::size_t>(contact.row)] = 0;
  std::vector<int> rows;
  for (const std::size_t k : resting) rows.push_back(contacts.contacts[k].row);
  decision.answer = friction.decide_with_contacts(rows, -1, at_rest);
  if (decision.answer.solutions.size() != 1) {
    decision.status = ContactStatus::kParadox;
    return;
  }
  for (const std::size_t k : resting)
    decision.closed[k] = decision.answer.solutions.front().acts[static_cast<std::size_t>(contacts.contacts[k].row)];
}

}  // namespace

ContactDecision decide_contacts(const Dynamics& dynamics, const State& state, double tolerance) {
  ContactDecision decision;
  if (dynamics.contacts() == nullptr) return decision;
  const Contacts& contacts = *dynamics.contacts();
  Measured measured(dynamics, state);
  ContactProblem& problem = measured.problem;
  decision.closed.assign(contacts.count(), 0);
  std::vector<std::size_t> resting;
  for (std::size_t k = 0; k < contacts.count(); ++k) {
    if (!(problem.gap(k) <= std::max(tolerance, 64 * kEps * problem.gap_size(k)))) continue;
    const double noise = std::max(tolerance, 64 * kEps * problem.rate_size(k));
    if (problem.rate(k) < -noise) decision.closing.push_back(contacts.contacts[k].row);
    if (std::abs(problem.rate(k)) <= noise) resting.push_back(k);
  }
  if (resting.empty()) return decision;
  if (dynamics.layout().load_dependent()) {
    decide_with_friction(measured.closed, state, resting, decision);
    return decision;
  }
  decision.status = problem.accelerate(state.t, state.q.data(), state.v.data(), resting);
  if (decision.status == ContactStatus::kNone) decision.violated = contacts.contacts[problem.violated()].row;
  for (std::size_t i = 0; decision.status == ContactStatus::kOk && i < resting.size(); ++i)
    decision.closed[resting[i]] = problem.left()[i] <= kRoundOff * problem.left_size()[i] ? 1 : 0;
  return decision;
}

Dynamics with_contacts_decided(const Dynamics& dynamics, const State& state, double tolerance) {
  if (dynamics.contacts() == nullptr) return dynamics;
  const ContactDecision decision = decide_contacts(dynamics, state, tolerance);
  return decision.status == ContactStatus::kOk ? dynamics.with_contacts(decision.closed) : dynamics;
}

std::string describe(ContactStatus status, const std::string& contact, const std::string& where) {
  switch (status) {
    case ContactStatus::kOk:
    case ContactStatus::kParadox:
      break;
    case ContactStatus::kNone:
      return fmt::format("no motion keeps the contact `{}` and the other constraints {}", contact, where);
    case ContactStatus::kSingular:
      return fmt::format(
          "the contacts cannot be decided {}: a motion that the constraints allow has no positive inertia", where);
    case ContactStatus::kTooLarge:
      return fmt::format("the contacts cannot be decided {}: they couple too many velocities for a dense matrix",
                         where);
  }
  return {};
}

std::vector<double> gaps_of(const Dynamics& dynamics, const State& state) {
  const Measured measured(dynamics, state);
  std::vector<double> gaps;
  for (std::size_t k = 0; k < dynamics.contacts()->count(); ++k) gaps.push_back(measured.problem.gap(k));
  return gaps;
}

Penetration find_penetration(const Dynamics& dynamics, const State& state, double tolerance) {
  Penetration found;
  if (dynamics.contacts() == nullptr) return found;
  const Contacts& contacts = *dynamics.contacts();
  const Measured measured(dynamics, state);
  const ContactProblem& problem = measured.problem;
  for (std::size_t k = 0; k < contacts.count(); ++k) {
    const double gap = problem.gap(k);
    if (!(gap < -std::max(tolerance, 64 * kEps * problem.gap_size(k)))) continue;
    if (found.row >= 0 && gap >= found.gap) continue;
    found.row = contacts.contacts[k].row;
    found.gap = gap;
  }
  return found;
}

}  // namespace dalembert
