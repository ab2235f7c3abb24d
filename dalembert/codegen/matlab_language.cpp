// SPDX-License-Identifier: Apache-2.0
// MATLAB and Octave: NAME.m, which returns a struct of functions, and NAME_selftest.m.
#include <fmt/format.h>

#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/codegen/writers.h"

namespace dalembert {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

std::string numbers(const std::vector<double>& values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(number_literal(value, "NaN", "Inf"));
  if (items.empty()) return "zeros(0, 1)";
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : i % 8 == 0 ? "; ...\n    " : "; ") + items[i];
  return "[" + text + "]";
}

std::string names(const std::string& group, const std::vector<NamedEntry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) text += (i == 0 ? "" : ", ") + quoted(entries[i].name);
  return fmt::format("  m.names.{} = {{{}}};\n", group, text);
}

std::string function_file(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text = fmt::format("function m = {}()\n", model.identifier);
  std::vector<std::string> lines = describe_model(model, 1);
  lines.insert(
      lines.end(),
      {"", fmt::format("  m = {}(); s = m.init(); s.p(m.index.p.NAME) = value; s = m.prepare(s);", model.identifier),
       "  [vdot, lambda, status] = m.accelerations(s, t, q, v, u);", "",
       "Inputs that are not given are the model's own. A status other than 0 says why there is no answer. The "
       "self-test",
       "is beside this file."});
  for (const std::string& line : lines) text += line.empty() ? "%\n" : "% " + line + "\n";
  for (const auto& [group, entries] :
       {std::pair("q", &model.coordinates), std::pair("v", &model.velocities), std::pair("lambda", &model.rows),
        std::pair("p", &model.parameters), std::pair("u", &model.inputs), std::pair("y", &model.outputs),
        std::pair("e", &model.energies), std::pair("f", &model.frictions)}) {
    if (group == std::string_view("f") && entries->empty()) continue;
    if (entries->size() > kMostIndices) continue;
    text += names(group, *entries);
    for (std::size_t i = 0; i < entries->size(); ++i)
      text += fmt::format("  m.index.{}.{} = {};\n", group, (*entries)[i].identifier, i + 1);
  }
  text += "  m.init = @init;\n";
  if (content.start.ok()) text += "  m.start = @start;\n";
  for (const Routine& routine : model.program.routines)
    if (routine.is_public) text += fmt::format("  m.{0} = @{0};\n", routine.name);
  std::vector<double> defaults;
  for (const NamedEntry& parameter : model.parameters) defaults.push_back(parameter.value);
  std::string tables;
  for (const auto& [table, values] : model.program.tables)
    tables += fmt::format("  s.{} = {};\n", table, numbers(values));
  text +=
      fmt::format("end\n\nfunction s = init()\n  s.p = {};\n  s.prepared = zeros({}, 1);\n{}  s = prepare(s);\nend\n",
                  numbers(defaults), model.prepared, tables);
  if (content.start.ok())
    text += fmt::format(
        "\n% The model's start, consistent with its own parameters.\nfunction [t, q, v] = start()\n  t = {};\n  q = "
        "{};\n  v = {};\nend\n",
        number_literal(content.start.state.t, "NaN", "Inf"), numbers(content.start.state.q),
        numbers(content.start.state.v));
  MatlabWriter writer(model.program);
  for (const Routine& routine : model.program.routines) text += "\n" + writer.write(routine);
  return text + std::string(kMatlabFunctions);
}

std::string call_text(const CodeModel& model, const ReferenceCall& call) {
  const Routine& routine = *model.program.find(call.routine);
  std::string arguments = "s", expected;
  std::size_t results = 0;
  for (const Variable& variable : routine.parameters) {
    if (variable.passing != Variable::kIn) ++results;
    if (variable.passing == Variable::kOut) continue;
    const std::vector<double>& value = call.value(variable.name);
    arguments += ", ";
    arguments += !variable.array                    ? number_literal(value.at(0), "NaN", "Inf")
                 : value.size() > kLongestReference ? fmt::format("fill({})", value.size())
                                                    : numbers(value);
  }
  for (const ExpectedArray& array : call.expected) {
    std::size_t place = 1;
    for (const Variable& variable : routine.parameters) {
      if (variable.name == array.name) break;
      if (variable.passing != Variable::kIn) ++place;
    }
    if (array.name.empty()) place = 1;
    expected += fmt::format("    {}, {}, {}, {}, {}; ...\n", place, quoted(array.name), array.stride,
                            numbers(array.tolerances), numbers(array.values));
  }
  const bool status = routine.result == Routine::kStatus;
  if (routine.result != Routine::kNothing) ++results;
  return fmt::format(
      "  out = cell(1, {0});\n  [out{{:}}] = m.{1}({2});\n  r = check(r, '{1}', out, {3}, {{ ...\n{4}    }});\n",
      results, call.routine, arguments, status ? call.status : -1, expected);
}

std::string selftest(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text = fmt::format(
      "function failures = {0}_selftest()\n% Compares {0}.m with reference values; returns how many do not agree.\n"
      "%   octave --eval \"exit({0}_selftest() > 0)\"\n  m = {0}();\n  r = [0, 0];\n",
      model.identifier);
  std::string cases;
  for (std::size_t i = 0; i < content.cases.size(); ++i) {
    const ReferenceCase& one = content.cases[i];
    text += fmt::format("  r = case_{}(m, r);\n", i + 1);
    cases += fmt::format("\n% {}\nfunction r = case_{}(m, r)\n  s = m.init();\n  s.p = {};\n  s = m.prepare(s);\n",
                         one.what, i + 1, numbers(one.parameters));
    for (const ReferenceCall& call : one.calls) cases += call_text(model, call);
    cases += "end\n";
  }
  text += fmt::format("  failures = r(2);\n  fprintf('{}: %d of %d values agree\\n', r(1) - r(2), r(1));\nend\n",
                      model.identifier);
  return text + std::string(kMatlabSelftest) + cases;
}

}  // namespace

std::vector<CodeFile> matlab_files(const CodeContent& content) {
  const std::string& name = content.model.identifier;
  return {{name + ".m", function_file(content)}, {name + "_selftest.m", selftest(content)}};
}

}  // namespace dalembert
