// SPDX-License-Identifier: Apache-2.0
// The functions of the verbs, each in its own .cpp file. They return the exit status or throw Failure.
#pragma once

namespace dalembert::app {

class Arguments;
class Terminal;

int run_new(const Arguments& arguments, Terminal& terminal);
int run_models(const Arguments& arguments, Terminal& terminal);
int run_check(const Arguments& arguments, Terminal& terminal);
int run_derive(const Arguments& arguments, Terminal& terminal);
int run_audit(const Arguments& arguments, Terminal& terminal);
int run_eval(const Arguments& arguments, Terminal& terminal);
int run_assemble(const Arguments& arguments, Terminal& terminal);
int run_analyze(const Arguments& arguments, Terminal& terminal);
int run_linearize(const Arguments& arguments, Terminal& terminal);
int run_gait(const Arguments& arguments, Terminal& terminal);
int run_plot(const Arguments& arguments, Terminal& terminal);
int run_draw(const Arguments& arguments, Terminal& terminal);
int run_animate(const Arguments& arguments, Terminal& terminal);
int run_report(const Arguments& arguments, Terminal& terminal);
int run_simulate(const Arguments& arguments, Terminal& terminal);
int run_export(const Arguments& arguments, Terminal& terminal);
int run_bench(const Arguments& arguments, Terminal& terminal);
int run_explain(const Arguments& arguments, Terminal& terminal);
int run_completion(const Arguments& arguments, Terminal& terminal);

}  // namespace dalembert::app
