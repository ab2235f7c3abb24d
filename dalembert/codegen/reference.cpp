// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "dalembert/compile/compile.h"
#include "dalembert/compile/kernel_jacobian.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using Numbers = std::vector<double>;

// Numbers in [−1, 1] that are the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 6364136223846793005u + 1442695040888963407u) {}
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state_ >> 33)) / 1073741824.0 - 1.0;
  }

 private:
  std::uint64_t state_;
};

struct Answer {
  int status = 0;
  std::vector<Numbers> arrays;  // in the order of ExpectedArray
};
using Function = std::function<Answer(const Dynamics&, double t, const Numbers& q, const Numbers& v)>;

int status_of(KktStatus status, const FrictionAnswer& friction = {}) {
  switch (status) {
    case KktStatus::kOk:
      return 0;
    case KktStatus::kSingular:
      return 1;
    case KktStatus::kInconsistent:
      return 2;
    case KktStatus::kNotFinite:
      return 3;
    case KktStatus::kParadox:
      return friction.solutions.empty() ? 6 : 7;
    default:
      return 4;
  }
}

Numbers dense(const Pattern& pattern, const Numbers& entries) {
  Numbers matrix(as_size(pattern.rows) * as_size(pattern.cols));
  for (std::size_t k = 0; k < entries.size(); ++k)
    matrix[as_size(pattern.row[k]) * as_size(pattern.cols) + as_size(pattern.col[k])] = entries[k];
  return matrix;
}

Numbers own_inputs(const Dynamics& dynamics, double t) {
  Numbers work(dynamics.layout().work), u(as_size(dynamics.layout().inputs));
  if (!u.empty()) dynamics.inputs(t, work.data(), u.data());
  return u;
}

Answer solve(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v) {
  const KktSolution solution = solve_kkt(dynamics, {t, q, v});
  return {status_of(solution.status, solution.friction_answer), {solution.qdd, solution.lambda, solution.friction}};
}

// What the frictions of a state do; of a state without a motion, or without frictions, nothing.
FrictionMode mode_of(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v) {
  const KktSolution solution = solve_kkt(dynamics, {t, q, v});
  const auto& solutions = solution.friction_answer.solutions;
  return solutions.size() == 1 ? solutions.front().mode : FrictionMode();
}

// While frictions do that, whatever the state would have them do: results move a little when the state does.
Workspace holding(const Dynamics& dynamics, const FrictionMode& mode) {
  Workspace workspace(dynamics);
  if (mode.empty()) return workspace;
  workspace.friction->mode = mode;
  workspace.friction->held = true;
  return workspace;
}

Answer solve_in_mode(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v, Workspace& workspace) {
  const KktSolution solution = solve_kkt(dynamics, {t, q, v}, workspace);
  return {status_of(solution.status), {solution.qdd, solution.lambda, solution.friction}};
}

// Whether frictions that did this would do something else, but for round-off.
bool has_left(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  if (!workspace.friction || workspace.friction->count() == 0) return false;
  const Answer motion = solve_in_mode(dynamics, state.t, state.q, state.v, workspace);
  const FrictionSolver& friction = *workspace.friction;
  for (int j = 0; j < friction.count(); ++j) {
    const FrictionState& does = friction.mode[as_size(j)];
    const double noise = 1e-9 * friction.load_size(j), N = friction.normal(j);
    if (does.direction == 0
            ? std::abs(motion.arrays[2][as_size(j)]) > friction.static_coefficient(j) * (std::abs(N) + noise)
            : does.direction * friction.speed(j) < 0 || (friction.has_load(j) && does.load * N < -noise))
      return true;
  }
  return false;
}

Numbers coordinate_rates(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v) {
  Workspace workspace(dynamics);
  Numbers qdot(q.size());
  find_qdot(dynamics, t, q.data(), v.data(), workspace, qdot.data());
  return qdot;
}

// The classical method, by the library's solver and projection; no answer where frictions change on the way.
Answer runge_kutta(const Dynamics& dynamics, double t, double h, const Numbers& q, const Numbers& v,
                   const FrictionMode& mode) {
  Workspace workspace = holding(dynamics, mode);
  Numbers q_sum = q, v_sum = v, q_at = q, v_at = v;
  constexpr double kAhead[] = {0, 0.5, 0.5, 1}, kWeight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const double at = t + kAhead[stage] * h;
    const Numbers qdot = coordinate_rates(dynamics, at, q_at, v_at);
    const Answer motion = solve_in_mode(dynamics, at, q_at, v_at, workspace);
    if (motion.status != 0) return {motion.status, {}};
    const double next = stage < 3 ? kAhead[stage + 1] * h : 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      q_sum[i] += kWeight[stage] * h * qdot[i];
      q_at[i] = q[i] + next * qdot[i];
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      v_sum[i] += kWeight[stage] * h * motion.arrays[0][i];
      v_at[i] = v[i] + next * motion.arrays[0][i];
    }
  }
  State state{t + h, q_sum, v_sum};
  const Projection projection = project(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  if (has_left(dynamics, state, workspace)) return {-1, {}};
  return {projection.ok ? 0 : 5, {state.q, state.v}};
}

class CaseWriter {
 public:
  CaseWriter(const Dynamics& dynamics, const KernelJacobian* jacobian, double t, Numbers q, Numbers v)
      : dynamics_(dynamics),
        layout_(dynamics.layout()),
        jacobian_(jacobian),
        t_(t),
        q_(std::move(q)),
        v_(std::move(v)),
        u_(own_inputs(dynamics, t)),
        mode_(mode_of(dynamics, t_, q_, v_)),
        large_(q_.size() + v_.size() > kLongestReference) {}

  ReferenceCase write(std::string what, bool consistent = false);

 private:
  // Adds a call unless something that it returns is not finite.
  void add(const std::string& routine, std::vector<std::pair<std::string, Numbers>> given,
           std::vector<std::string> names, const Function& function, double factor = 1);
  std::vector<std::pair<std::string, Numbers>> state(bool with_v = true) const {
    std::vector<std::pair<std::string, Numbers>> given{{"t", {t_}}, {"q", q_}};
    if (with_v) given.emplace_back("v", v_);
    given.emplace_back("u", u_);
    return given;
  }
  void add_terms();
  void add_motion();
  void add_frictions();
  void add_steps();

  const Dynamics& dynamics_;
  const Layout& layout_;
  const KernelJacobian* jacobian_;
  const double t_;
  const Numbers q_, v_, u_;
  const FrictionMode mode_;
  const bool large_;
  ReferenceCase case_;
};

void CaseWriter::add(const std::string& routine, std::vector<std::pair<std::string, Numbers>> given,
                     std::vector<std::string> names, const Function& function, double factor) {
  const Answer answer = function(dynamics_, t_, q_, v_);
  ReferenceCall call{routine, std::move(given), answer.status, {}};
  if (answer.status != 0) {
    case_.calls.push_back(std::move(call));
    return;
  }
  // How far results move when the state does, relative to how much it does.
  constexpr double kChange = 1.0 / (1 << 26);
  std::vector<double> moved(names.size());
  Random random(7);
  for (int k = 0; k < (large_ ? 1 : 3); ++k) {
    Numbers q = q_, v = v_;
    for (double& x : q) x *= 1 + kChange * random.next();
    for (double& x : v) x *= 1 + kChange * random.next();
    const Answer other = function(dynamics_, t_ * (1 + kChange * random.next()), q, v);
    if (other.status != 0) return;  // at the edge of what has an answer
    for (std::size_t a = 0; a < names.size(); ++a)
      for (std::size_t i = 0; i < answer.arrays[a].size(); ++i)
        moved[a] = std::max(moved[a], std::abs(other.arrays[a][i] - answer.arrays[a][i]) / kChange);
  }
  for (std::size_t a = 0; a < names.size(); ++a) {
    const Numbers& values = answer.arrays[a];
    if (values.empty()) continue;
    double largest = 0;
    for (const double x : values) largest = std::max(largest, std::isfinite(x) ? std::abs(x) : HUGE_VAL);
    ExpectedArray expected{names[a], {}, 1, factor * kSelfTestTolerance * (largest + moved[a])};
    if (!std::isfinite(expected.tolerance)) return;
    if (factor > 1) expected.tolerance += 1e-14;
    if (expected.tolerance == 0) expected.tolerance = 1e-300;
    if (values.size() > kLongestReference) expected.stride = values.size() / 16;
    for (std::size_t i = 0; i < values.size(); i += expected.stride) expected.values.push_back(values[i]);
    call.expected.push_back(std::move(expected));
  }
  case_.calls.push_back(std::move(call));
}

void CaseWriter::add_terms() {
  if (layout_.inputs > 0)
    add("inputs", {{"t", {t_}}}, {"u"}, [](const Dynamics& d, double t, const Numbers&, const Numbers&) {
      return Answer{0, {own_inputs(d, t)}};
    });
  if (!large_)
    add("terms", state(), {"M", "B", "G", "F", "W", "a", "gamma"},
        [](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
          const Terms terms = evaluate_terms(d, {t, q, v});
          return Answer{0,
                        {dense(d.layout().M, terms.M), terms.B, terms.G, terms.F, dense(d.layout().W, terms.W), terms.a,
                         terms.gamma}};
        });
  add("energy", state(), {"e"}, [](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
    Workspace workspace(d);
    Numbers conserved(as_size(d.layout().conserved));
    const Energy e = energy(d, t, q.data(), v.data(), workspace, conserved.data());
    Numbers all{e.kinetic, e.potential, e.total, e.partial_t, e.power};
    all.insert(all.end(), conserved.begin(), conserved.end());
    return Answer{0, {all}};
  });
  if (!layout_.holonomic.empty())
    add("position_residual", state(false), {"h"}, [](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
      return Answer{0, {position_residual(d, {t, q, v})}};
    });
  if (layout_.m > 0)
    add("velocity_residual", state(), {"residual"},
        [](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
          return Answer{0, {velocity_residual(d, {t, q, v})}};
        });
  add("coordinate_rates", state(), {"qdot"}, [](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
    return Answer{0, {coordinate_rates(d, t, q, v)}};
  });
}

void CaseWriter::add_frictions() {
  const auto pack = [](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
    Workspace workspace(d);
    Numbers out(output_size(d.layout(), KernelFunction::kFriction));
    evaluate_inputs(d, t, workspace);
    call_kernel(d, KernelFunction::kFriction, t, q.data(), v.data(), workspace, out.data());
    const Layout& layout = d.layout();
    const FrictionPlaces at(layout);
    const auto part = [&](std::size_t first, std::size_t count) {
      return Numbers(out.begin() + static_cast<std::ptrdiff_t>(first),
                     out.begin() + static_cast<std::ptrdiff_t>(first + count));
    };
    Answer answer{0, {dense(layout.Phi, part(at.Phi, at.C - at.Phi))}};
    if (layout.frictions == 0) return answer;
    answer.arrays.push_back(dense(layout.C, part(at.C, at.load - at.C)));
    answer.arrays.push_back(dense(layout.load, part(at.load, at.c0 - at.load)));
    for (const std::size_t first : {at.c0, at.gamma, at.N0, at.mu, at.mu_s, at.viscous})
      answer.arrays.push_back(part(first, as_size(layout.frictions)));
    return answer;
  };
  if (layout_.load_dependent())
    add("load_terms", state(),
        layout_.frictions > 0 ? std::vector<std::string>{"Phi", "C", "dN", "c0", "gamma_c", "N0", "mu", "mu_s", "c_v"}
                              : std::vector<std::string>{"Phi"},
        pack);
  if (mode_.empty()) return;
  add("friction_states", state(), {"slides", "speed", "normal"},
      [this](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
        Workspace workspace = holding(d, mode_);
        Answer answer{solve_in_mode(d, t, q, v, workspace).status, {{}, {}, {}}};
        for (int j = 0; j < workspace.friction->count(); ++j) {
          answer.arrays[0].push_back(mode_[as_size(j)].direction);
          answer.arrays[1].push_back(workspace.friction->speed(j));
          answer.arrays[2].push_back(workspace.friction->normal(j));
        }
        return answer;
      });
}

void CaseWriter::add_motion() {
  add_frictions();
  const bool slides = layout_.frictions > 0;
  std::vector<std::string> names{"vdot", "lambda"};
  if (slides) names.push_back("friction");
  if (mode_.empty())
    add("accelerations", state(), names, solve);
  else
    add("accelerations", state(), names, [this](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
      Workspace workspace = holding(d, mode_);
      return solve_in_mode(d, t, q, v, workspace);
    });
  const Answer motion = solve(dynamics_, t_, q_, v_);
  if (motion.status != 0) return;
  const Numbers &vdot = motion.arrays[0], &lambda = motion.arrays[1], &friction = motion.arrays[2];
  Numbers multipliers = lambda;
  multipliers.insert(multipliers.end(), friction.begin(), friction.end());
  // What outputs and the power balance are given.
  const auto given = [&](bool with_vdot) {
    std::vector<std::pair<std::string, Numbers>> list{{"t", {t_}}, {"q", q_}, {"v", v_}};
    if (with_vdot) list.emplace_back("vdot", vdot);
    list.emplace_back("lambda", lambda);
    if (slides) list.emplace_back("friction", friction);
    list.emplace_back("u", u_);
    return list;
  };
  const auto kernel = [&](KernelFunction function, std::size_t size) {
    return [&vdot, &multipliers, function, size](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
      Numbers out(size), work(d.layout().work);
      const Numbers u = own_inputs(d, t);
      d.kernel().call(function,
                      {.t = t,
                       .q = q.data(),
                       .v = v.data(),
                       .qdd = vdot.data(),
                       .lambda = multipliers.data(),
                       .u = u.data(),
                       .p = d.parameters().data(),
                       .prepared = d.prepared(),
                       .work = work.data()},
                      out.data());
      return Answer{0, {out}};
    };
  };
  if (layout_.outputs > 0 && !large_)
    add("outputs", given(true), {"y"}, kernel(KernelFunction::kOutputs, as_size(layout_.outputs)));
  if (!large_) add("power_balance", given(false), {""}, kernel(KernelFunction::kPower, 1));
  if (jacobian_ == nullptr) return;
  const KernelJacobian& jacobian = *jacobian_;
  add("jacobian", state(), {"J"}, [&](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
    Numbers out(as_size(jacobian.pattern().nonzeros())), work(jacobian.work());
    const Numbers u = own_inputs(d, t);
    jacobian.call(
        {.t = t, .q = q.data(), .v = v.data(), .u = u.data(), .p = d.parameters().data(), .work = work.data()},
        out.data());
    return Answer{0, {dense(jacobian.pattern(), out)}};
  });
}

// Iterations end at round-off, a few of which may be left.
void CaseWriter::add_steps() {
  constexpr double kIterated = 30;
  // So little beside the constraints that the order of the iterations does not matter. Where the library projects densely, it
  // takes the masses of where it begins, code those of each iteration, which is of second order.
  const double off = layout_.load_dependent() ? 1e-8 : 1e-6;
  Numbers q_off = q_, v_off = v_;
  Random random(3);
  for (double& x : q_off) x += off * random.next();
  for (double& x : v_off) x += off * random.next();
  if (layout_.m > 0)
    add(
        "project", {{"t", {t_}}, {"q", q_off}, {"v", v_off}, {"u", u_}}, {"q", "v"},
        [&](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
          State state{t, q, v};
          for (std::size_t i = 0; i < q.size(); ++i) state.q[i] += q_off[i] - q_[i];
          for (std::size_t i = 0; i < v.size(); ++i) state.v[i] += v_off[i] - v_[i];
          const Projection projection = project(d, state);
          const bool there = projection.ok && projection.position_roundoff < 1e3 && projection.velocity_roundoff < 1e3;
          return Answer{there ? 0 : -1, {state.q, state.v}};
        },
        kIterated);
  double rate = 1;
  for (const double x : v_) rate = std::max(rate, std::abs(x));
  const double h = 1e-3 / rate;
  add(
      "step", {{"t", {t_}}, {"h", {h}}, {"q", q_}, {"v", v_}}, {"q", "v"},
      [this, h](const Dynamics& d, double t, const Numbers& q, const Numbers& v) {
        return runge_kutta(d, t, h, q, v, mode_);
      },
      kIterated);
  // Where the library has none there is nothing to compare with.
  std::erase_if(case_.calls, [](const ReferenceCall& call) {
    return (call.routine == "project" || call.routine == "step") && call.status != 0;
  });
}

ReferenceCase CaseWriter::write(std::string what, bool consistent) {
  case_.what = std::move(what);
  case_.parameters.assign(dynamics_.parameters().begin(), dynamics_.parameters().end());
  add_terms();
  add_motion();
  if (consistent) add_steps();
  return std::move(case_);
}

bool is_good(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v) {
  Workspace workspace(dynamics);
  Numbers vdot(as_size(dynamics.nv())), lambda(as_size(dynamics.layout().multipliers()));
  const KktStatus status = solve_kkt(dynamics, t, q.data(), v.data(), workspace, vdot.data(), lambda.data());
  return status == KktStatus::kOk && workspace.kkt.rank() == dynamics.m() && workspace.kkt.independence() > 1e-3;
}

}  // namespace

const std::vector<double>& ReferenceCall::value(const std::string& parameter) const {
  static const std::vector<double> nothing;
  for (const auto& [name, numbers] : given)
    if (name == parameter) return numbers;
  return nothing;
}

CodeStart code_start(const Equations& equations, const CodeModel& code) {
  CodeStart start;
  const InitialState initial = initial_state(*equations.model);
  Assembly assembly = assemble_start(equations, code.dynamics, initial);
  start.known = assembly.ok();
  start.state = start.known ? std::move(assembly.state) : initial.state;
  if (start.known) project(code.dynamics, start.state);
  return start;
}

std::vector<ReferenceCase> reference_cases(const Equations& equations, const CodeModel& code) {
  const Dynamics& dynamics = code.dynamics;
  std::vector<ReferenceCase> cases;
  const std::size_t numbers = as_size(code.layout().state_size());
  if (numbers > kLongestReference) {
    Numbers q(as_size(code.layout().nq)), v(as_size(code.layout().nv));
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = state_entry(i);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = state_entry(i);
    cases.push_back(CaseWriter(dynamics, nullptr, 0.25, q, v).write("a state beside the constraints"));
    return cases;
  }
  std::optional<KernelJacobian> jacobian;
  if (code.has_jacobian) {
    const Equations whole = with_prescribed_rows(on_overlay(equations));
    jacobian.emplace(whole, KernelFunction::kAccelerations,
                     entries_of(whole, {TapeArray::kCoordinate, TapeArray::kVelocity, TapeArray::kInput}));
  }
  const KernelJacobian* derivatives = jacobian ? &*jacobian : nullptr;
  const CodeStart start = code_start(equations, code);
  if (start.known)
    cases.push_back(CaseWriter(dynamics, derivatives, start.state.t, start.state.q, start.state.v)
                        .write("the model's start", true));
  constexpr int kTries = 40;
  for (int k = 1, found = 0; k <= kTries && found < 2; ++k) {
    Random random(static_cast<std::uint64_t>(k));
    const double size = k <= kTries / 2 ? 0.2 : 0.02;
    Numbers parameters(dynamics.parameters().begin(), dynamics.parameters().end()), q = start.state.q,
                                                                                    v = start.state.v;
    for (double& p : parameters) p *= 1 + 0.01 * random.next();
    for (double& x : q) x += size * random.next();
    for (double& x : v) x += size * random.next();
    const Dynamics other = dynamics.with_parameters(parameters);
    const double t = start.state.t + 0.1 * (1 + found);
    if (!is_good(other, t, q, v)) continue;
    cases.push_back(CaseWriter(other, derivatives, t, q, v)
                        .write(fmt::format("state {} beside the constraints, other parameters", ++found)));
  }
  // Statuses are compared where there is nothing else.
  if (cases.empty())
    cases.push_back(CaseWriter(dynamics, derivatives, start.state.t, start.state.q, start.state.v)
                        .write("the model's initial values"));
  return cases;
}

}  // namespace dalembert
