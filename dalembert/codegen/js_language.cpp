// SPDX-License-Identifier: Apache-2.0
// JavaScript: the module NAME.mjs, whose class Model takes arrays and returns Float64Array, and NAME_selftest.mjs.
#include <fmt/format.h>

#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// JavaScript: functions `_NAME(s, …)` that write into arrays.
class JsWriter final : public Writer {
 public:
  using Writer::Writer;

 private:
  std::string head() override {
    std::string text;
    for (const std::string& one : routine().comment) text += comment(one) + "\n";
    text += "function _" + routine().name + "(s";
    for (const Variable& variable : routine().parameters) text += ", " + variable.name;
    text += ") {\n";
    std::vector<std::string> scalars;
    for (const Variable& variable : routine().locals) {
      if (!uses(variable.name)) continue;
      if (variable.array)
        text += fmt::format("  const {} = new Float64Array({});\n", variable.name, variable.size);
      else
        scalars.push_back(variable.name);
    }
    if (!scalars.empty()) {
      std::string list = in_lines(scalars, "    ");
      list.replace(0, 4, "  let ");
      list.back() = ';';
      text += list + "\n";
    }
    return text;
  }
  std::string foot() override { return "}\n"; }
  std::string comment(const std::string& text) override { return "// " + text; }
  std::string name(const std::string& name) override {
    if (name == "nan") return "NaN";
    if (name == "inf") return "Infinity";
    if (variable(name) != nullptr || is_loop_variable(name)) return name;
    if (program().constant(name) != nullptr) return upper_case(name);
    return (program().is_table(name) ? "_" : "s.") + name;
  }
  std::string function(const std::string& name, const std::vector<Term>& arguments) override {
    return (name == "erf" ? "_" : "Math.") + name + "(" + this->arguments(arguments) + ")";
  }
  std::string sign(const std::string& sign) override {
    return sign == "and" ? "&&" : sign == "or" ? "||" : sign == "==" ? "===" : sign == "!=" ? "!==" : sign;
  }
  std::string routine_call(const Routine& routine, const Term& call, const std::string& target) override {
    return fmt::format("{}_{}(s{}{})", target.empty() ? "" : target + " = ", routine.name,
                       call.arguments.empty() ? "" : ", ", arguments(call.arguments));
  }
  void sine_cosine(const Term& sine, const Term& cosine, const Term& angle) override {
    line(fmt::format("{{ const angle = {}; {} = Math.sin(angle); {} = Math.cos(angle); }}", term(angle), term(sine),
                     term(cosine)));
  }
  std::string for_head(const Step& step) override {
    return fmt::format("for (let {0} = {1}; {0} {2} {3}; {4}{0}) {{", step.name, term(step.target),
                       step.down ? ">=" : "<", term(step.second), step.down ? "--" : "++");
  }
};

std::string names(const NameList& list) {
  std::vector<std::string> items;
  for (const std::string& name : list.names) items.push_back(in_quotes(name));
  return "export const " + list.title + " = [" + (items.empty() ? "" : "\n" + in_lines(items, "  ")) + "];\n";
}

std::string numbers(const std::vector<double>& values) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + number_literal(value, "NaN", "Infinity");
  return "[" + list + "]";
}

constexpr Literals kLiteralsOfJs{"NaN", "Infinity", numbers};

// The method of class Model that calls the routine.
std::string method(const Routine& routine) {
  std::string parameters, body, results, call = "this";
  bool has_u = false;
  for (const Variable& variable : routine.parameters) {
    const std::string& name = variable.name;
    call += ", " + name;
    if (variable.passing == Variable::kOut) {
      body += fmt::format("    const {} = new Float64Array({});\n", name, variable.size);
    } else if (name == "u" && !routine.name.starts_with("step_held")) {
      has_u = true;
      body += fmt::format("    u = u === undefined ? this.inputs(t) : _vector(u, {}, \"u\");\n", variable.size);
    } else {
      parameters += (parameters.empty() ? "" : ", ") + name;
      if (variable.array) body += fmt::format("    {0} = _vector({0}, {1}, \"{0}\");\n", name, variable.size);
    }
    if (variable.passing != Variable::kIn) results += (results.empty() ? "" : ", ") + name;
  }
  if (has_u) parameters += ", u";
  std::string text;
  for (const std::string& line : routine.comment) text += "  // " + line + "\n";
  text += fmt::format("  {}({}) {{\n{}", routine.name, parameters, body);
  const std::string statement = fmt::format("_{}({})", routine.name, call);
  if (routine.result == Routine::kReal) return text + "    return " + statement + ";\n  }\n";
  if (routine.result == Routine::kStatus)
    text += fmt::format("    const status = {};\n    if (status !== 0) throw new Unsolved(\"{}\", status);\n",
                        statement, routine.name);
  else
    text += "    " + statement + ";\n";
  const bool several = results.find(',') != results.npos;
  if (!results.empty()) text += several ? "    return {" + results + "};\n" : "    return " + results + ";\n";
  return text + "  }\n";
}

std::string module(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text;
  std::vector<std::string> lines = describe_model(model, 0);
  lines.insert(
      lines.end(),
      {"", "Inputs that are not given are those that the model states. The self-test is in a file beside this one."});
  for (const std::string& line : lines) text += line.empty() ? "//\n" : "// " + line + "\n";
  text += "\n";
  for (const auto& [constant, value] : model.program.constants)
    text += fmt::format("export const {} = {};\n", upper_case(constant), value);
  text += fmt::format("const NPREPARED = {};\n", model.prepared);
  for (const NameList& list : name_lists(model)) text += names(list);
  text += "const DEFAULTS = " + numbers(default_parameters(model)) + ";\n";
  for (const auto& [table, values] : model.program.tables) text += "const _" + table + " = " + numbers(values) + ";\n";
  JsWriter writer(model.program);
  for (const Routine& routine : model.program.routines) text += "\n" + writer.write(routine);
  if (writer.calls("erf")) text += kJsErf;  // JavaScript's Math has no erf
  text += with_reasons(model, kJsModel, "5: \"the state is too far from the constraints\"", ",\n  ");
  if (content.start.ok())
    text += fmt::format(
        "  // The model's start, consistent with its own parameters.\n  start() {{\n    return {{t: {}, q: "
        "Float64Array.from({}), v: Float64Array.from({})}};\n  }}\n",
        number_literal(content.start.state.t, "NaN", "Infinity"), numbers(content.start.state.q),
        numbers(content.start.state.v));
  for (const Routine& routine : model.program.routines)
    if (routine.is_public && routine.result != Routine::kState) text += method(routine);
  return text + "}\n";
}

std::string call_text(const CodeModel& model, const ReferenceCall& call) {
  const Routine& routine = *model.program.find(call.routine);
  const std::string arguments = argument_list(routine, call, kLiteralsOfJs, "u");
  std::string expected;
  for (const ExpectedArray& array : call.expected)
    expected += fmt::format("    [\"{}\", {}, {}, {}],\n", array.name, array.stride, numbers(array.tolerances),
                            numbers(array.values));
  return fmt::format("  check(model, \"{}\", {}, [{}], [\n{}  ]);\n", call.routine, call.status, arguments, expected);
}

std::string selftest(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text = filled(kJsSelftest, {{"MODEL", model.identifier}});
  std::string calls;
  for (std::size_t i = 0; i < content.cases.size(); ++i) {
    const ReferenceCase& one = content.cases[i];
    std::string values;
    for (std::size_t k = 0; k < one.parameters.size(); ++k)
      values += fmt::format("{}{}: {}", k == 0 ? "" : ", ", in_quotes(model.parameters[k].identifier),
                            number_literal(one.parameters[k], "NaN", "Infinity"));
    text +=
        fmt::format("\n// {}\nfunction case_{}() {{\n  const model = new Model({{{}}});\n", one.what, i + 1, values);
    for (const ReferenceCall& call : one.calls) text += call_text(model, call);
    text += "}\n";
    calls += fmt::format("case_{}();\n", i + 1);
  }
  return text + "\n" + calls +
         fmt::format(
             "console.log(`{}: ${{checks - failures}} of ${{checks}} values agree`);\nprocess.exitCode = failures ? 1 "
             ": 0;\n",
             model.identifier);
}

}  // namespace

std::unique_ptr<Writer> js_writer(const Program& program) { return std::make_unique<JsWriter>(program); }

std::vector<CodeFile> js_files(const CodeContent& content) {
  const std::string& name = content.model.identifier;
  return {{name + ".mjs", module(content)}, {name + "_selftest.mjs", selftest(content)}};
}

}  // namespace dalembert
