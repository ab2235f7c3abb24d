// SPDX-License-Identifier: Apache-2.0
// Private to dalembert: memory that an assembly leaves to the next one. The start of a short run takes as long to be made as some of its steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dalembert/dynamics/assembly_steps.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// Belongs to one thread. Nothing but memory, sizes and patterns goes from one assembly to the next.
class AssemblyMemory {
 public:
  /// Begins an assembly of this system. Returns a workspace, as new.
  Workspace& begin(const Dynamics& dynamics);
  /// Steps in these coordinates and rows, as make_steps() makes them; null where it makes none. They live until the next begin(), and there is one object
  /// for equal coordinates and rows.
  assembly::Steps* steps(const assembly::Places& coordinates, const assembly::Places& rows);

 private:
  struct Kept {
    std::vector<int> coordinates, rows;
    std::unique_ptr<assembly::Steps> steps;
  };
  std::shared_ptr<const Kernel> kernel_;  // of all that is kept
  std::optional<Workspace> workspace_;
  std::vector<Kept> kept_;
};

}  // namespace dalembert
