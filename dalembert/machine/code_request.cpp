// SPDX-License-Identifier: Apache-2.0
#include "dalembert/machine/code_request.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "dalembert/expr/functions.h"
#include "dalembert/machine/math_symbols.h"

namespace dalembert {
namespace {

class Bytes {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) { append(&number, sizeof number); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  template <class Number>
  void add(const std::vector<Number>& numbers) {
    static_assert(std::is_trivially_copyable_v<Number> && std::has_unique_object_representations_v<Number>);
    add(std::uint64_t{numbers.size()});
    append(numbers.data(), numbers.size() * sizeof(Number));
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::vector<std::byte> bytes_;
};

// Gives numbers to the names that are used, in the order of first use. The list of names is written first, so that the
// bytes do not depend on the numbers of the enumerators.
class NameTable {
 public:
  std::uint16_t number(TapeOp op) { return number(tape_ops_[static_cast<std::uint8_t>(op)], name_of(op)); }
  std::uint16_t number(Op op) { return number(ops_[static_cast<std::uint8_t>(op)], name_of(op)); }
  void write(Bytes& bytes) const {
    bytes.add(std::uint64_t{names_.size()});
    for (const std::string_view name : names_) bytes.add(name);
  }

 private:
  std::uint16_t number(std::uint16_t& known, std::string_view name) {
    if (known == 0) {
      names_.push_back(name);
      known = static_cast<std::uint16_t>(names_.size());
    }
    return known;
  }
  std::array<std::uint16_t, 256> tape_ops_{},
      ops_{};  // by operation: its number, counted from 1 in order of first use; 0: not used yet
  std::vector<std::string_view> names_;
};

struct PackedInstruction {
  std::uint16_t op, function;
  std::uint32_t dst, a, b, c;
};
static_assert(sizeof(PackedInstruction) == 20);

std::string_view name_of(TapeArray array) {
  switch (array) {
    case TapeArray::kTime:
      return "time";
    case TapeArray::kParameter:
      return "parameter";
    case TapeArray::kInput:
      return "input";
    case TapeArray::kCoordinate:
      return "coordinate";
    case TapeArray::kVelocity:
      return "velocity";
    case TapeArray::kAcceleration:
      return "acceleration";
    case TapeArray::kMultiplier:
      return "multiplier";
    case TapeArray::kPrepared:
      return "prepared";
  }
  return {};
}

std::string_view name_of(VectorUnit unit) {
  switch (unit) {
    case VectorUnit::kSse2:
      return "sse2";
    case VectorUnit::kAvx2:
      return "avx2";
    case VectorUnit::kAvx512:
      return "avx512";
  }
  return {};
}

void add(Bytes& bytes, const Tape* tape) {
  if (tape == nullptr) return bytes.add("no tape");
  bytes.add("tape");
  NameTable names;
  std::vector<PackedInstruction> instructions;
  instructions.reserve(tape->instructions.size());
  for (const Instruction& i : tape->instructions) {
    const std::uint16_t function = i.op == TapeOp::kCall ? names.number(i.function) : std::uint16_t{0};
    instructions.push_back({names.number(i.op), function, i.dst, i.a, i.b, i.c});
  }
  names.write(bytes);
  bytes.add(instructions);
  // Constants are written by their bits: 0 and -0 differ.
  bytes.add(std::uint64_t{tape->constants.size()});
  for (const double constant : tape->constants) bytes.add(constant);
  for (const std::size_t number : {tape->registers, tape->outputs, tape->temporaries}) bytes.add(std::uint64_t{number});
  bytes.add(tape->loops);
  if (!tape->loops.empty()) bytes.add(tape->strides);
}

bool calls_functions(const Tape* tape) {
  return tape != nullptr && std::ranges::any_of(tape->instructions, [](const Instruction& i) {
           return i.op == TapeOp::kCall && function_info(i.function).library.vectors;
         });
}

std::size_t size_of(const Tape* tape) {
  if (tape == nullptr) return 16;
  return 1024 + tape->instructions.size() * sizeof(PackedInstruction) + tape->constants.size() * sizeof(double) +
         tape->strides.size() * sizeof(Stride) + tape->loops.size() * sizeof(Loop);
}

}  // namespace

std::string_view name_of(TapeOp op) {
  switch (op) {
    case TapeOp::kConstant:
      return "tape constant";
    case TapeOp::kArgument:
      return "tape argument";
    case TapeOp::kOutput:
      return "tape output";
    case TapeOp::kAdd:
      return "tape a + b";
    case TapeOp::kSubtract:
      return "tape a - b";
    case TapeOp::kMultiply:
      return "tape a * b";
    case TapeOp::kDivide:
      return "tape a / b";
    case TapeOp::kNegate:
      return "tape -a";
    case TapeOp::kSquare:
      return "tape a^2";
    case TapeOp::kSquareRoot:
      return "tape sqrt(a)";
    case TapeOp::kAddConstant:
      return "tape a + kb";
    case TapeOp::kSubtractFrom:
      return "tape kb - a";
    case TapeOp::kScale:
      return "tape kb * a";
    case TapeOp::kDivideInto:
      return "tape kb / a";
    case TapeOp::kMultiplyAdd:
      return "tape a * b + c";
    case TapeOp::kMultiplySubtract:
      return "tape a * b - c";
    case TapeOp::kSubtractProduct:
      return "tape c - a * b";
    case TapeOp::kScaleAdd:
      return "tape kb * a + c";
    case TapeOp::kScaleSubtract:
      return "tape kb * a - c";
    case TapeOp::kSinCos:
      return "tape sin a, cos a";
    case TapeOp::kCall:
      return "tape call";
  }
  return {};
}

std::string_view name_of(Op op) {
  const auto row = static_cast<std::size_t>(op);
  return row < functions().size() && functions()[row].op == op ? functions()[row].name : std::string_view{};
}

std::string_view name_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::kTape:
      return "run";
    case CodeKind::kSolve:
      return "solve";
    case CodeKind::kRungeKutta4:
      return "classical Runge-Kutta steps";
  }
  return {};
}

std::vector<std::byte> describe_request(std::span<const CodeFunction> functions, const CodeOptions& options,
                                        std::string_view llvm_headers) {
  Bytes bytes;
  std::size_t size = 1024;
  for (const CodeFunction& function : functions) size += size_of(function.tape) + size_of(function.inputs);
  bytes.reserve(size);

  // The maker of the code, and the processor.
  bytes.add(back_end_sources());
  bytes.add(llvm_headers);
  const char* const folders = std::getenv("LD_LIBRARY_PATH");
  bytes.add(std::string_view(folders != nullptr ? folders : ""));
  bytes.add(host_fingerprint());
  bytes.add(name_of(std::min(options.widest, host_vector_unit())));
  bytes.add(options.effort == CodeEffort::kThorough ? "thorough" : "quick");
  bytes.add(std::uint64_t{options.part});
  // Instructions name argument arrays by number: the names of these arrays, in the order of their numbers.
  for (std::size_t i = 0; i < kTapeArrays; ++i) bytes.add(name_of(static_cast<TapeArray>(i)));

  // The functions and their tapes.
  bytes.add(std::uint64_t{functions.size()});
  bool vector_functions = false;
  for (const CodeFunction& function : functions) {
    bytes.add(name_of(function.kind));
    bytes.add(std::int64_t{function.lanes});
    bytes.add(function.apart ? "lanes apart" : "lanes of one system");
    bytes.add(std::int64_t{function.coordinates});
    add(bytes, function.tape);
    add(bytes, function.inputs);
    vector_functions |= function.lanes > 1 && (calls_functions(function.tape) || calls_functions(function.inputs));
  }
  // Checked only if it matters, because checking loads SLEEF.
  bytes.add(vector_functions && options.use_sleef && sleef_available() ? "sleef" : "no sleef");
  return bytes.take();
}

}  // namespace dalembert
