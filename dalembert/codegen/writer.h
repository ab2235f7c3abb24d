// SPDX-License-Identifier: Apache-2.0
// Writes routines in the syntax of a language: Writer does what all languages share, and each language overrides the
// rest.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dalembert/codegen/program.h"

namespace dalembert {

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// The routine as text that ends with a new line.
  std::string write(const Routine& routine);
  /// Whether a routine that was written calls the function.
  bool calls(const std::string& function) const { return called_.contains(function); }

 protected:
  const Program& program() const { return program_; }
  const Routine& routine() const { return *routine_; }
  /// The parameter or local of that name; null if there is none. Looked up in a map, since routines of tapes have
  /// thousands of locals.
  const Variable* variable(std::string_view name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : found->second;
  }
  bool uses(const std::string& variable) const { return used_.contains(variable); }
  void mark_used(const std::string& variable) { used_.insert(variable); }
  bool is_loop_variable(const std::string& name) const { return loop_variables_.contains(name); }

  std::string term(const Term& term, int level = 0);
  std::string arguments(const std::vector<Term>& terms);
  void line(const std::string& text);

  // --- the syntax of a language

  /// The text before the body, such as declarations, and the text after it. Called once the body has been written.
  virtual std::string head() = 0;
  virtual std::string foot() = 0;
  virtual std::string comment(const std::string& text) = 0;
  /// The text for the name of a variable, a constant or an array of the state.
  virtual std::string name(const std::string& name) = 0;
  virtual std::string number(const std::string& text) { return text; }
  virtual std::string entry(const std::string& array, const Term& index);
  virtual std::string function(const std::string& name, const std::vector<Term>& arguments) = 0;
  virtual std::string quotient(const Term& term, int level);
  /// A whole number as a real one, where programs of single precision must say so: compilers warn of the digits it may lose.
  virtual std::string real_of(const std::string& whole) { return whole; }
  virtual std::string sign(const std::string& sign) { return sign; }
  virtual std::string negation(const std::string& inside) { return "!" + inside; }
  /// A call of a routine; `target` (may be empty) receives the returned value.
  virtual std::string routine_call(const Routine& routine, const Term& call, const std::string& target) = 0;
  virtual std::string returned(const std::string& value) { return "return " + value; }
  virtual void sine_cosine(const Term& sine, const Term& cosine, const Term& angle) = 0;
  virtual std::string for_head(const Step& step) = 0;
  virtual std::string if_head(const std::string& condition) { return "if (" + condition + ") {"; }
  virtual std::string while_head(const std::string& condition) { return "while (" + condition + ") {"; }
  virtual std::string else_line() { return "} else {"; }
  virtual std::string end_line() { return "}"; }  ///< empty: blocks have no last line
  virtual std::string nothing() { return {}; }    ///< a statement without effect, if a block must not be empty
  virtual std::string end_of_statement() { return ";"; }

 private:
  void steps(const std::vector<Step>& steps);
  void step(const Step& step);
  std::string binary(const Term& term, int level);
  enum class Type { kEither, kWhole, kReal };
  Type type_of(const Term& term) const;
  std::string operand(const Term& term, const Term& other, int level);

  const Program& program_;
  const Routine* routine_ = nullptr;
  std::unordered_map<std::string_view, const Variable*> variables_;  // parameters and locals of the routine
  std::set<std::string> used_, loop_variables_, called_;
  std::string body_, aside_;  // aside_: a comment for the next line
  int depth_ = 0;
};

/// The text in capital letters: "NV" of "nv".
std::string upper_case(std::string text);

/// The items with commas between them, in lines of at most `width` characters.
std::string in_lines(const std::vector<std::string>& items, const std::string& indent, std::size_t width = 110);

}  // namespace dalembert
