// SPDX-License-Identifier: Apache-2.0
// The coordinates of one model as formulas of those of another, as a user writes them: "x" is "x_c - b*cos(theta)". Inside analyze only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"
#include "dalembert/model/statements.h"

namespace dalembert {

struct CoordinateMap {
  std::vector<Expr> q;  ///< one formula for each coordinate of `there`, in the graph of `here`
  std::vector<std::pair<std::string, std::string>>
      texts;  ///< the formulas as they were written, by the name of the coordinate
};

/// Reads formulas of the coordinates, points, definitions and parameters of `here` and of t, built in the graph of `here`, for the coordinates
/// of `there` that they name. A coordinate that is not named is the one of `here` with its name. Errors: E0434 no such coordinate, one that
/// is named twice, one that is neither named nor in `here`; those of parse_ast() and lower(); E0203 another unit than the coordinate's.
Result<CoordinateMap> read_coordinate_map(const Equations& here, const Equations& there,
                                          const std::vector<StudyStatement::Named>& written);

}  // namespace dalembert
