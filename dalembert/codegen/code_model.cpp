// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/code_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/codegen/friction_code.h"
#include "dalembert/codegen/identifiers.h"
#include "dalembert/codegen/samples.h"
#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/tape_routine.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/kernel_jacobian.h"
#include "dalembert/compile/tape_kernel.h"
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
    {KernelFunction::kOutputs, "outputs", "real t, in q[nq], in v[nv], in vdot[nv], in lambda[nr], in u[nu]",
     "Outputs."},
    {KernelFunction::kPower, "power", "real t, in q[nq], in v[nv], in lambda[nr], in u[nu]", "The power balance."},
    {KernelFunction::kAccelerations, "accelerations", "real t, in q[nq], in v[nv], in u[nu]",
     "Accelerations, multipliers, and two numbers that say whether pivots can be trusted."},
    {KernelFunction::kPositionStep, "position_step", "real t, in q[nq], in v[nv], in u[nu]",
     "h, the size of its terms, the step onto the constraints, trust."},
    {KernelFunction::kVelocityStep, "velocity_step", "real t, in q[nq], in v[nv], in u[nu]",
     "W v + a, the size of its terms, the step onto the constraints, trust, and more."},
    {KernelFunction::kFriction, "friction", "real t, in q[nq], in v[nv], in u[nu]",
     "The entries of Phi, C and dN, then of each friction c0, gamma_c, N0, mu, mu_s, c_v."},
};

class Composer {
 public:
  Composer(const Equations& equations, CodeModel& code)
      : equations_(equations), kernel_(equations), code_(code), layout_(kernel_.layout()) {}

  void compose();
  const Diagnostics& problems() const { return problems_; }

 private:
  void constants();
  void kernel_routines();
  void prepare();
  void terms();
  void constraints();
  void kinematics();
  void accelerations();
  void position_step();
  void velocity_step();
  void projection();
  void jacobian();
  void inputs_and_outputs();
  void add(std::string_view text) {
    const std::string problem = add_routines(code_.program, text);
    if (!problem.empty()) problems_.push_back(error("E0902", "generated code: " + problem));
  }
  // The rows of W that have a position level, numbered as those.
  Pattern level_rows() const;

  const Equations& equations_;
  const TapeKernel kernel_;
  CodeModel& code_;
  const Layout& layout_;
  Diagnostics problems_;
};

void Composer::constants() {
  const auto add_constant = [&](const char* name, std::size_t value) {
    code_.program.constants.emplace_back(name, static_cast<long>(value));
  };
  add_constant("nq", as_size(layout_.nq));
  add_constant("nv", as_size(layout_.nv));
  add_constant("nr", as_size(layout_.m));
  add_constant("nh", layout_.holonomic.size());
  add_constant("np", as_size(layout_.parameters));
  add_constant("nu", as_size(layout_.inputs));
  add_constant("ny", as_size(layout_.outputs));
  add_constant("ne", EnergyPlaces(layout_).end);
  if (!layout_.load_dependent()) return;
  add_constant("nf", as_size(layout_.frictions));
  add_constant("nl", as_size(layout_.multipliers()));
}

Pattern Composer::level_rows() const {
  std::vector<int> level(as_size(layout_.m), -1);
  for (std::size_t k = 0; k < layout_.holonomic.size(); ++k) level[as_size(layout_.holonomic[k])] = static_cast<int>(k);
  Pattern pattern{static_cast<int>(layout_.holonomic.size()), layout_.nv, {}, {}};
  for (std::size_t k = 0; k < layout_.W.row.size(); ++k) {
    // Entries of other rows are kept, as of row −1: entry numbers stay those of W.
    pattern.row.push_back(level[as_size(layout_.W.row[k])]);
    pattern.col.push_back(layout_.W.col[k]);
  }
  return pattern;
}

void Composer::kernel_routines() {
  const bool dense = code_.solves_any_rank, constrained = layout_.m > 0;
  for (const KernelRoutine& one : kRoutines) {
    const Tape& tape = kernel_.tape(one.function);
    bool needed = true;
    switch (one.function) {
      case KernelFunction::kPosition:
        needed = !layout_.holonomic.empty();
        break;
      case KernelFunction::kVelocity:
        needed = constrained;
        break;
      case KernelFunction::kKinematics:
        needed = !layout_.v_is_qdot;
        break;
      case KernelFunction::kMass:
        needed = constrained && dense;
        break;
      case KernelFunction::kRates:
        needed = dense;
        break;
      case KernelFunction::kInputs:
        needed = layout_.inputs > 0;
        break;
      case KernelFunction::kOutputs:
        needed = layout_.outputs > 0;
        break;
      case KernelFunction::kAccelerations:
        needed = code_.solves_exactly;
        break;
      case KernelFunction::kPositionStep:
        needed = code_.solves_exactly && !layout_.holonomic.empty();
        break;
      case KernelFunction::kVelocityStep:
        needed = code_.solves_exactly && constrained;
        break;
      case KernelFunction::kFriction:
        needed = layout_.load_dependent();
        break;
      default:
        break;
    }
    code_.is_long |= needed && takes_subnormals_for_zeros(tape);
    if (needed) add(tape_routine(tape, fmt::format("kernel_{}", one.name), one.parameters, one.comment));
  }
}

void Composer::prepare() {
  std::string calls;
  for (const KernelRoutine& one : kRoutines) {
    const Tape& tape = kernel_.preparation(one.function);
    // Where the routine was left out, so are its numbers.
    if (tape.outputs == 0 || code_.program.find(fmt::format("kernel_{}", one.name)) == nullptr) continue;
    add(fmt::format(
        "# What parameters alone determine of kernel_{0}.\nroutine prepare_{0}(inout prepared[{1}]) {{\n{2}{3}}}\n",
        one.name, layout_.prepared, tape_locals(tape),
        tape_statements(tape, "prepared", kernel_.prepared_from(one.function))));
    calls += fmt::format("call prepare_{}(prepared)\n", one.name);
  }
  code_.prepared = layout_.prepared;
  add("# To be called after parameters were changed, before anything else.\npublic routine prepare() -> state {\n" +
      calls + "}\n");
}

void Composer::terms() {
  const TermsPlaces at(layout_);
  const auto copy = [](std::string_view array, std::string_view count, std::size_t first) {
    return fmt::format("for i = 0 to {1} {{\n{0}[i] = out[{2} + i]\n}}\n", array, count, first);
  };
  add(fmt::format(
          "# The terms of M v' + B + G = F + W' lambda, W v + a = 0, W v' + gamma = 0; M and W row by row.\n"
          "public routine terms(real t, in q[nq], in v[nv], in u[nu], out M[nv*nv], out B[nv], out G[nv], out F[nv], "
          "out W[nr*nv], out a[nr], out gamma[nr]) {{\nreal out[{}]\ncall kernel_terms(t, q, v, u, out)\n",
          at.end) +
      spread_text(layout_.M, "M", "out", at.M, "nv") + copy("B", "nv", at.B) + copy("G", "nv", at.G) +
      copy("F", "nv", at.F) + spread_text(layout_.W, "W", "out", at.W, "nv") + copy("a", "nr", at.a) +
      copy("gamma", "nr", at.gamma) + "}\n");
  add("# Energies and conserved quantities.\n"
      "public routine energy(real t, in q[nq], in v[nv], in u[nu], out e[ne]) {\ncall kernel_energy(t, q, v, u, "
      "e)\n}\n");
  if (layout_.load_dependent()) add(load_terms_text(layout_));
  inputs_and_outputs();
}

void Composer::inputs_and_outputs() {
  // The forces of friction follow the multipliers in what kernels read.
  const bool slides = layout_.frictions > 0;
  const std::string given = slides ? ", in friction[nf]" : "", by = slides ? "multipliers" : "lambda";
  const std::string gather = slides ? "real multipliers[nl]\nfor i = 0 to nr {\nmultipliers[i] = lambda[i]\n}\n"
                                      "for i = 0 to nf {\nmultipliers[nr + i] = friction[i]\n}\n"
                                    : "";
  add("# dE/dt = F v - lambda' a - dL/dt" +
      std::string(layout_.load_dependent() ? ", with the work of all forces.\n" : ".\n") +
      "public routine power_balance(real t, in q[nq], in v[nv], in lambda[nr]" + given +
      ", in u[nu]) -> real {\nreal out[1]\n" + gather + "call kernel_power(t, q, v, " + by +
      ", u, out)\nreturn out[0]\n}\n");
  const std::string sampled = sampled_inputs_text(*equations_.model, code_);
  add(sampled);
  add("# The model's own inputs at a time.\npublic routine inputs(real t, out u[nu]) {\n" +
      std::string(layout_.inputs > 0 ? "call kernel_inputs(t, u)\n" : "") +
      (sampled.empty() ? "" : "call sampled_inputs(t, u)\n") + "}\n");
  add("# The model's outputs.\npublic routine outputs(real t, in q[nq], in v[nv], in vdot[nv], in lambda[nr]" + given +
      ", in u[nu], out y[ny]) {\n" +
      (layout_.outputs > 0 ? gather + "call kernel_outputs(t, q, v, vdot, " + by + ", u, y)\n" : "") + "}\n");
}

void Composer::constraints() {
  if (!layout_.holonomic.empty())
    add(
        fmt::format("# h(q, t) of the constraints that have a position level.\n"
                    "public routine position_residual(real t, in q[nq], in u[nu], out h[nh]) {{\nreal out[{}]\n"
                    "call kernel_position(t, q, u, out)\nfor i = 0 to nh {{\nh[i] = out[i]\n}}\n}}\n",
                    PositionPlaces(layout_).end));
  if (layout_.m == 0) return;
  const VelocityPlaces at(layout_);
  add(fmt::format(
          "# W v + a of all constraints.\n"
          "public routine velocity_residual(real t, in q[nq], in v[nv], in u[nu], out residual[nr]) {{\nreal out[{}]\n"
          "call kernel_velocity(t, q, u, out)\nfor i = 0 to nr {{\nresidual[i] = out[{} + i]\n}}\n",
          at.end, at.a) +
      for_each_entry(layout_.W,
                     [](const std::string& entry, const std::string& row, const std::string& column) {
                       return fmt::format("residual[{0}] = residual[{0}] + out[{1}] * v[{2}]\n", row, entry, column);
                     }) +
      "}\n");
}

void Composer::kinematics() {
  std::string rates, moves;
  if (layout_.v_is_qdot) {
    rates = "for i = 0 to nq {\nqdot[i] = v[i]\n}\n";
    moves = "for i = 0 to nq {\nq[i] = q[i] + delta[i]\n}\n";
  } else {
    const KinematicsPlaces at(layout_);
    const auto product = [&](std::string_view array, std::string_view by) {
      return for_each_entry(
          layout_.N, [&](const std::string& entry, const std::string& row, const std::string& column) {
            return fmt::format("{0}[{1}] = {0}[{1}] + out[{2}] * {3}[{4}]\n", array, row, entry, by, column);
          });
    };
    const std::string call = fmt::format("real out[{}]\ncall kernel_kinematics(t, q, u, out)\n", at.end);
    rates = call + fmt::format("for i = 0 to nq {{\nqdot[i] = out[{} + i]\n}}\n", at.n0) + product("qdot", "v");
    moves = call + product("q", "delta") + "call normalize(q)\n";
    std::string lines;
    for (const int first : layout_.quaternions) {
      std::string sum;
      for (int i = first; i < first + 4; ++i) sum += fmt::format("{}q[{}] * q[{}]", sum.empty() ? "" : " + ", i, i);
      lines += fmt::format("norm = sqrt({})\n", sum);
      for (int i = first; i < first + 4; ++i) lines += fmt::format("q[{0}] = q[{0}] / norm\n", i);
    }
    add("# Quaternions to norm 1.\nroutine normalize(inout q[nq]) {\nreal norm\n" + lines + "}\n");
  }
  add("# The rates of the coordinates.\n"
      "public routine coordinate_rates(real t, in q[nq], in v[nv], in u[nu], out qdot[nq]) {\n" +
      rates + "}\n");
  if (layout_.holonomic.empty()) return;
  add("# q changes by a displacement along the velocities.\n"
      "routine displace(real t, inout q[nq], in delta[nv], in u[nu]) {\n" +
      moves + "}\n");
}

// What follows where pivots are not trusted.
constexpr std::string_view kGiveUp =
    "for i = 0 to nv {\nvdot[i] = nan\n}\nfor i = 0 to nr {\nlambda[i] = nan\n}\nif sum == 0.0 {\nreturn 4\n}\nreturn "
    "3\n";

void Composer::accelerations() {
  if (code_.solves_any_rank) {
    add(kReflections);
    // Projection needs it, too.
    if (!layout_.load_dependent() || layout_.m > 0) add(kSolveDense);
  }
  if (layout_.load_dependent()) {
    for (const std::string_view text : {kFactorMode, kOpenForces, kSolveMode}) add(text);
    if (layout_.frictions > 0) add(kDecideMode);
    return add(load_accelerations_text(layout_));
  }
  if (code_.solves_any_rank) {
    const RatesPlaces at(layout_);
    add(fmt::format(
            "# Where the written-out solve cannot be trusted.\n"
            "routine accelerations_densely(real t, in q[nq], in v[nv], in u[nu], out vdot[nv], out lambda[nr]) -> "
            "status "
            "{{\nreal out[{}], M[nv*nv], W[nr*nv], c[nr], f[nv]\nint status\ncall kernel_rates(t, q, v, u, out)\n",
            at.end) +
        spread_text(layout_.M, "M", "out", at.M, "nv") + spread_text(layout_.W, "W", "out", at.W, "nv") +
        fmt::format("for i = 0 to nv {{\nf[i] = out[{} + i]\n}}\nfor i = 0 to nr {{\nc[i] = -out[{} + i]\n}}\n"
                    "status = solve_dense(M, W, nr, f, c, 1e-10, vdot, lambda)\nreturn status\n}}\n",
                    at.f, at.gamma));
  }
  std::string body;
  if (code_.solves_exactly)
    body =
        "real out[nv + nr + 2], sum\ncall kernel_accelerations(t, q, v, u, out)\nsum = 0.0\n"
        "for i = 0 to nv + nr {\nsum = sum + out[i] * 0.0\n}\n"
        "if sum == 0.0 and out[nv + nr] > 0.0 and out[nv + nr + 1] < 1e7 {\n"
        "for i = 0 to nv {\nvdot[i] = out[i]\n}\nfor i = 0 to nr {\nlambda[i] = out[nv + i]\n}\nreturn 0\n}\n";
  if (code_.solves_any_rank)
    body += "int status\nstatus = accelerations_densely(t, q, v, u, vdot, lambda)\nreturn status\n";
  else
    body += kGiveUp;
  add("# Accelerations and multipliers at a state, consistent or not. 0: they are unique, or the multipliers those of "
      "least norm;\n"
      "# 1: M is singular on what the constraints allow, 2: rows contradict each other, 3: not finite, 4: a pivot of "
      "the solve\n"
      "# cannot be trusted and the system is too large for another.\n"
      "public routine accelerations(real t, in q[nq], in v[nv], in u[nu], out vdot[nv], out lambda[nr]) -> status {\n" +
      body + "}\n");
}

constexpr std::string_view kDenseStep = R"(
  status = solve_dense(M, W, ROWS, zero, c, tolerance, delta, multipliers)
  if status == 1 {
    # Where the mass is no metric, the plain one is.
    for i = 0 to nv * nv {
      M[i] = 0.0
    }
    for i = 0 to nv {
      M[i * nv + i] = 1.0
    }
    status = solve_dense(M, W, ROWS, zero, c, tolerance, delta, multipliers)
  }
  if status == 2 {
    status = 0
  }
  return status
}
)";

// The text of a step by the kernel, or by the dense solver where it cannot be trusted.
std::string step_routine(const CodeModel& code, const std::string& name, const std::string& rows) {
  const std::string head = fmt::format(
      "routine {}_step(real t, in q[nq], in v[nv], in u[nu], out residual[{}], out terms[{}], out delta[nv]) -> status "
      "{{\n",
      name, rows, rows);
  const std::string densely = fmt::format(
      "int status\nstatus = {}_step_densely(t, q, v, u, residual, terms, delta)\nreturn status\n}}\n", name);
  if (!code.solves_exactly) return head + densely;
  const bool velocity = name == "velocity";
  const Layout& layout = code.layout();
  const std::size_t size = velocity ? VelocityStepPlaces(layout).end : StepPlaces(layout, layout.holonomic.size()).end;
  return head +
         fmt::format(
             "real out[{1}], sum\ncall kernel_{2}_step(t, q, v, u, out)\nsum = 0.0\n"
             "for i = 0 to {0} {{\nresidual[i] = out[i]\nterms[i] = out[{0} + i]\n}}\n"
             "for i = 0 to nv {{\ndelta[i] = out[2 * {0} + i]\nsum = sum + delta[i] * 0.0\n}}\n"
             "if sum == 0.0 and out[2 * {0} + nv] > 0.0 and out[2 * {0} + nv + 1] < 1e7 {{\nreturn 0\n}}\n",
             rows, size, name) +
         (code.solves_any_rank ? densely : "return 4\n}\n");
}

void Composer::position_step() {
  if (code_.solves_any_rank) {
    const VelocityPlaces velocity(layout_);
    const PositionPlaces position(layout_);
    const Pattern rows = level_rows();
    std::string spread_W, sizes;
    for (std::size_t k = 0; k < rows.row.size(); ++k) {
      if (rows.row[k] < 0) continue;
      spread_W += fmt::format("W[{}] = out[{}]\n", rows.row[k] * rows.cols + rows.col[k], k);
      if (layout_.v_is_qdot)
        sizes += fmt::format("terms[{0}] = terms[{0}] + abs(out[{1}] * q[{2}])\n", rows.row[k], k, rows.col[k]);
    }
    add(fmt::format(
            "routine position_step_densely(real t, in q[nq], in v[nv], in u[nu], out residual[nh], out terms[nh], "
            "out delta[nv]) -> status {{\nreal levels[{}], out[{}], entries[{}], M[nv*nv], W[nr*nv], c[nr], zero[nv], "
            "multipliers[nr], tolerance, length, norm, off\nint status\ncall kernel_position(t, q, u, levels)\n"
            "call kernel_velocity(t, q, u, out)\ncall kernel_mass(t, q, v, u, entries)\n",
            position.end, velocity.end, layout_.M.nonzeros()) +
        spread_text(layout_.M, "M", "entries", 0, "nv") + "for i = 0 to nr * nv {\nW[i] = 0.0\n}\n" + spread_W +
        fmt::format("for i = 0 to nh {{\nresidual[i] = levels[i]\nterms[i] = {}\nc[i] = -levels[i]\n}}\n",
                    layout_.v_is_qdot ? std::string("0.0") : fmt::format("levels[{} + i]", position.size)) +
        sizes +
        "# Directions in which rows differ by no more than the state is off are no constraint directions.\n"
        "length = 0.0\nfor i = 0 to nq {\nlength = length + q[i] * q[i]\n}\ntolerance = 1e-10\nfor i = 0 to nh {\n"
        "norm = 0.0\nfor k = 0 to nv {\nnorm = norm + W[i * nv + k] * W[i * nv + k]\n}\n"
        "off = 100.0 * abs(residual[i]) / (sqrt(norm) * sqrt(length) + 2.2250738585072014e-308)\n"
        "if off > tolerance {\ntolerance = off\n}\n}\nif tolerance > 1e-4 {\ntolerance = 1e-4\n}\n"
        "for i = 0 to nv {\nzero[i] = 0.0\n}\n" +
        filled(kDenseStep, {{"ROWS", "nh"}}));
  }
  add(step_routine(code_, "position", "nh"));
  add(filled(kProjectLevel, {{"LEVEL", "position"},
                             {"STATE", "q"},
                             {"COUNT", "nq"},
                             {"ROWS", "nh"},
                             {"TURNS", "10"},
                             {"Q_PASSED", "inout"},
                             {"V_PASSED", "in"},
                             {"call MOVE()", "call displace(t, q, delta, u)"}}));
}

void Composer::velocity_step() {
  if (code_.solves_any_rank) {
    const VelocityPlaces at(layout_);
    add(fmt::format(
            "routine velocity_step_densely(real t, in q[nq], in v[nv], in u[nu], out residual[nr], out terms[nr], "
            "out delta[nv]) -> status {{\nreal out[{}], entries[{}], M[nv*nv], W[nr*nv], c[nr], zero[nv], "
            "multipliers[nr], tolerance\nint status\ntolerance = 1e-10\ncall kernel_velocity(t, q, u, out)\n"
            "call kernel_mass(t, q, v, u, entries)\n",
            at.end, layout_.M.nonzeros()) +
        spread_text(layout_.M, "M", "entries", 0, "nv") + spread_text(layout_.W, "W", "out", 0, "nv") +
        fmt::format("for i = 0 to nr {{\nresidual[i] = out[{0} + i]\nterms[i] = abs(out[{0} + i])\n}}\n", at.a) +
        for_each_entry(layout_.W,
                       [](const std::string& entry, const std::string& row, const std::string& column) {
                         return fmt::format(
                             "residual[{0}] = residual[{0}] + out[{1}] * v[{2}]\n"
                             "terms[{0}] = terms[{0}] + abs(out[{1}] * v[{2}])\n",
                             row, entry, column);
                       }) +
        "for i = 0 to nr {\nc[i] = -residual[i]\n}\nfor i = 0 to nv {\nzero[i] = 0.0\n}\n" +
        filled(kDenseStep, {{"ROWS", "nr"}}));
  }
  add(step_routine(code_, "velocity", "nr"));
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
  add("# project_position, then project_velocity.\n"
      "public routine project(real t, inout q[nq], inout v[nv], in u[nu]) -> status {\n" +
      body + "}\n");
  add(layout_.frictions > 0 ? kAdvanceWithFriction : kAdvance);
  add(kStep);
  if (layout_.inputs > 0) add(kStepHeld);
}

void Composer::jacobian() {
  if (!code_.solves_exactly || layout_.nv + layout_.m > kLargestJacobianCode) return;
  const KernelJacobian jacobian(
      equations_, KernelFunction::kAccelerations,
      entries_of(equations_, {TapeArray::kCoordinate, TapeArray::kVelocity, TapeArray::kInput}),
      kMostJacobianInstructions);
  if (!jacobian.valid()) return;
  code_.has_jacobian = true;
  code_.jacobian = jacobian.pattern();
  add(tape_routine(jacobian.tape(), "kernel_jacobian", "real t, in q[nq], in v[nv], in u[nu]",
                   "The entries of the Jacobian."));
  const int columns = jacobian.pattern().cols;
  add(fmt::format(
          "# Derivatives of (v', lambda) by (q, v, u), {0} columns, row by row. 4: the written-out solve cannot be "
          "trusted here.\npublic routine jacobian(real t, in q[nq], in v[nv], in u[nu], out J[{1}]) -> status {{\n"
          "real out[{2}], solved[nv + nr + 2], sum\ncall kernel_accelerations(t, q, v, u, solved)\nsum = 0.0\n"
          "for i = 0 to nv + nr {{\nsum = sum + solved[i] * 0.0\n}}\n"
          "if not (sum == 0.0 and solved[nv + nr] > 0.0 and solved[nv + nr + 1] < 1e7) {{\nfor i = 0 to {1} {{\nJ[i] = "
          "nan\n}}\nreturn 4\n}}\n"
          "call kernel_jacobian(t, q, v, u, out)\n",
          columns, jacobian.pattern().rows * columns, jacobian.tape().outputs) +
      spread_text(jacobian.pattern(), "J", "out", 0, fmt::format("{}", columns)) + "return 0\n}\n");
}

void Composer::compose() {
  code_.solves_exactly = kernel_.solves_kkt();
  code_.solves_any_rank = layout_.nv + layout_.m <= kLargestDenseCode;
  constants();
  kernel_routines();
  prepare();
  terms();
  constraints();
  kinematics();
  accelerations();
  projection();
  jacobian();
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

void name_everything(const Model& model, CodeModel& code) {
  const Names& names = code.dynamics.names();
  std::vector<std::string> units;
  for (const std::string& unit : names.coordinate_units) units.push_back(angle(unit));
  code.coordinates = entries(names.coordinates, units);
  if (!names.velocities.empty()) {
    code.velocities = entries(names.velocities, names.velocity_units);
  } else {
    code.velocities = code.coordinates;
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
}

}  // namespace

Result<CodeModel> make_code_model(const Equations& given) {
  const Equations equations = with_prescribed_rows(on_overlay(given));
  // No text of the model that is written into code has a control character.
  CodeModel code{.name = shown(one_line(given.model->name)),
                 .identifier = identifier(given.model->name),
                 .dynamics = compile(given, {.machine_code = false})};
  if (code.identifier.ends_with('_')) code.identifier += "model";  // names are made of it by another `_`
  code.description = shown(given.model->description, "\n");
  name_everything(*given.model, code);
  Composer composer(equations, code);
  composer.compose();
  if (!composer.problems().empty()) return composer.problems();
  if (!code.solves_exactly && !code.solves_any_rank) {
    const bool loads = code.layout().load_dependent();
    Diagnostic problem =
        error("E0532",
              fmt::format("{} velocities and {} constraint rows {} are too many to be exported", code.layout().nv,
                          code.layout().m,
                          loads ? "with forces that depend on multipliers" : "that are all coupled with each other"));
    problem.help.push_back(fmt::format("such systems are solved densely: together they may be {}", kLargestDenseCode));
    problem.help.push_back(
        loads ? "without friction, and without `lambda(...)` in forces, sparse equations may have any size"
              : "coordinates of each body that only neighbours constrain give sparse equations of any size");
    return problem;
  }
  return code;
}

}  // namespace dalembert
