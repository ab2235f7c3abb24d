// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/unknown_row.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/symbol_name.h"

namespace dalembert {

Diagnostic unknown_row(const std::string& name, const Span& span, Scope& scope) {
  if (name.ends_with(')')) {
    const std::size_t open = name.find('(');
    const std::string of = name.substr(open + 1, name.size() - open - 2);
    if (name.starts_with("time(") || name.starts_with("count(")) {
      const std::vector<std::string> happenings = scope.candidates(Scope::Candidates::kHappenings);
      Diagnostic problem = error("E0102", fmt::format("there is no event or contact `{}` here", of), span);
      if (const auto similar = nearest(of, happenings))
        problem.help.push_back(fmt::format("did you mean `{}({})`?", name.substr(0, open), *similar));
      else if (!happenings.empty())
        problem.help.push_back(fmt::format("there is {}", join_words(happenings, "`", "and")));
      else
        problem.help.emplace_back(
            "`time(…)` and `count(…)` are of an [[event]] or a contact that the model states, in measures of whole "
            "runs: "
            "`sweep --measure`, `optimize --minimize`, `simulate --gradient-of`");
      return problem;
    }
    if (!row_of_contact(name).empty()) {
      const std::string word = name.substr(0, open);
      Diagnostic problem = error("E0102", fmt::format("there is no contact `{}`", of), span);
      auto contacts = scope.candidates(Scope::Candidates::kRows);
      std::erase_if(contacts, [&](const std::string& row) {
        return scope.multiplier("gap(" + row + ")").state != Meaning::State::kKnown;
      });
      if (const auto similar = nearest(of, contacts))
        problem.help.push_back(fmt::format("did you mean `{}({})`?", word, *similar));
      else
        problem.help.push_back(fmt::format(
            "`{}` takes a row of a one-sided constraint (`unilateral = true`, `contact`, `at_most`)", word));
      return problem;
    }
    if (name.starts_with("energy")) {
      Diagnostic problem = error("E0102", fmt::format("there is no energy `{}`", of), span);
      problem.help.emplace_back("write `energy(kinetic)`, `energy(potential)` or `energy(total)`");
      return problem;
    }
    const bool actuation = name.starts_with("actuation");
    Diagnostic problem = error("E0102",
                               actuation ? fmt::format("the coordinate `{}` is not prescribed", of)
                                         : fmt::format("there is no friction `{}` here", of),
                               span);
    if (!actuation && scope.multiplier("friction(" + of + "[1])").state == Meaning::State::kKnown)
      problem.help.push_back(fmt::format("it has two directions: `friction({0}[1])` and `friction({0}[2])`", of));
    else
      problem.help.push_back(actuation
                                 ? "coordinates that something drives are listed in [prescribed]"
                                 : "frictions are declared in `[[friction]]`; outputs and claims can contain them, "
                                   "what moves the system cannot");
    return problem;
  }
  Diagnostic problem = error("E0102", fmt::format("unknown constraint row `{}`", name), span);
  const auto rows = scope.candidates(Scope::Candidates::kRows);
  std::vector<std::string> parts;
  for (const std::string& row : rows)
    if (row.starts_with(name + "[") || row.starts_with(name + ".")) parts.push_back(fmt::format("lambda({})", row));
  if (parts.size() > 4) parts.resize(4);
  if (!parts.empty())
    problem.help.push_back(fmt::format("the constraint has several rows: write {}", join_words(parts, "`", "or")));
  else if (const auto similar = nearest(name, rows))
    problem.help.push_back(fmt::format("did you mean `lambda({})`?", *similar));
  return problem;
}

Diagnostic unknown_component(const std::string& point, int axis, const Span& span, Scope& scope) {
  const auto points = scope.candidates(Scope::Candidates::kPoints);
  if (std::ranges::find(points, point) != points.end())
    return error("E0102", fmt::format("the point `{}` is planar and has no component `z`", point), span);
  Diagnostic problem = error("E0102", fmt::format("unknown point `{}`", point), span);
  if (const auto similar = nearest(point, points))
    problem.help.push_back(fmt::format("did you mean `{}.{}`?", *similar, "xyz"[axis]));
  return problem;
}

Diagnostic unknown_angular_velocity(const std::string& frame, const std::string& written, const Span& span,
                                    Scope& scope) {
  const auto frames = scope.candidates(Scope::Candidates::kFrames);
  const bool exists = std::ranges::find(frames, frame) != frames.end();
  Diagnostic problem = error("E0102", fmt::format("unknown angular velocity `{}`", written), span,
                             exists ? "no quaternion turns this frame" : "there is no such frame");
  if (exists)
    problem.help.push_back(fmt::format("write it by the rates of its angles, or turn `{}` by `quaternion`", frame));
  else if (const auto similar = nearest(frame, frames))
    problem.help.push_back(fmt::format("did you mean `{}.omega.{}`?", *similar, written.back()));
  else if (!frames.empty() && frames.size() <= 8)
    problem.help.push_back(fmt::format("angular velocities are those of frames: {}", join_words(frames)));
  return problem;
}

Diagnostic unknown_frame_entry(const std::string& frame, std::int64_t i, std::int64_t j, const Span& span,
                               Scope& scope) {
  const auto frames = scope.candidates(Scope::Candidates::kFrames);
  const bool exists = std::ranges::find(frames, frame) != frames.end();
  const bool spatial = exists && scope.frame_entry(frame, 3, 3).state == Meaning::State::kKnown;
  Diagnostic problem =
      exists ? error("E0102",
                     fmt::format("the {}frame `{}` has no entry R[{},{}]", spatial ? "" : "planar ", frame, i, j), span)
             : error("E0102", fmt::format("unknown frame `{}`", frame), span);
  if (const auto similar = nearest(frame, frames); similar && !exists)
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  if (exists) problem.help.push_back(fmt::format("rows and columns go from 1 to {}", spatial ? 3 : 2));
  return problem;
}

Diagnostic unknown_of_run(const FunctionOfRun& function, const Span& span) {
  const bool other = find_function(function.name) != nullptr;
  Diagnostic problem =
      other ? error("E0104", fmt::format("`{}` takes 2 arguments, not 1", function.name), span)
            : error("E0103", fmt::format("`{}` is a number of a whole run, which does not exist here", function.name),
                    span);
  problem.help.push_back(
      fmt::format("`{}` of one expression is a measure of a study: [study] measure, `sweep --measure`", function.name));
  return problem;
}

}  // namespace dalembert
