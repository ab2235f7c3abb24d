// SPDX-License-Identifier: Apache-2.0
// Tangents by exact derivatives of the functions of the system (tangents.h), where it has them.
#include <algorithm>
#include <array>
#include <limits>

#include "dalembert/base/aligned.h"
#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/integrate/lanes.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {
namespace {

// So many steps of the run are passed at once, at most: the iteration of collocation converges slowly over many.
constexpr std::size_t kMostAtOnce = 6;

// A point beyond the end of a step by this fraction of it is within: round-off of a sum of lengths.
constexpr double kWithin = 1 + 1e-9;

alignas(64) constexpr std::array<double, Collocation::kLanes> kOnes{1, 1, 1, 1, 1, 1, 1, 1};
static_assert(Collocation::kLanes == ExactDerivatives::kLanes && Collocation::kMostNodes < ExactDerivatives::kLanes);

}  // namespace

void Tangents::prepare_exactly() {
  if (options_.derivatives == nullptr) return;
  exact_ = std::make_unique<ExactDerivatives>(*options_.derivatives, own_, of_own_.workspace);
  exact_->use_parameters();
  direction_.assign(index(exact_->columns().end), 0.0);
  moving_entries_.resize(tangent_.size());
  const RunDerivatives::Columns& columns = exact_->columns();
  std::vector<std::size_t> owner;  // the quantity of each parameter
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    const std::size_t first = owner.size();
    owner.insert(owner.end(), quantities_[k].parameters.size(), k);
    moved_.push_back({first, owner.size()});
  }
  const std::size_t nq = index(nq_);
  std::vector<std::vector<Collocation::Entry>> of_inputs(index(columns.p - columns.u));
  // Columns of the state are those of A; b is the product with those of inputs and parameters.
  const auto take = [&](RunDerivatives::Part part, int rows, std::size_t first_row) {
    const Pattern& pattern = exact_->pattern(part);
    for (std::size_t k = 0; k < pattern.row.size(); ++k) {
      if (pattern.row[k] >= rows) continue;
      const int column = pattern.col[k];
      const Collocation::Entry entry{first_row + index(pattern.row[k]), index(column), exact_->entry(part, k)};
      if (column < columns.qdd)
        exact_entries_.push_back(entry);
      else if (column >= columns.p && index(column - columns.p) < owner.size())
        moving_entries_[owner[index(column - columns.p)]].push_back(entry);
      else if (column >= columns.u && column < columns.p)
        of_inputs[index(column - columns.u)].push_back(entry);
    }
  };
  if (own_.layout().v_is_qdot)
    for (std::size_t i = 0; i < nq; ++i) exact_entries_.push_back({i, nq + i, kOnes.data()});
  else
    take(RunDerivatives::Part::kRates, nq_, 0);
  take(RunDerivatives::Part::kAccelerations, nv_, nq);
  std::ranges::stable_sort(exact_entries_, {}, &Collocation::Entry::row);
  // A quantity moves what its inputs move, then what its parameters move.
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::vector<Collocation::Entry> entries;
    for (const std::size_t input : exact_->inputs_of(moved_[k]))
      entries.insert(entries.end(), of_inputs[input].begin(), of_inputs[input].end());
    moving_entries_[k].insert(moving_entries_[k].begin(), entries.begin(), entries.end());
  }
}

// Whether exact derivatives apply within a step. They choose branches by the state; the last of Radau's nodes is the end of the step.
bool Tangents::is_exact_within() const {
  return exact_ != nullptr && of_own_.workspace.basis.all && (!method().facts().implicit || is_exact_at_ends());
}

// Whether they apply at the end of the step: not where a branch may end, which needs the branch of the step, nor where an event ends the run at an instant
// that moves.
bool Tangents::is_exact_at_ends() const {
  return exact_ != nullptr && !end_moves_ && of_own_.workspace.basis.all && of_own_.workspace.position_basis.all &&
         (branches_ == nullptr || branches_->first_of_friction() == 0 || !at_change_);
}

// The rule for the present step. Nodes cost little where derivatives are exact: they lie beside each other in lanes. An integrand is evaluated at each.
Collocation& Tangents::collocation_within() {
  if (method().facts().implicit) return stiff_;
  return is_exact_within() && integrals_ == nullptr ? fine_ : collocation_;
}

// Whether the end of each step is a row that needs derivatives.
bool Tangents::steps_are_rows() const {
  return options_.output_times.empty() && options_.output_step == 0 && !options_.sensitivities_at_end;
}

// How many steps of the run lie between at_ and a point of the present one.
double Tangents::steps_until(double t) const {
  const auto within = [&](double from, double length) {
    return std::clamp((t - from) / length, 0.0, 1.0) - std::clamp((at_ - from) / length, 0.0, 1.0);
  };
  double steps = within(step_.t, step_.length);
  for (std::size_t i = 0; i < of_postponed_; ++i) steps += within(postponed_[i].t, postponed_[i].length);
  return steps;
}

// A step of collocation, of higher order than the run's, passes several of its steps where its error allows and no row is between: whether this step waits for
// the next one. The run has chosen its steps such that as many of them are about as difficult as the last ones.
bool Tangents::postpone() {
  if (steps_are_rows() || at_change_ || integrals_ != nullptr || !is_exact_within()) return false;
  const double steps = steps_until(step_.t1) + 1;
  if (of_postponed_ + 1 >= kMostAtOnce || steps > last_steps_ + 1 || !fine_.may_follow(last_steps_, last_error_, steps))
    return false;
  if (postponed_.size() == of_postponed_) postponed_.emplace_back();
  Postponed& step = postponed_[of_postponed_];
  step.t = step_.t;
  step.length = step_.length;
  if (!method().keep_dense(step_.y.data(), step.dense)) return false;
  ++of_postponed_;
  return true;
}

// Carries the tangents through the postponed steps, and within the present one, to a point of the run.
bool Tangents::catch_up(double t, const double* y) {
  const bool carried = carry_to(t, y) && project(t, y);
  of_postponed_ = 0;
  return carried;
}

// The state of the run at t, within the present step or a postponed one.
void Tangents::find_state(double t, double* y) const {
  for (std::size_t i = 0; i < of_postponed_; ++i) {
    const Postponed& step = postponed_[i];
    const double theta = (t - step.t) / step.length;
    if (theta <= kWithin) return method().interpolate_kept(step.dense, theta, y);
  }
  method().interpolate((t - step_.t) / step_.length, step_.y.data(), y);
}

// Computes A and b at the nodes, and the derivatives at the end of the step if it is given. False where pivots cannot be trusted.
bool Tangents::linearize_exactly(Collocation& use, double h, const double* end) {
  const std::size_t nodes = use.nodes();
  for (std::size_t i = 0; i < nodes; ++i) {
    const double at = at_ + use.node(i) * h;
    find_state(at, point_.data());
    if (integrals_ != nullptr) at_nodes_[i] = {at, point_};
    exact_->set_point(i, at, point_.data());
  }
  const bool with_end = end != nullptr && is_exact_at_ends();
  if (with_end) {
    known_y_.assign(end, end + n_);
    exact_->set_point(known_lane_ = nodes, at_ + h, end);
  }
  known_t_ = std::numeric_limits<double>::quiet_NaN();
  if (!exact_->find_slopes(nodes + (with_end ? 1 : 0))) return false;
  if (with_end) known_t_ = at_ + h;
  use.use_entries(exact_entries_);
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::fill_n(&use.b(0, k, 0), n_ * Collocation::kLanes, 0.0);
    if (quantities_[k].parameters.empty()) continue;
    set_direction(k, tangent_[k].data());
    // Without inputs that depend on them, the directions of parameters are the same at all nodes.
    const bool apart = exact_->inputs_depend();
    for (std::size_t first = 0; first < nodes; first += apart ? 1 : nodes) {
      if (apart) exact_->set_inputs(RunDerivatives::Part::kAccelerations, first, moved_[k], direction_.data());
      for (const Collocation::Entry& entry : moving_entries_[k]) {
        double* b = &use.b(0, k, entry.row);
        const double by = direction_[entry.column];
        if (apart)
          b[first] += entry.at[first] * by;
        else  // lanes without a node have weights 0
          lanes_at(b) += lanes_at(entry.at) * by;
      }
    }
  }
  return true;
}

// Sets direction_ to a tangent and the rates of the parameters of quantity k.
void Tangents::set_direction(std::size_t k, const double* tangent) {
  const RunDerivatives::Columns& columns = exact_->columns();
  const auto at = [&](std::size_t column) { return direction_.begin() + static_cast<std::ptrdiff_t>(column); };
  const auto of_parameter = [&](std::size_t place) { return at(index(columns.p) + place); };
  std::fill(direction_.begin(), at(index(columns.p)), 0.0);
  std::fill(of_parameter(of_direction_.first), of_parameter(of_direction_.end), 0.0);
  std::fill(at(index(columns.integrals)), direction_.end(), 0.0);
  std::copy_n(tangent, n_, direction_.begin());
  of_direction_ = moved_[k];
  auto rate_of = of_parameter(of_direction_.first);
  // The impulses of contacts that follow are parameters of no exact derivative.
  for (std::size_t i = 0; i < of_direction_.end - of_direction_.first; ++i)
    *rate_of++ = quantities_[k].parameters[i].second;
}

bool Tangents::project_exactly(double t, const double* y) {
  using Part = RunDerivatives::Part;
  const Layout& layout = own_.layout();
  if (m_ > 0 && !exact_->projects()) return false;
  const bool levels = !layout.holonomic.empty();
  if (!exact_->find_steps(t, y)) return false;
  if (levels && !layout.v_is_qdot) evaluate_kinematics(own_, t, y, of_own_.workspace);
  std::vector<double>& step = results_;
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::vector<double>& s = tangent_[k];
    project_on_quaternions(layout, y, s.data());
    if (levels) {
      set_direction(k, s.data());
      step.assign(index(nv_), 0.0);
      if (!exact_->add_step(Part::kPositionStep, moved_[k], direction_.data(), step.data())) return false;
      if (layout.v_is_qdot)
        for (std::size_t i = 0; i < step.size(); ++i) s[i] += step[i];
      else
        for (std::size_t e = 0; e < layout.N.row.size(); ++e)
          s[index(layout.N.row[e])] += of_own_.workspace.N[e] * step[index(layout.N.col[e])];
      project_on_quaternions(layout, y, s.data());
    }
    if (exact_->multipliers() == 0) continue;
    set_direction(k, s.data());
    step.assign(index(nv_), 0.0);
    if (!exact_->add_step(Part::kVelocityStep, moved_[k], direction_.data(), step.data())) return false;
    for (std::size_t i = 0; i < step.size(); ++i) s[index(nq_) + i] += step[i];
  }
  return true;
}

// Writes the derivatives of v̇, λ and the outputs at a point, those by one quantity after the other, to results_.
bool Tangents::record_exactly(double t, const double* y, std::size_t outputs) {
  using Part = RunDerivatives::Part;
  const bool known = known_t_ == t && std::equal(known_y_.begin(), known_y_.end(), y);
  const std::size_t lane = known ? known_lane_ : 0, nv = index(nv_), m = exact_->multipliers();
  if (!known) {
    known_t_ = std::numeric_limits<double>::quiet_NaN();
    exact_->set_point(0, t, y);
    if (!exact_->find_slopes(1)) return false;
  }
  if (!exact_->knows_forces()) return false;
  if (outputs > 0) {
    std::vector<double> integrals;
    for (std::size_t i = 0; integrals_ != nullptr && i < integrals_->count(); ++i)
      integrals.push_back(integrals_->value_at(i, t));
    if (!exact_->find_outputs(lane, t, y, integrals_ != nullptr ? integrals.data() : nullptr)) return false;
  }
  const RunDerivatives::Columns& columns = exact_->columns();
  results_.assign(tangent_.size() * (nv + m + outputs), 0.0);
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    double* result = results_.data() + k * (nv + m + outputs);
    set_direction(k, tangent_[k].data());
    std::vector<double>& x = direction_;
    exact_->multiply(Part::kAccelerations, lane, moved_[k], x.data(), result);
    if (outputs == 0) continue;
    std::copy_n(result, nv, x.begin() + columns.qdd);
    std::copy_n(result + nv, m, x.begin() + columns.lambda);
    for (std::size_t i = 0; integrals_ != nullptr && i < integrals_->count(); ++i)
      x[index(columns.integrals) + i] = of_integrals_[k][i];
    exact_->multiply(Part::kOutputs, 0, moved_[k], x.data(), result + nv + m);
  }
  return true;
}

// Writes the derivatives of the integrands by quantity k at a node of the present collocation step to result_.
void Tangents::differentiate_integrands(const Collocation& made, std::size_t k, std::size_t node) {
  using Part = RunDerivatives::Part;
  result_.assign(n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) result_[i] = made.state(k, i, node);
  set_direction(k, result_.data());
  std::vector<double>& x = direction_;
  if (own_.layout().integrals_read_forces) {
    const std::size_t m = exact_->multipliers();
    results_.assign(index(nv_) + m, 0.0);
    exact_->multiply(Part::kAccelerations, node, moved_[k], x.data(), results_.data());
    std::copy_n(results_.begin(), nv_, x.begin() + exact_->columns().qdd);
    std::copy_n(results_.begin() + nv_, m, x.begin() + exact_->columns().lambda);
  }
  result_.assign(integrals_->count(), 0.0);
  exact_->multiply(Part::kIntegrands, node, moved_[k], x.data(), result_.data());
}

}  // namespace dalembert::integration
