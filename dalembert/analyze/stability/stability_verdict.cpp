// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

std::string_view to_text(StabilityVerdict verdict) {
  switch (verdict) {
    case StabilityVerdict::kAsymptoticallyStable:
      return "asymptotically stable";
    case StabilityVerdict::kStable:
      return "stable";
    case StabilityVerdict::kMarginal:
      return "marginal";
    case StabilityVerdict::kUnstable:
      return "unstable";
    case StabilityVerdict::kNone:
      return "";
  }
  return "";
}

}  // namespace dalembert
