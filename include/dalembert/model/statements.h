// SPDX-License-Identifier: Apache-2.0
// What a model keeps of its statements beside the expressions that they lead to: the arguments of constraints and forces, the generalized forces that
// a force consists of, springs and dampers, what the user wants to see of the model ([draw]), the settings of a run ([simulation]) and a study of
// many runs ([study]).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/units.h"
#include "dalembert/expr/expr.h"
#include "dalembert/model/geometry.h"

namespace dalembert {

/// An argument as it was given. Which members hold it, its type says (argument_description.h).
struct Argument {
  std::string name = {};                      ///< the name by which it was given; empty: it has none
  std::vector<Expr> expressions = {};         ///< kExpression, kExpressions, kVector, kMoment; kCoordinate: q_i
  std::vector<Point> points = {};             ///< kPoint, kPoints
  Frame frame = {};                           ///< kFrame; the ground where none was given
  Body body = {};                             ///< kBody
  std::vector<DimensionTerm> dimension = {};  ///< of each expression, or of the points; empty if nothing asks for it
};
using Arguments = std::vector<Argument>;

/// A part of a generalized force: F_i += factor · ∂along/∂q_i, or factor · ∂along/∂q̇_i if `rate` is set.
struct Contribution {
  Expr along;
  Expr factor = {};  ///< null: 1, where `along` is a power, linear in q̇
  bool rate = false;
};

/// A spring or a damper, between two places or on a coordinate. Its equations are those of an energy or of a force; scenes draw it.
struct Connection {
  enum Kind { kSpring, kDamper } kind = kSpring;
  Vector a, b = {};     ///< the two ends, along the ground axes; empty for a connection on a coordinate
  int coordinate = -1;  ///< index of the coordinate, for a connection on a coordinate
};

/// What to draw, with points by their index in Model::points. It changes no equation. The scene (scene/scene.h) chooses what is absent here.
struct Drawing {
  struct Circle {
    int point = 0;     ///< the circle's centre
    Expr radius;       ///< has the dimension of a length
    Vector axis = {};  ///< normal to the circle, along the ground axes; empty: a ball (space), a circle (plane)
  };
  std::optional<std::vector<std::vector<int>>> lines;  ///< polylines of two points or more; closed if the ends agree
  std::optional<std::vector<Circle>> circles;
  std::optional<std::vector<int>> trace;   ///< points whose path is shown
  std::optional<std::vector<int>> labels;  ///< points whose name is shown; empty: none
};

struct SimulationSettings {
  std::optional<double> until, rtol, atol, output_step, max_step;
  std::optional<std::string> method, formulation;
  std::map<std::string, Span> places = {};  ///< where each of them is written, by its key in the file
};

/// What a study varies and measures, as it is written: in [study] of a model file, or by options of `sweep`. study/sweep.h reads it.
struct StudyStatement {
  struct Named {
    std::string name;
    MappedText text;
    Span place;  ///< of the name
  };
  std::vector<Named> vary;     ///< "0.1 m : 0.3 m : 21" or "1, 2, 5"; the last one changes fastest
  std::vector<Named> sample;   ///< "normal(20 N/m, 2 N/m)"
  std::vector<Named> measure;  ///< "max(abs(lambda(pin)))"
  std::optional<std::int64_t> runs, seed;
  std::optional<std::string> sampling;
  std::map<std::string, Span> places = {};  ///< where each part of it is written, by its key in the file
};

/// A setting of a run, described in one row: from it follow its key in [simulation], its option on the command line and its keyword in Python. What the run
/// does with it says analyze/run_options.cpp.
struct Setting {
  std::string_view key;                                            ///< in [simulation]
  std::string_view meaning;                                        ///< there
  std::string_view option, value, text;                            ///< on the command line, and what its help says
  std::optional<double> SimulationSettings::*number = nullptr;     ///< a number, or …
  std::optional<std::string> SimulationSettings::*name = nullptr;  ///< … one of some names
  Dimension (*dimension)() = Dimension::none;                      ///< of the number
  bool positive = true;                                            ///< the number is above zero
  bool of_rows = false;                                            ///< about what is recorded; last in the help
};

inline constexpr Setting kSettings[] = {
    {.key = "until",
     .meaning = "end time",
     .option = "--until",
     .value = "TIME",
     .text = "end of the run (10 s)",
     .number = &SimulationSettings::until,
     .dimension = Dimension::time,
     .positive = false},
    {.key = "rtol",
     .meaning = "relative tolerance of a step",
     .option = "--rtol",
     .value = "NUMBER",
     .text = "allowed error in each step, relative (1e-9)",
     .number = &SimulationSettings::rtol},
    {.key = "atol",
     .meaning = "absolute tolerance of a step",
     .option = "--atol",
     .value = "NUMBER",
     .text = "and absolute (1e-12)",
     .number = &SimulationSettings::atol},
    {.key = "output_step",
     .meaning = "time between recorded samples",
     .option = "--every",
     .value = "TIME",
     .text = "one output row each TIME (every step)",
     .number = &SimulationSettings::output_step,
     .dimension = Dimension::time,
     .of_rows = true},
    {.key = "max_step",
     .meaning = "longest step",
     .option = "--max-step",
     .value = "TIME",
     .text = "longest step (no bound)",
     .number = &SimulationSettings::max_step,
     .dimension = Dimension::time},
    {.key = "method",
     .meaning = "the stepper",
     .option = "--method",
     .value = "METHOD",
     .text = "integrator; radau for stiff systems, auto finds out (dop853)",
     .name = &SimulationSettings::method},
    {.key = "formulation",
     .meaning = "the form of the equations",
     .option = "--formulation",
     .value = "NAME",
     .text = "index1: multipliers solved for; reduced: eliminated, with fewer state variables (index1)",
     .name = &SimulationSettings::formulation},
};

/// Its keyword in Python: "max_step", "every".
inline std::string keyword(const Setting& setting) {
  std::string word(setting.option.substr(2));
  for (char& c : word)
    if (c == '-') c = '_';
  return word;
}

}  // namespace dalembert
