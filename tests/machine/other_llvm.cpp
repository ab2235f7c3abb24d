// SPDX-License-Identifier: Apache-2.0
// A shared library that says it is LLVM 15. It has nothing else of LLVM: whoever goes on to use it has not asked.
extern "C" void LLVMGetVersion(unsigned* major, unsigned* minor, unsigned* patch);
extern "C" void LLVMGetVersion(unsigned* major, unsigned* minor, unsigned* patch) {
  *major = 15;
  *minor = 0;
  *patch = 6;
}
