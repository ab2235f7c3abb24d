// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/weighted_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert::integration {
namespace {

double number(std::size_t i) { return std::sin(1.7 * static_cast<double>(i)) * (i % 3 == 0 ? 100 : 0.01); }

std::vector<Weight> weights_of(const std::vector<double>& row, std::size_t stride) {
  const std::vector<double>* rows[] = {&row};
  const WeightRows list(rows, stride);
  return {list[0].begin(), list[0].end()};
}

// Truth: the sums written out, rounded after each operation. Not a bit differs, whatever the size of the vectors and of
// their parts, also where the first part of the last stage is what the result held before, as of velocities.
TEST(WeightedSum, IsTheSumInOrder) {
  for (const std::size_t size : {1u, 2u, 5u, 6u, 7u, 8u, 13u, 14u, 16u, 17u, 33u, 60u})
    for (const std::size_t first : {std::size_t{0}, size / 2}) {
      const std::size_t stride = padded(size + 3);
      const std::vector<double> row{0.3, 0, -1.7, 0.01, 5};
      std::vector<double> stages(row.size() * stride), base(stride), result(stride);
      for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = number(i);
      for (std::size_t i = 0; i < stride; ++i) base[i] = number(3 * i + 1);
      const std::vector<Weight> weights = weights_of(row, stride);
      for (const bool known : {false, true})
        for (const bool based : {false, true}) {
          if (known)
            for (std::size_t i = 0; i < first; ++i) result[first + i] = stages[4 * stride + i];
          Sum sum{.weights = weights.data(),
                  .count = weights.size(),
                  .stages = stages.data(),
                  .last = known ? result.data() + first : nullptr,
                  .fresh = known,
                  .base = based ? base.data() : nullptr,
                  .h = 0.07,
                  .first = first,
                  .size = size};
          weighted_sum()(sum, result.data());
          for (std::size_t i = 0; i < size; ++i) {
            double truth = 0;
            for (const Weight& weight : weights) truth += weight.value * stages[weight.offset + i];
            if (based) truth = base[i] + 0.07 * truth;
            EXPECT_EQ(result[i], truth) << size << " " << first << " " << known << " " << i;
          }
        }
    }
}

// Truth: the sum of each lane alone, with a base and without one.
TEST(WeightedSum, OfLanesIsTheSumOfEach) {
  for (const std::size_t size : {1u, 2u, 3u, 4u, 6u, 7u, 17u})
    for (const bool based : {false, true}) {
      const std::vector<double> row{0.3, 0, -1.7, 0.01, 5};
      const std::size_t stride = (size + 2) * kLanes, alone_stride = padded(size);
      std::vector<double> stages(row.size() * stride), base(stride), result(stride, -7), h(kLanes);
      for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = number(i);
      for (std::size_t i = 0; i < stride; ++i) base[i] = number(3 * i + 1);
      for (std::size_t l = 0; l < kLanes; ++l) h[l] = number(l + 3);
      const std::vector<Weight> weights = weights_of(row, stride), alone_weights = weights_of(row, alone_stride);
      lane_weighted_sum()({.weights = weights.data(),
                           .count = weights.size(),
                           .stages = stages.data(),
                           .base = based ? base.data() : nullptr,
                           .h = h.data(),
                           .size = size},
                          result.data());
      for (std::size_t l = 0; l < kLanes; ++l) {
        std::vector<double> own(row.size() * alone_stride), own_base(alone_stride), alone(alone_stride);
        for (std::size_t s = 0; s < size; ++s) {
          own_base[s] = base[s * kLanes + l];
          for (std::size_t i = 0; i < row.size(); ++i) own[i * alone_stride + s] = stages[i * stride + s * kLanes + l];
        }
        weighted_sum()({.weights = alone_weights.data(),
                        .count = alone_weights.size(),
                        .stages = own.data(),
                        .base = based ? own_base.data() : nullptr,
                        .h = h[l],
                        .first = 0,
                        .size = size},
                       alone.data());
        for (std::size_t s = 0; s < size; ++s) EXPECT_EQ(result[s * kLanes + l], alone[s]) << size << " " << l;
      }
      for (std::size_t i = size * kLanes; i < stride; ++i) EXPECT_EQ(result[i], -7) << size << " " << i;
    }
}

// Truth: the norms of each lane alone, with tolerances of its own. A NaN in one lane stays there.
TEST(WeightedSum, MeasuresErrorsOfLanes) {
  for (const std::size_t count : {1u, 3u, 6u, 8u, 9u, 24u, 31u}) {
    const std::size_t size = count * kLanes;
    std::vector<double> high(size), low(size), y(size), y1(size), rtol(kLanes), atol(kLanes), high2(kLanes),
        low2(kLanes);
    for (std::size_t i = 0; i < size; ++i)
      high[i] = number(i), low[i] = number(i + 7), y[i] = number(2 * i), y1[i] = number(2 * i + 5);
    for (std::size_t l = 0; l < kLanes; ++l)
      rtol[l] = 0.1 / static_cast<double>(l + 1), atol[l] = 1e-3 * static_cast<double>(l + 1);
    high[(count - 1) * kLanes + 5] = y1[3] = std::nan("");
    lane_error_sum()({high.data(), low.data(), y.data(), y1.data(), count, rtol.data(), atol.data()}, high2.data(),
                     low2.data());
    for (std::size_t l = 0; l < kLanes; ++l) {
      std::vector<double> own[4];
      for (std::size_t k = 0; k < 4; ++k) {
        own[k].resize(padded(count));
        for (std::size_t s = 0; s < count; ++s) own[k][s] = std::array{&high, &low, &y, &y1}[k]->at(s * kLanes + l);
      }
      const ErrorNorm norm =
          error_sum()({own[0].data(), own[1].data(), own[2].data(), own[3].data(), count, rtol[l], atol[l]});
      EXPECT_EQ(std::isnan(high2[l]), std::isnan(norm.high)) << count << " " << l;
      EXPECT_TRUE(std::isnan(norm.high) || high2[l] == norm.high) << count << " " << l;
      EXPECT_TRUE(std::isnan(norm.low) ? std::isnan(low2[l]) : low2[l] == norm.low) << count << " " << l;
    }
    EXPECT_TRUE(std::isnan(high2[5]));
    EXPECT_FALSE(std::isnan(high2[4]));
  }
}

// Truth: the definition. No number behind a vector is written, and a lane without a place is left out.
TEST(WeightedSum, LanesAreTakenApartAndPutTogether) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 17u}) {
    std::vector<double> lanes(size * kLanes), own(kLanes * (size + 1), -1), again(size * kLanes + 1, -1);
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = number(i);
    double* to[kLanes] = {};
    for (std::size_t l = 0; l < kLanes; ++l)
      if (l != 2) to[l] = own.data() + l * (size + 1);
    lanes_apart()(lanes.data(), size, to);
    for (std::size_t l = 0; l < kLanes; ++l)
      for (std::size_t s = 0; s <= size; ++s)
        EXPECT_EQ(own[l * (size + 1) + s], l == 2 || s == size ? -1 : lanes[s * kLanes + l])
            << size << " " << l << " " << s;
    const double* from[kLanes] = {};
    for (std::size_t l = 0; l < kLanes; ++l) from[l] = own.data() + l * (size + 1);
    lanes_together()(from, size, again.data());
    for (std::size_t s = 0; s < size; ++s)
      for (std::size_t l = 0; l < kLanes; ++l)
        EXPECT_EQ(again[s * kLanes + l], from[l][s]) << size << " " << l << " " << s;
    EXPECT_EQ(again.back(), -1);
  }
}

// Truth: the sums in any order, to round-off. A NaN anywhere is seen.
TEST(WeightedSum, MeasuresErrors) {
  for (const std::size_t count : {1u, 3u, 6u, 8u, 9u, 24u, 31u}) {
    std::vector<double> high(padded(count)), low(padded(count)), y(count), y1(count);
    double high2 = 0, low2 = 0;
    for (std::size_t i = 0; i < count; ++i) {
      high[i] = number(i), low[i] = number(i + 7), y[i] = number(2 * i), y1[i] = number(2 * i + 5);
      const double scale = 1e-3 + 0.1 * std::max(std::abs(y[i]), std::abs(y1[i]));
      high2 += std::pow(high[i] / scale, 2);
      low2 += std::pow(low[i] / scale, 2);
    }
    const ErrorTerms terms{high.data(), low.data(), y.data(), y1.data(), count, 0.1, 1e-3};
    const ErrorNorm norm = error_sum()(terms);
    EXPECT_NEAR(norm.high, high2, 1e-14 * high2);
    EXPECT_NEAR(norm.low, low2, 1e-14 * low2);
    high[count - 1] = std::nan("");
    EXPECT_TRUE(std::isnan(error_sum()(terms).high));
  }
}

}  // namespace
}  // namespace dalembert::integration
