// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/quantities.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/sweep/sampling.h"

namespace dalembert::sweeping {
namespace {

struct KindOfDistribution {
  std::string_view name;
  Distribution::Kind kind;
  std::size_t numbers;
  std::string_view example;
};
constexpr KindOfDistribution kDistributions[] = {
    {"normal", Distribution::Kind::kNormal, 2, "normal(mean, standard deviation)"},
    {"uniform", Distribution::Kind::kUniform, 2, "uniform(smallest, largest)"},
    {"lognormal", Distribution::Kind::kLogNormal, 2, "lognormal(median, standard deviation of the logarithm)"},
    {"triangular", Distribution::Kind::kTriangular, 3, "triangular(smallest, most frequent, largest)"}};

Diagnostic wrong(std::string message, const Span& span, std::string help) {
  Diagnostic problem = error("E0421", std::move(message), span);
  problem.help.push_back(std::move(help));
  return problem;
}

}  // namespace

double Axis::value(std::int64_t k) const {
  if (!listed.empty()) return listed[static_cast<std::size_t>(k)];
  if (k + 1 == count) return last;
  return first + static_cast<double>(k) * ((last - first) / static_cast<double>(count - 1));
}

Result<Axis> read_axis(const Model& model, const StudyStatement::Named& text, UnitDoubts& doubts) {
  Result<StudyQuantity> quantity = find_quantity(model, text.name, text.place);
  if (!quantity) return quantity.diagnostics();
  Axis axis{*std::move(quantity)};
  const bool range = text.text.text.find(':') != std::string::npos;
  const std::string example = "write FROM:TO:COUNT, `0.1 m : 0.3 m : 21`, or values, `0.1 m, 0.2 m`";
  const std::vector<MappedText> parts = text.text.split(range ? ':' : ',');
  if (range && parts.size() != 3)
    return wrong(fmt::format("`{}` has {} parts, not FROM:TO:COUNT", text.text.text, parts.size()), text.text.span(),
                 example);
  for (std::size_t k = 0; k < (range ? 2 : parts.size()); ++k) {
    const Result<double> value = read_value(parts[k], axis.quantity);
    if (!value) return value.diagnostics();
    doubts.look_at(model, axis.quantity, parts[k]);
    axis.listed.push_back(*value);
  }
  axis.count = static_cast<std::int64_t>(axis.listed.size());
  if (!range) return axis;
  axis.first = axis.listed[0];
  axis.last = axis.listed[1];
  axis.listed.clear();
  const auto count = parse_double(parts[2].text);
  if (!count || !(*count >= 1 && *count <= 1e15) || *count != std::floor(*count))
    return wrong(fmt::format("`{}` is no number of values", parts[2].text), parts[2].span(),
                 "it is a whole number from 1 on");
  axis.count = static_cast<std::int64_t>(*count);
  if (axis.count == 1) axis.last = axis.first;
  return axis;
}

double Distribution::quantile(double p) const {
  const auto [a, b, c] = numbers;
  switch (kind) {
    case Kind::kNormal:
      return a + b * normal_quantile(p);
    case Kind::kUniform:
      return a + p * (b - a);
    case Kind::kLogNormal:
      return a * std::exp(b * normal_quantile(p));
    case Kind::kTriangular: {
      const double rising = (b - a) / (c - a);
      return p < rising ? a + std::sqrt(p * (b - a) * (c - a)) : c - std::sqrt((1 - p) * (c - b) * (c - a));
    }
  }
  return a;
}

namespace {

// Why no distribution has these numbers; empty if one has.
std::string_view why_impossible(const Distribution& given) {
  const auto [a, b, c] = given.numbers;
  switch (given.kind) {
    case Distribution::Kind::kNormal:
      return b >= 0 ? "" : "the standard deviation is negative";
    case Distribution::Kind::kUniform:
      return a <= b ? "" : "the smallest value is above the largest";
    case Distribution::Kind::kLogNormal:
      return !(a > 0) ? "the median is not above zero" : b >= 0 ? "" : "the standard deviation is negative";
    case Distribution::Kind::kTriangular:
      return a <= b && b <= c && a < c ? "" : "the three values do not ascend";
  }
  return "";
}

}  // namespace

Result<Sampled> read_sampled(const Model& model, const StudyStatement::Named& text, UnitDoubts& doubts) {
  Result<StudyQuantity> quantity = find_quantity(model, text.name, text.place);
  if (!quantity) return quantity.diagnostics();
  Sampled sampled{*std::move(quantity), {}};
  const std::string& written = text.text.text;
  const std::size_t open = written.find('('), close = written.rfind(')');
  std::vector<std::string> examples;
  for (const KindOfDistribution& one : kDistributions) examples.emplace_back(one.example);
  const std::string help = fmt::format("write {}", join_words(examples, "`", "or"));
  if (open == std::string::npos || close == std::string::npos || close < open ||
      written.find_first_not_of(' ', close + 1) != std::string::npos)
    return wrong(fmt::format("`{}` is no distribution", written), text.text.span(), help);
  const MappedText name = text.text.part(0, open).trimmed();
  const auto kind = std::ranges::find(kDistributions, name.text, &KindOfDistribution::name);
  if (kind == std::end(kDistributions))
    return wrong(fmt::format("there is no distribution `{}`", name.text), name.span(), help);
  const std::vector<MappedText> numbers = text.text.part(open + 1, close).split(',');
  if (numbers.size() != kind->numbers)
    return wrong(fmt::format("`{}` takes {} numbers, not {}", kind->name, kind->numbers, numbers.size()),
                 text.text.span(), fmt::format("write `{}`", kind->example));
  sampled.distribution.kind = kind->kind;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const bool pure = kind->kind == Distribution::Kind::kLogNormal && k == 1;
    const Result<double> value = read_value(numbers[k], sampled.quantity, pure);
    if (!value) return value.diagnostics();
    if (!pure) doubts.look_at(model, sampled.quantity, numbers[k]);
    sampled.distribution.numbers[k] = *value;
  }
  if (const std::string_view why = why_impossible(sampled.distribution); !why.empty())
    return wrong(fmt::format("`{}`: {}", written, why), text.text.span(), fmt::format("write `{}`", kind->example));
  return sampled;
}

}  // namespace dalembert::sweeping
