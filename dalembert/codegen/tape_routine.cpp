// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/tape_routine.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "dalembert/compile/kkt_emission.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

constexpr std::array<std::string_view, kTapeArrays> kArrayNames{"t", "p", "u", "q", "v", "vdot", "lambda", "prepared"};

// The shortest decimal that reads back as the same double, with a point or an exponent, which makes it a real number.
std::string literal(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Whether a register is a local variable; without loops every register is one.
bool is_local(const Tape& tape, std::uint32_t r) { return tape.loops.empty() || r < tape.temporaries; }

class TapeWriter {
 public:
  TapeWriter(const Tape& tape, std::string_view array, std::size_t first, const EntryNames& names)
      : tape_(tape), meanings_(tape, names), array_(array), first_(first) {}
  std::string write();

 private:
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += indent_;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  void statement(std::size_t place);
  void explain(std::size_t place, std::size_t before);
  void call(const Instruction& i, const Stride& s);
  bool joins_selection(std::size_t place) const;
  bool is_read_after(std::uint32_t number, std::size_t place) const;
  std::string condition_of(const std::string& truth);
  void choose(const std::string& condition, const std::string& target, const std::string& first,
              const std::string& second);

  std::string index(std::uint32_t first, std::int32_t stride) const;
  std::string r(std::uint32_t number, std::int32_t stride) const {
    return is_local(tape_, number) ? fmt::format("r{}", number) : fmt::format("work[{}]", index(number, stride));
  }
  // A limit of the solve depends on the precision of the program.
  std::string k(std::uint32_t number) const {
    const double value = tape_.constants[number];
    return value == kRowSize ? fmt::format("limit({})", literal(value)) : literal(value);
  }

  const Tape& tape_;
  RegisterMeanings meanings_;
  std::string_view array_;
  std::size_t first_;
  std::string text_;
  std::string_view indent_;
  bool in_loop_ = false;
  std::size_t place_ = 0;  // number of the instruction being written
};

// The text of the index first + j · stride in round j of a loop; a negative stride is subtracted.
std::string TapeWriter::index(std::uint32_t first, std::int32_t stride) const {
  if (!in_loop_ || stride == 0) return fmt::format("{}", first);
  const std::int64_t size = std::abs(static_cast<std::int64_t>(stride));
  std::string moved = size == 1 ? "j" : fmt::format("{} * j", size);
  if (first == 0 && stride > 0) return moved;
  return fmt::format("{} {} {}", first, stride < 0 ? '-' : '+', moved);
}

// Writes target = condition ? first : second; the target may be first or second.
void TapeWriter::choose(const std::string& condition, const std::string& target, const std::string& first,
                        const std::string& second) {
  if (target == first && target == second) return;
  if (target == first)
    print("if not ({}) {{", condition);
  else
    print("if {} {{", condition);
  print("  {} = {}", target, target == first ? second : first);
  if (target != first && target != second) {
    print("}} else {{");
    print("  {} = {}", target, second);
  }
  print("}}");
}

// Whether the instruction at `place` compares for the selection that follows it. The selection then contains the
// comparison, since compilers make one machine instruction of both.
bool TapeWriter::joins_selection(std::size_t place) const {
  if (in_loop_ || place + 1 >= tape_.instructions.size()) return false;
  const Instruction &compare = tape_.instructions[place], &select = tape_.instructions[place + 1];
  return compare.op == TapeOp::kCall && compare.function == Op::kLess && select.op == TapeOp::kCall &&
         select.function == Op::kSelect && compare.dst == select.a && compare.a != compare.dst &&
         compare.b != compare.dst;
}

// Whether the register is read after `place` before it is written again.
bool TapeWriter::is_read_after(std::uint32_t number, std::size_t place) const {
  for (std::size_t k = place + 1; k < tape_.instructions.size(); ++k) {
    bool read = false;
    for_each_read(tape_.instructions[k], [&](std::uint32_t field) { read = read || field == number; });
    if (read) return true;
    const RegisterUse use = register_use(tape_.instructions[k]);
    if ((use.writes_dst && tape_.instructions[k].dst == number) || (use.writes_b && tape_.instructions[k].b == number))
      return false;
  }
  return false;
}

std::string TapeWriter::condition_of(const std::string& truth) {
  if (place_ == 0 || !joins_selection(place_ - 1)) return truth + " != 0.0";
  const Instruction& compare = tape_.instructions[place_ - 1];
  return fmt::format("{} < {}", r(compare.a, 0), r(compare.b, 0));
}

void TapeWriter::call(const Instruction& i, const Stride& s) {
  const std::string dst = r(i.dst, s.dst), a = r(i.a, s.a);
  const int arguments = function_info(i.function).arguments;
  const std::string b = arguments > 1 ? r(i.b, s.b) : "", c = arguments > 2 ? r(i.c, s.c) : "";
  switch (i.function) {
    case Op::kPi:
      return print("{} = 3.141592653589793", dst);
    case Op::kAbs:
      return print("{} = abs({})", dst, a);
    case Op::kSign:
      print("if {} > 0.0 {{", a);
      print("  {} = 1.0", dst);
      print("}} else if {} < 0.0 {{", a);
      print("  {} = -1.0", dst);
      print("}} else if {} == 0.0 {{", a);
      print("  {} = 0.0", dst);
      if (dst != a) {
        print("}} else {{");
        print("  {} = {}", dst, a);
      }
      return print("}}");
    case Op::kMin:
      return choose(fmt::format("{0} < {1} or {0} != {0}", a, b), dst, a, b);
    case Op::kMax:
      return choose(fmt::format("{0} > {1} or {0} != {0}", a, b), dst, a, b);
    case Op::kLess:
      // The comparison needs no statement if the selection overwrites its result, or if nothing else reads it.
      if (joins_selection(place_) && (tape_.instructions[place_ + 1].dst == i.dst || !is_read_after(i.dst, place_ + 1)))
        return;
      return choose(fmt::format("{} < {}", a, b), dst, "1.0", "0.0");
    case Op::kLessEqual:
      return choose(fmt::format("{} <= {}", a, b), dst, "1.0", "0.0");
    case Op::kEqual:
      return choose(fmt::format("{} == {}", a, b), dst, "1.0", "0.0");
    case Op::kAnd:
      return choose(fmt::format("{} != 0.0 and {} != 0.0", a, b), dst, "1.0", "0.0");
    case Op::kOr:
      return choose(fmt::format("{} != 0.0 or {} != 0.0", a, b), dst, "1.0", "0.0");
    case Op::kNot:
      return choose(fmt::format("{} == 0.0", a), dst, "1.0", "0.0");
    case Op::kSelect:
      return choose(condition_of(a), dst, b, c);
    default:
      break;
  }
  const std::string_view name = function_info(i.function).library.name;
  if (name.empty()) return print("{} = nan", dst);
  print("{} = {}({}{}{})", dst, name, a, b.empty() ? "" : ", ", b);
}

void TapeWriter::statement(std::size_t place) {
  place_ = place;
  const Instruction& i = tape_.instructions[place];
  const Stride s = in_loop_ ? tape_.strides[place] : Stride{};
  const auto dst = [&] { return r(i.dst, s.dst); };
  const auto a = [&] { return r(i.a, s.a); };
  const auto b = [&] { return r(i.b, s.b); };
  const auto c = [&] { return r(i.c, s.c); };
  switch (i.op) {
    case TapeOp::kConstant:
      return print("{} = {}", dst(), k(i.a));
    case TapeOp::kArgument:
      if (i.a == static_cast<std::uint32_t>(TapeArray::kTime)) return print("{} = t", dst());
      return print("{} = {}[{}]", dst(), kArrayNames[i.a], index(i.b, s.b));
    case TapeOp::kOutput:
      return print("{}[{}] = {}", array_, index(static_cast<std::uint32_t>(first_) + i.dst, s.dst), a());
    case TapeOp::kAdd:
      return print("{} = {} + {}", dst(), a(), b());
    case TapeOp::kSubtract:
      return print("{} = {} - {}", dst(), a(), b());
    case TapeOp::kMultiply:
      return print("{} = {} * {}", dst(), a(), b());
    case TapeOp::kDivide:
      return print("{} = {} / {}", dst(), a(), b());
    case TapeOp::kNegate:
      return print("{} = -{}", dst(), a());
    case TapeOp::kSquare:
      return print("{0} = {1} * {1}", dst(), a());
    case TapeOp::kSquareRoot:
      return print("{} = sqrt({})", dst(), a());
    case TapeOp::kAddConstant:
      return print("{} = {} + {}", dst(), a(), k(i.b));
    case TapeOp::kSubtractFrom:
      return print("{} = {} - {}", dst(), k(i.b), a());
    case TapeOp::kScale:
      return print("{} = {} * {}", dst(), k(i.b), a());
    case TapeOp::kDivideInto:
      return print("{} = {} / {}", dst(), k(i.b), a());
    case TapeOp::kMultiplyAdd:
      return print("{} = {} * {} + {}", dst(), a(), b(), c());
    case TapeOp::kMultiplySubtract:
      return print("{} = {} * {} - {}", dst(), a(), b(), c());
    case TapeOp::kSubtractProduct:
      return print("{} = {} - {} * {}", dst(), c(), a(), b());
    case TapeOp::kScaleAdd:
      return print("{} = {} * {} + {}", dst(), k(i.b), a(), c());
    case TapeOp::kScaleSubtract:
      return print("{} = {} * {} - {}", dst(), k(i.b), a(), c());
    case TapeOp::kSinCos:
      return print("sine_cosine {}, {} = {}", dst(), b(), a());
    case TapeOp::kCall:
      return call(i, s);
  }
}

// Writes what the statement computes beside it, if it is one line; `before` is the size of the text without it.
void TapeWriter::explain(std::size_t place, std::size_t before) {
  const std::string meaning = meanings_.follow(place);
  if (meaning.empty() || tape_.instructions[place].op == TapeOp::kConstant) return;
  if (text_.find('\n', before) + 1 == text_.size()) text_.insert(text_.size() - 1, "  # " + meaning);
}

std::string TapeWriter::write() {
  std::size_t place = 0;
  const auto until = [&](std::size_t end) {
    for (; place < end; ++place) {
      const std::size_t before = text_.size();
      statement(place);
      explain(place, before);
    }
  };
  for (const Loop& loop : tape_.loops) {
    until(loop.begin);
    print("for j = 0 to {} {{", loop.rounds);
    in_loop_ = true;
    indent_ = "  ";
    until(loop.end);
    in_loop_ = false;
    indent_ = "";
    print("}}");
  }
  until(tape_.instructions.size());
  return std::move(text_);
}

}  // namespace

std::string tape_statements(const Tape& tape, std::string_view array, std::size_t first, const EntryNames& names) {
  return TapeWriter(tape, array, first, names).write();
}

std::string tape_locals(const Tape& tape) {
  std::vector<bool> written(tape.registers);
  for (const Instruction& i : tape.instructions) {
    const RegisterUse use = register_use(i);
    if (use.writes_dst) written[i.dst] = true;
    if (use.writes_b) written[i.b] = true;
  }
  std::string text;
  for (std::uint32_t number = 0; number < written.size(); ++number)
    if (written[number] && is_local(tape, number)) text += fmt::format("real r{}\n", number);
  if (!tape.loops.empty()) text += fmt::format("real work[{}]\n", tape.registers);
  return text;
}

std::string tape_routine(const Tape& tape, std::string_view name, std::string_view parameters, std::string_view comment,
                         const EntryNames& names) {
  return fmt::format("# {}\nroutine {}({}{}out out[{}]) {{\n{}{}}}\n", comment, name, parameters,
                     parameters.empty() ? "" : ", ", tape.outputs, tape_locals(tape),
                     tape_statements(tape, "out", 0, names));
}

}  // namespace dalembert
