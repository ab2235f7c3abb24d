// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/gait_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/scope.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/report/kinematic_json.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

constexpr double kCloses = 1e-9;  // relative gap below which a cycle counts as closed

double value_at(const GaitStudy& study, const Expr& e, double t) {
  return evaluate(e, [&](SymbolId s) {
    const Symbol& symbol = study.equations.graph->symbol_info(s);
    const auto& parameters = study.system.model->parameters;
    const auto index = static_cast<std::size_t>(symbol.index);
    if (symbol.kind == SymbolKind::kTime) return t;
    return symbol.kind == SymbolKind::kParameter && index < parameters.size() ? parameters[index].value : 0.0;
  });
}

// Parameters that occur only in the shape are parameters of the gait.
std::vector<GaitParameter> own_parameters(const Equations& eq, const std::vector<Expr>& shape) {
  std::vector<Expr> elsewhere;
  for (const auto* list : {&eq.M.value, &eq.B, &eq.G, &eq.F, &eq.W.value, &eq.a, &eq.gamma})
    elsewhere.insert(elsewhere.end(), list->begin(), list->end());
  const std::vector<SymbolId> used = symbols_in(elsewhere), own = symbols_in(shape);
  std::vector<GaitParameter> found;
  for (const Parameter& parameter : eq.model->parameters) {
    const SymbolId symbol = parameter.symbol.symbol();
    if (std::ranges::binary_search(own, symbol) && !std::ranges::binary_search(used, symbol))
      found.push_back({parameter.name, eq.graph->adopt(parameter.symbol), parameter.value});
  }
  return found;
}

void note_open_shapes(GaitStudy& study) {
  for (std::size_t j = 0; j < study.given.shape.size(); ++j) {
    const double begin = value_at(study, study.given.shape[j], study.given.start),
                 end = value_at(study, study.given.shape[j], study.given.start + study.given.period);
    if (std::abs(end - begin) <= kCloses * std::max({1.0, std::abs(begin), std::abs(end)})) continue;
    const std::string& name = study.system.model->coordinates[static_cast<std::size_t>(study.given.actuated[j])].name;
    Diagnostic d = warning("W0322", fmt::format("`{}` does not end where it began: {} instead of {}", name,
                                                to_text(end, 6), to_text(begin, 6)));
    d.notes.push_back(fmt::format("the period is {} s", to_text(study.given.period, 9)));
    d.help.push_back("`--period TIME` says how long a cycle takes");
    study.warnings.push_back(std::move(d));
  }
}

Diagnostic refused(const char* code, std::string message, std::vector<std::string> help = {}) {
  Diagnostic problem = error(code, std::move(message));
  problem.help = std::move(help);
  return problem;
}

// Checks that the rates of the harmonics are finite, and that the period is large compared with round-off of the start
// time.
Diagnostics check_period(const Gait& gait, int harmonics) {
  constexpr double kLeast = 1e-100, kMost = 1e100, kOfStart = 1e-9;
  const double least = std::max(kLeast * harmonics, kOfStart * std::abs(gait.start));
  if (gait.period >= least && gait.period <= kMost) return {};
  return {refused("E0403", fmt::format("a period of {} s cannot be followed", to_text(gait.period, 6)),
                  {fmt::format("a period may be from {} s{} to {} s", to_text(least, 3),
                               gait.start != 0 ? ", a billionth of the time of the start," : "", to_text(kMost, 3))})};
}

std::vector<double> column(const std::vector<std::vector<double>>& rows, std::size_t k) {
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.push_back(row[k]);
  return values;
}

}  // namespace

Diagnostics prescribe_cycle(const SourcePtr& source, Model& model) {
  const std::string& text = source->text();
  SymbolScope scope(*model.graph);
  Diagnostics problems;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      depth += (text[i] == '(') - (text[i] == ')');
      if (depth > 0 || (text[i] != ',' && text[i] != ';')) continue;
    }
    const auto place = [&](std::size_t from, std::size_t to) {
      return Span{source, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
    };
    const std::size_t equals = std::min(text.find('=', begin), i);
    std::size_t name_begin = std::min(text.find_first_not_of(" \t", begin), equals), name_end = equals;
    while (name_end > name_begin && text[name_end - 1] == ' ') --name_end;
    const std::string name = text.substr(name_begin, name_end - name_begin);
    const int index = model.coordinate_index(name);
    if (equals == i) {
      Diagnostic problem = error("E0405", "a cycle gives coordinates as functions of time", place(begin, i));
      problem.help.push_back("write `--cycle \"alpha=0.3*sin(t), beta=0.3*cos(t)\"`");
      problems.push_back(std::move(problem));
    } else if (index < 0) {
      Diagnostic problem = error("E0102", fmt::format("unknown coordinate `{}`", name),
                                 place(name_begin, std::max(name_end, name_begin + 1)));
      std::vector<std::string> known;
      for (const Coordinate& coordinate : model.coordinates) known.push_back(coordinate.name);
      if (const auto near = nearest(name, known)) problem.help.push_back(fmt::format("did you mean `{}`?", *near));
      problems.push_back(std::move(problem));
    } else {
      const std::size_t from = std::min(text.find_first_not_of(" \t", equals + 1), i);
      const Result<Expr> value =
          parse(MappedText::verbatim(source, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(i)), scope);
      model.here = place(from, i);
      if (value) {
        model.prescribe_instead(model.coordinates[static_cast<std::size_t>(index)], *value);
        // The cycle determines the start, so initial values of the model for this coordinate are dropped.
        for (auto* held : {&model.initial.position, &model.initial.velocity})
          std::erase_if(*held, [&](const InitialValue& start) { return start.coordinate == index; });
      } else {
        problems.insert(problems.end(), value.diagnostics().begin(), value.diagnostics().end());
      }
    }
    begin = i + 1;
  }
  problems.insert(problems.end(), model.diagnostics().begin(), model.diagnostics().end());
  return has_errors(problems) ? problems : Diagnostics{};
}

Result<GaitStudy> study_gait(BuiltModel system, const GaitRequest& request) {
  if (system.model->prescribed.empty())
    return refused("E0403", "no cycle of the shape is given",
                   {"write `--cycle \"alpha=0.3*sin(t), beta=0.3*cos(t)\"`, or [prescribed] in the model file"});
  Equations equations = on_overlay(system.equations);
  GaitStudy study{std::move(system), std::move(equations), {}, {}, false, 1, {}, {}, {}, {}, 0, {}, {}};
  const Model& model = *study.system.model;
  const Equations& eq = study.equations;
  Gait& given = study.given;
  given.actuated = model.actuated();
  for (const Prescribed& one : model.prescribed) {
    const Expr shape = eq.graph->adopt(one.value);
    if (depends_on_kind(shape, SymbolKind::kInput))
      return error("E0407", "a cycle of samples is not supported yet: write it as an expression", one.span);
    given.shape.push_back(shape);
  }
  const std::size_t passive = static_cast<std::size_t>(eq.n()) - given.actuated.size(),
                    m = static_cast<std::size_t>(eq.m());
  if (passive == 0 || m > passive)
    return refused("E0322",
                   passive == 0
                       ? "every coordinate is prescribed, so there is nothing to move"
                       : fmt::format("{} rows for {} passive coordinates: the cycle cannot be followed", m, passive));
  study.kinematic = m == passive;
  given.start = model.initial.t;
  given.period = request.period.value_or(find_period(given.shape, model));
  if (!(given.period > 0))
    return refused("E0403", "the cycle's period cannot be found from its sines and cosines",
                   {"give it with `--period TIME`"});
  if (Diagnostics unfit = check_period(given, request.harmonics); !unfit.empty()) return unfit;
  note_open_shapes(study);
  study.options.cycles = request.cycles;
  study.harmonics = request.harmonics;
  given.parameters = own_parameters(eq, given.shape);

  const Result<ModelStart> start = find_model_start(study.system);
  if (!start) return start.diagnostics();
  if (!start->assembly.ok()) return explain_start(study.system, *start);
  const std::vector<double>& q = start->assembly.state.q;
  const Partition parts = partition(eq, given.actuated);
  for (const int i : parts.passive) study.q0.push_back(q[static_cast<std::size_t>(i)]);
  if (auto local = build_local_connection(eq, given.actuated, kAskedCost))
    study.local = std::make_shared<const LocalConnection>(std::move(*local));
  study.order = study.local ? study.local->parts.passive : parts.passive;
  for (const int i : study.order)
    study.place.push_back(static_cast<std::size_t>(std::ranges::find(parts.passive, i) - parts.passive.begin()));
  if (study.local) study.heading = q[static_cast<std::size_t>(study.local->placement[2])];
  if (study.system.equations.load_dependent()) {
    Diagnostic refused = error("E0272", "gait does not support forces that depend on multipliers yet");
    refused.help = {"friction is such a force; `simulate`, `eval` and `derive` support it"};
    return refused;
  }
  study.gait = perturbed_gait(given, model, request.harmonics);
  return study;
}

Result<GaitRun> run_gait(const GaitStudy& study) {
  std::vector<double> values;
  for (const GaitParameter& parameter : study.gait.parameters) values.push_back(parameter.value);
  GaitRun run = GaitSystem(study.equations, study.gait, study.kinematic).run(study.q0, values, study.options);
  if (run.ok()) return run;
  Diagnostic d = error("E0322", fmt::format("the cycle stops at t = {} s: {}", to_text(run.failed_at, 6), run.failure));
  // The work grows with the square of the number of harmonics: sensitivities and steps both grow with it.
  if (run.work_beyond > 0)
    if (const int fewer = static_cast<int>(study.harmonics / std::sqrt(run.work_beyond)); fewer >= 1)
      d.help.push_back(fmt::format("`--harmonics {}` takes about as much as the limit", fewer));
  if (!run.singular) return d;
  if (study.local)
    for (const Expr& factor : study.local->singular)
      d.notes.push_back(fmt::format("the velocities are not determined where {} = 0", to_text(factor)));
  d.help.push_back("choose a cycle that stays away from such shapes");
  return d;
}

// Values in display order, in body axes if there are any.
std::vector<double> told(const GaitStudy& study, const std::vector<double>& passive) {
  std::vector<double> values;
  for (const std::size_t k : study.place) values.push_back(passive[k]);
  if (study.local) turn_to_body(study.heading, values);
  return values;
}

std::vector<std::string> told_names(const GaitStudy& study) {
  std::vector<std::string> names;
  for (const int i : study.order) names.push_back(study.system.model->coordinates[static_cast<std::size_t>(i)].name);
  return names;
}

std::vector<GaitSensitivity> gait_sensitivities(const GaitStudy& study, const GaitRun& run) {
  const Gait& gait = study.gait;
  std::vector<GaitSensitivity> all;
  for (std::size_t k = 0; k < gait.parameters.size(); ++k)
    all.push_back({gait.parameters[k].name, told(study, column(run.displacement_by, k)), run.effort_by[k]});
  return all;
}

Result<BestGait> best_gait(const GaitStudy& study, int harmonics) {
  const Model& model = *study.system.model;
  const Gait series = fourier_gait(study.given, model, harmonics);
  const GaitSystem system(study.equations, series, study.kinematic);
  std::vector<double> values;
  for (const GaitParameter& parameter : series.parameters) values.push_back(parameter.value);
  if (study.place.size() < 2) return refused("E0322", "a distance needs two passive coordinates that are lengths");
  GaitOptions options = study.options;
  options.rtol = 1e-10;
  options.atol = 1e-13;
  const std::vector<double> given = values;
  BestGait made{optimize_gait(system, study.q0, std::move(values), static_cast<int>(study.place[0]),
                              static_cast<int>(study.place[1]), options),
                {}};
  made.shape = fourier_text(series, made.optimum.values, harmonics);
  // The reported numbers come from a run of the displayed cycle, with the accuracy of a given cycle.
  GaitOptimum& best = made.optimum;
  if (!best.run.ok()) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    best.run.displacement.assign(system.passive().size(), kNone);
    best.run.effort = best.best = best.start = kNone;
    best.remark =
        fmt::format("the search has no start: the series of {} of the cycle stops at t = {} s: {}",
                    counted(harmonics, "harmonic", "harmonics"), to_text(best.run.failed_at, 6), best.run.failure);
    return made;
  }
  if (!(best.best > 0)) return made;  // the given cycle has no displacement
  GaitRun run = system.run(study.q0, best.values, study.options);
  if (!run.ok()) {
    best.remark = fmt::format("no optimum: the best cycle that was found stops at t = {} s: {}",
                              to_text(run.failed_at, 6), run.failure);
    best.converged = false;
    best.values = given;
    made.shape = fourier_text(series, best.values, harmonics);
    run = system.run(study.q0, best.values, study.options);
    if (!run.ok()) return refused("E0322", best.remark);
  }
  best.run = std::move(run);
  best.best =
      std::hypot(best.run.displacement[study.place[0]], best.run.displacement[study.place[1]]) / best.run.effort;
  return made;
}

Json gait_json(const GaitStudy& study, const GaitRun& run, const BestGait* optimized) {
  const Model& model = *study.system.model;
  const std::vector<std::string> names = told_names(study);
  EquationPrinter printer(*study.equations.graph, Form::kCanonical, Notation::kText);
  Json sensitivity = Json::object();
  for (const GaitSensitivity& by : gait_sensitivities(study, run)) {
    Json values = named_json(names, by.displacement);
    values.append("effort", by.effort);
    sensitivity.append(by.name, std::move(values));
  }
  Json body = body_axes_json(study.equations, study.local.get(), printer);
  const Json ground = study.local || !study.kinematic ? Json(nullptr) : kinematic_json(study.equations, printer);
  Json connection = study.local ? formulas_json(printer, study.local->A) : Json(nullptr);
  if (const auto form = study.local ? std::nullopt : build_kinematic(study.equations, study.given.actuated, kAskedCost))
    connection = formulas_json(printer, form->A);
  Json curvature = nullptr, momentum = nullptr;
  if (study.local) {
    curvature = body["curvature"];
    momentum = body["momentum"];
  }
  Json shape = Json::object();
  for (std::size_t j = 0; j < study.given.shape.size(); ++j)
    shape.append(model.coordinates[static_cast<std::size_t>(study.given.actuated[j])].name,
                 text_of(printer.entry(study.given.shape[j])));
  Json json = {{"model", model.name},
               {"displacement", named_json(names, told(study, run.displacement))},
               {"cycles", study.options.cycles},
               {"period", study.given.period},
               {"frame", study.local ? "body" : "ground"},
               {"kind", study.kinematic ? "kinematic" : "mixed"},
               {"cycle", std::move(shape)},
               {"velocity", named_json(names, told(study, run.velocity))},
               {"effort", run.effort},
               {"sensitivity", std::move(sensitivity)},
               {"connection", std::move(connection)},
               {"curvature", std::move(curvature)},
               {"momentum", std::move(momentum)},
               {"optimum", nullptr}};
  if (optimized != nullptr) {
    Json cycle = Json::object();
    for (std::size_t j = 0; j < optimized->shape.size(); ++j)
      cycle.append(model.coordinates[static_cast<std::size_t>(study.given.actuated[j])].name, optimized->shape[j]);
    const GaitOptimum& best = optimized->optimum;
    json["optimum"] = {
        {"cycle", std::move(cycle)},   {"displacement", named_json(names, told(study, best.run.displacement))},
        {"effort", best.run.effort},   {"distance_per_effort", best.best},
        {"at_start", best.start},      {"iterations", best.iterations},
        {"converged", best.converged}, {"remark", text_or_null(best.remark)}};
  }
  return json;
}

}  // namespace dalembert
