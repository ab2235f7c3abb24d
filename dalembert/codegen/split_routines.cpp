// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/split_routines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace dalembert {
namespace {

using LocalNames = std::set<std::string>;  // names of locals

bool leaves_early(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [](const Step& step) {
    return step.kind == Step::kReturn || leaves_early(step.body) || leaves_early(step.otherwise);
  });
}

// How statements use the locals that are single real numbers.
class LocalUse {
 public:
  explicit LocalUse(const LocalNames& locals) : locals_(locals) {}

  void add(const Step& step, bool always = true) {
    read(step.value);
    const bool loop = step.kind == Step::kFor;
    if (loop) {
      read(step.target);
      read(step.second);
    } else {
      for (const Term* target : {&step.target, &step.second})
        if (target->kind == Term::kEntry) read(target->arguments[0]);
      for (const Term* target : {&step.target, &step.second})
        if (target->kind == Term::kName && locals_.contains(target->text)) write(target->text, always);
    }
    const bool block = always && step.kind != Step::kIf && step.kind != Step::kWhile && !loop;
    for (const Step& inner : step.body) add(inner, block);
    for (const Step& inner : step.otherwise) add(inner, block);
  }

  LocalNames needs;    // locals that are read before they are certainly written
  LocalNames written;  // locals that are perhaps written
  LocalNames settled;  // locals that are certainly written

 private:
  void read(const Term& term) {
    if (term.kind == Term::kName && locals_.contains(term.text) && !settled.contains(term.text))
      needs.insert(term.text);
    for (const Term& argument : term.arguments) read(argument);
  }
  void write(const std::string& name, bool always) {
    written.insert(name);
    if (always) settled.insert(name);
  }

  const LocalNames& locals_;
};

Term named_term(const std::string& text) { return {Term::kName, text, {}}; }
Term carried_entry(std::size_t place) {
  return {Term::kEntry, "carried", {Term{Term::kNumber, fmt::format("{}", place), {}}}};
}

// The parts into which a long routine is split, and the routine that calls them.
std::vector<Routine> split_routine(Routine whole) {
  LocalNames locals;
  for (const Variable& variable : whole.locals)
    if (!variable.array && !variable.whole) locals.insert(variable.name);
  const std::size_t count = (whole.body.size() + kStatementsOfPart - 1) / kStatementsOfPart;
  const auto statements = [&](std::size_t part) {
    const std::size_t begin = part * kStatementsOfPart;
    return std::span(whole.body).subspan(begin, std::min(kStatementsOfPart, whole.body.size() - begin));
  };
  std::vector<LocalUse> uses(count, LocalUse(locals));
  for (std::size_t part = 0; part < count; ++part)
    for (const Step& step : statements(part)) uses[part].add(step);

  // before[part]: locals that this part or a later one reads before it writes them. Found from the last part backwards.
  std::vector<LocalNames> before(count + 1);
  for (std::size_t part = count; part-- > 0;) {
    before[part] = uses[part].needs;
    for (const std::string& name : before[part + 1])
      if (!uses[part].settled.contains(name)) before[part].insert(name);
  }
  std::map<std::string, std::size_t> place;
  for (std::size_t part = 1; part < count; ++part)
    for (const std::string& name : before[part]) place.emplace(name, place.size());

  const Variable array{.name = "carried", .passing = Variable::kInOut, .array = true, .size = place.size()};
  std::vector<Routine> parts;
  std::vector<Step> calls;
  for (std::size_t k = 0; k < count; ++k) {
    Routine part;
    part.name = fmt::format("{}_{}", whole.name, k + 1);
    part.comment = {fmt::format("Part {} of {}.", k + 1, whole.name)};
    part.parameters = whole.parameters;
    // An output array is `inout` in each part, so that the entries which earlier parts wrote stay.
    for (Variable& parameter : part.parameters)
      if (parameter.passing == Variable::kOut) parameter.passing = Variable::kInOut;
    part.parameters.push_back(array);
    part.locals = whole.locals;
    const LocalUse& use = uses[k];
    for (const std::string& name : before[k])
      if (use.needs.contains(name) || (use.written.contains(name) && !use.settled.contains(name)))
        part.body.push_back({.target = named_term(name), .value = carried_entry(place.at(name))});
    std::ranges::move(statements(k), std::back_inserter(part.body));
    for (const std::string& name : use.written)
      if (before[k + 1].contains(name))
        part.body.push_back({.target = carried_entry(place.at(name)), .value = named_term(name)});

    Term call{Term::kCall, part.name, {}};
    for (const Variable& parameter : part.parameters) call.arguments.push_back(named_term(parameter.name));
    calls.push_back({.kind = Step::kCall, .value = std::move(call)});
    parts.push_back(std::move(part));
  }
  whole.body = std::move(calls);
  whole.locals = {array};
  whole.locals.front().passing = Variable::kLocal;
  parts.push_back(std::move(whole));
  return parts;
}

}  // namespace

void split_long_routines(Program& program) {
  std::vector<Routine> routines;
  for (Routine& routine : program.routines) {
    if (routine.body.size() <= kLongestRoutine || routine.result != Routine::kNothing || leaves_early(routine.body)) {
      routines.push_back(std::move(routine));
      continue;
    }
    std::ranges::move(split_routine(std::move(routine)), std::back_inserter(routines));
  }
  program.routines = std::move(routines);
}

}  // namespace dalembert
