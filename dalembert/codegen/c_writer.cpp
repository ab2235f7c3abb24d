// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "dalembert/base/text.h"
#include "dalembert/codegen/c_writer.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/single_precision.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// Entries of the largest local array in C. A larger one is a member of the struct PREFIX_system, because the stack of a
// controller is small.
constexpr std::size_t kLargestLocal = 256;

}  // namespace

std::string c_literal(const Program& program, double value) {
  return program.single ? single_literal(value) : number_literal(value);
}

std::string c_literals(const Program& program, const std::vector<double>& values, const std::string& indent) {
  if (!program.single) return number_list(values, indent);
  std::vector<std::string> items;
  for (const double value : values) items.push_back(single_literal(value));
  return in_lines(items, indent);
}

std::string in_precision(const Program& program, std::string_view text) {
  if (!program.single) return filled_where(text, {{"PRINTED ", ""}});
  return filled_where(text, {{"static_cast<double>((37 * i + 5) % 101) / 101.0 - 0.5",
                              "static_cast<float>((37 * i + 5) % 101) / 101.0F - 0.5F"},
                             {"(37 * i + 5) % 101 / 101.0 - 0.5", "(float)((37 * i + 5) % 101) / 101.0f - 0.5f"},
                             {"PRINTED ", "(double)"},
                             {"double", "float"},
                             {"std::fabs(", "std::fabs("},
                             {"fabs(", "fabsf("},
                             {"%.17g", "%.9g"}});
}

std::string CWriter::constant_name(const std::string& constant) const { return prefix_ + "_" + upper_case(constant); }

// Whether a local array becomes a member of the struct PREFIX_system. All routines share the array `work`, the scratch
// memory of loops, because only one routine at a time uses it.
bool CWriter::is_member(const Variable& variable) {
  return variable.passing == Variable::kLocal && variable.array &&
         (variable.name == "work" || variable.size > kLargestLocal);
}

std::string CWriter::member_name(const std::string& variable) const {
  return variable == "work" ? variable : routine().name + "_" + variable;
}

std::string CWriter::declaration(const Routine& routine) const {
  const std::string_view real = real_type(program()), result = routine.result == Routine::kStatus ? "int"
                                                               : routine.result == Routine::kReal ? real
                                                                                                  : "void";
  std::string text = fmt::format("{} {}({}_system* s", result, routine_name(routine.name), prefix_);
  for (const Variable& variable : routine.parameters) {
    const std::string_view type = variable.whole ? "int" : real;
    const bool constant = variable.passing == Variable::kIn && variable.array;
    text += fmt::format(", {}{}{} {}", constant ? "const " : "", type, variable.array ? "*" : "", variable.name);
  }
  return text + ")";
}

std::string CWriter::head() {
  std::string text;
  if (!routine().is_public) {
    for (const std::string& one : routine().comment) text += comment(one) + "\n";
    text += "static ";
  }
  text += declaration(routine()) + " {\n";
  std::vector<std::string> reals, wholes;
  for (const Variable& variable : routine().locals) {
    if (!uses(variable.name)) continue;
    if (is_member(variable)) {
      Member& member = members_[member_name(variable.name)];
      member.size = std::max({member.size, variable.size, std::size_t{1}});
      member.whole = variable.whole;
    } else {
      const std::string size = variable.array ? fmt::format("[{}]", std::max<std::size_t>(variable.size, 1)) : "";
      const char* zeros = variable.zero ? " = {0}" : "";
      (variable.whole ? wholes : reals).push_back(variable.name + size + zeros);
    }
  }
  const auto declare = [&](std::string_view type, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string list = in_lines(names, "    ");
    list.replace(0, 4, fmt::format("  {} ", type));
    list.back() = ';';
    text += list + "\n";
  };
  declare("int", wholes);
  declare(real_type(program()), reals);
  std::string unused;
  for (const Variable& variable : routine().parameters)
    if (!uses(variable.name)) unused += fmt::format("(void){}; ", variable.name);
  if (!uses("s")) unused += "(void)s; ";
  if (!unused.empty()) text += "  " + unused.substr(0, unused.size() - 1) + "\n";
  return text;
}

std::string CWriter::name(const std::string& name) {
  if (name == "nan") return "NAN";
  if (name == "inf") return "INFINITY";
  if (const Variable* known = variable(name)) {
    if (!is_member(*known)) return name;
    mark_used("s");
    return "s->" + member_name(name);
  }
  if (program().constant(name) != nullptr) return constant_name(name);
  if (is_loop_variable(name)) return name;
  if (program().is_table(name)) return prefix_ + "_" + name;
  mark_used("s");
  return "s->" + name;
}

std::string CWriter::function_name(const std::string& name) {
  if (name == "sin") uses_sine_cosine_ = uses_sine_ = true;
  if (name == "cos") uses_sine_cosine_ = uses_cosine_ = true;
  if (name == "sin" || name == "cos") return prefix_ + (name == "sin" ? "_sine" : "_cosine");
  return (name == "abs" ? "fabs" : name) + (program().single ? "f" : "");
}

std::string CWriter::number(const std::string& text) {
  const bool real = text.find_first_of(".e") != std::string::npos;
  return program().single && real ? single_literal(parse_double(text).value_or(0)) : text;
}

std::string CWriter::function(const std::string& name, const std::vector<Term>& arguments) {
  return function_name(name) + "(" + this->arguments(arguments) + ")";
}

std::string CWriter::sign(const std::string& sign) { return sign == "and" ? "&&" : sign == "or" ? "||" : sign; }

std::string CWriter::routine_call(const Routine& routine, const Term& call, const std::string& target) {
  mark_used("s");
  return fmt::format("{}{}(s{}{})", target.empty() ? "" : target + " = ", routine_name(routine.name),
                     call.arguments.empty() ? "" : ", ", arguments(call.arguments));
}

void CWriter::sine_cosine(const Term& sine, const Term& cosine, const Term& angle) {
  line(fmt::format("{}({}, &{}, &{});", sine_cosine_name(), term(angle), term(sine), term(cosine)));
}

std::string CWriter::for_head(const Step& step) {
  return fmt::format("for (int {0} = {1}; {0} {2} {3}; {4}{0}) {{", step.name, term(step.target),
                     step.down ? ">=" : "<", term(step.second), step.down ? "--" : "++");
}

}  // namespace dalembert
