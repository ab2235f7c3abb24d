// SPDX-License-Identifier: Apache-2.0
// A tape as LLVM instructions. What each instruction means is said in tape.h and by evaluate_function (expr/visit.h);
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

/// Emits parts of a tape at the builder's place. Registers are SSA values, in memory where the tape wants that
/// (Tape::temporaries) and where a value comes from an earlier part.
class TapeCode {
 public:
  /// Pointers: const double* const* arguments, double* work, double* out.
  struct Places {
    Value arguments = nullptr, work = nullptr, out = nullptr;
  };

  TapeCode(Ir& ir, const Tape& tape, Places places);

  /// Gives the value of an argument that is not to be read from memory, or null. Not asked within loops.
  std::function<Value(TapeArray, std::uint32_t)> argument;
  /// Takes an output instead of memory. Not called within loops.
  std::function<void(std::uint32_t, Value)> output;

  /// Emits instructions [begin, end); loops lie inside it or outside of it. May be called once.
  void emit(std::size_t begin, std::size_t end);
  /// Stores those registers of `live` that the emitted part wrote and that are not in memory yet.
  void store_registers(const std::vector<bool>& live);

 private:
  struct Held {
    Value number = nullptr;
    Value mask = nullptr;  ///< the same as a truth value, where it is one
    bool written = false;
  };
  /// An entry that a field of an instruction names.
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

  /// An angle that arguments give at once: one of them (`how` loads it), or one operation of what `a` and `b` load.
  struct Angle {
    const Instruction* how = nullptr;
    const Instruction *a = nullptr, *b = nullptr;
  };
  struct Sine {
    std::size_t at = 0;  ///< instruction
    Angle angle;
  };

  bool in_memory(std::uint32_t reg) const { return reg >= first_in_memory_; }
  Value address(Value base, Entry entry, int lanes);
  Value load(Value base, Entry entry);
  void store(Value number, Value base, Entry entry);
  Value read(Entry entry);
  Value truth(Entry entry);  ///< whether it is not 0
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
  std::vector<Value> arrays_;  // by TapeArray: its start, loaded before everything else
  std::uint32_t first_in_memory_;
  std::vector<Held> held_;  // by register
  Value round_ = nullptr;   // in a loop: its round, j
  TapeCode* outside_ =
      nullptr;  // of the code of rounds j, j + 1, … in lanes: the code of one system that it is part of
  /// In a loop: what the round has read from memory or written there. A round reads what it wrote by the same field and
  /// stride (roll_loops), so no store can change these.
  std::map<Entry, Value> in_round_;
  /// Outside of loops, of one system: sines of angles that are known early, and what was computed before its
  /// instruction.
  std::vector<Sine> sines_;
  std::map<std::size_t, SineCosine> early_;
  std::vector<std::pair<std::int64_t, Value>> offsets_;  // in a loop: j · stride · lanes by stride · lanes
};

/// The whole tape as a function uint64_t name(const double* const* arguments, double* work, double* out), which returns
/// the lanes whose results are not to be used. A long tape becomes several functions, each of about `part`
/// instructions, that hand values on through `work`: compile time stays linear. `name` empty: for use within the
/// module.
/// `watched`: as CodeKind::kSolve says.
Value emit_tape_function(IrModule& module, const Tape& tape, int lanes, const std::string& name, std::size_t part,
                         bool watched = false);

/// Fails the lanes that trusted() of dynamics/kernel.h refuses.
void fail_untrusted(Ir& ir, Value least, Value largest);

}  // namespace dalembert
