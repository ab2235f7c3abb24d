// SPDX-License-Identifier: Apache-2.0
// Private to algebra: the memory that FLINT and Arb keep for each thread.
#pragma once

namespace dalembert {

/// A thread must call this before it computes with FLINT or Arb: their caches for the thread are then freed when it ends.
void use_flint_memory();

}  // namespace dalembert
