// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/linearization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/analyze/stability/branch.h"
#include "dalembert/analyze/stability/follow.h"
#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/stability.h"
#include "dalembert/analyze/stability/steady.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/compile/equation_derivatives.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/friction_at.h"
#include "dalembert/study/steady_at.h"

namespace dalembert {
namespace {

// The varied quantity: a parameter, or an entry of the state that is held at each value.
struct Subject {
  enum class Kind { kParameter, kPosition, kVelocity } kind = Kind::kParameter;
  std::size_t index = 0;
  std::string unit;
};

Result<Subject> find_subject(const std::string& name, const BuiltModel& system) {
  const Names& names = system.dynamics.names();
  const auto place = [&](const std::vector<std::string>& list) {
    return static_cast<std::size_t>(std::ranges::find(list, name) - list.begin());
  };
  std::vector<std::string> known = names.parameters;
  if (const std::size_t at = place(names.parameters); at < names.parameters.size()) {
    const auto& dimension = system.model->parameters[at].dimension;
    return Subject{Subject::Kind::kParameter, at, dimension ? unit_name(*dimension) : ""};
  }
  if (const std::size_t at = place(names.coordinates); at < names.coordinates.size())
    return Subject{Subject::Kind::kPosition, at, coordinate_unit(names.coordinate_units[at])};
  const std::vector<std::string> velocities = names.velocity_names();
  if (const std::size_t at = place(velocities); at < velocities.size())
    return Subject{Subject::Kind::kVelocity, at,
                   names.velocities.empty() ? rate_unit(coordinate_unit(names.coordinate_units[at])) : ""};
  for (const auto* list : {&names.coordinates, &velocities}) known.insert(known.end(), list->begin(), list->end());
  Diagnostic diagnostic = error(
      "E0403", fmt::format("`--vary` names `{}`, which is neither a parameter nor a coordinate nor a velocity", name));
  if (const auto near = nearest(name, known)) diagnostic.help.push_back(fmt::format("did you mean `{}`?", *near));
  return diagnostic;
}

// Linearises at one value after another, on the branch of solutions that begins at the given one.
class Follower {
 public:
  /// `range`: how far from its value the quantity will go.
  Follower(const SystemAt& given, Subject subject, const LinearMotion& motion, const Stability& stability, double range,
           std::function<bool()> keep_on)
      : system_(given.system),
        subject_(std::move(subject)),
        derivatives_(system_.equations),
        unheld_(given.unheld),
        given_(given),
        steady_(motion.kind != MotionKind::kState),
        zeros_(stability.zeros),
        range_(range),
        branch_(value_of(subject_, system_, motion.at), motion.at, range,
                [this](double value, const MotionPoint& guess) { return solve(value, guess); }),
        keep_on_(std::move(keep_on)) {
    options_.prefer_position = given.held_q;
    options_.prefer_velocity = given.held_v;
    hold_.hold_position.assign(motion.at.q.size(), false);
    hold_.hold_velocity.assign(motion.at.v.size(), false);
    // In a family of equilibria, hold the free coordinates: a least-norm step would drift along the family.
    for (const MotionState& state : motion.states) {
      const bool free = std::ranges::find(stability.family, state.name) != stability.family.end();
      const bool cyclic =
          std::ranges::any_of(motion.cyclic, [&](std::size_t k) { return motion.states[k].name == state.name; });
      if (free || cyclic) (state.velocity ? hold_.hold_velocity : hold_.hold_position)[state.index] = true;
    }
    // Equilibria stay at rest.
    if (motion.kind == MotionKind::kEquilibrium) hold_.hold_velocity.assign(motion.at.v.size(), true);
    if (subject_.kind == Subject::Kind::kPosition) hold_.hold_position[subject_.index] = true;
    if (subject_.kind == Subject::Kind::kVelocity) {
      hold_.hold_velocity.assign(motion.at.v.size(), false);
      hold_.hold_velocity[subject_.index] = true;
    }
    parameters_.assign(system_.dynamics.parameters().begin(), system_.dynamics.parameters().end());
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  static double value_of(const Subject& subject, const BuiltModel& system, const MotionPoint& at) {
    switch (subject.kind) {
      case Subject::Kind::kParameter:
        return system.dynamics.parameters()[subject.index];
      case Subject::Kind::kPosition:
        return at.q[subject.index];
      case Subject::Kind::kVelocity:
        return at.v[subject.index];
    }
    return 0;
  }

  struct At {
    LinearMotion motion;
    Dynamics dynamics;
  };
  std::optional<At> linearized(double value) {
    const AtValue at(*this, value);
    if (steady_ && !(*at.steady).is_autonomous())
      return refuse(fmt::format("the equations depend on time at {}", to_text(value, 8)));
    const std::optional<MotionPoint> point = steady_ ? branch_.reach(value) : branch_.find(value);
    if (!point)
      return refuse(steady_ ? why_ended(value) : fmt::format("no consistent state was found at {}", to_text(value, 8)));
    const State state = state_of(*point);
    if (unheld_) {
      const auto p = at.dynamics.parameters();
      const Dynamics moves = unheld_->system.dynamics.with_parameters(std::vector<double>(p.begin(), p.end()));
      const std::string breaks = breaks_mode(moves, unheld_->mode, state);
      if (!breaks.empty()) return refuse(fmt::format("at {}: {}", to_text(value, 8), breaks));
    }
    Result<LinearMotion> motion = linearize(*at.steady, state, options_);
    if (!motion) return refuse(motion.diagnostics().front().message);
    return At{std::move(motion).value(), at.dynamics};
  }
  std::optional<Spectrum> spectrum(double value) {
    const std::optional<At> at = linearized(value);
    if (!at) return std::nullopt;
    return eigenvalues_of(at->motion, zeros_);
  }
  StabilityVerdict verdict(double value) {
    const std::optional<At> at = linearized(value);
    if (!at) return StabilityVerdict::kNone;
    return judge(*at).verdict;
  }
  // Counts the zero eigenvalues that remain at other values of the varied quantity: its given value may be critical.
  void count_zeros(double value) {
    const std::optional<At> at = linearized(value);
    if (at) zeros_ = std::min(zeros_, judge(*at).zeros);
  }
  /// Why there was nothing at the last value at which there was nothing.
  const std::string& stopped() const { return stopped_; }
  bool interrupted() const { return interrupted_; }

 private:
  // The system at a value.
  struct AtValue {
    AtValue(const Follower& of, double value)
        : dynamics(of.dynamics_at(value)),
          own(of.own_derivatives(dynamics)),
          steady(of.given_, dynamics, own ? *own : of.derivatives_) {}

    Dynamics dynamics;
    std::optional<EquationDerivatives> own;
    SteadyAt steady;
  };
  Dynamics dynamics_at(double value) const {
    if (subject_.kind != Subject::Kind::kParameter) return system_.dynamics;
    std::vector<double> parameters = parameters_;
    parameters[subject_.index] = value;
    return system_.dynamics.with_parameters(std::move(parameters));
  }
  // What of the equations depends on time may be decided by the value.
  std::optional<EquationDerivatives> own_derivatives(const Dynamics& dynamics) const {
    if (!derivatives_.values_decide_time() || subject_.kind != Subject::Kind::kParameter) return std::nullopt;
    const auto p = dynamics.parameters();
    return std::optional<EquationDerivatives>(std::in_place, with_parameters(system_, {p.begin(), p.end()}).equations);
  }
  // The steady motion at a value that is found from a guess; where the motion is not steady, the consistent state.
  std::optional<MotionPoint> solve(double value, MotionPoint guess) {
    if (keep_on_ && !keep_on_()) interrupted_ = true;
    if (interrupted_) return std::nullopt;
    const AtValue at(*this, value);
    if (subject_.kind == Subject::Kind::kPosition) guess.q[subject_.index] = value;
    if (subject_.kind == Subject::Kind::kVelocity) guess.v[subject_.index] = value;
    if (steady_) {
      if (!(*at.steady).is_autonomous()) return std::nullopt;
      SteadyState found = solve_steady(*at.steady, guess, hold_);
      if (!found.found) return std::nullopt;
      return std::move(found.at);
    }
    const Assembly assembly = assemble(at.dynamics, state_of(guess),
                                       {.hold_position = hold_.hold_position, .hold_velocity = hold_.hold_velocity});
    if (!assembly.ok()) return std::nullopt;
    State state = assembly.state;
    project(at.dynamics, state);
    guess.q = state.q;
    guess.v = state.v;
    return guess;
  }
  std::string why_ended(double value) const {
    const BranchEnd& end = branch_.end();
    // Round-off of 0 is not shown.
    const std::string where = to_text(std::abs(end.value) <= 1e-7 * range_ ? 0 : end.value, 6);
    std::string why;
    switch (end.how) {
      case BranchEnd::How::kFold:
        why = fmt::format("it folds back near {}", where);
        break;
      case BranchEnd::How::kJump:
        why = fmt::format("it ends near {}, and what is found beyond is on another branch", where);
        break;
      case BranchEnd::How::kNothing:
        why = fmt::format("beyond {} no equilibrium or steady motion was found from there", where);
        break;
      case BranchEnd::How::kUnresolved:
        why = fmt::format("beyond {} it could not be followed", where);
        break;
    }
    return fmt::format("the branch was not followed to {}: {}", to_text(value, 8), why);
  }
  Stability judge(const At& at) const {
    Stability stability = judge_stability(*SteadyAt(given_, at.dynamics, derivatives_), system_.equations, at.motion);
    judge_static_friction(given_, at.motion, stability, at.dynamics.parameters());
    return stability;
  }
  std::nullopt_t refuse(std::string why) {
    stopped_ = std::move(why);
    return std::nullopt;
  }

  const BuiltModel& system_;
  Subject subject_;
  EquationDerivatives derivatives_;
  std::shared_ptr<const Unheld> unheld_;
  const SystemAt& given_;
  bool steady_;
  std::size_t zeros_;
  LinearizeOptions options_;
  SteadyOptions hold_;
  std::vector<double> parameters_;
  double range_;
  Branch branch_;
  std::string stopped_;
  std::function<bool()> keep_on_;
  bool interrupted_ = false;
};

}  // namespace

Result<Variation> vary(const std::string& name, const std::vector<double>& values, const LinearizedModel& from,
                       std::function<bool()> keep_on) {
  Result<Subject> subject = find_subject(name, from.given->system);
  if (!subject) return subject.diagnostics();
  Variation variation;
  variation.name = name;
  variation.unit = subject->unit;
  if (values.empty()) return variation;
  const double start = Follower::value_of(*subject, from.given->system, from.motion.at);
  double range = 0;
  for (const double value : values) range = std::max(range, std::abs(value - start));
  Follower follower(*from.given, *subject, from.motion, from.stability, range, std::move(keep_on));
  for (const std::size_t at : {values.size() / 3, 2 * values.size() / 3})
    follower.count_zeros(values[std::min(at, values.size() - 1)]);
  variation.path = follow(values, [&](double value) { return follower.spectrum(value); });
  // The path ends with the first value at which there is nothing: that is why it stopped.
  if (variation.path.value.size() < values.size()) variation.stopped = follower.stopped();
  for (const double value : variation.path.value) variation.verdict.push_back(follower.verdict(value));
  if (follower.interrupted()) {
    variation.interrupted = true;
    variation.stopped = "interrupted";
  }
  return variation;
}

Json variation_json(const Variation& variation) {
  Json eigenvalues = Json::array(), stability = Json::array(), critical = Json::array();
  for (const Spectrum& spectrum : variation.path.spectrum) {
    Json row = Json::array();
    for (const std::complex<double>& z : spectrum) row.push_back(complex_json(z));
    eigenvalues.push_back(std::move(row));
  }
  for (const StabilityVerdict verdict : variation.verdict)
    stability.push_back(text_or_null(std::string(to_text(verdict))));
  for (const CriticalValue& value : variation.path.critical)
    critical.push_back({{"value", value.value},
                        {"eigenvalue", complex_json(value.eigenvalue)},
                        {"becomes", value.to_unstable ? "unstable" : "stable"}});
  return {{"name", variation.name},
          {"values", list_json(variation.path.value)},
          {"eigenvalues", std::move(eigenvalues)},
          {"stability", std::move(stability)},
          {"critical", std::move(critical)},
          {"stopped", text_or_null(variation.stopped)}};
}

}  // namespace dalembert
