// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/llvm/generate_object.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/subnormals.h"
#include "dalembert/machine/llvm/runge_kutta_code.h"
#include "dalembert/machine/llvm/tape_code.h"
#include "dalembert/machine/math_symbols.h"
#include "dalembert/tape/subnormals.h"

namespace dalembert {
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

// LLVM's names of this processor and its features. LLVM is asked once, since it takes 0.3 ms on a virtual machine.
struct HostNames {
  std::string cpu, features;
};
const HostNames& host_names(const LlvmApi& api) {
  static const HostNames names = [&api] {
    const auto take = [&api](char* text) {
      std::string copy = text;
      api.DisposeMessage(text);
      return copy;
    };
    return HostNames{take(api.GetHostCPUName()), take(api.GetHostCPUFeatures())};
  }();
  return names;
}

class Target {
 public:
  Target(const LlvmApi& api, VectorUnit unit, LLVMCodeGenOptLevel level) : api_(api) {
    LLVMTargetRef target = nullptr;
    char* error = nullptr;
    if (api.GetTargetFromTriple(kTriple, &target, &error) != 0) {
      problem_ = error;
      api.DisposeMessage(error);
      return;
    }
    const HostNames& host = host_names(api);
    const bool all = unit == host_vector_unit();
    const char* level_name = unit == VectorUnit::kAvx2 ? "x86-64-v3" : "x86-64";
    machine_ = api.CreateTargetMachine(target, kTriple, all ? host.cpu.c_str() : level_name,
                                       all ? host.features.c_str() : "", level, LLVMRelocPIC, LLVMCodeModelSmall);
    if (machine_ == nullptr) problem_ = "LLVM does not support this processor";
  }
  ~Target() {
    if (machine_ != nullptr) api_.DisposeTargetMachine(machine_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  LLVMTargetMachineRef machine() const { return machine_; }
  const std::string& problem() const { return problem_; }

 private:
  const LlvmApi& api_;
  LLVMTargetMachineRef machine_ = nullptr;
  std::string problem_;
};

// Emits a function `name` with the parameters and the result of `function`, which calls it in the processor mode that
// takes subnormal numbers for zeros.
void emit_without_subnormals(IrModule& module, Value function, std::span<const LLVMTypeRef> parameters,
                             const std::string& name) {
  const LlvmApi& api = module.api;
  LLVMBuilderRef build = module.builder;
  const LLVMTypeRef word = api.IntTypeInContext(module.context, 32);
  const Value outer = module.function(name, module.integer, parameters);
  const Value before = api.BuildAlloca(build, word, ""), switched = api.BuildAlloca(build, word, "");
  const auto move = [&](std::string_view instruction, Value place) {
    const unsigned id = api.LookupIntrinsicID(instruction.data(), instruction.size());
    module.call(api.GetIntrinsicDeclaration(module.module, id, nullptr, 0), {&place, 1});
  };
  move("llvm.x86.sse.stmxcsr", before);
  const Value switches = api.ConstInt(word, SubnormalsAsZeros::kSwitches, 0);
  api.BuildStore(build, api.BuildOr(build, api.BuildLoad2(build, word, before, ""), switches, ""), switched);
  move("llvm.x86.sse.ldmxcsr", switched);
  std::vector<Value> arguments;
  for (unsigned i = 0; i < parameters.size(); ++i) arguments.push_back(api.GetParam(outer, i));
  const Value failed = module.call(function, arguments);
  move("llvm.x86.sse.ldmxcsr", before);
  api.BuildRet(build, failed);
}

void emit_function(IrModule& module, const CodeFunction& function, const std::string& name, std::size_t part) {
  const bool steps = function.kind == CodeKind::kRungeKutta4, zeros = takes_subnormals_for_zeros(*function.tape);
  const std::string inner = zeros ? std::string() : name;  // empty: an internal function of the module
  const Value made = steps ? emit_runge_kutta(module, function, inner, part)
                           : emit_tape_function(module, *function.tape, function.lanes, inner, part,
                                                function.kind == CodeKind::kSolve, function.apart);
  if (!zeros) return;
  std::vector<LLVMTypeRef> parameters(3, module.pointer);
  if (steps) parameters.insert(parameters.end(), {module.real, module.real, module.integer});
  emit_without_subnormals(module, made, parameters, name);
}

// kThorough is LLVM's level "less": "default" and higher levels take longer and gain nothing on straight-line code.
LLVMCodeGenOptLevel level_of(CodeEffort effort) {
  return effort == CodeEffort::kQuick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelLess;
}

}  // namespace

const char* llvm_headers() { return LLVM_VERSION_STRING; }

std::optional<GeneratedObject> generate_object(std::span<const CodeFunction> functions, const CodeOptions& options,
                                               std::string& why_not) {
  const LlvmApi* api = llvm_api(options.llvm_library, why_not);
  if (api == nullptr) return std::nullopt;
  const VectorUnit unit = std::min(options.widest, host_vector_unit());
  const Target target(*api, unit, level_of(options.effort));
  if (target.machine() == nullptr) {
    why_not = target.problem();
    return std::nullopt;
  }
  IrModule module(*api, unit, options.use_sleef && sleef_available(), options.effort == CodeEffort::kQuick);
  api->SetTarget(module.module, kTriple);
  LLVMTargetDataRef layout = api->CreateTargetDataLayout(target.machine());
  api->SetModuleDataLayout(module.module, layout);
  api->DisposeTargetData(layout);
  for (std::size_t i = 0; i < functions.size(); ++i)
    emit_function(module, functions[i], "f" + std::to_string(i), options.part);
  char* error = nullptr;
#ifndef NDEBUG
  if (api->VerifyModule(module.module, LLVMReturnStatusAction, &error) != 0) {
    why_not = error;
    api->DisposeMessage(error);
    return std::nullopt;
  }
  api->DisposeMessage(error);
  error = nullptr;
#endif
  LLVMMemoryBufferRef buffer = nullptr;
  if (api->TargetMachineEmitToMemoryBuffer(target.machine(), module.module, LLVMObjectFile, &error, &buffer) != 0) {
    why_not = error;
    api->DisposeMessage(error);
    return std::nullopt;
  }
  const auto* start = reinterpret_cast<const std::byte*>(api->GetBufferStart(buffer));
  GeneratedObject object{{start, start + api->GetBufferSize(buffer)}, api->version, api->file};
  api->DisposeMemoryBuffer(buffer);
  return object;
}

}  // namespace dalembert
