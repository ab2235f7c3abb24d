// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/tangents.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/integrate/unknown_derivatives.h"

namespace dalembert::integration {
namespace {

// Lower bounds of the unit in which a component of y is displaced: kLeastSize times the largest unit of its kind (coordinates, or velocities), and
// kOfValue times its present value.
constexpr double kLeastSize = 1e-3, kOfValue = 0.1;
// A is not formed, and only products A x are computed, if the system has more than kLarge components and A more than kWorthProducts columns per tangent. An
// iteration needs one product per tangent and node, and a product costs as much as one column of A. A smaller A can also be factored, where the iteration fails.
constexpr std::size_t kLarge = 60, kWorthProducts = 10;
// Of project_by_differences(): a tangent that changes by more than kSmallChange is projected again by displacements in the ratio kShorterProjection, as long as
// that makes the change less by the factor kLessChange.
constexpr double kSmallChange = 1e-9, kShorterProjection = 8, kLessChange = 0.5;
constexpr int kShorterProjections = 6;
// Rows that change along a tangent by less than this many units of round-off do not change.
constexpr double kRoundoffOfRows = 64;
// The smallest factor of displacements (find_reach).
constexpr double kLeastReach = 1e-10;
// Steps of collocation of a second run at a hundredth of the tolerances, for each one of the run, which takes one for each of its steps where these are rows.
constexpr double kOfSecond = 1.25, kOfSecondByRows = 0.5;
// Errors of collocation in a second run may be this multiple of its tolerances, which are a tenth of those of the run or less: half as large as in the run.
constexpr double kLooserAgain = 5;
// Of settle_outputs.
constexpr double kShorterOutput = 32, kSettled = 1e-7, kOutputNoise = 1000, kOfOutput = 1e-9;
constexpr int kOutputTries = 4;

}  // namespace

Tangents::Tangents(StepMaker& maker, Trajectory& path, Guards* guards, Branches* branches, Integrals* integrals,
                   RunFor purpose, const AdjointRest* rest)
    : Observer(maker, path),
      guards_(guards),
      branches_(branches),
      integrals_(integrals),
      own_(maker.dynamics),
      of_own_(own_, maker.with_power),
      n_(index(nq_ + nv_)),
      parameters_(own_.parameters().begin(), own_.parameters().end()),
      size_(n_),
      low_(n_),
      high_(n_),
      collocation_(false),
      stiff_(true),
      fine_(false, false, Collocation::kMostNodes),
      point_(index(of_own_.size())),
      slope_(index(of_own_.room())),
      purpose_(purpose),
      tolerance_(options_.rtol * (purpose == RunFor::kStates ? kLooserAgain : 1)),
      rest_(rest) {
  if (options_.gradient_of.empty())
    set_sensitivities();
  else
    set_units();
  delay_.resize(tangent_.size());
  gone_.resize(tangent_.size());
  of_end_ = delay_;
  for (const std::string& unit : dynamics_.names().coordinate_units) of_angle_.push_back(unit == "rad" ? 1 : 0);
  if (options_.output_rates) path_.output_rates.resize(index(dynamics_.layout().outputs));
  prepare_exactly();
  if (!options_.gradient_of.empty() && exact_ != nullptr)
    adjoint_ = std::make_unique<Adjoint>(own_, of_own_.workspace, *exact_, options_.rtol, options_.gradient_memory);
  const bool by_products = options_.derivatives == nullptr && n_ > std::max(kLarge, kWorthProducts * tangent_.size());
  if (by_products) nodes_.resize(Collocation::kMostNodes);
  for (Collocation* one : {&collocation_, &stiff_, &fine_}) one->set_tolerance(tolerance_);
}

// The memory of a collocation grows with the square of what the adjoint has of directions, which it carries through changes alone.
Collocation& Tangents::ready(Collocation& use) {
  if (use.is_sized()) return use;
  if (integrals_ != nullptr) use.keep_states();
  if (nodes_.empty())
    use.resize(n_, tangent_.size());
  else
    use.resize(n_, tangent_.size(), [this](std::size_t node, const double* x, double* product) {
      const Node& at = nodes_[node];
      const bool found = find_slope_along(at.t, at.y.data(), x, at.reach);
      std::ranges::copy(result_, product);
      return found;
    });
  return use;
}

void Tangents::set_sensitivities() {
  quantities_ = options_.tangents;
  for (const Tangent& one : quantities_) {
    std::vector<double>& s = tangent_.emplace_back(one.q);
    s.insert(s.end(), one.v.begin(), one.v.end());
    Sensitivity& by = path_.sensitivities.emplace_back();
    by.name = one.name;
    by.unit = one.unit;
    by.q.resize(index(nq_));
    for (auto* group : {&by.v, &by.a}) group->resize(index(nv_));
    by.lambda.resize(index(m_));
    by.friction.resize(index(dynamics_.layout().frictions));
    by.outputs.resize(index(dynamics_.layout().outputs));
  }
}

// Ends the derivatives: they are NaN from this time on, and a warning in the verdict says why.
void Tangents::lose(std::string why, double from) {
  if (lost_) return;
  lost_ = true;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < options_.tangents.size(); ++k)
    if (!options_.tangents[k].name.empty() && (!options_.gradient_of.empty() || gone_[k] == 0))
      names.push_back(options_.tangents[k].name);
  for (std::vector<double>& s : tangent_) std::ranges::fill(s, std::numeric_limits<double>::quiet_NaN());
  tell_unknown(names, why, from);
}

void Tangents::tell_unknown(const std::vector<std::string>& names, const std::string& why, double from) {
  path_.verdict.warnings.push_back(fmt::format("{}{} are unknown from t = {} s on: {}", kOfDerivatives,
                                               names.empty() ? "" : " by " + join_some(names), to_text(from, 6), why));
}

// Ends the derivatives by some of the quantities; the others go on. The adjoint, whose directions are those of all, ends.
void Tangents::lose_these(const std::vector<std::size_t>& which, const std::string& why, double from) {
  if (which.empty() || lost_) return;
  const auto left = static_cast<std::size_t>(std::ranges::count(gone_, 0));
  if (!options_.gradient_of.empty() || which.size() == left) return lose(why, from);
  std::vector<std::string> names;
  for (const std::size_t k : which) {
    gone_[k] = 1;
    if (!quantities_[k].name.empty()) names.push_back(quantities_[k].name);
    quantities_[k].parameters.clear();
    if (exact_ != nullptr) moved_[k].end = moved_[k].first;
    std::ranges::fill(tangent_[k], 0.0);
    if (integrals_ != nullptr) std::ranges::fill(of_integrals_[k], 0.0);
    delay_[k] = of_end_[k] = 0;
    for (SwitchInTime& one : switches_) one.delay[k] = 0;
    for (JumpAtOnce& one : jumps_) one.delay[k] = 0;
  }
  tell_unknown(names, why, from);
}

// Ends the derivatives by those quantities of which it is known before the run that it has none. Those of the start are not numbers for the adjoint, which thus goes
// on for the others.
void Tangents::lose_unknown() {
  for (std::size_t k = 0; k < options_.tangents.size(); ++k) {
    const Tangent& one = options_.tangents[k];
    if (lost_ || one.unknown.empty()) continue;
    if (options_.gradient_of.empty())
      lose_these({k}, one.unknown, at_);
    else
      tell_unknown({one.name}, one.unknown, at_);
  }
}

// Of numbers by quantity, NaN where derivatives are unknown.
std::vector<double> Tangents::without_gone(std::vector<double> of_quantities) const {
  for (std::size_t k = 0; k < of_quantities.size(); ++k)
    if (gone_[k] != 0) of_quantities[k] = std::numeric_limits<double>::quiet_NaN();
  return of_quantities;
}

void Tangents::begin(bool moved) {
  at_ = began_ = step_.t;
  std::copy_n(step_.y.begin(), n_, low_.begin());
  high_ = low_;
  measure();
  if (integrals_ != nullptr) begin_integrals();
  if (moved) lose("the state jumps at its start");
  lose_unknown();
  if (!use_mode()) lose("the start cannot be displaced");
  warn_of_sides();
  if (!options_.gradient_of.empty()) {
    record_projection(at_, step_.y.data());
    events_ = path_.events.size();
    return;
  }
  if (!lost_ && !project(at_, step_.y.data())) lose("the start cannot be displaced");
  events_ = path_.events.size();
  record_rows();
}

// Copies the branches, contacts and modes of the run to the system of the derivatives. False if the run slides along the limit of a condition,
// where they have no derivatives.
bool Tangents::use_mode() {
  if (lost_) return true;
  if (motion_.sliding()) return false;
  const auto now = dynamics_.parameters();
  const bool changed = !std::ranges::equal(now, own_.parameters());
  if (changed) {
    parameters_.assign(now.begin(), now.end());
    own_.set_parameters(0, now);
  }
  of_own_.follow(motion_);
  if (changed) evaluate_constant_inputs(own_, of_own_.workspace);
  if (exact_ != nullptr && changed) {
    exact_->use_parameters();
    known_t_ = std::numeric_limits<double>::quiet_NaN();
  }
  return true;
}

// Updates the units of displacements from the motion so far: the range of a coordinate, at most 1 rad for an angle, and the largest |v_i| of a
// velocity.
void Tangents::measure() {
  double most[2] = {0, 0};
  const auto kind = [&](std::size_t i) { return i < index(nq_) ? 0 : 1; };
  for (std::size_t i = 0; i < n_; ++i) {
    low_[i] = std::min(low_[i], step_.y[i]);
    high_[i] = std::max(high_[i], step_.y[i]);
    size_[i] = kind(i) == 0 ? high_[i] - low_[i] : std::max(high_[i], -low_[i]);
    size_[i] = std::max(size_[i], kOfValue * std::abs(step_.y[i]));
    if (i < of_angle_.size() && of_angle_[i] != 0) size_[i] = std::min(size_[i], 1.0);
    most[kind(i)] = std::max(most[kind(i)], size_[i]);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    size_[i] = std::max(size_[i], kLeastSize * most[kind(i)]);
    if (size_[i] == 0) size_[i] = kLeastSize;
  }
}

// The change of a quantity that counts as large: the largest |p/rate| of its parameters; 1 for an initial value.
double Tangents::amount(const Tangent& by) const {
  double largest = 0;
  for (const auto& [parameter, rate] : by.parameters)
    if (rate != 0) largest = std::max(largest, std::abs(parameters_[index(parameter)] / rate));
  return largest > 0 ? largest : 1;
}

// The displacement ε of a quantity for finite differences: ε s is small compared with the units of y, and ε times their rates compared with the
// parameters. 0 where the tangent is 0.
double Tangents::displacement(const Tangent& by, const double* tangent) const {
  double share = 0;
  for (std::size_t i = 0; i < n_; ++i) share = std::max(share, std::abs(tangent[i]) / size_[i]);
  if (!by.parameters.empty()) share = std::max(share, 1 / amount(by));
  return share > 0 && std::isfinite(share) ? DerivativeAlong::kDisplacement / share : 0;
}

void Tangents::displace(const Tangent& by, double epsilon) {
  if (by.parameters.empty()) return;
  for (const auto& [parameter, rate] : by.parameters)
    own_.set_parameters(index(parameter), std::array{parameters_[index(parameter)] + epsilon * rate});
  evaluate_constant_inputs(own_, of_own_.workspace);
}

// Computes A = ∂f/∂y and b = ∂f/∂p of (1) at a node.
bool Tangents::linearize(Collocation& use, std::size_t node, double t, const double* y) {
  reach_ = find_reach(t, y);
  if (!nodes_.empty()) {
    nodes_[node] = {t, {y, y + of_own_.size()}, reach_};
    return linearize_parameters(use, node, t, y);
  }
  std::vector<double> unit(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    unit[j] = 1;
    if (!find_slope_along(t, y, unit.data(), reach_)) return false;
    for (std::size_t i = 0; i < n_; ++i) use.A(node, i, j) = result_[i];
    unit[j] = 0;
  }
  return linearize_parameters(use, node, t, y);
}

// Computes A and b at the nodes of a collocation step of length h from at_ on.
bool Tangents::linearize_nodes(Collocation& use, double h, const double* end) {
  by_exact_ = is_exact_within() && linearize_exactly(use, h, end);
  if (by_exact_) return true;
  if (nodes_.empty()) use.use_all_entries();
  for (std::size_t i = 0; i < use.nodes(); ++i) {
    const double at = at_ + use.node(i) * h;
    find_state(at, point_.data());
    if (integrals_ != nullptr) at_nodes_[i] = {at, point_};
    if (!linearize(use, i, at, point_.data())) return false;
  }
  return true;
}

// Friction in a plane depends on the direction of the sliding velocity, which a displacement must change by little only. So displacements are multiplied by this
// factor, at most 1: the least ratio of a sliding speed to the size of its terms, at the point and where each velocity is one unit of displacement.
double Tangents::find_reach(double t, const double* y) {
  FrictionSystem* friction = of_own_.workspace.friction.get();
  if (friction == nullptr || own_.layout().planes.empty()) return 1;
  const std::vector<int>& planes = own_.layout().planes;
  std::vector<double> terms;
  friction->evaluate(own_, t, y, size_.data() + nq_, of_own_.workspace);
  for (const int j : planes) terms.push_back(friction->size_of_speeds(j));
  friction->evaluate(own_, t, y, y + nq_, of_own_.workspace);
  double reach = 1;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const int j = planes[k];
    const double size = std::max(terms[k], friction->size_of_speeds(j));
    const bool turns = friction->mode[index(j)].direction != 0 && !friction->is_idle(j) && !friction->keeps_along(j);
    if (turns && size > 0) reach = std::min(reach, friction->sliding_speed(j) / size);
  }
  return std::max(reach, kLeastReach);
}

bool Tangents::find_slope(double t, const double* y, std::vector<double>& slope) {
  if (!of_own_.evaluate(t, y, slope_.data())) return false;
  slope.assign(slope_.begin(), slope_.begin() + static_cast<std::ptrdiff_t>(n_));
  return true;
}

// Writes the derivative A x of f along x to result_, by finite differences.
bool Tangents::find_slope_along(double t, const double* y, const double* x, double reach) {
  double share = 0;
  for (std::size_t i = 0; i < n_; ++i) share = std::max(share, std::abs(x[i]) / size_[i]);
  result_.assign(n_, 0.0);
  if (share == 0) return true;
  return difference_.find(
      reach * DerivativeAlong::kDisplacement / share,
      [&](double epsilon, std::vector<double>& values) {
        displaced_.assign(y, y + of_own_.size());
        for (std::size_t i = 0; i < n_; ++i) displaced_[i] += epsilon * x[i];
        return find_slope(t, displaced_.data(), values);
      },
      result_);
}

// Computes b = ∂f/∂p of (1) at a node, by finite differences.
bool Tangents::linearize_parameters(Collocation& use, std::size_t node, double t, const double* y) {
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    result_.assign(n_, 0.0);
    const bool found = quantities_[k].parameters.empty() || difference_.find(
                                                                reach_ * DerivativeAlong::kDisplacement * amount(k),
                                                                [&](double epsilon, std::vector<double>& values) {
                                                                  displace(quantities_[k], epsilon);
                                                                  return find_slope(t, y, values);
                                                                },
                                                                result_);
    displace(quantities_[k], 0);
    if (!found) {
      lose_these({k}, "the state cannot be displaced", at_);
      if (lost_) return false;
      result_.assign(n_, 0.0);
    }
    for (std::size_t i = 0; i < n_; ++i) use.b(node, k, i) = result_[i];
  }
  return true;
}

// Where a collocation step cannot be made: ends the derivatives by quantities along which the slopes have no derivative, if there are such and others.
bool Tangents::lose_without_rates(Collocation& made) {
  std::vector<std::size_t> without;
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    bool known = true;
    for (std::size_t node = 0; node < made.nodes(); ++node)
      for (std::size_t i = 0; i < n_; ++i) known = known && std::isfinite(made.b(node, k, i));
    if (!known) without.push_back(k);
  }
  if (without.empty() || without.size() == static_cast<std::size_t>(std::ranges::count(gone_, 0))) return false;
  lose_these(without, "the accelerations have none", at_);
  return !lost_;
}

// The estimated error of a collocation step of length h, relative to the tolerance.
double Tangents::error_of_step(const Collocation& made, double h) const {
  double error = 0;
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    const double of_size = kLeastSize / amount(k);
    for (const auto& [from, to] : {std::pair(std::size_t{0}, index(nq_)), std::pair(index(nq_), n_)}) {
      double size = 0, doubt = 0;
      for (std::size_t i = from; i < to; ++i) {
        size = std::max({size, std::abs(tangent_[k][i]), std::abs(h) * made.steepest(k, i), of_size * size_[i]});
        doubt = std::max(doubt, std::abs(made.doubt(k, i)));
      }
      if (size > 0) error = std::max(error, made.error_of(doubt / size));
    }
  }
  return error / tolerance_;
}

// Carries the tangents from at_ to t within the present step of the run; needs make_dense() of that step.
bool Tangents::carry_to(double t, const double* end) {
  Collocation& use = ready(collocation_within());
  for (std::vector<double>& most : most_of_integrals_) std::ranges::fill(most, 0.0);
  while (at_ != t) {
    const double left = t - at_;
    if (comes_to_rest()) length_ = 0;
    double h = length_ > 0 && length_ < std::abs(left) ? std::copysign(length_, left) : left;
    for (;;) {
      if (!linearize_nodes(use, h, h == left ? end : nullptr)) return false;
      if (!use.advance(h, tangent_, at_)) {
        if (lose_without_rates(use)) continue;
        h /= 4;
      } else {
        double error = error_of_step(use, h);
        if (integrals_ != nullptr && error >= 0) error = std::max(integrate_over(use, h, error <= 1), error);
        if (!(error >= 0) && lose_without_rates(use)) continue;
        if (!(error >= 0)) return false;
        if (h != left || error > 1) length_ = use.length_after(h, error);
        last_error_ = error;
        last_steps_ = steps_until(at_ + h);
        if (error <= 1) break;
        h = std::copysign(std::min(length_, std::abs(h) / 2), left);
      }
      if (!(std::abs(h) > Collocation::kShortest * std::abs(step_.length))) return false;
    }
    std::vector<std::size_t> grown;
    for (std::size_t k = 0; k < tangent_.size(); ++k) {
      bool known = true;
      for (std::size_t i = 0; i < n_; ++i) {
        const double before = std::exchange(tangent_[k][i], tangent_[k][i] + use.change(k, i));
        known = known && (std::isfinite(tangent_[k][i]) || !std::isfinite(before));
      }
      if (!known) grown.push_back(k);
    }
    lose_these(grown, "they have grown beyond all numbers", step_.t);
    if (lost_) return false;
    for (std::size_t k = 0; integrals_ != nullptr && k < tangent_.size(); ++k)
      for (std::size_t i = 0; gone_[k] == 0 && i < integrals_->count(); ++i)
        of_integrals_[k][i] += changes_of_integrals_[k][i];
    projected_ = false;
    at_ = h == left ? t : at_ + h;
  }
  return resting_.empty() || rest_across(t, end);
}

// Projects the tangents at a point of the manifold onto its tangent space.
bool Tangents::project(double t, const double* y) {
  // Without constraints, what sticks keeps its tangents at rest, once those of the start have been brought to rest.
  const Layout& layout = dynamics_.layout();
  const bool rests = m_ == 0 && layout.quaternions.empty() && (layout.frictions == 0 || t != began_);
  if (projected_ || rests) return true;
  projected_ = (is_exact_at_ends() && project_exactly(t, y)) || project_by_differences(t, y);
  return projected_;
}

// Each tangent is replaced by the derivative of the projection of the point displaced along it.
bool Tangents::project_by_differences(double t, const double* y) {
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    const auto project_at = [&](double epsilon, double* displaced, double* values) {
      if (!dalembert::project(own_, t + epsilon * of_end_[k], displaced, displaced + nq_, of_own_.workspace).ok)
        return false;
      std::copy_n(displaced, n_, values);
      return true;
    };
    double h = displacement(k);
    if (h == 0 || is_tangent(k, h, t, y)) continue;
    if (!differentiate(k, h, tangent_[k].data(), y, n_, project_at)) {
      lose_these({k}, t == began_ ? "the start cannot be displaced" : "the state cannot be displaced", t);
      if (lost_) return false;
      continue;
    }
    // The projection changes a tangent by little, as a rule. Where it changes more, the displacement may be too long for it, as near positions where a coordinate
    // without inertia would have to move far.
    std::vector<double> found = result_;
    for (int tries = 0; tries < kShorterProjections; ++tries) {
      const double change = apart(found, tangent_[k]);
      if (change <= kSmallChange || !differentiate(k, h /= kShorterProjection, tangent_[k].data(), y, n_, project_at))
        break;
      if (apart(result_, tangent_[k]) >= kLessChange * change) break;
      found = result_;
    }
    tangent_[k] = std::move(found);
  }
  return true;
}

// Whether the rows of the constraints do not change along the tangent of quantity k, up to round-off of their terms.
bool Tangents::is_tangent(std::size_t k, double h, double t, const double* y) {
  Workspace& workspace = of_own_.workspace;
  // Frictions that stick are rows of the projection, too.
  if (of_end_[k] != 0 || !own_.layout().quaternions.empty() || workspace.friction != nullptr) return false;
  const std::size_t levels = own_.layout().holonomic.size(), rows = levels + index(m_);
  std::vector<double> sizes(rows);
  const bool found = differentiate(k, h, tangent_[k].data(), y, rows, [&](double, double* displaced, double* values) {
    evaluate_position(own_, t, displaced, workspace);
    std::copy_n(workspace.h.begin(), levels, values);
    evaluate_velocity_residual(own_, t, displaced, displaced + nq_, workspace);
    measure_rows(own_, displaced, displaced + nq_, workspace);
    std::copy_n(workspace.residual.begin(), m_, values + levels);
    for (std::size_t r = 0; r < index(m_); ++r) sizes[levels + r] = workspace.row_sizes[r].velocity;
    for (std::size_t r = 0; r < levels; ++r) sizes[r] = workspace.row_sizes[index(own_.layout().holonomic[r])].position;
    return true;
  });
  for (std::size_t r = 0; r < rows; ++r)
    if (!found || std::abs(result_[r]) * h > kEps * kRoundoffOfRows * sizes[r]) return false;
  return true;
}

// The largest difference between two tangents in the units of displacements, relative to the second one.
double Tangents::apart(const std::vector<double>& one, const std::vector<double>& other) const {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    size = std::max(size, std::abs(other[i]) / size_[i]);
    difference = std::max(difference, std::abs(one[i] - other[i]) / size_[i]);
  }
  return size > 0 ? difference / size : 0;
}

// Carries the tangents to the end of the step, and records those of rows within it.
void Tangents::carry() {
  record_rows();
  if (!lost_ && postpone()) return;
  if (!lost_ && !catch_up(step_.t1, step_.y1.data())) lose("the state cannot be displaced");
}

// Tells about how many steps of collocation are still to come, those of the second run included, which names the error.
void Tangents::expect_calls() {
  const double gone = at_ - began_, left = options_.until - at_;
  if (exact_ == nullptr || gone == 0) return;
  const double pace = exact_->calls() / gone;
  const bool again = purpose_ == RunFor::kVerdict && options_.second_run;
  const double of_second = steps_are_rows() ? kOfSecondByRows : kOfSecond;
  exact_->expect(pace * left + (again ? of_second * pace * (gone + left) : 0));
}

bool Tangents::look_within() {
  expect_calls();
  if (lost_) {
    record_rows();
    return true;
  }
  measure();
  at_change_ = guards_ != nullptr && guards_->ends_at_change();
  if (changes_at_start()) {
    const bool caught_up = of_postponed_ == 0 || catch_up(step_.t, step_.y.data());
    if (std::string why = caught_up ? pass_change_at_start() : "the state cannot be displaced"; !why.empty())
      lose(std::move(why));
  }
  if (!options_.gradient_of.empty()) record_change();
  if (!use_mode()) {
    lose("the motion goes along the limit of a condition");
  } else if (step_.leaps) {
    lose("a singular position is passed");
  } else if (!method().make_dense(of_own_, step_.t, step_.y.data(), step_.y1.data(), step_.length)) {
    lose("the equations cannot be evaluated within a step");
  }
  if (options_.gradient_of.empty())
    carry();
  else
    record_maps();
  if (!lost_ && integrals_ != nullptr && !find_integrands(step_.t1, step_.y1.data(), integrands_before_))
    lose("the integrands cannot be evaluated");
  slope_before_.assign(method().last_slope(), method().last_slope() + n_);
  y_before_.assign(step_.y1.begin(), step_.y1.begin() + static_cast<std::ptrdiff_t>(n_));
  if (guards_ != nullptr && !lost_) find_delays();
  return true;
}

// Records derivatives for each row that the run has recorded since the last call.
void Tangents::record_rows() {
  if (!options_.gradient_of.empty() || options_.sensitivities_at_end) return;
  for (; recorded_ < path_.rows_of_run(); ++recorded_) record(recorded_ - path_.forgotten);
}

// The accelerations, multipliers, forces of frictions and outputs at a point; integrals are displaced by ε times their derivatives by quantity k, or by ε
// times their integrands if there is no quantity k.
bool Tangents::find_results(std::size_t k, double t, double epsilon, const double* y, double* values) {
  double* const multipliers = values + nv_;
  if (!of_own_.find_forces(t, y, values, multipliers)) return false;
  // A basis of the rows, which a displaced point needs, has other multipliers than all rows.
  const RowBasis& basis = of_own_.workspace.basis;
  if (!basis.all && basis.rows.size() + index(own_.idle_rows()) < index(m_))
    least_norm_.apply(own_, of_own_.workspace, multipliers);
  if (path_.outputs.empty()) return true;
  evaluate_inputs(own_, t, of_own_.workspace);
  KernelArguments in = kernel_arguments(own_, t, y, y + nq_, of_own_.workspace);
  in.qdd = values;
  in.lambda = multipliers;
  if (integrals_ != nullptr) {
    const std::vector<double>& rates = k < of_integrals_.size() ? of_integrals_[k] : integrands_;
    with_integrals_.assign(own_.parameters().begin(), own_.parameters().end());
    double* integral = with_integrals_.data() + own_.layout().first_integral;
    for (std::size_t i = 0; i < integrals_->count(); ++i)
      integral[i] = integrals_->value_at(i, recorded_at_) + epsilon * rates[i];
    in.p = with_integrals_.data();
  }
  own_.kernel().call(KernelFunction::kOutputs, in, multipliers + step_.lambda.size());
  return true;
}

// The rates of the outputs along the motion.
bool Tangents::find_output_rates(double t, const std::vector<double>& y, std::vector<double>& rates) {
  const std::size_t before = index(nv_) + step_.lambda.size();
  std::vector<double> slope;
  if (!find_slope(t, y.data(), slope)) return false;
  if (integrals_ != nullptr && !find_integrands(t, y.data(), integrands_)) return false;
  const double h = step_.length != 0 ? step_.length : options_.until - t;
  const bool found = difference_.find(
      DerivativeAlong::kDisplacement * std::abs(h),
      [&](double epsilon, std::vector<double>& values) {
        values.resize(before + path_.outputs.size());
        displaced_ = y;
        for (std::size_t i = 0; i < n_; ++i) displaced_[i] += epsilon * slope[i];
        return find_results(tangent_.size(), t + epsilon, epsilon, displaced_.data(), values.data());
      },
      result_);
  if (found) rates.assign(result_.begin() + static_cast<std::ptrdiff_t>(before), result_.end());
  return found;
}

// Outputs may have corners (abs, min, if …) nearer than the displacement h by which result_ was found. Derivatives by displacements in the ratio kShorterOutput
// must agree to kSettled, or to kOfOutput of the output in the units of the quantity; what does not after kOutputTries becomes NaN.
void Tangents::settle_outputs(std::size_t k, double h, const double* y, std::size_t row, const Results& results) {
  const std::size_t first = index(nv_) + step_.lambda.size(), count = first + path_.outputs.size();
  std::vector<double> settled = result_, longer = result_;
  std::vector<char> open(count, 0);
  std::fill(open.begin() + static_cast<std::ptrdiff_t>(first), open.end(), 1);
  for (int tries = 0; tries < kOutputTries && std::ranges::find(open, 1) != open.end(); ++tries) {
    h /= kShorterOutput;
    if (!differentiate(k, h, tangent_[k].data(), y, count, results)) break;
    for (std::size_t i = first; i < count; ++i) {
      if (open[i] == 0) continue;
      const double value = std::abs(path_.outputs[i - first][row]);
      const double noise = kOutputNoise * kEps * value / h + kOfOutput * value / amount(k);
      if (std::abs(result_[i] - longer[i]) <= kSettled * std::max(std::abs(result_[i]), std::abs(longer[i])) + noise) {
        settled[i] = longer[i];
        open[i] = 0;
      }
    }
    longer = result_;
  }
  for (std::size_t i = first; i < count; ++i)
    if (open[i] != 0) settled[i] = std::numeric_limits<double>::quiet_NaN();
  result_ = std::move(settled);
}

void Tangents::record(std::size_t row) {
  const std::size_t nv = index(nv_), multipliers = step_.lambda.size(), outputs = path_.outputs.size();
  std::vector<double>& y = row_;
  y.resize(index(of_own_.size()));
  for (std::size_t i = 0; i < index(nq_); ++i) y[i] = path_.q[i][row];
  for (std::size_t i = 0; i < nv; ++i) y[index(nq_) + i] = path_.v[i][row];
  const double t = recorded_at_ = path_.time[row];
  if (!lost_ && t != at_ && !carry_to(t, y.data())) lose("the state cannot be displaced");
  of_postponed_ = 0;
  if (!lost_ && !project(t, y.data())) lose("the state cannot be displaced");
  const std::size_t count = nv + multipliers + outputs;
  const bool exact = !lost_ && !reads_impulses() && is_exact_at_ends() && record_exactly(t, y.data(), outputs);
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    if (!lost_ && gone_[k] != 0)
      result_.assign(count, std::numeric_limits<double>::quiet_NaN());
    else if (exact)
      result_.assign(results_.begin() + static_cast<std::ptrdiff_t>(k * count),
                     results_.begin() + static_cast<std::ptrdiff_t>((k + 1) * count));
    else if (lost_ || !record_by_differences(k, t, y.data(), row))
      result_.assign(count, std::numeric_limits<double>::quiet_NaN());
    Sensitivity& by = path_.sensitivities[k];
    std::size_t at = 0;
    for (auto* group : {&by.a, &by.lambda, &by.friction, &by.outputs})
      for (std::vector<double>& series : *group) series.push_back(result_[at++]);
    at = 0;
    for (auto* group : {&by.q, &by.v})
      for (std::vector<double>& series : *group)
        series.push_back(gone_[k] != 0 ? std::numeric_limits<double>::quiet_NaN() : tangent_[k][at++]);
  }
  if (!options_.output_rates || path_.outputs.empty()) return;
  std::vector<double> rates(outputs);
  if (lost_ || !find_output_rates(t, y, rates)) rates.assign(outputs, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < outputs; ++i) path_.output_rates[i].push_back(rates[i]);
}

// Writes the derivatives of v̇, of the multipliers and of the outputs by quantity k, for that row, to result_.
bool Tangents::record_by_differences(std::size_t k, double t, const double* y, std::size_t row) {
  const auto results = [&](double epsilon, double* at, double* values) {
    return find_results(k, t + epsilon * of_end_[k], epsilon, at, values);
  };
  double h = displacement(k);
  if (integrals_ != nullptr && h == 0 && share_of_integrals(k) > 0)
    h = DerivativeAlong::kDisplacement / share_of_integrals(k);
  if (h == 0 && of_end_[k] != 0) h = DerivativeAlong::kDisplacement * std::abs(step_.length / of_end_[k]);
  const std::size_t count = index(nv_) + step_.lambda.size() + path_.outputs.size();
  if (!differentiate(k, h, tangent_[k].data(), y, count, results)) return false;
  if (h != 0 && options_.output_rates) settle_outputs(k, h, y, row, results);
  return true;
}

}  // namespace dalembert::integration
