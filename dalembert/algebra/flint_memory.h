// SPDX-License-Identifier: Apache-2.0
// Private to algebra: what FLINT and Arb keep for each thread.
#pragma once

namespace dalembert {

/// To be called by a thread before it makes numbers with FLINT or Arb: what these keep for it is given back when it
/// ends.
void use_flint_memory();

}  // namespace dalembert
