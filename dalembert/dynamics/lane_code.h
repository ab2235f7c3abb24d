// SPDX-License-Identifier: Apache-2.0
// Functions of a kernel for several systems at once, as machine code. The systems differ in state, time and parameters; each has
// the bits that the kernel's code gives for it alone, whoever has the other lanes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

struct LaneCode {
  static constexpr std::size_t kLanes = 8;
  /// Code of each function, null where there is none. Entry i of lane l of every argument and result is at [i · kLanes + l], parameters and prepared
  /// values included. Bit l of what it returns: the results of lane l must not be used.
  std::array<KernelCode*, kKernelFunctions> code{};
  std::size_t work = 0;  ///< numbers of scratch memory
  std::shared_ptr<const void> owner = {};

  KernelCode* of(KernelFunction function) const { return code[static_cast<std::size_t>(function)]; }
};

}  // namespace dalembert
