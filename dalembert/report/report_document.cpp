// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/report_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "dalembert/algebra/print_form.h"
#include "dalembert/base/sha256.h"
#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/compile/compile.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/print.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/packed_numbers.h"
#include "dalembert/report/report_live.h"
#include "dalembert/report/report_scene.h"
#include "dalembert/report/report_series.h"
#include "dalembert/report/symbol_table.h"

namespace dalembert {
namespace {

// Larger equations are not readable on a page: `derive --format json` writes them.
constexpr int kMostReadable = 60;               // largest number of velocities plus constraint rows
constexpr int kMostSolved = 12;                 // the same for D λ + d = 0; 13 of them took 2 s
constexpr std::size_t kLongestBlock = 60'000;   // characters of LaTeX in one block
constexpr std::size_t kMostSymbols = 400;       // largest number of symbols of one kind, of rows, and of bodies
constexpr std::size_t kLongestFormula = 4'000;  // largest number of characters of a formula in a table

std::string unit_of(const std::optional<Dimension>& dimension) {
  return dimension ? unit_name(*dimension, Measure::kAngle) : "";
}

// The size is checked before printing, because shared parts of the graph are written at each occurrence.
std::string formula_text(const Expr& expression, Notation notation) {
  if (written_size(expression) > kLongestFormula) return "…";
  const std::string text = print(expression, notation);
  return text.size() <= kLongestFormula ? text : "…";
}

// The table of a model's symbols: notation, meaning, unit and value.
class SymbolTable {
 public:
  void add(const char* kind, const std::string& name, const std::string& latex, const std::string& unit,
           const std::string& value, const std::string& meaning = {}) {
    if (++count_[kind] > kMostSymbols) return;
    list_.push_back({{"name", name},
                     {"latex", latex},
                     {"unit", unit == "1" ? "" : unit},
                     {"value", value},
                     {"meaning", meaning},
                     {"kind", kind}});
  }
  Json take() { return std::move(list_); }

 private:
  std::map<std::string_view, std::size_t> count_;
  Json list_ = Json::array();
};

// The value of a coordinate at the start; 0 if it is mere round-off compared with other coordinates of its dimension.
std::string start_text(const Model& model, const State& start, std::size_t i) {
  double largest = 0;
  for (std::size_t k = 0; k < model.coordinates.size(); ++k)
    if (model.coordinates[k].dimension == model.coordinates[i].dimension)
      largest = std::max(largest, std::abs(start.q[k]));
  return to_text(std::abs(start.q[i]) < 1e-13 * largest ? 0 : start.q[i], 6);
}

Json symbols_json(const Equations& equations, const Names& names, const std::vector<MultiplierMeaning>& meanings,
                  const State* start) {
  const Model& model = *equations.model;
  SymbolTable table;
  for (std::size_t i = 0; i < model.coordinates.size(); ++i)
    table.add("coordinate", model.coordinates[i].name, to_latex(equations.q[i]), at_or_empty(names.coordinate_units, i),
              start ? start_text(model, *start, i) : "", start ? "value at the start" : "");
  for (std::size_t i = 0; i < equations.v.size(); ++i)
    table.add("velocity", model.velocity_name(model.velocity_places()[i]), to_latex(equations.v[i]),
              at_or_empty(names.velocity_units, i), start ? to_text(start->v[i], 6) : "");
  for (const QuasiVelocity& v : model.quasi_velocities)
    table.add("velocity", v.name, to_latex(v.v), unit_of(v.dimension), "", formula_text(v.definition, Notation::kText));
  for (const Parameter& parameter : model.parameters)
    table.add("parameter", parameter.name, to_latex(parameter.symbol), unit_of_value(parameter),
              to_text(parameter.value, 6), meaning_of(model, parameter));
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    if (const Input& input = model.inputs[i]; input.derivative == 0)
      table.add("input", input.name, to_latex(input.symbol), at_or_empty(names.input_units, i),
                !input.value ? "samples" : formula_text(input.value, Notation::kText));
  for (const Prescribed& one : model.prescribed) {
    const Coordinate& coordinate = model.coordinates[static_cast<std::size_t>(one.coordinate)];
    table.add("prescribed", coordinate.name, to_latex(coordinate.q), unit_of(coordinate.dimension),
              formula_text(one.value, Notation::kText));
  }
  for (std::size_t r = 0; r < meanings.size(); ++r)
    table.add("multiplier", meanings[r].row, to_latex(equations.lambda[r]), meanings[r].unit, "", meanings[r].words);
  for (std::size_t i = 0; i < model.outputs.size(); ++i)
    table.add("output", model.outputs[i].name, "\\text{" + latex_prose(model.outputs[i].name) + "}",
              at_or_empty(names.output_units, i), formula_text(model.outputs[i].expression, Notation::kText));
  return table.take();
}

Json constraints_json(const Equations& equations, const std::vector<MultiplierMeaning>& meanings) {
  const Model& model = *equations.model;
  Json list = Json::array();
  const Equations on_top = on_overlay(equations);
  EquationPrinter printer(*on_top.graph, Form::kCanonical, Notation::kLatex, nullptr, state_relations(on_top));
  std::size_t r = 0;
  for (const Constraint& constraint : model.constraints)
    for (const ConstraintRow& row : constraint.rows) {
      if (r >= std::min(equations.rows.size(), kMostSymbols)) return list;
      const bool holonomic = std::ranges::find(equations.holonomic, static_cast<int>(r)) != equations.holonomic.end();
      const bool one_sided = equations.is_unilateral(r);
      const bool moves = !equations.a[r].is_zero();
      const std::string latex = text_of(printer.constraint(on_top, static_cast<int>(r)));
      list.push_back({{"name", row.name},
                      {"latex", latex.size() <= kLongestFormula ? latex + (one_sided ? " \\ge 0" : " = 0") : "…"},
                      {"kind", one_sided   ? (moves ? "one-sided, rheonomic" : "one-sided")
                               : holonomic ? (moves ? "holonomic, rheonomic" : "holonomic")
                                           : (moves ? "Pfaffian, rheonomic" : "Pfaffian")},
                      {"unit", unit_of(row.dimension)},
                      {"meaning", r < meanings.size() ? meanings[r].words : ""},
                      {"multiplier", row.name},
                      {"symbol", to_latex(equations.lambda[r])}});
      ++r;
    }
  return list;
}

Json bodies_json(const Equations& equations) {
  const Model& model = *equations.model;
  Json list = Json::array();
  std::size_t bodies = 0;
  const auto latex = [](const Expr& e) { return formula_text(e, Notation::kLatex); };
  const auto column = [&](const Vector& entries) {
    std::string text;
    for (const Expr& e : entries) text += (text.empty() ? "" : ",\\ ") + latex(e);
    return text.size() <= kLongestFormula ? "\\left(" + text + "\\right)" : std::string("…");
  };
  for (const Body& body : model.bodies) {
    std::string inertia;
    if (body.inertia) inertia = latex(body.inertia);
    if (!body.tensor.empty()) {
      // A diagonal tensor is written as its diagonal.
      bool diagonal = true;
      for (std::size_t k = 0; k < 9; ++k) diagonal = diagonal && (k % 4 == 0 || body.tensor[k].is_zero());
      inertia = diagonal ? "\\operatorname{diag}" + column({body.tensor[0], body.tensor[4], body.tensor[8]}) : "";
      for (std::size_t k = 0; !diagonal && k < 9; ++k)
        inertia += (k == 0 ? "\\begin{bmatrix}" : k % 3 == 0 ? "\\\\ " : " & ") + latex(body.tensor[k]);
      if (!diagonal) inertia += "\\end{bmatrix}";
      if (inertia.size() > kLongestFormula) inertia = "…";
    }
    list.push_back({{"name", body.name},
                    {"mass", latex(body.mass)},
                    {"inertia", inertia},
                    {"position", body.position.empty() ? "" : column(body.position)},
                    {"angle", body.angle ? latex(body.angle) : ""}});
    if (++bodies > kMostSymbols) break;
  }
  return list;
}

// A display without its \[ \], which the page adds itself.
std::string without_brackets(const std::string& display) {
  constexpr std::string_view kOpen = "\\[\n", kClose = "\n\\]\n";
  if (!display.starts_with(kOpen) || !display.ends_with(kClose)) return display;
  return display.substr(kOpen.size(), display.size() - kOpen.size() - kClose.size());
}

// The file name without folders: readers of a page need not know where the file was.
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Line ends in a model file do not end a paragraph.
std::string one_paragraph(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Json blocks_json(const Equations& equations, const EquationsFormat& format, std::vector<ReportNotice>& notices) {
  Json list = Json::array();
  if (equations.nv() + equations.m() > kMostReadable) {
    notices.push_back(
        {"note", fmt::format("{} velocities and {} constraint rows: `dalembert derive` prints the equations",
                             equations.nv(), equations.m())});
    return list;
  }
  EquationsFormat whole = format;
  whole.multiplier_system = format.only.empty() && equations.nv() + equations.m() <= kMostSolved;
  int number = 0;
  for (const LatexBlock& block : equation_blocks(equations, whole)) {
    if (block.displays.empty() && block.remark.empty()) continue;
    std::size_t size = 0;
    Json displays = Json::array();
    for (const std::string& display : block.displays) size += display.size();
    if (size <= kLongestBlock)
      for (const std::string& display : block.displays) displays.push_back(without_brackets(display));
    list.push_back(
        {{"id", fmt::format("block-{}", ++number)},
         {"title", block.title},
         {"note",
          size <= kLongestBlock ? block.remark : fmt::format("({} characters: `dalembert derive` prints them)", size)},
         {"latex", std::move(displays)},
         {"operations", block.operations},
         {"text", ""}});
  }
  return list;
}

// The equations in the notation of model files and claims, for copying; empty if the text would be long.
std::string listing_text(const Equations& equations, EquationsFormat format) {
  if (equations.nv() + equations.m() > kMostReadable) return "";
  format.notation = Notation::kText;
  std::string text = print_equations(equations, format);
  return text.size() <= kLongestBlock ? text : "";
}

const char* level_of(bool good) { return good ? "ok" : "error"; }

// The quantities that decide the verdict, each with its limit.
Json verdict_json(const Trajectory& run) {
  const Verdict& verdict = run.verdict;
  const bool ended = run.status == RunStatus::kOk;
  Json rows = Json::array(), warnings = Json::array();
  const auto add = [&](const std::string& label, const std::string& value, const char* level) {
    rows.push_back({{"label", label}, {"value", value}, {"level", level}});
  };
  if (verdict.rows > 0) {
    add("largest position residual", to_text(verdict.max_position_residual, 3),
        level_of(verdict.residual_excess <= 10));
    add("largest velocity residual", to_text(verdict.max_velocity_residual, 3),
        level_of(verdict.residual_excess <= 10));
    add("smallest rank of W", fmt::format("{} of {}", verdict.min_rank, verdict.rows),
        verdict.min_rank == verdict.rows ? "ok" : "warning");
  }
  if (verdict.energy_scale > 0) {
    const double limit = verdict.drift_limit + verdict.energy_roundoff + verdict.work_error;
    const double error = verdict.conservative ? verdict.energy_drift : verdict.power_balance_error;
    add(verdict.conservative ? "drift of the energy" : "error of the power balance",
        fmt::format("{} of {} J, limit {}", to_text(error, 3), to_text(verdict.energy_scale, 3), to_text(limit, 3)),
        level_of(error <= limit));
  }
  for (const ConservedDrift& one : verdict.conserved) {
    if (verdict.conservative && one.name == "energy") continue;  // listed above
    add("drift of " + one.name, to_text(one.drift, 3), level_of(one.drift <= verdict.drift_limit));
  }
  if (verdict.error.estimated && !verdict.error.q.empty())
    add("error of the final state",
        fmt::format("below {}{}{} in {} ({})", to_text(verdict.error.q[verdict.error.worst], 3),
                    verdict.error.worst_unit.empty() || verdict.error.worst_unit == "1" ? "" : " ",
                    verdict.error.worst_unit == "1" ? "" : verdict.error.worst_unit, verdict.error.worst_name,
                    verdict.error.method),
        level_of(verdict.error.relative < 0.1));
  for (const std::string& reason : verdict.reasons) warnings.push_back(reason);
  for (const std::string& warning : verdict.warnings) warnings.push_back(warning);
  return {
      {"holds", ended ? Json(verdict.holds) : Json()}, {"rows", std::move(rows)}, {"warnings", std::move(warnings)}};
}

Json steps_json(const StepHistory& history) {
  std::vector<double> from, to, shortest, longest;
  for (const StepHistory::Stretch& stretch : history.stretches()) {
    from.push_back(stretch.from), to.push_back(stretch.to);
    shortest.push_back(stretch.shortest), longest.push_back(stretch.longest);
  }
  return {{"each", history.steps_of_stretch()},
          {"from", packed(from)},
          {"to", packed(to)},
          {"shortest", packed(shortest)},
          {"longest", packed(longest)}};
}

// The first output row of each stretch in which rank W is below its maximum.
Json singular_json(const Trajectory& run) {
  Json list = Json::array();
  const int most = run.rank.empty() ? 0 : *std::ranges::max_element(run.rank);
  int before = most, count = 0;
  for (std::size_t row = 0; row < run.rank.size() && row < run.time.size() && count < 20; before = run.rank[row++])
    if (run.rank[row] < most && before == most) {
      list.push_back({{"t", run.time[row]}, {"rank", run.rank[row]}, {"of", most}});
      ++count;
    }
  return list;
}

Json run_json_of(const ReportContent& content) {
  const Trajectory* run = content.run;
  Json events = Json::array(), summary = Json::array();
  const auto say = [&](const char* label, const std::string& value) {
    summary.push_back({{"label", label}, {"value", value}});
  };
  if (content.rows != nullptr && content.rows->rows() > 0) {
    const std::vector<double>& time = content.rows->columns[0];
    say("time", fmt::format("{} s to {} s", to_text(time.front(), 6), to_text(time.back(), 6)));
    say("rows", std::to_string(content.rows->rows()));
  }
  if (run != nullptr) {
    if (!run->method.empty()) say("method", run->method);
    if (run->rtol > 0)
      say("tolerances", fmt::format("{} relative, {} absolute", to_text(run->rtol, 3), to_text(run->atol, 3)));
    say("steps", fmt::format("{}, {} rejected", run->steps, run->rejected));
    say("evaluations", std::to_string(run->evaluations));
    if (!run->computed_by.empty()) say("computed by", run->computed_by);
    for (const RunEvent& event : run->events) events.push_back({{"name", title(event)}, {"t", event.t}});
  }
  return {{"status", run != nullptr ? std::string(to_text(run->status)) : "ok"},
          {"reason", run != nullptr ? run->reason : ""},
          {"summary", std::move(summary)},
          {"verdict", run != nullptr ? verdict_json(*run)
                                     : Json{{"holds", nullptr}, {"rows", Json::array()}, {"warnings", Json::array()}}},
          {"peaks", content.rows != nullptr ? peaks_json(*content.rows, run) : Json::array()},
          {"events", std::move(events)},
          {"steps", run != nullptr && run->steps > 0 ? steps_json(run->step_lengths) : Json()},
          {"singular", run != nullptr ? singular_json(*run) : Json::array()}};
}

}  // namespace

Json report_document(const Equations& equations, const Dynamics& dynamics, const ReportContent& content) {
  const Model& model = *equations.model;
  const std::vector<MultiplierMeaning> meanings = explain_multipliers(equations);
  std::vector<ReportNotice> said = content.notices;
  const bool whole = !content.motion_only;
  Json blocks = whole ? blocks_json(equations, content.equations, said) : Json::array(), chips = Json::array(),
       notices = Json::array(), facts = Json::array();
  const bool ran = content.rows != nullptr && content.rows->rows() > 0;
  std::string refused;
  const AssembleOptions held = content.held.hold_position.empty() ? held_values(model) : content.held;
  Json live = whole && ran ? live_json(equations, dynamics, content.scene, *content.rows, held, &refused) : Json();
  for (const ReportNotice& notice : said) notices.push_back({{"level", notice.level}, {"text", notice.text}});
  for (const ReportChip& chip : content.chips)
    chips.push_back({{"label", chip.label}, {"value", chip.value}, {"level", chip.level}});
  for (const ReportFact& fact : content.structure) facts.push_back({{"label", fact.label}, {"value", fact.value}});

  Json scene;
  if (content.scene != nullptr && ran) {
    const RunStates states = states_of_run(*content.rows, dynamics.names(), most_frames(*content.scene));
    scene = scene_json(*content.scene, dynamics, equations, states);
  }
  return {{"format", "dalembert-report"},
          {"version", 1},
          {"generator", content.generator},
          {"title", model.name},
          {"description", one_paragraph(model.description)},
          {"reference", one_paragraph(model.reference)},
          {"command", content.command},
          {"degrees", content.degrees},
          {"notices", std::move(notices)},
          {"chips", std::move(chips)},
          {"source",
           {{"name", model.source ? file_name(model.source->name()) : ""},
            {"text", model.source ? model.source->text() : ""},
            {"sha256", model.source ? sha256(model.source->text()) : ""}}},
          {"symbols", whole ? symbols_json(equations, dynamics.names(), meanings, content.start) : Json::array()},
          {"bodies", whole ? bodies_json(equations) : Json::array()},
          {"constraints", whole ? constraints_json(equations, meanings) : Json::array()},
          {"equations", std::move(blocks)},
          {"equations_text", whole ? listing_text(equations, content.equations) : ""},
          {"structure", std::move(facts)},
          {"equilibria", content.equilibria},
          {"run", content.run != nullptr || ran ? run_json_of(content) : Json()},
          {"series", ran ? series_json(with_balances(*content.rows, content.run), equations) : Json()},
          {"scene", std::move(scene)},
          {"scene_note", content.scene_note},
          {"live", std::move(live)},
          {"live_note", refused}};
}

}  // namespace dalembert
