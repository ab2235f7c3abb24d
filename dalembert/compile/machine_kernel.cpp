// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/machine_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dalembert {
namespace {

// Functions longer than this together are compiled quickly: a run of one system calls them some thousand times only, so
// what is lost in them is less than what is won before they start.
constexpr std::size_t kThoroughLimit = 1500;  // instructions

}  // namespace

MachineKernel::MachineKernel(std::shared_ptr<const TapeKernel> tapes, CodeOptions options)
    : tapes_(std::move(tapes)), layout_(tapes_->layout()), options_(std::move(options)) {
  for (int i = 0; i < kKernelFunctions; ++i)
    layout_.work = std::max(layout_.work, code_work({.tape = &tapes_->tape(static_cast<KernelFunction>(i))}));
  for (std::atomic<int>& place : places_) place.store(kNone, std::memory_order_relaxed);
}

MachineKernel::~MachineKernel() = default;

void MachineKernel::call(KernelFunction function, const KernelArguments& in, double* out) const {
  const int at = place(function).load(std::memory_order_acquire);
  if (at != kNone) {
    // In the order of TapeArray.
    const double* const arguments[kTapeArrays] = {&in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared};
    if (code_->run(static_cast<std::size_t>(at), arguments, in.work, out) == 0) return;
  }
  tapes_->call(function, in, out);
}

void MachineKernel::expect_many_calls() const {
  std::call_once(once_, [this] { make_code(); });
}

void MachineKernel::make_code() const {
  const Layout& size = layout();
  std::vector<KernelFunction> called{KernelFunction::kVelocity, KernelFunction::kEnergy};
  const auto add = [&](bool needed, KernelFunction function) {
    if (needed) called.push_back(function);
  };
  add(!size.holonomic.empty(), KernelFunction::kPosition);
  add(!size.constant_inputs, KernelFunction::kInputs);
  add(size.outputs > 0, KernelFunction::kOutputs);
  add(solves_kkt(), KernelFunction::kAccelerations);
  add(solves_kkt() && !size.holonomic.empty(), KernelFunction::kPositionStep);
  add(solves_kkt() && size.m > 0, KernelFunction::kVelocityStep);
  add(!solves_kkt(), KernelFunction::kRates);
  add(!solves_kkt(), KernelFunction::kMass);

  std::erase_if(called,
                [&](KernelFunction function) { return tapes_->tape(function).instructions.size() < kShortest; });

  std::vector<CodeFunction> wanted(called.size());
  std::size_t instructions = 0;
  for (std::size_t i = 0; i < called.size(); ++i) {
    wanted[i].tape = &tapes_->tape(called[i]);
    instructions += wanted[i].tape->instructions.size();
  }
  CodeOptions options = options_;
  if (instructions > kThoroughLimit) options.effort = CodeEffort::kQuick;
  std::string why;
  code_ = generate_code(wanted, options, &why);
  if (code_ == nullptr) {
    const std::lock_guard lock(mutex_);
    why_not_ = why;
    return;
  }
  for (std::size_t i = 0; i < called.size(); ++i)
    place(called[i]).store(static_cast<int>(i), std::memory_order_release);
}

std::string MachineKernel::why_not() const {
  const std::lock_guard lock(mutex_);
  return why_not_;
}

}  // namespace dalembert
