// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/machine_kernel.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "dalembert/compile/tape_arguments.h"

namespace dalembert {
namespace {

// Functions that are together longer than this, in instructions, are compiled with CodeEffort::kQuick: a run of one
// system calls them only some thousand times, so slower code costs less than thorough compilation would.
constexpr std::size_t kThoroughAccelerations = 3000, kThoroughRest = 1000;

// Functions of more instructions stay interpreted: the longer code without loops is, the longer LLVM takes for each
// instruction.
constexpr std::size_t kLongest = 30'000;

// Estimates in seconds, measured on the shipped models, within a factor of two elsewhere. Making code takes kBegin to
// load LLVM and kInstruction for each instruction (machine_code.h). In a solve of a run, projections and measures
// included, code saves kOperation for each operation and kSineCosine for each sine and cosine.
constexpr double kBegin = 20e-3, kInstruction = 40e-6, kOperation = 3e-9, kSineCosine = 20e-9;
// The fraction of calls_that_pay() that must have been made before a run's estimate of the calls left is believed:
// steps grow at first, so early estimates are too high.
constexpr double kEvidence = 1.0 / 16;

// The functions that a run calls and that are worth compiling.
std::vector<KernelFunction> called_by_runs(const TapeKernel& tapes) {
  const Layout& size = tapes.layout();
  std::vector<KernelFunction> called{KernelFunction::kVelocity, KernelFunction::kEnergy};
  const auto add = [&](bool needed, KernelFunction function) {
    if (needed) called.push_back(function);
  };
  const bool solves = tapes.solves_kkt();
  add(!size.holonomic.empty(), KernelFunction::kPosition);
  add(!size.v_is_qdot, KernelFunction::kKinematics);
  add(!size.constant_inputs, KernelFunction::kInputs);
  add(size.outputs > 0, KernelFunction::kOutputs);
  add(size.integrals > 0, KernelFunction::kIntegrands);
  add(solves, KernelFunction::kAccelerations);
  add(tapes.projects() && !size.holonomic.empty(), KernelFunction::kPositionStep);
  add(tapes.projects() && size.m > 0, KernelFunction::kVelocityStep);
  add(!solves, KernelFunction::kRates);
  add(!solves, KernelFunction::kMass);
  std::erase_if(called, [&](KernelFunction function) {
    const std::size_t length = tapes.tape(function).instructions.size();
    return length < MachineKernel::kShortest || length > kLongest;
  });
  // The next two functions are called in each Runge–Kutta stage, so they are compiled however short they are.
  add(size.load_dependent(), KernelFunction::kFriction);
  add(!size.conservative, KernelFunction::kPower);
  return called;
}

double find_calls_that_pay(const TapeKernel& tapes) {
  std::size_t instructions = 0;
  // Integrals, which a run computes beside its steps, do not decide when the steps become code.
  for (const KernelFunction function : called_by_runs(tapes))
    if (function != KernelFunction::kIntegrands) instructions += tapes.tape(function).instructions.size();
  const Tape& solve = tapes.tape(tapes.solves_kkt() ? KernelFunction::kAccelerations : KernelFunction::kRates);
  const auto sines = std::ranges::count(solve.instructions, TapeOp::kSinCos, &Instruction::op);
  const double saved =
      kOperation * static_cast<double>(count_operations(solve) + 1) + kSineCosine * static_cast<double>(sines);
  return (kBegin + kInstruction * static_cast<double>(instructions)) / saved;
}

}  // namespace

MachineKernel::MachineKernel(std::shared_ptr<const TapeKernel> tapes, CodeOptions options)
    : tapes_(std::move(tapes)),
      layout_(tapes_->layout()),
      options_(std::move(options)),
      calls_that_pay_(find_calls_that_pay(*tapes_)) {
  for (int i = 0; i < kKernelFunctions; ++i)
    layout_.work = std::max(layout_.work, code_work({.tape = &tapes_->tape(static_cast<KernelFunction>(i))}));
}

MachineKernel::~MachineKernel() = default;

void MachineKernel::call(KernelFunction function, const KernelArguments& in, double* out) const {
  const Slot& slot = slots_[static_cast<std::size_t>(function)];
  if (const MachineCode* code = slot.code.load(std::memory_order_acquire)) {
    if (code->run(slot.index, TapeArguments(in).array, in.work, out) == 0) return;
  }
  tapes_->call(function, in, out);
}

KernelCode* MachineKernel::code(KernelFunction function) const {
  static_assert(static_cast<int>(TapeArray::kTime) == 0 && static_cast<int>(TapeArray::kParameter) == 1 &&
                static_cast<int>(TapeArray::kInput) == 2 && static_cast<int>(TapeArray::kCoordinate) == 3 &&
                static_cast<int>(TapeArray::kVelocity) == 4 && static_cast<int>(TapeArray::kMultiplier) == 6 &&
                static_cast<int>(TapeArray::kPrepared) == 7);
  const Slot& slot = slots_[static_cast<std::size_t>(function)];
  const MachineCode* code = slot.code.load(std::memory_order_acquire);
  return code == nullptr ? nullptr : code->code(slot.index);
}

void MachineKernel::expect_many_calls() const {
  std::call_once(once_, [this] { make_code(); });
}

void MachineKernel::note_calls(std::int64_t made, double left) const {
  const double calls = static_cast<double>(calls_ += made);
  if (calls >= (left >= calls_that_pay_ ? kEvidence : 1) * calls_that_pay_) expect_many_calls();
}

void MachineKernel::make_code() const {
  std::vector<KernelFunction> called = called_by_runs(*tapes_);
  // Most of a run's time goes into the accelerations: they are worth compiling well.
  const auto rest = std::stable_partition(
      called.begin(), called.end(), [](KernelFunction function) { return function == KernelFunction::kAccelerations; });
  make_code({called.begin(), rest}, kThoroughAccelerations);
  make_code({rest, called.end()}, kThoroughRest);
}

void MachineKernel::make_code(std::span<const KernelFunction> called, std::size_t thorough) const {
  if (called.empty()) return;
  std::vector<CodeFunction> wanted(called.size());
  std::size_t instructions = 0;
  for (std::size_t i = 0; i < called.size(); ++i) {
    wanted[i].tape = &tapes_->tape(called[i]);
    instructions += wanted[i].tape->instructions.size();
  }
  CodeOptions options = options_;
  if (instructions > thorough) options.effort = CodeEffort::kQuick;
  std::string why;
  std::shared_ptr<const MachineCode> code = generate_code(wanted, options, &why);
  if (code == nullptr) {
    if (refused_.load(std::memory_order_relaxed)) return;
    why_not_ = std::move(why);
    refused_.store(true, std::memory_order_release);
    return;
  }
  for (std::size_t i = 0; i < called.size(); ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(called[i])];
    slot.index = i;
    slot.owner = code;
    slot.code.store(code.get(), std::memory_order_release);
  }
}

std::string MachineKernel::why_not() const {
  return refused_.load(std::memory_order_acquire) ? why_not_ : std::string();
}

std::string MachineKernel::computed_by() const {
  const KernelFunction motion = tapes_->solves_kkt() ? KernelFunction::kAccelerations : KernelFunction::kRates;
  for (const Slot& slot : slots_) {
    if (slot.code.load(std::memory_order_acquire) == nullptr) continue;
    return (has_code(motion) ? "machine code of " : "interpreter, in part machine code of ") + slot.owner->maker();
  }
  const std::string why = why_not();
  return tapes_->computed_by() + (why.empty() ? "" : ", for " + why);
}

std::shared_ptr<const TapeKernel> tapes_of(const Dynamics& dynamics) {
  const std::shared_ptr<const Kernel>& kernel = dynamics.shared_kernel();
  if (const auto machine = std::dynamic_pointer_cast<const MachineKernel>(kernel)) return machine->tapes();
  auto tapes = std::dynamic_pointer_cast<const TapeKernel>(kernel);
  assert(tapes != nullptr);
  return tapes;
}

}  // namespace dalembert
