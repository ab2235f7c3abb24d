// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/names.h"
#include "dalembert/expr/symbol_name.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/model/angular_velocity.h"
#include "dalembert/model/roles.h"

namespace dalembert::modelfile {
namespace {

std::string_view word(Definition::Kind kind) {
  return kind == Definition::Kind::kDefine ? "definition" : kind == Definition::Kind::kFrame ? "frame" : "point";
}

bool has_errors_from(const Diagnostics& diagnostics, std::size_t from) {
  return std::any_of(diagnostics.begin() + static_cast<std::ptrdiff_t>(from), diagnostics.end(),
                     [](const Diagnostic& d) { return d.level == Level::kError; });
}

}  // namespace

void ModelFileScope::add_known(const std::string& name, Meaning meaning, const Span& span) {
  known_[name] = std::move(meaning);
  spans_[name] = span;
}

void ModelFileScope::add_definition(Definition definition) {
  auto owned = std::make_unique<Definition>(std::move(definition));
  auto [place, is_new] = index_[owned->kind].emplace(owned->name, owned.get());
  if (!is_new) {
    Diagnostic problem =
        error("E0008", fmt::format("the {} `{}` is defined twice", word(owned->kind), owned->name), owned->span);
    problem.secondary.push_back({place->second->span, "first here"});
    diagnostics_.push_back(std::move(problem));
    return;
  }
  definitions_.push_back(std::move(owned));
}

Definition* ModelFileScope::look_up(Definition::Kind kind, std::string_view name) {
  auto& index = index_[kind];
  const auto found = index.find(std::string(name));
  return found == index.end() ? nullptr : found->second;
}

const Definition* ModelFileScope::find(Definition::Kind kind, const std::string& name) const {
  const auto index = index_.find(kind);
  if (index == index_.end()) return nullptr;
  const auto found = index->second.find(name);
  return found == index->second.end() ? nullptr : found->second;
}

std::vector<const Definition*> ModelFileScope::all(Definition::Kind kind) const {
  std::vector<const Definition*> found;
  for (const auto& definition : definitions_)
    if (definition->kind == kind) found.push_back(definition.get());
  return found;
}

// --- reading definitions

void ModelFileScope::resolve_all() {
  for (const auto& definition : definitions_) resolve(*definition);
}

// Depth-first search with an explicit stack. A definition that the top one needs is pushed, and the top one is tried again afterwards. The
// active definitions on the stack are the path, so meeting an active one again means a cycle.
void ModelFileScope::resolve(Definition& start) {
  std::vector<Definition*> stack{&start};
  while (!stack.empty()) {
    Definition& top = *stack.back();
    if (top.state == Definition::State::kDone || top.state == Definition::State::kFailed) {
      stack.pop_back();
      continue;
    }
    top.state = Definition::State::kActive;
    needed_.clear();
    Diagnostics problems;
    compute(top, problems);
    const std::vector<Definition*> needed = std::move(needed_);
    needed_.clear();
    if (needed.empty()) {
      top.state = has_errors_from(problems, 0) ||
                          (top.kind == Definition::Kind::kDefine ? !top.result.value : top.place.position.empty())
                      ? Definition::State::kFailed
                      : Definition::State::kDone;
      diagnostics_.insert(diagnostics_.end(), problems.begin(), problems.end());
      stack.pop_back();
      continue;
    }
    const auto again =
        std::ranges::find_if(needed, [](const Definition* d) { return d->state == Definition::State::kActive; });
    if (again != needed.end()) {
      report_cycle(stack, *again);
      top.state = Definition::State::kFailed;
      stack.pop_back();
    } else {
      stack.insert(stack.end(), needed.rbegin(), needed.rend());
    }
  }
}

void ModelFileScope::report_cycle(const std::vector<Definition*>& stack, const Definition* again) {
  std::vector<const Definition*> path;
  const auto start = std::ranges::find(stack, again);
  for (auto at = start; at != stack.end(); ++at)
    if ((*at)->state == Definition::State::kActive) path.push_back(*at);
  const bool plain =
      std::ranges::all_of(path, [](const Definition* d) { return d->kind == Definition::Kind::kDefine; });
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.size() > 12 && i == 6) text += "… → ";
    if (path.size() > 12 && i >= 6 && i + 6 < path.size()) continue;
    text += path[i]->name + " → ";
  }
  text += again->name;
  Diagnostic problem = error("E0105",
                             plain ? fmt::format("the definition of `{}` contains itself", again->name)
                                   : fmt::format("the {} `{}` is defined by itself", word(again->kind), again->name),
                             again->span);
  for (const Definition* other : path)
    if (other != again && problem.secondary.size() < 4)
      problem.secondary.push_back({other->span, fmt::format("`{}` is part of the cycle", other->name)});
  problem.notes.push_back("the cycle is " + text);
  problem.help.push_back("define one of them by coordinates and parameters only");
  diagnostics_.push_back(std::move(problem));
}

void ModelFileScope::compute(Definition& definition, Diagnostics& problems) {
  definition.parts = {};
  parts_ = &definition.parts;
  if (definition.kind == Definition::Kind::kDefine)
    definition.result = lower_into(definition.value, Role::kDefinition, false, problems);
  else
    compute_place(definition, problems);
  parts_ = &formula_;
}

std::string ModelFileScope::say_frames(const std::string& meant) {
  std::vector<std::string> frames = candidates(Candidates::kFrames);
  frames.emplace_back("ground");
  if (const auto similar = nearest(meant, frames)) return fmt::format("did you mean `{}`?", *similar);
  return frames.size() <= 12 ? fmt::format("the frames are {}", join_words(frames))
                             : "`ground` is the frame that does not move";
}

const Definition* ModelFileScope::base_of(Definition& definition, Diagnostics& problems, bool& good) {
  if (definition.base.empty() || definition.base == "ground") return nullptr;
  Meaning::State state = Meaning::State::kKnown;
  const Definition* base = need(Definition::Kind::kFrame, definition.base, state);
  if (base) return base;
  good = false;
  if (state == Meaning::State::kUnknown) {
    problems.push_back(error("E0102", fmt::format("unknown frame `{}`", definition.base), definition.base_span));
    problems.back().help.push_back(say_frames(definition.base));
  }
  return nullptr;
}

bool ModelFileScope::lower_angle(const Written& written, Diagnostics& problems, Expr& angle) {
  const Lowered turn = lower_into(written, Role::kGeometry, false, problems);
  if (turn.value) expect_dimension(turn, {}, "an angle", text_span(written), *this, problems, Measure::kAngle);
  angle = turn.value;
  return static_cast<bool>(angle);
}

// Reads an axis, which must be constant and have a length that is not 0.
bool ModelFileScope::lower_axis(const std::vector<Written>& written, Diagnostics& problems, Vector& axis) {
  axis = lower_vector_into(written, Role::kConstant, problems).position;
  if (axis.empty()) return false;
  double length = 0;
  for (const Expr& component : axis) length += std::abs(model_.value_of(component));
  if (length > 0 && std::isfinite(length)) return true;
  problems.push_back(error("E0225", "an axis needs a direction: this one has no length", text_span(written.front())));
  return false;
}

bool ModelFileScope::lower_turn(const Definition::WrittenTurn& written, Diagnostics& problems, Turn& turn) {
  turn.axis = written.axis;
  const bool angle = lower_angle(written.angle, problems, turn.angle);
  return (written.about.empty() || lower_axis(written.about, problems, turn.about)) && angle;
}

void ModelFileScope::compute_rim(Definition& definition, const Definition* disk, Diagnostics& problems) {
  Vector axis;
  const bool good = lower_axis(definition.rim_axis, problems, axis);
  const Lowered radius = lower_into(definition.rim_radius, Role::kConstant, false, problems);
  if (!good || !radius.value || !disk) return;
  if (disk->place.position.size() != 3) {
    problems.push_back(error(
        "E0252",
        fmt::format("the frame `{}` of the rim is a frame in the plane, and a rim needs one in space", disk->name),
        definition.base_span));
    problems.back().help.push_back("in the plane a wheel touches the ground below its centre: write `at = [\"x\", 0]`");
    return;
  }
  expect_dimension(radius, disk->place.dimension, "a radius", text_span(definition.rim_radius), *this, problems);
  if (const double length = model_.value_of(radius.value); !(length > 0)) {
    problems.push_back(
        error("E0252", fmt::format("the radius of a rim must be positive, and this one is {}", to_text(length, 6)),
              text_span(definition.rim_radius)));
    return;
  }
  // Down is the direction of gravity.
  int up = 1;
  const Node* gravity = document_.root.find("gravity");
  if (gravity && !gravity->bad && gravity->items.size() == 3) {
    const Lowered pull = lower_into({&gravity->items[2], {}}, Role::kGeometry, false, problems);
    if (!pull.value) return;
    up = model_.upward(pull.value);
  }
  definition.disk = std::make_shared<const Frame>(disk->frame);
  definition.place = {lowest_of_rim(disk->frame, axis, radius.value, up), disk->place.dimension};
}

void ModelFileScope::compute_place(Definition& definition, Diagnostics& problems) {
  definition.place = {};
  definition.frame = {};
  bool good = true;
  const Definition* base = base_of(definition, problems, good);
  if (!definition.rim_axis.empty()) return compute_rim(definition, good ? base : nullptr, problems);
  Place given = lower_vector_into(definition.at, Role::kGeometry, problems);
  if (!definition.at.empty() && given.position.empty()) good = false;
  Expr angle;
  std::vector<Turn> turns;
  if (definition.rotate.node) good = lower_angle(definition.rotate, problems, angle) && good;
  for (const Definition::WrittenTurn& written : definition.turns)
    good = lower_turn(written, problems, turns.emplace_back()) && good;
  if (!good || has_errors_from(problems, 0)) return;

  // A frame without an origin has its parent's origin.
  const Frame ground;
  const Frame& parent = base ? base->frame : ground;
  if (definition.at.empty()) {
    const bool in_space = !turns.empty() || definition.quaternion >= 0;
    const std::size_t size = base ? base->place.position.size() : in_space ? 3 : 2;
    given.position.assign(size, graph().constant(0));
    given.dimension = base ? base->place.dimension : solver_.fresh();
  }
  const std::size_t size = given.position.size();
  if (((angle || parent.angle) && size != 2) || ((!turns.empty() || definition.quaternion >= 0) && size != 3)) {
    problems.push_back(error("E0225",
                             size == 2 ? "a frame of the plane turns by one angle"
                                       : "a frame in space turns about axes, one after the other",
                             definition.span));
    problems.back().help.push_back(size == 2 ? "write `rotate = \"theta\"`"
                                             : "write `rotate = [[\"z\", \"psi\"], [\"x\", \"theta\"]]`");
    return;
  }
  if (base) {
    if (base->place.position.size() != size) {
      problems.push_back(error("E0216",
                               fmt::format("{} components in a frame that has {}", size, base->place.position.size()),
                               definition.span));
      return;
    }
    expect_dimension({given.position[0], given.dimension, false}, base->place.dimension,
                     fmt::format("the {} `{}`", word(definition.kind), definition.name), definition.span, *this,
                     problems);
  }
  if (definition.kind == Definition::Kind::kPoint) {
    definition.place = {dalembert::place(parent, given.position), given.dimension};
    return;
  }
  Rotation rotation = angle ? Rotation(angle) : Rotation(turns);
  if (definition.quaternion >= 0) {
    model_.here = definition.span;
    rotation = model_.quaternion(definition.name, definition.quaternion);
  }
  definition.frame =
      place_frame(definition.name, parent, given.position, rotation, [this](const Expr& e) { return dot(e); });
  definition.frame.span = definition.span;
  definition.place = {definition.frame.origin, given.dimension};
}

// --- expressions

const Ast* ModelFileScope::ast_of(const Node& node, bool equation) {
  auto [place, is_new] = asts_.try_emplace(&node);
  if (is_new) {
    auto parsed = parse_ast(node.text, equation);
    if (parsed)
      place->second = std::make_unique<Ast>(std::move(*parsed));
    else
      diagnostics_.insert(diagnostics_.end(), parsed.diagnostics().begin(), parsed.diagnostics().end());
  }
  return place->second.get();
}

Lowered ModelFileScope::lower_into(const Written& written, Role role, bool equation, Diagnostics& problems) {
  if (!written.node || written.node->bad || failed_.contains(written.node)) return {};
  const Ast* ast = ast_of(*written.node, equation);
  if (!ast) return {};
  role_ = role;
  lowered_ = text_span(written);
  const std::size_t before = problems.size();
  Lowered lowered = dalembert::lower(*ast, *this, written.indices, problems, role == Role::kCondition);
  role_ = Role::kDefinition;
  if (has_errors_from(problems, before)) {
    lowered.value = {};
    if (needed_.empty()) failed_.insert(written.node);
  }
  return lowered;
}

Diagnostics ModelFileScope::doubts(const Written& written) {
  if (!written.node || written.node->bad || failed_.contains(written.node)) return {};
  const auto known = asts_.find(written.node);
  return known == asts_.end() || !known->second ? Diagnostics{} : doubtful_quantities(*known->second, *this);
}

std::unordered_set<const Definition*> ModelFileScope::compared() const {
  std::unordered_set<const Definition*> all = compared_;
  std::vector<const Definition*> open(all.begin(), all.end());
  while (!open.empty()) {
    const Definition* next = open.back();
    open.pop_back();
    for (const Definition* used : next->parts.of)
      if (all.insert(used).second) open.push_back(used);
  }
  return all;
}

Lowered ModelFileScope::lower(const Written& written, Role role, bool equation) {
  return lower_into(written, role, equation, diagnostics_);
}

Lowered ModelFileScope::lower(const MappedText& text, Role role, const Indices& indices, bool equation) {
  const auto ast = parse_ast(text, equation);
  if (!ast) {
    diagnostics_.insert(diagnostics_.end(), ast.diagnostics().begin(), ast.diagnostics().end());
    return {};
  }
  role_ = role;
  lowered_ = text.span();
  const Lowered lowered = dalembert::lower(*ast, *this, indices, diagnostics_);
  role_ = Role::kDefinition;
  return lowered;
}

Place ModelFileScope::lower_vector_into(const std::vector<Written>& components, Role role, Diagnostics& problems) {
  Place place;
  bool good = true;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Lowered component = lower_into(components[i], role, false, problems);
    if (!component.value) {
      good = false;
      continue;
    }
    if (place.position.empty()) place.dimension = component.dimension;
    const std::size_t before = problems.size();
    expect_dimension(component, place.dimension, "a component", text_span(components[i]), *this, problems);
    good = good && problems.size() == before;
    place.position.push_back(component.value);
  }
  if (!good) place.position.clear();
  return place;
}

Place ModelFileScope::lower_vector(const std::vector<Written>& components, Role role) {
  return lower_vector_into(components, role, diagnostics_);
}

// --- scope

const Definition* ModelFileScope::need(Definition::Kind kind, std::string_view name, Meaning::State& state) {
  Definition* definition = look_up(kind, name);
  state = Meaning::State::kUnknown;
  if (!definition) return nullptr;
  state = Meaning::State::kSilent;
  if (definition->state == Definition::State::kDone) {
    state = Meaning::State::kKnown;
    parts_->of.push_back(definition);
    return definition;
  }
  if (definition->state != Definition::State::kFailed) needed_.push_back(definition);
  return nullptr;
}

// The parts of the formula that may be undefined, joined by "and": this needs the values of all parts, and does not
// simplify.
Expr ModelFileScope::parts() {
  std::unordered_set<NodeId> seen;
  std::unordered_set<const Definition*> done;
  Expr all = graph().constant(1);
  std::vector<const Definition::Parts*> open{&formula_};
  while (!open.empty()) {
    const Definition::Parts& parts = *open.back();
    open.pop_back();
    for (const Expr& part : parts.own) {
      if (part.is_constant() || !seen.insert(part.id()).second) continue;
      all = all.is_constant() ? part : graph().function(Op::kAnd, std::array{all, part});
    }
    for (const Definition* used : parts.of)
      if (done.insert(used).second) open.push_back(&used->parts);
  }
  return all;
}

Meaning ModelFileScope::name(std::string_view name) {
  if (name == "t") return Meaning::known(model_.t, Dimension::time());
  if (const auto known = known_.find(std::string(name)); known != known_.end()) return known->second;
  Meaning::State state;
  const Definition* definition = need(Definition::Kind::kDefine, name, state);
  if (!definition) return {state, {}, {}, {}, {}, false};
  if (role_ != Role::kDefinition && role_ != Role::kOutput && role_ != Role::kClaim) compared_.insert(definition);
  Meaning meaning = Meaning::known(definition->result.value, definition->result.dimension, definition->result.anchored);
  if (definition->quasi_velocity) meaning.velocity = dot(meaning.value);
  return meaning;
}

Meaning ModelFileScope::component(std::string_view point, int axis) {
  Meaning::State state;
  const Definition* definition = need(Definition::Kind::kPoint, point, state);
  if (!definition) return {state, {}, {}, {}, {}, false};
  const auto index = static_cast<std::size_t>(axis);
  if (index >= definition->place.position.size()) return {};
  return Meaning::known(definition->place.position[index], definition->place.dimension);
}

Meaning ModelFileScope::angular_velocity(std::string_view frame, int axis) {
  Meaning::State state;
  const Definition* definition = need(Definition::Kind::kFrame, frame, state);
  if (!definition) return {state, {}, {}, {}, {}, false};
  const auto turning = std::ranges::find(model_.quaternions, frame, &FrameQuaternion::frame);
  if (turning == model_.quaternions.end()) return {};
  return Meaning::known(angular_velocity_by_rates(model_, *turning, axis), Dimension::none() / Dimension::time());
}

Meaning ModelFileScope::frame_entry(std::string_view frame, std::int64_t i, std::int64_t j) {
  Meaning::State state;
  const Definition* definition = need(Definition::Kind::kFrame, frame, state);
  if (!definition) return {state, {}, {}, {}, {}, false};
  const auto size = static_cast<std::int64_t>(definition->place.position.size());
  if (i < 1 || j < 1 || i > size || j > size) return {};
  return Meaning::known(
      rotation_entry(definition->frame, graph(), static_cast<std::size_t>(i - 1), static_cast<std::size_t>(j - 1)));
}

Meaning ModelFileScope::multiplier(std::string_view row) {
  if (row.starts_with("energy(")) {
    const Expr energy = model_.energy(row.substr(7, row.size() - 8));
    return energy ? Meaning::known(energy, DimensionTerm(Dimension::energy())) : Meaning{};
  }
  if (const auto found = rows_.find(std::string(row)); found != rows_.end()) return found->second;
  // A row has a name like "pin", "pin[1]" or "pin.x"; what a contact does stands for one: "gap(pin)".
  if (const std::string_view of = row_of_contact(row); !of.empty()) row = of;
  return silent_rows_.contains(std::string(row.substr(0, row.find_first_of("[.")))) ? Meaning::silent() : Meaning{};
}

// Only integrals over a run are outputs; other functions of a run are measures of studies.
Meaning ModelFileScope::of_run(OfRun function, const Meaning& expression, const Expr& /*time*/) {
  if (function != OfRun::kIntegral) return {};
  const Span place = std::exchange(model_.here, lowered_);
  const Expr symbol = model_.integral(expression.value);
  model_.here = place;
  if (!symbol) return Meaning::silent();
  const DimensionTerm dimension = expression.dimension * DimensionTerm(Dimension::time());
  // An integrand of numbers alone takes the dimension of its first use.
  const auto known =
      std::ranges::find_if(model_.integrals, [&](const Integral& one) { return one.symbol.same(symbol); });
  const auto i = static_cast<std::size_t>(known - model_.integrals.begin());
  if (i < integral_dimensions_.size()) return Meaning::known(symbol, integral_dimensions_[i]);
  integral_dimensions_.push_back(dimension);
  return Meaning::known(symbol, dimension);
}

std::optional<std::int64_t> ModelFileScope::integer(std::string_view name) {
  const auto found = integers_.find(name);
  return found == integers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Diagnostic> ModelFileScope::refuse(SymbolKind kind, std::string_view name, const Span& span) {
  // Definitions are read before the rows are known, so they cannot contain multipliers.
  if (role_ == Role::kDefinition && kind == SymbolKind::kMultiplier) {
    const bool integral = names_integral(name);
    Diagnostic problem = error("E0213",
                               integral ? "a definition cannot depend on an integral over the run"
                                        : "a definition cannot depend on a multiplier",
                               span);
    problem.help.push_back(
        fmt::format("`{}` may be used in [outputs]", row_of_contact(name).empty() && !integral ? "lambda(…)" : name));
    return problem;
  }
  if (kind == SymbolKind::kInput) {
    // The symbol decides what is allowed: the name may be an input, a derivative of an input, or a definition that is equal to one.
    const std::size_t end = std::min(name.find('\''), name.size());
    const Meaning meaning = this->name(name.substr(0, end));
    const Expr& symbol = end == name.size()       ? meaning.value
                         : end + 1 == name.size() ? meaning.velocity
                                                  : meaning.acceleration;
    if (symbol && symbol.op() == Op::kSymbol) return model_.refuse(role_, symbol.symbol(), name, span);
  }
  return refusal(role_, kind, name, span);
}

std::vector<std::string> ModelFileScope::candidates(Candidates which) {
  std::vector<std::string> found;
  if (which == Candidates::kHappenings) return found;
  // The comparison of many misspelt names with many known names takes quadratic time, so its total work is limited.
  if (suggestions_.exhausted()) return found;
  if (which == Candidates::kRows) {
    for (const auto& row : model_.rows()) found.push_back(row->name);
    suggestions_.spend(static_cast<std::int64_t>(found.size()));
    return found;
  }
  const auto kind = which == Candidates::kNames    ? Definition::Kind::kDefine
                    : which == Candidates::kPoints ? Definition::Kind::kPoint
                                                   : Definition::Kind::kFrame;
  if (which == Candidates::kNames) {
    for (const Coordinate& coordinate : model_.coordinates) found.push_back(coordinate.name);
    for (const Parameter& parameter : model_.parameters) found.push_back(parameter.name);
    for (const Input& input : model_.inputs)
      if (input.derivative == 0) found.push_back(input.name);
    for (const auto& [name, value] : integers_) found.push_back(name);
  }
  for (const Definition* definition : all(kind)) found.push_back(definition->name);
  suggestions_.spend(static_cast<std::int64_t>(found.size()));
  return found;
}

bool ModelFileScope::declares(std::string_view name) {
  const std::string text(name);
  return known_.contains(text) || integers_.contains(text) || look_up(Definition::Kind::kDefine, name) != nullptr;
}

std::string ModelFileScope::help_for_undeclared(std::string_view name) const {
  if (!is_identifier(name)) return {};
  if (role_ == Role::kClaim)
    return fmt::format("write `constant = \"{}\"` in this claim if the audit is to find it", name);
  return name == "g" ? "declare it in [parameters]: g = \"9.81 m/s^2\""
                     : fmt::format(
                           "declare it in [parameters], `{0} = 1` or with its unit `{0} = \"1 m\"`, or as a formula in "
                           "[define]",
                           name);
}

Span ModelFileScope::declared(std::string_view name) {
  const auto found = spans_.find(std::string(name));
  return found == spans_.end() ? Span{} : found->second;
}

}  // namespace dalembert::modelfile
