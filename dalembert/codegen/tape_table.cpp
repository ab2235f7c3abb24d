// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/tape_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "dalembert/codegen/language.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

constexpr std::size_t kLineOfTable = 110;

// Functions that the tapes call, in the order of operations: the rows of function i begin with kCall + i.
std::vector<Op> functions_of(std::span<const TabledTape> all) {
  std::vector<Op> functions;
  for (const TabledTape& one : all)
    for (const Instruction& i : one.tape.instructions)
      if (i.op == TapeOp::kCall && std::ranges::find(functions, i.function) == functions.end())
        functions.push_back(i.function);
  std::ranges::sort(functions);
  return functions;
}

// The fields of an instruction that its row in the table has, dst first.
std::vector<std::uint32_t> fields(const Instruction& i) {
  switch (i.op) {
    case TapeOp::kConstant:
    case TapeOp::kOutput:
    case TapeOp::kNegate:
    case TapeOp::kSquare:
    case TapeOp::kSquareRoot:
      return {i.dst, i.a};
    case TapeOp::kMultiplyAdd:
    case TapeOp::kMultiplySubtract:
    case TapeOp::kSubtractProduct:
    case TapeOp::kScaleAdd:
    case TapeOp::kScaleSubtract:
      return {i.dst, i.a, i.b, i.c};
    case TapeOp::kCall: {
      std::vector<std::uint32_t> all{i.dst, i.a, i.b, i.c};
      all.resize(1 + static_cast<std::size_t>(arity(i.function)));
      return all;
    }
    default:
      return {i.dst, i.a, i.b};
  }
}

// The statement in C that a row of each operation runs, with the fields d, a, b, c.
constexpr std::array<std::pair<TapeOp, std::string_view>, 20> kStatements{{
    {TapeOp::kConstant, "r[d] = k[a]"},
    {TapeOp::kArgument, "r[d] = from[a][b]"},
    {TapeOp::kOutput, "out[d] = r[a]"},
    {TapeOp::kAdd, "r[d] = r[a] + r[b]"},
    {TapeOp::kSubtract, "r[d] = r[a] - r[b]"},
    {TapeOp::kMultiply, "r[d] = r[a] * r[b]"},
    {TapeOp::kDivide, "r[d] = r[a] / r[b]"},
    {TapeOp::kNegate, "r[d] = -r[a]"},
    {TapeOp::kSquare, "r[d] = r[a] * r[a]"},
    {TapeOp::kSquareRoot, "r[d] = sqrt(r[a])"},
    {TapeOp::kAddConstant, "r[d] = r[a] + k[b]"},
    {TapeOp::kSubtractFrom, "r[d] = k[b] - r[a]"},
    {TapeOp::kScale, "r[d] = k[b] * r[a]"},
    {TapeOp::kDivideInto, "r[d] = k[b] / r[a]"},
    {TapeOp::kMultiplyAdd, "r[d] = r[a] * r[b] + r[c]"},
    {TapeOp::kMultiplySubtract, "r[d] = r[a] * r[b] - r[c]"},
    {TapeOp::kSubtractProduct, "r[d] = r[c] - r[a] * r[b]"},
    {TapeOp::kScaleAdd, "r[d] = k[b] * r[a] + r[c]"},
    {TapeOp::kScaleSubtract, "r[d] = k[b] * r[a] - r[c]"},
    {TapeOp::kSinCos, "SINE_COSINE(r[a], &r[d], &r[b])"},
}};

std::string call_of(Op function, CWriter& writer) {
  switch (function) {
    case Op::kPi:
      return "3.141592653589793";
    case Op::kSign:
      return "r[a] > 0.0 ? 1.0 : r[a] < 0.0 ? -1.0 : r[a] == 0.0 ? 0.0 : r[a]";
    case Op::kMin:
      return "r[a] < r[b] || r[a] != r[a] ? r[a] : r[b]";
    case Op::kMax:
      return "r[a] > r[b] || r[a] != r[a] ? r[a] : r[b]";
    case Op::kLess:
      return "r[a] < r[b] ? 1.0 : 0.0";
    case Op::kLessEqual:
      return "r[a] <= r[b] ? 1.0 : 0.0";
    case Op::kEqual:
      return "r[a] == r[b] ? 1.0 : 0.0";
    case Op::kAnd:
      return "r[a] != 0.0 && r[b] != 0.0 ? 1.0 : 0.0";
    case Op::kOr:
      return "r[a] != 0.0 || r[b] != 0.0 ? 1.0 : 0.0";
    case Op::kNot:
      return "r[a] == 0.0 ? 1.0 : 0.0";
    case Op::kSelect:
      return "r[a] != 0.0 ? r[b] : r[c]";
    default:
      break;
  }
  const std::string_view name = function == Op::kAbs ? "abs" : function_info(function).library.name;
  if (name.empty()) return "NAN";
  return fmt::format("{}(r[a]{})", writer.function_name(std::string(name)), arity(function) > 1 ? ", r[b]" : "");
}

// The statement with d, a, b, c replaced by the entries of a row.
std::string of_row(std::string_view statement) {
  std::string text;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const bool field = i > 0 && statement[i - 1] == '[' && i + 1 < statement.size() && statement[i + 1] == ']';
    const std::size_t which = std::string_view("dabc").find(statement[i]);
    if (field && which != std::string_view::npos)
      text += fmt::format("row[{}]", which + 1);
    else
      text += statement[i];
  }
  return text;
}

// Writes numbers as lines of text, fast because there are many.
class NumberLines {
 public:
  template <class Number>
  void add(Number number) {
    const std::size_t before = text_.size();
    fmt::format_to(std::back_inserter(text_), "{},", number);
    line_ += text_.size() - before;
    ++count_;
    if (line_ < kLineOfTable) return;
    text_ += '\n';
    line_ = 0;
  }
  std::size_t count() const { return count_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t line_ = 0, count_ = 0;
};

}  // namespace

TableText tabled_routine(const TabledTape& tabled, std::span<const TabledTape> all, const Routine& routine,
                         CWriter& writer) {
  const Tape& tape = tabled.tape;
  const std::vector<Op> functions = functions_of(all);
  NumberLines rows, numbers;
  for (const Instruction& i : tape.instructions) {
    const auto op = static_cast<std::ptrdiff_t>(i.op);
    rows.add(i.op == TapeOp::kCall ? op + (std::ranges::find(functions, i.function) - functions.begin()) : op);
    for (const std::uint32_t field : fields(i)) rows.add(field);
  }
  for (const double constant : tape.constants) numbers.add(number_literal(constant));
  if (tape.constants.empty()) numbers.add("0.0");
  writer.need_work(tape.registers);

  TableText made;
  for (const std::string& line : routine.comment) made.text += "// " + line + "\n";
  made.text += fmt::format("// For each instruction its operation ({}), its result and its operands.\nstatic {} {{\n",
                           writer.routine_name("run"), writer.declaration(routine));
  const std::size_t rows_count = rows.count(), numbers_count = numbers.count();
  const std::string table = rows.take(), constants = numbers.take();
  made.tables = table.size() + constants.size();
  made.text += fmt::format("  static const unsigned rows[{}] = {{\n{}}};\n", rows_count, table);
  made.text += fmt::format("  static const double numbers[{}] = {{\n{}}};\n", numbers_count, constants);
  made.text += fmt::format("  const double* from[{}] = {{0}};\n", kTapeArrays);
  const auto given = [&](TapeArray array, std::string_view where) {
    made.text += fmt::format("  from[{}] = {};\n", static_cast<std::uint32_t>(array), where);
  };
  given(TapeArray::kParameter, "s->p");
  given(TapeArray::kPrepared, "s->prepared");
  constexpr std::array<std::pair<std::string_view, TapeArray>, 6> kArrays{{{"t", TapeArray::kTime},
                                                                           {"u", TapeArray::kInput},
                                                                           {"q", TapeArray::kCoordinate},
                                                                           {"v", TapeArray::kVelocity},
                                                                           {"vdot", TapeArray::kAcceleration},
                                                                           {"lambda", TapeArray::kMultiplier}}};
  for (const Variable& parameter : routine.parameters)
    for (const auto& [name, array] : kArrays)
      if (parameter.name == name) given(array, parameter.array ? std::string(name) : "&" + std::string(name));
  // Volatile, so that gcc 12 does not look for the ends of strings in a table, for which it takes 1 GB of memory.
  made.text += fmt::format(
      "  const unsigned* volatile first = rows;\n  const unsigned* row = first;\n"
      "  {}(row, row + {}, numbers, from, s->work, out);\n}}\n",
      writer.routine_name("run"), rows_count);
  return made;
}

std::string row_runner(std::span<const TabledTape> all, CWriter& writer) {
  std::string cases;
  const auto add = [&](std::size_t number, const std::string& statement, std::size_t length) {
    cases +=
        fmt::format("    case {}:\n      {};\n      row += {};\n      break;\n", number, of_row(statement), length);
  };
  const bool takes_sines = std::ranges::any_of(all, [](const TabledTape& one) {
    return std::ranges::count(one.tape.instructions, TapeOp::kSinCos, &Instruction::op) > 0;
  });
  for (const auto& [op, statement] : kStatements) {
    std::string text(statement);
    if (op == TapeOp::kSinCos) {
      if (!takes_sines) continue;
      text.replace(0, text.find('('), writer.sine_cosine_name());
    }
    add(static_cast<std::size_t>(op), text, 1 + fields({.op = op}).size());
  }
  const std::vector<Op> functions = functions_of(all);
  for (std::size_t i = 0; i < functions.size(); ++i)
    add(static_cast<std::size_t>(TapeOp::kCall) + i, "r[d] = " + call_of(functions[i], writer),
        2 + static_cast<std::size_t>(arity(functions[i])));
  return fmt::format(
      "\n// Executes the rows of a table, with registers r, constants k and the arrays `from` that they read.\nstatic "
      "void {}(const "
      "unsigned* "
      "row, const unsigned* end, const double* k, const double* const* from, double* r, double* out) {{\n"
      "  while (row != end) {{\n    switch (*row) {{\n{}    default:\n      return;\n    }}\n  }}\n}}\n",
      writer.routine_name("run"), cases);
}

}  // namespace dalembert
