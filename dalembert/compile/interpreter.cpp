// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/interpreter.h"

#include <array>
#include <cassert>
#include <cmath>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Register i is Lanes numbers from r[i·Lanes] on, one for each of the systems evaluated at once; arguments and outputs
// likewise.
template <int Lanes>
class Interpreter {
 public:
  Interpreter(const Tape& tape, const double* const* arguments, double* registers, double* out)
      : tape_(tape), k_(tape.constants.data()), arguments_(arguments), r_(registers), out_(out) {}

  void run() {
    for (const Instruction& instruction : tape_.instructions) step(instruction);
  }

 private:
  static std::size_t at(std::uint32_t i) { return static_cast<std::size_t>(i) * Lanes; }

  // f in every lane. Operands are read before the result is written: the result may stand in the place of one.
  template <class F>
  void each(const Instruction& i, F f) {
    double* dst = r_ + at(i.dst);
    for (int lane = 0; lane < Lanes; ++lane) dst[lane] = f(lane);
  }
  template <class F>
  void unary(const Instruction& i, F f) {
    const double* a = r_ + at(i.a);
    each(i, [&](int lane) { return f(a[lane]); });
  }
  template <class F>
  void binary(const Instruction& i, F f) {
    const double *a = r_ + at(i.a), *b = r_ + at(i.b);
    each(i, [&](int lane) { return f(a[lane], b[lane]); });
  }
  template <class F>
  void ternary(const Instruction& i, F f) {
    const double *a = r_ + at(i.a), *b = r_ + at(i.b), *c = r_ + at(i.c);
    each(i, [&](int lane) { return f(a[lane], b[lane], c[lane]); });
  }
  // Operands a and c, and the constant b.
  template <class F>
  void with_constant(const Instruction& i, F f) {
    const double *a = r_ + at(i.a), *c = r_ + at(i.c), k = k_[i.b];
    each(i, [&](int lane) { return f(a[lane], k, c[lane]); });
  }

  void copy(const double* from, double* to) {
    for (int lane = 0; lane < Lanes; ++lane) to[lane] = from[lane];
  }

  void sin_cos(const Instruction& i) {
    double *sine = r_ + at(i.dst), *cosine = r_ + at(i.b);
    const double* a = r_ + at(i.a);
    for (int lane = 0; lane < Lanes; ++lane) {
      const double x = a[lane];
      sine[lane] = std::sin(x);
      cosine[lane] = std::cos(x);
    }
  }

  void call(const Instruction& i) {
    const int count = arity(i.function);
    const double *a = r_ + at(i.a), *b = count > 1 ? r_ + at(i.b) : a, *c = count > 2 ? r_ + at(i.c) : a;
    each(i, [&](int lane) {
      const std::array<double, 3> x{a[lane], b[lane], c[lane]};
      return evaluate_function(i.function, x.data());
    });
  }

  void step(const Instruction& i) {
    switch (i.op) {
      case TapeOp::kConstant:
        return each(i, [k = k_[i.a]](int) { return k; });
      case TapeOp::kArgument:
        return copy(arguments_[i.a] + at(i.b), r_ + at(i.dst));
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
  const double* const* arguments_;  // by SymbolKind
  double *r_, *out_;
};

}  // namespace

void run(const Tape& tape, const double* const* arguments, double* work, double* out, int lanes) {
  switch (lanes) {
    case 1:
      return Interpreter<1>(tape, arguments, work, out).run();
    case 4:
      return Interpreter<4>(tape, arguments, work, out).run();
    case 8:
      return Interpreter<8>(tape, arguments, work, out).run();
    case 32:
      return Interpreter<32>(tape, arguments, work, out).run();
    default:
      assert(false && "1, 4, 8 or 32 lanes");
  }
}

void run(const Tape& tape, const KernelArguments& in, double* out) {
  // In the order of TapeArray.
  static_assert(static_cast<int>(SymbolKind::kTime) == 0 && static_cast<int>(SymbolKind::kParameter) == 1 &&
                static_cast<int>(SymbolKind::kInput) == 2 && static_cast<int>(SymbolKind::kCoordinate) == 3 &&
                static_cast<int>(SymbolKind::kVelocity) == 4 && static_cast<int>(SymbolKind::kAcceleration) == 5 &&
                static_cast<int>(SymbolKind::kMultiplier) == 6);
  const double* const arguments[kTapeArrays] = {&in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared};
  run(tape, arguments, in.work, out, 1);
}

}  // namespace dalembert
