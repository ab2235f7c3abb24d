// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/linearization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "dalembert/analyze/stability/follow.h"
#include "dalembert/analyze/stability/linearize.h"
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

// Linearises at one value after another, each time starting from the nearest value already solved.
class Follower {
 public:
  Follower(const SystemAt& given, Subject subject, const LinearMotion& motion, const Stability& stability,
           std::function<bool()> keep_on)
      : system_(given.system),
        subject_(std::move(subject)),
        derivatives_(system_.equations),
        unheld_(given.unheld),
        given_(given),
        steady_(motion.kind != MotionKind::kState),
        zeros_(stability.zeros),
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
    known_.emplace(current(motion.at), motion.at);
    parameters_.assign(system_.dynamics.parameters().begin(), system_.dynamics.parameters().end());
  }

  struct At {
    LinearMotion motion;
    Dynamics dynamics;
  };
  std::optional<At> linearized(double value) {
    if (keep_on_ && !keep_on_()) {
      interrupted_ = true;
      return std::nullopt;
    }
    Dynamics dynamics = system_.dynamics;
    if (subject_.kind == Subject::Kind::kParameter) {
      std::vector<double> parameters = parameters_;
      parameters[subject_.index] = value;
      dynamics = dynamics.with_parameters(std::move(parameters));
    }
    // What of the equations depends on time may be decided by the value.
    std::optional<EquationDerivatives> own;
    if (derivatives_.values_decide_time() && subject_.kind == Subject::Kind::kParameter) {
      const auto p = dynamics.parameters();
      own.emplace(with_parameters(system_, {p.begin(), p.end()}).equations);
    }
    const SteadyAt steady(given_, dynamics, own ? *own : derivatives_);
    const SteadySystem& system = *steady;
    if (steady_ && !system.is_autonomous())
      return refuse(fmt::format("the equations depend on time at {}", to_text(value, 8)));
    MotionPoint guess = nearest_known(value);
    if (subject_.kind == Subject::Kind::kPosition) guess.q[subject_.index] = value;
    if (subject_.kind == Subject::Kind::kVelocity) guess.v[subject_.index] = value;
    State state{guess.t, guess.q, guess.v};
    if (steady_) {
      const SteadyState found = solve_steady(system, guess, hold_);
      if (!found.found)
        return refuse(fmt::format("no equilibrium or steady motion was found at {}", to_text(value, 8)));
      state = {found.at.t, found.at.q, found.at.v};
      known_.insert_or_assign(value, found.at);
    } else {
      const Assembly assembly =
          assemble(dynamics, state, {.hold_position = hold_.hold_position, .hold_velocity = hold_.hold_velocity});
      if (!assembly.ok()) return refuse(fmt::format("no consistent state was found at {}", to_text(value, 8)));
      state = assembly.state;
      project(dynamics, state);
      guess.q = state.q;
      guess.v = state.v;
      known_.insert_or_assign(value, guess);
    }
    if (unheld_) {
      const auto p = dynamics.parameters();
      const Dynamics moves = unheld_->system.dynamics.with_parameters(std::vector<double>(p.begin(), p.end()));
      const std::string breaks = breaks_mode(moves, unheld_->mode, state);
      if (!breaks.empty()) return refuse(fmt::format("at {}: {}", to_text(value, 8), breaks));
    }
    Result<LinearMotion> motion = linearize(system, state, options_);
    if (!motion) return refuse(motion.diagnostics().front().message);
    return At{std::move(motion).value(), std::move(dynamics)};
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
  const std::string& stopped() const { return stopped_; }
  bool interrupted() const { return interrupted_; }

 private:
  Stability judge(const At& at) const {
    return judge_stability(*SteadyAt(given_, at.dynamics, derivatives_), system_.equations, at.motion);
  }
  std::nullopt_t refuse(std::string why) {
    if (stopped_.empty()) stopped_ = std::move(why);
    return std::nullopt;
  }
  double current(const MotionPoint& at) const {
    switch (subject_.kind) {
      case Subject::Kind::kParameter:
        return system_.dynamics.parameters()[subject_.index];
      case Subject::Kind::kPosition:
        return at.q[subject_.index];
      case Subject::Kind::kVelocity:
        return at.v[subject_.index];
    }
    return 0;
  }
  const MotionPoint& nearest_known(double value) const {
    auto above = known_.lower_bound(value);
    if (above == known_.end()) return std::prev(above)->second;
    if (above == known_.begin()) return above->second;
    const auto below = std::prev(above);
    return value - below->first < above->first - value ? below->second : above->second;
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
  std::map<double, MotionPoint> known_;
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
  Follower follower(*from.given, *subject, from.motion, from.stability, std::move(keep_on));
  for (const std::size_t at : {values.size() / 3, 2 * values.size() / 3})
    follower.count_zeros(values[std::min(at, values.size() - 1)]);
  variation.path = follow(values, [&](double value) { return follower.spectrum(value); });
  for (const double value : variation.path.value) variation.verdict.push_back(follower.verdict(value));
  if (variation.path.value.size() < values.size()) variation.stopped = follower.stopped();
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
