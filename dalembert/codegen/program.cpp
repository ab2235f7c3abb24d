// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "dalembert/base/text.h"
#include "dalembert/codegen/single_precision.h"

namespace dalembert {
namespace {

// How a number of double precision becomes one of single precision.
struct Rule {
  std::string_view name;
  double (*in_single)(double);
};
constexpr Rule kRules[] = {{"limit", limit_in_single}, {"round_off", round_off_in_single}, {"range", range_in_single}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words, numbers and signs of one line. What stands behind them is the aside.
std::vector<std::string> tokens_of(std::string_view line, std::string& aside) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == ' ') {
      ++i;
      continue;
    }
    if (c == '#') {
      aside = std::string(line.substr(std::min(line.size(), i + 2)));
      break;
    }
    std::size_t end = i + 1;
    if (is_digit(c)) {
      while (end < line.size() && (is_word(line[end]) || line[end] == '.' ||
                                   ((line[end] == '-' || line[end] == '+') && line[end - 1] == 'e')))
        ++end;
    } else if (is_word(c)) {
      while (end < line.size() && is_word(line[end])) ++end;
    } else if (end < line.size() && ((line[end] == '=' && std::string_view("<>=!").find(c) != std::string_view::npos) ||
                                     (c == '-' && line[end] == '>'))) {
      ++end;
    }
    tokens.emplace_back(line.substr(i, end - i));
    i = end;
  }
  return tokens;
}

Term binary(std::string sign, Term left, Term right) {
  Term term{Term::kBinary, std::move(sign), {}};
  term.arguments.push_back(std::move(left));
  term.arguments.push_back(std::move(right));
  return term;
}

class Reader {
 public:
  Reader(Program& program, std::string_view text) : program_(program), text_(text) {}

  std::string read() {
    std::vector<std::string> comment;
    while (error_.empty() && next_line()) {
      if (!note_.empty() && tokens_.empty()) {
        comment.push_back(note_);
      } else if (!tokens_.empty()) {
        routine(std::move(comment));
        comment.clear();
      }
    }
    return error_;
  }

 private:
  // Reads the next line: its tokens into tokens_, a comment that is alone on it into note_.
  bool next_line() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    note_.clear();
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string_view::npos && line[first] == '#')
      note_ = with_numbers(std::string(line.substr(std::min(line.size(), first + 2))));
    aside_.clear();
    tokens_ = tokens_of(line, aside_);
    place_ = 0;
    return true;
  }

  void fail(const std::string& message) {
    if (error_.empty()) error_ = fmt::format("line {}: {}", number_, message);
  }
  bool at_end() const { return place_ >= tokens_.size(); }
  const std::string& peek() const {
    static const std::string nothing;
    return at_end() ? nothing : tokens_[place_];
  }
  std::string take() {
    if (at_end()) fail("ends too early");
    return at_end() ? std::string() : tokens_[place_++];
  }
  bool accept(std::string_view token) {
    if (peek() != token) return false;
    ++place_;
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("`{}` instead of `{}`", peek(), token));
  }

  // --- expressions

  Term expression(int level = 0) {
    static constexpr std::array<std::array<std::string_view, 6>, 5> kSigns{
        {{"or"}, {"and"}, {"<", "<=", ">", ">=", "==", "!="}, {"+", "-"}, {"*", "/"}}};
    if (level == 2 && accept("not")) return {Term::kNot, {}, {expression(2)}};
    if (level == 5) return factor();
    Term left = expression(level + 1);
    while (!at_end() && std::ranges::find(kSigns[static_cast<std::size_t>(level)], std::string_view(peek())) !=
                            kSigns[static_cast<std::size_t>(level)].end()) {
      std::string sign = take();
      left = binary(std::move(sign), std::move(left), expression(level + 1));
    }
    return left;
  }

  Term factor() {
    if (accept("-")) return {Term::kNegate, {}, {factor()}};
    if (accept("(")) {
      Term inside = expression();
      expect(")");
      return inside;
    }
    std::string word = take();
    if (word.empty() || !is_word(word[0])) {
      fail(fmt::format("`{}` where a value is expected", word));
      return {};
    }
    if (is_digit(word[0])) return {Term::kNumber, std::move(word), {}};
    if (accept("[")) {
      Term entry{Term::kEntry, std::move(word), {expression()}};
      expect("]");
      return entry;
    }
    if (!accept("(")) return {Term::kName, std::move(word), {}};
    Term call{Term::kCall, std::move(word), {}};
    while (error_.empty() && !accept(")")) {
      call.arguments.push_back(expression());
      if (peek() != ")") expect(",");
    }
    return in_precision(std::move(call));
  }

  // The number that a call such as limit(1e-10) stands for; other calls as they are.
  Term in_precision(Term call) {
    const auto* const rule = std::ranges::find(kRules, std::string_view(call.text), &Rule::name);
    if (rule == std::end(kRules)) return call;
    if (call.arguments.size() != 1 || call.arguments[0].kind != Term::kNumber) {
      fail(fmt::format("`{}` takes one number", call.text));
      return {};
    }
    Term number = std::move(call.arguments[0]);
    number.text = in_precision(*rule, std::move(number.text));
    return number;
  }
  std::string in_precision(const Rule& rule, std::string number) const {
    return program_.single ? to_text(rule.in_single(parse_double(number).value_or(0))) : number;
  }
  // The comment with a number in the place of `limit(1e-12)`.
  std::string with_numbers(std::string comment) const {
    for (const Rule& rule : kRules) {
      const std::string call = std::string(rule.name) + "(";
      for (std::size_t at = comment.find(call); at != comment.npos; at = comment.find(call, at + 1)) {
        const std::size_t first = at + call.size(), end = comment.find(')', first);
        if (end == comment.npos || !is_digit(comment[first])) continue;
        comment.replace(at, end + 1 - at, in_precision(rule, comment.substr(first, end - first)));
      }
    }
    return comment;
  }

  // The value of the size of an array, an expression of constants.
  long whole(const Term& term) {
    if (term.kind == Term::kNumber) {
      long number = 0;
      std::from_chars(term.text.data(), term.text.data() + term.text.size(), number);
      return number;
    }
    if (term.kind == Term::kName) {
      if (const long* value = program_.constant(term.text)) return *value;
      fail(fmt::format("`{}` is not a constant", term.text));
    } else if (term.kind == Term::kBinary) {
      const long left = whole(term.arguments[0]), right = whole(term.arguments[1]);
      if (term.text == "+") return left + right;
      if (term.text == "-") return left - right;
      if (term.text == "*") return left * right;
    }
    fail("a size is made of constants");
    return 0;
  }

  // --- routines

  Variable variable(Variable::Passing passing) {
    Variable variable;
    variable.passing = passing;
    variable.whole = accept("int");
    variable.name = take();
    if (accept("[")) {
      variable.array = true;
      variable.size = static_cast<std::size_t>(std::max(0L, whole(expression())));
      expect("]");
    }
    return variable;
  }

  void routine(std::vector<std::string> comment) {
    Routine routine;
    routine.comment = std::move(comment);
    routine.is_public = accept("public");
    expect("routine");
    routine.name = take();
    expect("(");
    while (error_.empty() && !accept(")")) {
      const std::string kind = take();
      const auto passing = kind == "out" ? Variable::kOut : kind == "inout" ? Variable::kInOut : Variable::kIn;
      routine.parameters.push_back(variable(passing));
      if (kind == "int") routine.parameters.back().whole = true;
      if (peek() != ")") expect(",");
    }
    if (accept("->")) {
      const std::string result = take();
      routine.result = result == "real" ? Routine::kReal : result == "state" ? Routine::kState : Routine::kStatus;
    }
    expect("{");
    current_ = &routine;
    routine.body = block();
    program_.routines.push_back(std::move(routine));
  }

  // Reads a block up to the line that closes it, which stays the current line.
  std::vector<Step> block() {
    std::vector<Step> steps;
    while (error_.empty()) {
      if (!next_line()) {
        fail("a block is not closed");
        break;
      }
      if (!note_.empty()) steps.push_back({.kind = Step::kComment, .name = note_});
      if (tokens_.empty()) continue;
      if (accept("}")) break;
      if (peek() == "real" || peek() == "int") {
        locals();
        continue;
      }
      steps.push_back(step());
    }
    steps.shrink_to_fit();
    return steps;
  }

  void locals() {
    const bool whole = take() == "int";
    do {
      current_->locals.push_back(variable(Variable::kLocal));
      current_->locals.back().whole = whole;
      if (accept("=")) {
        expect("0");
        current_->locals.back().zero = true;
      }
    } while (accept(","));
    finish_line();
  }

  void finish_line() {
    if (!at_end()) fail(fmt::format("`{}` is too much", peek()));
  }

  Step step() {
    Step step;
    if (accept("for")) {
      step.kind = Step::kFor;
      step.name = take();
      expect("=");
      step.target = expression();
      step.down = accept("down");
      expect("to");
      step.second = expression();
      expect("{");
      step.body = block();
      return step;
    }
    if (peek() == "if" || peek() == "while") {
      step.kind = take() == "if" ? Step::kIf : Step::kWhile;
      step.value = expression();
      expect("{");
      step.body = block();
      if (step.kind == Step::kIf && accept("else")) {
        if (peek() == "if") {
          step.otherwise.push_back(this->step());
        } else {
          expect("{");
          step.otherwise = block();
        }
      }
      return step;
    }
    if (accept("sine_cosine")) {
      step.kind = Step::kSineCosine;
      step.target = factor();
      expect(",");
      step.second = factor();
      expect("=");
      step.value = expression();
      step.name = aside_;
    } else if (accept("call")) {
      step.kind = Step::kCall;
      step.value = factor();
    } else if (accept("return")) {
      step.kind = Step::kReturn;
      step.value = expression();
    } else if (accept("break")) {
      step.kind = Step::kBreak;
    } else {
      step.target = factor();
      expect("=");
      step.value = expression();
      step.name = aside_;
    }
    finish_line();
    return step;
  }

  Program& program_;
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0, place_ = 0;
  std::vector<std::string> tokens_;
  std::string note_, aside_, error_;
  Routine* current_ = nullptr;
};

std::string missing_in(const Program& program, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (step.kind == Step::kCall && program.find(step.value.text) == nullptr) return step.value.text;
    for (const std::vector<Step>* inner : {&step.body, &step.otherwise})
      if (std::string name = missing_in(program, *inner); !name.empty()) return name;
  }
  return {};
}

// The names of some routines, and of all routines and tables that these use.
class Reached {
 public:
  explicit Reached(const Program& program) : program_(program) {}
  std::set<std::string> names() && { return std::move(names_); }

  void add(std::string_view name) {
    const Routine* routine = program_.find(name);
    if (routine == nullptr || !names_.insert(routine->name).second) return;
    for (const Step& step : routine->body) look(step);
  }

 private:
  void look(const Term& term) {
    if (term.kind == Term::kCall) add(term.text);
    if (program_.is_table(term.text)) names_.insert(term.text);
    for (const Term& argument : term.arguments) look(argument);
  }
  void look(const Step& step) {
    for (const Term* term : {&step.target, &step.second, &step.value}) look(*term);
    for (const std::vector<Step>* steps : {&step.body, &step.otherwise})
      for (const Step& one : *steps) look(one);
  }

  const Program& program_;
  std::set<std::string> names_;
};

}  // namespace

std::set<std::string> reached_routines(const Program& program, std::span<const std::string_view> wanted) {
  Reached reached(program);
  for (const std::string_view routine : wanted) reached.add(routine);
  return std::move(reached).names();
}

std::string missing_routine(const Program& program) {
  for (const Routine& routine : program.routines)
    if (std::string name = missing_in(program, routine.body); !name.empty()) return name;
  return {};
}

const Routine* Program::find(std::string_view routine) const {
  const auto found = std::ranges::find(routines, routine, &Routine::name);
  return found == routines.end() ? nullptr : &*found;
}

const long* Program::constant(std::string_view name) const {
  for (const auto& [constant, value] : constants)
    if (constant == name) return &value;
  return nullptr;
}

bool Program::is_table(std::string_view name) const {
  return std::ranges::any_of(tables, [&](const auto& table) { return table.first == name; });
}

std::string add_routines(Program& program, std::string_view text) { return Reader(program, text).read(); }

}  // namespace dalembert
