// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/machine_kernel.h"

#include <vector>

namespace dalembert {

MachineKernel::MachineKernel(std::shared_ptr<const TapeKernel> tapes, CodeOptions options)
    : tapes_(std::move(tapes)), options_(std::move(options)) {}

MachineKernel::~MachineKernel() = default;

void MachineKernel::call(KernelFunction function, const KernelArguments& in, double* out) const {
  const Slot& here = slot(function);
  if (!here.decided.load(std::memory_order_acquire)) decide(function);
  if (here.code != nullptr) {
    // In the order of TapeArray.
    const double* const arguments[kTapeArrays] = {&in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared};
    if (here.code->run(here.index, arguments, in.work, out) == 0) return;
  }
  tapes_->call(function, in, out);
}

bool MachineKernel::prepare_code(KernelFunction function) const {
  decide(function);
  return slot(function).code != nullptr;
}

std::size_t MachineKernel::group_of(KernelFunction function) {
  switch (function) {
    case KernelFunction::kInputs:
    case KernelFunction::kAccelerations:
    case KernelFunction::kPositionStep:
    case KernelFunction::kVelocityStep:
      return 0;  // each step of a run
    case KernelFunction::kEnergy:
    case KernelFunction::kOutputs:
      return 1;  // each row of its record
    case KernelFunction::kPosition:
    case KernelFunction::kVelocity:
      return 2;  // assembly
    case KernelFunction::kMass:
      return 3;
    case KernelFunction::kTerms:
      return 4;
    case KernelFunction::kRates:
      return 5;
  }
  return 0;
}

void MachineKernel::decide(KernelFunction function) const {
  const std::size_t group = group_of(function);
  std::call_once(groups_[group].once, [&] { generate(group); });
}

void MachineKernel::generate(std::size_t group) const {
  std::vector<CodeFunction> wanted;
  std::vector<Slot*> slots;
  for (int f = 0; f < kKernelFunctions; ++f) {
    const auto function = static_cast<KernelFunction>(f);
    if (group_of(function) != group || tapes_->tape(function).instructions.size() < kShortest) continue;
    CodeFunction next;
    next.tape = &tapes_->tape(function);
    wanted.push_back(next);
    slots.push_back(&slot(function));
  }
  if (!wanted.empty()) {
    std::string why;
    groups_[group].owner = generate_code(wanted, options_, &why);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i]->code = groups_[group].owner.get();
      slots[i]->index = i;
    }
    if (groups_[group].owner == nullptr) {
      const std::lock_guard lock(mutex_);
      why_not_ = why;
    }
  }
  for (int f = 0; f < kKernelFunctions; ++f)
    if (group_of(static_cast<KernelFunction>(f)) == group)
      slots_[static_cast<std::size_t>(f)].decided.store(true, std::memory_order_release);
}

std::string MachineKernel::why_not() const {
  const std::lock_guard lock(mutex_);
  return why_not_;
}

}  // namespace dalembert
