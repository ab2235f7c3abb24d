// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/llvm/llvm_api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <llvm/Config/llvm-config.h>

#include <cstdlib>
#include <list>
#include <mutex>
#include <new>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
namespace {
bool llvm_is_open = false;
}
// The leak checker's tracer may crash on the thread-local storage of a library that was opened at run time: processes
// that have opened LLVM are not checked. (The leak checker calls this function, see <sanitizer/lsan_interface.h>.)
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return llvm_is_open ? 1 : 0; }
#endif

namespace dalembert {
namespace {

struct LoadedLlvm {
  std::string library;
  LlvmApi api;
  bool complete = false;
  std::string why_not;
};

// Without memory LLVM aborts the process. A program that wants to end in another way has installed a handler for `new`,
// which is called instead.
void ask_new_handler(void*, const char*, bool) {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  std::abort();
}

// Makes LLVM call ask_new_handler() where it lacks memory. The C interface cannot install such a handler, so the C++
// function is looked up; where it is missing, LLVM aborts the process.
void handle_missing_memory(void* library) {
  using Handler = void (*)(void*, const char*, bool);
  const auto install = reinterpret_cast<void (*)(Handler, void*)>(
      dlsym(library, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_"));
  if (install != nullptr && std::get_new_handler() != nullptr) install(ask_new_handler, nullptr);
}

void load(LoadedLlvm& llvm) {
  std::vector<const char*> names{"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"};
  if (!llvm.library.empty()) names = {llvm.library.c_str()};
  void* handle = nullptr;
  for (const char* name : names) {
    // Never closed: LLVM does not survive being unloaded.
    handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) break;
    const char* error = dlerror();
    if (llvm.why_not.empty() && error != nullptr) llvm.why_not = error;
  }
  if (handle == nullptr) {
    llvm.why_not = "LLVM 19 is not installed (Debian package libllvm19): " + llvm.why_not;
    return;
  }
  llvm.why_not.clear();
#ifdef __SANITIZE_ADDRESS__
  llvm_is_open = true;
#endif
  // The version is checked whatever the file is called: functions of another version may take other arguments and make
  // other code.
  if (const auto version = reinterpret_cast<decltype(&LLVMGetVersion)>(dlsym(handle, "LLVMGetVersion"))) {
    unsigned major = 0, minor = 0, patch = 0;
    version(&major, &minor, &patch);
    llvm.api.version = fmt::format("{}.{}.{}", major, minor, patch);
    if (major != LLVM_VERSION_MAJOR) llvm.why_not = "it is LLVM " + llvm.api.version;
  } else {
    llvm.why_not = "it is older than LLVM 16";
  }
  link_map* place = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &place) == 0 && place != nullptr) llvm.api.file = place->l_name;
  if (!llvm.why_not.empty()) {
    llvm.why_not = fmt::format("`{}` is not LLVM {}: {}", llvm.api.file, LLVM_VERSION_MAJOR, llvm.why_not);
    return;
  }
#define DALEMBERT_LOOK_UP(name)                                                           \
  llvm.api.name = reinterpret_cast<decltype(llvm.api.name)>(dlsym(handle, "LLVM" #name)); \
  if (llvm.api.name == nullptr) llvm.why_not = "the LLVM library has no function LLVM" #name;
  DALEMBERT_LLVM_FUNCTIONS(DALEMBERT_LOOK_UP)
#undef DALEMBERT_LOOK_UP
  if (!llvm.why_not.empty()) return;
  handle_missing_memory(handle);
  llvm.api.InitializeX86TargetInfo();
  llvm.api.InitializeX86Target();
  llvm.api.InitializeX86TargetMC();
  llvm.api.InitializeX86AsmPrinter();
  llvm.complete = true;
}

}  // namespace

const LlvmApi* llvm_api(const std::string& library, std::string& why_not) {
  static std::mutex mutex;
  static std::list<LoadedLlvm> loaded;  // by library; a list, so that entries keep their addresses
  const std::lock_guard lock(mutex);
  for (const LoadedLlvm& llvm : loaded)
    if (llvm.library == library) {
      why_not = llvm.why_not;
      return llvm.complete ? &llvm.api : nullptr;
    }
  loaded.push_back({library, {}, false, {}});
  load(loaded.back());
  why_not = loaded.back().why_not;
  return loaded.back().complete ? &loaded.back().api : nullptr;
}

}  // namespace dalembert
