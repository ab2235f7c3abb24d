// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/histogram.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dalembert {
namespace {

std::vector<double> counts_in(const std::vector<double>& edges, const std::vector<double>& numbers) {
  std::vector<double> counts(edges.size() - 1);
  for (const double number : numbers) {
    const auto after = std::upper_bound(edges.begin(), edges.end(), number) - edges.begin();
    ++counts[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, std::ssize(counts) - 1))];
  }
  return counts;
}

}  // namespace

std::vector<double> histogram_edges(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const double from = numbers.front(), to = numbers.back();
  const auto n = static_cast<double>(numbers.size());
  if (!(to > from)) {
    const AxisRange around = with_margin({from, to}, 0);
    return {around.from, around.to};
  }
  const double quartiles = numbers[numbers.size() * 3 / 4] - numbers[numbers.size() / 4];
  const double wanted = quartiles > 0 ? (to - from) / (2 * quartiles / std::cbrt(n)) : std::sqrt(n);
  const int count = static_cast<int>(std::clamp(std::ceil(wanted), 5.0, 60.0));
  std::vector<double> edges;
  for (int k = 0; k <= count; ++k) edges.push_back(k == count ? to : from + (to - from) * k / count);
  return edges;
}

std::string draw_histogram(const Histogram& histogram) {
  std::vector<double> all = histogram.numbers;
  all.insert(all.end(), histogram.doubtful.begin(), histogram.doubtful.end());
  const std::vector<double> edges = histogram_edges(all);
  const std::vector<double> plain = counts_in(edges, histogram.numbers), hatched = counts_in(edges, histogram.doubtful);
  double highest = 1;
  for (std::size_t k = 0; k < plain.size(); ++k) highest = std::max(highest, plain[k] + hatched[k]);
  PlotPage page(histogram.title, histogram.description,
                {.x = with_margin({edges.front(), edges.back()}, 0.03),
                 .y = {0, 1.06 * highest},
                 .x_label = histogram.label,
                 .y_label = {{"runs"}},
                 .legend = histogram.legend});
  const auto bars = [&](const char* look, const auto& from, const auto& to) {
    page.add(fmt::format("<g class=\"bars\" {}>\n", look));
    for (std::size_t k = 0; k < plain.size(); ++k)
      if (to(k) > from(k))
        page.add(fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n",
                             page.px(edges[k]), page.py(to(k)), page.px(edges[k + 1]) - page.px(edges[k]),
                             page.py(from(k)) - page.py(to(k))));
    page.add("</g>\n");
  };
  const auto zero = [](std::size_t) { return 0.0; };
  const auto middle = [&](std::size_t k) { return plain[k]; };
  bars("fill=\"#56a0d3\" stroke=\"#ffffff\" stroke-width=\"0.6\"", zero, middle);
  bars("fill=\"url(#hatched)\" stroke=\"#d55e00\"", middle, [&](std::size_t k) { return plain[k] + hatched[k]; });
  return page.finish();
}

std::string draw_point_cloud(const PointCloud& cloud) {
  PlotPage page(cloud.title, cloud.description,
                {.x = with_margin(range_of(cloud.x, false), 0.04),
                 .y = with_margin(range_of(cloud.y, false), 0.06),
                 .x_label = cloud.x_label,
                 .y_label = cloud.y_label,
                 .legend = cloud.legend});
  // Many points are smaller and let others shine through.
  const bool many = cloud.x.size() > 500;
  std::string disks, rings, crosses;
  for (std::size_t k = 0; k < cloud.x.size(); ++k) {
    const double x = page.px(cloud.x[k]);
    if (!std::isfinite(cloud.y[k])) {
      crosses += fmt::format("M{:.1f} {:.1f}l6 6m-6 0l6 -6", x - 3, page.frame().bottom - 9);
    } else if (cloud.doubtful[k]) {
      rings += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\"/>", x, page.py(cloud.y[k]));
    } else {
      disks += fmt::format("M{:.1f} {:.1f}h0", x, page.py(cloud.y[k]));
    }
  }
  // A line of length 0 with round ends is a disk.
  page.add(
      fmt::format("<path class=\"points\" d=\"{}\" stroke=\"#0072b2\" stroke-width=\"{}\" stroke-opacity=\"{}\" "
                  "stroke-linecap=\"round\" fill=\"none\"/>\n",
                  disks, many ? 2.4 : 4.6, many ? 0.5 : 0.8));
  if (!rings.empty())
    page.add(
        fmt::format("<g class=\"doubtful\" fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.2\">{}</g>\n", rings));
  if (!crosses.empty())
    page.add(fmt::format("<path class=\"failed\" d=\"{}\" stroke=\"#1a1a1a\" fill=\"none\"/>\n", crosses));
  return page.finish();
}

}  // namespace dalembert
