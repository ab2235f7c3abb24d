// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/schema.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/force_kind.h"
#include "dalembert/model/statements.h"

namespace dalembert::modelfile {
namespace {

constexpr bool kRequired = true;

constexpr Key kTextKeys[] = {{"", Kind::kText, "text"}};
constexpr Key kVectorKeys[] = {{"", Kind::kVector, "a vector"}};
constexpr Key kCoordinatesKeys[] = {{"", Kind::kCoordinates, "coordinates"}};
constexpr Key kParameterKeys[] = {{"", Kind::kParameter, "a number with an optional unit, or {value, latex, meaning}"}};
constexpr Key kStructureKeys[] = {{"", Kind::kInteger, "an integer"}};
constexpr Key kExpressionKeys[] = {{"", Kind::kExpression, "an expression"}};
constexpr Key kInputsKeys[] = {{"", Kind::kInput, "an expression of t and parameters, or {file, column}"}};
constexpr Key kPrescribedKeys[] = {
    {"", Kind::kInput, "an expression of t and parameters, or {file, column}, which is read as a spline"}};

constexpr Key kCoordinateKeys[] = {
    {"name", Kind::kName, "the coordinate's name", kRequired},
    {"unit", Kind::kName, "its SI unit"},
    {"latex", Kind::kName, "how formulas print it"},
    {"for", Kind::kRange, "repeats the entry"},
};
constexpr Key kParameterTableKeys[] = {
    {"value", Kind::kQuantity, "a number with an optional unit", kRequired},
    {"latex", Kind::kName, "how formulas print it"},
    {"meaning", Kind::kText, "what it is, for the table of symbols"},
};
constexpr Key kInputKeys[] = {
    {"file", Kind::kName, "a CSV file with a header row, beside the model", kRequired},
    {"column", Kind::kName, "the column that holds the samples", kRequired},
    {"interpolation", Kind::kName, "between samples: `linear` (when absent) or `spline`, which has time derivatives"},
};
constexpr Key kFrameKeys[] = {
    {"name", Kind::kName, "the frame's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"parent", Kind::kName, "the frame it is placed in; the ground when absent"},
    {"origin", Kind::kVector, "its origin in the parent; the parent's when absent"},
    {"rotate", Kind::kRotation, "how it is turned against the parent: an angle, or turns about axes"},
    {"quaternion", Kind::kFourNames,
     "instead of turns: four neighbouring coordinates, a unit quaternion, scalar first"},
};
constexpr Key kRimKeys[] = {
    {"frame", Kind::kName, "the frame that turns with the disk, its origin in the middle", kRequired},
    {"axis", Kind::kVector, "normal to the disk, along that frame's axes", kRequired},
    {"radius", Kind::kExpression, "the disk's radius", kRequired},
};
constexpr Key kPointKeys[] = {
    {"name", Kind::kName, "the point's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"frame", Kind::kName, "the frame it is fixed in; the ground when absent"},
    {"at", Kind::kVector, "its components in that frame"},
    {"rim", Kind::kParts, "instead: the lowest point of a disk's rim", false, kRimKeys,
     "{frame = \"wheel\", axis = [0, 0, 1], radius = \"r\"}"},
};
constexpr Key kBodyKeys[] = {
    {"name", Kind::kName, "the body's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"mass", Kind::kExpression, "its mass", kRequired},
    {"inertia", Kind::kInertia, "about the centre of mass: one moment, or a tensor along the frame's axes"},
    {"frame", Kind::kName, "the frame it is fixed in"},
    {"com", Kind::kVector, "its centre of mass in that frame; the origin when absent"},
    {"position", Kind::kVector, "its centre of mass along the ground axes"},
    {"angle", Kind::kExpression, "its angle, with `position`"},
};
constexpr Key kEnergyKeys[] = {
    {"kinetic", Kind::kExpression, "T, added to that of the bodies"},
    {"potential", Kind::kExpression, "V, added to that of bodies and springs"},
    {"dissipation", Kind::kExpression, "R, added to that of the dampers"},
    {"lagrangian", Kind::kExpression, "L alone, without bodies, springs and other energies"},
};
constexpr Key kSpringKeys[] = {
    {"name", Kind::kName, "for people"},
    {"for", Kind::kRange, "repeats the entry"},
    {"between", Kind::kNames, "two points"},
    {"coordinate", Kind::kName, "or one coordinate"},
    {"stiffness", Kind::kExpression, "k", kRequired},
    {"rest", Kind::kExpression, "length or value without force; 0 when absent"},
};
constexpr Key kDamperKeys[] = {
    {"name", Kind::kName, "for people"},
    {"for", Kind::kRange, "repeats the entry"},
    {"between", Kind::kNames, "two points"},
    {"coordinate", Kind::kName, "or one coordinate"},
    {"damping", Kind::kExpression, "c", kRequired},
};
constexpr Key kFrictionKeys[] = {
    {"name", Kind::kName, "the friction's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"normal", Kind::kExpression, "the normal force, from multipliers", kRequired},
    {"velocity", Kind::kExpressions,
     "the sliding speed, affine in the velocities; in a plane two, in perpendicular directions", kRequired},
    {"coefficient", Kind::kExpression, "mu, of sliding", kRequired},
    {"static", Kind::kExpression, "mu_s, of sticking; mu when absent"},
    {"viscous", Kind::kExpression, "force per sliding speed; 0 when absent"},
};
constexpr Key kEventKeys[] = {
    {"name", Kind::kName, "the event's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"when", Kind::kExpression, "the event happens where this passes 0", kRequired},
    {"direction", Kind::kName, "`up`: from below, `down`: from above; `any` when absent"},
    {"where", Kind::kExpression, "a condition without which nothing happens"},
    {"stop", Kind::kBoolean, "true: the run ends there"},
    {"set", Kind::kSettings, "coordinates and velocities that jump, to expressions of the state before"},
};
constexpr Key kInitialKeys[] = {
    {"position", Kind::kQuantities, "values that are kept"},
    {"velocity", Kind::kQuantities, "velocities that are kept"},
    {"guess", Kind::kQuantities, "values that assembly may move; `\"x'\"` for a velocity"},
    {"time", Kind::kQuantity, "the time of the start; 0 when absent"},
};
constexpr Key kClaimKeys[] = {
    {"source", Kind::kText, "where the formula comes from"},
    {"for", Kind::kRange, "repeats the entry"},
    {"entry", Kind::kName, "which entry of the equations it is about", kRequired},
    {"equals", Kind::kExpression, "what it says", kRequired},
    {"given", Kind::kExpressions, "equations that it assumes, such as r = L"},
    {"constant", Kind::kOneOrMoreNames, "names in `equals` whose values the audit finds"},
};
constexpr Key kCircleKeys[] = {
    {"at", Kind::kName, "the point in its middle", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"radius", Kind::kExpression, "its radius", kRequired},
    {"frame", Kind::kName, "the frame along whose axes `axis` is given; the ground when absent"},
    {"axis", Kind::kVector, "normal to it, in space; a ball when absent"},
};
constexpr Key kDrawKeys[] = {
    {"lines", Kind::kLines, "bars through points, in place of those that are found"},
    {"circles", Kind::kCircles, "circles about points, besides what is found", false, kCircleKeys,
     "{at = \"C\", radius = \"r\"}"},
    {"trace", Kind::kNameList, "points whose path is shown"},
    {"labels", Kind::kNameList, "points that bear their name; an empty list: none"},
};

// --- from the kinds of constraints and forces, and from the settings

Kind kind_of(ArgumentType type) {
  switch (type) {
    case ArgumentType::kExpression:
      return Kind::kExpression;
    case ArgumentType::kExpressions:
      return Kind::kExpressions;
    case ArgumentType::kVector:
      return Kind::kVector;
    case ArgumentType::kMoment:
      return Kind::kMoment;
    case ArgumentType::kPoints:
      return Kind::kNames;
    case ArgumentType::kPoint:
    case ArgumentType::kFrame:
    case ArgumentType::kBody:
    case ArgumentType::kCoordinate:
      return Kind::kName;
  }
  return Kind::kAnything;
}

void add_once(std::vector<Key>& keys, const Key& key) {
  if (std::ranges::find(keys, key.name, &Key::name) == keys.end()) keys.push_back(key);
}

std::vector<Key> keys_of_constraints() {
  static std::deque<std::vector<Key>> tables;  // storage for the tables of parts, to which the returned keys refer
  std::vector<Key> keys{{"name", Kind::kName, "the constraint's name", kRequired},
                        {"for", Kind::kRange, "repeats the entry"},
                        {"latex", Kind::kName, "how formulas print its name, as the index of its multipliers"}};
  for (const ConstraintKind& kind : constraint_kinds()) {
    if (kind.sample.empty()) {
      keys.push_back({kind.key, kind_of(kind.arguments[0].type), kind.meaning});
      continue;
    }
    // The table has the arguments of all kinds with this key; an argument that one of them lacks is not required.
    if (std::ranges::find(keys, kind.key, &Key::name) != keys.end()) continue;
    std::vector<Key>& parts = tables.emplace_back();
    const auto has = [](const ConstraintKind& one, std::string_view argument) {
      return std::ranges::find(one.arguments, argument, &ArgumentDescription::key) != one.arguments.end();
    };
    for (const ConstraintKind& one : constraint_kinds())
      for (const ArgumentDescription& part : one.arguments) {
        if (one.key != kind.key || part.beside) continue;
        const bool required =
            !part.optional && std::ranges::all_of(constraint_kinds(), [&](const ConstraintKind& other) {
              return other.key != kind.key || has(other, part.key);
            });
        add_once(parts, {part.key, kind_of(part.type), part.meaning, required});
      }
    keys.push_back({kind.key, Kind::kParts, kind.meaning, false, parts, kind.sample});
  }
  keys.push_back(
      {"unilateral", Kind::kBoolean, "true: h >= 0 instead of h = 0, with a multiplier that is never negative"});
  keys.push_back({"restitution", Kind::kExpression, "of impacts at a one-sided constraint, 0 to 1; 0 when absent"});
  keys.push_back({"friction", Kind::kExpression, "coefficient of friction of a `contact`; 0 when absent"});
  for (const ConstraintKind& kind : constraint_kinds())
    for (const ArgumentDescription& part : kind.arguments)
      if (part.beside) add_once(keys, {part.key, kind_of(part.type), part.meaning});
  return keys;
}

std::vector<Key> keys_of_forces() {
  std::vector<Key> keys{{"name", Kind::kName, "for people"}, {"for", Kind::kRange, "repeats the entry"}};
  for (const ForceKind& kind : force_kinds())
    for (const ArgumentDescription& part : kind.arguments) keys.push_back({part.key, kind_of(part.type), part.meaning});
  return keys;
}

constexpr Key kStudyKeys[] = {
    {"vary", Kind::kTexts, "a grid: each quantity with its values, `L1 = \"0.1 m : 0.3 m : 21\"` or `\"1, 2, 5\"`"},
    {"sample", Kind::kTexts, "random quantities, each with its distribution, `k = \"normal(20 N/m, 2 N/m)\"`"},
    {"runs", Kind::kInteger, "number of samples"},
    {"seed", Kind::kInteger, "which of all random sequences; 0 when absent"},
    {"sampling", Kind::kName, "`random` (when absent), `lhs` or `sobol`"},
    {"measure", Kind::kTexts, "numbers of each run, `peak = \"max(abs(lambda(pin)))\"`"},
};

std::vector<Key> keys_of_settings() {
  std::vector<Key> keys;
  for (const Setting& setting : kSettings)
    keys.push_back({setting.key,
                    setting.name       ? Kind::kName
                    : setting.positive ? Kind::kPositive
                                       : Kind::kQuantity,
                    setting.meaning});
  return keys;
}

std::span<const Section> sections() {
  static const std::vector<Key> constraint_keys = keys_of_constraints(), force_keys = keys_of_forces(),
                                setting_keys = keys_of_settings();
  static const std::vector<Section> all{
      {"name", Shape::kValue, "the model's name", kTextKeys},
      {"description", Shape::kValue, "what it is", kTextKeys},
      {"reference", Shape::kValue, "where it comes from", kTextKeys},
      {"coordinates", Shape::kValue, "the generalized coordinates, in the order of every matrix", kCoordinatesKeys},
      {"gravity", Shape::kValue, "a uniform field that acts on every body", kVectorKeys},
      {"parameters", Shape::kNamed, "named constants", kParameterKeys},
      {"structure", Shape::kNamed, "integers for repetition", kStructureKeys},
      {"define", Shape::kNamed, "named expressions", kExpressionKeys},
      {"frame", Shape::kArray, "frames", kFrameKeys},
      {"point", Shape::kArray, "points", kPointKeys},
      {"body", Shape::kArray, "bodies", kBodyKeys},
      {"energy", Shape::kTable, "energies as formulas", kEnergyKeys},
      {"spring", Shape::kArray, "springs", kSpringKeys},
      {"damper", Shape::kArray, "dampers", kDamperKeys},
      {"constraint", Shape::kArray, "constraints", constraint_keys},
      {"force", Shape::kArray, "forces", force_keys},
      {"friction", Shape::kArray, "dry friction that knows its load", kFrictionKeys},
      {"inputs", Shape::kNamed, "functions of time", kInputsKeys},
      {"initial", Shape::kTable, "the start", kInitialKeys},
      {"outputs", Shape::kNamed, "expressions recorded with every run", kExpressionKeys},
      {"simulation", Shape::kTable, "how to run it", setting_keys},
      {"study", Shape::kTable, "many runs: what `sweep` varies, samples and measures", kStudyKeys},
      {"claim", Shape::kArray, "formulas to audit", kClaimKeys},
      {"prescribed", Shape::kNamed, "coordinates that something drives, as functions of time", kPrescribedKeys},
      {"quasi_velocities", Shape::kNamed, "velocities for the equations without multipliers", kExpressionKeys},
      {"event", Shape::kArray, "instants that are noted, set something or end the run", kEventKeys},
      {"draw", Shape::kTable, "what pictures show", kDrawKeys},
  };
  return all;
}

}  // namespace

std::span<const Section> schema() { return sections(); }
std::span<const Key> coordinate_keys() { return kCoordinateKeys; }
std::span<const Key> input_keys() { return kInputKeys; }
std::span<const Key> parameter_keys() { return kParameterTableKeys; }

const Section* find_section(std::string_view name) {
  const auto all = sections();
  const auto found = std::ranges::find(all, name, &Section::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace dalembert::modelfile
