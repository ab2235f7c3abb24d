// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/contact_friction_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dalembert/codegen/texts.h"

namespace dalembert {
namespace {

// Fills the places of friction_*.program for friction in a plane; with nothing if the model has no such friction.
std::vector<Filling> of_planes(const FrictionShape& shape) {
  const bool planes = shape.planes;
  const std::string_view first = shape.acting ? "nc" : "0";
  // A friction that has left its state, or whose contact was hit, does not keep the direction in which it began to slide.
  const std::string hold =
      planes && shape.steps ? filled(kHoldBeginning, {{"GOES_ON", shape.acting ? "forced[j] == 0.0" : "left[0] != j"}})
                            : "";
  const auto only = [&](std::string_view text) { return std::string(planes ? text : ""); };
  return {
      {"SOLVE_HELD", planes ? "solve_held" : "solve_mode"},
      {" and ALONG_A_LINE", only(" and in_plane[j] == 0.0")},
      {" and ONE_OF_PLANE", only(" and in_plane[j] < 2.0")},
      {"call ALONG_LINES()", only("if in_plane[j] == 0.0 {")},
      {"call END_ALONG_LINES()", only("}")},
      {"call REST_IN_PLANES()", only(kRestInPlanes)},
      {"call CONSISTENT_IN_PLANES()", only(kConsistentInPlanes)},
      {"call STATES_IN_PLANES()", only(kStatesInPlanes)},
      {"call MOVES_IN_PLANES()", only(kMovesInPlanes)},
      {"call FORCES_IN_PLANES()", only(kForcesInPlanes)},
      {"call JOINED_IN_PLANES()", only(kJoinedInPlanes)},
      {"call HELD_IN_PLANES()", only(kHeldInPlanes)},
      {"call CHANGE_IN_PLANES()", only(kChangeInPlanes)},
      {"call SIDES_IN_PLANES()", only(kSidesInPlanes)},
      {"call CONCAVE_MARGINS()", only(kConcaveMargins)},
      {"call CONCAVE_LOCALS()", only("real low, high, top, other")},
      {"call WAY_LOCALS()", only("real angles[33] = 0, directed[nf] = 0\nint way, ways\nway = 0\nways = 1")},
      {"call FIND_WAYS()", only(kFindWays)},
      {"call NEXT_WAY()", only(kNextWay)},
      {"call KEEP_DIRECTIONS()", only("call keep_directions(M, W, Phi, C, dN, f, gamma, law, rest, found, mode)")},
      {"call TOO_MANY_MODES()", planes ? kTooManyModes : kPivotModes},
      {"call TURNED()", only(kTurned)},
      {"call FOLLOW_STIFFLY()", shape.steps ? std::string(kFollowStiffly) : ""},
      {"real lasts[nf] = 0", shape.steps ? "real lasts[nf] = 0, begins[nf] = 0, moved[nv] = 0, x[nv] = 0, y[nl] = 0, "
                                           "there[5*nf + nr] = 0, along\nint status"
                                         : "real lasts[nf] = 0"},
      {"call KEEP_UNTIL()", planes ? filled(kKeepUntil, {{"TIME", shape.steps ? "begin" : "t"},
                                                         {"SHORTEST", shape.steps ? "abs(h) / 64.0" : "0.0"}})
                                   : ""},
      {"call TURNED_WITH_CONTACTS()", planes ? filled(kTurnedWithContacts, {{"call HOLD_BEGINNING()", hold}}) : ""},
      {"call KEEP_BEGINNING()", shape.steps ? kKeepBeginning : ""},
      {"call HOLD_LOCALS()", planes && shape.steps ? "real held_along[nf] = 0" : ""},
      {"call HOLD_BEGINNING()", hold},
      {"call HOLD_ON()", planes && shape.steps ? kHoldOn : ""},
      {"LEFT_GIVEN", planes ? "inout" : "in"},
      {"MODE_GIVEN mode", planes ? "inout mode" : "out mode"},
      {"call PLACE_OF_GUARD()", only("int place")},
      {"call GUARDS_IN_PLANES()",
       planes ? filled(kGuardsInPlanes,
                       {{"FIRST", first}, {"ACTS_IN_PLANE and ", shape.acting ? "idle[j] == 0.0 and " : ""}})
              : ""},
      {"call END_AT_TURN()", planes ? filled(kEndAtTurn, {{"FIRST", first}}) : ""},
      {"MOST_CHANGES", planes ? "10000" : "8 * nf + 16"},
      {"STATES_IN_PLANES",
       only("For friction in a plane, slides holds the components of the direction\n# of its speed. ")},
      {"call SLIDES_IDLY()", only("if in_plane[j] > 0.0 {\nslides[j] = speed[j]\n}")},
      {"call UNITS_IN_PLANES()", planes ? "real size\n" + std::string(kUnitsInPlanes) : ""},
  };
}

}  // namespace

std::string friction_text(std::string_view text, const FrictionShape& shape) {
  const bool acting = shape.acting;
  const std::string_view rows = acting ? kActingRows : kAllRows;
  std::vector<Filling> fillings = of_planes(shape);
  fillings.insert(fillings.end(), {{"MODES", acting ? "2*nf + nr" : "2*nf"},
                                   {"call ROWS_AT_WORK()", filled(rows, {{"RATE", "gamma[r]"}})},
                                   {"call IF_TWO_SIDED()", acting ? "if one_sided[r] == 0.0 {" : ""},
                                   {"call END_TWO_SIDED()", acting ? "}" : ""},
                                   {"call ROWS_AT_REST()", filled(rows, {{"RATE", "0.0"}})},
                                   {"call SIZES_OF_FORCES()", acting ? kSizesOfActing : kSizesOfAll},
                                   {"call PULLS()", acting ? kPulls : ""},
                                   {"call NEVER_PULLS()", acting ? kNeverPulls : ""},
                                   {"call PRESS_LOCALS()", acting ? "real limited[nr] = 0\nint loads, last" : ""},
                                   {"call CONES_OF_CONTACTS()", acting ? kConesOfContacts : ""},
                                   {"call TRY_ROWS()", acting ? kTryRows : ""},
                                   {"call CONTRADICTED()", acting ? kContradicted : ""},
                                   {"call OF_IDLE()", acting ? kOfIdle : ""}});
  return filled_where(text, std::move(fillings));
}

std::string solve_mode_text(const FrictionShape& shape) {
  std::string text = friction_text(kSolveMode, shape);
  if (shape.planes) text += friction_text(kPlanes, shape) + friction_text(kSolveHeld, shape);
  return text;
}

std::string decide_mode_text(const FrictionShape& shape) {
  std::string text = shape.planes ? friction_text(kDirections, shape) + friction_text(kKeepDirections, shape) : "";
  text += friction_text(kDecideMode, shape);
  if (!shape.planes) text += friction_text(kFindByPivots, shape);
  return text + friction_text(kDecide, shape);
}

void add_friction_tables(Program& program, const Layout& layout, const std::vector<int>& contacts, bool acting) {
  if (acting) {
    std::vector<double> one_sided(as_size(std::max(layout.m, 1)), 0.0);  // C has no arrays of no entries
    for (const int row : contacts) one_sided[as_size(row)] = 1;
    program.tables.emplace_back("one_sided", std::move(one_sided));
  }
  if (layout.planes.empty()) return;
  std::vector<double> in_plane(as_size(layout.frictions), 0.0);
  for (const int first : layout.planes) {
    in_plane[as_size(first)] = 1;
    in_plane[as_size(first) + 1] = 2;
  }
  program.tables.emplace_back("in_plane", std::move(in_plane));
}

}  // namespace dalembert
