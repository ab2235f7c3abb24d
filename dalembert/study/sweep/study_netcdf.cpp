// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/study_netcdf.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/store/netcdf.h"
#include "dalembert/study/sweep/sweep_count.h"

namespace dalembert::sweeping {
namespace {

constexpr std::size_t kBlockRows = 16'384;  // that are in memory at once
constexpr std::size_t kStatusLength = 7;    // of `stopped`, the longest status
constexpr std::string_view kRole = "role", kStatusDimension = "status_characters";

Diagnostics no_study(const std::string& path, const std::string& why) {
  return {error("E0502", fmt::format("`{}` is no file of `dalembert sweep`: {}", path, why))};
}

// The rows of a study in blocks that are boxes in its dimensions, the last of which is the fastest.
class Boxes {
 public:
  explicit Boxes(std::vector<std::size_t> shape) : shape_(std::move(shape)) {
    total_ = std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
    split_ = shape_.size() - 1;
    // The innermost dimensions that fit into a block as a whole.
    while (split_ > 0 && inner_ * shape_[split_] <= kBlockRows) inner_ *= shape_[split_--];
  }
  bool done() const { return at_ >= total_; }
  std::size_t rows() const {
    return inner_ * std::min(std::max<std::size_t>(1, kBlockRows / inner_), shape_[split_] - index());
  }
  NetcdfBlock box() const {
    NetcdfBlock box;
    box.start.assign(shape_.size(), 0);
    box.count.assign(shape_.size(), 1);
    for (std::size_t k = split_ + 1; k < shape_.size(); ++k) box.count[k] = shape_[k];
    box.count[split_] = rows() / inner_;
    std::size_t rest = at_ / inner_;
    for (std::size_t k = split_ + 1; k-- > 0; rest /= shape_[k]) box.start[k] = rest % shape_[k];
    return box;
  }
  void next() { at_ += rows(); }

 private:
  std::size_t index() const { return at_ / inner_ % shape_[split_]; }  // in the dimension that blocks divide

  std::vector<std::size_t> shape_;
  std::size_t total_ = 0, split_ = 0, inner_ = 1, at_ = 0;
};

// The same box of `status`, which has characters in a last dimension.
NetcdfBlock with_characters(NetcdfBlock box) {
  box.start.push_back(0);
  box.count.push_back(kStatusLength);
  return box;
}

// The rows of a block, by column: those of the study, then error, holds, status, reason.
struct BlockOfRows {
  std::vector<std::vector<double>> numbers;
  std::vector<signed char> holds;
  std::string status;
  std::vector<std::string> reasons;

  void clear(std::size_t columns) {
    numbers.assign(columns, {});
    holds.clear();
    status.clear();
    reasons.clear();
  }
  void add(const StudyLine& line) {
    for (std::size_t k = 0; k < line.values.size(); ++k) numbers[k].push_back(line.values[k]);
    numbers.back().push_back(line.error);
    holds.push_back(line.holds ? 1 : 0);
    status += line.status.substr(0, kStatusLength);
    status.resize(holds.size() * kStatusLength, '\0');
    reasons.push_back(line.reason);
  }
};

// A study's variables in a NetCDF file.
class StudyFileWriter {
 public:
  explicit StudyFileWriter(const StudyHead& head) : study_(head) {
    const std::vector<std::int64_t> shape = head.shape();
    shape_.assign(shape.begin(), shape.end());
    boxes_.emplace(shape_);
    lay_out();
    values_.resize(grid_.size());
    for (std::size_t k = 0; k < grid_.size(); ++k) values_[k].resize(shape_[k]);
    block_.clear(others_.size() + 1);
  }

  Diagnostics open(const std::string& place, const std::string& path) {
    path_ = path;
    Result<std::unique_ptr<NetcdfWriter>> file = NetcdfWriter::create(place, path, head_);
    if (!file) return file.diagnostics();
    file_ = std::move(*file);
    return {};
  }

  /// False after a failure.
  bool add(std::string_view row) {
    if (!read_study_line(row, study_.columns.size(), line_)) why_ = fmt::format("`{}` is no row", row);
    if (boxes_->done() && why_.empty()) why_ = "there are more rows than its dimensions have";
    if (!why_.empty()) return false;
    // The quantities of the grid become coordinates, the others columns.
    std::size_t stride = 1;
    for (std::size_t k = shape_.size(); k-- > 0; stride *= shape_[k])
      if (k < grid_.size())
        values_[k][static_cast<std::size_t>(line_.index) / stride % shape_[k]] = line_.values[grid_[k]];
    StudyLine kept = line_;
    kept.values.clear();
    for (const std::size_t k : others_) kept.values.push_back(line_.values[k]);
    block_.add(kept);
    return block_.holds.size() < boxes_->rows() || flush();
  }

  Diagnostics close() {
    for (std::size_t k = 0; k < grid_.size() && why_.empty(); ++k) why_ = file_->put(k, {{0}, {shape_[k]}}, values_[k]);
    if (why_.empty() && !boxes_->done()) why_ = "rows are missing";
    if (const std::string last = file_->close(); why_.empty()) why_ = last;
    if (why_.empty()) return {};
    return {error("E0501", fmt::format("cannot write `{}`: {}", path_, why_))};
  }

 private:
  void lay_out();
  bool flush();

  const StudyHead& study_;
  std::vector<std::size_t> shape_, grid_, others_;  // grid_ and others_: indices of columns
  std::optional<Boxes> boxes_;
  NetcdfHead head_;
  std::vector<std::vector<double>> values_;  // of the grid's quantities
  std::unique_ptr<NetcdfWriter> file_;
  std::string path_, why_;
  StudyLine line_;
  BlockOfRows block_;
};

void StudyFileWriter::lay_out() {
  const auto attributes = [](const StudyColumn& column) {
    NetcdfHead::Attributes texts;
    if (!column.unit.empty()) texts.emplace_back("units", column.unit);
    texts.emplace_back(kRole, column.kind == StudyColumn::Kind::kMeasure ? "measure" : "quantity");
    return texts;
  };
  for (std::size_t k = 0; k < study_.columns.size(); ++k) {
    const StudyColumn& column = study_.columns[k];
    if (column.kind == StudyColumn::Kind::kVaried) {
      head_.variables.push_back({column.name, NetcdfType::kNumber, {grid_.size()}, attributes(column)});
      head_.dimensions.push_back({column.name, shape_[grid_.size()]});
      grid_.push_back(k);
    } else {
      others_.push_back(k);
    }
  }
  if (!study_.last_dimension().empty())
    head_.dimensions.push_back({std::string(study_.last_dimension()), shape_.back()});
  std::vector<std::size_t> all(head_.dimensions.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t k : others_)
    head_.variables.push_back({study_.columns[k].name, NetcdfType::kNumber, all, attributes(study_.columns[k])});
  head_.variables.push_back({"error", NetcdfType::kNumber, all, {{"long_name", "relative error of the run"}}});
  // xarray makes truths of bytes with this attribute, and text of characters whose encoding is known.
  head_.variables.push_back(
      {"holds", NetcdfType::kByte, all, {{"dtype", "bool"}, {"long_name", "whether the verdict of the run holds"}}});
  std::vector<std::size_t> characters = all;
  characters.push_back(head_.dimensions.size());
  head_.dimensions.push_back({std::string(kStatusDimension), kStatusLength});
  head_.variables.push_back({"status", NetcdfType::kCharacter, characters, {{"_Encoding", "utf-8"}}});
  head_.variables.push_back({"reason", NetcdfType::kText, all, {}});
  head_.attributes = {{"model", study_.model}, {"study", study_.mark.identity}, {"program", study_.program}};
}

bool StudyFileWriter::flush() {
  const NetcdfBlock box = boxes_->box();
  std::size_t variable = grid_.size();
  const auto put = [&](const NetcdfBlock& where, auto& values) {
    if (why_.empty()) why_ = file_->put(variable++, where, NetcdfValues(std::move(values)));
  };
  for (std::vector<double>& numbers : block_.numbers) put(box, numbers);
  put(box, block_.holds);
  put(with_characters(box), block_.status);
  put(box, block_.reasons);
  block_.clear(others_.size() + 1);
  boxes_->next();
  return why_.empty();
}

// A study's variables in a NetCDF file that is read.
class StudyFileReader {
 public:
  Diagnostics open(const std::string& path) {
    path_ = path;
    Result<std::unique_ptr<NetcdfReader>> file = NetcdfReader::open(path);
    if (!file) return file.diagnostics();
    file_ = std::move(*file);
    return find();
  }
  const StudyHead& head() const { return head_; }
  Diagnostics visit(const std::function<bool(const StudyLine& line)>& take);

 private:
  Diagnostics find();
  Diagnostics find_columns(const std::vector<std::size_t>& dimensions);
  template <class Values>
  Values get(std::size_t variable, const NetcdfBlock& box) {
    NetcdfValues values;
    if (why_.empty()) why_ = file_->get(variable, box, values);
    Values* got = std::get_if<Values>(&values);
    return got != nullptr && why_.empty() ? std::move(*got) : Values();
  }

  std::string path_, why_;
  std::unique_ptr<NetcdfReader> file_;
  StudyHead head_;
  std::vector<std::size_t> shape_, variables_;  // the variable of each column
  std::size_t error_ = 0, holds_ = 0, status_ = 0, reason_ = 0;
};

// The variables of quantities and measures. `dimensions`: those of the runs.
Diagnostics StudyFileReader::find_columns(const std::vector<std::size_t>& dimensions) {
  const NetcdfHead& file = file_->head();
  const bool given = file.dimensions[dimensions.back()].name == "run";
  for (std::size_t k = 0; k < file.variables.size(); ++k) {
    const NetcdfHead::Variable& variable = file.variables[k];
    const std::string role = attribute_of(variable.attributes, kRole);
    if (role.empty() || variable.type != NetcdfType::kNumber) continue;
    StudyColumn column{variable.name, attribute_of(variable.attributes, "units"), StudyColumn::Kind::kMeasure, 0};
    const bool varied = variable.dimensions.size() == 1 && file.dimensions[variable.dimensions[0]].name == column.name;
    if (varied)
      column.count = static_cast<std::int64_t>(file.dimensions[variable.dimensions[0]].length);
    else if (variable.dimensions != dimensions)
      return no_study(path_, fmt::format("`{}` has other dimensions than `error`", column.name));
    if (role == "quantity")
      column.kind = varied  ? StudyColumn::Kind::kVaried
                    : given ? StudyColumn::Kind::kGiven
                            : StudyColumn::Kind::kSampled;
    head_.columns.push_back(std::move(column));
    variables_.push_back(k);
  }
  return {};
}

Diagnostics StudyFileReader::find() {
  const NetcdfHead& file = file_->head();
  const auto find = [&](std::string_view name, NetcdfType type) {
    const auto found = std::ranges::find_if(file.variables, [&](const NetcdfHead::Variable& variable) {
      return variable.name == name && variable.type == type;
    });
    return static_cast<std::size_t>(found - file.variables.begin());
  };
  error_ = find("error", NetcdfType::kNumber);
  holds_ = find("holds", NetcdfType::kByte);
  status_ = find("status", NetcdfType::kCharacter);
  reason_ = find("reason", NetcdfType::kText);
  if (std::max({error_, holds_, status_, reason_}) >= file.variables.size())
    return no_study(path_, "it lacks error, holds, status or reason");
  const std::vector<std::size_t>& dimensions = file.variables[error_].dimensions;
  if (dimensions.empty()) return no_study(path_, "its runs have no dimension");
  double runs = 1;
  for (const std::size_t k : dimensions) {
    shape_.push_back(file.dimensions[k].length);
    runs *= static_cast<double>(shape_.back());
  }
  if (!(runs >= 1 && runs <= static_cast<double>(kMostRuns)))
    return no_study(path_, fmt::format("it has {} runs", to_text(runs, 4)));
  head_.mark = {attribute_of(file.attributes, "study"), static_cast<std::int64_t>(runs), 1, 1};
  head_.model = attribute_of(file.attributes, "model");
  head_.program = attribute_of(file.attributes, "program");
  if (Diagnostics problems = find_columns(dimensions); !problems.empty()) return problems;
  const std::vector<std::int64_t> shape = head_.shape();
  if (!std::ranges::equal(shape, shape_, {}, {}, [](std::size_t n) { return static_cast<std::int64_t>(n); }))
    return no_study(path_, "its dimensions are not those of its quantities");
  return {};
}

Diagnostics StudyFileReader::visit(const std::function<bool(const StudyLine& line)>& take) {
  std::vector<std::vector<double>> coordinates;
  for (std::size_t k = 0; k < variables_.size() && head_.columns[k].kind == StudyColumn::Kind::kVaried; ++k)
    coordinates.push_back(get<std::vector<double>>(variables_[k], {{0}, {shape_[k]}}));
  StudyLine line;
  line.values.resize(variables_.size());
  for (Boxes boxes(shape_); !boxes.done() && why_.empty(); boxes.next()) {
    const NetcdfBlock box = boxes.box();
    BlockOfRows block;
    for (std::size_t k = coordinates.size(); k < variables_.size(); ++k)
      block.numbers.push_back(get<std::vector<double>>(variables_[k], box));
    block.numbers.push_back(get<std::vector<double>>(error_, box));
    block.holds = get<std::vector<signed char>>(holds_, box);
    block.status = get<std::string>(status_, with_characters(box));
    block.reasons = get<std::vector<std::string>>(reason_, box);
    if (!why_.empty()) break;
    for (std::size_t row = 0; row < block.holds.size(); ++row, ++line.index) {
      auto rest = static_cast<std::size_t>(line.index);
      for (std::size_t k = shape_.size(); k-- > 0; rest /= shape_[k])
        if (k < coordinates.size()) line.values[k] = coordinates[k][rest % shape_[k]];
      for (std::size_t k = coordinates.size(); k < variables_.size(); ++k)
        line.values[k] = block.numbers[k - coordinates.size()][row];
      line.error = block.numbers.back()[row];
      line.holds = block.holds[row] != 0;
      line.status = block.status.substr(row * kStatusLength, kStatusLength).c_str();
      line.reason = block.reasons[row];
      if (!take(line)) return {};
    }
  }
  return why_.empty() ? Diagnostics{} : no_study(path_, why_);
}

}  // namespace

Diagnostics write_study_netcdf(const std::string& place, const std::string& path, const StudyHead& head,
                               const RowSource& rows) {
  StudyFileWriter file(head);
  if (Diagnostics problems = file.open(place, path); !problems.empty()) return problems;
  if (!rows([&](std::string_view row) { return file.add(row); })) return {};
  return file.close();
}

Diagnostics visit_study_netcdf(const std::string& path, const std::function<void(const StudyHead& head)>& begin,
                               const std::function<bool(const StudyLine& line)>& take) {
  StudyFileReader file;
  if (Diagnostics problems = file.open(path); !problems.empty()) return problems;
  begin(file.head());
  return file.visit(take);
}

}  // namespace dalembert::sweeping
