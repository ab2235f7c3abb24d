// SPDX-License-Identifier: Apache-2.0
// Rows of reports and frames of films: evenly spaced, and none beyond the end, whatever round-off makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dalembert/study/report_page.h"

namespace dalembert {
namespace {

TEST(ReportRows, EndAtTheEndOfTheRun) {
  for (int tenths = 1; tenths <= 300; ++tenths)
    for (const double from : {0.0, 0.3, -1.7}) {
      IntegrateOptions options;
      options.until = tenths / 10.0;
      choose_report_rows(from, options);
      const std::vector<double>& times = options.output_times;
      const bool forwards = options.until >= from;
      EXPECT_EQ(times.front(), from);
      EXPECT_EQ(times.back(), options.until);
      EXPECT_TRUE(forwards ? std::ranges::is_sorted(times) : std::ranges::is_sorted(times, std::greater<>())) << tenths;
      EXPECT_NEAR(times[times.size() / 2], from + (options.until - from) * 600 / 1199, 1e-12);
      EXPECT_EQ(evenly_spaced(from, options.until, 240).back(), options.until);
    }
}

}  // namespace
}  // namespace dalembert
