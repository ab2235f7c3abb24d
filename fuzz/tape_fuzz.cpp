// SPDX-License-Identifier: Apache-2.0
// Tapes: any bytes name an expression graph, or loops written out. However such a tape is run (registers reused,
// products fused into sums, rolled into loops, its parameters' part taken out, for 1, 4, 8 or 32 systems at once, as
// machine code where nothing is fused, within steps of Runge and Kutta), not a bit may differ. Some inputs name calls
// or sums of positive numbers, for which the machine code of this processor must be right to a few ulps, too.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/kernel.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape_passes.h"
#include "fuzz.h"
#include "tape/random_graph.h"
#include "tape/random_tape.h"

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

// The number that is in an array: one of the doubles that the input ends with, or one between low and high.
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
  std::span<const double> expected(std::size_t lane) const { return expected_[lane]; }

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
  // What parameters alone determine is computed once, after the entries that the tape reads itself.
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

// Several functions as the code of one module.
class Code {
 public:
  Code(std::vector<CodeFunction> functions, const CodeOptions& options) : functions_(std::move(functions)) {
    std::string why;
    code_ = generate_code(functions_, options, &why);
    require(code_ != nullptr || !can_be_made(), why);
  }
  explicit operator bool() const { return code_ != nullptr; }
  CodeRun run(std::size_t which, const double* const* arguments) const {
    const CodeFunction& function = functions_[which];
    std::vector<double> work(code_work(function), std::nan(""));
    CodeRun result{std::vector<double>(function.tape->outputs * static_cast<std::size_t>(function.lanes), std::nan("")),
                   0};
    result.failed = code_->run(which, arguments, work.data(), result.out.data());
    return result;
  }
  std::uint64_t advance(std::size_t which, std::vector<double>& state, const double* const* arguments, double t,
                        double h, std::uint64_t steps) const {
    std::vector<double> work(code_work(functions_[which]), std::nan(""));
    return code_->advance(which, state.data(), arguments, work.data(), t, h, steps);
  }

 private:
  static bool can_be_made() {
    static const bool can = [] {
      const Tape empty;
      return generate_code(std::array{CodeFunction{.tape = &empty}}, {}) != nullptr;
    }();
    return can;
  }

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

// Lanes that code of CodeKind::kSolve, and a stage of Runge and Kutta, refuses.
bool refused(std::span<const double> out) {
  double sum = 0;
  for (std::size_t i = 0; i + 2 < out.size(); ++i) sum = i == 0 ? out[0] : sum + out[i];
  return !trusted(&out[out.size() - 2]) || !std::isfinite(sum);
}

// Every operation rounds as the interpreter's: not a bit may differ.
void check_code(const Comparison& comparison, const Numbers& numbers, const Tape& flat, const Tape& rolled, int lanes,
                const CodeOptions& options) {
  std::vector<CodeFunction> functions{{.tape = &flat, .lanes = lanes}, {.tape = &rolled, .lanes = lanes}};
  if (flat.outputs > 2) functions.push_back({.kind = CodeKind::kSolve, .tape = &flat, .lanes = lanes});
  const Code code(functions, options);
  if (!code) return;
  const auto width = static_cast<std::size_t>(lanes);
  const Inputs inputs(numbers, comparison.counts(), 0, width);
  for (std::size_t which = 0; which < functions.size(); ++which) {
    const CodeRun result = code.run(which, inputs.view.data());
    comparison.expect_same("code " + std::to_string(which), result.out, width);
    std::uint64_t failed = 0;
    for (std::size_t lane = 0; which == 2 && watches_outputs(flat, options.part) && lane < width; ++lane)
      if (refused(comparison.expected(lane))) failed |= std::uint64_t{1} << lane;
    require(result.failed == failed, "lanes that code hands back");
  }
}

constexpr std::size_t kCoordinates = testing::Arguments::kEach;

// `steps` steps of size h of one lane by the interpreter, each operation in its order (llvm/runge_kutta_code.cpp);
// whether every stage was trusted().
bool advance_one(const Tape& tape, const Inputs& inputs, std::vector<double>& state, double t, double h, int steps) {
  constexpr std::size_t n = kCoordinates;
  auto view = inputs.view;
  double now = 0;
  std::vector<double> z;
  bool good = true;
  for (int step = 0; step < steps; ++step) {
    z = state;
    const std::vector<double> start = state;
    for (int stage = 0; stage < 4; ++stage) {
      now = t + (step + (stage == 0 ? 0 : stage == 3 ? 1 : 0.5)) * h;
      view[static_cast<std::size_t>(TapeArray::kTime)] = &now;
      view[static_cast<std::size_t>(TapeArray::kCoordinate)] = z.data();
      view[static_cast<std::size_t>(TapeArray::kVelocity)] = z.data() + n;
      const std::vector<double> out = interpreted(tape, view.data(), 1);
      good &= trusted(&out[out.size() - 2]);
      const std::vector<double> before = z;
      for (std::size_t i = 0; i < 2 * n; ++i) {
        const double slope = i < n ? before[n + i] : out[i - n];
        z[i] = (stage == 2 ? h : h * 0.5) * slope + start[i];
        state[i] = h * (stage == 0 || stage == 3 ? 1.0 / 6 : 1.0 / 3) * slope + state[i];
      }
    }
  }
  return good && std::ranges::all_of(state, [](double x) { return std::isfinite(x); });
}

void check_runge_kutta(const Comparison& comparison, const Numbers& numbers, const Tape& flat, const Tape& rolled,
                       int lanes, const CodeOptions& options) {
  std::vector<CodeFunction> functions;
  for (const Tape* tape : {&flat, &rolled})
    functions.push_back({.kind = CodeKind::kRungeKutta4, .tape = tape, .lanes = lanes, .coordinates = kCoordinates});
  const Code code(functions, options);
  if (!code) return;
  const auto width = static_cast<std::size_t>(lanes);
  const int steps = static_cast<int>(numbers.seed % 4);
  const double t = 0.25, h = 0.01;
  Counts counts = comparison.counts();
  for (const TapeArray array : {TapeArray::kCoordinate, TapeArray::kVelocity})
    counts[static_cast<std::size_t>(array)] = kCoordinates;
  const Inputs inputs(numbers, counts, 0, width);
  std::vector<double> start = inputs.of[static_cast<std::size_t>(TapeArray::kCoordinate)];
  const std::vector<double>& v = inputs.of[static_cast<std::size_t>(TapeArray::kVelocity)];
  start.insert(start.end(), v.begin(), v.end());
  for (const std::size_t which : {0u, 1u}) {
    std::vector<double> state = start;
    const std::uint64_t failed =
        code.advance(which, state, inputs.view.data(), t, h, static_cast<std::uint64_t>(steps));
    for (std::size_t lane = 0; lane < width; ++lane) {
      std::vector<double> one;
      for (std::size_t i = 0; i < 2 * kCoordinates; ++i) one.push_back(start[i * width + lane]);
      const std::vector<double> before = one;
      const bool good = advance_one(flat, Inputs(numbers, counts, lane, 1), one, t, h, steps);
      require((failed >> lane & 1) == (good ? 0 : 1), "lanes that Runge-Kutta code hands back");
      for (std::size_t i = 0; i < 2 * kCoordinates; ++i)
        require(same_bits(state[i * width + lane], good ? one[i] : before[i]),
                "Runge-Kutta " + std::to_string(which) + ", entry " + std::to_string(i) + ": " +
                    std::to_string(state[i * width + lane]) + " for " + std::to_string(one[i]));
    }
  }
}

// Sums, quotients and roots of positive numbers: relative errors at most add (tests/machine/machine_code_test.cpp).
void check_positive(const Comparison& comparison, const Numbers& numbers, const Tape& tape, int lanes) {
  const Code code({{.tape = &tape, .lanes = lanes}}, {});
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
  const Code code({{.tape = &tape, .lanes = lanes}}, {});
  if (!code) return;
  const auto width = static_cast<std::size_t>(lanes);
  const Inputs inputs(numbers, comparison.counts(), 0, width);
  const CodeRun result = code.run(0, inputs.view.data());
  const std::vector<double>& q = inputs.of[static_cast<std::size_t>(TapeArray::kCoordinate)];
  for (std::size_t lane = 0; lane < width; ++lane) {
    bool too_large = false;
    for (const Call& call : calls)
      if (call.function == Op::kSin || call.function == Op::kCos)
        too_large |= !(std::abs(q[call.arguments[0] * width + lane]) <= 1073741824.0);
    too_large &= host_vector_unit() != VectorUnit::kSse2;
    require((result.failed >> lane & 1) == (too_large ? 1 : 0), "lanes that code hands back");
    if (too_large) continue;
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
    if (one_in(32)) check_calls(comparison, numbers, tape, calls, lanes);
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
    std::ranges::reverse(random.nodes);  // what was made last comes first, as accelerations do
    straight = flatten(random.nodes);
  } else {
    straight = RandomPeriodicTape(Choices(program)).take();
  }
  const Comparison comparison(straight, numbers);
  Tape flat, rolled;
  check_interpreted(comparison, straight, roll, flat, rolled);
  if (one_in(64)) check_code(comparison, numbers, flat, rolled, lanes, code);
  if (way <= 4 && one_in(64)) check_runge_kutta(comparison, numbers, flat, rolled, lanes, code);
  if (way == 1 && one_in(32)) check_positive(comparison, numbers, flat, lanes);
}
