// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dalembert {
namespace {

// How tightly an operator binds.
int level_of(const std::string& sign) {
  if (sign == "or") return 1;
  if (sign == "and") return 2;
  if (sign == "+" || sign == "-") return 5;
  if (sign == "*" || sign == "/") return 6;
  return 4;  // level of comparisons; that of `not` is 3
}
constexpr int kNegation = 7;

std::string in_parentheses(std::string text, bool needed) { return needed ? "(" + text + ")" : text; }

}  // namespace

std::string Writer::write(const Routine& routine) {
  routine_ = &routine;
  variables_.clear();
  for (const std::vector<Variable>* list : {&routine.parameters, &routine.locals})
    for (const Variable& one : *list) variables_.emplace(one.name, &one);
  used_.clear();
  loop_variables_.clear();
  body_.clear();
  depth_ = 1;
  steps(routine.body);
  std::string body = std::move(body_);
  return head() + body + foot();
}

void Writer::line(const std::string& text) {
  body_.append(static_cast<std::size_t>(2 * depth_), ' ');
  body_ += text;
  if (!aside_.empty()) body_ += "  " + comment(std::exchange(aside_, {}));
  body_ += '\n';
}

std::string Writer::term(const Term& term, int level) {
  switch (term.kind) {
    case Term::kNumber:
      return number(term.text);
    case Term::kName:
      used_.insert(term.text);
      return name(term.text);
    case Term::kEntry:
      used_.insert(term.text);
      return entry(term.text, term.arguments[0]);
    case Term::kCall:
      called_.insert(term.text);
      return function(term.text, term.arguments);
    case Term::kNegate:
      return in_parentheses("-" + this->term(term.arguments[0], kNegation + 1), level > 5);
    case Term::kNot:
      return negation("(" + this->term(term.arguments[0]) + ")");
    case Term::kBinary:
      return term.text == "/" ? quotient(term, level) : binary(term, level);
  }
  return {};
}

std::string Writer::binary(const Term& term, int level) {
  const int own = level_of(term.text);
  // Compilers warn of `and` within `or` without parentheses.
  const int left = term.text == "or" ? 3 : own, right = term.text == "or" ? 3 : own + 1;
  std::string first = operand(term.arguments[0], term.arguments[1], left);
  first += " " + sign(term.text) + " ";
  return in_parentheses(first + operand(term.arguments[1], term.arguments[0], right), own < level);
}

// What a value is: a whole number that is written down and so may count as either, one that the program computes, a real number; conditions are either.
Writer::Type Writer::type_of(const Term& term) const {
  switch (term.kind) {
    case Term::kNumber:
      return term.text.find_first_of(".e") == std::string::npos ? Type::kEither : Type::kReal;
    case Term::kName:
    case Term::kEntry: {
      const Variable* known = variable(term.text);
      const bool whole =
          known != nullptr ? known->whole : is_loop_variable(term.text) || program_.constant(term.text) != nullptr;
      return whole ? Type::kWhole : Type::kReal;
    }
    case Term::kNot:
      return Type::kEither;  // a truth, which nothing converts
    case Term::kNegate:
      return type_of(term.arguments[0]);
    case Term::kBinary:
      if (level_of(term.text) < level_of("+")) return Type::kEither;
      return std::max(type_of(term.arguments[0]), type_of(term.arguments[1]));
    default:
      return Type::kReal;
  }
}

// An operand, or the value of an assignment to `other`.
std::string Writer::operand(const Term& term, const Term& other, int level) {
  const bool converts = program_.single && type_of(term) == Type::kWhole && type_of(other) == Type::kReal;
  return converts ? real_of(this->term(term)) : this->term(term, level);
}

std::string Writer::quotient(const Term& term, int level) { return binary(term, level); }

std::string Writer::entry(const std::string& array, const Term& index) { return name(array) + "[" + term(index) + "]"; }

std::string Writer::arguments(const std::vector<Term>& terms) {
  std::string text;
  for (const Term& argument : terms) text += (text.empty() ? "" : ", ") + term(argument);
  return text;
}

void Writer::steps(const std::vector<Step>& steps) {
  const std::size_t before = body_.size();
  for (const Step& one : steps) step(one);
  if (body_.size() == before && !nothing().empty()) line(nothing());
}

void Writer::step(const Step& step) {
  const auto block = [&](const std::string& head, const std::vector<Step>& body) {
    line(head);
    ++depth_;
    steps(body);
    --depth_;
  };
  const auto end = [&] {
    if (!end_line().empty()) line(end_line());
  };
  const Routine* called = step.value.kind == Term::kCall ? program_.find(step.value.text) : nullptr;
  switch (step.kind) {
    case Step::kComment:
      return line(comment(step.name));
    case Step::kAssign:
      aside_ = step.name;
      if (called != nullptr) return line(routine_call(*called, step.value, term(step.target)) + end_of_statement());
      return line(term(step.target) + " = " + operand(step.value, step.target, 0) + end_of_statement());
    case Step::kCall:
      return line(routine_call(*called, step.value, {}) + end_of_statement());
    case Step::kReturn:
      return line(returned(term(step.value)) + end_of_statement());
    case Step::kBreak:
      return line("break" + end_of_statement());
    case Step::kSineCosine:
      aside_ = step.name;
      return sine_cosine(step.target, step.second, step.value);
    case Step::kFor:
      loop_variables_.insert(step.name);
      block(for_head(step), step.body);
      return end();
    case Step::kWhile:
      block(while_head(term(step.value)), step.body);
      return end();
    case Step::kIf:
      block(if_head(term(step.value)), step.body);
      if (!step.otherwise.empty()) block(else_line(), step.otherwise);
      return end();
  }
}

std::string upper_case(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string in_lines(const std::vector<std::string>& items, const std::string& indent, std::size_t width) {
  std::string text, line = indent;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (line.size() > indent.size() && line.size() + item.size() + 1 > width) {
      text += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + item;
  }
  return text + line + "\n";
}

}  // namespace dalembert
