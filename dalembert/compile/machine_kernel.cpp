// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/machine_kernel.h"

namespace dalembert {
namespace {

// Tapes longer than this are compiled quickly: a run of one system calls them some thousand times only, so what is lost
// in them is less than what is won before they start.
constexpr std::size_t kThoroughLimit = 250;  // instructions

}  // namespace

MachineKernel::MachineKernel(std::shared_ptr<const TapeKernel> tapes, CodeOptions options)
    : tapes_(std::move(tapes)), options_(std::move(options)) {}

MachineKernel::~MachineKernel() = default;

void MachineKernel::call(KernelFunction function, const KernelArguments& in, double* out) const {
  const Slot& here = slot(function);
  if (!here.decided.load(std::memory_order_acquire)) decide(function);
  const MachineCode* code = here.code.load(std::memory_order_acquire);
  if (code != nullptr) {
    // In the order of TapeArray.
    const double* const arguments[kTapeArrays] = {&in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared};
    if (code->run(0, arguments, in.work, out) == 0) return;
  }
  tapes_->call(function, in, out);
}

bool MachineKernel::prepare_code(KernelFunction function) const {
  decide(function);
  return slot(function).code.load(std::memory_order_acquire) != nullptr;
}

void MachineKernel::decide(KernelFunction function) const {
  Slot& here = slot(function);
  std::call_once(here.once, [&] {
    CodeFunction wanted;
    wanted.tape = &tapes_->tape(function);
    if (wanted.tape->instructions.size() >= kShortest) {
      CodeOptions options = options_;
      if (wanted.tape->instructions.size() > kThoroughLimit) options.effort = CodeEffort::kQuick;
      std::string why;
      here.owner = generate_code({&wanted, 1}, options, &why);
      here.code.store(here.owner.get(), std::memory_order_release);
      if (here.owner == nullptr) {
        const std::lock_guard lock(mutex_);
        why_not_ = why;
      }
    }
    here.decided.store(true, std::memory_order_release);
  });
}

std::string MachineKernel::why_not() const {
  const std::lock_guard lock(mutex_);
  return why_not_;
}

}  // namespace dalembert
