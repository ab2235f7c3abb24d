// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/math_symbols.h"

#include <dlfcn.h>

#include <array>
#include <cmath>
#include <string>

namespace dalembert {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

struct MathFunction {
  Op function;
  std::string_view libm, sleef4, sleef8;
  const void* address;
};

const void* address_of(Unary function) { return reinterpret_cast<const void*>(function); }
const void* address_of(Binary function) { return reinterpret_cast<const void*>(function); }

const std::array<MathFunction, 14>& functions() {
  static const std::array<MathFunction, 14> table{{
      {Op::kPower, "pow", "Sleef_powd4_u10avx2", "Sleef_powd8_u10avx512f", address_of(Binary{std::pow})},
      {Op::kSin, "sin", {}, {}, address_of(Unary{std::sin})},
      {Op::kCos, "cos", {}, {}, address_of(Unary{std::cos})},
      {Op::kTan, "tan", "Sleef_tand4_u10avx2", "Sleef_tand8_u10avx512f", address_of(Unary{std::tan})},
      {Op::kAsin, "asin", "Sleef_asind4_u10avx2", "Sleef_asind8_u10avx512f", address_of(Unary{std::asin})},
      {Op::kAcos, "acos", "Sleef_acosd4_u10avx2", "Sleef_acosd8_u10avx512f", address_of(Unary{std::acos})},
      {Op::kAtan, "atan", "Sleef_atand4_u10avx2", "Sleef_atand8_u10avx512f", address_of(Unary{std::atan})},
      {Op::kSinh, "sinh", "Sleef_sinhd4_u10avx2", "Sleef_sinhd8_u10avx512f", address_of(Unary{std::sinh})},
      {Op::kCosh, "cosh", "Sleef_coshd4_u10avx2", "Sleef_coshd8_u10avx512f", address_of(Unary{std::cosh})},
      {Op::kTanh, "tanh", "Sleef_tanhd4_u10avx2", "Sleef_tanhd8_u10avx512f", address_of(Unary{std::tanh})},
      {Op::kExp, "exp", "Sleef_expd4_u10avx2", "Sleef_expd8_u10avx512f", address_of(Unary{std::exp})},
      {Op::kLog, "log", "Sleef_logd4_u10avx2", "Sleef_logd8_u10avx512f", address_of(Unary{std::log})},
      {Op::kFloor, "floor", {}, {}, address_of(Unary{std::floor})},
      {Op::kAtan2, "atan2", "Sleef_atan2d4_u10avx2", "Sleef_atan2d8_u10avx512f", address_of(Binary{std::atan2})},
  }};
  return table;
}

const MathFunction* find(Op function) {
  for (const MathFunction& entry : functions())
    if (entry.function == function) return &entry;
  return nullptr;
}

// Never closed: code that calls into it may live as long as the program.
void* sleef() {
  static void* const library = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL);
  return library;
}

}  // namespace

std::string_view libm_name(Op function) {
  const MathFunction* entry = find(function);
  return entry != nullptr ? entry->libm : std::string_view{};
}

std::string_view sleef_name(Op function, int lanes, VectorUnit unit) {
  const MathFunction* entry = find(function);
  if (entry == nullptr) return {};
  if (lanes == 8 && unit >= VectorUnit::kAvx512) return entry->sleef8;
  if (lanes == 4 && unit >= VectorUnit::kAvx2) return entry->sleef4;
  return {};
}

bool sleef_available() { return sleef() != nullptr; }

const void* math_symbol(std::string_view name) {
  for (const MathFunction& entry : functions()) {
    if (name == entry.libm) return entry.address;
    if (!entry.sleef4.empty() && (name == entry.sleef4 || name == entry.sleef8))
      return sleef() != nullptr ? dlsym(sleef(), std::string(name).c_str()) : nullptr;
  }
  return nullptr;
}

}  // namespace dalembert
