// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/host_cpu.h"

#include <initializer_list>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#endif

namespace dalembert {

#if defined(__x86_64__) && defined(__linux__)

bool runs_machine_code() { return true; }

VectorUnit host_vector_unit() {
  static const VectorUnit unit = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return VectorUnit::kSse2;
    const bool wide =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return wide ? VectorUnit::kAvx512 : VectorUnit::kAvx2;
  }();
  return unit;
}

std::uint64_t host_fingerprint() {
  static const std::uint64_t fingerprint = [] {
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto add = [&hash](std::uint32_t word) { hash = (hash ^ word) * 0x100000001b3u; };
    // Leaf 1: family and instructions; ebx is left out, since it tells on which core this runs. Leaf 7: more
    // instructions.
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) != 0)
      for (const unsigned word : {a, c, d}) add(word);
    for (const unsigned sub : {0u, 1u})
      if (__get_cpuid_count(7, sub, &a, &b, &c, &d) != 0)
        for (const unsigned word : {a, b, c, d}) add(word);
    if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0)
      for (const unsigned word : {c, d}) add(word);
    add(static_cast<std::uint32_t>(host_vector_unit()));  // vector registers that the operating system saves
    return hash;
  }();
  return fingerprint;
}

#else

bool runs_machine_code() { return false; }
VectorUnit host_vector_unit() { return VectorUnit::kSse2; }
std::uint64_t host_fingerprint() { return 0; }

#endif

}  // namespace dalembert
