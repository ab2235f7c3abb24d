// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/flint_memory.h"
#include "dalembert/algebra/memory.h"

#ifdef DALEMBERT_HAS_FLINT
#include <flint/flint.h>

#include <cstdlib>
#include <new>
#endif

namespace dalembert {

#ifdef DALEMBERT_HAS_FLINT

namespace {

struct GivenBackAtTheEnd {
  GivenBackAtTheEnd() = default;
  GivenBackAtTheEnd(const GivenBackAtTheEnd&) = delete;
  GivenBackAtTheEnd& operator=(const GivenBackAtTheEnd&) = delete;
  ~GivenBackAtTheEnd() { flint_cleanup(); }
};

template <class Allocate>
void* or_handler(const Allocate& allocate) {
  while (true) {
    if (void* const memory = allocate()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) std::abort();
    handler();
  }
}

// For 0 bytes malloc may return a null pointer although it did not fail, so at least 1 byte is requested.
std::size_t some(std::size_t size) { return size > 0 ? size : 1; }

void* allocated(std::size_t size) {
  return or_handler([=] { return std::malloc(some(size)); });
}
void* cleared(std::size_t count, std::size_t size) {
  return or_handler([=] { return std::calloc(some(count), some(size)); });
}
void* resized(void* memory, std::size_t size) {
  return or_handler([=] { return std::realloc(memory, some(size)); });
}
void* resized_from(void* memory, std::size_t, std::size_t size) { return resized(memory, size); }
void given_back(void* memory, std::size_t) { std::free(memory); }

}  // namespace

void use_flint_memory() { [[maybe_unused]] thread_local const GivenBackAtTheEnd memory; }

void ask_new_handler_for_memory() {
  mp_set_memory_functions(allocated, resized_from, given_back);
  __flint_set_memory_functions(allocated, cleared, resized, std::free);
}

#else

void use_flint_memory() {}
void ask_new_handler_for_memory() {}

#endif

}  // namespace dalembert
