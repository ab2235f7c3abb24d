// SPDX-License-Identifier: Apache-2.0
// Python: NAME.py, whose class Model takes and returns arrays of NumPy, and NAME_selftest.py.
#include <fmt/format.h>

#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// Python: functions `_NAME(s, …)` that write into lists.
class PythonWriter final : public Writer {
 public:
  using Writer::Writer;

 private:
  std::string head() override {
    std::string text = "def _" + routine().name + "(s";
    for (const Variable& variable : routine().parameters) text += ", " + name(variable.name);
    text += "):\n";
    for (const std::string& one : routine().comment) text += "  " + comment(one) + "\n";
    for (const Variable& variable : routine().locals)
      if (variable.array && uses(variable.name))
        text += fmt::format("  {} = [0.0] * {}\n", name(variable.name), variable.size);
    return text;
  }
  std::string foot() override { return {}; }
  std::string comment(const std::string& text) override { return "# " + text; }
  std::string name(const std::string& name) override {
    if (name == "lambda") return "lam";  // `lambda` is a keyword of Python
    if (name == "nan" || name == "inf") return "_" + name;
    if (variable(name) != nullptr || is_loop_variable(name)) return name;
    if (program().constant(name) != nullptr) return upper_case(name);
    return (program().is_table(name) ? "_" : "s.") + name;
  }
  // A call of a function at the beginning of the module, such as `_sqrt`, which returns NaN or infinity where Python's
  // own raises an exception.
  std::string function(const std::string& name, const std::vector<Term>& arguments) override {
    return (name == "abs" ? "" : "_") + name + "(" + this->arguments(arguments) + ")";
  }
  std::string quotient(const Term& term, int) override {
    return fmt::format("_divide({}, {})", this->term(term.arguments[0]), this->term(term.arguments[1]));
  }
  std::string negation(const std::string& inside) override { return "(not " + inside + ")"; }
  std::string routine_call(const Routine& routine, const Term& call, const std::string& target) override {
    return fmt::format("{}_{}(s{}{})", target.empty() ? "" : target + " = ", routine.name,
                       call.arguments.empty() ? "" : ", ", arguments(call.arguments));
  }
  void sine_cosine(const Term& sine, const Term& cosine, const Term& angle) override {
    const std::string x = term(angle);
    line(fmt::format("{}, {} = _sin({}), _cos({})", term(sine), term(cosine), x, x));
  }
  std::string for_head(const Step& step) override {
    if (step.down)
      return fmt::format("for {} in range({}, {} - 1, -1):", step.name, term(step.target), term(step.second));
    const std::string from = term(step.target);
    return fmt::format("for {} in range({}{}):", step.name, from == "0" ? "" : from + ", ", term(step.second));
  }
  std::string if_head(const std::string& condition) override { return "if " + condition + ":"; }
  std::string while_head(const std::string& condition) override { return "while " + condition + ":"; }
  std::string else_line() override { return "else:"; }
  std::string end_line() override { return {}; }
  std::string nothing() override { return "pass"; }
  std::string end_of_statement() override { return {}; }
};

std::string names(const NameList& list) {
  std::vector<std::string> items;
  for (const std::string& name : list.names) items.push_back(in_quotes(name));
  if (items.empty()) return list.title + " = ()\n";
  if (items.size() == 1) items.push_back("");
  return list.title + " = (\n" + in_lines(items, "  ") + ")\n";
}

std::string numbers(const std::vector<double>& values) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + number_literal(value, "_nan", "_inf");
  return "[" + list + "]";
}

constexpr Literals kLiteralsOfPython{"_nan", "_inf", numbers};

// The method of class Model that calls the routine. It turns arrays into lists, and results into arrays.
std::string method(const CodeModel& model, const Routine& routine) {
  std::string parameters, given, body, results, call = "self";
  bool has_u = false;
  for (const Variable& variable : routine.parameters) {
    const std::string name = variable.name == "lambda" ? "lam" : variable.name;
    call += ", " + name;
    if (variable.passing == Variable::kOut) {
      body += fmt::format("    {} = [0.0] * {}\n", name, variable.size);
    } else if (variable.name == "u" && !routine.name.starts_with("step_held")) {
      has_u = true;
      body += fmt::format("    u = self.inputs(t).tolist() if u is None else _list(u, {}, \"u\")\n", variable.size);
    } else {
      parameters += ", " + name;
      body += variable.array ? fmt::format("    {0} = _list({0}, {1}, \"{0}\")\n", name, variable.size)
                             : fmt::format("    {0} = float({0})\n", name);
    }
    if (variable.passing == Variable::kIn) continue;
    const std::size_t columns = columns_of(model, variable.name);
    results += results.empty() ? "" : ", ";
    results += columns > 0 ? fmt::format("np.array({}).reshape({}, {})", name, variable.size / columns, columns)
                           : fmt::format("np.array({})", name);
  }
  if (has_u) parameters += ", u=None";
  std::string text = fmt::format("\n  def {}(self{}):\n", routine.name, parameters);
  std::string comment;
  for (const std::string& line : routine.comment) comment += (comment.empty() ? "" : "\n    ") + line;
  text += "    \"\"\"" + comment + (routine.result == Routine::kStatus ? " Raises Unsolved." : "") + "\"\"\"\n" + body;
  const std::string statement = fmt::format("_{}({})", routine.name, call);
  if (routine.result == Routine::kReal) return text + "    return " + statement + "\n";
  if (routine.result == Routine::kStatus)
    text +=
        fmt::format("    status = {}\n    if status:\n      raise Unsolved(\"{}\", status)\n", statement, routine.name);
  else
    text += "    " + statement + "\n";
  return text + (results.empty() ? "" : "    return " + results + "\n");
}

std::string module(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text = "\"\"\"";
  std::vector<std::string> lines = describe_model(model, 0);
  lines.insert(
      lines.end(),
      {"", "Inputs that are not given are those that the model states. The self-test is in a file beside this one."});
  for (const std::string& line : lines) {
    for (const char c : line) text += c == '\\' || c == '"' ? '\'' : c;
    text += '\n';
  }
  text += "\"\"\"\n\nimport math\n\nimport numpy as np\n\n";
  for (const auto& [constant, value] : model.program.constants)
    text += fmt::format("{} = {}\n", upper_case(constant), value);
  text += fmt::format("NPREPARED = {}\n", model.prepared);
  for (const NameList& list : name_lists(model)) text += names(list);
  text += kPythonFunctions;
  text += "\n";
  text += "_DEFAULTS = " + numbers(default_parameters(model)) + "\n";
  for (const auto& [table, values] : model.program.tables) text += "_" + table + " = " + numbers(values) + "\n";
  PythonWriter writer(model.program);
  for (const Routine& routine : model.program.routines) text += "\n\n" + writer.write(routine);
  if (writer.calls("erf")) text += "\n\n_erf = math.erf\n";
  text += "\n";
  text += with_reasons(model, kPythonModel, "5: \"the state is too far from the constraints\"", ",\n             ");
  if (content.start.ok())
    text += fmt::format(
        "\n  def start(self):\n    \"\"\"t, q, v of the model's start, consistent with its own parameters.\"\"\"\n"
        "    return {}, np.array({}), np.array({})\n",
        number_literal(content.start.state.t, "_nan", "_inf"), numbers(content.start.state.q),
        numbers(content.start.state.v));
  for (const Routine& routine : model.program.routines)
    if (routine.is_public && routine.result != Routine::kState) text += method(model, routine);
  return text;
}

std::string call_text(const CodeModel& model, const ReferenceCall& call) {
  const Routine& routine = *model.program.find(call.routine);
  const std::string arguments = argument_list(routine, call, kLiteralsOfPython, "u");
  std::string expected;
  for (const ExpectedArray& array : call.expected)
    expected += fmt::format("    ({}, \"{}\", {}, {}, {}),\n", place_of_result(routine, array.name), array.name,
                            array.stride, numbers(array.tolerances), numbers(array.values));
  return fmt::format("  check(model, \"{}\", {}, ({}{}), [\n{}  ])\n", call.routine, call.status, arguments,
                     arguments.find(',') == arguments.npos ? "," : "", expected);
}

std::string selftest(const CodeContent& content) {
  const CodeModel& model = content.model;
  std::string text = filled(kPythonSelftest, {{"MODEL", model.identifier}}) + "\n";
  std::string calls;
  for (std::size_t i = 0; i < content.cases.size(); ++i) {
    const ReferenceCase& one = content.cases[i];
    text += fmt::format("\n# {}\ndef case_{}():\n  model = {}.Model()\n", one.what, i + 1, model.identifier);
    std::string values;
    for (std::size_t k = 0; k < one.parameters.size(); ++k)
      values += fmt::format("{}{}: {}", k == 0 ? "" : ", ", in_quotes(model.parameters[k].identifier),
                            number_literal(one.parameters[k], "_nan", "_inf"));
    text += fmt::format("  model.set(**{{{}}})\n", values);
    for (const ReferenceCall& call : one.calls) text += call_text(model, call);
    text += "\n";
    calls += fmt::format("case_{}()\n", i + 1);
  }
  return text + "\n" + calls +
         fmt::format(
             "print(f\"{}: {{checks - failures}} of {{checks}} values agree\")\nsys.exit(1 if failures else 0)\n",
             model.identifier);
}

}  // namespace

std::unique_ptr<Writer> python_writer(const Program& program) { return std::make_unique<PythonWriter>(program); }

std::vector<CodeFile> python_files(const CodeContent& content) {
  const std::string& name = content.model.identifier;
  return {{name + ".py", module(content)}, {name + "_selftest.py", selftest(content)}};
}

}  // namespace dalembert
