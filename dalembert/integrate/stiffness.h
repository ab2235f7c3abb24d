// SPDX-License-Identifier: Apache-2.0
// Private to integrate: whether the motion is stiff.
#pragma once

#include <vector>

#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class Stiffness final : public Observer {
 public:
  using Observer::Observer;

  /// An implicit method is to make the next steps.
  bool found() const { return found_; }
  bool arrive() override;

 private:
  void watch();
  bool leaves();

  int hits_ = 0, misses_ = 0;  // of an explicit method, lately
  bool warned_ = false, found_ = false;
  int gentle_ = 0, wait_ = 20;     // steps of the implicit method that an explicit one could make; how many it takes
  std::vector<double> direction_;  // of the largest eigenvalue, about
  std::vector<double> shifted_, slope_;  // y + a small multiple of it
};

}  // namespace dalembert::integration
