// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/tape_linearization.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dalembert/compile/tape_arguments.h"
#include "dalembert/tape/tape_jacobian.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// Makes a tape of r = M v̇ − f − Wᵀλ and c = W v̇ + γ, in single-assignment form, from the tape of M, f, W and γ.
class Residual {
 public:
  Residual(const Tape& rates, const Layout& layout) : layout_(layout), tape_(rates), value_(rates.outputs) {
    std::erase_if(tape_.instructions, [&](const Instruction& instruction) {
      if (instruction.op != TapeOp::kOutput) return false;
      value_[instruction.dst] = instruction.a;
      return true;
    });
  }

  Tape take() {
    const auto n = static_cast<std::size_t>(layout_.nv), m = static_cast<std::size_t>(layout_.m);
    const RatesPlaces at(layout_);
    const std::vector<std::uint32_t> qdd = arguments(TapeArray::kAcceleration, n);
    const std::vector<std::uint32_t> lambda = arguments(TapeArray::kMultiplier, m);
    std::vector<std::uint32_t> sum(n + m);
    for (std::size_t i = 0; i < n; ++i) sum[i] = emit(TapeOp::kNegate, value_[at.f + i]);
    for (std::size_t i = 0; i < m; ++i) sum[n + i] = value_[at.gamma + i];
    for (std::size_t k = 0; k < layout_.M.row.size(); ++k) {
      std::uint32_t& r = sum[static_cast<std::size_t>(layout_.M.row[k])];
      r = emit(TapeOp::kMultiplyAdd, value_[k], qdd[static_cast<std::size_t>(layout_.M.col[k])], r);
    }
    for (std::size_t k = 0; k < layout_.W.row.size(); ++k) {
      const auto row = static_cast<std::size_t>(layout_.W.row[k]), column = static_cast<std::size_t>(layout_.W.col[k]);
      sum[column] = emit(TapeOp::kSubtractProduct, value_[at.W + k], lambda[row], sum[column]);
      sum[n + row] = emit(TapeOp::kMultiplyAdd, value_[at.W + k], qdd[column], sum[n + row]);
    }
    for (std::size_t i = 0; i < n + m; ++i)
      tape_.instructions.push_back({.op = TapeOp::kOutput, .dst = static_cast<std::uint32_t>(i), .a = sum[i]});
    tape_.outputs = n + m;
    return std::move(tape_);
  }

 private:
  std::uint32_t emit(TapeOp op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    const auto value = static_cast<std::uint32_t>(tape_.registers++);
    tape_.instructions.push_back({.op = op, .dst = value, .a = a, .b = b, .c = c});
    return value;
  }
  std::vector<std::uint32_t> arguments(TapeArray array, std::size_t count) {
    std::vector<std::uint32_t> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = emit(TapeOp::kArgument, static_cast<std::uint32_t>(array), static_cast<std::uint32_t>(i));
    return values;
  }

  const Layout& layout_;
  Tape tape_;
  std::vector<std::uint32_t> value_;  // by output: its register
};

}  // namespace

TapeLinearization::TapeLinearization(const Tape& rates, const Layout& layout) {
  std::vector<ArgumentEntry> by;
  for (int i = 0; i < layout.nq; ++i) by.push_back({TapeArray::kCoordinate, i});
  for (int i = 0; i < layout.nv; ++i) by.push_back({TapeArray::kVelocity, i});
  const int rows = layout.nv + layout.m;
  TapeJacobian jacobian = make_jacobian(Residual(rates, layout).take(), by, static_cast<std::size_t>(rows));
  tape_ = std::move(jacobian.tape);
  pattern_ = {rows, static_cast<int>(by.size()), std::move(jacobian.row), std::move(jacobian.col)};
  finish(tape_);
  work_ = tape_.registers;
}

void TapeLinearization::call(const KernelArguments& in, double* out) const { run(tape_, in, out); }

}  // namespace dalembert
