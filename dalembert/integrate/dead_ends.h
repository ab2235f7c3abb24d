// SPDX-License-Identifier: Apache-2.0
// Private to integrate: recognises and explains the end of a motion at a singular position.
#pragma once

#include <string>
#include <vector>

#include "dalembert/integrate/independence.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class DeadEnds final : public Observer {
 public:
  DeadEnds(StepMaker& maker, Trajectory& path, Independence& independence)
      : Observer(maker, path), independence_(independence) {}

  /// Ends the run where a drive leads into a position in which the rows become dependent.
  bool move_on() override;
  /// Explains why the run ends at its present state; empty if the position is not singular.
  std::string describe();

 private:
  bool is_singular_drive();
  std::string describe_drives(const std::vector<int>& rows, const std::string& depend) const;

  Independence& independence_;
  double asked_ = 0, fastest_ = 0;  // largest speed that drives asked for; fastest motion far from singular positions
};

}  // namespace dalembert::integration
