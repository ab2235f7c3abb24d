// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/c_source.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

constexpr std::array<std::string_view, kTapeArrays> kArrayNames{"t", "p", "u", "q", "v", "a", "lambda", "prepared"};

// The shortest decimal that reads back as the same double, with something that makes it one.
std::string literal(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Writer {
 public:
  Writer(const Tape& tape, std::string_view name) : tape_(tape), name_(name) {}
  std::string write();

 private:
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  void declare();
  void statement(std::size_t place);
  std::string call(const Instruction& i, const Stride& s) const;

  // Without loops every register is a local variable.
  bool is_local(std::uint32_t r) const { return tape_.loops.empty() || r < tape_.temporaries; }
  std::string index(std::uint32_t first, std::int32_t stride) const;
  std::string r(std::uint32_t number, std::int32_t stride) const;
  std::string k(std::uint32_t number) const { return literal(tape_.constants[number]); }

  const Tape& tape_;
  std::string_view name_;
  std::string text_;
  std::string_view indent_ = "  ";
  bool in_loop_ = false;
};

// An index that moves with the round j. Strides wrap around like the fields they move.
std::string Writer::index(std::uint32_t first, std::int32_t stride) const {
  if (!in_loop_ || stride == 0) return fmt::format("{}", first);
  const std::int64_t size = std::abs(static_cast<std::int64_t>(stride));
  std::string moved = size == 1 ? "j" : fmt::format("{} * j", size);
  if (first == 0 && stride > 0) return moved;
  return fmt::format("{} {} {}", first, stride < 0 ? '-' : '+', moved);
}

std::string Writer::r(std::uint32_t number, std::int32_t stride) const {
  return is_local(number) ? fmt::format("r{}", number) : fmt::format("work[{}]", index(number, stride));
}

// The arrays that are read, and a local variable for each register that is written and no memory.
void Writer::declare() {
  std::array<bool, kTapeArrays> arrays{};
  std::vector<bool> written(tape_.registers);
  for (const Instruction& i : tape_.instructions) {
    if (i.op == TapeOp::kArgument) arrays[i.a] = true;
    const RegisterUse use = register_use(i);
    if (use.writes_dst) written[i.dst] = true;
    if (use.writes_b) written[i.b] = true;
  }
  for (std::size_t array = 0; array < kTapeArrays; ++array)
    if (arrays[array]) print("  const double* const {} = arguments[{}];\n", kArrayNames[array], array);
  std::size_t count = 0;
  for (std::uint32_t number = 0; number < written.size(); ++number) {
    if (!written[number] || !is_local(number)) continue;
    print("{}r{}", count % 16 == 0 ? count == 0 ? "  double " : ";\n  double " : ", ", number);
    ++count;
  }
  if (count > 0) text_ += ";\n";
  text_ += "  (void)arguments, (void)work, (void)out;\n";
}

std::string Writer::call(const Instruction& i, const Stride& s) const {
  const FunctionInfo& function = function_info(i.function);
  if (function.c.empty()) return "NAN";
  return fmt::format(fmt::runtime(function.c), r(i.a, s.a), function.arguments > 1 ? r(i.b, s.b) : "",
                     function.arguments > 2 ? r(i.c, s.c) : "");
}

void Writer::statement(std::size_t place) {
  const Instruction& i = tape_.instructions[place];
  const Stride s = in_loop_ ? tape_.strides[place] : Stride{};
  const auto dst = [&] { return r(i.dst, s.dst); };
  const auto a = [&] { return r(i.a, s.a); };
  const auto b = [&] { return r(i.b, s.b); };
  const auto c = [&] { return r(i.c, s.c); };
  text_ += indent_;
  switch (i.op) {
    case TapeOp::kConstant:
      return print("{} = {};\n", dst(), k(i.a));
    case TapeOp::kArgument:
      return print("{} = {}[{}];\n", dst(), kArrayNames[i.a], index(i.b, s.b));
    case TapeOp::kOutput:
      return print("out[{}] = {};\n", index(i.dst, s.dst), a());
    case TapeOp::kAdd:
      return print("{} = {} + {};\n", dst(), a(), b());
    case TapeOp::kSubtract:
      return print("{} = {} - {};\n", dst(), a(), b());
    case TapeOp::kMultiply:
      return print("{} = {} * {};\n", dst(), a(), b());
    case TapeOp::kDivide:
      return print("{} = {} / {};\n", dst(), a(), b());
    case TapeOp::kNegate:
      return print("{} = -{};\n", dst(), a());
    case TapeOp::kSquare:
      return print("{0} = {1} * {1};\n", dst(), a());
    case TapeOp::kSquareRoot:
      return print("{} = sqrt({});\n", dst(), a());
    case TapeOp::kAddConstant:
      return print("{} = {} + {};\n", dst(), a(), k(i.b));
    case TapeOp::kSubtractFrom:
      return print("{} = {} - {};\n", dst(), k(i.b), a());
    case TapeOp::kScale:
      return print("{} = {} * {};\n", dst(), k(i.b), a());
    case TapeOp::kDivideInto:
      return print("{} = {} / {};\n", dst(), k(i.b), a());
    case TapeOp::kMultiplyAdd:
      return print("{} = {} * {} + {};\n", dst(), a(), b(), c());
    case TapeOp::kMultiplySubtract:
      return print("{} = {} * {} - {};\n", dst(), a(), b(), c());
    case TapeOp::kSubtractProduct:
      return print("{} = {} - {} * {};\n", dst(), c(), a(), b());
    case TapeOp::kScaleAdd:
      return print("{} = {} * {} + {};\n", dst(), k(i.b), a(), c());
    case TapeOp::kScaleSubtract:
      return print("{} = {} * {} - {};\n", dst(), k(i.b), a(), c());
    case TapeOp::kSinCos:
      // Either result may take the place of the angle.
      return print("{{ const double x = {}; {} = sin(x); {} = cos(x); }}\n", a(), dst(), b());
    case TapeOp::kCall:
      return print("{} = {};\n", dst(), call(i, s));
  }
}

std::string Writer::write() {
  print(
      "#include <math.h>\n\nvoid {}(const double* const* arguments, double* restrict work, double* restrict out) {{\n",
      name_);
  declare();
  std::size_t place = 0;
  const auto until = [&](std::size_t end) {
    for (; place < end; ++place) statement(place);
  };
  for (const Loop& loop : tape_.loops) {
    until(loop.begin);
    print("  for (long j = 0; j < {}; ++j) {{\n", loop.rounds);
    in_loop_ = true;
    indent_ = "    ";
    until(loop.end);
    in_loop_ = false;
    indent_ = "  ";
    text_ += "  }\n";
  }
  until(tape_.instructions.size());
  text_ += "}\n";
  return std::move(text_);
}

}  // namespace

std::string c_source(const Tape& tape, std::string_view function_name) { return Writer(tape, function_name).write(); }

}  // namespace dalembert
