// SPDX-License-Identifier: Apache-2.0
// What stands for nlopt.cpp where this program was built without the header of NLopt.
#include "dalembert/study/optimize/nlopt.h"

namespace dalembert::optimizing {

Diagnostics require_nlopt() { return {error("E0438", "this program was built without NLopt, which optimises")}; }

std::string minimize(const NonlinearProgram&, std::vector<double>&) { return "NLopt is not there"; }

}  // namespace dalembert::optimizing
