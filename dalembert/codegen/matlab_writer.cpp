// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "dalembert/codegen/writers.h"

namespace dalembert {
namespace {

// Functions whose results are complex in MATLAB for some arguments; the functions real_NAME at the end of the file
// return NaN there.
constexpr std::array<std::string_view, 5> kRealFunctions{"sqrt", "log", "asin", "acos", "pow"};

std::string number_plus_one(const std::string& text) {
  long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return fmt::format("{}", number + 1);
}

// The index counted from 1 instead of 0.
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

}  // namespace

std::string MatlabWriter::signature(const Routine& routine) {
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

// Statements that turn arrays of entries into matrices, which public routines return.
std::string MatlabWriter::shape_matrices() const {
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

std::string MatlabWriter::foot() {
  const bool ends_with_return = !routine().body.empty() && routine().body.back().kind == Step::kReturn;
  return (ends_with_return ? std::string() : shape_matrices()) + "end\n";
}

std::string MatlabWriter::head() {
  std::string text = "function " + signature(routine()) + "\n";
  for (const std::string& one : routine().comment) text += comment(one) + "\n";
  if (routine().is_public && routine().name != "step_held" && !routine().parameters.empty()) {
    std::size_t given = 1;  // number of arguments: s, then those below
    bool takes_inputs = false;
    for (const Variable& variable : routine().parameters) {
      given += variable.passing != Variable::kOut ? 1 : 0;
      takes_inputs = takes_inputs || (variable.name == "u" && variable.passing == Variable::kIn);
    }
    if (takes_inputs) text += fmt::format("  if nargin < {}, u = inputs(s, t); end\n", given);
  }
  for (const Variable& variable : routine().parameters)
    if (variable.passing == Variable::kOut) text += fmt::format("  {} = zeros({}, 1);\n", variable.name, variable.size);
  for (const Variable& variable : routine().locals)
    if (variable.array && uses(variable.name))
      text += fmt::format("  {} = zeros({}, 1);\n", variable.name, variable.size);
  return text;
}

std::string MatlabWriter::name(const std::string& name) {
  if (name == "nan") return "NaN";
  if (name == "inf") return "Inf";
  if (variable(name) != nullptr || is_loop_variable(name)) return name;
  if (const long* value = program().constant(name)) return fmt::format("{}", *value);
  return "s." + name;
}

std::string MatlabWriter::entry(const std::string& array, const Term& index) {
  return name(array) + "(" + term(from_one(index)) + ")";
}

std::string MatlabWriter::function(const std::string& name, const std::vector<Term>& arguments) {
  const bool real = std::ranges::find(kRealFunctions, name) != kRealFunctions.end();
  return (real ? "real_" : "") + name + "(" + this->arguments(arguments) + ")";
}

std::string MatlabWriter::sign(const std::string& sign) {
  return sign == "and" ? "&&" : sign == "or" ? "||" : sign == "!=" ? "~=" : sign;
}

std::string MatlabWriter::routine_call(const Routine& routine, const Term& call, const std::string& target) {
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

std::string MatlabWriter::returned(const std::string& value) {
  std::string matrices = shape_matrices();
  std::ranges::replace(matrices, '\n', ' ');
  return "status = " + value + "; " + matrices + "return";
}

void MatlabWriter::sine_cosine(const Term& sine, const Term& cosine, const Term& angle) {
  line(fmt::format("angle = {}; {} = sin(angle); {} = cos(angle);", term(angle), term(sine), term(cosine)));
}

std::string MatlabWriter::for_head(const Step& step) {
  const std::string from = term(step.target), to = term(step.second);
  if (step.down) return fmt::format("for {} = {}:-1:{}", step.name, from, to);
  return fmt::format("for {} = {}:{} - 1", step.name, from, to);
}

}  // namespace dalembert
