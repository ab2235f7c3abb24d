// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/run_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "dalembert/store/zip.h"

namespace dalembert {
namespace {

// The bytes begin with this text; its number must change with the members. They end in a checksum of everything after
// it.
constexpr std::string_view kHead = "dalembert run 5\n";
using Checksum = std::uint32_t;

class BytesWriter {
 public:
  std::string text{kHead};

  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    else
      write(value);
  }

 private:
  void write_size(std::size_t size) { (*this)(static_cast<std::uint64_t>(size)); }
  void write(const std::string& value) {
    write_size(value.size());
    text += value;
  }
  template <class T>
  void write(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write_size(values.size());
    if constexpr (std::is_arithmetic_v<T>)
      text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    else
      for (const T& value : values) (*this)(value);
  }
  template <class T>
  void write(const T& members);
};

// Never reads beyond the bytes, and never allocates more memory than the bytes could fill.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool is_at_end() const { return rest_.empty(); }

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      unsigned char byte = 0;
      take(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      take(&value, sizeof value);
    } else {
      read(value);
    }
  }

 private:
  void take(void* to, std::size_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return;
    }
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::size_t read_size(std::size_t least) {
    std::uint64_t size = 0;
    (*this)(size);
    if (size <= rest_.size() / least) return static_cast<std::size_t>(size);
    ok_ = false;
    rest_ = {};
    return 0;
  }
  void read(std::string& value) {
    value.assign(rest_.substr(0, read_size(1)));
    rest_.remove_prefix(value.size());
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool has = false;
    (*this)(has);
    if (has) (*this)(value.emplace());
  }
  template <class T>
  void read(std::vector<T>& values) {
    // Each value of a non-arithmetic type begins with a size.
    values.resize(read_size(std::is_arithmetic_v<T> ? sizeof(T) : sizeof(std::uint64_t)));
    if constexpr (std::is_arithmetic_v<T>) {
      if (!values.empty()) take(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) (*this)(value);
    }
  }
  template <class T>
  void read(T& members);

  std::string_view rest_;
  bool ok_ = true;
};

// Used for writing and reading: all members in the same order.
template <class Archive, class T>
void each_member(Archive& a, T& m) {
  using Type = std::remove_const_t<T>;
  const auto all = [&a](auto&... members) { (a(members), ...); };
  if constexpr (std::is_same_v<Type, Names>) {
    all(m.model, m.coordinates, m.coordinate_units, m.velocities, m.velocity_units, m.rows, m.row_units, m.lambda_units,
        m.actuated, m.parameters, m.inputs, m.input_units, m.outputs, m.output_units, m.conserved, m.frictions,
        m.friction_units);
  } else if constexpr (std::is_same_v<Type, ConservedDrift>) {
    all(m.name, m.drift);
  } else if constexpr (std::is_same_v<Type, FinalError>) {
    all(m.estimated, m.method, m.largest, m.relative, m.coordinates, m.velocities, m.q, m.v, m.worst, m.worst_name,
        m.worst_unit, m.lost_at, m.along, m.relative_along);
  } else if constexpr (std::is_same_v<Type, Verdict>) {
    all(m.holds, m.reasons, m.error, m.motion, m.max_position_residual, m.max_velocity_residual, m.energy_scale,
        m.energy_drift, m.power_balance_error, m.energy_roundoff, m.work_error, m.conservative, m.drift_limit,
        m.residual_excess, m.conserved, m.min_rank, m.rows, m.switches, m.has_contacts, m.impacts, m.impact_loss,
        m.max_penetration, m.warnings);
  } else if constexpr (std::is_same_v<Type, RunEvent>) {
    all(m.kind, m.name, m.t, m.impact);
  } else if constexpr (std::is_same_v<Type, RunImpact>) {
    all(m.impulses, m.rate_before, m.rate_after);
  } else if constexpr (std::is_same_v<Type, std::pair<int, double>>) {
    all(m.first, m.second);
  } else {
    static_assert(std::is_same_v<Type, Trajectory>);
    all(m.status, m.reason, m.names, m.holonomic, m.time, m.q, m.v, m.a, m.lambda, m.friction, m.residual, m.u,
        m.outputs, m.conserved, m.kinetic, m.potential, m.total, m.work, m.rank, m.gap, m.contact, m.contact_rows,
        m.events, m.steps, m.rejected, m.evaluations, m.wall_seconds, m.verdict, m.forgotten, m.computed_by);
  }
}

template <class T>
void BytesWriter::write(const T& members) {
  each_member(*this, members);
}
template <class T>
void Reader::read(T& members) {
  each_member(*this, members);
}

// Readers of rows rely on every series having one value per output row.
bool is_whole(const Trajectory& run) {
  const std::size_t rows = run.size();
  for (const auto* group : {&run.q, &run.v, &run.a, &run.lambda, &run.friction, &run.residual, &run.u, &run.outputs,
                            &run.conserved, &run.gap, &run.contact})
    for (const std::vector<double>& series : *group)
      if (series.size() != rows) return false;
  const FinalError& error = run.verdict.error;
  if (error.q.size() != error.coordinates.size() || error.v.size() != error.velocities.size() ||
      (error.worst >= error.q.size() && error.worst > 0))
    return false;
  for (const auto* series : {&run.kinetic, &run.potential, &run.total, &run.work})
    if (series->size() != rows) return false;
  const Names& names = run.names;
  const auto is_row = [&](int row) { return row >= 0 && static_cast<std::size_t>(row) < names.rows.size(); };
  if (run.contact.size() != run.gap.size() || run.contact_rows.size() != run.gap.size() ||
      !std::ranges::all_of(run.contact_rows, is_row))
    return false;
  const std::size_t multipliers = names.rows.size() + names.frictions.size();
  for (const RunEvent& event : run.events)
    if (event.impact && !std::ranges::all_of(event.impact->impulses, [&](const auto& one) {
          return one.first >= 0 && static_cast<std::size_t>(one.first) < multipliers;
        }))
      return false;
  if (run.status < RunStatus::kOk || run.status > RunStatus::kFailed || run.rank.size() != rows || names.actuated < 0)
    return false;
  return rows == 0 || (run.q.size() == names.coordinates.size() && run.v.size() == names.of_motion().size() &&
                       run.lambda.size() == names.rows.size() && run.residual.size() == run.lambda.size() &&
                       static_cast<std::size_t>(names.actuated) <= names.rows.size());
}

}  // namespace

std::string run_bytes(const Trajectory& run) {
  BytesWriter writer;
  writer(run);
  const Checksum sum = crc32(std::string_view(writer.text).substr(kHead.size()));
  writer(sum);
  return std::move(writer.text);
}

Result<Trajectory> run_from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kHead)) return error("E0502", "these bytes are no run, or one of another version");
  bytes.remove_prefix(kHead.size());
  const std::string_view content = bytes.substr(0, bytes.size() - std::min(bytes.size(), sizeof(Checksum)));
  Checksum sum = 0;
  Reader(bytes.substr(content.size()))(sum);
  Reader reader(content);
  Trajectory run;
  reader(run);
  if (sum != crc32(content) || !reader.ok() || !reader.is_at_end() || !is_whole(run))
    return error("E0502", "the bytes of this run are cut short or damaged");
  return run;
}

}  // namespace dalembert
