// SPDX-License-Identifier: Apache-2.0
// The other processes that make runs of `sweep`: those of dalembert-mpi. The command alone has none.
#pragma once

#include "dalembert/study/sweep/crew.h"

namespace dalembert::app {

/// What this process is among others: neither, or one of the two.
struct CrewOfProcess {
  sweeping::Crew* first = nullptr;
  sweeping::CrewMember* member = nullptr;
  bool alone() const { return first == nullptr && member == nullptr; }
};

/// Set before the command is run.
CrewOfProcess& crew_of_process();

}  // namespace dalembert::app
