// SPDX-License-Identifier: Apache-2.0
// The processor that machine code is made for, without asking LLVM.
#pragma once

#include <cstdint>

namespace dalembert {

/// Which vector instructions code may use; each includes those before it.
enum class VectorUnit : std::uint8_t {
  kSse2,    ///< any x86-64
  kAvx2,    ///< AVX2 and FMA: four doubles
  kAvx512,  ///< AVX-512 F, DQ, VL: eight doubles
};

/// Whether this build can run machine code of its own at all: x86-64 under Linux.
bool runs_machine_code();

/// The widest unit that processor and operating system offer.
VectorUnit host_vector_unit();

/// A number that differs between processors of different model or instructions, so that code made for one is not run on
/// another.
std::uint64_t host_fingerprint();

}  // namespace dalembert
