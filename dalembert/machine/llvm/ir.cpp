// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/llvm/ir.h"

#include <array>
#include <cstring>
#include <vector>

namespace dalembert {

IrModule::IrModule(const LlvmApi& llvm, VectorUnit vector_unit, bool sleef, bool quickly)
    : api(llvm),
      unit(vector_unit),
      use_sleef(sleef),
      quick(quickly),
      context(llvm.ContextCreate()),
      module(llvm.ModuleCreateWithNameInContext("dalembert", context)),
      builder(llvm.CreateBuilderInContext(context)),
      real(llvm.DoubleTypeInContext(context)),
      boolean(llvm.Int1TypeInContext(context)),
      integer(llvm.Int64TypeInContext(context)),
      pointer(llvm.PointerTypeInContext(context, 0)) {}

IrModule::~IrModule() {
  api.DisposeBuilder(builder);
  api.DisposeModule(module);
  api.ContextDispose(context);
}

Value IrModule::function(const std::string& name, LLVMTypeRef result, std::span<const LLVMTypeRef> parameters) {
  std::vector<LLVMTypeRef> types(parameters.begin(), parameters.end());
  const LLVMTypeRef type = api.FunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0);
  const Value made = api.AddFunction(module, name.empty() ? "part" : name.c_str(), type);
  if (name.empty()) {
    api.SetLinkage(made, LLVMInternalLinkage);
    attribute(made, ~0u, "noinline");
  }
  attribute(made, ~0u, "nounwind");
  if (unit == VectorUnit::kAvx512) {
    // LLVM prefers vectors of 256 bits on many processors; here eight lanes must be one register of 512 bits.
    for (const std::string_view key : {"prefer-vector-width", "min-legal-vector-width"}) {
      const LLVMAttributeRef width =
          api.CreateStringAttribute(context, key.data(), static_cast<unsigned>(key.size()), "512", 3);
      api.AddAttributeAtIndex(made, ~0u, width);
    }
  }
  api.PositionBuilderAtEnd(builder, block(made));
  return made;
}

void IrModule::attribute(Value function, unsigned index, std::string_view name) {
  const unsigned kind = api.GetEnumAttributeKindForName(name.data(), name.size());
  api.AddAttributeAtIndex(function, index, api.CreateEnumAttribute(context, kind, 0));
}

Value IrModule::call(Value function, std::span<const Value> arguments) {
  std::vector<Value> list(arguments.begin(), arguments.end());
  return api.BuildCall2(builder, api.GlobalGetValueType(function), function, list.data(),
                        static_cast<unsigned>(list.size()), "");
}

Value IrModule::external(std::string_view name, LLVMTypeRef result, std::span<const LLVMTypeRef> parameters) {
  const std::string text(name);
  if (const Value known = api.GetNamedFunction(module, text.c_str())) return known;
  std::vector<LLVMTypeRef> types(parameters.begin(), parameters.end());
  const Value made = api.AddFunction(module, text.c_str(),
                                     api.FunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0));
  for (const std::string_view property : {"nounwind", "willreturn", "nocallback", "nofree"})
    attribute(made, ~0u, property);
  // memory(none): LLVM may move calls past loads and stores.
  const unsigned kind = api.GetEnumAttributeKindForName("memory", 6);
  api.AddAttributeAtIndex(made, ~0u, api.CreateEnumAttribute(context, kind, 0));
  return made;
}

LLVMBasicBlockRef IrModule::block(Value function) { return api.AppendBasicBlockInContext(context, function, ""); }

Ir::Ir(IrModule& in, Value within, int lane_count)
    : module(in),
      api(in.api),
      function(within),
      lanes(lane_count),
      number_type(lanes == 1 ? in.real : in.api.VectorType(in.real, static_cast<unsigned>(lanes))),
      mask_type(lanes == 1 ? in.boolean : in.api.VectorType(in.boolean, static_cast<unsigned>(lanes))),
      bits_type(lanes == 1 ? in.integer : in.api.VectorType(in.integer, static_cast<unsigned>(lanes))) {}

Value Ir::splat(Value scalar) const {
  if (lanes == 1) return scalar;
  std::array<Value, 64> each{};
  for (int lane = 0; lane < lanes; ++lane) each[static_cast<std::size_t>(lane)] = scalar;
  return api.ConstVector(each.data(), static_cast<unsigned>(lanes));
}

Value Ir::number(double value) const { return splat(api.ConstReal(module.real, value)); }
Value Ir::bits(std::uint64_t value) const { return splat(api.ConstInt(module.integer, value, 0)); }

Value Ir::multiply_add(Value a, Value b, Value c) {
  if (!fuses()) return add(multiply(a, b), c);
  const std::array<Value, 3> operands{a, b, c};
  return intrinsic("llvm.fma", operands);
}

// Without optimisation LLVM makes a branch of a choice between two doubles, but not of a choice between two integers,
// which becomes a conditional move. So the bits are chosen as integers.
Value Ir::select(Value mask, Value a, Value b) {
  LLVMBuilderRef build = module.builder;
  if (lanes > 1 || !module.quick) return api.BuildSelect(build, mask, a, b, "");
  const auto as_bits = [&](Value x) { return api.BuildBitCast(build, x, bits_type, ""); };
  return api.BuildBitCast(build, api.BuildSelect(build, mask, as_bits(a), as_bits(b), ""), number_type, "");
}

Value Ir::intrinsic(const char* name, std::span<const Value> arguments) {
  LLVMTypeRef type = number_type;
  const Value declared =
      api.GetIntrinsicDeclaration(module.module, api.LookupIntrinsicID(name, std::strlen(name)), &type, 1);
  return module.call(declared, arguments);
}

Value Ir::failed_bits() {
  if (failed == nullptr) return index(0);
  const LLVMTypeRef narrow = api.IntTypeInContext(module.context, static_cast<unsigned>(lanes));
  return api.BuildZExt(module.builder, api.BuildBitCast(module.builder, failed, narrow, ""), module.integer, "");
}

void Ir::fail_bits(Value integer) {
  const LLVMTypeRef narrow = api.IntTypeInContext(module.context, static_cast<unsigned>(lanes));
  fail(api.BuildBitCast(module.builder, api.BuildTrunc(module.builder, integer, narrow, ""), mask_type, ""));
}

Value Ir::place(Value base, Value at) { return api.BuildGEP2(module.builder, module.real, base, &at, 1, ""); }

Value Ir::load(Value from) {
  const Value value = api.BuildLoad2(module.builder, number_type, from, "");
  api.SetAlignment(value, alignof(double));
  return value;
}

Value Ir::load_shared(Value from) { return broadcast(api.BuildLoad2(module.builder, module.real, from, "")); }

void Ir::store(Value value, Value to) { api.SetAlignment(api.BuildStore(module.builder, value, to), alignof(double)); }

Value Ir::broadcast(Value scalar) {
  if (lanes == 1) return scalar;
  const Value first = api.BuildInsertElement(module.builder, api.GetUndef(number_type), scalar, index(0), "");
  const LLVMTypeRef which = api.VectorType(api.IntTypeInContext(module.context, 32), static_cast<unsigned>(lanes));
  return api.BuildShuffleVector(module.builder, first, api.GetUndef(number_type), api.ConstNull(which), "");
}

}  // namespace dalembert
