// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/run_files.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dalembert/store/file.h"
#include "dalembert/store/json_writer.h"

namespace dalembert {
namespace {

void write_named(std::string_view key, const std::vector<std::string>& names,
                 const std::vector<std::vector<double>>& series, std::size_t row, JsonWriter& json) {
  json.key(key).begin_object();
  for (std::size_t i = 0; i < series.size(); ++i)
    json.member(i < names.size() ? names[i] : fmt::format("{}", i + 1), series[i][row]);
  json.end_object();
}

// Records the position of the first syntax error instead of throwing.
class FindError : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(std::string&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t place, const std::string&, const nlohmann::detail::exception&) override {
    position = place;
    return false;
  }
  std::size_t position = 0;
};

// The error estimate that the verdict names, or null.
void write_error(const FinalError& error, JsonWriter& json) {
  if (!error.estimated) {
    json.null();
    return;
  }
  const auto named = [&](const char* key, const std::vector<std::string>& names, const std::vector<double>& values) {
    json.key(key).begin_object();
    for (std::size_t i = 0; i < values.size(); ++i) json.member(names[i], values[i]);
    json.end_object();
  };
  json.begin_object()
      .member("estimate", error.largest)
      .member("relative", error.relative)
      .member("method", error.method)
      .member("worst", error.worst_name);
  named("q", error.coordinates, error.q);
  named("qd", error.velocities, error.v);
  json.key("lost_at");
  if (error.lost_at)
    json.value(*error.lost_at);
  else
    json.null();
  if (error.along) json.member("along", *error.along);
  json.end_object();
}

}  // namespace

void write_verdict(const Verdict& verdict, JsonWriter& json) {
  json.begin_object()
      .member("holds", verdict.holds)
      .member("max_position_residual", verdict.max_position_residual)
      .member("max_velocity_residual", verdict.max_velocity_residual)
      .member("energy_drift", verdict.energy_drift)
      .member("power_balance_error", verdict.power_balance_error);
  json.key("conserved").begin_array();
  for (const ConservedDrift& conserved : verdict.conserved)
    json.begin_object().member("name", conserved.name).member("drift", conserved.drift).end_object();
  json.end_array().member("min_rank", verdict.min_rank).member("warnings", verdict.warnings);
  json.member("reasons", verdict.reasons).key("error");
  write_error(verdict.error, json);
  json.end_object();
}

void write_run(const Trajectory& trajectory, JsonWriter& json) {
  json.member("model", trajectory.names.model)
      .member("status", to_text(trajectory.status))
      .member("reason", trajectory.reason)
      .key("t_end");
  if (trajectory.time.empty())
    json.null();
  else
    json.value(trajectory.time.back());
  json.member("steps", trajectory.steps)
      .member("rejected", trajectory.rejected)
      .member("evaluations", trajectory.evaluations)
      .member("wall_seconds", trajectory.wall_seconds)
      .key("verdict");
  write_verdict(trajectory.verdict, json);
}

void write_row(const Trajectory& trajectory, std::size_t row, JsonWriter& json) {
  const Names& names = trajectory.names;
  json.begin_object().member("t", trajectory.time[row]);
  write_named("q", names.coordinates, trajectory.q, row, json);
  write_named("qd", names.of_motion(), trajectory.v, row, json);
  write_named("qdd", names.of_motion(), trajectory.a, row, json);
  const std::size_t rows = std::min(names.constraint_rows(), trajectory.lambda.size());
  const auto split = [&](std::string_view key, std::size_t from, std::size_t to) {
    json.key(key).begin_object();
    for (std::size_t i = from; i < to; ++i)
      json.member(i < names.rows.size() ? names.rows[i] : fmt::format("{}", i + 1), trajectory.lambda[i][row]);
    json.end_object();
  };
  split("lambda", 0, names.rows.empty() ? trajectory.lambda.size() : rows);
  if (names.actuated > 0) split("actuation", rows, trajectory.lambda.size());
  write_named("outputs", names.outputs, trajectory.outputs, row, json);
  json.end_object();
}

void write_json(const Trajectory& trajectory, std::ostream& out) {
  JsonWriter json(out, 1);
  const std::vector<Trajectory::Column> columns = trajectory.columns();
  json.begin_object().key("meta").begin_object();
  write_run(trajectory, json);
  json.end_object().key("units").begin_object();
  for (const Trajectory::Column& column : columns)
    if (!column.unit.empty()) json.member(column.name, column.unit);
  json.end_object().key("series").begin_object();
  for (const Trajectory::Column& column : columns) json.member(column.name, column.values);
  json.end_object().end_object();
}

Diagnostics write_json(const Trajectory& trajectory, const std::string& path) {
  return write_file(path, [&](std::ostream& out) { write_json(trajectory, out); });
}

Result<Table> parse_json(const SourcePtr& source) {
  const std::string& text = source->text();
  const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    FindError finder;
    nlohmann::ordered_json::sax_parse(text, &finder);
    // The position is the number of characters read, including the offending one.
    const auto end = static_cast<std::uint32_t>(std::min(finder.position, text.size()));
    return error("E0502", fmt::format("`{}` is not valid JSON", source->name()), {source, end > 0 ? end - 1 : 0, end},
                 "reading stopped here");
  }
  const auto series = document.is_object() ? document.find("series") : document.end();
  if (series == document.end() || !series->is_object())
    return error("E0502", fmt::format("`{}` holds no run: there is no object \"series\"", source->name()));
  Table table;
  for (const auto& [name, values] : series->items()) {
    std::vector<double> column;
    bool good = values.is_array();
    for (const auto& value : values) {
      good = good && (value.is_number() || value.is_null());
      if (!good) break;
      column.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    if (!good) return error("E0502", fmt::format("series `{}` in `{}` is not a list of numbers", name, source->name()));
    if (!table.columns.empty() && column.size() != table.rows())
      return error("E0502", fmt::format("series `{}` in `{}` has {} values, `{}` has {}", name, source->name(),
                                        column.size(), table.names.front(), table.rows()));
    table.names.push_back(name);
    table.columns.push_back(std::move(column));
  }
  if (const auto units = document.find("units"); units != document.end() && units->is_object())
    for (const std::string& name : table.names) {
      const auto unit = units->find(name);
      table.units.push_back(unit != units->end() && unit->is_string() ? unit->get<std::string>() : "");
    }
  return table;
}

Result<Table> read_json(const std::string& path) {
  const Result<SourcePtr> source = read_file(path);
  if (!source) return source.diagnostics();
  return parse_json(*source);
}

}  // namespace dalembert
