// SPDX-License-Identifier: Apache-2.0
// What the harnesses share: FUZZ(const std::string& text) { ... } is called with every input; require() stops the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}
/// Keeps the compiler from leaving out what only has to survive.
inline void use(const std::string& text) { require(text.size() < text.max_size(), text); }

#define FUZZ(parameter)                                                               \
  static void fuzz(parameter);                                                        \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz(std::string(reinterpret_cast<const char*>(data), size));                     \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz(parameter)
