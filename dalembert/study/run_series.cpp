// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "dalembert/base/text.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {
namespace {

// Matches a pattern: * is any text, ? any character, and a dot also matches the slash of a name.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    const bool same =
        p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t] || (pattern[p] == '.' && text[t] == '/'));
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (same) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// The short name of a series: the part after its group.
std::string_view short_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

Diagnostics unknown_series(const NamedRun& run, const std::string& asked) {
  const std::vector<std::string>& names = run.table.names;
  std::vector<std::string> same;
  for (const std::string& name : names)
    if (short_name(name) == asked) same.push_back(name);
  if (same.size() > 1)
    return {error("E0412", fmt::format("`{}` may be {} of `{}`", asked, join_words(same, "`", "or"), run.name))};
  std::vector<std::string> candidates = names;
  for (const std::string& name : names) {
    candidates.emplace_back(short_name(name));
    std::string dotted = name;
    if (const std::size_t slash = dotted.find('/'); slash != std::string::npos) dotted[slash] = '.';
    candidates.push_back(std::move(dotted));
    if (name.starts_with("v/")) candidates.push_back(name.substr(2) + "'");
  }
  Diagnostic unknown = error("E0412", fmt::format("`{}` has no series `{}`", run.name, asked));
  std::vector<std::string>& help = unknown.help;
  if (const auto near = nearest(asked, candidates)) help.push_back(fmt::format("did you mean `{}`?", *near));
  help.push_back(fmt::format("it has {}", join_some(names)));
  return {unknown};
}

}  // namespace

void add_known_units(Table& table) {
  table.units.resize(table.names.size());
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    if (!table.units[i].empty()) continue;
    if (table.names[i] == "time") table.units[i] = "s";
    if (table.names[i].starts_with("energy/")) table.units[i] = "J";
  }
}

void add_units_of(const Names& names, Table& table) {
  Trajectory all;  // without rows, with every series that a run of the model may have
  all.names = names;
  const std::size_t rates = names.of_motion().size(), rows = names.rows.size();
  all.q.resize(names.coordinates.size());
  for (auto* series : {&all.v, &all.a}) series->resize(rates);
  for (auto* series : {&all.lambda, &all.residual, &all.gap, &all.contact}) series->resize(rows);
  for (std::size_t row = 0; row < rows; ++row) all.contact_rows.push_back(static_cast<int>(row));
  all.friction.resize(names.frictions.size());
  all.u.resize(names.inputs.size());
  all.outputs.resize(names.outputs.size());
  std::map<std::string, std::string> units;
  for (Trajectory::Column& column : all.columns()) units.emplace(std::move(column.name), std::move(column.unit));
  table.units.resize(table.names.size());
  for (std::size_t i = 0; i < table.names.size(); ++i)
    if (const auto known = units.find(table.names[i]); table.units[i].empty() && known != units.end())
      table.units[i] = known->second;
}

std::vector<std::string> split_names(const std::string& asked) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : asked) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth <= 0)
      names.emplace_back();
    else if (c != ' ' || !names.back().empty())
      names.back() += c;
  }
  for (std::string& name : names)
    while (!name.empty() && name.back() == ' ') name.pop_back();
  return names;
}

Result<std::vector<std::size_t>> find_series_of(const NamedRun& run, const std::string& asked) {
  const std::vector<std::string>& names = run.table.names;
  if (const auto found = find_series(names, asked)) return std::vector<std::size_t>{*found};
  std::vector<std::size_t> matching;
  if (asked.find_first_of("*?") != std::string::npos)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (matches(asked, names[i]) ||
          // theta* means coordinates, just as theta does.
          (matches(asked, short_name(names[i])) && find_series(names, short_name(names[i])) == i))
        matching.push_back(i);
  if (matching.empty()) return unknown_series(run, asked);
  return matching;
}

Diagnostics check_run_of(const NamedRun& run, const Names& names) {
  for (const std::string& name : names.coordinates)
    if (std::ranges::find(run.table.names, "q/" + name) == run.table.names.end()) {
      Diagnostic other =
          error("E0521", fmt::format("`{}` is no run of `{}`: there is no series `q/{}`", run.name, names.model, name));
      other.help = {"`--model MODEL` names the model that was run"};
      return {other};
    }
  return {};
}

}  // namespace dalembert
