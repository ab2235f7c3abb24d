// SPDX-License-Identifier: Apache-2.0
// LLVM's C interface as a table of functions. The shared library (126 MB, 13 ms) is loaded when code is first
// generated, so a process that generates none does not pay for it.
#pragma once

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <string>

namespace dalembert {

// clang-format off
#define DALEMBERT_LLVM_FUNCTIONS(X)                                                                                    \
  X(InitializeX86TargetInfo) X(InitializeX86Target) X(InitializeX86TargetMC) X(InitializeX86AsmPrinter)                \
  X(ContextCreate) X(ContextDispose) X(ModuleCreateWithNameInContext) X(DisposeModule) X(DisposeMessage)               \
  X(GetTargetFromTriple) X(CreateTargetMachine) X(DisposeTargetMachine) X(CreateTargetDataLayout)                      \
  X(DisposeTargetData) X(SetModuleDataLayout) X(SetTarget) X(GetHostCPUName) X(GetHostCPUFeatures)                     \
  X(TargetMachineEmitToMemoryBuffer) X(GetBufferStart) X(GetBufferSize) X(DisposeMemoryBuffer)                         \
  X(VerifyModule)                                                                                                      \
  X(DoubleTypeInContext) X(Int1TypeInContext) X(Int64TypeInContext) X(IntTypeInContext) X(VoidTypeInContext)           \
  X(PointerTypeInContext) X(VectorType) X(ArrayType) X(FunctionType)                                                   \
  X(AddFunction) X(GetNamedFunction) X(SetLinkage) X(GetParam) X(GetEnumAttributeKindForName) X(CreateEnumAttribute)                       \
  X(CreateStringAttribute) X(AddAttributeAtIndex) X(LookupIntrinsicID) X(GetIntrinsicDeclaration) X(GlobalGetValueType)\
  X(AppendBasicBlockInContext) X(CreateBuilderInContext) X(DisposeBuilder) X(PositionBuilderAtEnd) X(GetInsertBlock)   \
  X(ConstReal) X(ConstInt) X(ConstVector) X(ConstNull) X(GetUndef) X(AddIncoming)                                      \
  X(BuildFAdd) X(BuildFSub) X(BuildFMul) X(BuildFDiv) X(BuildFNeg) X(BuildFCmp) X(BuildSelect) X(BuildCall2)           \
  X(BuildAdd) X(BuildSub) X(BuildMul) X(BuildAnd) X(BuildOr) X(BuildXor) X(BuildShl) X(BuildICmp) X(BuildNot)          \
  X(BuildBitCast) X(BuildZExt) X(BuildTrunc) X(BuildUIToFP) X(BuildGEP2) X(BuildLoad2) X(BuildStore) X(SetAlignment) X(BuildAlloca)  \
  X(BuildPhi) X(BuildBr) X(BuildCondBr) X(BuildRet) X(BuildRetVoid) X(BuildExtractElement) X(BuildInsertElement)       \
  X(BuildShuffleVector)
// clang-format on

struct LlvmApi {
#define DALEMBERT_MEMBER(name) decltype(&LLVM##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  DALEMBERT_LLVM_FUNCTIONS(DALEMBERT_MEMBER)
#undef DALEMBERT_MEMBER
  std::string version, file;  ///< version and file of the library: "19.1.7", its path
};

/// The functions of `library` (empty: LLVM 19 wherever the system keeps it), loaded and initialised once. Null where
/// this is impossible; `why_not` then says why. Safe to call from many threads.
const LlvmApi* llvm_api(const std::string& library, std::string& why_not);

}  // namespace dalembert
