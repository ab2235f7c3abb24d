// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/load.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/base/file.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/mentions.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/loader.h"
#include "dalembert/modelfile/schema.h"

namespace dalembert {
namespace modelfile {

constexpr std::size_t kMaxFile = 512u << 20;
constexpr std::size_t kMaxReports = 100;

Loader::Loader(Document document, const LoadOptions& options)
    : document_(std::move(document)), options_(options), names_(model_, document_, diagnostics_) {
  model_.source = document_.source;
}

Result<Model> Loader::run() {
  validate(document_, diagnostics_);
  read_texts();
  silence_unknown_sections();
  read_structure();
  read_parameters();
  read_coordinates();
  declare_inputs();
  declare_definitions();
  declare_frames();
  declare_points();
  names_.resolve_all();
  read_inputs();
  read_gravity();
  read_bodies();
  read_energy();
  read_springs();
  read_dampers();
  read_constraints();
  read_quasi_velocities();
  read_forces();
  read_prescribed();
  read_frictions();  // read after forces, which must not contain frictions
  check_given_inputs();
  read_outputs();
  read_events();
  read_draw();
  read_initial();
  read_simulation();
  read_study();
  report_unused_overrides();
  fill_dimensions();
  warn_of_large_angles();
  warn_of_masses();
  warn_of_subnormals();
  warn_of_idle_statements();
  warn_of_driven_coordinates();
  warn_of_doubtful_quantities();
  read_claims();
  report_unused_parameters();
  return finish();
}

// Filters the messages, so that one cause gives one message: an error with the same code at the same place is reported once, and the list is limited.
Result<Model> Loader::finish() {
  report_all(model_.diagnostics());
  model_.diagnostics().clear();
  model_.here = {};
  // An unknown key or section may be the misspelt name of a missing one, so missing keys are not reported then.
  const bool misspelt =
      std::ranges::any_of(diagnostics_, [](const Diagnostic& d) { return d.code == "E0005" || d.code == "E0010"; });
  if (misspelt) std::erase_if(diagnostics_, [](const Diagnostic& d) { return d.code == "E0007"; });
  Diagnostics distinct;
  std::set<std::tuple<std::string, const SourceText*, std::uint32_t>> seen;
  std::unordered_map<std::string, std::pair<std::size_t, int>>
      unknown;  // by message: index of its diagnostic, and number of repetitions
  for (Diagnostic& problem : diagnostics_) {
    const Span& place = problem.primary.span;
    if (place && !seen.emplace(problem.code, place.source.get(), place.begin).second) continue;
    if (problem.code == "E0102") {
      const auto [first, is_new] = unknown.emplace(problem.message, std::pair(distinct.size(), 0));
      if (!is_new) {
        ++first->second.second;
        continue;
      }
    }
    if (distinct.size() < kMaxReports) distinct.push_back(std::move(problem));
  }
  for (const auto& [message, found] : unknown)
    if (found.second > 0 && found.first < distinct.size())
      distinct[found.first].notes.push_back(
          fmt::format("and at {} more place{}", found.second, found.second == 1 ? "" : "s"));
  std::ranges::stable_sort(distinct, {},
                           [](const Diagnostic& d) { return std::pair(d.primary.span ? 0 : 1, d.primary.span.begin); });
  if (has_errors(distinct)) return distinct;
  return Result<Model>(std::move(model_), std::move(distinct));
}

Span Loader::key_span(const Instance& instance, std::string_view key) const {
  const Entry* entry = instance.node->find_entry(key);
  return entry ? document_.key_span(*entry) : span(instance);
}

std::vector<Instance> Loader::expand(const Node& item) {
  if (item.bad || !item.is(Node::Type::kTable)) return {};
  const Entry* repeat = item.find_entry("for");
  if (!repeat) return {{&item, {}}};
  if (repeat->node.bad) return {};
  const auto range = parse_range(repeat->node.text, names_, {});
  if (!range) {
    report_all(range.diagnostics());
    return {};
  }
  if (names_.name(range->index).state == Meaning::State::kKnown || names_.integer(range->index)) {
    Diagnostic problem = error("E0008", fmt::format("the index `{}` has a name that is already used", range->index),
                               repeat->node.text.span());
    problem.help.push_back("choose another letter for the index");
    report(std::move(problem));
    return {};
  }
  if (!names_.work().spend(range->last - range->first + 1)) {
    if (names_.work().exhausted_first()) {
      Diagnostic problem = error("E0109", "the model is too large", repeat->node.text.span(), "reading stopped here");
      problem.notes.push_back(
          fmt::format("with the repetitions by `for` and `sum`, entries and parts of expressions are more than {}",
                      names_.work().limit()));
      report(std::move(problem));
    }
    return {};
  }
  std::vector<Instance> instances;
  for (std::int64_t i = range->first; i <= range->last; ++i) instances.push_back({&item, {{range->index, i}}});
  return instances;
}

std::vector<Instance> Loader::expand(std::string_view array) {
  std::vector<Instance> all;
  const Node* node = section(array);
  if (!node || !node->is(Node::Type::kArray)) return all;
  for (const Node& item : node->items) {
    auto instances = expand(item);
    std::ranges::move(instances, std::back_inserter(all));
  }
  return all;
}

std::optional<std::string> Loader::text_of(const Node* node, const Indices& indices) {
  if (!node || node->bad || reported_entries_.contains(node)) return std::nullopt;
  const auto replaced = replace_indices(node->text, names_, indices);
  if (replaced) return replaced->text;
  reported_entries_.insert(node);
  report_all(replaced.diagnostics());
  return std::nullopt;
}

bool Loader::usable_name(const std::string& name, const Span& span, std::string_view what) {
  // What stands only inside lambda(…), friction(…) and the like may be called as a function is: `floor`.
  const bool inside = what == "constraint" || what == "friction" || what == "event";
  if (is_identifier(name) && (inside || !is_reserved(name))) return true;
  Diagnostic problem = error(
      "E0011",
      name.empty() ? fmt::format("the name of a {} is empty", what) : fmt::format("`{}` cannot name a {}", name, what),
      span, is_reserved(name) ? "the word has a meaning in expressions" : "");
  if (is_reserved(name))
    problem.help.push_back(help_for_reserved(name));
  else if (what == "coordinate" && name.find(',') != std::string::npos)
    problem.help.push_back("write each name in quotes of its own: `[\"x\", \"y\"]`");
  else
    problem.help.push_back("names are letters, digits and `_`, and begin with a letter");
  report(std::move(problem));
  return false;
}

std::string Loader::name_of(const Instance& instance, std::string_view key) {
  const Node* node = instance.node->find(key);
  const auto name = text_of(node, instance.indices);
  if (!name) return {};
  return *name;
}

std::vector<Written> Loader::vector_of(const Instance& instance, std::string_view key) const {
  std::vector<Written> components;
  const Node* node = instance.node->find(key);
  if (node && !node->is(Node::Type::kArray)) components.push_back({node, instance.indices});
  if (node)
    for (const Node& item : node->items) components.push_back({&item, instance.indices});
  return components;
}

void Loader::expect(const Lowered& given, const DimensionTerm& wanted, std::string_view what, const Written& place,
                    Measure measure) {
  if (given.value) expect_dimension(given, wanted, what, names_.text_span(place), names_, diagnostics_, measure);
}

const Definition* Loader::point_named(const Node* node, const Indices& indices) {
  const auto name = text_of(node, indices);
  if (!name) return nullptr;
  const Definition* point = names_.find(Definition::Kind::kPoint, *name);
  if (point) return point->state == Definition::State::kDone ? point : nullptr;
  if (!reported_entries_.insert(node).second) return nullptr;
  Diagnostic problem = error("E0102", fmt::format("unknown point `{}`", *name), node->text.span());
  if (const auto similar = nearest(*name, names_.candidates(Scope::Candidates::kPoints)))
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  else
    problem.help.push_back(is_body(*name) ? fmt::format("`{}` is a body: give its place a name in `[[point]]`", *name)
                                          : std::string("points are declared in `[[point]]`"));
  report(std::move(problem));
  return nullptr;
}

bool Loader::is_body(const std::string& name) {
  const Node* bodies = section("body");
  return bodies && std::ranges::any_of(bodies->items, [&](const Node& body) {
           const Node* own = body.find("name");
           return own && own->text.text == name;
         });
}

const Definition* Loader::frame_named(const Node* node, const Indices& indices) {
  static const Definition ground;
  const auto name = text_of(node, indices);
  if (!name) return nullptr;
  if (*name == "ground") return &ground;
  const Definition* frame = names_.find(Definition::Kind::kFrame, *name);
  if (frame) return frame->state == Definition::State::kDone ? frame : nullptr;
  Diagnostic problem = error("E0102", fmt::format("unknown frame `{}`", *name), node->text.span());
  problem.help.push_back(names_.say_frames(*name));
  report(std::move(problem));
  return nullptr;
}

const Coordinate* Loader::coordinate_named(const Node* node, const Indices& indices) {
  const auto name = text_of(node, indices);
  if (!name) return nullptr;
  const int index = model_.coordinate_index(*name);
  if (index >= 0) return &model_.coordinates[static_cast<std::size_t>(index)];
  if (!reported_entries_.insert(node).second) return nullptr;
  Diagnostic problem = error("E0102", fmt::format("unknown coordinate `{}`", *name), node->text.span());
  std::vector<std::string> known;
  for (const Coordinate& coordinate : model_.coordinates) known.push_back(coordinate.name);
  if (const auto similar = nearest(*name, known))
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  else if (!known.empty() && known.size() <= kMostNamed)
    problem.help.push_back(fmt::format("the coordinates are {}", join_words(known)));
  report(std::move(problem));
  return nullptr;
}

const Override* Loader::override_for(std::string_view name) {
  const Override* last = nullptr;
  for (const Override& entry : options_.overrides)
    if (entry.name == name) last = &entry;
  if (last) used_overrides_.insert(last->name);
  return last;
}

void Loader::report_unused_overrides() {
  for (const Override& entry : options_.overrides) {
    if (used_overrides_.contains(entry.name)) continue;
    std::vector<std::string> known;
    for (const Parameter& parameter : model_.parameters) known.push_back(parameter.name);
    for (const Input& input : model_.inputs)
      if (input.derivative == 0) known.push_back(input.name);
    for (const Coordinate& coordinate : model_.coordinates) {
      known.push_back(coordinate.name);
      known.push_back(coordinate.name + "'");
    }
    for (const QuasiVelocity& velocity : model_.quasi_velocities) known.push_back(velocity.name);
    for (const VelocityPlace& place : model_.velocity_places())
      if (place.quaternion >= 0) known.push_back(model_.velocity_name(place));
    if (const Node* structure = section("structure"))
      for (const Entry& integer : structure->entries) known.push_back(integer.key);
    Diagnostic problem = error("E0102", fmt::format("the model has no `{}` to set", entry.name), entry.name_span,
                               "not a parameter, input, coordinate, velocity or integer");
    if (const auto similar = nearest(entry.name, known))
      problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
    report(std::move(problem));
  }
}

// Called only if there are no errors: a formula that could not be read may contain a parameter that seems unused.
void Loader::report_unused_parameters() {
  if (has_errors(diagnostics_) || has_errors(model_.diagnostics())) return;
  std::vector<Expr> roots{model_.T, model_.V, model_.R};
  const auto add = [&](const Expr& e) {
    if (e) roots.push_back(e);
  };
  add(model_.L);
  for (const ConstraintRow* row : model_.rows()) add(row->expression);
  for (const Constraint& constraint : model_.constraints) add(constraint.restitution);
  for (const Output& output : model_.outputs) add(output.expression);
  for (const Integral& integral : model_.integrals) add(integral.integrand);
  for (const Input& input : model_.inputs) add(input.value);
  for (const Prescribed& one : model_.prescribed) add(one.value);
  for (const Claim& claim : model_.claims) add(claim.value);
  for (const Vector* vector : all_vectors()) roots.insert(roots.end(), vector->begin(), vector->end());
  for (const Force& force : model_.forces)
    for (const Contribution& part : force.parts) add(part.along), add(part.factor);
  for (const Friction& friction : model_.frictions)
    for (const Expr& e :
         {friction.normal, friction.velocity, friction.coefficient, friction.static_coefficient, friction.viscous})
      add(e);
  for (const Event& event : model_.events) {
    add(event.when), add(event.where);
    for (const Event::Setting& setting : event.set) add(setting.value);
  }
  if (model_.drawing.circles)
    for (const Drawing::Circle& circle : *model_.drawing.circles) add(circle.radius);
  const Initial& start = model_.initial;
  for (const auto* list : {&start.position, &start.velocity, &start.position_guess, &start.velocity_guess,
                           &start.angular, &start.angular_guess, &start.quasi_velocity})
    for (const InitialValue& value : *list) add(value.formula);
  for (const Definition* define : names_.all(Definition::Kind::kDefine)) add(define->result.value);
  const std::vector<SymbolId> used = symbols_in(roots);
  for (const Parameter& parameter : model_.parameters) {
    if (std::ranges::binary_search(used, parameter.symbol.symbol())) continue;
    // Measures are read when a study is made.
    if (std::ranges::any_of(model_.study.measure, [&](const StudyStatement::Named& measure) {
          return mentions(measure.text.text, parameter.name);
        }))
      continue;
    report(warning("W0101", fmt::format("nothing depends on the parameter `{}`", parameter.name), parameter.span));
  }
}

std::vector<const Vector*> Loader::all_vectors() const {
  std::vector<const Vector*> all{&model_.gravity_field};
  for (const Point& point : model_.points) all.push_back(&point.position);
  return all;
}

}  // namespace modelfile

Result<Override> parse_override(const std::string& assignment) {
  const SourcePtr source = make_source("--set", assignment);
  const auto whole = static_cast<std::uint32_t>(assignment.size());
  const std::size_t equals = assignment.find('=');
  std::size_t name_end = equals == std::string::npos ? assignment.size() : equals;
  while (name_end > 0 && assignment[name_end - 1] == ' ') --name_end;
  if (equals == std::string::npos || name_end == 0) {
    Diagnostic problem = error("E0405", fmt::format("`{}` sets nothing", assignment), {source, 0, whole});
    problem.help.push_back("write `--set NAME=VALUE`, for example `--set \"L1=20 cm\"`");
    return problem;
  }
  const auto from =
      static_cast<std::uint32_t>(std::min(assignment.find_first_not_of(' ', equals + 1), assignment.size()));
  return Override{assignment.substr(0, name_end),
                  MappedText::verbatim(source, from, whole),
                  {source, 0, static_cast<std::uint32_t>(name_end)}};
}

Result<Model> load_model(SourcePtr source, const LoadOptions& options) {
  if (source->text().size() > modelfile::kMaxFile)
    return error("E0001", fmt::format("{} is larger than 512 MB", source->name()));
  auto document = modelfile::read_document(source);
  if (!document) return document.diagnostics();
  const std::filesystem::path file = source->name();
  Result<Model> model = modelfile::Loader(std::move(*document), options).run();
  // A model without a name is named after its file.
  if (model && model->name.empty() && file.extension() == ".toml") model->name = file.stem().string();
  return model;
}

Result<Model> load_model_file(const std::string& path, LoadOptions options) {
  auto text = read_text(path, "E0001");
  if (!text) return text.diagnostics();
  if (options.directory.empty()) options.directory = std::filesystem::path(path).parent_path().string();
  return load_model(make_source(path, std::move(text).value()), options);
}

}  // namespace dalembert
