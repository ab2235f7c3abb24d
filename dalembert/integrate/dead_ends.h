// SPDX-License-Identifier: Apache-2.0
// Private to integrate: why no step leads on, the end of the motion at a singular position.
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
  /// Where the run is; empty where the position is not singular.
  std::string describe();

 private:
  bool is_singular_drive();
  std::string describe_drives(const std::vector<int>& rows, const std::string& depend) const;

  Independence& independence_;
  double asked_ = 0, fastest_ = 0;  // by what moves; of the motion where the rows are far from dependent
};

}  // namespace dalembert::integration
