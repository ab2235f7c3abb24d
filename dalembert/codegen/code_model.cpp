// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/code_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/codegen/assembly_code.h"
#include "dalembert/codegen/contact_code.h"
#include "dalembert/codegen/contact_friction_code.h"
#include "dalembert/codegen/derivative_code.h"
#include "dalembert/codegen/event_code.h"
#include "dalembert/codegen/friction_code.h"
#include "dalembert/codegen/identifiers.h"
#include "dalembert/codegen/integral_code.h"
#include "dalembert/codegen/samples.h"
#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/tape_routine.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/kkt_emission.h"
#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/subnormals.h"

namespace dalembert {
namespace {

struct KernelRoutine {
  KernelFunction function;
  std::string_view name, parameters, comment;
};

constexpr KernelRoutine kRoutines[] = {
    {KernelFunction::kPosition, "position", "real t, in q[nq], in u[nu]",
     "h, then the size of its terms where v is not the rate of q."},
    {KernelFunction::kVelocity, "velocity", "real t, in q[nq], in u[nu]", "The entries of W, then a."},
    {KernelFunction::kKinematics, "kinematics", "real t, in q[nq], in u[nu]", "The entries of N, then n0."},
    {KernelFunction::kMass, "mass", "real t, in q[nq], in v[nv], in u[nu]", "The entries of M."},
    {KernelFunction::kTerms, "terms", "real t, in q[nq], in v[nv], in u[nu]",
     "The entries of M, B, G, F, the entries of W, a, gamma."},
    {KernelFunction::kRates, "rates", "real t, in q[nq], in v[nv], in u[nu]",
     "The entries of M, F - B - G, the entries of W, gamma."},
    {KernelFunction::kEnergy, "energy", "real t, in q[nq], in v[nv], in u[nu]", "Energies."},
    {KernelFunction::kInputs, "inputs", "real t", "Inputs."},
    {KernelFunction::kOutputs, "outputs", "real t, in q[nq], in v[nv], in vdot[nv], in lambda[FORCES], in u[nu]",
     "Outputs."},
    {KernelFunction::kIntegrands, "integrands", "real t, in q[nq], in v[nv], in vdot[nv], in lambda[FORCES], in u[nu]",
     "The rates of the integrals."},
    {KernelFunction::kPower, "power", "real t, in q[nq], in v[nv], in lambda[FORCES], in u[nu]", "The power balance."},
    {KernelFunction::kAccelerations, "accelerations", "real t, in q[nq], in v[nv], in u[nu]",
     "Accelerations, multipliers, and two numbers that say whether pivots can be trusted."},
    {KernelFunction::kPositionStep, "position_step", "real t, in q[nq], in v[nv], in u[nu]",
     "h, the size of its terms, the step onto the constraints, two numbers that say whether pivots can be trusted."},
    {KernelFunction::kVelocityStep, "velocity_step", "real t, in q[nq], in v[nv], in u[nu]",
     "W v + a, the size of its terms, the step onto the constraints, two numbers that say whether pivots can be "
     "trusted, W, a, h."},
    {KernelFunction::kFriction, "friction", "real t, in q[nq], in v[nv], in u[nu]",
     "The entries of Phi, C and dN, then for each friction c0, gamma_c, N0, mu, mu_s, c_v."},
};

class Composer {
 public:
  // `equations`: with_contact_inputs() and with_integral_states().
  Composer(const Equations& equations, CodeModel& code, const CodeShape& shape)
      : equations_(equations),
        tapes_(equations.unilateral.empty() && code.layout().integrals == 0
                   ? tapes_of(code.dynamics)
                   : std::make_shared<const TapeKernel>(equations)),
        kernel_(*tapes_),
        code_(code),
        layout_(kernel_.layout()),
        shape_(shape) {}

  void compose();
  const Diagnostics& problems() const { return problems_; }

 private:
  std::size_t contacts() const { return equations_.unilateral.size(); }
  std::size_t own_inputs() const { return as_size(layout_.inputs) - contact_inputs(equations_); }
  bool has_events() const { return !equations_.model->events.empty(); }
  bool has_guards() const { return contacts() > 0 || has_events(); }
  // Contacts, frictions and sides of events are held as the caller says.
  bool holds_guards() const { return shape_.holds_guards && (has_guards() || layout_.frictions > 0); }
  // Contacts and frictions are decided together.
  bool decides_together() const { return layout_.frictions > 0 && (contacts() > 0 || shape_.holds_guards); }
  FrictionShape friction_shape() const { return {decides_together(), !layout_.planes.empty(), !shape_.holds_guards}; }
  void constants();
  bool needs(KernelFunction function) const;
  void add_tape(const Tape& tape, const std::string& name, std::string_view parameters, std::string_view comment);
  void name_entries();
  void kernel_routines();
  void prepare();
  void terms();
  void energies();
  void constraints();
  void kinematics();
  void accelerations();
  void level_step(std::string_view level, std::string_view rows, std::size_t size);
  void position_step();
  void velocity_step();
  void projection();
  void jacobian();
  void derivatives();
  void inputs_and_outputs();
  void add(std::string_view text) {
    const std::string problem = add_routines(code_.program, text);
    if (!problem.empty()) problems_.push_back(error("E0902", "generated code: " + problem));
  }

  const Equations& equations_;
  const std::shared_ptr<const TapeKernel> tapes_;
  const TapeKernel& kernel_;
  CodeModel& code_;
  const Layout& layout_;
  const CodeShape shape_;
  EntryNames names_;
  bool tables_ = false;  // whether long tapes become tables
  Diagnostics problems_;
};

void Composer::constants() {
  const auto add_constant = [&](const char* name, std::size_t value) {
    code_.program.constants.emplace_back(name, static_cast<long>(value));
  };
  add_constant("nq", as_size(layout_.nq + layout_.integrals));
  add_constant("nv", as_size(layout_.nv));
  add_constant("nr", as_size(layout_.m));
  add_constant("nh", layout_.holonomic.size());
  add_constant("np", as_size(layout_.parameters));
  add_constant("nu", as_size(layout_.inputs));
  add_constant("ny", as_size(layout_.outputs));
  add_constant("ne", EnergyPlaces(layout_).end);
  if (layout_.integrals > 0) add_constant("nz", as_size(layout_.integrals));
  if (!layout_.load_dependent()) return;
  add_constant("nf", as_size(layout_.frictions));
  add_constant("nl", as_size(layout_.multipliers()));
  std::vector<int> rows;
  for (const UnilateralRow& contact : equations_.unilateral) rows.push_back(contact.row);
  add_friction_tables(code_.program, layout_, rows, decides_together());
}

// The number of statements that a tape amounts to. Sines count more, because compilers inline them: for 2,000 sines gcc
// 12 takes 5 s and 200 MB.
std::size_t statements_of(const Tape& tape) {
  constexpr std::ptrdiff_t kStatementsOfSine = 15;
  const std::ptrdiff_t sines = std::ranges::count_if(tape.instructions, is_sine);
  return tape.instructions.size() + static_cast<std::size_t>(kStatementsOfSine * sines);
}

// Whether the tape has limits of its own, those of a solve.
bool solves(KernelFunction function) {
  return function == KernelFunction::kAccelerations || function == KernelFunction::kPositionStep ||
         function == KernelFunction::kVelocityStep;
}

bool Composer::needs(KernelFunction function) const {
  const bool dense = code_.solves_any_rank, constrained = layout_.m > 0;
  switch (function) {
    case KernelFunction::kPosition:
      return !layout_.holonomic.empty();
    case KernelFunction::kVelocity:
      return constrained;
    case KernelFunction::kKinematics:
      return !layout_.v_is_qdot;
    case KernelFunction::kMass:
      return constrained && dense;
    case KernelFunction::kTerms:
      return shape_.has_terms;
    case KernelFunction::kRates:
      return dense;
    case KernelFunction::kInputs:
      return own_inputs() > 0;
    case KernelFunction::kOutputs:
      return layout_.outputs > 0;
    case KernelFunction::kIntegrands:
      return layout_.integrals > 0;
    case KernelFunction::kAccelerations:
      return code_.has_kkt_formulas;
    case KernelFunction::kPositionStep:
      return code_.has_kkt_formulas && !layout_.holonomic.empty();
    case KernelFunction::kVelocityStep:
      return code_.has_kkt_formulas && constrained;
    case KernelFunction::kFriction:
      return layout_.load_dependent();
    default:
      return true;
  }
}

void Composer::add_tape(const Tape& tape, const std::string& name, std::string_view parameters,
                        std::string_view comment) {
  if (!tables_ || !tape.loops.empty() || tape.instructions.size() < shape_.shortest_table)
    return add(tape_routine(tape, name, parameters, comment, names_));
  add(fmt::format("# {}\nroutine {}({}, out out[{}]) {{\n}}\n", comment, name, parameters, tape.outputs));
  code_.tabled.push_back({name, tape});
}

// The names that formulas beside statements are made of. A prepared number is named by its own formula.
void Composer::name_entries() {
  const auto take = [&](TapeArray array, const std::vector<NamedEntry>& entries) {
    for (const NamedEntry& entry : entries) names_[static_cast<std::size_t>(array)].push_back(entry.name);
  };
  take(TapeArray::kParameter, code_.parameters);
  take(TapeArray::kInput, code_.inputs);
  take(TapeArray::kCoordinate, code_.coordinates);
  take(TapeArray::kVelocity, code_.velocities);
  for (const NamedEntry& entry : code_.velocities)
    names_[static_cast<std::size_t>(TapeArray::kAcceleration)].push_back(entry.name + "'");
  for (const NamedEntry& entry : code_.rows)
    names_[static_cast<std::size_t>(TapeArray::kMultiplier)].push_back(fmt::format("lambda({})", entry.name));
  std::vector<std::string> prepared(layout_.prepared);
  for (const KernelRoutine& one : kRoutines) {
    const std::vector<std::string> formulas = meanings_of_outputs(kernel_.preparation(one.function), names_);
    const std::size_t first = kernel_.prepared_from(one.function);
    for (std::size_t i = 0; i < formulas.size(); ++i) prepared[first + i] = formulas[i];
  }
  names_[static_cast<std::size_t>(TapeArray::kPrepared)] = std::move(prepared);
}

void Composer::kernel_routines() {
  name_entries();
  std::size_t instructions = 0;
  for (const KernelRoutine& one : kRoutines)
    if (needs(one.function)) instructions += statements_of(kernel_.tape(one.function));
  tables_ = instructions > shape_.most_statements;
  for (const KernelRoutine& one : kRoutines) {
    if (!needs(one.function)) continue;
    const Tape& tape = kernel_.tape(one.function);
    if (code_.program.single && !solves(one.function) && std::ranges::count(tape.constants, kRowSize) > 0)
      problems_.push_back(
          error("E0443", fmt::format("a number of the equations is {}, which single precision reserves: "
                                     "it marks a tolerance there",
                                     to_text(kRowSize))));
    code_.takes_subnormals_for_zeros |= takes_subnormals_for_zeros(tape);
    // Kernels read the friction forces from the array of multipliers, after λ.
    add_tape(tape, fmt::format("kernel_{}", one.name),
             filled_where(one.parameters, {{"FORCES", layout_.load_dependent() ? "nl" : "nr"}}), one.comment);
  }
}

void Composer::prepare() {
  std::string calls;
  for (const KernelRoutine& one : kRoutines) {
    const Tape& tape = kernel_.preparation(one.function);
    // A routine that was left out needs no prepared numbers.
    if (tape.outputs == 0 || code_.program.find(fmt::format("kernel_{}", one.name)) == nullptr) continue;
    add(
        fmt::format("# The numbers that kernel_{0} takes and that depend on parameters alone.\nroutine "
                    "prepare_{0}(inout prepared[{1}]) {{\n{2}{3}}}\n",
                    one.name, layout_.prepared, tape_locals(tape),
                    tape_statements(tape, "prepared", kernel_.prepared_from(one.function), names_)));
    calls += fmt::format("call prepare_{}(prepared)\n", one.name);
  }
  code_.prepared = layout_.prepared;
  add("# Computes what depends on parameters alone. Call it after parameters have changed, before any other "
      "routine.\npublic routine prepare() -> state {\n" +
      calls + "}\n");
}

void Composer::terms() {
  if (!shape_.has_terms) return;
  const TermsPlaces at(layout_);
  add(filled(kTermsRoutine, {{"SIZE", at.end},
                             {"call SPREAD_M()", spread_text(layout_.M, "M", "out", at.M, "nv")},
                             {"AT_B", at.B},
                             {"AT_G", at.G},
                             {"AT_F", at.F},
                             {"call SPREAD_W()", spread_text(layout_.W, "W", "out", at.W, "nv")},
                             {"AT_A", at.a},
                             {"AT_GAMMA", at.gamma}}));
}

void Composer::energies() {
  add(kEnergyRoutine);
  if (layout_.load_dependent()) add(load_terms_text(layout_));
  inputs_and_outputs();
}

void Composer::inputs_and_outputs() {
  const bool slides = layout_.frictions > 0;
  const std::string_view gather = slides ? kGather : "", multipliers = slides ? "multipliers" : "lambda";
  const Filling friction = Filling::only_if(slides, "in friction[nf], ");
  add(filled(kPowerBalance, {{"dL/dt.", layout_.load_dependent() ? "dL/dt, with the work of all forces." : "dL/dt."},
                             friction,
                             {"call GATHER()", gather},
                             {"MULTIPLIERS", multipliers}}));
  const std::string sampled = sampled_inputs_text(*equations_.model, code_.program, code_.samples);
  add(sampled);
  const bool has_inputs = needs(KernelFunction::kInputs);
  if (contacts() > 0)
    add((shape_.holds_guards
             ? "# The inputs that the model states, at time t; the entries after them in u stay as they are.\npublic "
             : "") +
        filled(kInputsInMode,
               {{"call OWN_INPUTS()",
                 has_inputs ? filled(kOwnInputs, {{"OWN", own_inputs()},
                                                  Filling::only_if(!sampled.empty(), "call sampled_inputs(t, all)")})
                            : ""}}));
  else
    add(filled(kInputsRoutine, {Filling::only_if(has_inputs, "call kernel_inputs(t, u)"),
                                Filling::only_if(!sampled.empty(), "call sampled_inputs(t, u)")}));
  const std::string call = fmt::format("call kernel_outputs(t, q, v, vdot, {}, u, y)", multipliers);
  add(filled(kOutputsRoutine,
             {friction,
              {"call GATHER()", layout_.outputs > 0 ? gather : ""},
              {"call kernel_outputs(t, q, v, vdot, MULTIPLIERS, u, y)", layout_.outputs > 0 ? call : ""}}));
  if (layout_.integrals > 0)
    add(filled(kIntegrandsRoutine, {friction, {"call GATHER()", gather}, {"MULTIPLIERS", multipliers}}));
}

void Composer::constraints() {
  if (!layout_.holonomic.empty()) add(filled(kPositionResidual, {{"SIZE", PositionPlaces(layout_).end}}));
  if (layout_.m == 0) return;
  const VelocityPlaces at(layout_);
  const auto product = [](const std::string& entry, const std::string& row, const std::string& column) {
    return fmt::format("residual[{0}] = residual[{0}] + out[{1}] * v[{2}]\n", row, entry, column);
  };
  add(filled(kVelocityResidual,
             {{"SIZE", at.end}, {"AT_A", at.a}, {"call ADD_W_V()", for_each_entry(layout_.W, product)}}));
}

void Composer::kinematics() {
  std::string rates, moves;
  if (layout_.v_is_qdot) {
    rates = "for i = 0 to nv {\nqdot[i] = v[i]\n}\n";
    moves = "for i = 0 to nv {\nq[i] = q[i] + delta[i]\n}\n";
  } else {
    const KinematicsPlaces at(layout_);
    const auto product = [&](std::string_view array, std::string_view by) {
      return for_each_entry(
          layout_.N, [&](const std::string& entry, const std::string& row, const std::string& column) {
            return fmt::format("{0}[{1}] = {0}[{1}] + out[{2}] * {3}[{4}]\n", array, row, entry, by, column);
          });
    };
    const std::string call = fmt::format("real out[{}]\ncall kernel_kinematics(t, q, u, out)\n", at.end);
    rates = call + fmt::format("for i = 0 to nq - nz {{\nqdot[i] = out[{} + i]\n}}\n", at.n0) + product("qdot", "v");
    moves = call + product("q", "delta") + "call normalize(q)\n";
    std::string lines;
    for (const int first : layout_.quaternions) {
      std::string sum;
      for (int i = first; i < first + 4; ++i) sum += fmt::format("{}q[{}] * q[{}]", sum.empty() ? "" : " + ", i, i);
      lines += fmt::format("norm = sqrt({})\n", sum);
      for (int i = first; i < first + 4; ++i) lines += fmt::format("q[{0}] = q[{0}] / norm\n", i);
    }
    add(filled(kNormalize, {{"call DIVIDE()", lines}}));
  }
  add(integral_text(filled(kCoordinateRates, {{"call RATES()", rates}}), layout_));
  if (!layout_.holonomic.empty()) add(filled(kDisplace, {{"call MOVE()", moves}}));
}

void Composer::accelerations() {
  if (code_.solves_any_rank) {
    add(kReflections);
    // Projection needs the dense solver too.
    if (!layout_.load_dependent() || layout_.m > 0) add(kSolveDense);
  }
  if (layout_.load_dependent()) {
    const FrictionShape shape = friction_shape();
    if (decides_together()) add(friction_text(kLeaveIdle, shape));
    for (const std::string_view text : {kFactorMode, kOpenForces}) add(friction_text(text, shape));
    add(solve_mode_text(shape));
    if (layout_.frictions > 0) add(decide_mode_text(shape));
    if (!decides_together()) add(load_accelerations_text(layout_));
    return;
  }
  if (code_.solves_any_rank) {
    const RatesPlaces at(layout_);
    add(filled(kAccelerationsDensely, {{"SIZE", at.end},
                                       {"call SPREAD_M()", spread_text(layout_.M, "M", "out", at.M, "nv")},
                                       {"call SPREAD_W()", spread_text(layout_.W, "W", "out", at.W, "nv")},
                                       {"AT_F", at.f},
                                       {"AT_GAMMA", at.gamma}}));
  }
  add(filled(kAccelerationsRoutine, {{"call BY_FORMULAS()", code_.has_kkt_formulas ? kByFormulas : ""},
                                     {"call OTHERWISE()", code_.solves_any_rank ? kDensely : kGiveUp}}));
}

// Adds the routine that steps positions (or velocities: `level`) onto the constraints, by the kernel's formulas, or by
// the dense solver where these cannot be trusted.
void Composer::level_step(std::string_view level, std::string_view rows, std::size_t size) {
  const std::string formulas = filled(kStepByFormulas, {{"SIZE", size}, {"LEVEL", level}, {"ROWS", rows}});
  add(filled(kLevelStep, {{"LEVEL", level},
                          {"ROWS", rows},
                          {"call BY_FORMULAS()", code_.has_kkt_formulas ? formulas : ""},
                          {"call OTHERWISE()", code_.has_kkt_formulas && !code_.solves_any_rank
                                                   ? "return 4"
                                                   : filled(kStepDensely, {{"LEVEL", level}})}}));
}

void Composer::position_step() {
  if (code_.solves_any_rank) {
    const VelocityPlaces velocity(layout_);
    const PositionPlaces position(layout_);
    const Pattern rows = level_rows(layout_);
    std::string sizes;
    for (std::size_t k = 0; layout_.v_is_qdot && k < rows.row.size(); ++k)
      if (rows.row[k] >= 0)
        sizes += fmt::format("terms[{0}] = terms[{0}] + abs(out[{1}] * q[{2}])\n", rows.row[k], k, rows.col[k]);
    add(filled(integral_text(kPositionStepDensely, layout_),
               {{"LEVELS", position.end},
                {"SIZE", velocity.end},
                {"ENTRIES", layout_.M.nonzeros()},
                {"call SPREAD_M()", spread_text(layout_.M, "M", "entries", 0, "nv")},
                {"call SPREAD_W()", spread_level_rows(layout_)},
                {"LEVEL_TERMS", layout_.v_is_qdot ? "0.0" : fmt::format("levels[{} + i]", position.size)},
                {"call ADD_TERMS()", sizes},
                {"call SOLVE()", filled(kSolveByMass, {{"ROWS", "nh"}})}}));
  }
  level_step("position", "nh", code_.has_kkt_formulas ? StepPlaces(layout_, layout_.holonomic.size()).end : 0);
  add(filled(kProjectLevel, {{"LEVEL", "position"},
                             {"STATE", "q"},
                             {"COUNT", layout_.integrals > 0 ? "nq - nz" : "nq"},
                             {"ROWS", "nh"},
                             {"TURNS", "10"},
                             {"Q_PASSED", "inout"},
                             {"V_PASSED", "in"},
                             {"call MOVE()", "call displace(t, q, delta, u)"}}));
}

void Composer::velocity_step() {
  if (code_.solves_any_rank) {
    const VelocityPlaces at(layout_);
    const auto product = [](const std::string& entry, const std::string& row, const std::string& column) {
      return fmt::format(
          "residual[{0}] = residual[{0}] + out[{1}] * v[{2}]\nterms[{0}] = terms[{0}] + abs(out[{1}] * v[{2}])\n", row,
          entry, column);
    };
    add(filled(kVelocityStepDensely, {{"SIZE", at.end},
                                      {"ENTRIES", layout_.M.nonzeros()},
                                      {"call SPREAD_M()", spread_text(layout_.M, "M", "entries", 0, "nv")},
                                      {"call SPREAD_W()", spread_text(layout_.W, "W", "out", 0, "nv")},
                                      {"AT_A", at.a},
                                      {"call ADD_W_V()", for_each_entry(layout_.W, product)},
                                      {"call SOLVE()", filled(kSolveByMass, {{"ROWS", "nr"}})}}));
  }
  level_step("velocity", "nr", code_.has_kkt_formulas ? VelocityStepPlaces(layout_).end : 0);
  add(filled(kProjectLevel, {{"LEVEL", "velocity"},
                             {"STATE", "v"},
                             {"COUNT", "nv"},
                             {"ROWS", "nr"},
                             {"TURNS", "4"},
                             {"Q_PASSED", "in"},
                             {"V_PASSED", "inout"},
                             {"call MOVE()", "for i = 0 to nv {\nv[i] = v[i] + delta[i]\n}"}}));
}

void Composer::projection() {
  if (!layout_.holonomic.empty()) position_step();
  if (layout_.m > 0) velocity_step();
  std::string body;
  if (!layout_.v_is_qdot) body += "call normalize(q)\n";
  if (layout_.m > 0) body += "int status\n";
  if (!layout_.holonomic.empty()) body += "status = project_position(t, q, v, u)\nif status != 0 {\nreturn status\n}\n";
  body += layout_.m > 0 ? "status = project_velocity(t, q, v, u)\nreturn status\n" : "return 0\n";
  add(filled(kProject, {{"call LEVELS()", body}}));
  if (decides_together()) add(friction_text(kStop, friction_shape()));
  if (holds_guards()) return;
  const std::string in_mode = friction_text(integral_text(kAdvanceInMode, layout_, "y"), friction_shape());
  if (decides_together()) return add(in_mode);
  if (layout_.frictions > 0)
    for (const std::string& text :
         {friction_text(kStop, friction_shape()), in_mode, friction_text(kAdvanceWithFriction, friction_shape())})
      add(text);
  else
    add(integral_text(kAdvance, layout_));
  if (has_guards()) return;  // steps are added in the end
  add(kStep);
  if (layout_.inputs > 0) add(impulse_text(kStepHeld, false));
}

void Composer::jacobian() {
  if (!code_.has_kkt_formulas || layout_.nv + layout_.m > kLargestJacobianCode) return;
  std::vector<KernelArgument> arguments =
      code_arguments(equations_, {SymbolKind::kCoordinate, SymbolKind::kVelocity, SymbolKind::kInput});
  if (!shape_.holds_guards) arguments.resize(arguments.size() - contact_inputs(equations_));
  const KernelJacobian jacobian(equations_, KernelFunction::kAccelerations, arguments, kMostJacobianInstructions);
  if (!jacobian.valid()) return;
  code_.has_jacobian = true;
  code_.jacobian = jacobian.pattern();
  add_tape(jacobian.tape(), "kernel_jacobian", "real t, in q[nq], in v[nv], in u[nu]", "The entries of the Jacobian.");
  const int columns = jacobian.pattern().cols;
  add(filled(kJacobian,
             {{"COLUMNS", columns},
              {"ENTRIES", jacobian.pattern().rows * columns},
              {"SIZE", jacobian.tape().outputs},
              {"call SPREAD_J()", spread_text(jacobian.pattern(), "J", "out", 0, fmt::format("{}", columns))}}));
}

void Composer::derivatives() {
  for (const DerivativeRoutine& one : derivative_routines(equations_, layout_, code_.has_kkt_formulas)) {
    add_tape(one.tape, fmt::format("kernel_{}_derivatives", one.routine), one.parameters,
             "Entries of the derivatives.");
    add(one.text);
    code_.derivatives.emplace_back(one.routine, one.pattern);
  }
}

void Composer::compose() {
  code_.has_kkt_formulas = kernel_.solves_kkt();
  code_.solves_any_rank = layout_.nv + layout_.m <= kLargestDenseCode;
  constants();
  kernel_routines();
  prepare();
  terms();
  energies();
  constraints();
  kinematics();
  accelerations();
  projection();
  jacobian();
  if (shape_.has_derivatives) derivatives();
  const bool assembles = shape_.has_assembly && code_.solves_any_rank && layout_.m > 0;
  if (assembles) add(assembly_parts(layout_) + assembly_routine(layout_));
  if ((!has_guards() && !holds_guards()) || !problems_.empty()) return;
  if (layout_.m > 0 && has_settings(*equations_.model) && !assembles) add(assembly_parts(layout_));
  std::string problem;
  if (holds_guards()) {
    problem = add_held_guards(code_.program, equations_, layout_);
  } else if (contacts() == 0) {
    problem = add_event_routines(code_.program, equations_, layout_);
  } else {
    hold_contacts(code_.program, contacts(), contact_inputs(equations_));
    problem = add_contact_routines(code_.program, equations_, layout_);
  }
  if (!problem.empty()) problems_.push_back(error("E0902", "generated code: " + problem));
}

// --- names

std::vector<NamedEntry> entries(const std::vector<std::string>& names, const std::vector<std::string>& units) {
  const std::vector<std::string> unique = identifiers(names);
  std::vector<NamedEntry> list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list.push_back({shown(names[i]), unique[i], shown(at_or_empty(units, i))});
  return list;
}

std::string angle(const std::string& unit) { return unit == "1" ? "rad" : unit; }

std::string unit_of_integral(const Model& model, const std::string& name) {
  for (const Integral& one : model.integrals)
    if (one.dimension && one.symbol.graph().symbol_info(one.symbol.symbol()).name == name)
      return unit_name(*one.dimension, Measure::kAny);
  return {};
}

void name_everything(const Model& model, CodeModel& code) {
  const Names& names = code.dynamics.names();
  std::vector<std::string> units;
  for (const std::string& unit : names.coordinate_units) units.push_back(angle(unit));
  std::vector<std::string> states = names.coordinates;
  for (int i = 0; i < code.layout().integrals; ++i) {
    states.push_back(names.parameters[as_size(code.layout().first_integral + i)]);
    units.push_back(unit_of_integral(model, states.back()));
  }
  code.coordinates = entries(states, units);
  if (!names.velocities.empty()) {
    code.velocities = entries(names.velocities, names.velocity_units);
  } else {
    code.velocities.assign(code.coordinates.begin(), code.coordinates.end() - code.layout().integrals);
    for (NamedEntry& velocity : code.velocities) {
      velocity.name += "'";
      if (!velocity.unit.empty()) velocity.unit += "/s";
    }
  }
  code.rows = entries(names.rows, names.lambda_units);
  for (const int row : code.layout().holonomic) {
    code.levels.push_back(code.rows[as_size(row)]);
    code.levels.back().unit = angle(names.row_units[as_size(row)]);
  }
  code.parameters = entries(names.parameters, {});
  code.parameters.resize(model.parameters.size());  // without those that switch contacts
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    if (parameter.dimension) code.parameters[i].unit = unit_name(*parameter.dimension, Measure::kAny);
    code.parameters[i].meaning = shown(parameter.meaning);
    code.parameters[i].value = parameter.value;
  }
  code.inputs = entries(names.inputs, names.input_units);
  code.outputs = entries(names.outputs, names.output_units);
  std::vector<std::string> energies{"kinetic", "potential", "total", "partial_t", "power"};
  const std::string joule = model.has_units ? "J" : "", watt = model.has_units ? "W" : "";
  std::vector<std::string> energy_units{joule, joule, joule, watt, watt};
  energies.insert(energies.end(), names.conserved.begin(), names.conserved.end());
  code.energies = entries(energies, energy_units);
  code.frictions = entries(names.frictions, names.friction_units);
  if (const Contacts* contacts = code.dynamics.contacts()) {
    for (const Contacts::Contact& one : contacts->contacts) {
      code.contacts.push_back(code.levels[one.level]);
      if (!contacts->keeps_impulses()) continue;
      code.impulses.push_back(code.rows[as_size(one.row)]);
      std::string& unit = code.impulses.back().unit;
      if (!unit.empty()) unit = unit == "1" ? "s" : unit + "*s";
    }
  }
  std::vector<std::string> events;
  for (const Event& event : model.events) events.push_back(event.name);
  code.events = entries(events, {});
}

// Refuses a system that is too large, before its formulas are compiled.
std::optional<Diagnostic> refuse_size(const Equations& equations) {
  const bool loads = equations.load_dependent(), contacts = !equations.unilateral.empty(),
             sets = equations.m() > 0 && has_settings(*equations.model);
  if (equations.nv() + equations.m() <= kLargestDenseCode || (!loads && !contacts && !sets && has_kkt_tapes(equations)))
    return std::nullopt;
  Diagnostic problem = error("E0532", fmt::format("{} velocities and {} constraint rows {} are too many to be exported",
                                                  equations.nv(), equations.m(),
                                                  loads      ? "with forces that depend on multipliers"
                                                  : contacts ? "with one-sided constraints"
                                                  : sets     ? "with events that set something"
                                                             : "that are all coupled with each other"));
  problem.help.push_back(fmt::format("such systems are solved densely: velocities and rows together may be at most {}",
                                     kLargestDenseCode));
  problem.help.push_back(
      loads      ? "without friction, and without `lambda(...)` in forces, sparse equations may have any size"
      : contacts ? "without `unilateral`, sparse equations may have any size"
      : sets     ? "without `set`, sparse equations may have any size"
                 : "coordinates of each body that only neighbours constrain give sparse equations of any size");
  return problem;
}

// Refuses contacts with forces that depend on multipliers, but for friction.
std::optional<Diagnostic> refuse_contacts(const Equations& equations) {
  const Model& model = *equations.model;
  for (const Constraint& constraint : model.constraints) {
    if (!constraint.unilateral || !equations.load_dependent() || !equations.frictions.empty()) continue;
    Diagnostic problem =
        error("E0536",
              fmt::format("exported code does not support one-sided constraints together with forces that depend on "
                          "multipliers, but for friction, yet: `{}`",
                          constraint.name),
              constraint.span);
    problem.help.emplace_back(
        "`simulate` supports them; without `unilateral` the equations of the closed contact can be exported");
    return problem;
  }
  return std::nullopt;
}

}  // namespace

Result<CodeModel> make_code_model(const Equations& given, const CodeShape& shape) {
  if (std::optional<Diagnostic> refused = refuse_contacts(given)) return *std::move(refused);
  const Equations equations = with_contact_inputs(with_integral_states(with_prescribed_rows(on_overlay(given))));
  if (std::optional<Diagnostic> large = refuse_size(equations)) return *std::move(large);
  // shown() removes control characters from the texts of the model that are written into code.
  CodeModel code{.name = shown(one_line(given.model->name)),
                 .identifier = identifier(given.model->name),
                 .dynamics = compile(given, {.machine_code = false})};
  code.program.single = shape.single;
  if (code.identifier.ends_with('_')) code.identifier += "model";  // C names are IDENTIFIER_…; no `__` in them
  code.description = shown(given.model->description, "\n");
  name_everything(*given.model, code);
  Composer composer(equations, code, shape);
  composer.compose();
  if (!composer.problems().empty()) return composer.problems();
  if (const std::string name = missing_routine(code.program); !name.empty())
    return error("E0902", fmt::format("generated code: there is no routine `{}`", name));
  return code;
}

}  // namespace dalembert
