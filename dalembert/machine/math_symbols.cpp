// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/math_symbols.h"

#include <dlfcn.h>

#include <string>

#include <fmt/format.h>

#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

// For example Sleef_sinhd4_u10avx2: four numbers at once, with an error of at most 1.0 units in the last place.
std::string sleef_spelling(std::string_view name, int lanes) {
  return fmt::format("Sleef_{}d{}_u10{}", name, lanes, lanes == 8 ? "avx512f" : "avx2");
}

// The library is never closed: code that calls it may live as long as the program.
void* sleef() {
  static void* const library = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL);
  return library;
}

}  // namespace

std::string_view libm_name(Op function) { return function_info(function).library.name; }

std::string sleef_name(Op function, int lanes, VectorUnit unit) {
  const LibraryFunction& library = function_info(function).library;
  const bool fits = (lanes == 8 && unit >= VectorUnit::kAvx512) || (lanes == 4 && unit >= VectorUnit::kAvx2);
  return library.vectors && fits ? sleef_spelling(library.name, lanes) : std::string();
}

bool sleef_available() { return sleef() != nullptr; }

const void* math_symbol(std::string_view name) {
  for (const FunctionInfo& function : functions()) {
    const LibraryFunction& library = function.library;
    if (library.name.empty()) continue;
    if (name == library.name)
      return library.unary ? reinterpret_cast<const void*>(library.unary)
                           : reinterpret_cast<const void*>(library.binary);
    if (library.vectors && (name == sleef_spelling(library.name, 4) || name == sleef_spelling(library.name, 8)))
      return sleef() != nullptr ? dlsym(sleef(), std::string(name).c_str()) : nullptr;
  }
  return nullptr;
}

}  // namespace dalembert
