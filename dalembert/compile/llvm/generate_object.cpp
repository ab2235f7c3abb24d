// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/llvm/generate_object.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "dalembert/compile/llvm/runge_kutta_code.h"
#include "dalembert/compile/llvm/tape_code.h"
#include "dalembert/compile/math_symbols.h"

namespace dalembert {
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

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
    const bool host = unit == host_vector_unit();
    char *cpu = nullptr, *features = nullptr;
    if (host) {
      cpu = api.GetHostCPUName();
      features = api.GetHostCPUFeatures();
    }
    const char* level_name = unit == VectorUnit::kAvx512 ? "x86-64-v4" : unit == VectorUnit::kAvx2 ? "x86-64-v3" : "x86-64";
    machine_ = api.CreateTargetMachine(target, kTriple, host ? cpu : level_name, host ? features : "", level,
                                       LLVMRelocPIC, LLVMCodeModelSmall);
    if (cpu != nullptr) api.DisposeMessage(cpu);
    if (features != nullptr) api.DisposeMessage(features);
    if (machine_ == nullptr) problem_ = "LLVM knows no such processor";
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

// Long tapes are compiled with less care, in proportion to their length.
LLVMCodeGenOptLevel opt_level(std::span<const CodeFunction> functions) {
  if (const char* forced = std::getenv("DALEMBERT_OPT")) return static_cast<LLVMCodeGenOptLevel>(std::atoi(forced));
  std::size_t longest = 0;
  for (const CodeFunction& function : functions) longest = std::max(longest, function.tape->instructions.size());
  return longest > 50000 ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
}

}  // namespace

const char* llvm_version() { return LLVM_VERSION_STRING; }

std::optional<std::vector<std::byte>> generate_object(std::span<const CodeFunction> functions,
                                                      const CodeOptions& options, std::string& why_not) {
  const LlvmApi* api = llvm_api(options.llvm_library, why_not);
  if (api == nullptr) return std::nullopt;
  const VectorUnit unit = std::min(options.widest, host_vector_unit());
  const Target target(*api, unit, opt_level(functions));
  if (target.machine() == nullptr) {
    why_not = target.problem();
    return std::nullopt;
  }
  IrModule module(*api, unit, options.use_sleef && sleef_available());
  api->SetTarget(module.module, kTriple);
  LLVMTargetDataRef layout = api->CreateTargetDataLayout(target.machine());
  api->SetModuleDataLayout(module.module, layout);
  api->DisposeTargetData(layout);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const CodeFunction& function = functions[i];
    const std::string name = "f" + std::to_string(i);
    if (function.kind == CodeKind::kRungeKutta4)
      emit_runge_kutta(module, function, name, options.part);
    else
      emit_tape_function(module, *function.tape, function.lanes, name, options.part);
  }
  if (const char* dump = std::getenv("DALEMBERT_DUMP")) {
    char* text = api->PrintModuleToString(module.module);
    if (FILE* f = std::fopen(dump, "w")) { std::fputs(text, f); std::fclose(f); }
    api->DisposeMessage(text);
  }
  if (const char* passes = std::getenv("DALEMBERT_PASSES")) {
    LLVMPassBuilderOptionsRef o = api->CreatePassBuilderOptions();
    if (LLVMErrorRef e = api->RunPasses(module.module, passes, target.machine(), o)) { why_not = api->GetErrorMessage(e); return std::nullopt; }
    api->DisposePassBuilderOptions(o);
  }
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
  std::vector<std::byte> object(start, start + api->GetBufferSize(buffer));
  api->DisposeMemoryBuffer(buffer);
  return object;
}

}  // namespace dalembert
