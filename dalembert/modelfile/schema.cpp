// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/schema.h"

#include <algorithm>

namespace dalembert::modelfile {
namespace {

constexpr bool kRequired = true;
constexpr bool kLater = true;

constexpr Key kTextKeys[] = {{"", Kind::kText, "text"}};
constexpr Key kVectorKeys[] = {{"", Kind::kVector, "a vector"}};
constexpr Key kCoordinatesKeys[] = {{"", Kind::kCoordinates, "coordinates"}};
constexpr Key kParameterKeys[] = {{"", Kind::kQuantity, "a number with an optional unit"}};
constexpr Key kStructureKeys[] = {{"", Kind::kInteger, "an integer"}};
constexpr Key kExpressionKeys[] = {{"", Kind::kExpression, "an expression"}};
constexpr Key kInputsKeys[] = {{"", Kind::kInput, "an expression of t and parameters, or {file, column}"}};
constexpr Key kAnyKeys[] = {{"", Kind::kAnything, ""}};

constexpr Key kCoordinateKeys[] = {
    {"name", Kind::kName, "the coordinate's name", kRequired},
    {"unit", Kind::kName, "its SI unit"},
    {"latex", Kind::kName, "how formulas print it"},
    {"for", Kind::kRange, "repeats the entry"},
};
constexpr Key kInputKeys[] = {
    {"file", Kind::kName, "a CSV file with a header row, beside the model", kRequired},
    {"column", Kind::kName, "the column that holds the samples", kRequired},
    {"interpolation", Kind::kName, "between samples: `linear` (when absent) or `spline`, which has time derivatives"},
};
constexpr Key kBetweenKeys[] = {
    {"between", Kind::kNames, "two points", kRequired},
    {"value", Kind::kExpression, "their distance", kRequired},
};
constexpr Key kFrameKeys[] = {
    {"name", Kind::kName, "the frame's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"parent", Kind::kName, "the frame it is placed in; the ground when absent"},
    {"origin", Kind::kVector, "its origin in the parent; the parent's when absent"},
    {"rotate", Kind::kRotation, "its angle against the parent, counter-clockwise"},
    {"quaternion", Kind::kAnything, "four coordinates", false, kLater},
};
constexpr Key kPointKeys[] = {
    {"name", Kind::kName, "the point's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"frame", Kind::kName, "the frame it is fixed in; the ground when absent"},
    {"at", Kind::kVector, "its components in that frame"},
    {"rim", Kind::kAnything, "the lowest point of a disk's rim", false, kLater},
};
constexpr Key kBodyKeys[] = {
    {"name", Kind::kName, "the body's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"mass", Kind::kExpression, "its mass", kRequired},
    {"inertia", Kind::kInertia, "its moment of inertia about the centre of mass"},
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
constexpr Key kConstraintKeys[] = {
    {"name", Kind::kName, "the constraint's name", kRequired},
    {"for", Kind::kRange, "repeats the entry"},
    {"holonomic", Kind::kExpressions, "h(q, t) = 0"},
    {"pfaffian", Kind::kExpressions, "affine in the velocities, = 0"},
    {"coincide", Kind::kNames, "two points that are one"},
    {"distance", Kind::kBetween, "two points at a distance"},
    {"no_skid", Kind::kAnything, "a point that does not move sideways", false, kLater},
    {"no_slip", Kind::kAnything, "a point of a body at rest", false, kLater},
    {"frame", Kind::kAnything, "the frame of a no_skid or no_slip point", false, kLater},
    {"unilateral", Kind::kAnything, "h >= 0", false, kLater},
    {"restitution", Kind::kAnything, "coefficient of restitution", false, kLater},
    {"friction", Kind::kAnything, "coefficient of friction", false, kLater},
};
constexpr Key kForceKeys[] = {
    {"name", Kind::kName, "for people"},
    {"for", Kind::kRange, "repeats the entry"},
    {"at", Kind::kName, "the point a force acts at"},
    {"vector", Kind::kVector, "the force, along the ground axes"},
    {"body", Kind::kName, "the body a torque acts on"},
    {"torque", Kind::kExpression, "the torque"},
    {"coordinate", Kind::kName, "the coordinate of a generalized force"},
    {"value", Kind::kExpression, "the generalized force"},
    {"power", Kind::kExpression, "the power of non-conservative forces, linear in the velocities"},
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
};
constexpr Key kSimulationKeys[] = {
    {"until", Kind::kQuantity, "end time"},
    {"rtol", Kind::kPositive, "relative tolerance of a step"},
    {"atol", Kind::kPositive, "absolute tolerance of a step"},
    {"output_step", Kind::kPositive, "time between recorded samples"},
    {"max_step", Kind::kPositive, "longest step"},
    {"method", Kind::kName, "the stepper"},
    {"formulation", Kind::kName, "the form of the equations"},
};

constexpr Section kSections[] = {
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
    {"constraint", Shape::kArray, "constraints", kConstraintKeys},
    {"force", Shape::kArray, "forces", kForceKeys},
    {"inputs", Shape::kNamed, "functions of time", kInputsKeys},
    {"initial", Shape::kTable, "the start", kInitialKeys},
    {"outputs", Shape::kNamed, "expressions recorded with every run", kExpressionKeys},
    {"simulation", Shape::kTable, "how to run it", kSimulationKeys},
    {"claim", Shape::kArray, "formulas to audit", kClaimKeys},
    {"prescribed", Shape::kNamed, "actuated coordinates", kAnyKeys, kLater},
    {"quasi_velocities", Shape::kNamed, "quasi-velocities", kAnyKeys, kLater},
    {"event", Shape::kArray, "events", kAnyKeys, kLater},
    {"draw", Shape::kTable, "what the animation shows", kAnyKeys, kLater},
};

}  // namespace

std::span<const Section> schema() { return kSections; }
std::span<const Key> coordinate_keys() { return kCoordinateKeys; }
std::span<const Key> input_keys() { return kInputKeys; }
std::span<const Key> between_keys() { return kBetweenKeys; }

const Section* find_section(std::string_view name) {
  const auto found = std::ranges::find(kSections, name, &Section::name);
  return found == std::end(kSections) ? nullptr : found;
}

}  // namespace dalembert::modelfile
