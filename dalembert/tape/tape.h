// SPDX-License-Identifier: Apache-2.0
// Expressions as a list of elementary instructions: the one form that the interpreter runs and that code is generated
// from.
//
// An instruction {op, dst, a, b, c} reads registers and constants by number and writes register dst. A register is
// reused as soon as its value is not needed any more, so dst may equal an operand: operands are read before anything is
// written. Every value is computed once for all outputs (common subexpressions shared, nothing dead); an output is
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

/// The arrays that a tape reads: the values of symbols, and prepared values, which depend on parameters alone.
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
/// The array with the value of a symbol. A kShorthand has no value; the result is meaningless for it.
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
/// Whether all lanes share the array; in the others, entry i of lane l is at [i · lanes + l].
constexpr bool shared_by_lanes(TapeArray array) {
  return array == TapeArray::kParameter || array == TapeArray::kPrepared;
}

/// Operations; r are registers, k are constants.
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
  kCall,              // r[dst] = function(r[a], r[b], r[c]), with arity(function) arguments
};

struct Instruction {
  TapeOp op = TapeOp::kConstant;
  Op function = Op::kConstant;  ///< the function of a kCall; evaluate_function() (expr/visit.h) defines its value
  std::uint32_t dst = 0, a = 0, b = 0, c = 0;
};

/// Whether the instruction computes a sine, a cosine or both.
inline bool is_sine(const Instruction& i) {
  return i.op == TapeOp::kSinCos || (i.op == TapeOp::kCall && (i.function == Op::kSin || i.function == Op::kCos));
}

/// Instructions [begin, end) are run `rounds` times. In round j each field that names a register, an entry of an
/// argument array or an output means field + j · stride (modulo 2³²); constants stay the same.
struct Loop {
  std::uint32_t begin = 0, end = 0, rounds = 0;
};
struct Stride {
  std::int32_t dst = 0, a = 0, b = 0, c = 0;
};

struct Tape {
  std::vector<Instruction> instructions;
  std::vector<double> constants;
  std::size_t registers = 0;  ///< doubles of scratch memory that a run needs per lane
  std::size_t outputs = 0;
  std::vector<Loop> loops;      ///< ascending, disjoint, never nested
  std::vector<Stride> strides;  ///< by instruction; empty where there are no loops
  /// Registers below this number have stride 0 everywhere; no round of a loop reads one that an earlier round wrote,
  /// and none that a loop wrote is read after the loop. So they can be a processor's registers. The others are memory:
  /// what a round writes there, it reads by the same field and stride only.
  std::size_t temporaries = 0;
};

/// A tape whose output i is the value of outputs[i], for given values of the symbols. Symbols that have no value
/// (kShorthand) give NaN. Time and memory O(nodes in the outputs), and one word for each older node of the graph.
Tape make_tape(std::span<const Expr> outputs);

/// Operations of one run: additions, multiplications, divisions, functions; a fused product and sum, or a sine with its
/// cosine, counts as one. Each round of a loop counts.
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
    case TapeOp::kCall:  // as register_use_of_call() says
      break;
  }
  return {};
}
RegisterUse register_use_of_call(Op function);
/// Looked up in a table, because every pass asks for it at every instruction.
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
