// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/lowering.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {

Tape flatten(std::span<const Expr> outputs) {
  TapeBuilder builder;
  if (outputs.empty()) return builder.take(0);
  Lowering lowering(common_graph(outputs), builder, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    builder.output(static_cast<std::uint32_t>(i), lowering.value(outputs[i]));
  return builder.take(outputs.size());
}

}  // namespace dalembert
