// SPDX-License-Identifier: Apache-2.0
// Meaning of the exit status (shown by `dalembert --help`).
#pragma once

namespace dalembert::app {

enum ExitCode {
  kExitOk = 0,
  kExitModel = 1,         ///< the model is invalid
  kExitUsage = 2,         ///< the command line is invalid
  kExitNumerical = 3,     ///< a numerical failure; results computed so far are written
  kExitNo = 4,            ///< done, but with a negative answer: a verdict does not hold
  kExitIo = 5,            ///< reading or writing failed
  kExitInterrupted = 130  ///< ended by a signal; a run is saved up to that time
};

}  // namespace dalembert::app
