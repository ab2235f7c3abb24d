// SPDX-License-Identifier: Apache-2.0
// Programs in C, and in C++.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/writer.h"

namespace dalembert {

/// The type of real numbers of the program in C.
inline std::string_view real_type(const Program& program) { return program.single ? "float" : "double"; }
/// A number as a literal of that type.
std::string c_literal(const Program& program, double value);
/// Lines of such literals with commas between.
std::string c_literals(const Program& program, const std::vector<double>& values, const std::string& indent);
/// A text of C or C++ that stands for double precision, with the types, functions and numbers of the program's precision.
std::string in_precision(const Program& program, std::string_view text);

/// C99 that is C++ as well. The state is `PREFIX_system* s`; large local arrays become members of it.
class CWriter final : public Writer {
 public:
  CWriter(const Program& program, std::string prefix) : Writer(program), prefix_(std::move(prefix)) {}

  /// The declaration of a routine: "int slider_crank_step(slider_crank_system* s, double t, …)".
  std::string declaration(const Routine& routine) const;
  std::string routine_name(const std::string& routine) const { return prefix_ + "_" + routine; }
  std::string constant_name(const std::string& constant) const;
  /// Arrays that the state must hold, and their sizes, for the routines written so far.
  struct Member {
    std::size_t size = 0;
    bool whole = false;
  };
  const std::map<std::string, Member>& members() const { return members_; }
  /// The function that C code calls for `name`, a function of <math.h> or abs.
  std::string function_name(const std::string& name);
  std::string sine_cosine_name() {
    uses_sine_cosine_ = true;
    return prefix_ + "_sine_cosine";
  }
  /// Makes the scratch memory of the state, `s->work`, at least this large.
  void need_work(std::size_t size) { members_["work"].size = std::max(members_["work"].size, size); }
  bool uses_sine_cosine() const { return uses_sine_cosine_; }
  bool uses_sine() const { return uses_sine_; }
  bool uses_cosine() const { return uses_cosine_; }

 private:
  std::string head() override;
  std::string foot() override { return "}\n"; }
  std::string comment(const std::string& text) override { return "// " + text; }
  std::string name(const std::string& name) override;
  std::string number(const std::string& text) override;
  std::string function(const std::string& name, const std::vector<Term>& arguments) override;
  std::string real_of(const std::string& whole) override { return "(float)(" + whole + ")"; }
  std::string sign(const std::string& sign) override;
  std::string routine_call(const Routine& routine, const Term& call, const std::string& target) override;
  void sine_cosine(const Term& sine, const Term& cosine, const Term& angle) override;
  std::string for_head(const Step& step) override;
  static bool is_member(const Variable& variable);
  std::string member_name(const std::string& variable) const;

  std::string prefix_;
  std::map<std::string, Member> members_;
  bool uses_sine_cosine_ = false, uses_sine_ = false, uses_cosine_ = false;
};

}  // namespace dalembert
