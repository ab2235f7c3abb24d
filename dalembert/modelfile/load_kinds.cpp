// SPDX-License-Identifier: Apache-2.0
// Reads constraints and forces according to the descriptions of their kinds (model/constraint_kind.h, force_kind.h): which key holds which
// argument, and in which unit it is.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/argument_description.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/force_kind.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

// An argument as it was read, with the data for the comparison of its unit.
struct Loader::ReadArgument {
  Argument argument;
  std::vector<Lowered> lowered;  // one for each expression, but a single one for a vector
  std::vector<Written> written;
  bool good = false;
};

Loader::ReadArgument Loader::read_argument(const ArgumentDescription& description, const Node* node,
                                           const Indices& indices) {
  ReadArgument given;
  if (!node || node->bad) return given;
  Argument& argument = given.argument;
  const bool list = node->is(Node::Type::kArray);
  std::vector<Written> texts;
  if (list)
    for (const Node& item : node->items) texts.push_back({&item, indices});
  else
    texts.push_back({node, indices});
  ArgumentType type = description.type;
  if (type == ArgumentType::kMoment) type = list ? ArgumentType::kVector : ArgumentType::kExpression;
  switch (type) {
    case ArgumentType::kExpression:
    case ArgumentType::kExpressions:
      for (const Written& text : texts) {
        // Constraints may be written as equations.
        const Lowered lowered = names_.lower(text, description.role, type == ArgumentType::kExpressions);
        given.lowered.push_back(lowered);
        argument.dimension.push_back(lowered.dimension);
        if (lowered.value) argument.expressions.push_back(lowered.value);
      }
      given.good = argument.expressions.size() == texts.size();
      break;
    case ArgumentType::kVector:
    case ArgumentType::kMoment: {
      const Place vector = names_.lower_vector(texts, description.role);
      given.good = !vector.position.empty();
      if (!given.good) break;
      argument.expressions = vector.position;
      // A direction of plain numbers has no unit.
      if (!description.dimension && symbols_in(vector.position).empty() && !names_.dimensions().value(vector.dimension))
        names_.dimensions().equate(vector.dimension, Dimension::none());
      argument.dimension = {vector.dimension};
      given.lowered = {{vector.position[0], vector.dimension, false}};
      break;
    }
    default:
      read_named(type, *node, indices, given);
  }
  given.written = std::move(texts);
  return given;
}

// Reads an argument that names things of the model.
void Loader::read_named(ArgumentType type, const Node& node, const Indices& indices, ReadArgument& given) {
  const auto position_of = [&](const Definition* point) {
    given.argument.points.push_back({point->name, point->place.position, point->span, point->disk});
    given.argument.dimension = {point->place.dimension};
    given.good = true;
  };
  switch (type) {
    case ArgumentType::kPoint:
      if (const Definition* point = point_named(&node, indices)) position_of(point);
      break;
    case ArgumentType::kPoints:
      if (const Ends ends = ends_of(&node, indices)) {
        position_of(ends.b);
        position_of(ends.a);
        std::ranges::reverse(given.argument.points);
      }
      break;
    case ArgumentType::kFrame:
      if (const Definition* frame = frame_named(&node, indices)) {
        given.argument.frame = frame->frame;
        given.good = true;
      }
      break;
    case ArgumentType::kBody:
      if (const Body* body = body_named(&node, indices)) {
        given.argument.body = *body;
        given.good = true;
      }
      break;
    case ArgumentType::kCoordinate:
      if (const Coordinate* coordinate = coordinate_named(&node, indices)) {
        given.argument.name = coordinate->name;
        given.argument.expressions = {coordinate->q};
        given.argument.dimension = {dimension_of(*coordinate)};
        given.good = true;
      }
      break;
    default:
      break;
  }
}

// Reads all arguments of a kind; `find` returns the node of each. Nothing if an error was reported.
std::optional<Arguments> Loader::read_arguments(std::span<const ArgumentDescription> descriptions,
                                                const std::function<const Node*(const ArgumentDescription&)>& find,
                                                const Indices& indices) {
  Arguments arguments;
  bool good = true;
  for (const ArgumentDescription& description : descriptions) {
    const Node* node = find(description);
    if (!node && (description.beside || description.optional)) {
      arguments.emplace_back();
      continue;
    }
    ReadArgument given = read_argument(description, node, indices);
    if (given.good && description.type == ArgumentType::kVector && !arguments.empty() && !arguments[0].points.empty()) {
      const std::size_t size = given.argument.expressions.size(), space = arguments[0].points[0].position.size();
      if (size != space) {
        report(error("E0216", fmt::format("{} components where the model has {}", size, space), document_.span(*node)));
        given.good = false;
      }
    }
    if (given.good && description.dimension) {
      std::string what(description.what);
      if (const std::size_t at = what.find("{}"); at != std::string::npos) what.replace(at, 2, arguments[0].name);
      for (std::size_t i = 0; i < given.lowered.size(); ++i)
        expect_dimension(given.lowered[i], description.dimension(arguments), what, names_.text_span(given.written[i]),
                         names_, diagnostics_, description.measure);
    }
    // An argument with an error gets an unknown dimension, which agrees with every unit, so that no further error follows.
    if (!given.good) given.argument.dimension = {names_.dimensions().fresh()};
    good = good && given.good;
    arguments.push_back(std::move(given.argument));
  }
  return good ? std::optional(std::move(arguments)) : std::nullopt;
}

// --- constraints

void Loader::read_constraints() {
  std::vector<std::string> kinds;
  for (const ConstraintKind& kind : constraint_kinds())
    if (kinds.empty() || kinds.back() != kind.key) kinds.emplace_back(kind.key);
  for (const Instance& instance : expand("constraint")) {
    const std::string name = name_of(instance);
    const Span place = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (!usable_name(name, place, "constraint")) continue;
    const std::size_t before = model_.constraints.size();
    if (exactly_one(instance, kinds, fmt::format("the constraint `{}`", name)))
      for (const std::string& key : kinds)
        if (has(instance, key))
          if (const ConstraintKind* kind = kind_stated(instance, key)) read_constraint(instance, name, *kind);
    if (model_.constraints.size() == before) names_.add_silent_row(name);
  }
}

// Of the kinds with that key the one whose arguments are given. Null if an error was reported.
const ConstraintKind* Loader::kind_stated(const Instance& instance, const std::string& key) {
  const Node* node = instance.node->find(key);
  if (node == nullptr) return nullptr;
  std::vector<std::string> alternatives;  // for each kind with this key, the argument that the others lack
  const ConstraintKind* first = nullptr;
  const ConstraintKind* found = nullptr;
  for (const ConstraintKind& kind : constraint_kinds()) {
    if (kind.key != key) continue;
    if (first == nullptr) first = &kind;
    alternatives.emplace_back(kind.arguments.back().key);
    if (!node->find(alternatives.back())) continue;
    if (found != nullptr) {
      report(error(
          "E0012",
          fmt::format("`{}` cannot be combined with `{}`", kind.arguments.back().key, found->arguments.back().key),
          document_.span(*node)));
      return nullptr;
    }
    found = &kind;
  }
  if (alternatives.size() == 1) return first;
  if (found == nullptr && !node->bad)
    report(error("E0007", fmt::format("the key {} is missing", join_words(alternatives, "`", "or")),
                 document_.span(*node)));
  return found;
}

void Loader::read_constraint(const Instance& instance, const std::string& name, const ConstraintKind& kind) {
  const Node* node = instance.node->find(kind.key);
  if (!node || !goes_with(instance, kind)) return;
  const auto find = [&](const ArgumentDescription& description) {
    return description.beside        ? instance.node->find(description.key)
           : description.key.empty() ? node
                                     : node->find(description.key);
  };
  const auto arguments = read_arguments(kind.arguments, find, instance.indices);
  if (!arguments) return;
  const Node* name_node = instance.node->find("name");
  const bool formulas = kind.arguments[0].type == ArgumentType::kExpressions;
  const bool list = formulas && node->is(Node::Type::kArray);
  model_.here = list        ? document_.span(node->items[0])
                : formulas  ? document_.span(*node)
                : name_node ? name_node->text.span()
                            : span(instance);
  const std::size_t before = model_.constraints.size();
  const Node* latex = instance.node->find("latex");
  model_.constrain(name, kind, *arguments, latex ? text_of(latex, instance.indices).value_or("") : "");
  if (model_.constraints.size() == before) return;
  Constraint& made = model_.constraints.back();
  made.span = span(instance);
  // The unit of λ is J/[h] or W/[η].
  const DimensionTerm whole(kind.velocity ? Dimension::power_unit() : Dimension::energy());
  for (std::size_t i = 0; i < made.rows.size(); ++i) {
    const Node& written = list ? node->items[i] : *node;
    made.rows[i].span = formulas ? written.text.span() : document_.span(written);
    row_dimensions_.push_back(kind.dimension(*arguments, i));
    names_.add_row(made.rows[i].name, made.rows[i].lambda, whole / row_dimensions_.back());
  }
  read_unilateral(instance, name);
}

void Loader::read_unilateral(const Instance& instance, const std::string& name) {
  const Node* stated = instance.node->find("unilateral");
  if (stated && stated->bad) return;
  const bool one_sided = model_.constraints.back().unilateral || (stated && stated->boolean);
  if (has(instance, "restitution") && !one_sided)
    return report(error("E0284", fmt::format("`{}` has a restitution but is not one-sided", name),
                        key_span(instance, "restitution"), "add `unilateral = true`, or leave it out"));
  if (stated && !stated->boolean && one_sided)
    return report(error("E0284", fmt::format("`{}` is one-sided by its kind", name), key_span(instance, "unilateral")));
  if (has(instance, "friction") && !one_sided)
    return report(error("E0284", fmt::format("`{}` has a coefficient of friction but is not one-sided", name),
                        key_span(instance, "friction"),
                        fmt::format("state a `[[friction]]` with `normal = \"lambda({})\"`", name)));
  if (!one_sided) return;
  Component restitution = 0;
  model_.here = key_span(instance, has(instance, "restitution") ? "restitution" : "unilateral");
  if (has(instance, "restitution")) {
    const Lowered lowered = names_.lower(written(instance, "restitution"), Role::kRestitution);
    if (!lowered.value) return;
    expect(lowered, DimensionTerm(Dimension::none()), "a restitution", written(instance, "restitution"), Measure::kAny);
    restitution = lowered.value;
  } else if (!stated) {
    model_.here = model_.constraints.back().span;
  }
  model_.unilateral(name, restitution);
  const std::size_t first = row_dimensions_.size() - model_.constraints.back().rows.size();
  for (std::size_t i = 0; i < model_.constraints.back().rows.size(); ++i) {
    const std::string& row = model_.constraints.back().rows[i].name;
    const DimensionTerm& gap = row_dimensions_[first + i];
    names_.add_row("gap(" + row + ")", model_.gap(row), gap);
    names_.add_row("closed(" + row + ")", model_.closed(row), DimensionTerm(Dimension::none()));
    names_.add_row("impulse(" + row + ")", model_.impulse(row),
                   DimensionTerm(Dimension::energy() * Dimension::time()) / gap);
  }
  if (has(instance, "friction")) read_contact_friction(instance, name);
}

// An optional key that belongs to another kind would be ignored, so it is an error.
bool Loader::goes_with(const Instance& instance, const ConstraintKind& kind) {
  for (const ConstraintKind& other : constraint_kinds()) {
    for (const ArgumentDescription& description : other.arguments) {
      if (!description.beside || !has(instance, description.key)) continue;
      if (std::ranges::any_of(kind.arguments, [&](const auto& own) { return own.key == description.key; })) continue;
      report(error("E0012", fmt::format("`{}` cannot be combined with `{}`", description.key, kind.key),
                   key_span(instance, description.key)));
      return false;
    }
  }
  return true;
}

// --- forces

void Loader::read_forces() {
  std::vector<std::string> kinds;
  for (const ForceKind& kind : force_kinds()) kinds.emplace_back(kind.key());
  for (const Instance& instance : expand("force"))
    if (exactly_one(instance, kinds, "the force")) read_force(instance);
}

void Loader::read_force(const Instance& instance) {
  // A key that belongs to another kind would be ignored, so it is an error.
  for (const ForceKind& kind : force_kinds()) {
    const std::string_view key = kind.key();
    for (std::size_t i = 1; i < kind.arguments.size(); ++i) {
      const std::string_view partner = kind.arguments[i].key;
      if (has(instance, key) && !has(instance, partner))
        return report(error("E0007", fmt::format("the key `{}` is missing", partner), key_span(instance, key),
                            fmt::format("`{}` needs `{}`", key, partner)));
      if (has(instance, key) || !has(instance, partner)) continue;
      Diagnostic problem =
          error("E0012", fmt::format("`{}` can be used only with `{}`", partner, key), key_span(instance, partner));
      if (has(instance, "coordinate") && !has(instance, "value") && !instance.node->find(partner)->text.text.empty())
        problem.help.push_back(fmt::format("the force or torque on a coordinate is its `value`: write `value = \"{}\"`",
                                           instance.node->find(partner)->text.text));
      return report(std::move(problem));
    }
  }
  for (const ForceKind& kind : force_kinds()) {
    if (!has(instance, kind.key())) continue;
    const auto find = [&](const ArgumentDescription& description) { return instance.node->find(description.key); };
    const auto arguments = read_arguments(kind.arguments, find, instance.indices);
    if (!arguments) continue;
    const Node* last = find(kind.arguments.back());
    model_.here = last->is(Node::Type::kArray) ? span(instance) : last->text.span();
    model_.act(kind, *arguments);
  }
}

const Body* Loader::body_named(const Node* node, const Indices& indices) {
  const auto name = text_of(node, indices);
  if (!name || failed_bodies_.contains(*name)) return nullptr;
  std::vector<std::string> known;
  for (const Body& body : model_.bodies) {
    known.push_back(body.name);
    if (body.name != *name) continue;
    if (body.angle || !body.frame.rotation.empty()) return &body;
    report(error("E0224", fmt::format("the body `{}` has no angle for a torque to act on", *name), node->text.span()));
    diagnostics_.back().help.push_back("give it `angle` and `inertia`");
    return nullptr;
  }
  if (!reported_entries_.insert(node).second) return nullptr;
  Diagnostic problem = error("E0102", fmt::format("unknown body `{}`", *name), node->text.span());
  if (const auto similar = nearest(*name, known)) problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  report(std::move(problem));
  return nullptr;
}

}  // namespace dalembert::modelfile
