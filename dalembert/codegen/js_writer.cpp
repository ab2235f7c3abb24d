// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "dalembert/codegen/writers.h"

namespace dalembert {

std::string JsWriter::head() {
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

std::string JsWriter::name(const std::string& name) {
  if (name == "nan") return "NaN";
  if (name == "inf") return "Infinity";
  if (variable(name) != nullptr || is_loop_variable(name)) return name;
  if (program().constant(name) != nullptr) return upper_case(name);
  return (program().is_table(name) ? "_" : "s.") + name;
}

std::string JsWriter::function(const std::string& name, const std::vector<Term>& arguments) {
  return (name == "erf" ? "_" : "Math.") + name + "(" + this->arguments(arguments) + ")";
}

std::string JsWriter::sign(const std::string& sign) {
  return sign == "and" ? "&&" : sign == "or" ? "||" : sign == "==" ? "===" : sign == "!=" ? "!==" : sign;
}

std::string JsWriter::routine_call(const Routine& routine, const Term& call, const std::string& target) {
  return fmt::format("{}_{}(s{}{})", target.empty() ? "" : target + " = ", routine.name,
                     call.arguments.empty() ? "" : ", ", arguments(call.arguments));
}

void JsWriter::sine_cosine(const Term& sine, const Term& cosine, const Term& angle) {
  line(fmt::format("{{ const angle = {}; {} = Math.sin(angle); {} = Math.cos(angle); }}", term(angle), term(sine),
                   term(cosine)));
}

std::string JsWriter::for_head(const Step& step) {
  return fmt::format("for (let {0} = {1}; {0} {2} {3}; {4}{0}) {{", step.name, term(step.target),
                     step.down ? ">=" : "<", term(step.second), step.down ? "--" : "++");
}

}  // namespace dalembert
