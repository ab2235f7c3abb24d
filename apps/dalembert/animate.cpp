// SPDX-License-Identifier: Apache-2.0
// dalembert animate: a moving picture of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/film.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/picture_options.h"
#include "apps/dalembert/progress.h"
#include "apps/dalembert/report_page.h"
#include "apps/dalembert/run_file.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/study/pictures.h"
#include "dalembert/study/report_page.h"

namespace dalembert::app {
namespace {

struct Motion {
  FilmMotion film;
  Diagnostics diagnostics = {};
  int exit_code = kExitOk;
};

// Integrates the model and returns a state for each frame.
Motion motion_of_model(const System& system, const State& start, IntegrateOptions options, const FilmPlan& film,
                       Terminal& terminal) {
  options.output_step = 0;
  options.output_times = evenly_spaced(start.t, options.until, film.frames);
  options.error_estimate = false;
  options.power_balance = false;
  Progress progress(terminal, Work::time(start.t, options.until, options.max_steps));
  options.progress_every = 1;
  options.progress = [&](const RunPoint& at) {
    progress.update(at.t);
    return !InterruptGuard::interrupted();
  };
  const InterruptGuard guard;
  const Trajectory run = integrate(system.dynamics, start, options);
  Motion motion{motion_of_run(run)};
  if (run.status == RunStatus::kOk) return motion;
  if (run.status == RunStatus::kStopped && InterruptGuard::interrupted()) {
    motion.diagnostics.push_back(warning("W0302", "interrupted: the film ends at the time of the interruption"));
    motion.exit_code = kExitInterrupted;
  } else {
    motion.diagnostics.push_back(error("E0304", run.reason.empty() ? "the run failed" : run.reason));
    motion.diagnostics.back().notes.push_back("the film shows the motion until then");
    motion.exit_code = kExitNumerical;
  }
  return motion;
}

double number(const Arguments& arguments, const char* option, double otherwise, double most) {
  const auto value = arguments.quantity(option, Dimension::none(), 0);
  if (value && *value > most)
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`", option, *arguments.value(option)),
         {fmt::format("it takes a number up to {}", to_text(most))});
  return value.value_or(otherwise);
}

FilmRequest film_request(const Arguments& arguments) {
  return {number(arguments, "--fps", 25, 120), arguments.quantity("--seconds", Dimension::time(), 0)};
}

}  // namespace

int run_animate(const Arguments& arguments, Terminal& terminal) {
  const FilmOutput output = choose_film_output(arguments);
  if (output.format == FilmFormat::kPage) {
    // On a page the reader chooses speed, forces and view.
    for (const char* option : {"--seconds", "--fps", "--forces", "--view"})
      if (arguments.has(option))
        fail(kExitUsage, "E0403", fmt::format("`{}` is for films without controls, and a page has them", option));
    return report_operand(arguments, output.path, PageParts::kMotion, terminal);
  }
  const PictureOptions options = picture_options(arguments);
  const std::string operand = arguments.operands[0];
  const bool of_file = is_run_path(operand);
  if (!of_file && arguments.has("--model"))
    fail(kExitUsage, "E0403", fmt::format("`--model` goes with a RUN, and `{}` is none", operand),
         {"a RUN is a .csv or .json file"});
  if (of_file && arguments.has("--until")) fail(kExitUsage, "E0403", "`--until` goes with a MODEL, not with a RUN");
  const System system = build(load(of_file ? model_of_run(arguments) : operand, overrides_of(arguments)));
  const ModelStart start = find_start(system);
  if (!start.assembly.ok()) {
    const Diagnostic failure = explain_start(system, start);
    fail(exit_code_of_start(failure), failure);
  }
  terminal.report(system.warnings);
  const Scene scene = scene_at(system, start.assembly.state, terminal);

  Motion motion;
  FilmPlan film;
  const FilmRequest request = film_request(arguments);
  double duration = 0;
  if (of_file) {
    const RunFile run = read_run(operand);
    require_run_of(run, system.dynamics.names());
    const std::vector<double>& time = run.table.columns.front();
    duration = time.back() - time.front();
    film = plan_film(duration, request, scene.shapes.size());
    motion.film = motion_of_rows(run.table, system.dynamics.names(), film.frames);
  } else {
    SimulationSettings settings = system.model->simulation;
    if (const auto until = arguments.quantity("--until", Dimension::time(), -kNoLimit)) settings.until = until;
    const Result<IntegrateOptions> chosen = run_options(settings, *system.model, system.model->initial.t);
    if (!chosen) fail(kExitModel, chosen.diagnostics());
    require_samples(system, start.assembly.state.t, chosen->until);
    duration = chosen->until - start.assembly.state.t;
    film = plan_film(duration, request, scene.shapes.size());
    motion = motion_of_model(system, start.assembly.state, *chosen, film, terminal);
    if (const std::vector<State>& states = motion.film.states; states.size() > 1) {
      const double went = states.back().t - states.front().t;
      film.seconds *= duration != 0 ? std::max(went / duration, 0.05) : 1;
      duration = went;
    }
  }
  terminal.report(motion.diagnostics);

  const std::vector<SceneInstant> instants = film_instants(scene, system.dynamics, motion.film);
  if (instants.empty()) fail(kExitNumerical, "E0304", "no instant of the run can be drawn: its values are not finite");
  write_film(scene, instants, film.seconds, options, output, terminal);
  if (!output.to_standard_output())
    terminal.note(
        fmt::format("{} frames, {:.3g} s of film for {:.3g} s of motion\n", instants.size(), film.seconds, duration));
  if (arguments.json() && !output.to_standard_output())
    terminal.out(document_text(Json{{"model", scene.name},
                                    {"output", output.path},
                                    {"frames", static_cast<std::int64_t>(instants.size())},
                                    {"seconds", film.seconds},
                                    {"duration", duration}}));
  return motion.exit_code;
}

}  // namespace dalembert::app
