// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/js_functions.h"

#include <fmt/format.h>

#include <set>

#include "dalembert/codegen/language.h"

namespace dalembert {
namespace {

void drop_comments(std::vector<Step>& steps) {
  std::erase_if(steps, [](const Step& step) { return step.kind == Step::kComment; });
  for (Step& step : steps) {
    if (step.kind == Step::kAssign || step.kind == Step::kSineCosine) step.name.clear();
    drop_comments(step.body);
    drop_comments(step.otherwise);
  }
}

}  // namespace

std::string js_functions(const CodeModel& model, std::span<const std::string_view> wanted) {
  const std::set<std::string> reached = reached_routines(model.program, wanted);
  std::string text;
  for (const auto& [constant, value] : model.program.constants)
    text += fmt::format("const {} = {};\n", upper_case(constant), value);
  for (const auto& [table, values] : model.program.tables) {
    std::vector<std::string> items;
    for (const double value : values) items.push_back(number_literal(value, "NaN", "Infinity"));
    text += fmt::format("const _{} = [{}];\n", table, fmt::join(items, ", "));
  }
  const std::unique_ptr<Writer> writer = js_writer(model.program);
  for (const Routine& routine : model.program.routines) {
    if (!reached.contains(routine.name)) continue;
    Routine bare = routine;
    bare.comment.clear();
    drop_comments(bare.body);
    text += writer->write(bare);
  }
  return text;
}

}  // namespace dalembert
