// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/hypotenuse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dalembert {
namespace {

TEST(Hypotenuse, IsTheLengthOfAVectorOfAnySize) {
  EXPECT_EQ(hypotenuse(3, -4), 5);
  EXPECT_EQ(hypotenuse(0, -2), 2);
  EXPECT_EQ(hypotenuse(0, 0), 0);
  for (const double size : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    for (double x = 0.01; x < 1; x += 0.0137) {
      const double exact = static_cast<double>(std::sqrt(static_cast<long double>(x) * x + 0.49L));
      EXPECT_NEAR(hypotenuse(0.7 * size, x * size) / size, exact, 4 * std::numeric_limits<double>::epsilon() * exact);
    }
  }
}

TEST(Hypotenuse, HidesNoNumberThatIsNone) {
  const double none = std::nan("");
  EXPECT_TRUE(std::isnan(hypotenuse(none, 1)));
  EXPECT_TRUE(std::isnan(hypotenuse(1, none)));
  EXPECT_EQ(hypotenuse(-std::numeric_limits<double>::infinity(), 1), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace dalembert
