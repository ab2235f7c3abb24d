// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/unknowns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/sweep/quantities.h"

namespace dalembert::fitting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kOffset = "offset";
// The size of an offset whose bounds say nothing, as a part of the longest file.
constexpr double kUsualOffset = 0.01;

Diagnostic bad_request(std::string message, const Span& place, std::string help) {
  Diagnostic problem = error("E0430", std::move(message), place);
  problem.help.push_back(std::move(help));
  return problem;
}

std::string numbered(const std::string& name, std::size_t file) { return fmt::format("{}[{}]", name, file + 1); }

// Adds an unknown, or one for each file.
void add(Unknowns& unknowns, const std::string& name, const std::string& unit, int quantity, bool per_file,
         std::size_t files) {
  Unknown one{.name = name, .unit = unit, .quantity = quantity, .lower = -kInfinity, .upper = kInfinity};
  for (std::size_t file = 0; file < (per_file ? files : 1); ++file) {
    if (per_file && files > 1) one.name = numbered(name, file);
    one.file = per_file ? static_cast<int>(file) : -1;
    unknowns.all.push_back(one);
  }
}

// The unknowns that a name means: "theta" means theta[1] and theta[2] as well.
std::vector<Unknown*> named(Unknowns& unknowns, const std::string& name) {
  std::vector<Unknown*> found;
  for (Unknown& one : unknowns.all) {
    const std::size_t bracket = one.name.rfind('[');
    if (one.name == name || (one.file >= 0 && bracket != std::string::npos && one.name.substr(0, bracket) == name))
      found.push_back(&one);
  }
  return found;
}

Diagnostic not_free(const Unknowns& unknowns, const FitRequest::Named& text) {
  std::vector<std::string> names;
  for (const Unknown& one : unknowns.all) names.push_back(one.name);
  const auto near = nearest(text.name, names);
  return bad_request(
      fmt::format("`{}` is not among the free quantities", text.name), text.place,
      near ? fmt::format("did you mean `{}`?", *near) : fmt::format("what is free is {}", join_words(names)));
}

// The quantity of an unknown; of an offset, a time.
StudyQuantity quantity_of_unknown(const Unknowns& unknowns, const Unknown& unknown) {
  if (unknown.quantity >= 0) return unknowns.quantities[static_cast<std::size_t>(unknown.quantity)];
  return {.name = kOffset, .unit = "s", .dimension = Dimension::time()};
}

// "0 N/m : 10 N/m", with one side perhaps empty.
Diagnostics read_bounds(Unknowns& unknowns, const Model& model, const FitRequest::Named& text, UnitDoubts& doubts) {
  const std::vector<Unknown*> meant = named(unknowns, text.name);
  if (meant.empty()) return {not_free(unknowns, text)};
  const std::vector<MappedText> sides = text.text.split(':');
  const std::string example = "write FROM:TO, `0 N/m : 10 N/m`; one side may be empty, `0:`";
  if (sides.size() != 2 || (sides[0].text.empty() && sides[1].text.empty()))
    return {bad_request(fmt::format("`{}` is not FROM:TO", text.text.text), text.text.span(), example)};
  double ends[2] = {-kInfinity, kInfinity};
  for (std::size_t side = 0; side < 2; ++side) {
    if (sides[side].text.empty()) continue;
    const StudyQuantity quantity = quantity_of_unknown(unknowns, *meant.front());
    const Result<double> value = read_value(sides[side], quantity);
    if (!value) return value.diagnostics();
    if (meant.front()->quantity >= 0) doubts.look_at(model, quantity, sides[side]);
    ends[side] = *value;
  }
  if (!(ends[0] < ends[1]))
    return {bad_request(fmt::format("no value is between the bounds `{}`", text.text.text), text.text.span(), example)};
  for (Unknown* one : meant) {
    one->lower = ends[0];
    one->upper = ends[1];
    one->place = text.text.span();
  }
  return {};
}

Diagnostics read_prior(Unknowns& unknowns, const Model& model, const FitRequest::Named& text, UnitDoubts& doubts) {
  const std::vector<Unknown*> meant = named(unknowns, text.name);
  if (meant.empty()) return {not_free(unknowns, text)};
  FitRequest::Named of_quantity = text;
  const int quantity = meant.front()->quantity;
  if (quantity < 0)
    return {bad_request("an offset has no prior", text.place, "`--bounds` limits it: \"offset=-0.1 s : 0.1 s\"")};
  of_quantity.name = unknowns.quantities[static_cast<std::size_t>(quantity)].name;
  const Result<sweeping::Sampled> read = sweeping::read_sampled(model, of_quantity, doubts);
  if (!read) return read.diagnostics();
  using Kind = sweeping::Distribution::Kind;
  const sweeping::Distribution& given = read->distribution;
  const bool fits = given.kind == Kind::kNormal || given.kind == Kind::kLogNormal;
  if (!fits || !(given.numbers[1] > 0))
    return {bad_request(fmt::format("`{}` is no prior of least squares", text.text.text), text.text.span(),
                        "write `normal(mean, standard deviation)`, `lognormal(median, standard deviation of the "
                        "logarithm)`; for limits `--bounds`")};
  for (Unknown* one : meant) one->prior = Prior{given.numbers[0], given.numbers[1], given.kind == Kind::kLogNormal};
  return {};
}

// Each free quantity once.
Diagnostics read_free(Unknowns& unknowns, const Model& model, const FitRequest& request, std::size_t files) {
  Diagnostics problems;
  for (const std::string& name : request.free) {
    const SourcePtr source = make_source("--free", name);
    Result<StudyQuantity> quantity = find_quantity(model, name, {source, 0, static_cast<std::uint32_t>(name.size())});
    if (!quantity) {
      append_new(problems, quantity.diagnostics());
      continue;
    }
    if (std::ranges::find(unknowns.quantities, name, &StudyQuantity::name) != unknowns.quantities.end()) {
      problems.push_back(bad_request(fmt::format("`{}` is free twice", name), {}, "name it once"));
      continue;
    }
    const bool alone = std::ranges::find(request.per_file, name) != request.per_file.end();
    add(unknowns, name, quantity->unit, static_cast<int>(unknowns.quantities.size()), alone, files);
    unknowns.quantities.push_back(*std::move(quantity));
  }
  for (const std::string& name : request.per_file)
    if (problems.empty() && std::ranges::find(request.free, name) == request.free.end())
      problems.push_back(bad_request(fmt::format("`{}` is to differ by file, and it is not free", name), {},
                                     fmt::format("name it among the free quantities: `--free {}`", name)));
  return problems;
}

}  // namespace

double Prior::residual(double value) const {
  return logarithmic ? std::log(value / mean) / sigma : (value - mean) / sigma;
}
double Prior::slope(double value) const { return logarithmic ? 1 / (value * sigma) : 1 / sigma; }

int Unknowns::of(int quantity, int file) const {
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].quantity == quantity && (all[k].file < 0 || all[k].file == file)) return static_cast<int>(k);
  return -1;
}

std::vector<double> Unknowns::quantities_of(const std::vector<double>& x, int file) const {
  std::vector<double> values(quantities.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].quantity >= 0 && (all[k].file < 0 || all[k].file == file))
      values[static_cast<std::size_t>(all[k].quantity)] = x[k];
  return values;
}

double Unknowns::offset_of(const std::vector<double>& x, int file) const {
  const int k = of(-1, file);
  return k < 0 ? 0 : x[static_cast<std::size_t>(k)];
}

Result<Unknowns> read_unknowns(const Model& model, const FitRequest& request, const std::vector<FitData>& data,
                               UnitDoubts& doubts) {
  Unknowns unknowns;
  Diagnostics problems = read_free(unknowns, model, request, data.size());
  if (!problems.empty()) return problems;
  if (request.offset) {
    if (quantity_of(model, kOffset))
      return bad_request("the model has a quantity `offset`, as the offset of a clock is called", {},
                         "give it another name in the model");
    add(unknowns, kOffset, "s", -1, true, data.size());
    for (Unknown& one : unknowns.all)
      // Before its start a model has no motion.
      if (one.quantity < 0) one.lower = model.initial.t - data[static_cast<std::size_t>(one.file)].time.front();
  }
  if (unknowns.all.empty())
    return bad_request("nothing is free", {}, "name parameters and initial values: --free k,c,theta");
  for (const FitRequest::Named& text : request.bounds) append_new(problems, read_bounds(unknowns, model, text, doubts));
  for (const FitRequest::Named& text : request.prior) append_new(problems, read_prior(unknowns, model, text, doubts));
  if (!problems.empty()) return problems;
  return unknowns;
}

Diagnostics set_starts(Unknowns& unknowns, const std::vector<double>& stated, double duration) {
  for (Unknown& one : unknowns.all) {
    const double width = one.upper - one.lower;
    if (one.quantity >= 0) {
      one.start = stated[static_cast<std::size_t>(one.quantity)];
      one.scale = one.start != 0         ? std::abs(one.start)
                  : one.prior            ? one.prior->sigma
                  : std::isfinite(width) ? width / 2
                                         : 1;
    } else {
      one.start = std::clamp(0.0, one.lower, one.upper);
      one.scale = std::isfinite(width) ? width / 2 : std::max(kUsualOffset * duration, 1e-9);
    }
    if (one.start < one.lower || one.start > one.upper)
      return {bad_request(fmt::format("`{}` begins at {}{}, outside of its bounds", one.name, to_text(one.start, 6),
                                      one.unit.empty() || one.unit == "1" ? "" : " " + one.unit),
                          one.place,
                          fmt::format("the first value is that of the model: `--set {}=VALUE`",
                                      unknowns.quantities[static_cast<std::size_t>(one.quantity)].name))};
    if (one.prior && one.prior->logarithmic && !(one.start > 0))
      return {bad_request(
          fmt::format("`{}` begins at {}, and its prior is of its logarithm", one.name, to_text(one.start, 6)), {},
          "begin above zero, with a bound from 0 on")};
    if (one.prior && one.prior->logarithmic) one.lower = std::max(one.lower, 1e-12 * one.start);
  }
  return {};
}

}  // namespace dalembert::fitting
