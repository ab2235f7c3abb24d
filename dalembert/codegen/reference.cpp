// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/codegen/integral_code.h"
#include "dalembert/codegen/program_run.h"
#include "dalembert/codegen/reference_motion.h"
#include "dalembert/codegen/single_precision.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/contacts.h"
#include "dalembert/compile/integrals.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/events.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using reference::Answer;
using reference::coordinate_rates;
using reference::events_at;
using reference::EventValues;
using reference::holding;
using reference::integrals_of;
using reference::joined;
using reference::Numbers;
using reference::of_motion;
using reference::own_inputs;
using reference::runge_kutta;
using reference::solve;
using reference::with_integrals;

// Tolerance of a reference value: kSpreads times its spread, the largest difference to kOtherRuns other runs of the
// code whose operations are moved by up to 4 units in the last place (kMovedBy). The operations of a real machine are
// off by half a unit, its functions by a few. Calls of more than kLongWork operations have only kOtherLongRuns other
// runs, and all numbers of an array get the largest tolerance; so do those of any array whose tolerances agree within
// the factor kMuchTheSame.
constexpr double kSpreads = 8;
constexpr std::uint64_t kOtherRuns = 8, kOtherLongRuns = 2;
constexpr std::size_t kLongWork = 1'000'000;
constexpr double kMuchTheSame = 8;

// Random numbers in [−1, 1], the same on every machine.
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

Numbers dense(const Pattern& pattern, const Numbers& entries) {
  Numbers matrix(as_size(pattern.rows) * as_size(pattern.cols));
  for (std::size_t k = 0; k < entries.size(); ++k)
    matrix[as_size(pattern.row[k]) * as_size(pattern.cols) + as_size(pattern.col[k])] = entries[k];
  return matrix;
}

// The mode of the frictions at a state; empty if there are no frictions, or not exactly one motion.
FrictionMode mode_of(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v) {
  const KktSolution solution = solve_kkt(dynamics, {t, q, v});
  const auto& solutions = solution.friction_answer.solutions;
  return solutions.size() == 1 ? solutions.front().mode : FrictionMode();
}

// Contacts that are nearer to h = 0 and slower than this, in SI, are decided (contact_problem.program).
constexpr double kAtContact = 1e-12;

int status_of(ContactStatus status) {
  switch (status) {
    case ContactStatus::kOk:
      return 0;
    case ContactStatus::kNone:
      return 6;
    case ContactStatus::kSingular:
      return 1;
    default:
      return 4;
  }
}

// The direction of friction j as friction_states gives it: ±1, or a component of the direction in a plane; 0 while it sticks.
double direction_of(const FrictionSystem& friction, const FrictionMode& mode, int j) {
  const int first = friction.is_second(j) ? j - 1 : j;
  if (!friction.is_plane(first)) {
    if (!friction.is_idle(j)) return mode[as_size(j)].direction;
    return friction.speed(j) < 0 ? -1 : 1;
  }
  if (!friction.is_idle(j)) return mode[as_size(first)].direction == 0 ? 0 : mode[as_size(j)].along;
  const double size = friction.sliding_speed(first);
  return size > 0 ? friction.speed(j) / size : 0;
}

// The program, and a copy whose projections end earlier, once the largest residual is a few units of round-off of any
// row: another machine may end them one step earlier than this one. A long program
// is not copied where nothing is projected. Only the routines that are wanted run.
struct Runs {
  Runs(const CodeModel& code, const std::vector<std::string>& wanted)
      : run(code.program, code.prepared), only(wanted), single(code.program.single) {
    const auto projects = [](const Routine& routine) { return routine.name.starts_with("project_"); };
    if (std::ranges::none_of(code.program.routines, projects)) return;
    early = std::make_unique<Program>(code.program);
    for (Routine& routine : early->routines)
      if (projects(routine)) end_early(routine.body, code.program.single);
    early_run = std::make_unique<ProgramRun>(*early, code.prepared);
  }
  bool wants(const std::string& routine) const {
    return only.empty() || std::ranges::find(only, routine) != only.end();
  }
  static void end_early(std::vector<Step>& steps, bool single) {
    const double few = single ? round_off_in_single(1e-14) : 1e-14;
    const Term most{Term::kBinary, "*", {{Term::kNumber, to_text(few), {}}, {Term::kName, "most", {}}}};
    for (Step& step : steps) {
      if (step.kind == Step::kIf && step.value.text == "<=" && step.value.arguments[0].text == "size")
        step.value = {Term::kBinary, "<=", {{Term::kName, "largest", {}}, most}};
      end_early(step.body, single);
    }
  }

  ProgramRun run;
  const std::vector<std::string>& only;
  const bool single;
  std::unique_ptr<Program> early;
  std::unique_ptr<ProgramRun> early_run;  // null where it is the same
};

class CaseWriter {
 public:
  CaseWriter(const Dynamics& dynamics, Runs& runs, const KernelJacobian* jacobian, double t, Numbers q, Numbers v)
      : dynamics_(dynamics),
        layout_(dynamics.layout()),
        runs_(runs),
        jacobian_(jacobian),
        t_(t),
        q_(std::move(q)),
        v_(std::move(v)),
        u_(own_inputs(dynamics, t)),
        contacts_(decide_contacts(dynamics, {t, q_, v_}, kAtContact)),
        decided_(dynamics.contacts() == nullptr ? dynamics : dynamics.with_contacts(contacts_.closed)),
        stated_(dynamics.contacts() == nullptr ? dynamics : dynamics.with_all_contacts_closed()),
        mode_(mode_of(decided_, t_, q_, v_)),
        large_(q_.size() + v_.size() > kLongestReference) {}

  ReferenceCase write(std::string what, bool consistent = false);

 private:
  using Given = ProgramRun::Arrays;
  void add(const std::string& routine, Given given, const std::vector<std::string>& names, const Answer& answer);
  Given state(bool with_v = true) const {
    Given given{{"t", {t_}}, {"q", whole(q_)}};
    if (with_v) given.emplace_back("v", v_);
    given.emplace_back("u", u_);
    return given;
  }
  Numbers whole(const Numbers& q) const { return with_integrals(q, integrals_of(dynamics_)); }
  // state(), with the impulses of the last impacts if there are any.
  Given state_with_impulses() const {
    Given given = state();
    add_impulses(given);
    return given;
  }
  void add_impulses(Given& given) const {
    const Contacts* contacts = dynamics_.contacts();
    if (contacts == nullptr || !contacts->keeps_impulses()) return;
    const std::span<const double> kept = dynamics_.parameters().subspan(contacts->stated_parameters, contacts->count());
    given.emplace_back("impulse", Numbers(kept.begin(), kept.end()));
  }
  void add_terms();
  void add_motion();
  void add_frictions();
  void add_contacts();
  std::span<const double> parameters() const {
    const Contacts* contacts = dynamics_.contacts();
    return dynamics_.parameters().first(layout_.integrals > 0 ? as_size(layout_.first_integral)
                                        : contacts == nullptr ? dynamics_.parameters().size()
                                                              : contacts->stated_parameters);
  }
  void add_steps();

  const Dynamics& dynamics_;
  const Layout& layout_;
  Runs& runs_;
  const KernelJacobian* jacobian_;
  const double t_;
  const Numbers q_, v_, u_;
  const ContactDecision contacts_;
  const Dynamics decided_, stated_;  // with the contacts of the state; with all contacts closed, as the rows are stated
  const FrictionMode mode_;
  const bool large_;
  bool has_forces_ = true, is_decided_ = true;  // whether forces, and modes of frictions, are unique
  ReferenceCase case_;
};

// The tolerance for a spread, rounded up to two digits. A number with spread 0 is exact on every machine.
double short_tolerance(double spread) {
  const double tolerance = std::max(kSpreads * spread, 1e-300),
               unit = std::pow(10, std::floor(std::log10(tolerance)) - 1);
  return *parse_double(fmt::format("{:.1e}", std::ceil(tolerance / unit) * unit));
}

// Adds a call, unless its result depends on round-off.
void CaseWriter::add(const std::string& routine, Given given, const std::vector<std::string>& names,
                     const Answer& answer) {
  // What frictions do decides which other calls have results that are certain.
  if (!runs_.wants(routine) && routine != "friction_states") return;
  ReferenceCall call{routine, std::move(given), answer.status, {}};
  const std::span<const double> parameters = this->parameters();
  const ProgramRun::Result here = runs_.run.call(routine, parameters, call.given, 0);
  if (here.status == ProgramRun::kTooLong) return;
  // What double precision tells apart, as dependent rows, single precision may not.
  if (runs_.single && here.status != answer.status) return;
  const bool is_long = here.work > kLongWork;
  std::vector<Numbers> spreads;
  for (const std::string& name : names) spreads.emplace_back(here.array(name).size());
  const bool projects = routine == "project" || routine == "step";
  for (std::uint64_t k = is_long ? kOtherRuns - kOtherLongRuns : 0; k < kOtherRuns; ++k) {
    ProgramRun& run = projects && k % 2 == 0 && runs_.early_run ? *runs_.early_run : runs_.run;
    const ProgramRun::Result there = run.call(routine, parameters, call.given, k + 1);
    if (there.status != here.status) return;
    for (std::size_t a = 0; a < names.size(); ++a) {
      const Numbers &x = here.array(names[a]), &y = there.array(names[a]);
      for (std::size_t i = 0; i < x.size(); ++i) spreads[a][i] = std::max(spreads[a][i], std::abs(x[i] - y[i]));
    }
  }
  for (std::size_t a = 0; answer.status == 0 && a < names.size(); ++a) {
    const Numbers& values = answer.arrays[a];
    if (values.empty()) continue;
    // The number of steps onto the constraints depends on chance, so a number that is 0 here may be round-off squared
    // on another machine. All entries of a solution of a linear system have the absolute error of the largest: an entry
    // that is 0 with one order of elimination is round-off with another.
    double largest = 0;
    for (const double x : values) largest = std::max(largest, std::abs(x));
    const double eps = runs_.single ? kSingleEpsilon : kEps;
    const double left = projects ? eps * eps * largest : routine == "accelerations" ? eps * largest : 0;
    // A large and so uncertain result comes from a division by round-off. Its spread has no bound, so it is not
    // compared.
    const double uncertain = runs_.single ? limit_in_single(1e-3) : 1e-3;
    if (largest > 1 && std::ranges::max(spreads[a]) > uncertain * largest) return;
    ExpectedArray expected{names[a], {}, {}, 1};
    if (values.size() > kLongestReference) expected.stride = values.size() / 16;
    for (std::size_t i = 0; i < values.size(); i += expected.stride) {
      if (!std::isfinite(values[i]) || !std::isfinite(spreads[a][i])) return;
      expected.values.push_back(values[i]);
      expected.tolerances.push_back(short_tolerance(std::max(spreads[a][i], left)));
    }
    const auto [least, most] = std::ranges::minmax(expected.tolerances);
    if (is_long || most <= kMuchTheSame * least) expected.tolerances = {most};
    call.expected.push_back(std::move(expected));
  }
  case_.calls.push_back(std::move(call));
}

void CaseWriter::add_terms() {
  const State at{t_, q_, v_};
  if (layout_.inputs > 0) add("inputs", {{"t", {t_}}}, {"u"}, {0, {u_}});
  if (!large_) {
    const Terms terms = evaluate_terms(dynamics_, at);
    add("terms", state(), {"M", "B", "G", "F", "W", "a", "gamma"},
        {0, {dense(layout_.M, terms.M), terms.B, terms.G, terms.F, dense(layout_.W, terms.W), terms.a, terms.gamma}});
  }
  Workspace workspace(dynamics_);
  Numbers conserved(as_size(layout_.conserved));
  const Energy e = energy(dynamics_, t_, q_.data(), v_.data(), workspace, conserved.data());
  Numbers all{e.kinetic, e.potential, e.total, e.partial_t, e.power};
  all.insert(all.end(), conserved.begin(), conserved.end());
  add("energy", state(), {"e"}, {0, {all}});
  if (!layout_.holonomic.empty()) add("position_residual", state(false), {"h"}, {0, {position_residual(stated_, at)}});
  if (layout_.m > 0) add("velocity_residual", state(), {"residual"}, {0, {velocity_residual(stated_, at)}});
  add("coordinate_rates", state(), {"qdot"}, {0, {coordinate_rates(dynamics_, t_, q_, v_)}});
}

void CaseWriter::add_frictions() {
  if (layout_.load_dependent()) {
    Workspace workspace(dynamics_);
    Numbers out(output_size(layout_, KernelFunction::kFriction));
    evaluate_inputs(dynamics_, t_, workspace);
    call_kernel(dynamics_, KernelFunction::kFriction, t_, q_.data(), v_.data(), workspace, out.data());
    const FrictionPlaces at(layout_);
    const auto part = [&](std::size_t first, std::size_t count) {
      return Numbers(out.begin() + static_cast<std::ptrdiff_t>(first),
                     out.begin() + static_cast<std::ptrdiff_t>(first + count));
    };
    std::vector<std::string> names{"Phi"};
    Answer answer{0, {dense(layout_.Phi, part(at.Phi, at.C - at.Phi))}};
    if (layout_.frictions > 0) {
      names = {"Phi", "C", "dN", "c0", "gamma_c", "N0", "mu", "mu_s", "c_v"};
      answer.arrays.push_back(dense(layout_.C, part(at.C, at.load - at.C)));
      answer.arrays.push_back(dense(layout_.load, part(at.load, at.c0 - at.load)));
      for (const std::size_t first : {at.c0, at.gamma, at.N0, at.mu, at.mu_s, at.viscous})
        answer.arrays.push_back(part(first, as_size(layout_.frictions)));
    }
    add("load_terms", state(), names, answer);
  }
  if (mode_.empty()) return;
  if (contacts_.status != ContactStatus::kOk) return;
  Workspace workspace = holding(decided_, mode_);
  Answer answer{solve(decided_, t_, q_, v_, workspace).status, {{}, {}, {}}};
  for (int j = 0; j < workspace.friction->count(); ++j) {
    const bool idle = workspace.friction->is_idle(j);
    const double speed = workspace.friction->speed(j);
    answer.arrays[0].push_back(direction_of(*workspace.friction, mode_, j));
    answer.arrays[1].push_back(speed);
    answer.arrays[2].push_back(idle ? 0 : workspace.friction->normal(j));
  }
  // If forces are undetermined in several directions, two searches find different ones, so forces are not compared.
  const FrictionSystem& friction = *workspace.friction;
  has_forces_ = !friction.sticks() || friction.active() - friction.rank() < 2;
  std::vector<std::string> names{"slides", "speed"};
  if (has_forces_) names.emplace_back("normal");
  add("friction_states", state(), names, answer);
  // If a normal force that depends on multipliers is only round-off, chance decides the mode of its friction.
  const ReferenceCall& states = case_.calls.back();
  is_decided_ = has_forces_ && states.routine == "friction_states" && states.status == 0;
  for (int j = 0; is_decided_ && j < friction.count(); ++j)
    is_decided_ = !friction.has_load(j) || std::abs(friction.normal(j)) > states.expected.back().tolerance(as_size(j));
}

void CaseWriter::add_contacts() {
  if (dynamics_.contacts() == nullptr) return;
  const State at{t_, q_, v_};
  const Numbers rates = velocity_residual(stated_, at);
  Answer answer{contacts_.status == ContactStatus::kParadox ? (contacts_.answer.solutions.empty() ? 6 : 7)
                                                            : status_of(contacts_.status),
                {{}, gaps_of(dynamics_, at), {}}};
  // Exported code looks at all inertias, decide_contacts() at those that a contact at rest is coupled to.
  const bool looks = layout_.frictions > 0 || std::ranges::find(contacts_.closed, 1) != contacts_.closed.end();
  Workspace workspace_of_motion(decided_);
  if (answer.status == 0 && looks) answer.status = solve(decided_, t_, q_, v_, workspace_of_motion).status == 1 ? 1 : 0;
  std::vector<char> some;
  Numbers given;
  for (const Contacts::Contact& one : dynamics_.contacts()->contacts) {
    answer.arrays[0].push_back(answer.status == 0 ? contacts_.closed[some.size()] : 0);
    answer.arrays[2].push_back(rates[as_size(one.row)]);
    some.push_back(some.size() % 2 == 0 ? 1 : 0);
    given.push_back(some.back());
  }
  add("contact_states", state(), {"closed", "gap", "rate"}, answer);
  if (layout_.frictions > 0) return;
  const Dynamics with_some = dynamics_.with_contacts(some);
  Workspace workspace(with_some);
  Given list = state();
  list.emplace_back("closed", given);
  add("accelerations_closed", list, {"vdot", "lambda"}, solve(with_some, t_, q_, v_, workspace));
}

void CaseWriter::add_motion() {
  add_frictions();
  add_contacts();
  const bool slides = layout_.frictions > 0;
  std::vector<std::string> names{"vdot"};
  if (has_forces_) names.emplace_back("lambda");
  if (has_forces_ && slides) names.emplace_back("friction");
  Workspace workspace(decided_);
  Answer motion = solve(decided_, t_, q_, v_, workspace);
  if (contacts_.status == ContactStatus::kParadox)
    motion = {contacts_.answer.solutions.empty() ? 6 : 7, {}};
  else if (contacts_.status != ContactStatus::kOk)
    motion = {status_of(contacts_.status), {}};
  add("accelerations", state(), names, motion);
  if (motion.status != 0) return;
  const Numbers &vdot = motion.arrays[0], &lambda = motion.arrays[1], &friction = motion.arrays[2];
  // The arguments of outputs and of the power balance.
  const auto given = [&](bool with_vdot) {
    Given list{{"t", {t_}}, {"q", whole(q_)}, {"v", v_}};
    if (with_vdot) list.emplace_back("vdot", vdot);
    list.emplace_back("lambda", lambda);
    if (slides) list.emplace_back("friction", friction);
    if (with_vdot) add_impulses(list);
    list.emplace_back("u", u_);
    return list;
  };
  const auto found = [&](const Dynamics& dynamics, KernelFunction function) {
    return Answer{0, {of_motion(dynamics, function, {t_, q_, v_}, motion)}};
  };
  if (layout_.outputs > 0 && !large_) add("outputs", given(true), {"y"}, found(decided_, KernelFunction::kOutputs));
  if (layout_.integrals > 0 && !large_)
    add("integrands", given(true), {"dz"}, found(decided_, KernelFunction::kIntegrands));
  if (!large_) add("power_balance", given(false), {""}, found(stated_, KernelFunction::kPower));
  if (dynamics_.events() != nullptr && has_forces_) {
    const EventValues events = events_at(decided_, {t_, q_, v_}, vdot, joined(motion));
    add("event_states", state_with_impulses(), {"value", "rate", "holds"},
        {0, {events.value, events.rate, events.holds}});
  }
  if (jacobian_ == nullptr) return;
  // The Jacobian has a value only where the kernel's own solve can be trusted.
  Numbers out(as_size(jacobian_->pattern().nonzeros())), work(jacobian_->work());
  jacobian_->call(
      {.t = t_, .q = q_.data(), .v = v_.data(), .u = u_.data(), .p = decided_.parameters().data(), .work = work.data()},
      out.data());
  add("jacobian", state(), {"J"}, {workspace.fallbacks == 0 ? 0 : 4, {dense(jacobian_->pattern(), out)}});
}

void CaseWriter::add_steps() {
  const double off = runs_.single ? limit_in_single(1e-6) : 1e-6;
  State beside{t_, q_, v_};
  Random random(3);
  for (double& x : beside.q) x += off * random.next();
  for (double& x : beside.v) x += off * random.next();
  const Given given{{"t", {t_}}, {"q", whole(beside.q)}, {"v", beside.v}, {"u", u_}};
  // A state beside the constraints of contacts is at h = 0 of none, or of another one.
  if (layout_.m > 0 && dynamics_.contacts() == nullptr) {
    const Projection projection = project(dynamics_, beside);
    // Where the library finds no projection there is nothing to compare with.
    if (projection.ok && projection.position_roundoff < 1e3 && projection.velocity_roundoff < 1e3)
      add("project", given, {"q", "v"}, {0, {whole(beside.q), beside.v}});
  }
  double rate = 1;
  for (const double x : v_) rate = std::max(rate, std::abs(x));
  const double h = 1e-3 / rate;
  if (!is_decided_) return;
  const Answer step = runge_kutta(decided_, t_, h, q_, v_, mode_);
  Given from{{"t", {t_}}, {"h", {h}}, {"q", whole(q_)}, {"v", v_}};
  add_impulses(from);
  if (step.status == 0) add("step", from, {"q", "v"}, step);
}

ReferenceCase CaseWriter::write(std::string what, bool consistent) {
  case_.what = std::move(what);
  case_.parameters.assign(parameters().begin(), parameters().end());
  add_terms();
  add_motion();
  if (consistent) add_steps();
  std::erase_if(case_.calls, [&](const ReferenceCall& call) { return !runs_.wants(call.routine); });
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

namespace {

// The model's consistent start, its coordinates without the integrals.
Assembly start_of(const Equations& equations, const CodeModel& code) {
  Assembly start = assemble_start(equations, code.dynamics);
  if (start.ok())
    project(with_contacts_decided(code.dynamics, start.state), start.state);
  else
    start.state = initial_state(*equations.model);
  return start;
}

}  // namespace

Assembly code_start(const Equations& equations, const CodeModel& code) {
  Assembly start = start_of(equations, code);
  start.state.q = with_integrals(std::move(start.state.q), integrals_of(code.dynamics));
  return start;
}

std::vector<ReferenceCase> reference_cases(const Equations& equations, const CodeModel& code,
                                           const std::vector<std::string>& only) {
  const Dynamics& dynamics = code.dynamics;
  std::vector<ReferenceCase> cases;
  Runs runs(code, only);
  const Layout& layout = code.layout();
  const std::size_t numbers = as_size(layout.state_size() + layout.integrals);
  if (numbers > kLongestReference) {
    Numbers q(as_size(layout.nq)), v(as_size(layout.nv)), z(as_size(layout.integrals));
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = state_entry(i);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = state_entry(i);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = state_entry(q.size() + i);
    Dynamics there = dynamics;
    there.set_parameters(as_size(layout.first_integral), z);
    cases.push_back(CaseWriter(there, runs, nullptr, 0.25, q, v).write("a state off the constraints"));
    return cases;
  }
  std::optional<KernelJacobian> jacobian;
  if (code.has_jacobian) {
    const Equations whole =
        with_contact_switches(with_integral_parameters(with_prescribed_rows(on_overlay(equations))));
    jacobian.emplace(whole, KernelFunction::kAccelerations,
                     code_arguments(whole, {SymbolKind::kCoordinate, SymbolKind::kVelocity, SymbolKind::kInput}));
  }
  const KernelJacobian* derivatives = jacobian ? &*jacobian : nullptr;
  const Assembly start = start_of(equations, code);
  if (start.ok())
    cases.push_back(CaseWriter(dynamics, runs, derivatives, start.state.t, start.state.q, start.state.v)
                        .write("the model's start", true));
  constexpr int kTries = 40;
  for (int k = 1, found = 0; k <= kTries && found < 2; ++k) {
    Random random(static_cast<std::uint64_t>(k));
    const double size = k <= kTries / 2 ? 0.2 : 0.02;
    Numbers parameters(dynamics.parameters().begin(), dynamics.parameters().end()), q = start.state.q,
                                                                                    v = start.state.v;
    for (double& p : parameters) p *= 1 + 0.01 * random.next();
    if (const Contacts* contacts = dynamics.contacts())
      for (std::size_t i = contacts->stated_parameters; i < contacts->first_parameter; ++i)
        parameters[i] = 1 + random.next();
    for (int i = 0; i < layout.integrals; ++i) parameters[as_size(layout.first_integral + i)] = random.next();
    for (double& x : q) x += size * random.next();
    for (double& x : v) x += size * random.next();
    const Dynamics other = dynamics.with_parameters(parameters);
    const double t = start.state.t + 0.1 * (1 + found);
    if (!is_good(other, t, q, v)) continue;
    cases.push_back(CaseWriter(other, runs, derivatives, t, q, v)
                        .write(fmt::format("state {} off the constraints, other parameters", ++found)));
  }
  // If there is no other case, statuses at the initial values are compared.
  if (cases.empty())
    cases.push_back(CaseWriter(dynamics, runs, derivatives, start.state.t, start.state.q, start.state.v)
                        .write("the model's initial values"));
  return cases;
}

}  // namespace dalembert
