// SPDX-License-Identifier: Apache-2.0
// The functions of the verbs, each in its own .cpp file. They return the exit status or throw Failure.
#pragma once

namespace dalembert::app {

class Arguments;
class Terminal;

using RunVerb = int(const Arguments& arguments, Terminal& terminal);
RunVerb run_new, run_models, run_check, run_derive, run_audit, run_eval, run_assemble, run_analyze, run_linearize,
    run_gait, run_cycle, run_plot, run_draw, run_animate, run_report, run_simulate, run_sweep, run_fit, run_optimize,
    run_export, run_bench, run_explain, run_completion, run_lsp;

}  // namespace dalembert::app
