// SPDX-License-Identifier: Apache-2.0
// A tape as LLVM instructions. Instructions are defined in tape.h and by evaluate_function() (expr/visit.h), but
// a·b + c is rounded once where the processor can.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/machine/llvm/ir.h"
#include "dalembert/machine/llvm/sine_cosine.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// Emits a part of a tape at the builder's position. Registers below first_in_memory_ (see Tape::temporaries) are SSA
/// values; the others, and values from earlier parts, are in memory.
class TapeCode {
 public:
  /// Parameters of the function: const double* const* arguments, double* work, double* out.
  struct Places {
    Value arguments = nullptr, work = nullptr, out = nullptr;
  };

  TapeCode(Ir& ir, const Tape& tape, Places places);

  /// If set: returns the value of an argument that is not in memory, or null for one that is. Not called within loops.
  std::function<Value(TapeArray, std::uint32_t)> argument;
  /// Whether each lane is a system of its own, with the bits of code for one system (CodeFunction::apart).
  bool apart = false;
  /// If set: receives the outputs, which are then not stored. Not called within loops.
  std::function<void(std::uint32_t, Value)> output;

  /// Emits instructions [begin, end); a loop must lie completely inside or outside. To be called only once.
  void emit(std::size_t begin, std::size_t end);
  /// Stores those registers of `live` that the emitted part wrote and that are not in memory yet.
  void store_registers(const std::vector<bool>& live);

 private:
  struct Held {
    Value number = nullptr;
    Value mask = nullptr;  ///< `number` as a mask of lanes, if it is a truth value; else null
    bool written = false;
  };
  /// A field of an instruction with its stride: the entry field + j · stride in round j.
  struct Entry {
    std::uint32_t field;
    std::int32_t stride;
    auto operator<=>(const Entry&) const = default;
  };
  /// A register in memory that a loop reads or writes with stride 0.
  struct Still {
    std::uint32_t field;
    bool written;
  };

  /// An angle that needs arguments only: an argument (`how` loads it), or the result of one instruction `how` whose
  /// operands `a` and `b` load.
  struct Angle {
    const Instruction* how = nullptr;
    const Instruction *a = nullptr, *b = nullptr;
  };
  struct Sine {
    std::size_t at = 0;  ///< index on the tape of the instruction that computes the sine
    Angle angle;
  };

  /// Polynomials of one system have other bits than those of many, for which fewer operations count more than a short wait.
  Waiting waiting() const { return ir_.lanes == 1 || apart ? Waiting::kOne : Waiting::kMany; }
  bool in_memory(std::uint32_t reg) const { return reg >= first_in_memory_; }
  Value address(Value base, Entry entry, int lanes);
  Value load(Value base, Entry entry);
  void store(Value number, Value base, Entry entry);
  Value read(Entry entry);
  Value truth(Entry entry);  ///< whether the entry is not 0
  void write(Entry entry, Value number, Value mask = nullptr);
  Value read_argument(const Instruction& instruction, const Stride& stride);
  std::vector<Still> still_memory(const Loop& loop) const;
  void emit_loop(const Loop& loop);
  void emit_wide_loop(const Loop& loop);
  void forget_loop(const Loop& loop);
  void emit(const Instruction& instruction, const Stride& stride);
  void find_sines(std::size_t begin, std::size_t end);
  Value emit_angle(const Angle& angle);
  bool emit_sines_at_once(std::size_t i);
  void emit_call(const Instruction& instruction, const Stride& stride);
  Value library_call(Op function, std::vector<Value> arguments);

  Ir& ir_;
  const Tape& tape_;
  Places places_;
  std::vector<Value> arrays_;  // by TapeArray: address of the array, loaded before everything else
  std::uint32_t first_in_memory_;
  std::vector<Held> held_;       // by register: its value, as far as the emitted code holds it
  Value round_ = nullptr;        // in a loop: number j of the round
  TapeCode* outside_ = nullptr;  // if lanes are rounds of a loop: the code around that loop
  /// In a loop: the values that the round has read from memory or written there. A round reads what it wrote by the
  /// same field and stride (roll_loops), so no store can change these values.
  std::map<Entry, Value> in_round_;
  /// For one system, outside of loops: sines whose angles need arguments only; and those results that were computed
  /// before the instruction that needs them.
  std::vector<Sine> sines_;
  std::map<std::size_t, SineCosine> early_;
  // In a loop, for each stride of an address: the pair (stride · lanes, its product with the number j of the round).
  std::vector<std::pair<std::int64_t, Value>> offsets_;
};

/// The whole tape as a function uint64_t name(const double* const* arguments, double* work, double* out), which returns
/// the bits of the lanes whose results must not be used. A long tape becomes several functions, each of about `part`
/// instructions, that pass values on in `work`, so that compile time stays linear. An empty `name` makes an internal
/// function of the module. `watched`: see CodeKind::kSolve; `apart`: see CodeFunction::apart.
Value emit_tape_function(IrModule& module, const Tape& tape, int lanes, const std::string& name, std::size_t part,
                         bool watched = false, bool apart = false);

/// Marks the lanes as failed that are not trusted() (base/kernel_code.h).
void fail_untrusted(Ir& ir, Value least, Value largest);

}  // namespace dalembert
