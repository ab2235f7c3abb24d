// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/machine_code.h"

#include <cassert>
#include <chrono>
#include <optional>
#include <vector>

#include "dalembert/machine/code_cache.h"
#include "dalembert/machine/code_maker.h"
#include "dalembert/machine/code_request.h"
#include "dalembert/machine/elf_object.h"
#include "dalembert/machine/math_symbols.h"

#ifdef DALEMBERT_HAVE_LLVM
#include "dalembert/machine/llvm/generate_object.h"
#endif

namespace dalembert {
namespace {

#ifndef DALEMBERT_HAVE_LLVM
struct GeneratedObject {
  std::vector<std::byte> bytes;
  std::string version, library;
};
std::optional<GeneratedObject> generate_object(std::span<const CodeFunction>, const CodeOptions&,
                                               std::string& why_not) {
  why_not = "this build of dalembert has no LLVM support";
  return std::nullopt;
}
const char* llvm_headers() { return "none"; }
#endif

class LoadedCode final : public MachineCode {
 public:
  // Returns an empty text, or what is wrong with the object.
  std::string load(std::span<const std::byte> object, std::size_t functions) {
    std::string why;
    std::optional<LoadedObject> loaded = load_object(object, math_symbol, why);
    if (!loaded) return why;
    for (std::size_t i = 0; i < functions; ++i) {
      const std::byte* entry = loaded->find("f" + std::to_string(i));
      if (entry == nullptr) return "a function is missing";
      addresses_.push_back(const_cast<std::byte*>(entry));  // function pointers are not const
    }
    object_ = std::move(*loaded);
    entries_ = addresses_.data();
    entry_count_ = addresses_.size();
    size_ = object.size();
    return {};
  }
  void describe(bool from_cache, double seconds, const std::string& version) {
    from_cache_ = from_cache;
    seconds_ = seconds;
    maker_ = "LLVM " + version;
  }

 private:
  LoadedObject object_;
  std::vector<void*> addresses_;
};

}  // namespace

CodeOptions default_code_options() {
  CodeOptions options;
  options.cache_folder = CodeCache::default_folder();
  return options;
}

std::shared_ptr<const MachineCode> generate_code(std::span<const CodeFunction> functions, const CodeOptions& options,
                                                 std::string* why_not) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::string why;
  const auto refuse = [&](std::string reason) -> std::shared_ptr<const MachineCode> {
    if (why_not != nullptr) *why_not = std::move(reason);
    return nullptr;
  };
  if (!runs_machine_code()) return refuse("machine code is made for x86-64 under Linux only");
  for (const CodeFunction& function : functions) {
    assert(function.tape != nullptr && (function.lanes == 1 || function.lanes == 4 || function.lanes == 8));
    assert(!function.apart || (function.kind == CodeKind::kTape && function.tape->loops.empty()));
    (void)function;
  }
  const CodeCache cache(options.cache_folder);
  const std::vector<std::byte> request = describe_request(functions, options, llvm_headers());
  const CodeKey key = hash_of(request);
  auto code = std::make_shared<LoadedCode>();
  if (const auto kept = cache.find(key, request))
    if (const auto version = version_of(kept->maker); version && code->load(kept->object, functions.size()).empty()) {
      code->describe(true, seconds(), *version);
      return code;
    }
  const auto object = generate_object(functions, options, why);
  if (!object) return refuse(std::move(why));
  code = std::make_shared<LoadedCode>();
  why = code->load(object->bytes, functions.size());
  if (!why.empty()) return refuse("the code that LLVM made cannot be loaded: " + why);
  cache.store(key, request, object->bytes, describe_maker(object->version, object->library));
  code->describe(false, seconds(), object->version);
  return code;
}

}  // namespace dalembert
