// SPDX-License-Identifier: Apache-2.0
// Decides which repetitions become loops, and where values are stored that more than one round needs.
//
// An operand of a loop's instruction, unless it is a load, has one of these sources (p: number of the instruction
// within the round, j: round):
//   of the same round     a temporary, unless others read it too
//   fixed                 the same value in every round
//   of an array           record k + σj of a loop, this one (k < 0, σ = 1: earlier rounds) or an earlier one (σ = −1:
//                         back substitution), or entry j of an array made for this operand.
// Record j of a loop holds the results of round j that other code reads. Since places are affine in the round, there
// are also records for stretches of the stream before the loop's first round and after its last one. Straight-line code
// there writes its results to these records, and the rounds of all loops find them at their affine address; a value
// that belongs to two arrays is copied.
// A result needs no records if only the next round reads it, before that round computes it again, and if code after the
// loop reads only the last round's: it is carried from round to round in one place in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/tape/rolling_repetition.h"
#include "dalembert/tape/rolling_stream.h"

namespace dalembert::rolling {

/// Place in memory: address + j · stride in round j.
struct Slot {
  std::uint32_t address = 0;
  std::int32_t stride = 0;
};

/// The assignment memory[to] = value, after position `after` of the stream.
struct Copy {
  std::uint32_t after = 0, value = 0, to = 0;
};

class Plan {
 public:
  /// `repetitions` as find_repetitions gives them. Those with operands whose address is not affine in the round are
  /// shortened or left out.
  Plan(const Stream& stream, const Tape& tape, std::span<const Repetition> repetitions, const RollOptions& options);

  const std::vector<Repetition>& loops() const { return loops_; }
  std::span<const Copy> copies() const { return copies_; }  ///< ascending in `after`
  std::uint32_t memory() const { return memory_; }          ///< number of places in memory

  /// The address in memory of a value that straight-line code computes or that code outside its round reads; nothing
  /// for a temporary.
  std::optional<std::uint32_t> home(std::uint32_t value) const;
  /// Where a loop's instruction p writes its result (`second`: the cosine of a kSinCos); nothing for a temporary.
  std::optional<Slot> result(std::size_t loop, std::uint32_t p, bool second) const;
  /// Where operand f of a loop's instruction p is found if it is an element of an array; nothing otherwise.
  std::optional<Slot> element(std::size_t loop, std::uint32_t p, std::size_t f) const;

 private:
  // The rounds [begin, end) of a loop.
  struct Rounds {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
  };
  // An operand that is an element of an array: in round j the result at position first + j · step of the stream.
  struct Reference {
    std::uint32_t loop = 0, p = 0, f = 0;
    std::int64_t first = 0, step = 0;
    // The loop whose records hold the element; kMade: an array made for this operand; kFixed: the operand is the same
    // value in every round.
    std::uint32_t provider = 0;
    bool second = false;
    Rounds inside;              // rounds j in which the provider computes the element
    std::uint32_t address = 0;  // address of the array made for the operand, if provider is kMade
  };
  struct Records {
    // By result 2p + second of the loop: its place within a record; kNone if it is a temporary.
    std::vector<std::uint32_t> offset;
    // By result 2p + second of the loop: the address of a result that is carried from round to round; kNone if it is
    // not.
    std::vector<std::uint32_t> carried;
    std::int64_t first_round = 0, rounds = 0;  // first round that has a record, and number of such rounds
    std::uint32_t size = 0, base = 0;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu, kMade = kNone, kFixed = kNone - 1;

  static Rounds rounds_within(std::int64_t first, std::int64_t step, std::int64_t begin, std::int64_t end,
                              std::int64_t rounds);
  bool is_second(std::uint32_t position, std::size_t f) const;
  std::uint32_t value_at(std::uint32_t position, bool second) const;
  std::uint32_t loop_at(std::int64_t position) const;
  std::uint32_t choose_provider(const Repetition& loop, std::int64_t first, std::int64_t step) const;
  std::int64_t restrict_rounds(const Repetition& loop, std::uint32_t p, std::size_t f, Rounds& allowed) const;
  bool fit(Repetition& loop) const;
  void refer(const Repetition& loop);
  void mark(std::int64_t position, bool second);
  void mark_elements(const Reference& reference);
  void mark_all();
  bool is_carried(const Reference& reference) const;
  std::size_t result_index(std::uint32_t loop, std::int64_t position, bool second) const;
  void lay_out();
  std::uint32_t address_in(std::uint32_t loop, std::int64_t position, bool second) const;
  void settle(const Reference& reference);
  void settle_all();
  const Reference* reference(std::size_t loop, std::uint32_t p, std::size_t f) const;

  const Stream& stream_;
  const Tape& tape_;
  RollOptions options_;
  std::vector<Repetition> loops_;
  std::vector<Records> records_;       // records of each loop in loops_
  std::vector<Reference> references_;  // operands that are not of the same round; ascending in loop, p, f
  // By register of the tape, for values of straight-line code: address in memory; kNone for temporaries.
  std::vector<std::uint32_t> home_;
  std::vector<Copy> copies_;
  std::uint32_t memory_ = 0;
};

}  // namespace dalembert::rolling
