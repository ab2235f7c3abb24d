// SPDX-License-Identifier: Apache-2.0
// MATLAB and Octave: NAME.m, which returns a struct of functions, and NAME_selftest.m.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "dalembert/codegen/export_code.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// Functions whose results MATLAB would make complex. Code calls functions at the end of its file instead, which return
// NaN there.
constexpr std::array<std::string_view, 5> kRealFunctions{"sqrt", "log", "asin", "acos", "pow"};

std::string number_plus_one(const std::string& text) {
  long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return fmt::format("{}", number + 1);
}

// Turns an index that counts from 0 into one that counts from 1.
Term from_one(Term index) {
  if (index.kind == Term::kNumber) {
    index.text = number_plus_one(index.text);
    return index;
  }
  if (index.kind == Term::kBinary && (index.text == "+" || index.text == "-") &&
      index.arguments[0].kind == Term::kNumber) {
    index.arguments[0].text = number_plus_one(index.arguments[0].text);
    return index;
  }
  return {Term::kBinary, "+", {std::move(index), {Term::kNumber, "1", {}}}};
}

// MATLAB and Octave: functions that return what others write into, the status last.
class MatlabWriter final : public Writer {
 public:
  using Writer::Writer;

  // The head of a function: "[vdot, lambda, status] = accelerations(s, t, q, v, u)".
  static std::string signature(const Routine& routine) {
    std::string results, given = "s";
    for (const Variable& variable : routine.parameters) {
      if (variable.passing != Variable::kIn) results += (results.empty() ? "" : ", ") + variable.name;
      if (variable.passing != Variable::kOut) given += ", " + variable.name;
    }
    if (routine.result == Routine::kState)
      results = "s";
    else if (routine.result != Routine::kNothing)
      results += results.empty() ? "status" : ", status";
    return fmt::format("[{}] = {}({})", results, routine.name, given);
  }

 private:
  std::string head() override {
    std::string text = "function " + signature(routine()) + "\n";
    for (const std::string& one : routine().comment) text += comment(one) + "\n";
    if (routine().is_public && !routine().name.starts_with("step_held") && !routine().parameters.empty()) {
      std::size_t given = 1;  // number of arguments that the caller gives; the first one is s
      bool takes_inputs = false;
      for (const Variable& variable : routine().parameters) {
        given += variable.passing != Variable::kOut ? 1 : 0;
        takes_inputs = takes_inputs || (variable.name == "u" && variable.passing == Variable::kIn);
      }
      if (takes_inputs) text += fmt::format("  if nargin < {}, u = inputs(s, t); end\n", given);
    }
    for (const Variable& variable : routine().parameters)
      if (variable.passing == Variable::kOut)
        text += fmt::format("  {} = zeros({}, 1);\n", variable.name, variable.size);
    for (const Variable& variable : routine().locals)
      if (variable.array && uses(variable.name))
        text += fmt::format("  {} = zeros({}, 1);\n", variable.name, variable.size);
    return text;
  }
  std::string foot() override {
    const bool ends_with_return = !routine().body.empty() && routine().body.back().kind == Step::kReturn;
    return (ends_with_return ? std::string() : shape_matrices()) + "end\n";
  }
  // The statements at the end of a public routine that turn its matrices, which the routine fills as vectors row by
  // row, into matrices.
  std::string shape_matrices() const {
    std::string text;
    if (!routine().is_public) return text;
    for (const Variable& variable : routine().parameters) {
      if (variable.passing != Variable::kOut) continue;
      long columns = 0;
      if (variable.name == "M" || variable.name == "W" || variable.name == "C") columns = *program().constant("nv");
      if (variable.name == "Phi" || variable.name == "dN") columns = *program().constant("nr");
      if (variable.name == "J")
        columns = *program().constant("nq") + *program().constant("nv") + *program().constant("nu");
      if (columns > 0)
        text += fmt::format("  {0} = reshape({0}, {1}, {2}).';\n", variable.name, columns,
                            static_cast<long>(variable.size) / columns);
    }
    return text;
  }
  std::string comment(const std::string& text) override { return "% " + text; }
  std::string name(const std::string& name) override {
    if (name == "nan") return "NaN";
    if (name == "inf") return "Inf";
    if (variable(name) != nullptr || is_loop_variable(name)) return name;
    if (const long* value = program().constant(name)) return fmt::format("{}", *value);
    return "s." + name;
  }
  std::string entry(const std::string& array, const Term& index) override {
    return name(array) + "(" + term(from_one(index)) + ")";
  }
  std::string function(const std::string& name, const std::vector<Term>& arguments) override {
    const bool real = std::ranges::find(kRealFunctions, name) != kRealFunctions.end();
    return (real ? "real_" : "") + name + "(" + this->arguments(arguments) + ")";
  }
  std::string sign(const std::string& sign) override {
    return sign == "and" ? "&&" : sign == "or" ? "||" : sign == "!=" ? "~=" : sign;
  }
  std::string negation(const std::string& inside) override { return "~" + inside; }
  std::string routine_call(const Routine& routine, const Term& call, const std::string& target) override {
    std::string results, given = "s";
    for (std::size_t i = 0; i < call.arguments.size() && i < routine.parameters.size(); ++i) {
      const Variable& variable = routine.parameters[i];
      const std::string argument = term(call.arguments[i]);
      if (variable.passing != Variable::kIn) results += (results.empty() ? "" : ", ") + argument;
      if (variable.passing != Variable::kOut) given += ", " + argument;
    }
    if (!target.empty()) results += (results.empty() ? "" : ", ") + target;
    return fmt::format("{}{}({})", results.empty() ? "" : "[" + results + "] = ", routine.name, given);
  }
  std::string returned(const std::string& value) override {
    std::string matrices = shape_matrices();
    std::ranges::replace(matrices, '\n', ' ');
    return "status = " + value + "; " + matrices + "return";
  }
  void sine_cosine(const Term& sine, const Term& cosine, const Term& angle) override {
    line(fmt::format("angle = {}; {} = sin(angle); {} = cos(angle);", term(angle), term(sine), term(cosine)));
  }
  std::string for_head(const Step& step) override {
    const std::string from = term(step.target), to = term(step.second);
    if (step.down) return fmt::format("for {} = {}:-1:{}", step.name, from, to);
    return fmt::format("for {} = {}:{} - 1", step.name, from, to);
  }
  std::string if_head(const std::string& condition) override { return "if " + condition; }
  std::string while_head(const std::string& condition) override { return "while " + condition; }
  std::string else_line() override { return "else"; }
  std::string end_line() override { return "end"; }
};

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

constexpr Literals kLiteralsOfMatlab{"NaN", "Inf", numbers};

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
       "Inputs that are not given are those that the model states. A status other than 0 says why there is no result.",
       "The self-test is in a file beside this one."});
  for (const std::string& line : lines) text += line.empty() ? "%\n" : "% " + line + "\n";
  for (const auto& [group, entries] :
       {std::pair("q", &model.coordinates), std::pair("v", &model.velocities), std::pair("lambda", &model.rows),
        std::pair("p", &model.parameters), std::pair("u", &model.inputs), std::pair("y", &model.outputs),
        std::pair("e", &model.energies), std::pair("f", &model.frictions), std::pair("event", &model.events)}) {
    if ((entries == &model.frictions || entries == &model.events) && entries->empty()) continue;
    if (entries->size() > kMostIndices) continue;
    text += names(group, *entries);
    for (std::size_t i = 0; i < entries->size(); ++i)
      text += fmt::format("  m.index.{}.{} = {};\n", group, (*entries)[i].identifier, i + 1);
  }
  text += "  m.init = @init;\n";
  if (content.start.ok()) text += "  m.start = @start;\n";
  for (const Routine& routine : model.program.routines)
    if (routine.is_public) text += fmt::format("  m.{0} = @{0};\n", routine.name);
  std::string tables;
  for (const auto& [table, values] : model.program.tables)
    tables += fmt::format("  s.{} = {};\n", table, numbers(values));
  text +=
      fmt::format("end\n\nfunction s = init()\n  s.p = {};\n  s.prepared = zeros({}, 1);\n{}  s = prepare(s);\nend\n",
                  numbers(default_parameters(model)), model.prepared, tables);
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
  std::string arguments = argument_list(routine, call, kLiteralsOfMatlab, ""), expected;
  arguments = arguments.empty() ? "s" : "s, " + arguments;
  for (const ExpectedArray& array : call.expected)
    expected += fmt::format("    {}, {}, {}, {}, {}; ...\n", place_of_result(routine, array.name) + 1,
                            quoted(array.name), array.stride, numbers(array.tolerances), numbers(array.values));
  auto results =
      std::ranges::count_if(routine.parameters, [](const Variable& v) { return v.passing != Variable::kIn; });
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

std::unique_ptr<Writer> matlab_writer(const Program& program) { return std::make_unique<MatlabWriter>(program); }

std::vector<CodeFile> matlab_files(const CodeContent& content) {
  const std::string& name = content.model.identifier;
  return {{name + ".m", function_file(content)}, {name + "_selftest.m", selftest(content)}};
}

}  // namespace dalembert
