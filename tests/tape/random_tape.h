// SPDX-License-Identifier: Apache-2.0
// Random tapes with repetition, numbers to run them on, and equality to the bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape_builder.h"
#include "tape/choices.h"

namespace dalembert::testing {

/// Every array that a tape reads, full of random numbers; those that lanes do not share have numbers for each lane.
struct TapeInputs {
  std::array<std::vector<double>, kTapeArrays> of{};
  std::array<const double*, kTapeArrays> view{};

  explicit TapeInputs(std::size_t each, int lanes = 1, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(-1.5, 1.5);
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i].resize(shared_by_lanes(static_cast<TapeArray>(i)) ? each : each * static_cast<std::size_t>(lanes));
      for (double& x : of[i]) x = any(random);
      view[i] = of[i].data();
    }
  }
  /// What one of `lanes` lanes sees.
  TapeInputs lane(int number, int lanes) const {
    TapeInputs one(0);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const bool shared = shared_by_lanes(static_cast<TapeArray>(i));
      const auto step = static_cast<std::size_t>(shared ? 1 : lanes);
      for (std::size_t k = shared ? 0 : static_cast<std::size_t>(number); k < of[i].size(); k += step)
        one.of[i].push_back(of[i][k]);
      one.view[i] = one.of[i].data();
    }
    return one;
  }
};

inline std::vector<double> values(const Tape& tape, const TapeInputs& inputs, int lanes = 1) {
  const auto count = static_cast<std::size_t>(lanes);
  std::vector<double> work(tape.registers * count, std::nan("")), out(tape.outputs * count, std::nan(""));
  run(tape, inputs.view.data(), work.data(), out.data(), lanes);
  return out;
}

inline bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
}

/// Loops written out: bodies of random operations on what came before in the round, in earlier rounds and in earlier
/// loops (forward, backward or every second element), on arguments and on fixed values; between them, and sometimes in
/// a round, something else.
class RandomPeriodicTape {
 public:
  static constexpr int kEach = 400;  // entries of each argument array that may be read

  explicit RandomPeriodicTape(unsigned seed) : RandomPeriodicTape(Choices(seed)) {}
  explicit RandomPeriodicTape(Choices choices) : choices_(std::move(choices)) {
    for (int i = 0; i < 3; ++i) fixed_.push_back(builder_.argument(TapeArray::kInput, i));
    for (int loops = 1 + below(4); loops > 0; --loops) {
      if (below(3) == 0) something_else();
      add_loop();
    }
    something_else();
    for (int i = 0; i < 4; ++i) {
      const auto& history = histories_[static_cast<std::size_t>(below(static_cast<int>(histories_.size())))];
      output(history[static_cast<std::size_t>(below(static_cast<int>(history.size())))]);
    }
    output(fixed_.back());
  }
  Tape take() { return builder_.take(static_cast<std::size_t>(outputs_)); }

 private:
  using History = std::vector<Operand>;  // a result by round

  // Where an instruction of a body finds an operand.
  struct Choice {
    enum { kRound, kEarlier, kOtherLoop, kArgument, kFixed, kNumber } way = kFixed;
    std::size_t which = 0;
    int offset = 0, step = 0;
  };

  int below(int n) { return choices_.below(n); }
  void output(Operand x) { builder_.output(static_cast<std::uint32_t>(outputs_++), x); }
  void something_else() {
    for (int i = below(4); i > 0; --i)
      fixed_.push_back(
          operation(below(9), fixed_.back(), fixed_[static_cast<std::size_t>(below(static_cast<int>(fixed_.size())))]));
  }
  Operand operation(int kind, Operand x, Operand y) {
    switch (kind) {
      case 0:
        return builder_.call(Op::kSin, std::array{x});
      case 1:
        return builder_.call(Op::kCos, std::array{x});
      case 2:
        return builder_.subtract(x, y);
      case 3:
        return builder_.call(Op::kMax, std::array{x, y});
      case 4:
        return builder_.multiply(Operand::of(0.5), x);
      case 5:
        return builder_.divide(x, builder_.add(builder_.square(y), Operand::of(1)));
      case 6:
        return builder_.add(builder_.multiply(x, y), x);
      case 7:
        return builder_.multiply(x, y);
      default:
        return builder_.add(x, y);
    }
  }
  Choice choose(std::size_t results_so_far, std::size_t results, int rounds) {
    Choice choice;
    switch (below(8)) {
      case 0:
      case 1:
        if (results_so_far > 0)
          choice = {Choice::kRound, static_cast<std::size_t>(below(static_cast<int>(results_so_far))), 0, 0};
        break;
      case 2:
      case 3:
        choice = {Choice::kEarlier, static_cast<std::size_t>(below(static_cast<int>(results))),
                  1 + (below(4) == 0 ? below(4) : 0), 0};
        break;
      case 4:
        if (!histories_.empty()) {
          choice = {Choice::kOtherLoop, static_cast<std::size_t>(below(static_cast<int>(histories_.size()))), 0, 0};
          const int size = static_cast<int>(histories_[choice.which].size());
          const std::array<int, 5> steps{1, 1, -1, -1, 2};
          choice.step = steps[static_cast<std::size_t>(below(5))];
          choice.offset = choice.step > 0 ? below(4) : size - 1 - below(4);
        }
        break;
      case 5:
        choice = {Choice::kArgument, static_cast<std::size_t>(1 + below(7)), below(20), 0};
        choice.step = below(4) - 1;
        if (choice.step < 0) choice.offset += rounds;
        break;
      case 6:
        choice = {Choice::kNumber, 0, below(3), 0};
        break;
      default:
        choice = {Choice::kFixed, static_cast<std::size_t>(below(static_cast<int>(fixed_.size()))), 0, 0};
    }
    return choice;
  }
  Operand find(const Choice& c, const std::vector<History>& results, int round) {
    const auto at = [&](const History& history, int k) {
      return history[static_cast<std::size_t>(std::clamp<int>(k, 0, static_cast<int>(history.size()) - 1))];
    };
    switch (c.way) {
      case Choice::kRound:
        return results[c.which].back();
      case Choice::kEarlier:
        return round >= c.offset ? results[c.which][static_cast<std::size_t>(round - c.offset)] : fixed_[0];
      case Choice::kOtherLoop:
        return at(histories_[c.which], c.offset + c.step * round);
      case Choice::kArgument:
        return builder_.argument(static_cast<TapeArray>(c.which), c.offset + c.step * round);
      case Choice::kNumber:
        return Operand::of(0.25 * (c.offset + 1));
      default:
        return fixed_[c.which];
    }
  }
  void add_loop() {
    const int rounds = 3 + below(60), count = 1 + below(7);
    struct Step {
      int kind;
      Choice x, y;
      bool writes;
    };
    std::vector<Step> body;
    for (int i = 0; i < count; ++i)
      body.push_back({below(9), choose(static_cast<std::size_t>(i), static_cast<std::size_t>(count), rounds),
                      choose(static_cast<std::size_t>(i), static_cast<std::size_t>(count), rounds), below(4) == 0});
    const int odd = below(3) == 0 ? below(rounds) : -1;  // a round with something else in it
    std::vector<History> results(static_cast<std::size_t>(count));
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (round == odd && i == 0) something_else();
        const Operand x = operation(body[i].kind, find(body[i].x, results, round), find(body[i].y, results, round));
        results[i].push_back(x);
        if (body[i].writes) output(x);
      }
    }
    for (History& history : results) histories_.push_back(std::move(history));
    fixed_.push_back(histories_.back()[static_cast<std::size_t>(below(rounds))]);
  }

  Choices choices_;
  TapeBuilder builder_;
  std::vector<Operand> fixed_;
  std::vector<History> histories_;
  int outputs_ = 0;
};

}  // namespace dalembert::testing
