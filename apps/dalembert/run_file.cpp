// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/model_source.h"
#include "dalembert/base/text.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/store/csv.h"
#include "dalembert/store/file.h"
#include "dalembert/store/json.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kMostNamed = 8;  // names in a message

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// FILE.units.json, as `simulate --units` writes it. A file that cannot be understood is no reason to draw nothing, but
// it is said.
void read_units(const std::string& path, dalembert::Table& table) {
  std::error_code ignored;
  const std::string beside = path + ".units.json";
  if (!std::filesystem::is_regular_file(beside, ignored)) return;
  const Result<SourcePtr> source = read_file(beside);
  if (!source) fail(kExitIo, source.diagnostics());
  const auto units = nlohmann::json::parse((*source)->text(), nullptr, false);
  if (!units.is_object()) fail(kExitIo, "E0502", fmt::format("`{}` holds no units of series", beside));
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto unit = units.find(table.names[i]);
    if (unit != units.end() && unit->is_string()) table.units[i] = unit->get<std::string>();
  }
}

// * is any text, ? any character; the first dot of a name may be its slash.
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

// What comes after the group: the short name.
std::string_view short_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

[[noreturn]] void unknown_series(const RunFile& run, const std::string& asked) {
  const std::vector<std::string>& names = run.table.names;
  std::vector<std::string> same;
  for (const std::string& name : names)
    if (short_name(name) == asked) same.push_back(name);
  if (same.size() > 1)
    fail(kExitUsage, "E0412", fmt::format("`{}` may be {} of `{}`", asked, join_words(same, "`", "or"), run.path));
  std::vector<std::string> candidates = names;
  for (const std::string& name : names) {
    candidates.emplace_back(short_name(name));
    std::string dotted = name;
    if (const std::size_t slash = dotted.find('/'); slash != std::string::npos) dotted[slash] = '.';
    candidates.push_back(std::move(dotted));
    if (name.starts_with("v/")) candidates.push_back(name.substr(2) + "'");
  }
  std::vector<std::string> help;
  if (const auto near = nearest(asked, candidates)) help.push_back(fmt::format("did you mean `{}`?", *near));
  std::vector<std::string> some(names.begin(),
                                names.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNamed, names.size())));
  help.push_back(fmt::format("it has {}{}", join_words(some),
                             names.size() > kMostNamed ? fmt::format(" and {} more", names.size() - kMostNamed) : ""));
  fail(kExitUsage, "E0412", fmt::format("`{}` has no series `{}`", run.path, asked), std::move(help));
}

}  // namespace

bool is_run_path(const std::string& path) {
  const std::string name = lower_case(path);
  return std::ranges::any_of(std::vector<std::string_view>{".csv", ".json", ".csv.partial", ".json.partial"},
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

RunFile read_run(const std::string& path) {
  RunFile run{path, {}};
  const bool standard_input = path == "-";
  const Result<SourcePtr> source =
      standard_input ? Result<SourcePtr>(make_source("<stdin>", read_text("-"))) : read_file(path);
  if (!source) fail(kExitIo, source.diagnostics());
  const std::string& text = (*source)->text();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  Result<dalembert::Table> table = json ? parse_json(*source) : parse_csv(*source);
  if (!table) {
    Diagnostics problems = table.diagnostics();
    problems.back().help.push_back("runs are written by `dalembert simulate MODEL -o run.csv` (or .json)");
    fail(kExitIo, problems);
  }
  run.table = std::move(table).value();
  run.table.units.resize(run.table.names.size());
  if (run.table.rows() == 0)
    fail(kExitIo, "E0502", fmt::format("`{}` holds a run without rows: there is nothing to show", path));
  if (!standard_input && !json) read_units(path, run.table);
  // What every run measures in the same unit.
  for (std::size_t i = 0; i < run.table.names.size(); ++i) {
    if (!run.table.units[i].empty()) continue;
    if (run.table.names[i] == "time") run.table.units[i] = "s";
    if (run.table.names[i].starts_with("energy/")) run.table.units[i] = "J";
  }
  return run;
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

std::vector<std::size_t> find_series_of(const RunFile& run, const std::string& asked) {
  const std::vector<std::string>& names = run.table.names;
  if (const auto found = find_series(names, asked)) return {*found};
  std::vector<std::size_t> matching;
  if (asked.find_first_of("*?") != std::string::npos)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (matches(asked, names[i]) ||
          // theta* means coordinates, as theta does.
          (matches(asked, short_name(names[i])) && find_series(names, short_name(names[i])) == i))
        matching.push_back(i);
  if (matching.empty()) unknown_series(run, asked);
  return matching;
}

std::string model_of_run(const Arguments& arguments) {
  if (const auto model = arguments.value("--model")) return *model;
  const std::filesystem::path run(arguments.operands[0]);
  std::error_code ignored;
  std::filesystem::path beside = run;
  beside.replace_extension(".toml");
  if (std::filesystem::exists(beside, ignored)) return beside.string();
  if (find_shipped(run.stem().string())) return run.stem().string();
  fail(kExitUsage, "E0521", fmt::format("`{}` does not say which model it is a run of", run.string()),
       {fmt::format("dalembert {} {} --model MODEL", arguments.verb->name, run.string())});
}

void require_run_of(const RunFile& run, const Names& names) {
  for (const std::string& name : names.coordinates)
    if (std::ranges::find(run.table.names, "q/" + name) == run.table.names.end())
      fail(kExitUsage, "E0521",
           fmt::format("`{}` is no run of `{}`: there is no series `q/{}`", run.path, names.model, name),
           {"`--model MODEL` names the model that was run"});
}

}  // namespace dalembert::app
