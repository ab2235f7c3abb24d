// SPDX-License-Identifier: Apache-2.0
// C++20: the C files, a class on top of them that takes spans and returns arrays, and a self-test of this class.
#include <fmt/format.h>

#include "dalembert/codegen/c_writer.h"
#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

std::string indices(const std::string& group, const std::vector<NamedEntry>& entries) {
  if (entries.empty() || entries.size() > kMostIndices) return {};
  std::vector<std::string> items;
  for (std::size_t i = 0; i < entries.size(); ++i) items.push_back(fmt::format("{} = {}", entries[i].identifier, i));
  return fmt::format("namespace {}_index {{\nenum : int {{\n{}}};\n}}\n", group, in_lines(items, "  "));
}

// The type that a method returns: that of its only result, or a struct of all results.
struct Returned {
  std::string type, declaration;
  bool several = false;
};

Returned returned(const Program& program, const Routine& routine) {
  Returned result;
  std::string members;
  std::size_t count = 0;
  for (const Variable& variable : routine.parameters) {
    if (variable.passing == Variable::kIn) continue;
    result.type = fmt::format("std::array<{}, {}>", real_type(program), variable.size);
    members += fmt::format("    {} {};\n", result.type, variable.name);
    ++count;
  }
  if (routine.result == Routine::kReal) result.type = real_type(program);
  if (count < 2 && routine.result != Routine::kStatus) return result;
  result.several = true;
  result.type = routine.name + "_result";
  if (routine.result == Routine::kStatus)
    members += "    int status = 0;\n    explicit operator bool() const { return status == 0; }\n";
  result.declaration = fmt::format("  struct {} {{\n{}  }};\n", result.type, members);
  return result;
}

std::string method(const CodeModel& model, const Routine& routine) {
  const Returned result = returned(model.program, routine);
  const std::string_view real = real_type(model.program);
  std::string parameters, call = "&system_", before, only;
  for (const Variable& variable : routine.parameters) {
    const std::string place = result.several ? "result." + variable.name : "result";
    call += ", ";
    if (!variable.array) {
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", real, variable.name);
      call += variable.name;
      continue;
    }
    if (variable.passing == Variable::kOut) {
      call += place + ".data()";
      continue;
    }
    parameters +=
        fmt::format("{}std::span<const {}, {}> {}", parameters.empty() ? "" : ", ", real, variable.size, variable.name);
    if (variable.passing == Variable::kInOut) {
      before += fmt::format("    std::copy({0}.begin(), {0}.end(), {1}.begin());\n", variable.name, place);
      call += place + ".data()";
    } else {
      call += variable.name + ".data()";
    }
  }
  std::string text = result.declaration;
  for (const std::string& line : routine.comment) text += "  // " + line + "\n";
  const std::string function = fmt::format("{}_{}({})", model.identifier, routine.name, call);
  if (routine.result == Routine::kReal)
    return text + fmt::format("  {} {}({}) {{ return {}; }}\n\n", real, routine.name, parameters, function);
  text +=
      fmt::format("  {} {}({}) {{\n    {} result{{}};\n{}", result.type, routine.name, parameters, result.type, before);
  text += fmt::format("    {}{};\n    return result;\n  }}\n\n",
                      routine.result == Routine::kStatus ? "result.status = " : "", function);
  return text;
}

std::string header(const CodeContent& content) {
  const CodeModel& model = content.model;
  const std::string& name = model.identifier;
  std::string text = filled(kCppHead, {{"$", name}, {"GUARD", upper_case(name)}}) + "\n";
  for (const auto& [constant, value] : model.program.constants)
    text += fmt::format("inline constexpr int {} = {};\n", upper_case(constant), value);
  text += "\n" + indices("q", model.coordinates) + indices("v", model.velocities) + indices("lambda", model.rows) +
          indices("p", model.parameters) + indices("u", model.inputs) + indices("y", model.outputs) +
          indices("e", model.energies) + indices("f", model.frictions) + indices("event", model.events);
  text += in_precision(model.program, filled(kCppClass, {{"$", name}})) + "\n";
  if (content.start.ok())
    text += in_precision(model.program, filled(kCppStart, {{"$", name},
                                                           {"NQ", fmt::format("{}", model.coordinates.size())},
                                                           {"NV", fmt::format("{}", model.layout().nv)}})) +
            "\n";
  for (const Routine& routine : model.program.routines)
    if (routine.is_public && routine.result != Routine::kState) text += method(model, routine);
  return text + filled(kCppEnd, {{"$", name}});
}

std::string numbers(const Program& program, const std::vector<double>& values) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + c_literal(program, value);
  return list;
}

std::string call_text(const CodeModel& model, const ReferenceCall& call) {
  const Routine& routine = *model.program.find(call.routine);
  const Returned result = returned(model.program, routine);
  const std::string_view real = real_type(model.program);
  std::string declarations, arguments, checks;
  for (const Variable& variable : routine.parameters) {
    if (variable.passing == Variable::kOut) continue;
    const std::vector<double>& value = call.value(variable.name);
    arguments += arguments.empty() ? "" : ", ";
    if (!variable.array) {
      arguments += c_literal(model.program, value.at(0));
      continue;
    }
    arguments += variable.name;
    declarations +=
        value.size() > kLongestReference
            ? fmt::format("    static std::array<{2}, {0}> {1};\n    fill({1});\n", value.size(), variable.name, real)
            : fmt::format("    const std::array<{}, {}> {}{{{}}};\n", real, value.size(), variable.name,
                          numbers(model.program, value));
  }
  for (const ExpectedArray& array : call.expected) {
    const std::string got = routine.result == Routine::kReal ? fmt::format("std::array<{}, 1>{{got}}", real)
                            : result.several                 ? "got." + array.name
                                                             : "got";
    checks += fmt::format("    compare(\"{}: {}\", {}, {}, {{{}}}, {{{}}});\n", call.routine, array.name, got,
                          array.stride, numbers(model.program, array.values), numbers(model.program, array.tolerances));
  }
  if (routine.result == Routine::kStatus)
    checks = fmt::format("    status(\"{}\", got.status, {});\n", call.routine, call.status) + checks;
  return fmt::format("  {{\n{}    const auto got = system.{}({});\n    (void)got;\n{}  }}\n", declarations,
                     call.routine, arguments, checks);
}

std::string selftest(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text = in_precision(model.program, filled(kCppSelftest, {{"$", model.identifier}}));
  std::string calls;
  for (std::size_t i = 0; i < content.cases.size(); ++i) {
    const ReferenceCase& one = content.cases[i];
    text += fmt::format("\n// {}\nvoid case_{}() {{\n  static {}::System system;\n", one.what, i + 1, model.identifier);
    for (std::size_t k = 0; k < one.parameters.size(); ++k)
      text += fmt::format("  system.set_parameter({}, {});\n", k, c_literal(model.program, one.parameters[k]));
    for (const ReferenceCall& call : one.calls) text += call_text(model, call);
    text += "}\n";
    calls += fmt::format("  case_{}();\n", i + 1);
  }
  return text + fmt::format(
                    "\n}}  // namespace\n\nint main() {{\n{}  std::printf(\"{}: %d of %d values agree\\n\", checks - "
                    "failures, "
                    "checks);\n  return failures == 0 ? 0 : 1;\n}}\n",
                    calls, model.identifier);
}

}  // namespace

std::vector<CodeFile> cpp_files(const CodeContent& content) {
  const std::string& name = content.model.identifier;
  std::vector<CodeFile> files = c_files(content);
  files.pop_back();
  files.push_back({name + ".hpp", header(content)});
  files.push_back({name + "_selftest.cpp", selftest(content)});
  return files;
}

}  // namespace dalembert
