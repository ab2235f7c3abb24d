// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "dalembert/base/numeric.h"
#include "dalembert/compile/argument_entries.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/contacts.h"
#include "dalembert/compile/integrals.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/residuals.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape_jacobian.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// Largest number of operations in a tape of derivatives, and in one of residuals. At the limit making the tape takes one to two seconds, and a call some tens
// of times less than differences would.
constexpr std::size_t kMostOfDerivatives = 400'000, kMostOfResiduals = 1'500'000;
// Limit on the instructions on the way, per operation that the finished tape may have.
constexpr std::size_t kOnTheWay = 8;
// Derivatives of accelerations are found implicitly where their tape would take more than kLongTape instructions, and more than dense solutions take operations
// (solutions_work). Of chains of 20 to 60 rods in minimal coordinates the tape is faster in runs of many steps, and solutions where a run is as short as making the
// tape takes; in maximal coordinates the tape is always shorter.
// Systems whose dense solutions take more than kMostImplicit operations, about 20 ms a point, have none.
constexpr std::size_t kLongTape = 150'000;
constexpr double kMostImplicit = 1e8;
// Estimates in seconds, measured on chains of rods and on shipped models, on machines whose figures lie up to a factor of two on both sides: making code takes kBegin, and
// kThorough or kQuick for each instruction, twice that where they are kCrowded; it saves so much for each operation of a call. Code is kept on disk for later runs, so
// that it is made at a fraction of the calls at which this one breaks even; and where as many are still to come, after fewer calls. Thorough code is made where what
// it saves beyond quick code pays in this run alone. Whether code is kept already decides nothing: it has other digits than the interpreter.
constexpr double kBegin = 15e-3, kThorough = 75e-6, kQuick = 40e-6, kCrowded = 4'000, kSavedThorough = 4.5e-9,
                 kSavedQuick = 3e-9;
constexpr double kForLater = 1.0 / 3, kEvidence = 1.0 / 16;
// Tapes of more instructions stay interpreted: code would be hardly faster.
constexpr std::size_t kMostCode = 30'000;

class TapeDerivatives final : public RunDerivatives {
 public:
  TapeDerivatives(const Equations& equations, const std::vector<int>& parameters, const CompileOptions& options);
  bool valid() const { return has(Part::kAccelerations) || (has(Part::kResiduals) && has(Part::kRows)); }

  void prepare(const double* p, double* prepared) const override {
    std::vector<double> work(work_);
    for (const Program& program : programs_)
      run_tape(program.preparation, {.p = p, .work = work.data()}, prepared + program.first, 1);
  }
  void call(Part part, const DerivativePoints& in, double* out) const override;
  void call_inputs(const DerivativePoints& in, double* out) const override { run_tape(inputs_, in, out, 1); }
  void note_calls(std::int64_t made, double left) const override;
  void expect_many_calls() const override;

 private:
  struct Program {
    Tape tape, preparation;
    std::size_t first = 0;  // of the prepared numbers
  };
  static std::array<const double*, kTapeArrays> arrays_of(const DerivativePoints& in) {
    return {in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared};
  }
  static void run_tape(const Tape& tape, const DerivativePoints& in, double* out, int lanes) {
    run(tape, arrays_of(in).data(), in.work, out, lanes);
  }
  static std::size_t most_of(Part part) { return part == Part::kResiduals ? kMostOfResiduals : kMostOfDerivatives; }
  void set(Part part, const Tape& function, const JacobianRows& rows) {
    set(part, function, rows, kOnTheWay * most_of(part));
  }
  void set(Part part, const Tape& function, const JacobianRows& rows, std::size_t most_on_the_way);
  void take(Part part, Tape tape);
  void set_motion(const Equations& equations);
  void set_solved(const Equations& equations, std::size_t most);
  double solutions_work(const Equations& equations) const;
  void set_columns(const Equations& equations, const std::vector<int>& parameters);
  void set_inputs(const Equations& equations, const std::vector<int>& parameters);
  void estimate_code();
  void make_code(double calls) const;

  std::vector<ArgumentEntry> by_;
  ChangingParameters changing_;
  std::array<Program, kParts> programs_;
  Tape inputs_;
  // Numbers of calls from which code pays, and from which thorough code does.
  double calls_that_pay_ = std::numeric_limits<double>::infinity(), calls_that_pay_thorough_ = 0;
  mutable std::atomic<std::int64_t> calls_ = 0;
  mutable std::once_flag made_code_;
  mutable std::shared_ptr<const MachineCode> code_;
  mutable std::array<std::size_t, kParts> function_{};
  mutable std::atomic<const MachineCode*> made_ = nullptr;
};

void TapeDerivatives::set_columns(const Equations& equations, const std::vector<int>& parameters) {
  const auto add = [&](int& offset, TapeArray array, std::size_t count) {
    offset = static_cast<int>(by_.size());
    for (std::size_t i = 0; i < count; ++i) by_.push_back({array, static_cast<int>(i)});
  };
  add(columns_.q, TapeArray::kCoordinate, equations.q.size());
  add(columns_.v, TapeArray::kVelocity, equations.velocities().size());
  add(columns_.qdd, TapeArray::kAcceleration, equations.velocities().size());
  add(columns_.lambda, TapeArray::kMultiplier, index(equations.m()) + equations.frictions.size());
  add(columns_.u, TapeArray::kInput, equations.model->inputs.size());
  columns_.p = static_cast<int>(by_.size());
  for (const int parameter : parameters) by_.push_back({TapeArray::kParameter, parameter});
  columns_.integrals = static_cast<int>(by_.size());
  for (const Integral& integral : equations.model->integrals) {
    if (integral.parameter < 0) continue;
    if (changing_.count++ == 0) changing_.first = static_cast<std::uint32_t>(integral.parameter);
    by_.push_back({TapeArray::kParameter, integral.parameter});
  }
  columns_.end = static_cast<int>(by_.size());
}

void TapeDerivatives::set(Part part, const Tape& function, const JacobianRows& rows, std::size_t most_on_the_way) {
  const auto i = static_cast<std::size_t>(part);
  std::vector<ArgumentEntry> by = by_;
  // The accelerations and forces that residuals are solved for are held.
  const int held = part == Part::kResiduals ? columns_.u - columns_.qdd : 0;
  by.erase(by.begin() + columns_.qdd, by.begin() + columns_.qdd + held);
  TapeJacobian jacobian = make_jacobian(function, by, rows, most_on_the_way);
  if (jacobian.too_long) return;
  for (int& column : jacobian.col)
    if (column >= columns_.qdd) column += held;
  patterns_[i] = {static_cast<int>(rows.count), columns_.end, std::move(jacobian.row), std::move(jacobian.col)};
  take(part, std::move(jacobian.tape));
  if (!has(part)) patterns_[i] = {};
}

// Prepares a tape as the function of a part, unless it is too long.
void TapeDerivatives::take(Part part, Tape tape) {
  const auto i = static_cast<std::size_t>(part);
  Program program{std::move(tape), {}, prepared_};
  program.preparation = split_preparation(program.tape, static_cast<std::uint32_t>(prepared_), changing_);
  finish(program.preparation);
  finish_derivatives(program.tape);
  if (count_operations(program.tape) > most_of(part)) return;
  prepared_ += program.preparation.outputs;
  sizes_[i] = program.tape.outputs;
  const auto lanes_of_part = static_cast<std::size_t>(lanes(part));
  const CodeFunction code{.tape = &program.tape, .lanes = lanes(part)};
  work_ = std::max({work_, program.tape.registers * lanes_of_part, program.preparation.registers, code_work(code)});
  programs_[i] = std::move(program);
  has_[i] = true;
}

void TapeDerivatives::set_inputs(const Equations& equations, const std::vector<int>& parameters) {
  std::vector<ArgumentEntry> by;
  for (const int parameter : parameters) by.push_back({TapeArray::kParameter, parameter});
  const Tape tape = flatten(kernel_expressions(equations, KernelFunction::kInputs));
  TapeJacobian jacobian = make_jacobian(tape, by, tape.outputs);
  inputs_ = std::move(jacobian.tape);
  finish(inputs_);
  work_ = std::max(work_, inputs_.registers);
  of_inputs_ = {static_cast<int>(tape.outputs), static_cast<int>(by.size()), std::move(jacobian.row),
                std::move(jacobian.col)};
}

TapeDerivatives::TapeDerivatives(const Equations& equations, const std::vector<int>& parameters,
                                 const CompileOptions& options) {
  set_columns(equations, parameters);
  // All expressions come first: making them adds nodes to the graph.
  const std::vector<Expr> outputs = kernel_expressions(equations, KernelFunction::kOutputs),
                          integrands = kernel_expressions(equations, KernelFunction::kIntegrands);
  const std::vector<Expr> rates = equations.v_is_qdot() ? std::vector<Expr>() : rates_of_coordinates(equations);
  set_motion(equations);
  if (!valid()) return;
  set(Part::kRates, flatten(rates), rates.size());
  set(Part::kOutputs, flatten(outputs), outputs.size());
  set(Part::kIntegrands, flatten(integrands), integrands.size());
  set_inputs(equations, parameters);
  if (options.machine_code) estimate_code();
}

// Multiplications and additions of one point's dense solutions: the factors, and a right side for each column of the Jacobian.
double TapeDerivatives::solutions_work(const Equations& equations) const {
  const auto nv = static_cast<double>(equations.velocities().size());
  const double columns = columns_.qdd + columns_.end - columns_.u;
  return dense_work(nv, equations.m()) + 3 * columns * nv * nv;
}

// What the accelerations, and the steps onto the constraints, are differentiated by: their own functions, or what they solve.
void TapeDerivatives::set_motion(const Equations& equations) {
  if (!equations.load_dependent()) {
    const double work = solutions_work(equations);
    const auto worth = std::max(static_cast<double>(kLongTape), work);
    constexpr std::size_t kMost = kOnTheWay * kMostOfDerivatives;
    set_solved(equations, work > kMostImplicit ? kMost : std::min(kMost, static_cast<std::size_t>(worth)));
    if (has(Part::kAccelerations) || work > kMostImplicit) return;
  }
  const std::vector<Expr> residuals = friction_residuals(equations), rows = rows_of_state(equations);
  set(Part::kResiduals, flatten(residuals), residuals.size());
  set(Part::kRows, flatten(rows), rows.size());
}

// `most`: of the instructions for the Jacobian of the accelerations.
void TapeDerivatives::set_solved(const Equations& equations, std::size_t most) {
  const std::optional<KktTapes> solved = make_kkt_tapes(equations, KktUse::kDifferentiate);
  if (!solved) return;
  const std::size_t nv = equations.velocities().size(), m = index(equations.m()), m_h = equations.holonomic.size();
  set(Part::kAccelerations, solved->by_residuals, rows_by_residuals(nv, m, true), most);
  if (!has(Part::kAccelerations)) return;
  if (m == 0) return;
  const std::vector<Expr> rows = rows_of_state(equations);
  set(Part::kRows, flatten(rows), rows.size());
  if (m_h > 0) take(Part::kPositionStep, solved->position_solution);
  take(Part::kVelocityStep, solved->velocity_solution);
}

// Finds the number of calls at which machine code is made.
void TapeDerivatives::estimate_code() {
  std::size_t instructions = 0;
  for (const Program& program : programs_) instructions += program.tape.instructions.size();
  if (instructions > kMostCode) return;
  const Part motion = has(Part::kAccelerations) ? Part::kAccelerations : Part::kResiduals;
  const auto operations = static_cast<double>(count_operations(programs_[static_cast<std::size_t>(motion)].tape) + 1);
  const double made = static_cast<double>(instructions) * (1 + static_cast<double>(instructions) / kCrowded);
  const auto calls_for = [&](double begin, double making, double saved) {
    return (begin + making * made) / (saved * operations);
  };
  calls_that_pay_ = kForLater * calls_for(kBegin, kQuick, kSavedQuick);
  calls_that_pay_thorough_ = calls_for(0, kThorough - kQuick, kSavedThorough - kSavedQuick);
}

void TapeDerivatives::call(Part part, const DerivativePoints& in, double* out) const {
  const auto i = static_cast<std::size_t>(part);
  if (const MachineCode* code = made_.load(std::memory_order_acquire))
    if (code->run(function_[i], arrays_of(in).data(), in.work, out) == 0) return;
  run_tape(programs_[i].tape, in, out, lanes(part));
}

void TapeDerivatives::note_calls(std::int64_t made, double left) const {
  if (made_.load(std::memory_order_relaxed) != nullptr) return;
  if (!std::isfinite(calls_that_pay_)) return;
  const auto calls = static_cast<double>(calls_.fetch_add(made) + made);
  if (calls >= (left >= calls_that_pay_ ? kEvidence : 1) * calls_that_pay_) make_code(calls + left);
}

void TapeDerivatives::expect_many_calls() const {
  if (std::isfinite(calls_that_pay_)) make_code(std::numeric_limits<double>::infinity());
}

// `calls`: so many are expected in all. Quick and thorough code have the same digits.
void TapeDerivatives::make_code(double calls) const {
  std::call_once(made_code_, [&] {
    std::vector<CodeFunction> functions;
    for (std::size_t i = 0; i < kParts; ++i) {
      if (!has_[i]) continue;
      function_[i] = functions.size();
      functions.push_back({.tape = &programs_[i].tape, .lanes = lanes(static_cast<Part>(i))});
    }
    CodeOptions options = default_code_options();
    options.effort = calls >= calls_that_pay_thorough_ ? CodeEffort::kThorough : CodeEffort::kQuick;
    code_ = generate_code(functions, options);
    made_.store(code_.get(), std::memory_order_release);
  });
}

}  // namespace

std::shared_ptr<const RunDerivatives> compile_derivatives(const Equations& given, const std::vector<int>& parameters,
                                                          const CompileOptions& options) {
  const Equations equations = with_contact_switches(with_integral_parameters(with_prescribed_rows(on_overlay(given))));
  auto made = std::make_shared<const TapeDerivatives>(equations, parameters, options);
  return made->valid() ? made : nullptr;
}

}  // namespace dalembert
