// SPDX-License-Identifier: Apache-2.0
// The sines and cosines of machine code. Oracle: sinl and cosl of the C library with 64-bit significands, whose own
// error is below 2⁻¹⁰ of an ulp of a double, for arguments that are doubles.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "machine/lane_arguments.h"

namespace dalembert {
namespace {

using testing::code_of;
using testing::run_code;

Tape sine_and_cosine() {
  Tape tape;
  tape.instructions = {
      {.op = TapeOp::kArgument, .dst = 0, .a = static_cast<std::uint32_t>(TapeArray::kCoordinate), .b = 0},
      {.op = TapeOp::kSinCos, .dst = 0, .a = 0, .b = 1},
      {.op = TapeOp::kOutput, .dst = 0, .a = 0},
      {.op = TapeOp::kOutput, .dst = 1, .a = 1}};
  tape.registers = 2;
  tape.outputs = 2;
  return tape;
}

double error_in_ulps(double computed, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::abs(static_cast<long double>(computed) - exact) / ulp);
}

class SineCosineCode : public ::testing::Test {
 protected:
  void SetUp() override {
    DALEMBERT_SKIP_WITHOUT_CODE();
    if (host_vector_unit() == VectorUnit::kSse2) GTEST_SKIP() << "without fused multiply-adds sines are libm's";
    code_ = code_of(tape_, 8, {});
    scalar_ = code_of(tape_, 1, {});
    ASSERT_TRUE(code_ && scalar_);
  }
  // Eight angles at once, and one of them alone: its polynomials are summed up in another order.
  void check(const std::vector<double>& angles) {
    std::vector<const double*> arguments(kTapeArrays, angles.data());
    const auto all = run_code(*code_, tape_, arguments.data(), 8);
    EXPECT_EQ(all.failed, 0u);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const long double x = angles[lane];
      largest_ = std::max(
          {largest_, error_in_ulps(all.out[lane], std::sin(x)), error_in_ulps(all.out[8 + lane], std::cos(x))});
    }
    arguments.assign(kTapeArrays, &angles[3]);
    const auto one = run_code(*scalar_, tape_, arguments.data(), 1);
    const long double x = angles[3];
    largest_ = std::max({largest_, error_in_ulps(one.out[0], std::sin(x)), error_in_ulps(one.out[1], std::cos(x))});
  }

  Tape tape_ = sine_and_cosine();
  std::shared_ptr<const MachineCode> code_, scalar_;
  double largest_ = 0;
};

// r = x − kπ/2 is rounded to half an ulp of r, the last operation of each function to half an ulp of its result. Sine
// is worst where r is just above 1/2 and sin r just below: ½ + 0.88 (an ulp of r is two of sin r) + 0.1 (the terms of
// r³). Cosine: ½ + 0.35 (r) + 0.25 (r²) + 0.15. Measured: 1.484.
constexpr double kBound = 1.5;

TEST_F(SineCosineCode, IsExactToAnUlpAndAHalf) {
  std::mt19937_64 random(1);
  for (const double range : {1e-300, 1e-8, 0.1, 0.79, 1.6, 3.2, 10.0, 1e3, 1e5, 1e7, 1e9, 1073741824.0}) {
    std::uniform_real_distribution<double> any(-range, range);
    for (int i = 0; i < 10000; ++i) {
      std::vector<double> angles(8);
      for (double& angle : angles) angle = any(random);
      check(angles);
    }
  }
  RecordProperty("largest_error_in_ulps_times_1000", static_cast<int>(1000 * largest_));
  EXPECT_LE(largest_, kBound);
}

// The doubles next to kπ/4: at multiples of π/2 one of the two is tiny and all of the reduction shows.
TEST_F(SineCosineCode, HoldsNextToMultiplesOfAQuarterTurn) {
  std::mt19937_64 random(2);
  for (const double range : {10.0, 1e3, 1e6, 1.3e9}) {
    std::uniform_real_distribution<double> any(-range, range);
    for (int i = 0; i < 10000; ++i) {
      const auto k = static_cast<long double>(std::round(any(random)));
      double angle = static_cast<double>(k * std::numbers::pi_v<long double> / 4);
      std::vector<double> angles(8);
      for (int step = 0; step < 4; ++step) angle = std::nextafter(angle, -2e9);
      for (double& next : angles) {
        next = angle;
        angle = std::nextafter(angle, 2e9);
      }
      check(angles);
    }
  }
  RecordProperty("largest_error_in_ulps_times_1000", static_cast<int>(1000 * largest_));
  EXPECT_LE(largest_, kBound);
}

}  // namespace
}  // namespace dalembert
