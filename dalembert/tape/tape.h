// SPDX-License-Identifier: Apache-2.0
// Expressions as a list of elementary instructions: the one form that the interpreter runs and that code is generated
// from.
//
// An instruction {op, dst, a, b, c} reads registers and constants by number and writes register dst. Registers are used
// again as soon as their value is not needed any more, so dst may equal an operand: operands are read before anything
// is written. Every value is computed once for all outputs (common subexpressions shared, nothing dead), an output is
// written as soon as it is known. Nothing is reassociated; a·b + c is rounded twice (never an fma), so results are the
// same bits on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// The arrays that a tape reads: those of symbols, and what parameters alone determine.
enum class TapeArray : std::uint32_t {
  kTime,
  kParameter,
  kInput,
  kCoordinate,
  kVelocity,
  kAcceleration,
  kMultiplier,
  kPrepared,  ///< the outputs of a tape that was run once for the parameter values (Kernel::prepare)
};
inline constexpr std::size_t kTapeArrays = 8;
/// Where the value of a symbol is; nowhere for kShorthand, which stands for nothing.
constexpr TapeArray array_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kTime:
      return TapeArray::kTime;
    case SymbolKind::kParameter:
      return TapeArray::kParameter;
    case SymbolKind::kInput:
      return TapeArray::kInput;
    case SymbolKind::kCoordinate:
      return TapeArray::kCoordinate;
    case SymbolKind::kVelocity:
    case SymbolKind::kQuasiVelocity:
      return TapeArray::kVelocity;
    case SymbolKind::kAcceleration:
    case SymbolKind::kQuasiAcceleration:
      return TapeArray::kAcceleration;
    case SymbolKind::kMultiplier:
      return TapeArray::kMultiplier;
    case SymbolKind::kShorthand:
      break;
  }
  return TapeArray::kTime;
}
/// Whether all lanes share the array; of the others, entry i of lane l is at [i · lanes + l].
constexpr bool shared_by_lanes(TapeArray array) {
  return array == TapeArray::kParameter || array == TapeArray::kPrepared;
}

/// r: registers, k: constants.
enum class TapeOp : std::uint8_t {
  kConstant,          // r[dst] = k[a]
  kArgument,          // r[dst] = entry b of argument array a (TapeArray)
  kOutput,            // out[dst] = r[a]
  kAdd,               // r[dst] = r[a] + r[b]
  kSubtract,          // r[dst] = r[a] − r[b]
  kMultiply,          // r[dst] = r[a] · r[b]
  kDivide,            // r[dst] = r[a] / r[b]
  kNegate,            // r[dst] = −r[a]
  kSquare,            // r[dst] = r[a]²
  kSquareRoot,        // r[dst] = √r[a]
  kAddConstant,       // r[dst] = r[a] + k[b]
  kSubtractFrom,      // r[dst] = k[b] − r[a]
  kScale,             // r[dst] = k[b] · r[a]
  kDivideInto,        // r[dst] = k[b] / r[a]
  kMultiplyAdd,       // r[dst] = r[a] · r[b] + r[c]
  kMultiplySubtract,  // r[dst] = r[a] · r[b] − r[c]
  kSubtractProduct,   // r[dst] = r[c] − r[a] · r[b]
  kScaleAdd,          // r[dst] = k[b] · r[a] + r[c]
  kScaleSubtract,     // r[dst] = k[b] · r[a] − r[c]
  kSinCos,            // r[dst] = sin r[a], r[b] = cos r[a]; dst ≠ b
  kCall,              // r[dst] = function(r[a], r[b], r[c]), as many as arity(function)
};

struct Instruction {
  TapeOp op = TapeOp::kConstant;
  Op function = Op::kConstant;  ///< of kCall; its meaning is evaluate_function's (expr/visit.h)
  std::uint32_t dst = 0, a = 0, b = 0, c = 0;
};

/// A sine, a cosine or both of one angle.
inline bool is_sine(const Instruction& i) {
  return i.op == TapeOp::kSinCos || (i.op == TapeOp::kCall && (i.function == Op::kSin || i.function == Op::kCos));
}

/// Instructions [begin, end) are run `rounds` times. In round j each field that names a register, an entry of an
/// argument array or an output stands for field + j · stride (wrapping); constants stay the same.
struct Loop {
  std::uint32_t begin = 0, end = 0, rounds = 0;
};
struct Stride {
  std::int32_t dst = 0, a = 0, b = 0, c = 0;
};

struct Tape {
  std::vector<Instruction> instructions;
  std::vector<double> constants;
  std::size_t registers = 0;  ///< doubles of scratch memory that a run needs (a lane)
  std::size_t outputs = 0;
  std::vector<Loop> loops;      ///< ascending, apart from each other, never nested
  std::vector<Stride> strides;  ///< by instruction; empty where there are no loops
  /// Registers below this have stride 0 everywhere; a round of a loop reads none of them that an earlier round wrote,
  /// and what a loop writes to one is not read after the loop. So they can be a processor's registers; the others are
  /// memory, and what a round writes there is read in that round by the same field and stride only.
  std::size_t temporaries = 0;
};

/// Functions of the values of symbols; output i of the tape is outputs[i]. Symbols that stand for nothing (kShorthand)
/// give NaN. Time and memory O(nodes that the outputs are made of), besides one word for each older node of the graph.
Tape make_tape(std::span<const Expr> outputs);

/// Operations of one run: additions, multiplications, divisions, functions; a fused product and sum, or a sine with its
/// cosine, is one. Loops count with their rounds.
std::size_t count_operations(const Tape& tape);

/// Number of arguments of a function node.
int arity(Op function);

/// Which of an instruction's fields are registers; the others are positions, constants or unused.
struct RegisterUse {
  bool reads_a = false, reads_b = false, reads_c = false, writes_dst = false, writes_b = false;
};
constexpr RegisterUse register_use(TapeOp op) {
  switch (op) {
    case TapeOp::kConstant:
    case TapeOp::kArgument:
      return {.writes_dst = true};
    case TapeOp::kOutput:
      return {.reads_a = true};
    case TapeOp::kAdd:
    case TapeOp::kSubtract:
    case TapeOp::kMultiply:
    case TapeOp::kDivide:
      return {.reads_a = true, .reads_b = true, .writes_dst = true};
    case TapeOp::kNegate:
    case TapeOp::kSquare:
    case TapeOp::kSquareRoot:
    case TapeOp::kAddConstant:
    case TapeOp::kSubtractFrom:
    case TapeOp::kScale:
    case TapeOp::kDivideInto:
      return {.reads_a = true, .writes_dst = true};
    case TapeOp::kMultiplyAdd:
    case TapeOp::kMultiplySubtract:
    case TapeOp::kSubtractProduct:
      return {.reads_a = true, .reads_b = true, .reads_c = true, .writes_dst = true};
    case TapeOp::kScaleAdd:
    case TapeOp::kScaleSubtract:
      return {.reads_a = true, .reads_c = true, .writes_dst = true};
    case TapeOp::kSinCos:
      return {.reads_a = true, .writes_dst = true, .writes_b = true};
    case TapeOp::kCall:  // as many as the function's arguments
      break;
  }
  return {};
}
RegisterUse register_use_of_call(Op function);
/// Asked of every instruction by every pass, so by a table.
inline RegisterUse register_use(const Instruction& instruction) {
  constexpr auto kOps = static_cast<std::size_t>(TapeOp::kCall);
  static constexpr auto kUse = [] {
    std::array<RegisterUse, kOps> use;
    for (std::size_t op = 0; op < kOps; ++op) use[op] = register_use(static_cast<TapeOp>(op));
    return use;
  }();
  if (instruction.op == TapeOp::kCall) return register_use_of_call(instruction.function);
  return kUse[static_cast<std::size_t>(instruction.op)];
}

/// Calls visit(field) for each register that is read; visit may change the field.
template <class AnyInstruction, class Visitor>
void for_each_read(AnyInstruction& instruction, Visitor&& visit) {
  const RegisterUse use = register_use(instruction);
  if (use.reads_a) visit(instruction.a);
  if (use.reads_b) visit(instruction.b);
  if (use.reads_c) visit(instruction.c);
}

}  // namespace dalembert
