// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/lane_code.h"

#include <algorithm>
#include <vector>

#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/machine/machine_code.h"

namespace dalembert {
namespace {

// Tapes of more instructions do not become code in lanes: it would take LLVM longer than a study of a thousand runs gains by it.
constexpr std::size_t kLongest = 3000;

constexpr KernelFunction kOfSteps[] = {KernelFunction::kAccelerations, KernelFunction::kPower,
                                       KernelFunction::kPositionStep, KernelFunction::kVelocityStep};

}  // namespace

std::shared_ptr<const LaneCode> make_lane_code(const Dynamics& dynamics) {
  const auto kernel = std::dynamic_pointer_cast<const MachineKernel>(dynamics.shared_kernel());
  if (kernel == nullptr) return nullptr;
  std::vector<KernelFunction> made;
  std::vector<CodeFunction> wanted;
  auto result = std::make_shared<LaneCode>();
  for (const KernelFunction function : kOfSteps) {
    const Tape& tape = kernel->tapes()->tape(function);
    if (kernel->code(function) == nullptr || !tape.loops.empty() || tape.instructions.size() > kLongest) continue;
    made.push_back(function);
    wanted.push_back({.tape = &tape, .lanes = static_cast<int>(LaneCode::kLanes), .apart = true});
    result->work = std::max(result->work, code_work(wanted.back()));
  }
  if (made.empty() || made.front() != KernelFunction::kAccelerations) return nullptr;
  const std::shared_ptr<const MachineCode> code = generate_code(wanted, kernel->options());
  if (code == nullptr) return nullptr;
  for (std::size_t k = 0; k < made.size(); ++k) result->code[static_cast<std::size_t>(made[k])] = code->code(k);
  result->owner = code;
  return result;
}

}  // namespace dalembert
