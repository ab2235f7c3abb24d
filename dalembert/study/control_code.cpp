// SPDX-License-Identifier: Apache-2.0
// Gains of a controller as C.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/study/linearization.h"

namespace dalembert {
namespace {

std::string c_name(const std::string& name) {
  std::string made;
  for (const char c : name) made += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return made.empty() || std::isdigit(static_cast<unsigned char>(made.front())) != 0 ? "model_" + made : made;
}

std::string numbers(const double* values, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + to_text(values[i], 17);
  return text;
}

std::string table(const char* name, const Matrix& matrix) {
  std::string text = fmt::format("static const double {}[{}][{}] = {{\n", name, matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i)
    text += fmt::format("  {{{}}},\n", numbers(matrix.entries.data() + i * matrix.cols, matrix.cols));
  return text + "};\n";
}

std::string comment(const std::string& text) { return "/* " + text + " */\n"; }

// Σ_j M[i][j] x[j] for the sum of products in a loop over j.
constexpr std::string_view kSum = "    for (int j = 0; j < {1}; ++j) {2} {3} {0}[i][j] * {4};\n";

std::string sum(const char* matrix, std::size_t columns, const char* to, const char* sign, const std::string& vector) {
  return columns == 0 ? "" : fmt::format(fmt::runtime(kSum), matrix, columns, to, sign, vector);
}

// The functions of the estimator.
std::string estimator(const Control& control, const std::string& name) {
  const std::size_t n = control.states.size(), m = control.inputs.size(), p = control.measured.size();
  std::string text;
  text += "\n" + comment(
                     "The estimate of z - z_there from y, the deviations of the measured outputs from their values "
                     "there, and u, those of the inputs.");
  text += table("L", control.L) + table("A", control.A) + (m > 0 ? table("B", control.B) : "") + table("C", control.C) +
          (m > 0 ? table("D", control.D) : "");
  const std::string error =
      fmt::format("  double error[{0}];\n  for (int i = 0; i < {0}; ++i) {{\n    error[i] = y[i];\n", p) +
      sum("C", n, "error[i]", "-=", "z[j]") + sum("D", m, "error[i]", "-=", "u[j]") + "  }\n";
  if (!control.period) {
    text += comment("The rate dz of the estimate z: integrate it along with the measurements.");
    text += fmt::format(
        "void {}_estimate(const double *z, const double *u, const double *y, double *dz)\n{{\n  (void)u;\n{}", name,
        error);
    text += fmt::format("  for (int i = 0; i < {}; ++i) {{\n    dz[i] = 0;\n", n) + sum("A", n, "dz[i]", "+=", "z[j]") +
            sum("B", m, "dz[i]", "+=", "u[j]") + sum("L", p, "dz[i]", "+=", "error[j]") + "  }\n}\n";
    return text;
  }
  text += comment("Corrects the estimate z by the sample y, at which u was the input.");
  text += fmt::format("void {}_correct(double *z, const double *u, const double *y)\n{{\n  (void)u;\n{}", name, error);
  text += fmt::format("  for (int i = 0; i < {}; ++i) {{\n", n) + sum("L", p, "z[i]", "+=", "error[j]") + "  }\n}\n";
  text += comment("Moves the estimate z on to the next sample, with the input u from here on.");
  text += fmt::format("void {}_predict(double *z, const double *u)\n{{\n  double next[{}];\n  (void)u;\n", name, n);
  text += fmt::format("  for (int i = 0; i < {}; ++i) {{\n    next[i] = 0;\n", n) +
          sum("A", n, "next[i]", "+=", "z[j]") + sum("B", m, "next[i]", "+=", "u[j]") +
          fmt::format("  }}\n  for (int i = 0; i < {}; ++i) z[i] = next[i];\n}}\n", n);
  return text;
}

// Declares the sign of each quaternion of q, e0 … : e and -e are one attitude, and the nearer one to the point of linearisation is meant. Gives the factor of each
// coordinate: "e0_sign * ", or "".
std::vector<std::string> quaternion_signs(const LinearizedModel& model, std::string& text) {
  const Dynamics& dynamics = model.given->system.dynamics;
  const std::vector<double>& there = model.motion.at.q;
  std::vector<std::string> factors(there.size());
  for (const int of : dynamics.layout().quaternions) {
    const std::size_t first = as_size(of);
    std::string product;
    for (std::size_t k = first; k < first + 4; ++k)
      product += fmt::format("{}{} * q[{}]", k > first ? " + " : "", to_text(there[k], 17), k);
    const std::string sign = c_name(dynamics.names().coordinates[first]) + "_sign";
    text += "  " + comment("e and -e are one attitude: the one that is nearer to the point of linearisation.");
    text += fmt::format("  const double {} = {} < 0 ? -1 : 1;\n", sign, product);
    for (std::size_t k = first; k < first + 4; ++k) factors[k] = sign + " * ";
  }
  return factors;
}

// The coordinates among the states that go on along a steady motion, with their rates: "x at 2".
std::string moving_states(const LinearizedModel& model) {
  const LinearMotion& motion = model.motion;
  if (motion.kind != MotionKind::kSteadyMotion) return "";
  const Dynamics& dynamics = model.given->system.dynamics;
  Workspace workspace(dynamics);
  std::vector<double> rates(motion.at.q.size());
  find_qdot(dynamics, motion.at.t, motion.at.q.data(), motion.at.v.data(), workspace, rates.data());
  std::string text;
  for (const MotionState& state : motion.states)
    if (!state.velocity && rates[state.index] != 0)
      text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", state.name, to_text(rates[state.index], 6));
  return text;
}

}  // namespace

std::string control_code(const LinearizedModel& model, const Control& control) {
  const Names& names = model.given->system.dynamics.names();
  const LinearMotion& motion = model.motion;
  const std::string name = c_name(model.given->system.model->name);
  const std::size_t n = control.states.size(), m = control.inputs.size(), p = control.measured.size();
  std::vector<double> at;
  std::string states;
  for (const MotionState& state : motion.states)
    at.push_back(state.velocity ? motion.at.v[state.index] : motion.at.q[state.index]);
  std::string text =
      comment(fmt::format("{}: a controller for the motion near the state below, in C99. SI units; angles in rad.",
                          model.given->system.model->name));
  text += comment(fmt::format("states z: {}; inputs u: {}{}", fmt::join(control.states, ", "),
                              fmt::join(control.inputs, ", "),
                              p > 0 ? fmt::format("; measured y: {}", fmt::join(control.measured, ", ")) : ""));
  if (control.period)
    text += comment(
        fmt::format("samples each {} s, with inputs that are constant in between", to_text(*control.period, 17)));
  text += "\n" + comment("The point of linearisation: z and u there.");
  text += fmt::format("static const double z_there[{}] = {{{}}};\n", n, numbers(at.data(), n));
  if (m > 0) text += fmt::format("static const double u_there[{}] = {{{}}};\n", m, numbers(motion.at.u.data(), m));
  if (control.K.rows > 0) {
    text += "\n" + comment("The inputs u = u_there - K (z - z_there).") + table("K", control.K);
    const bool are_rates = model.given->system.dynamics.layout().v_is_qdot;
    text += comment(
        fmt::format("Sets u[{}] for a state of the model: q[{}], the coordinates {}; v[{}], {}.", m,
                    names.coordinates.size(), fmt::join(names.coordinates, ", "), names.of_motion().size(),
                    are_rates ? "their rates" : fmt::format("the velocities {}", fmt::join(names.of_motion(), ", "))));
    if (const std::string moving = moving_states(model); !moving.empty())
      text += comment(
          fmt::format("Of what goes on along the motion, give the deviation from it plus z_there: {} per s.", moving));
    text += fmt::format("void {}_feedback(const double *q, const double *v, double *u)\n{{\n", name);
    const std::vector<std::string> factors = quaternion_signs(model, text);
    text += fmt::format("  const double z[{}] = {{", n);
    for (std::size_t i = 0; i < n; ++i) {
      const MotionState& state = motion.states[i];
      text += fmt::format("{}{}{}[{}] - z_there[{}]", i > 0 ? ", " : "", state.velocity ? "" : factors[state.index],
                          state.velocity ? "v" : "q", state.index, i);
    }
    text += fmt::format("}};\n  (void)q, (void)v;\n  for (int i = 0; i < {}; ++i) {{\n    u[i] = u_there[i];\n", m);
    text += sum("K", n, "u[i]", "-=", "z[j]") + "  }\n}\n";
  }
  return control.L.cols > 0 ? text + estimator(control, name) : text;
}

}  // namespace dalembert
