// SPDX-License-Identifier: Apache-2.0
// Makes a tape by all passes, in their order.
#include "dalembert/tape/tape.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {

Tape make_tape(std::span<const Expr> outputs) {
  Tape tape = flatten(outputs);
  finish(tape);
  return tape;
}

void finish(Tape& tape) {
  fuse_products_into_sums(tape);
  roll_loops(tape);
  reuse_registers(tape);
}

void finish_derivatives(Tape& tape) {
  fuse_products_into_sums(tape);
  reuse_registers(tape);
}

}  // namespace dalembert
