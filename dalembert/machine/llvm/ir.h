// SPDX-License-Identifier: Apache-2.0
// LLVM instructions for numbers that are one double or a vector of doubles, a lane for each system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/machine/host_cpu.h"
#include "dalembert/machine/llvm/llvm_api.h"

namespace dalembert {

using Value = LLVMValueRef;

/// One LLVM module, and what its functions share. Owns the module.
struct IrModule {
  const LlvmApi& api;
  VectorUnit unit;  ///< vector instructions that the code may use
  bool use_sleef;
  /// Whether code is made without optimisation. LLVM then makes a branch of every choice between two numbers of one
  /// system, and moves all code after it into another block, so its time grows with the square of the length; see
  /// Ir::select().
  bool quick;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef real, boolean, integer, pointer;

  IrModule(const LlvmApi& llvm, VectorUnit vector_unit, bool sleef, bool quickly);
  ~IrModule();
  IrModule(const IrModule&) = delete;
  IrModule& operator=(const IrModule&) = delete;

  /// A new function; the builder is left at the start of its body. `name` empty: internal.
  Value function(const std::string& name, LLVMTypeRef result, std::span<const LLVMTypeRef> parameters);
  void attribute(Value function, unsigned index,
                 std::string_view name);  ///< index: 0 result, 1.. parameters, ~0u function
  Value call(Value function, std::span<const Value> arguments);
  /// A function of libm or SLEEF; it is declared when first asked for.
  Value external(std::string_view name, LLVMTypeRef result, std::span<const LLVMTypeRef> parameters);
  LLVMBasicBlockRef block(Value function);
};

class Ir {
 public:
  Ir(IrModule& in, Value within, int lane_count);

  IrModule& module;
  const LlvmApi& api;
  Value function;
  const int lanes;
  LLVMTypeRef number_type, mask_type, bits_type;
  /// Mask of lanes whose results must not be used (null: none so far).
  Value failed = nullptr;

  Value number(double value) const;
  Value bits(std::uint64_t value) const;  ///< the same bits in every lane
  Value index(std::uint64_t value) const { return api.ConstInt(module.integer, value, 0); }

  Value add(Value a, Value b) { return api.BuildFAdd(module.builder, a, b, ""); }
  Value subtract(Value a, Value b) { return api.BuildFSub(module.builder, a, b, ""); }
  Value multiply(Value a, Value b) { return api.BuildFMul(module.builder, a, b, ""); }
  Value divide(Value a, Value b) { return api.BuildFDiv(module.builder, a, b, ""); }
  Value negate(Value a) { return api.BuildFNeg(module.builder, a, ""); }
  bool fuses() const { return module.unit >= VectorUnit::kAvx2; }
  Value multiply_add(Value a, Value b, Value c);  ///< a·b + c, rounded once where the processor can
  Value square_root(Value a) { return intrinsic("llvm.sqrt", {&a, 1}); }
  Value absolute(Value a) { return intrinsic("llvm.fabs", {&a, 1}); }

  /// With an ordered predicate: false where an operand is NaN.
  Value compare(LLVMRealPredicate predicate, Value a, Value b) {
    return api.BuildFCmp(module.builder, predicate, a, b, "");
  }
  Value is_nan(Value a) { return compare(LLVMRealUNO, a, a); }
  Value both(Value a, Value b) { return api.BuildAnd(module.builder, a, b, ""); }
  Value either(Value a, Value b) { return api.BuildOr(module.builder, a, b, ""); }
  Value opposite(Value mask) { return api.BuildNot(module.builder, mask, ""); }
  Value select(Value mask, Value a, Value b);
  Value as_number(Value mask) { return select(mask, number(1), number(0)); }
  void fail(Value mask) { failed = failed == nullptr ? mask : either(failed, mask); }
  Value failed_or_none() const { return failed != nullptr ? failed : api.ConstNull(mask_type); }
  /// The failed lanes as the bits of a 64-bit integer.
  Value failed_bits();
  void fail_bits(Value integer);  ///< adds the lanes whose bits in `integer` are set to `failed`

  /// The address of double number `at` from `base` on. load() and store() access `lanes` doubles from an address on.
  Value place(Value base, Value at);
  Value load(Value from);
  Value load_shared(Value from);  ///< one double for all lanes
  void store(Value value, Value to);
  Value broadcast(Value scalar);

  Value intrinsic(const char* name, std::span<const Value> arguments);

 private:
  Value splat(Value scalar) const;
};

}  // namespace dalembert
