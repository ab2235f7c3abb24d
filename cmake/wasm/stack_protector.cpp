// SPDX-License-Identifier: Apache-2.0
// Debian compiles the run-time library of clang for WebAssembly with stack protectors, which its wasi-libc does not know.
#include <cstdint>

extern "C" {

extern std::uintptr_t __stack_chk_guard;
std::uintptr_t __stack_chk_guard = 0x00000aff;  // a zero, a line end and a byte that is not text

[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }

}  // extern "C"
