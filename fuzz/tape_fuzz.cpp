// SPDX-License-Identifier: Apache-2.0
// Tapes: any bytes name an expression graph, or loops written out. However such a tape is run (registers reused,
// products fused into sums, rolled into loops, its parameters' part taken out, for 1, 4, 8 or 32 systems at once, as
// machine code where nothing is fused), not a bit may differ. Some inputs name calls or sums of positive numbers, for
// which the machine code of this processor must be right to a few ulps, too.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "compile/random_graph.h"
#include "compile/random_tape.h"
#include "dalembert/compile/interpreter.h"
#include "dalembert/compile/machine_code.h"
#include "dalembert/compile/tape_passes.h"
#include "dalembert/dynamics/kernel.h"
#include "fuzz.h"

using namespace dalembert;
using testing::Choices;
using testing::RandomGraph;
using testing::RandomPeriodicTape;
using testing::same_bits;

namespace {

using Counts = std::array<std::size_t, kTapeArrays>;  // entries of each array that a tape reads

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Vigna, public domain)
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The number that stands in an array: one of the doubles that the input ends with, or one between low and high.
struct Numbers {
  std::array<double, 8> pool{};
  std::uint64_t seed = 0;
  double low = -1.5, high = 1.5;
  int of_pool = 2;  // of 4

  double operator()(std::size_t array, std::size_t entry, std::size_t lane) const {
    if (shared_by_lanes(static_cast<TapeArray>(array))) lane = 0;
    const std::uint64_t x = mixed(seed ^ (array << 48) ^ (entry << 16) ^ lane);
    if (static_cast<int>(x % 4) < of_pool) return pool[x / 4 % pool.size()];
    return low + (high - low) * static_cast<double>(x >> 11) / 9007199254740992.0;
  }
};

// The arguments of `lanes` systems, the first of which has number `first`.
struct Inputs {
  std::array<std::vector<double>, kTapeArrays> of{};
  std::array<const double*, kTapeArrays> view{};

  Inputs(const Numbers& numbers, const Counts& counts, std::size_t first, std::size_t lanes) {
    for (std::size_t array = 0; array < of.size(); ++array) {
      const std::size_t each = shared_by_lanes(static_cast<TapeArray>(array)) ? 1 : lanes;
      for (std::size_t entry = 0; entry < counts[array]; ++entry)
        for (std::size_t lane = 0; lane < each; ++lane) of[array].push_back(numbers(array, entry, first + lane));
      view[array] = of[array].data();
    }
  }
};

Counts count_arguments(const Tape& tape) {
  Counts counts{};
  for (const Instruction& i : tape.instructions)
    if (i.op == TapeOp::kArgument) counts[i.a] = std::max<std::size_t>(counts[i.a], i.b + 1);
  return counts;
}

std::vector<double> interpreted(const Tape& tape, const double* const* arguments, int lanes) {
  const auto width = static_cast<std::size_t>(lanes);
  std::vector<double> work(tape.registers * width, std::nan("")), out(tape.outputs * width, std::nan(""));
  run(tape, arguments, work.data(), out.data(), lanes);
  return out;
}

// One tape in every form, held against its first form, evaluated for one system after the other.
class Comparison {
 public:
  Comparison(const Tape& straight, const Numbers& numbers)
      : numbers_(numbers), counts_(count_arguments(straight)), outputs_(straight.outputs) {
    for (std::size_t lane = 0; lane < expected_.size(); ++lane)
      expected_[lane] = interpreted(straight, Inputs(numbers_, counts_, lane, 1).view.data(), 1);
  }
  const Counts& counts() const { return counts_; }
  double expected(std::size_t lane, std::size_t i) const { return expected_[lane][i]; }

  void expect_same(const std::string& what, std::span<const double> computed, std::size_t lanes) const {
    for (std::size_t i = 0; i < outputs_; ++i)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (!same_bits(computed[i * lanes + lane], expected_[lane][i]))
          require(false, what + ", lane " + std::to_string(lane) + " of " + std::to_string(lanes) + ", output " +
                             std::to_string(i) + ": " + std::to_string(computed[i * lanes + lane]) + " for " +
                             std::to_string(expected_[lane][i]));
  }
  void expect_same(const std::string& what, const Tape& tape, bool all_lanes = true) const {
    for (const int lanes : {1, 4, 8, 32}) {
      if (!all_lanes && lanes > 1) return;
      const auto width = static_cast<std::size_t>(lanes);
      expect_same(what, interpreted(tape, Inputs(numbers_, counts_, 0, width).view.data(), lanes), width);
    }
  }
  // What parameters alone determine is computed once, behind the entries that the tape reads itself.
  void expect_same_prepared(Tape tape, const RollOptions& options) const {
    const std::size_t first = counts_.back();
    Tape preparation = split_preparation(tape, static_cast<std::uint32_t>(first));
    for (Tape* each : {&preparation, &tape}) {
      fuse_products_into_sums(*each);
      roll_loops(*each, options);
      reuse_registers(*each);
    }
    Inputs inputs(numbers_, counts_, 0, 8);
    const std::vector<double> prepared = interpreted(preparation, inputs.view.data(), 1);
    inputs.of.back().insert(inputs.of.back().end(), prepared.begin(), prepared.end());
    inputs.view.back() = inputs.of.back().data();
    expect_same("prepared", interpreted(tape, inputs.view.data(), 8), 8);
  }

 private:
  Numbers numbers_;
  Counts counts_;
  std::size_t outputs_;
  std::array<std::vector<double>, 32> expected_{};
};

struct CodeRun {
  std::vector<double> out;
  std::uint64_t failed = 0;
};

// Several tapes as the code of one module.
class Code {
 public:
  Code(std::vector<const Tape*> tapes, int lanes, const CodeOptions& options) : lanes_(lanes) {
    for (const Tape* tape : tapes) {
      functions_.emplace_back();
      functions_.back().tape = tape;
      functions_.back().lanes = lanes;
    }
    std::string why;
    code_ = generate_code(functions_, options, &why);
    require(code_ != nullptr || tapes.empty() || !can_be_made(), why);
  }
  explicit operator bool() const { return code_ != nullptr; }
  CodeRun run(std::size_t function, const double* const* arguments) const {
    std::vector<double> work(code_work(functions_[function]), std::nan(""));
    CodeRun result{
        std::vector<double>(functions_[function].tape->outputs * static_cast<std::size_t>(lanes_), std::nan("")), 0};
    result.failed = code_->run(function, arguments, work.data(), result.out.data());
    return result;
  }

 private:
  static bool can_be_made() {
    static const bool can = [] {
      Tape empty;
      CodeFunction function;
      function.tape = &empty;
      return generate_code({&function, 1}, {}) != nullptr;
    }();
    return can;
  }

  int lanes_;
  std::vector<CodeFunction> functions_;
  std::shared_ptr<const MachineCode> code_;
};

void check_interpreted(const Comparison& comparison, const Tape& straight, const RollOptions& options, Tape& flat,
                       Tape& rolled) {
  flat = straight;
  reuse_registers(flat);
  comparison.expect_same("registers reused", flat, false);
  flat = straight;
  fuse_products_into_sums(flat);
  rolled = flat;
  comparison.expect_same("fused", flat, false);
  reuse_registers(flat);
  comparison.expect_same("fused, registers reused", flat);
  roll_loops(rolled, options);
  comparison.expect_same("rolled", rolled, false);
  reuse_registers(rolled);
  if (!rolled.loops.empty()) comparison.expect_same("rolled, registers reused", rolled);
  comparison.expect_same_prepared(straight, options);
}

// Every operation rounds as the interpreter's: not a bit may differ.
void check_code(const Comparison& comparison, const Numbers& numbers, const Tape& flat, const Tape& rolled, int lanes,
                const CodeOptions& options) {
  const Code code({&flat, &rolled}, lanes, options);
  if (!code) return;
  const auto width = static_cast<std::size_t>(lanes);
  const Inputs inputs(numbers, comparison.counts(), 0, width);
  for (const std::size_t function : {0u, 1u}) {
    const CodeRun result = code.run(function, inputs.view.data());
    require(result.failed == 0, "code hands lanes back");
    comparison.expect_same(function == 0 ? "code" : "code of loops", result.out, width);
  }
}

// Sums, quotients and roots of positive numbers: relative errors at most add (tests/compile/machine_code_test.cpp).
void check_positive(const Comparison& comparison, const Numbers& numbers, const Tape& tape, int lanes) {
  const Code code({&tape}, lanes, {});
  if (!code) return;
  const auto width = static_cast<std::size_t>(lanes);
  const CodeRun result = code.run(0, Inputs(numbers, comparison.counts(), 0, width).view.data());
  require(result.failed == 0, "code hands lanes back");
  for (std::size_t i = 0; i < tape.outputs; ++i)
    for (std::size_t lane = 0; lane < width; ++lane) {
      const double computed = result.out[i * width + lane], expected = comparison.expected(lane, i);
      require(std::abs(computed - expected) <= 1e-12 * std::abs(expected),
              "positive numbers: " + std::to_string(computed) + " for " + std::to_string(expected));
    }
}

struct Call {
  Op function;
  std::array<std::uint32_t, 3> arguments;  // coordinates
};

// Calls of coordinates by the code of this processor: 1 ulp of SLEEF and 1 of libm; sines and cosines refuse angles
// beyond 2³⁰.
void check_calls(const Comparison& comparison, const Numbers& numbers, const Tape& tape, std::span<const Call> calls,
                 int lanes) {
  const Code code({&tape}, lanes, {});
  if (!code) return;
  const auto width = static_cast<std::size_t>(lanes);
  const Inputs inputs(numbers, comparison.counts(), 0, width);
  const CodeRun result = code.run(0, inputs.view.data());
  const std::vector<double>& q = inputs.of[static_cast<std::size_t>(TapeArray::kCoordinate)];
  for (std::size_t lane = 0; lane < width; ++lane) {
    bool refused = false;
    for (const Call& call : calls)
      if (call.function == Op::kSin || call.function == Op::kCos)
        refused |= !(std::abs(q[call.arguments[0] * width + lane]) <= 1073741824.0);
    refused &= host_vector_unit() != VectorUnit::kSse2;
    require((result.failed >> lane & 1) == (refused ? 1 : 0), "lanes that code hands back");
    if (refused) continue;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const double computed = result.out[i * width + lane], expected = comparison.expected(lane, i);
      if (same_bits(computed, expected)) continue;
      const double ulp =
          std::nextafter(std::abs(expected), std::numeric_limits<double>::infinity()) - std::abs(expected);
      char text[200];
      std::snprintf(text, sizeof text, "function %d of %.17g, %.17g: %.17g for %.17g, %d lanes",
                    static_cast<int>(calls[i].function), q[calls[i].arguments[0] * width + lane],
                    q[calls[i].arguments[1] * width + lane], computed, expected, lanes);
      require(std::abs(computed - expected) <= 2 * ulp, text);
    }
  }
}

}  // namespace

FUZZ(const std::string& text) {
  Numbers numbers;
  std::string bytes = text;
  if (bytes.size() > sizeof numbers.pool) {
    std::memcpy(numbers.pool.data(), bytes.data() + bytes.size() - sizeof numbers.pool, sizeof numbers.pool);
    bytes.resize(bytes.size() - sizeof numbers.pool);
  }
  for (double& number : numbers.pool)
    if (!std::isfinite(number)) number = 0.5;

  Choices choices(bytes.substr(0, 8));
  const std::string program = bytes.size() > 8 ? bytes.substr(8) : "";
  const int way = choices.below(8), lanes = std::array{1, 4, 8}[static_cast<std::size_t>(choices.below(3))];
  RollOptions roll{.instructions = 0, .gain = 1, .rounds = static_cast<std::size_t>(2 + choices.below(6)), .saved = 1};
  if (choices.below(4) == 0) roll.period = static_cast<std::size_t>(1 + choices.below(20));
  CodeOptions code;
  code.widest = VectorUnit::kSse2;
  code.effort = choices.below(4) == 0 ? CodeEffort::kThorough : CodeEffort::kQuick;
  if (choices.below(2) == 0) code.part = static_cast<std::size_t>(10 + choices.below(256));
  numbers.seed = static_cast<std::uint64_t>(choices.below(256));
  // Code takes milliseconds: for one input in so many. Which ones must not be left to the fuzzer.
  const auto one_in = [hash = mixed(std::hash<std::string>{}(text))](std::uint64_t n) { return hash % n == 0; };

  if (way == 0) {
    // Calls, each of some coordinates.
    TapeBuilder builder;
    std::vector<Call> calls;
    Choices more(program);
    do {
      Call call{static_cast<Op>(static_cast<int>(Op::kPower) +
                                more.below(static_cast<int>(Op::kSelect) - static_cast<int>(Op::kPower) + 1)),
                {}};
      std::array<Operand, 3> operands;
      for (std::size_t i = 0; i < 3; ++i) {
        call.arguments[i] = static_cast<std::uint32_t>(more.below(6));
        operands[i] = builder.argument(TapeArray::kCoordinate, static_cast<int>(call.arguments[i]));
      }
      builder.output(
          static_cast<std::uint32_t>(calls.size()),
          builder.call(call.function, std::span(operands).first(static_cast<std::size_t>(arity(call.function)))));
      calls.push_back(call);
    } while (!more.at_end() && calls.size() < 10);
    Tape tape = builder.take(calls.size());
    reuse_registers(tape);
    const Comparison comparison(tape, numbers);
    comparison.expect_same("calls", tape);
    if (one_in(8)) check_calls(comparison, numbers, tape, calls, lanes);
    return;
  }

  Tape straight;
  if (way == 1) {
    numbers.low = 0.5;
    numbers.high = 2;
    numbers.of_pool = 0;
  }
  if (way <= 4) {
    RandomGraph random{Choices(program)};
    for (int i = 0; !random.at_end() && i < (way == 1 ? 12 : 80); ++i)
      if (way == 1)
        random.grow_positive();
      else
        random.grow();
    straight = flatten(random.nodes);
  } else {
    straight = RandomPeriodicTape(Choices(program)).take();
  }
  const Comparison comparison(straight, numbers);
  Tape flat, rolled;
  check_interpreted(comparison, straight, roll, flat, rolled);
  if (one_in(16)) check_code(comparison, numbers, flat, rolled, lanes, code);
  if (way == 1 && one_in(8)) check_positive(comparison, numbers, flat, lanes);
}
