// SPDX-License-Identifier: Apache-2.0
#include "dalembert/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "dalembert/dynamics/kernel.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/interpreter.h"

namespace dalembert {

std::string_view to_text(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kBar:
      return "bar";
    case ShapeKind::kPlate:
      return "plate";
    case ShapeKind::kPin:
      return "pin";
    case ShapeKind::kSupport:
      return "support";
    case ShapeKind::kFixed:
      return "fixed";
    case ShapeKind::kMass:
      return "mass";
    case ShapeKind::kCenter:
      return "center";
    case ShapeKind::kBlock:
      return "block";
    case ShapeKind::kRail:
      return "rail";
    case ShapeKind::kSurface:
      return "surface";
    case ShapeKind::kSpring:
      return "spring";
    case ShapeKind::kDamper:
      return "damper";
    case ShapeKind::kBlade:
      return "blade";
    case ShapeKind::kCircle:
      return "circle";
    case ShapeKind::kRing:
      return "ring";
    case ShapeKind::kDisk:
      return "disk";
    case ShapeKind::kEllipsoid:
      return "ellipsoid";
    case ShapeKind::kDot:
      return "dot";
  }
  return "dot";
}

SceneEvaluator::SceneEvaluator(const Scene& scene, const Dynamics& dynamics)
    : scene_(scene),
      dynamics_(dynamics),
      work_(scene.tape->registers),
      kernel_work_(dynamics.layout().work),
      u_(static_cast<std::size_t>(dynamics.layout().inputs)),
      out_(scene.tape->outputs),
      lambda_(static_cast<std::size_t>(dynamics.layout().multipliers())) {}

SceneInstant SceneEvaluator::at(const State& state, std::span<const double> lambda) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  dynamics_.inputs(state.t, kernel_work_.data(), u_.data());
  std::ranges::fill(lambda_, nan);
  std::copy_n(lambda.begin(), std::min(lambda.size(), lambda_.size()), lambda_.begin());
  const double* arguments[kTapeArrays]{};
  const auto set = [&](TapeArray which, const double* values) { arguments[static_cast<std::size_t>(which)] = values; };
  set(TapeArray::kTime, &state.t);
  set(TapeArray::kParameter, dynamics_.parameters().data());
  set(TapeArray::kInput, u_.data());
  set(TapeArray::kCoordinate, state.q.data());
  set(TapeArray::kVelocity, state.v.data());
  set(TapeArray::kMultiplier, lambda_.data());
  run(*scene_.tape, arguments, work_.data(), out_.data(), 1);

  SceneInstant instant{state.t, std::vector<ScenePoint>(scene_.tracks.size()),
                       std::vector<ScenePoint>(scene_.forces.size())};
  const auto space = static_cast<std::size_t>(scene_.space);
  const double* next = out_.data();
  for (ScenePoint& point : instant.at) next = std::copy_n(next, space, point.begin()) - point.begin() + next;
  for (std::size_t f = 0; f < scene_.forces.size(); ++f) {
    ScenePoint& force = instant.force[f];
    const std::vector<int>& rows = scene_.forces[f].rows;
    for (std::size_t part = 0; part < std::max<std::size_t>(rows.size(), 1); ++part) {
      const double size = rows.empty() ? 1 : lambda_[static_cast<std::size_t>(rows[part])];
      for (std::size_t k = 0; k < space; ++k) force[k] += size * next[k];
      next += space;
    }
  }
  return instant;
}

}  // namespace dalembert
