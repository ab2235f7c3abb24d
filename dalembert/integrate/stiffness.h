// SPDX-License-Identifier: Apache-2.0
// Private to integrate: detects whether the motion is stiff.
#pragma once

#include <vector>

#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class Stiffness final : public Observer {
 public:
  using Observer::Observer;

  /// Whether an implicit method should make the next steps.
  bool found() const { return found_; }
  bool arrive() override;

 private:
  void watch();
  bool leaves();

  int hits_ = 0, misses_ = 0;  // recent steps of an explicit method limited by stability; others
  bool warned_ = false, found_ = false;
  int gentle_ = 0, wait_ = 20;     // consecutive implicit steps that an explicit method could make; how many are needed
  std::vector<double> direction_;  // approximate eigenvector of the largest eigenvalue
  std::vector<double> shifted_, slope_;  // y + a small multiple of direction_; the slope there
};

}  // namespace dalembert::integration
