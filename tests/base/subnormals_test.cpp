// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/subnormals.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <thread>

#include "base/processor_word.h"

namespace dalembert {
namespace {

using testing::processor_word;

constexpr double kLeast = std::numeric_limits<double>::min(), kLeastOfAll = std::numeric_limits<double>::denorm_min();

// Not inlined, and from memory: computed when it is called.
[[gnu::noinline]] double product(double a, double b) {
  volatile double x = a, y = b;
  return x * y;
}

// Truth: IEEE 754. 2⁻¹⁰²² / 4 is subnormal, and four times that is 2⁻¹⁰²² again.
TEST(SubnormalsAsZeros, AreZerosMeanwhileAndNumbersAfterwards) {
  if (!SubnormalsAsZeros::kThere) GTEST_SKIP() << "there is no such switch here";
  EXPECT_EQ(product(kLeast, 0.25), kLeast / 4);
  {
    const SubnormalsAsZeros switched;
    EXPECT_EQ(product(kLeast, 0.25), 0.0);  // as a result
    EXPECT_TRUE(std::signbit(product(-kLeast, 0.25)));
    EXPECT_EQ(product(kLeastOfAll, 0x1p1000), 0.0);  // as an operand
    EXPECT_EQ(product(kLeast, 2), 2 * kLeast);       // the least that is not
  }
  EXPECT_EQ(product(kLeast, 0.25), kLeast / 4);
  EXPECT_EQ(product(kLeastOfAll, 0x1p1000), 0x1p-74);
}

int returns_early(bool early) {
  const SubnormalsAsZeros switched;
  if (early) return 1;
  const SubnormalsAsZeros again;
  return 2;
}

// Truth: the word of the processor itself. The caller's is the same before and after, whatever it was, in a thread of its
// own too; and what it says of rounding holds meanwhile.
TEST(SubnormalsAsZeros, LeaveTheCallersStateAsItWas) {
  const auto check = [] {
    for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      ASSERT_EQ(std::fesetround(rounding), 0);
      for (const bool flagged : {false, true}) {
        std::feclearexcept(FE_ALL_EXCEPT);
        if (flagged) std::feraiseexcept(FE_DIVBYZERO | FE_INEXACT);
        const auto before = processor_word();
        returns_early(true);
        EXPECT_EQ(processor_word(), before);
        returns_early(false);
        EXPECT_EQ(processor_word(), before);
        {
          const SubnormalsAsZeros switched;
          EXPECT_EQ(std::fegetround(), rounding);
          EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO) != 0, flagged);
          EXPECT_TRUE(std::isinf(product(std::numeric_limits<double>::max(), 2)) || rounding != FE_TONEAREST);
        }
        EXPECT_EQ(processor_word(), before);
        EXPECT_EQ(std::fegetround(), rounding);
      }
    }
    std::feclearexcept(FE_ALL_EXCEPT);
    std::fesetround(FE_TONEAREST);
  };
  check();
  const auto before = processor_word();
  std::thread(check).join();
  // A thread that has switched already.
  std::thread([] {
    const SubnormalsAsZeros already;
    const auto own = processor_word();
    returns_early(true);
    EXPECT_EQ(processor_word(), own);
    EXPECT_EQ(product(kLeast, 0.25), SubnormalsAsZeros::kThere ? 0.0 : kLeast / 4);
  }).join();
  EXPECT_EQ(processor_word(), before);
}

}  // namespace
}  // namespace dalembert
