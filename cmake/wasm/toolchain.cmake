# SPDX-License-Identifier: Apache-2.0
# WebAssembly with the system interface WASI (preview 1), by clang 19 and Debian's wasi-libc and libc++
# (docs/decisions/0021-webassembly.md). `cmake --preset wasm` uses it.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(DALEMBERT_WASM ON)

set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)

# Boost 1.74 derives from std::unary_function, which C++17 removed. wasi-libc has getpid only on demand.
set(CMAKE_CXX_FLAGS_INIT
  "-fno-exceptions -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION -D_WASI_EMULATED_GETPID")
# Expressions are walked by recursion: the stack of 64 KB that wasm-ld gives is too small. It lies below all data, so that
# too deep a recursion traps instead of writing over it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-lwasi-emulated-getpid -Wl,-z,stack-size=8388608 -Wl,--stack-first")
