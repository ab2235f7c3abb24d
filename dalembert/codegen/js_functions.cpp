// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/js_functions.h"

#include <fmt/format.h>

#include <set>

#include "dalembert/codegen/language.h"

namespace dalembert {
namespace {

// The names of some routines and of all routines that these call.
class Reached {
 public:
  explicit Reached(const Program& program) : program_(program) {}
  bool contains(const std::string& routine) const { return names_.contains(routine); }

  void add(std::string_view name) {
    const Routine* routine = program_.find(name);
    if (routine == nullptr || !names_.insert(routine->name).second) return;
    for (const Step& step : routine->body) look(step);
  }

 private:
  void look(const Term& term) {
    if (term.kind == Term::kCall) add(term.text);
    for (const Term& argument : term.arguments) look(argument);
  }
  void look(const Step& step) {
    for (const Term* term : {&step.target, &step.second, &step.value}) look(*term);
    for (const std::vector<Step>* steps : {&step.body, &step.otherwise})
      for (const Step& one : *steps) look(one);
  }

  const Program& program_;
  std::set<std::string> names_;
};

void drop_comments(std::vector<Step>& steps) {
  std::erase_if(steps, [](const Step& step) { return step.kind == Step::kComment; });
  for (Step& step : steps) {
    drop_comments(step.body);
    drop_comments(step.otherwise);
  }
}

}  // namespace

std::string js_functions(const CodeModel& model, std::span<const std::string_view> wanted) {
  Reached reached(model.program);
  for (const std::string_view routine : wanted) reached.add(routine);
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
