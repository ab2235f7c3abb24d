// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dalembert/codegen/writers.h"

namespace dalembert {

std::string PythonWriter::head() {
  std::string text = "def _" + routine().name + "(s";
  for (const Variable& variable : routine().parameters) text += ", " + name(variable.name);
  text += "):\n";
  for (const std::string& one : routine().comment) text += "  " + comment(one) + "\n";
  for (const Variable& variable : routine().locals)
    if (variable.array && uses(variable.name))
      text += fmt::format("  {} = [0.0] * {}\n", name(variable.name), variable.size);
  return text;
}

std::string PythonWriter::name(const std::string& name) {
  if (name == "lambda") return "lam";  // a keyword of Python
  if (name == "nan" || name == "inf") return "_" + name;
  if (variable(name) != nullptr || is_loop_variable(name)) return name;
  if (program().constant(name) != nullptr) return upper_case(name);
  return (program().is_table(name) ? "_" : "s.") + name;
}

// The functions _NAME at the beginning of the module are called in place of Python's, because they return NaN and
// infinities instead of raising exceptions.
std::string PythonWriter::function(const std::string& name, const std::vector<Term>& arguments) {
  return (name == "abs" ? "" : "_") + name + "(" + this->arguments(arguments) + ")";
}

std::string PythonWriter::quotient(const Term& term, int) {
  return fmt::format("_divide({}, {})", this->term(term.arguments[0]), this->term(term.arguments[1]));
}

std::string PythonWriter::routine_call(const Routine& routine, const Term& call, const std::string& target) {
  return fmt::format("{}_{}(s{}{})", target.empty() ? "" : target + " = ", routine.name,
                     call.arguments.empty() ? "" : ", ", arguments(call.arguments));
}

void PythonWriter::sine_cosine(const Term& sine, const Term& cosine, const Term& angle) {
  const std::string x = term(angle);
  line(fmt::format("{}, {} = _sin({}), _cos({})", term(sine), term(cosine), x, x));
}

std::string PythonWriter::for_head(const Step& step) {
  if (step.down)
    return fmt::format("for {} in range({}, {} - 1, -1):", step.name, term(step.target), term(step.second));
  const std::string from = term(step.target);
  return fmt::format("for {} in range({}{}):", step.name, from == "0" ? "" : from + ", ", term(step.second));
}

}  // namespace dalembert
