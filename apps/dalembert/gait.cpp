// SPDX-License-Identifier: Apache-2.0
// dalembert gait: what a cycle of the shape moves a system by, and what that depends on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/gait.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/closed_form.h"
#include "dalembert/expr/parse.h"
#include "dalembert/expr/scope.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/kinematic_json.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kLongestFormula = 2'000;  // that is shown

constexpr double kCloses = 1e-9;  // of a cycle that ends where it began, relative to the size of the shape

constexpr double kRoundOff = 1e-12;  // of a result beside what it is made of, not worth reading

std::string number(double value) { return shown_number(value, 8); }

std::string number_beside(double value, double size) { return number(std::abs(value) <= kRoundOff * size ? 0 : value); }

double largest_of(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

// "alpha=0.3*sin(t), beta=0.3*cos(t)" by commas outside of parentheses.
void prescribe_cycle(const std::string& text, Model& model) {
  const SourcePtr source = make_source("--cycle", text);
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
      Diagnostic problem = error("E0405", "a cycle says what each coordinate follows", place(begin, i));
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
        // The cycle says where it starts, whatever the model's own start holds.
        for (auto* held : {&model.initial.position, &model.initial.velocity})
          std::erase_if(*held, [&](const InitialValue& start) { return start.coordinate == index; });
      } else {
        problems.insert(problems.end(), value.diagnostics().begin(), value.diagnostics().end());
      }
    }
    begin = i + 1;
  }
  problems.insert(problems.end(), model.diagnostics().begin(), model.diagnostics().end());
  if (has_errors(problems)) fail(kExitUsage, problems);
}

LoadedModel load_cycle(const Arguments& arguments) {
  LoadedModel loaded = load(arguments.operands.at(0), overrides_of(arguments));
  if (const auto cycle = arguments.value("--cycle")) {
    auto model = std::make_shared<Model>(*loaded.model);
    prescribe_cycle(*cycle, *model);
    loaded.model = std::move(model);
  }
  if (loaded.model->prescribed.empty())
    fail(kExitUsage, "E0403", "nothing says what the shape does",
         {"write `--cycle \"alpha=0.3*sin(t), beta=0.3*cos(t)\"`, or [prescribed] in the model file"});
  return loaded;
}

// What is computed once for all that is said.
struct Study {
  System system;
  Equations equations;  // on an overlay
  Gait gait;
  bool kinematic = false;
  std::vector<double> q0;  // passive
  std::optional<LocalConnection> local;
  std::vector<int> order;          // passive coordinates as they are told: x, y, θ of the body first
  std::vector<std::size_t> place;  // of each among the passive ones
  double heading = 0;
  GaitOptions options;
  Diagnostics warnings;
};

double value_at(const Study& study, const Expr& e, double t) {
  return evaluate(e, [&](SymbolId s) {
    const Symbol& symbol = study.equations.graph->symbol_info(s);
    const auto& parameters = study.system.model->parameters;
    const auto index = static_cast<std::size_t>(symbol.index);
    if (symbol.kind == SymbolKind::kTime) return t;
    return symbol.kind == SymbolKind::kParameter && index < parameters.size() ? parameters[index].value : 0.0;
  });
}

// Parameters of the model that only the shape has are parameters of the gait.
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

void require_closed(Study& study) {
  for (std::size_t j = 0; j < study.gait.shape.size(); ++j) {
    const double begin = value_at(study, study.gait.shape[j], study.gait.start),
                 end = value_at(study, study.gait.shape[j], study.gait.start + study.gait.period);
    if (std::abs(end - begin) <= kCloses * std::max({1.0, std::abs(begin), std::abs(end)})) continue;
    const std::string& name = study.system.model->coordinates[static_cast<std::size_t>(study.gait.actuated[j])].name;
    Diagnostic d = warning("W0322", fmt::format("`{}` does not end where it began: {} after {}", name, to_text(end, 6),
                                                to_text(begin, 6)));
    d.notes.push_back(fmt::format("the period is {} s", to_text(study.gait.period, 9)));
    d.help.push_back("`--period TIME` says how long a cycle takes");
    study.warnings.push_back(std::move(d));
  }
}

Study prepare(const Arguments& arguments) {
  System system = build(load_cycle(arguments));
  Equations equations = on_overlay(system.equations);
  Study study{std::move(system), std::move(equations), {}, false, {}, {}, {}, {}, 0, {}, {}};
  const Model& model = *study.system.model;
  const Equations& eq = study.equations;
  study.gait.actuated = model.actuated();
  for (const Prescribed& one : model.prescribed) {
    const Expr shape = eq.graph->adopt(one.value);
    if (depends_on_kind(shape, SymbolKind::kInput))
      fail(kExitModel, error("E0407", "a cycle of samples is not supported yet: write it as an expression", one.span));
    study.gait.shape.push_back(shape);
  }
  const std::size_t passive = static_cast<std::size_t>(eq.n()) - study.gait.actuated.size(),
                    m = static_cast<std::size_t>(eq.m());
  if (passive == 0 || m > passive)
    fail(kExitModel, "E0322",
         passive == 0 ? "every coordinate is prescribed, so there is nothing to move"
                      : fmt::format("{} rows for {} passive coordinates: the cycle cannot be followed", m, passive));
  study.kinematic = m == passive;
  study.gait.start = model.initial.t;
  const auto period = arguments.quantity("--period", Dimension::time(), 0);
  study.gait.period = period.value_or(find_period(study.gait.shape, model));
  if (!(study.gait.period > 0))
    fail(kExitUsage, "E0403", "the cycle's period is not known from its sines and cosines",
         {"give it with `--period TIME`"});
  require_closed(study);
  if (const auto cycles = arguments.quantity("--cycles", Dimension::none(), 0)) {
    if (*cycles != std::floor(*cycles) || *cycles > 1e6)
      fail(kExitUsage, "E0403", fmt::format("`--cycles` does not take `{}`", *arguments.value("--cycles")),
           {"it takes a whole number from 1 to 1e6"});
    study.options.cycles = static_cast<int>(*cycles);
  }
  study.gait.parameters = own_parameters(eq, study.gait.shape);

  const Start start = find_start(study.system);
  if (!start.assembly.ok()) fail(kExitNumerical, explain_start(study.system, start));
  const std::vector<double>& q = start.assembly.state.q;
  const Partition parts = partition(eq, study.gait.actuated);
  for (const int i : parts.passive) study.q0.push_back(q[static_cast<std::size_t>(i)]);
  study.local = build_local_connection(eq, study.gait.actuated, kAskedCost);
  study.order = study.local ? study.local->parts.passive : parts.passive;
  for (const int i : study.order)
    study.place.push_back(static_cast<std::size_t>(std::ranges::find(parts.passive, i) - parts.passive.begin()));
  if (study.local) study.heading = q[static_cast<std::size_t>(study.local->placement[2])];
  return study;
}

[[noreturn]] void fail_run(const Study& study, const GaitRun& run) {
  Diagnostic d = error("E0322", fmt::format("the cycle stops at t = {} s: {}", to_text(run.failed_at, 6), run.failure));
  if (study.local)
    for (const Expr& factor : study.local->singular)
      d.notes.push_back(fmt::format("the velocities are not determined where 0 = {}", to_text(factor)));
  d.help.push_back("a cycle that stays away from such shapes has a displacement");
  fail(kExitNumerical, std::move(d));
}

// By the order in which they are told, in body axes where there are such.
std::vector<double> told(const Study& study, const std::vector<double>& passive) {
  std::vector<double> values;
  for (const std::size_t k : study.place) values.push_back(passive[k]);
  if (study.local) turn_to_body(study.heading, values);
  return values;
}

std::vector<std::string> told_names(const Study& study) {
  std::vector<std::string> names;
  for (const int i : study.order) names.push_back(study.system.model->coordinates[static_cast<std::size_t>(i)].name);
  return names;
}

std::vector<double> column(const std::vector<std::vector<double>>& rows, std::size_t k) {
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.push_back(row[k]);
  return values;
}

struct Sensitivity {
  std::string name;
  std::vector<double> displacement;
  double effort = 0;
};

std::vector<Sensitivity> sensitivities(const Study& study, const Gait& gait, const GaitRun& run) {
  std::vector<Sensitivity> all;
  for (std::size_t k = 0; k < gait.parameters.size(); ++k)
    all.push_back({gait.parameters[k].name, told(study, column(run.displacement_by, k)), run.effort_by[k]});
  return all;
}

struct Optimized {
  GaitOptimum optimum;
  std::vector<std::string> shape;  // by actuated coordinate
};

Optimized optimize(const Study& study, int harmonics) {
  const Model& model = *study.system.model;
  const Gait series = fourier_gait(study.gait, model, harmonics);
  const GaitSystem system(study.equations, series, study.kinematic);
  std::vector<double> values;
  for (const GaitParameter& parameter : series.parameters) values.push_back(parameter.value);
  if (study.place.size() < 2) fail(kExitModel, "E0322", "a distance needs two passive coordinates that are lengths");
  GaitOptions options = study.options;
  options.rtol = 1e-10;
  options.atol = 1e-13;
  Optimized made{optimize_gait(system, study.q0, std::move(values), static_cast<int>(study.place[0]),
                               static_cast<int>(study.place[1]), options),
                 {}};
  made.shape = fourier_text(series, made.optimum.values, harmonics);
  return made;
}

Json document(const Study& study, const Gait& gait, const GaitRun& run, const std::optional<Optimized>& optimized) {
  const Model& model = *study.system.model;
  const std::vector<std::string> names = told_names(study);
  EquationPrinter printer(*study.equations.graph, Form::kCanonical, Notation::kText);
  Json sensitivity = Json::object();
  for (const Sensitivity& by : sensitivities(study, gait, run)) {
    Json values = named_json(names, by.displacement);
    values.append("effort", by.effort);
    sensitivity.append(by.name, std::move(values));
  }
  Json body = body_axes_json(study.equations, study.local, printer);
  const Json ground = study.local || !study.kinematic ? Json(nullptr) : kinematic_json(study.equations, printer);
  Json connection = study.local ? formulas_json(printer, study.local->A) : Json(nullptr);
  if (const auto form = study.local ? std::nullopt : build_kinematic(study.equations, study.gait.actuated, kAskedCost))
    connection = formulas_json(printer, form->A);
  Json curvature = nullptr, momentum = nullptr;
  if (study.local) {
    curvature = body["curvature"];
    momentum = body["momentum"];
  }
  Json shape = Json::object();
  for (std::size_t j = 0; j < study.gait.shape.size(); ++j)
    shape.append(model.coordinates[static_cast<std::size_t>(study.gait.actuated[j])].name,
                 text_of(printer.entry(study.gait.shape[j])));
  Json json = {{"model", model.name},
               {"displacement", named_json(names, told(study, run.displacement))},
               {"cycles", study.options.cycles},
               {"period", study.gait.period},
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
  if (optimized) {
    Json cycle = Json::object();
    for (std::size_t j = 0; j < optimized->shape.size(); ++j)
      cycle.append(model.coordinates[static_cast<std::size_t>(study.gait.actuated[j])].name, optimized->shape[j]);
    const GaitOptimum& best = optimized->optimum;
    json["optimum"] = {
        {"cycle", std::move(cycle)},   {"displacement", named_json(names, told(study, best.run.displacement))},
        {"effort", best.run.effort},   {"distance_per_effort", best.best},
        {"at_start", best.start},      {"iterations", best.iterations},
        {"converged", best.converged}, {"remark", text_or_null(best.remark)}};
  }
  return json;
}

std::string unit_of_coordinate(const Study& study, int i) {
  return unit_suffix(coordinate_unit(study.system.dynamics.names().coordinate_units[static_cast<std::size_t>(i)]));
}

std::vector<std::string> values_text(const Study& study, const std::vector<double>& values, const char* per) {
  std::vector<std::string> items;
  const std::vector<std::string> names = told_names(study);
  const double size = largest_of(values);
  for (std::size_t i = 0; i < names.size(); ++i)
    items.push_back(fmt::format("{}{} = {}{}{}", names[i], *per ? "'" : "", number_beside(values[i], size),
                                unit_of_coordinate(study, study.order[i]), per));
  return items;
}

// A small loop of shapes displaces by −area · curvature.
std::string curvature_text(const Study& study, EquationPrinter& printer) {
  std::string out = "  curvature of A: a small loop displaces by -area times it\n";
  const std::vector<int>& actuated = study.gait.actuated;
  const auto name = [&](std::size_t j) {
    return study.system.model->coordinates[static_cast<std::size_t>(actuated[j])].name;
  };
  std::size_t pair = 0;
  for (std::size_t i = 0; i < actuated.size(); ++i)
    for (std::size_t j = i + 1; j < actuated.size(); ++j, ++pair)
      for (std::size_t r = 0; r < study.local->curvature[pair].size(); ++r) {
        const std::string formula = text_of(printer.entry(study.local->curvature[pair][r]));
        out += fmt::format("    dA[{},{},{}] = {}\n", told_names(study)[r], name(i), name(j),
                           formula.size() <= kLongestFormula
                               ? formula
                               : fmt::format("(a formula of {} characters: `--json` has it)", formula.size()));
      }
  return out;
}

std::string text(const Study& study, const Gait& gait, const GaitRun& run, const std::optional<Optimized>& optimized,
                 const Terminal& terminal) {
  const Model& model = *study.system.model;
  EquationPrinter printer(*study.equations.graph, Form::kCanonical, Notation::kText);
  std::string out = fmt::format(
      "{}: {}\n", terminal.bold(model.name),
      study.kinematic ? "kinematic, the constraints alone move it" : "mixed, it starts from rest and keeps a momentum");
  std::vector<std::string> shape;
  for (std::size_t j = 0; j < study.gait.shape.size(); ++j)
    shape.push_back(fmt::format("{} = {}", model.coordinates[static_cast<std::size_t>(study.gait.actuated[j])].name,
                                text_of(printer.entry(study.gait.shape[j]))));
  out += labelled_list("cycle", shape);
  out += fmt::format("  {:<14}{} s{}\n", "period", to_text(study.gait.period, 9),
                     study.options.cycles > 1 ? fmt::format(", {} cycles", study.options.cycles) : "");
  out += labelled_list(study.local ? "in body axes" : "displacement",
                       values_text(study, told(study, run.displacement), ""));
  if (!study.kinematic) out += labelled_list("velocity", values_text(study, told(study, run.velocity), "/s"));
  out += fmt::format("  {:<14}{}\n", "effort", number(run.effort));
  Table table;
  std::vector<std::string> heading{"changes by"};
  for (const std::string& name : told_names(study)) heading.push_back(name);
  heading.emplace_back("effort");
  table.add(heading);
  const std::vector<Sensitivity> changes = sensitivities(study, gait, run);
  double size = 0, of_effort = 0;
  for (const Sensitivity& by : changes) {
    size = std::max(size, largest_of(by.displacement));
    of_effort = std::max(of_effort, std::abs(by.effort));
  }
  for (const Sensitivity& by : changes) {
    std::vector<std::string> line{by.name};
    for (const double d : by.displacement) line.push_back(number_beside(d, size));
    line.push_back(number_beside(by.effort, of_effort));
    table.add(std::move(line));
  }
  out += "\n" + table.text();
  if (study.local) {
    out += "\n  connection, xi = -A q_a'" + std::string(study.local->mixed() ? " + B p" : "") + "\n";
    for (std::size_t i = 0; i < study.local->A.size(); ++i)
      for (std::size_t j = 0; j < study.local->A[i].size(); ++j)
        out += fmt::format("    A[{},{}] = {}\n", told_names(study)[i],
                           model.coordinates[static_cast<std::size_t>(study.gait.actuated[j])].name,
                           text_of(printer.entry(study.local->A[i][j])));
    for (std::size_t i = 0; i < study.local->B.size(); ++i)
      for (std::size_t k = 0; k < study.local->B[i].size(); ++k)
        out += fmt::format("    B[{},{}] = {}\n", told_names(study)[i], text_of(printer.entry(study.local->p[k])),
                           text_of(printer.entry(study.local->B[i][k])));
    for (std::size_t k = 0; k < study.local->p.size(); ++k)
      out += fmt::format("    {}' = {}\n", text_of(printer.entry(study.local->p[k])),
                         text_of(printer.entry(study.local->pdot[k])));
    if (!study.local->curvature.empty()) out += "\n" + curvature_text(study, printer);
  }
  if (!optimized) return out;
  const GaitOptimum& best = optimized->optimum;
  out += "\n" + terminal.bold("the most distance per effort") + "\n";
  std::vector<std::string> cycle;
  for (std::size_t j = 0; j < optimized->shape.size(); ++j)
    cycle.push_back(fmt::format("{} = {}", model.coordinates[static_cast<std::size_t>(study.gait.actuated[j])].name,
                                optimized->shape[j]));
  out += labelled_list("cycle", cycle);
  out += labelled_list("displacement", values_text(study, told(study, best.run.displacement), ""));
  out += fmt::format("  {:<14}{}, {} at the start, {}\n", "per effort", number(best.best), number(best.start),
                     counted(best.iterations, "iteration", "iterations"));
  if (!best.remark.empty()) out += fmt::format("  {:<14}{}\n", "remark", best.remark);
  return out;
}

}  // namespace

int run_gait(const Arguments& arguments, Terminal& terminal) {
  Study study = prepare(arguments);
  refuse_load_dependent(study.system.equations, "gait");
  int harmonics = 1;
  if (const auto given = arguments.quantity("--harmonics", Dimension::none(), 0)) {
    if (*given != std::floor(*given) || *given > 50)
      fail(kExitUsage, "E0403", fmt::format("`--harmonics` does not take `{}`", *arguments.value("--harmonics")),
           {"it takes a whole number from 1 to 50"});
    harmonics = static_cast<int>(*given);
  }
  Diagnostics warnings = study.system.warnings;
  warnings.insert(warnings.end(), study.warnings.begin(), study.warnings.end());
  terminal.report(warnings);
  terminal.stop_if_denied();

  const Gait gait = perturbed_gait(study.gait, *study.system.model, harmonics);
  std::vector<double> values;
  for (const GaitParameter& parameter : gait.parameters) values.push_back(parameter.value);
  const GaitRun run = GaitSystem(study.equations, gait, study.kinematic).run(study.q0, values, study.options);
  if (!run.ok()) fail_run(study, run);
  std::optional<Optimized> optimized;
  if (arguments.has("--optimize")) optimized = optimize(study, harmonics);
  terminal.out(arguments.json() ? document_text(document(study, gait, run, optimized))
                                : text(study, gait, run, optimized, terminal));
  return kExitOk;
}

}  // namespace dalembert::app
