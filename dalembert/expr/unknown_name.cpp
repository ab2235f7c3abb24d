// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/unknown_name.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/units.h"

namespace dalembert {
namespace {

// `mgl` as a product of names that there are, `m*g*l`; empty if it is none. Short names, so that few splits are tried.
std::string product_of_names(const std::string& name, Scope& scope) {
  constexpr std::size_t kLongest = 12;
  if (name.size() < 2 || name.size() > kLongest) return {};
  std::vector<std::string> ends(name.size() + 1);  // for each end, the product of the names before it
  for (std::size_t end = 1; end <= name.size(); ++end)
    for (std::size_t begin = 0; begin < end && ends[end].empty(); ++begin) {
      if (begin > 0 && ends[begin].empty()) continue;
      const std::string part = name.substr(begin, end - begin);
      if (part.size() < name.size() && scope.declares(part))
        ends[end] = begin == 0 ? part : fmt::format("{}*{}", ends[begin], part);
    }
  return ends.back();
}

// What is known of a name that is not near any other.
std::string help_for_stranger(const std::string& name, Scope& scope) {
  if (const auto points = scope.candidates(Scope::Candidates::kPoints); std::ranges::find(points, name) != points.end())
    return fmt::format("`{0}` is a point: write `{0}.x` or `{0}.y`", name);
  if (const std::string product = product_of_names(name, scope); !product.empty())
    return fmt::format("a product needs its `*`: `{}`", product);
  if (name == "e") return "powers of e are `exp(x)`";
  if (name == "dt") return "time derivatives are written `x'`, or `dot(…)`";
  // A letter alone is rather a parameter that is missing than a unit.
  if (name.size() > 1 && find_unit(name)) return fmt::format("units follow numbers: `30 {}`, without a `*`", name);
  return scope.help_for_undeclared(name);
}

}  // namespace

Diagnostic unknown_name(const std::string& name, const Span& span, Scope& scope) {
  Diagnostic problem = error("E0102", fmt::format("unknown symbol `{}`", name), span,
                             "not a coordinate, parameter, input or definition");
  const std::string rate = rate_meant(name, [&](const std::string& inner) {
    const Meaning meaning = scope.name(inner);
    return meaning.state == Meaning::State::kKnown && meaning.velocity;
  });
  std::vector<std::string> candidates = scope.candidates(Scope::Candidates::kNames);
  if (!rate.empty()) {
    const std::string coordinate = rate.substr(0, rate.find('\''));
    const Span declared = scope.declared(coordinate);
    std::string where;
    if (declared) {
      const auto place = declared.source->position(declared.begin);
      where = fmt::format(" (declared at {}:{}:{})", declared.source->name(), place.line, place.column);
    }
    problem.help.push_back(fmt::format("write `{}` for the {}time derivative of coordinate `{}`{}", rate,
                                       rate.ends_with("''") ? "second " : "", coordinate, where));
  } else if (const auto similar = nearest(name, candidates)) {
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  } else if (std::string help = help_for_stranger(name, scope); !help.empty()) {
    problem.help.push_back(std::move(help));
  }
  return problem;
}

}  // namespace dalembert
