// SPDX-License-Identifier: Apache-2.0
// What the exit status says (docs: `dalembert --help`).
#pragma once

namespace dalembert::app {

enum ExitCode {
  kExitOk = 0,
  kExitModel = 1,         ///< the model is wrong
  kExitUsage = 2,         ///< the command line is wrong
  kExitNumerical = 3,     ///< a numerical failure; what was computed so far is written out
  kExitNo = 4,            ///< done, and the answer is "no": a verdict does not hold
  kExitIo = 5,            ///< reading or writing failed
  kExitInterrupted = 130  ///< by a signal; a run is saved as far as it went
};

}  // namespace dalembert::app
