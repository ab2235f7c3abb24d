// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/interpreter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>

#include "dalembert/base/sine_cosine_formula.h"
#include "dalembert/base/subnormals.h"
#include "dalembert/expr/functions.h"
#include "dalembert/tape/subnormals.h"

namespace dalembert {
namespace {

// Vector instructions for operations that are the same in every lane. AVX2 or AVX-512 is selected at run time; the bits
// are the same.
#if defined(__x86_64__) && defined(__GNUC__)
#define DALEMBERT_WIDE_LANES 1
#if defined(__clang__)
#define DALEMBERT_AVX512 "avx512f"
#else
#define DALEMBERT_AVX512 "avx512f,prefer-vector-width=512"
#endif
#endif

// Tells the compiler that lanes are independent, also where the result overwrites an operand.
#if defined(__clang__)
#define DALEMBERT_EACH_LANE _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DALEMBERT_EACH_LANE _Pragma("GCC ivdep")
#else
#define DALEMBERT_EACH_LANE
#endif

// All code for wider vectors must be inlined into run_avx2 and run_avx512. Clang's attribute `flatten` inlines the
// functions that they call, but not the calls in those functions.
#if defined(__GNUC__)
#define DALEMBERT_INLINE [[gnu::always_inline]] inline
#else
#define DALEMBERT_INLINE inline
#endif

// For a function that is called so seldom that it saves the registers that it uses itself, so that its callers need
// not. (Vector registers it would save one by one, so only for one lane.)
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define DALEMBERT_SELDOM [[gnu::noinline, clang::preserve_most]]
#else
#define DALEMBERT_SELDOM [[gnu::noinline]]
#endif

// Whether to jump to the addresses of labels (computed goto). In WebAssembly such jumps would become a switch again.
#if defined(__GNUC__) && !defined(__wasm__)
#define DALEMBERT_JUMPS 1
#endif

// All operations, in the order of TapeOp.
// clang-format off
#define DALEMBERT_TAPE_OPS(X)                                                            \
  X(kConstant) X(kArgument) X(kOutput)                                                   \
  X(kAdd) X(kSubtract) X(kMultiply) X(kDivide) X(kNegate) X(kSquare) X(kSquareRoot)      \
  X(kAddConstant) X(kSubtractFrom) X(kScale) X(kDivideInto)                              \
  X(kMultiplyAdd) X(kMultiplySubtract) X(kSubtractProduct) X(kScaleAdd) X(kScaleSubtract) \
  X(kSinCos) X(kCall)
// clang-format on
#define DALEMBERT_NAME(name) TapeOp::name,
constexpr TapeOp kTapeOps[] = {DALEMBERT_TAPE_OPS(DALEMBERT_NAME)};
#undef DALEMBERT_NAME
constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kTapeOps); ++i)
    if (static_cast<std::size_t>(kTapeOps[i]) != i) return false;
  return static_cast<std::size_t>(TapeOp::kCall) + 1 == std::size(kTapeOps);  // kCall is the last one
}
static_assert(in_order());

// Register i is Lanes numbers from r[i·Lanes] on, one for each of the systems evaluated at once; so are arguments and
// outputs, except for arrays that lanes share.
template <int Lanes>
class Interpreter {
 public:
  Interpreter(const Tape& tape, const double* const* arguments, double* registers, double* out)
      : tape_(tape), k_(tape.constants.data()), arguments_(arguments), r_(registers), out_(out) {}

  DALEMBERT_INLINE void run() {
    const Instruction* const first = tape_.instructions.data();
    std::size_t next = 0;
    for (const Loop& loop : tape_.loops) {
      run(first + next, first + loop.begin);
      repeat(loop);
      next = loop.end;
    }
    run(first + next, first + tape_.instructions.size());
  }
  DALEMBERT_INLINE void run_straight() {
    run(tape_.instructions.data(), tape_.instructions.data() + tape_.instructions.size());
  }

 private:
  DALEMBERT_INLINE void run(const Instruction* from, const Instruction* to) {
#ifdef DALEMBERT_JUMPS
    if constexpr (Lanes == 1) return jump_from_step_to_step(from, to);
#endif
    for (; from != to; ++from) step(*from);
  }
  // Copies the instructions of a round, kMoved at a time, with their fields moved on to that round, and runs the copy.
  // If the whole round fits, its copy is moved on from the previous round's.
  DALEMBERT_INLINE void repeat(const Loop& loop) {
    constexpr std::uint32_t kMoved = 512;
    Instruction moved[kMoved];
    const std::uint32_t size = loop.end - loop.begin;
    for (std::uint32_t round = 0; round < loop.rounds; ++round)
      for (std::uint32_t from = loop.begin; from < loop.end; from += kMoved) {
        const std::uint32_t count = std::min(kMoved, loop.end - from);
        const Instruction* first = tape_.instructions.data() + from;
        const Stride* strides = tape_.strides.data() + from;
        const bool at_hand = size <= kMoved && round > 0;
        for (std::uint32_t i = 0; i < count; ++i)
          moved[i] = at_hand ? in_round(moved[i], strides[i], 1) : in_round(first[i], strides[i], round);
        run(moved, moved + count);
      }
  }
  static Instruction in_round(const Instruction& i, const Stride& stride, std::uint32_t round) {
    const auto moved = [&](std::uint32_t field, std::int32_t by) {
      return field + round * static_cast<std::uint32_t>(by);
    };
    return {
        i.op, i.function, moved(i.dst, stride.dst), moved(i.a, stride.a), moved(i.b, stride.b), moved(i.c, stride.c)};
  }

#ifdef DALEMBERT_JUMPS
  // As run(), but each operation ends with a jump of its own. Processors predict an indirect jump by its address, and a
  // single jump for all operations, as that of a switch in a loop, is mispredicted every other time. With several lanes
  // the time of the operations hides that.
#if defined(__clang__)
  // Clang merges jumps to the addresses of labels into one, so here each operation is a function that ends in a tail
  // call.
  using Step = void (*)(Interpreter& self, const Instruction* i, const Instruction* end);
  template <TapeOp kOp>
  static void step_and_jump(Interpreter& self, const Instruction* i, const Instruction* end) {
    self.template step_of<kOp>(*i);
    if (++i == end) return;
    [[clang::musttail]] return kSteps[static_cast<std::size_t>(i->op)](self, i, end);
  }
#define DALEMBERT_STEP(name) &step_and_jump<TapeOp::name>,
  static constexpr Step kSteps[] = {DALEMBERT_TAPE_OPS(DALEMBERT_STEP)};
#undef DALEMBERT_STEP
  void jump_from_step_to_step(const Instruction* i, const Instruction* end) {
    if (i != end) kSteps[static_cast<std::size_t>(i->op)](*this, i, end);
  }
#else
  void jump_from_step_to_step(const Instruction* i, const Instruction* end) {
#define DALEMBERT_LABEL(name) &&name,
#define DALEMBERT_STEP(name) \
  name:                      \
  step_of<TapeOp::name>(*i); \
  if (++i == end) return;    \
  goto* labels[static_cast<std::size_t>(i->op)];
    static const void* const labels[] = {DALEMBERT_TAPE_OPS(DALEMBERT_LABEL)};
    if (i == end) return;
    goto* labels[static_cast<std::size_t>(i->op)];
    DALEMBERT_TAPE_OPS(DALEMBERT_STEP)
#undef DALEMBERT_STEP
#undef DALEMBERT_LABEL
  }
#endif
#endif

  static std::size_t at(std::uint32_t i) { return static_cast<std::size_t>(i) * Lanes; }

  // Applies f in every lane. Operands are read before the result is written, which may overwrite one of them.
  template <class F>
  DALEMBERT_INLINE void each(const Instruction& i, F f) {
    double* dst = r_ + at(i.dst);
    DALEMBERT_EACH_LANE
    for (int lane = 0; lane < Lanes; ++lane) dst[lane] = f(lane);
  }
  template <class F>
  DALEMBERT_INLINE void unary(const Instruction& i, F f) {
    const double* a = r_ + at(i.a);
    each(i, [&](int lane) { return f(a[lane]); });
  }
  template <class F>
  DALEMBERT_INLINE void binary(const Instruction& i, F f) {
    const double *a = r_ + at(i.a), *b = r_ + at(i.b);
    each(i, [&](int lane) { return f(a[lane], b[lane]); });
  }
  template <class F>
  DALEMBERT_INLINE void ternary(const Instruction& i, F f) {
    const double *a = r_ + at(i.a), *b = r_ + at(i.b), *c = r_ + at(i.c);
    each(i, [&](int lane) { return f(a[lane], b[lane], c[lane]); });
  }
  // Operands a and c, and the constant b.
  template <class F>
  DALEMBERT_INLINE void with_constant(const Instruction& i, F f) {
    const double *a = r_ + at(i.a), *c = r_ + at(i.c), k = k_[i.b];
    each(i, [&](int lane) { return f(a[lane], k, c[lane]); });
  }

  DALEMBERT_INLINE void copy(const double* from, double* to) {
    for (int lane = 0; lane < Lanes; ++lane) to[lane] = from[lane];
  }
  DALEMBERT_INLINE void argument(const Instruction& i) {
    const double* array = arguments_[i.a];
    if (shared_by_lanes(static_cast<TapeArray>(i.a))) return each(i, [x = array[i.b]](int) { return x; });
    copy(array + at(i.b), r_ + at(i.dst));
  }

  DALEMBERT_INLINE void sin_cos(const Instruction& i) {
    double *sine = r_ + at(i.dst), *cosine = r_ + at(i.b);
    const double* a = r_ + at(i.a);
    bool small = true;
    for (int lane = 0; lane < Lanes; ++lane) small &= is_small_angle(a[lane]);
    if (!small) {
      if constexpr (Lanes == 1) return sin_cos_of_any_alone(i);
      return sin_cos_of_any(i);
    }
    DALEMBERT_EACH_LANE
    for (int lane = 0; lane < Lanes; ++lane) {
      const SineCosine both = sine_cosine_of_small_angle(a[lane]);
      sine[lane] = both.sine;
      cosine[lane] = both.cosine;
    }
  }

  DALEMBERT_SELDOM void sin_cos_of_any_alone(const Instruction& i) { sin_cos_of_any(i); }
  [[gnu::noinline]] void sin_cos_of_any(const Instruction& i) {
    double *sine = r_ + at(i.dst), *cosine = r_ + at(i.b);
    const double* a = r_ + at(i.a);
    for (int lane = 0; lane < Lanes; ++lane) {
      const SineCosine both = sine_cosine(a[lane]);
      sine[lane] = both.sine;
      cosine[lane] = both.cosine;
    }
  }

  DALEMBERT_INLINE void call(const Instruction& i) {
    // Functions of one or two machine instructions are computed in all lanes at once, with the results of
    // evaluate_function().
    switch (i.function) {
      case Op::kAbs:
        return unary(i, [](double a) { return std::abs(a); });
      case Op::kLess:
        return binary(i, [](double a, double b) { return a < b ? 1.0 : 0.0; });
      case Op::kSelect:
        return ternary(i, [](double a, double b, double c) { return a != 0 ? b : c; });
      default:
        break;
    }
    call_library(i);
  }

  // Not inlined, so that other instructions do not pay for its stack frame.
  [[gnu::noinline]] void call_library(const Instruction& i) {
    const FunctionInfo& function = function_info(i.function);
    const double *a = r_ + at(i.a), *b = function.arguments > 1 ? r_ + at(i.b) : a,
                 *c = function.arguments > 2 ? r_ + at(i.c) : a;
    each(i, [value = function.value, a, b, c](int lane) {
      const std::array<double, 3> x{a[lane], b[lane], c[lane]};
      return value(x.data());
    });
  }

  DALEMBERT_INLINE void step(const Instruction& i) { step_as(i.op, i); }
  template <TapeOp kOp>
  DALEMBERT_INLINE void step_of(const Instruction& i) {
    step_as(kOp, i);
  }
  DALEMBERT_INLINE void step_as(TapeOp op, const Instruction& i) {
    switch (op) {
      case TapeOp::kConstant:
        return each(i, [k = k_[i.a]](int) { return k; });
      case TapeOp::kArgument:
        return argument(i);
      case TapeOp::kOutput:
        return copy(r_ + at(i.a), out_ + at(i.dst));
      case TapeOp::kAdd:
        return binary(i, [](double a, double b) { return a + b; });
      case TapeOp::kSubtract:
        return binary(i, [](double a, double b) { return a - b; });
      case TapeOp::kMultiply:
        return binary(i, [](double a, double b) { return a * b; });
      case TapeOp::kDivide:
        return binary(i, [](double a, double b) { return a / b; });
      case TapeOp::kNegate:
        return unary(i, [](double a) { return -a; });
      case TapeOp::kSquare:
        return unary(i, [](double a) { return a * a; });
      case TapeOp::kSquareRoot:
        return unary(i, [](double a) { return std::sqrt(a); });
      case TapeOp::kAddConstant:
        return unary(i, [k = k_[i.b]](double a) { return a + k; });
      case TapeOp::kSubtractFrom:
        return unary(i, [k = k_[i.b]](double a) { return k - a; });
      case TapeOp::kScale:
        return unary(i, [k = k_[i.b]](double a) { return k * a; });
      case TapeOp::kDivideInto:
        return unary(i, [k = k_[i.b]](double a) { return k / a; });
      case TapeOp::kMultiplyAdd:
        return ternary(i, [](double a, double b, double c) { return a * b + c; });
      case TapeOp::kMultiplySubtract:
        return ternary(i, [](double a, double b, double c) { return a * b - c; });
      case TapeOp::kSubtractProduct:
        return ternary(i, [](double a, double b, double c) { return c - a * b; });
      case TapeOp::kScaleAdd:
        return with_constant(i, [](double a, double k, double c) { return k * a + c; });
      case TapeOp::kScaleSubtract:
        return with_constant(i, [](double a, double k, double c) { return k * a - c; });
      case TapeOp::kSinCos:
        return sin_cos(i);
      case TapeOp::kCall:
        return call(i);
    }
  }

  const Tape& tape_;
  const double* k_;
  const double* const* arguments_;  // argument arrays, by TapeArray
  double *r_, *out_;
};

#ifdef DALEMBERT_WIDE_LANES
template <int Lanes>
[[gnu::flatten, gnu::target("avx2")]] void run_avx2(const Tape& tape, const double* const* arguments, double* work,
                                                    double* out) {
  Interpreter<Lanes>(tape, arguments, work, out).run();
}
template <int Lanes>
[[gnu::flatten, gnu::target(DALEMBERT_AVX512)]] void run_avx512(const Tape& tape, const double* const* arguments,
                                                                double* work, double* out) {
  Interpreter<Lanes>(tape, arguments, work, out).run();
}
#endif

template <int Lanes>
void run_wide(const Tape& tape, const double* const* arguments, double* work, double* out) {
#ifdef DALEMBERT_WIDE_LANES
  if (__builtin_cpu_supports("avx512f")) return run_avx512<Lanes>(tape, arguments, work, out);
  if (__builtin_cpu_supports("avx2")) return run_avx2<Lanes>(tape, arguments, work, out);
#endif
  Interpreter<Lanes>(tape, arguments, work, out).run();
}

[[gnu::noinline]] void run_lanes(const Tape& tape, const double* const* arguments, double* work, double* out,
                                 int lanes) {
  switch (lanes) {
    case 1:
      return Interpreter<1>(tape, arguments, work, out).run();
    case 4:
      return run_wide<4>(tape, arguments, work, out);
    case 8:
      return run_wide<8>(tape, arguments, work, out);
    case 32:
      return run_wide<32>(tape, arguments, work, out);
    default:
      assert(false && "1, 4, 8 or 32 lanes");
  }
}

// Calls run_lanes(), which is not inlined: no arithmetic can be moved to before the change of the processor's mode.
[[gnu::noinline]] void run_without_subnormals(const Tape& tape, const double* const* arguments, double* work,
                                              double* out, int lanes) {
  const SubnormalsAsZeros switched;
  run_lanes(tape, arguments, work, out, lanes);
}

// One system without loops: a small stack frame, which matters for tapes of a few instructions.
[[gnu::noinline]] void run_straight(const Tape& tape, const double* const* arguments, double* work, double* out) {
  Interpreter<1>(tape, arguments, work, out).run_straight();
}

}  // namespace

void run(const Tape& tape, const double* const* arguments, double* work, double* out, int lanes) {
  if (takes_subnormals_for_zeros(tape)) [[unlikely]]
    return run_without_subnormals(tape, arguments, work, out, lanes);
  if (lanes == 1 && tape.loops.empty()) return run_straight(tape, arguments, work, out);
  run_lanes(tape, arguments, work, out, lanes);
}

}  // namespace dalembert
