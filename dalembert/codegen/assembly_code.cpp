// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/assembly_code.h"

#include <string_view>

#include <fmt/format.h>

#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// Statements that fill the matrix `array` with the entries in `from`, which a kernel computed.
std::string spread(const Pattern& pattern, std::string_view array, std::string_view from) {
  return fmt::format("for i = 0 to {} {{\n{}[i] = 0.0\n}}\n", pattern.rows * pattern.cols, array) +
         for_each_entry(pattern, [&](const std::string& entry, const std::string& row, const std::string& column) {
           return fmt::format("{}[({}) * nv + {}] = {}[{}]\n", array, row, column, from, entry);
         });
}

std::string step(std::string_view rows) {
  return filled(kSolveByMass, {{"ROWS", rows},
                               {"tolerance", "limit(1e-10)"},
                               {"# Where the mass matrix gives no metric, the Euclidean one is used.\n", ""}});
}

}  // namespace

std::string assembly_parts(const Layout& layout) {
  const VelocityPlaces at(layout);
  const std::string normalize = layout.v_is_qdot ? "" : "call normalize(q)";
  const auto product = [](const std::string& entry, const std::string& row, const std::string& column) {
    return fmt::format("c[{0}] = c[{0}] - out[{1}] * v[{2}]\nterms[{0}] = terms[{0}] + abs(out[{1}] * v[{2}])\n", row,
                       entry, column);
  };
  const bool levels = !layout.holonomic.empty();
  return (levels ? filled(kAssemblePosition, {{"LEVELS", PositionPlaces(layout).end},
                                              {"SIZE", at.end},
                                              {"ENTRIES", layout.M.nonzeros()},
                                              {"call NORMALIZE()", normalize},
                                              {"call SPREAD_M()", spread(layout.M, "M", "entries")},
                                              {"call SPREAD_W()", spread_level_rows(layout)},
                                              {"call HOLD()", kHold},
                                              {"call SOLVE()", step("nh")}})
                 : "") +
         filled(kAssembleVelocity, {{"SIZE", at.end},
                                    {"ENTRIES", layout.M.nonzeros()},
                                    {"AT_A", at.a},
                                    {"call SUBTRACT_W_V()", for_each_entry(layout.W, product)},
                                    {"call SPREAD_M()", spread(layout.M, "M", "entries")},
                                    {"call SPREAD_W()", spread(layout.W, "W", "out")},
                                    {"call HOLD()", kHold},
                                    {"call SOLVE()", step("nr")}});
}

std::string assembly_routine(const Layout& layout) {
  constexpr std::string_view kPosition =
      "status = assemble_position(t, q, v, u, held_q)\nif status != 0 {\nreturn status\n}";
  return filled(kAssemble, {{"call NORMALIZE()", layout.v_is_qdot ? "" : "call normalize(q)"},
                            {"call POSITION()", layout.holonomic.empty() ? "" : kPosition}});
}

}  // namespace dalembert
