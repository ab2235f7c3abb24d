// SPDX-License-Identifier: Apache-2.0
// What is said of integrability: what was decided, and no more.
#include <gtest/gtest.h>

#include "dalembert/study/analysis.h"

namespace dalembert {
namespace {

TEST(IntegrabilityText, SaysWhatWasNotDecided) {
  Integrability found;
  found.kind = "mixed";
  found.rank = 2;
  found.integrable = found.integrable_at_most = 1;
  found.growth = {2, 3};
  found.exact = true;
  EXPECT_EQ(integrability_text(found), "mixed: 1 of 2 integrable, growth (2, 3)");
  found.exact = false;
  EXPECT_EQ(integrability_text(found), "mixed: 1 of 2 integrable, growth (2, 3), by numbers at a random point");
  found.kind = "undecided";
  found.complete = false;
  found.integrable_at_most = 2;
  EXPECT_EQ(
      integrability_text(found),
      "undecided: 1 to 2 of 2 integrable, growth (2, 3, ...), by numbers at a random point, not followed further");
  found.exact = true;
  EXPECT_EQ(integrability_text(found),
            "undecided: 1 to 2 of 2 integrable, growth (2, 3, ...), not followed further: limit of work");
  found.growth.clear();
  found.why_undecided = "some function has no values to decide with";
  EXPECT_EQ(integrability_text(found), "undecided: some function has no values to decide with");
}

}  // namespace
}  // namespace dalembert
