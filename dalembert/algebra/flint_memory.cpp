// SPDX-License-Identifier: Apache-2.0
#ifdef DALEMBERT_HAS_FLINT

#include "dalembert/algebra/flint_memory.h"

#include <flint/flint.h>

namespace dalembert {
namespace {

struct GivenBackAtTheEnd {
  GivenBackAtTheEnd() = default;
  GivenBackAtTheEnd(const GivenBackAtTheEnd&) = delete;
  GivenBackAtTheEnd& operator=(const GivenBackAtTheEnd&) = delete;
  ~GivenBackAtTheEnd() { flint_cleanup(); }
};

}  // namespace

void use_flint_memory() { [[maybe_unused]] thread_local const GivenBackAtTheEnd memory; }

}  // namespace dalembert

#endif
