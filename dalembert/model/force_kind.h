// SPDX-License-Identifier: Apache-2.0
// Kinds of forces: one description of each (theory §1), from which follow its keys in a model file, the units of its
// arguments and its generalized force: force_kind.cpp is the place to add one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dalembert/model/argument.h"

namespace dalembert {

/// Part of a generalized force: F_i += factor · ∂along/∂q_i, or ∂along/∂q̇_i of a rate.
struct Contribution {
  Expr along;
  Expr factor = {};  ///< null: 1; `along` is a power then, and must be linear in q̇
  bool rate = false;
};

struct ForceKind {
  std::vector<ArgumentDescription> arguments;  ///< keys of [[force]]; the first one's key is the kind's
  std::vector<Contribution> (*contributions)(const Arguments& arguments);
  std::string_view key() const { return arguments.front().key; }
};

std::span<const ForceKind> force_kinds();
/// The kind of that key, which must exist.
const ForceKind& force_kind(std::string_view key);

}  // namespace dalembert
