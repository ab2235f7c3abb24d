// SPDX-License-Identifier: Apache-2.0
// Kinds of forces. Each has one description (theory §1), which determines its keys in a model file, the units of its arguments and its
// generalized force. New kinds are added in force_kind.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dalembert/model/argument.h"

namespace dalembert {

/// A part of a generalized force: F_i += factor · ∂along/∂q_i, or factor · ∂along/∂q̇_i if `rate` is set.
struct Contribution {
  Expr along;
  Expr factor = {};  ///< null: 1, where `along` is a power, linear in q̇
  bool rate = false;
};

struct ForceKind {
  std::vector<ArgumentDescription> arguments;  ///< keys of [[force]]; the first one is the kind's key
  std::vector<Contribution> (*contributions)(const Arguments& arguments);
  std::string_view key() const { return arguments.front().key; }
};

std::span<const ForceKind> force_kinds();
/// The kind with that key, which must exist.
const ForceKind& force_kind(std::string_view key);

}  // namespace dalembert
