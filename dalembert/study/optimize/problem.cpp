// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/optimize/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"

namespace dalembert::optimizing {
namespace {

constexpr std::size_t kKnownPoints = 4;
constexpr std::size_t kRowsInMemory = 4096;  // of a run
// The least size of a quantity for differences of starts, as a fraction of its range.
constexpr double kLeastSize = 1e-3;
// Pieces are looked for in runs of so many steps, which keep a row of each. The largest piece is the row to this fraction of its range.
constexpr std::int64_t kMostStepsOfPieces = 20'000;
constexpr double kSamePiece = 1e-6;
// Rows with so many extremes have pieces; of several extremes so many local ones count, the outermost ones, by the number of extremes.
constexpr std::size_t kMostExtremes = 3, kPiecesOfExtreme[kMostExtremes + 1] = {0, 0, 12, 5};

Diagnostic refused(std::string message, const Span& span, std::string help) {
  Diagnostic problem = error("E0435", std::move(message), span);
  problem.help.push_back(std::move(help));
  return problem;
}

// The place of the sign between the two sides of a constraint, outside of all parentheses; npos if there is none.
std::size_t find_sign(const std::string& text, std::string_view& sign) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    for (const std::string_view one : {"<=", ">=", "=="})
      if (depth == 0 && text.compare(i, 2, one) == 0) {
        sign = one;
        return i;
      }
  }
  return std::string::npos;
}

// Keeps the greatest ones, or the least ones, in the order of time.
void keep_outermost(std::vector<LocalExtreme>& all, bool greatest, std::size_t count) {
  if (all.size() <= count) return;
  std::ranges::stable_sort(all, [&](const LocalExtreme& a, const LocalExtreme& b) {
    return greatest ? a.value > b.value : a.value < b.value;
  });
  all.resize(count);
  std::ranges::sort(all, {}, &LocalExtreme::t);
}

// Reads the texts of a problem; measures are collected first, and read together.
class Reader {
 public:
  Reader(const Model& model, Problem& problem, UnitDoubts& doubts)
      : model_(model), problem_(problem), doubts_(doubts) {}

  Diagnostics read(Model& measured, const OptimizationStatement& statement) {
    texts_.push_back({"objective", statement.objective, {}});
    for (const StudyStatement::Named& one : statement.free) read_free(one);
    if (statement.free.empty())
      problems_.push_back(
          refused("nothing is free", {}, "--free \"L1=0.1 m:0.3 m\" frees a parameter or an initial value"));
    for (const MappedText& one : statement.constraints) read_condition(one);
    Result<Measures> measures = Measures::read(measured, texts_);
    if (!measures) append_new(problems_, measures.diagnostics());
    if (!problems_.empty()) return problems_;
    problem_.measures = *std::move(measures);
    problem_.measures.differentiate(measured);
    for (std::size_t i = 0; i < problem_.conditions.size(); ++i) check_dimensions(i, statement.constraints[i]);
    return problems_;
  }

 private:
  void read_free(const StudyStatement::Named& text) {
    Result<StudyQuantity> quantity = find_quantity(model_, text.name, text.place);
    if (!quantity) return append_new(problems_, quantity.diagnostics());
    const std::vector<MappedText> parts = text.text.split(':');
    if (parts.size() != 2) {
      problems_.push_back(refused(fmt::format("`{}` is no range", text.text.text), text.text.span(),
                                  text.text.text.find('=') != std::string::npos
                                      ? "name each quantity by an option of its own: --free \"a=0:5\" --free \"b=1:9\""
                                      : "write FROM:TO, the smallest and the largest value: `0.1 m:0.3 m`"));
      return;
    }
    const Result<double> from = read_value(parts[0], *quantity), to = read_value(parts[1], *quantity);
    for (const Result<double>* one : {&from, &to})
      if (!*one) return append_new(problems_, one->diagnostics());
    for (const MappedText& part : parts) doubts_.look_at(model_, *quantity, part);
    if (!(*from < *to)) {
      problems_.push_back(
          refused(fmt::format("`{}` is free from {} to {}: no range", text.name, to_text(*from), to_text(*to)),
                  text.text.span(), "the smallest value comes first"));
      return;
    }
    if (std::ranges::find(problem_.quantities, quantity->name, &StudyQuantity::name) != problem_.quantities.end()) {
      problems_.push_back(refused(fmt::format("`{}` is free twice", text.name), text.place, "name it once"));
      return;
    }
    problem_.quantities.push_back(*std::move(quantity));
    problem_.lower.push_back(*from);
    problem_.upper.push_back(*to);
  }

  void read_condition(const MappedText& text) {
    std::string_view sign;
    const std::size_t at = find_sign(text.text, sign);
    if (at == std::string::npos) {
      problems_.push_back(refused(fmt::format("`{}` compares nothing", text.text), text.span(),
                                  "write two measures with <=, >= or == between them: `max(x) >= 0.5 m`"));
      return;
    }
    Condition& condition = problem_.conditions.emplace_back();
    condition.text = text.text;
    condition.relation = sign == "<="   ? Condition::Relation::kAtMost
                         : sign == ">=" ? Condition::Relation::kAtLeast
                                        : Condition::Relation::kEqual;
    condition.left = read_side(text.part(0, at).trimmed(), text);
    condition.right = read_side(text.part(at + 2, text.text.size()).trimmed(), text);
  }

  Side read_side(const MappedText& text, const MappedText& whole) {
    if (text.text.empty()) {
      problems_.push_back(refused(fmt::format("one side of `{}` is empty", whole.text), whole.span(),
                                  "write two measures: `max(x) >= 0.5 m`"));
      return {};
    }
    if (const Result<Quantity> number = parse_quantity(text); number && std::isfinite(number->value))
      return {-1, number->value, number->dimension};
    texts_.push_back({fmt::format("side{}", texts_.size()), text, {}});
    return {static_cast<int>(texts_.size()) - 1};
  }

  // A number without a unit is in the SI unit of the other side.
  void check_dimensions(std::size_t i, const MappedText& text) {
    Condition& condition = problem_.conditions[i];
    for (Side* side : {&condition.left, &condition.right})
      if (side->measure >= 0) side->dimension = problem_.measures.dimensions()[static_cast<std::size_t>(side->measure)];
    const auto &left = condition.left.dimension, &right = condition.right.dimension;
    if (!model_.has_units || !left || !right || *left == *right) return;
    problems_.push_back(error("E0203",
                              fmt::format("the sides of `{}` are in `{}` and in `{}`", text.text,
                                          unit_name(*left, Measure::kAngle), unit_name(*right, Measure::kAngle)),
                              text.span()));
  }

  const Model& model_;
  Problem& problem_;
  UnitDoubts& doubts_;
  std::vector<StudyStatement::Named> texts_;
  Diagnostics problems_;
};

}  // namespace

Result<Problem> Problem::read(const Model& model, const OptimizationStatement& statement,
                              const IntegrateOptions& options, const CompileOptions& compile, UnitDoubts& doubts) {
  Problem problem;
  problem.options = options;
  problem.maximize = statement.maximize;
  auto measured = std::make_shared<Model>(model);
  if (Diagnostics problems = Reader(model, problem, doubts).read(*measured, statement); !problems.empty())
    return problems;
  Result<BuiltModel> built = build_model(std::move(measured), model.diagnostics(), compile);
  if (!built) return built.diagnostics();
  problem.system = *std::move(built);
  if (Diagnostics missing =
          missing_samples(*problem.system->model, problem.system->dynamics, model.initial.t, options.until);
      !missing.empty())
    return missing;
  // All runs use one code, whichever is made first: digits do not depend on the runs before.
  if (compile.machine_code) problem.system->dynamics.kernel().expect_many_calls();
  if (options.formulation == Formulation::kReduced)
    problem.options.quasi_velocities = compile_quasi_velocities(problem.system->equations);
  problem.objective_unit = problem.measures.units(*problem.system->model).front();
  if (problem.objective_unit == "1") problem.objective_unit.clear();
  return problem;
}

Formula Problem::formula(std::size_t row) const {
  if (row == 0) return {{.measure = 0}, {}, sign()};
  const Condition& condition = conditions[row - 1];
  return {condition.left, condition.right, condition.sign()};
}

std::vector<std::size_t> Problem::extremes_in(std::size_t row) const {
  if (row > 0 && conditions[row - 1].equation()) return {};
  const Formula of = formula(row);
  std::vector<std::size_t> of_row;
  for (const Side* side : {&of.left, &of.right})
    if (side->measure >= 0) of_row.push_back(static_cast<std::size_t>(side->measure));
  return measures.extremes_in(of_row);
}

double Trial::violation(const Problem& problem, const std::vector<double>& tolerances) const {
  double largest = 0;
  for (std::size_t i = 0; i < problem.conditions.size(); ++i) {
    const double excess = rows[i + 1].value;
    largest = std::max(largest, (problem.conditions[i].equation() ? std::abs(excess) : excess) / tolerances[i]);
  }
  return largest;
}

Evaluator::Evaluator(const Problem& problem)
    : problem_(problem), system_(*problem.system, problem.quantities), start_(system_.model().initial.t) {
  system_.compile_derivatives();
  matters.resize(problem.quantities.size());
}

IntegrateOptions Evaluator::watched() const {
  IntegrateOptions options = problem_.options;
  if (keep_on) options.progress = [this](const RunPoint&) { return keep_on(); };
  options.take_rows = [](const Trajectory& run) { return run.size() > kRowsInMemory; };
  return options;
}

const Trial& Evaluator::at(const std::vector<double>& x, bool gradients) {
  const auto found = std::ranges::find(known_, x, &Trial::x);
  if (found == known_.end()) {
    if (known_.size() == kKnownPoints) known_.erase(known_.begin());
    known_.emplace_back().x = x;
    measure(known_.back());
  } else {
    std::rotate(found, found + 1, known_.end());
  }
  Trial& point = known_.back();
  if (gradients && point.counts && !point.differentiated && point.unknown.empty()) differentiate(point);
  return point;
}

// The run with these values; with its derivatives if sizes of the quantities are given.
Trajectory Evaluator::run(const std::vector<double>& x, const IntegrateOptions& options,
                          std::span<const double> sizes) {
  system_.set(x);
  ++runs;
  Trajectory run = system_.run(options, sizes);
  if (run.status == RunStatus::kStopped) stopped = true;
  return run;
}

Trajectory Evaluator::run(const std::vector<double>& x) {
  system_.set(x);
  IntegrateOptions options = watched();
  problem_.measures.ask(system_.model(), start_, true, options);
  return run(x, options, {});
}

void Evaluator::measure(Trial& point) {
  const auto fails = [&](std::string why) {
    point.reason = std::move(why);
    if (!stopped) ++failures[point.reason];
  };
  // Before the run: speeds may grow without limit, and then it takes long.
  system_.set(point.x);
  if (std::string doubt = system_.doubt(); !doubt.empty()) return fails(std::move(doubt));
  point.run = run(point.x);
  const Trajectory& run = point.run;
  if (run.status != RunStatus::kOk) return fails(run.reason);
  if (!run.verdict.holds)
    return fails(run.verdict.reasons.empty() ? "the verdict does not hold" : run.verdict.reasons.front());
  const std::vector<double> values = problem_.measures.of(run, system_.model(), start_);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    return fails(problem_.measures.why_none(run, system_.model(), start_));
  point.counts = true;
  for (std::size_t row = 0; row < problem_.rows(); ++row) {
    const Formula formula = problem_.formula(row);
    const double left = formula.left.of(values), right = formula.right.of(values);
    point.rows.push_back({formula.of(values), std::max(std::abs(left), std::abs(right)), {}});
  }
}

std::vector<double> Evaluator::sizes(const Trial& point) const {
  std::vector<double> sizes;
  for (std::size_t k = 0; k < point.x.size(); ++k) {
    const double width = problem_.upper[k] - problem_.lower[k];
    sizes.push_back(std::min(width, std::max(std::abs(point.x[k]), kLeastSize * width)));
  }
  return sizes;
}

// The gradient of a row; empty if it is unknown, and why.
std::vector<double> Evaluator::gradient_of(std::size_t row, const MeasureDerivatives& found,
                                           std::string& unknown) const {
  const Formula formula = problem_.formula(row);
  std::vector<double> gradient(problem_.quantities.size(), 0.0);
  unknown.clear();
  for (const auto& [side, sign] : {std::pair(&formula.left, 1.0), std::pair(&formula.right, -1.0)}) {
    if (side->measure < 0) continue;
    const auto measure = static_cast<std::size_t>(side->measure);
    if (!found.unknown[measure].empty()) unknown = found.unknown[measure];
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += formula.sign * sign * found.by[measure][k];
  }
  if (!unknown.empty()) gradient.clear();
  return gradient;
}

void Evaluator::differentiate(Trial& point) {
  ++gradients;
  IntegrateOptions options = watched();
  system_.set(point.x);
  problem_.measures.ask_derivatives(point.run, system_.model(), start_, options);
  options.error_estimate = options.second_run = options.cross_check = false;
  std::vector<Tangent> tangents;
  for (const StudyQuantity& quantity : problem_.quantities) {
    Tangent& tangent = tangents.emplace_back(Tangent{.name = quantity.name});
    if (quantity.parameter >= 0) tangent.parameters.emplace_back(quantity.parameter, 1.0);
  }
  const Trajectory second = run(point.x, options, sizes(point));
  if (second.status != RunStatus::kOk) {
    point.unknown = second.reason;
    unknown_somewhere = true;
    return;
  }
  const MeasureDerivatives found = problem_.measures.derivatives(point.run, second, system_.model(), start_, tangents);
  std::vector<std::string> unknown(problem_.rows());
  for (std::size_t row = 0; row < problem_.rows(); ++row)
    point.rows[row].gradient = gradient_of(row, found, unknown[row]);
  find_pieces(point, second, tangents, unknown);
  for (const std::string& why : unknown)
    if (!why.empty() && point.unknown.empty()) point.unknown = why;
  point.differentiated = point.unknown.empty();
  if (!point.differentiated) unknown_somewhere = true;
  for (const Row& row : point.rows)
    for (std::size_t i = 0; i < row.gradient.size(); ++i)
      if (row.gradient[i] != 0) matters[i] = 1;
}

// Looks for the pieces of all rows that contain extremes.
void Evaluator::find_pieces(Trial& point, const Trajectory& second, std::span<const Tangent> tangents,
                            std::vector<std::string>& unknown) {
  std::vector<Sought> sought;
  std::vector<std::size_t> extremes;
  for (std::size_t row = 0; row < problem_.rows(); ++row)
    for (const std::size_t extreme : problem_.extremes_in(row)) {
      if (std::ranges::find(extremes, extreme) != extremes.end()) continue;
      extremes.push_back(extreme);
      sought.push_back(problem_.measures.sought(extreme));
    }
  if (extremes.empty() || point.run.steps > kMostStepsOfPieces) return;
  IntegrateOptions options = watched();
  options.error_estimate = options.second_run = options.cross_check = options.find_peaks = false;
  options.take_rows = {};
  options.output_times = {};
  options.output_step = 0;
  const Trajectory plain = run(point.x, options, {});
  ask_fine_rows(plain, options);
  const Trajectory steps = run(point.x, options, sizes(point));
  if (plain.status != RunStatus::kOk || steps.status != RunStatus::kOk) return;
  ask_local_extremes(steps, sought, options);
  const Trajectory near = run(point.x, options, sizes(point));
  if (near.status != RunStatus::kOk) return;
  for (std::size_t row = 0; row < problem_.rows(); ++row) {
    const std::vector<std::size_t> of_row = problem_.extremes_in(row);
    if (of_row.empty() || of_row.size() > kMostExtremes) continue;
    std::vector<std::vector<OtherExtreme>> local(of_row.size());
    std::vector<std::vector<double>> times(of_row.size());
    for (std::size_t e = 0; e < of_row.size(); ++e) {
      const Sought& one = sought[static_cast<std::size_t>(std::ranges::find(extremes, of_row[e]) - extremes.begin())];
      std::vector<LocalExtreme> all = local_extremes(steps, near, one);
      if (of_row.size() > 1) keep_outermost(all, one.greatest, kPiecesOfExtreme[of_row.size()]);
      for (LocalExtreme& found : all) {
        times[e].push_back(found.t);
        local[e].push_back({of_row[e], found.value, std::move(found.by)});
      }
    }
    find_pieces_of(point, row, local, times, second, tangents, unknown);
  }
}

// A row has pieces if it is the largest one of them: if it grows with each greatest value and falls with each least one, and all extremes were found. There is a
// piece for each choice of one local extreme for each extreme in the row.
void Evaluator::find_pieces_of(Trial& point, std::size_t row, std::span<const std::vector<OtherExtreme>> local,
                               std::span<const std::vector<double>> times, const Trajectory& second,
                               std::span<const Tangent> tangents, std::vector<std::string>& unknown) {
  const Formula formula = problem_.formula(row);
  std::vector<Piece> pieces;
  double largest = -std::numeric_limits<double>::infinity(), smallest = -largest;
  std::string why;
  std::size_t count = 1;
  for (const std::vector<OtherExtreme>& one : local) count *= one.size();
  for (std::size_t choice = 0; choice < count; ++choice) {
    std::vector<OtherExtreme> instead;
    Piece piece;
    std::size_t rest = choice;
    for (std::size_t e = 0; e < local.size(); ++e) {
      instead.push_back(local[e][rest % local[e].size()]);
      piece.t.push_back(times[e][rest % local[e].size()]);
      rest /= local[e].size();
    }
    const Model& model = system_.model();
    piece.value = formula.of(problem_.measures.of(point.run, model, start_, instead));
    piece.gradient =
        gradient_of(row, problem_.measures.derivatives(point.run, second, model, start_, tangents, instead), why);
    if (piece.gradient.empty()) return;
    largest = std::max(largest, piece.value);
    smallest = std::min(smallest, piece.value);
    pieces.push_back(std::move(piece));
  }
  Row& of = point.rows[row];
  const double allowed = kSamePiece * std::max(largest - smallest, of.size);
  if (pieces.empty() || std::abs(largest - of.value) > allowed) return;
  unknown[row].clear();
  of.gradient = std::ranges::max_element(pieces, {}, &Piece::value)->gradient;
  of.pieces = std::move(pieces);
}

}  // namespace dalembert::optimizing
