// SPDX-License-Identifier: Apache-2.0
// Figures, pictures, films and pages as SVG and HTML texts. The Python package saves them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "dalembert/figure/chart.h"
#include "dalembert/study/charts.h"
#include "dalembert/study/pictures.h"
#include "dalembert/study/reactions.h"
#include "dalembert/study/report_page.h"
#include "dalembert/study/start_warnings.h"

namespace dalembert::python {
namespace {

using Range = std::optional<std::array<double, 2>>;

PictureOptions options_of(bool forces, const std::optional<std::array<double, 2>>& view) {
  PictureOptions options;
  options.forces = forces;
  if (!view) return options;
  const auto [azimuth, elevation] = *view;
  if (!std::isfinite(azimuth) || !(std::abs(elevation) <= 90))
    throw py::value_error("view takes two angles in degrees, the second one from -90 to 90: view=(-48, 24)");
  options.azimuth = std::remainder(azimuth, 360);
  options.elevation = elevation;
  return options;
}

// A figure as SVG, its JSON as from `plot --json`, and warnings about what it does not show.
struct Figure {
  std::string svg;
  Json json;
  Diagnostics warnings;
};

Figure chart(const std::vector<std::pair<std::string, std::shared_ptr<Trajectory>>>& runs,
             const std::vector<std::string>& y, const std::optional<std::string>& x,
             const std::optional<std::string>& phase, bool log_y, bool mark_peaks, const Range& x_range,
             const Range& y_range, bool degrees) {
  const Unlocked unlocked;
  const ChartRequest request{y, x, phase, log_y, mark_peaks, x_range, y_range, degrees};
  std::vector<NamedRun> named;
  for (const auto& [name, run] : runs) {
    named.push_back({name, to_table(*run), name});
    add_known_units(named.back().table);
  }
  const ChartSelection selection = or_throw(select_series(std::move(named), request));
  Diagnostics gaps = look_for_gaps(selection, log_y);
  if (has_errors(gaps)) throw ModelError(std::move(gaps));
  const Chart drawn = make_chart(selection, request, false);
  return {chart_svg(drawn), chart_json(selection, drawn), std::move(gaps)};
}

Figure phase_plane(PyModel& m, const py::object& at, const py::dict& parameters,
                   const std::optional<std::string>& states, const Range& right, const Range& up, bool degrees) {
  BuiltModel built = m.built_with(parameters);
  const std::optional<Start> start = start_at(at);
  const Unlocked unlocked;
  PhasePlot plot = or_throw(
      plot_phase(or_throw(system_at(std::move(built), start ? &*start : nullptr)), {states, right, up, degrees}));
  return {std::move(plot.svg), std::move(plot.json), {}};
}

Figure draw(PyModel& m, const py::object& at, const py::dict& parameters, bool forces, const Range& view) {
  BuiltModel built = m.built_with(parameters);
  const std::optional<Start> start = start_at(at);
  const PictureOptions options = options_of(forces, view);
  const Unlocked unlocked;
  const SystemAt given = or_throw(system_at(std::move(built), start ? &*start : nullptr));
  const Result<std::string> picture = picture_of(given.system, given.state, options);
  if (!picture) throw ModelError(picture.diagnostics());
  return {*picture, Json(), picture.diagnostics()};
}

std::shared_ptr<Film> film(PyModel& m, const Trajectory& run, const py::dict& parameters, double fps,
                           std::optional<double> seconds, bool forces, const Range& view) {
  const BuiltModel built = m.built_with(parameters);
  const PictureOptions options = options_of(forces, view);
  const Unlocked unlocked;
  return std::make_shared<Film>(or_throw(film_of_rows(built, to_table(run), {fps, seconds}, options)));
}

// Whether a run began where the model begins: no farther from it than round-off.
bool begins_at(const State& own, const State& at) {
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b,
                              [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(1.0, std::abs(x)); });
  };
  return own.t == at.t && near(own.q, at.q) && near(own.v, at.v);
}

std::string report(PyModel& m, const Trajectory& run, const py::dict& parameters, const std::string& command,
                   bool motion_only) {
  BuiltModel built = m.built_with(parameters);
  if (run.size() == 0) throw py::value_error("the run has no rows: there is nothing to show");
  const Unlocked unlocked;
  AssembleOptions held = held_values(*built.model);
  const SystemAt given{std::move(built), run.state(0), std::move(held.hold_position), std::move(held.hold_velocity),
                       nullptr,          true};
  const Result<ModelStart> own = find_model_start(given.system);
  Diagnostics doubts;
  if (own && own->assembly.ok() && begins_at(own->assembly.state, given.state))
    doubts = start_warnings(given.system, *own);
  return report_html({given, to_table(run), &run, command, motion_only ? PageParts::kMotion : PageParts::kAll, false,
                      std::move(doubts)});
}

std::shared_ptr<Reaction> reaction(PyModel& m, const Trajectory& run, const py::dict& parameters,
                                   const std::string& constraint, const std::string& frame) {
  const BuiltModel built = m.built_with(parameters);
  const Unlocked unlocked;
  return std::make_shared<Reaction>(or_throw(reaction_along(built, run, constraint, frame)));
}

}  // namespace

void bind_pictures(py::module_& module) {
  py::class_<Figure>(module, "Figure")
      .def_readonly("svg", &Figure::svg)
      .def_property_readonly("json", [](const Figure& f) { return to_python(f.json); })
      .def_readonly("warnings", &Figure::warnings);
  module.def("chart", &chart, py::arg("runs"), py::arg("y"), py::arg("x"), py::arg("phase"), py::arg("log_y"),
             py::arg("mark_peaks"), py::arg("x_range"), py::arg("y_range"), py::arg("degrees"));
  module.def("phase_plane", &phase_plane, py::arg("model"), py::arg("at"), py::arg("parameters"), py::arg("states"),
             py::arg("right"), py::arg("up"), py::arg("degrees"));
  module.def("draw", &draw, py::arg("model"), py::arg("at"), py::arg("parameters"), py::arg("forces"), py::arg("view"));

  py::class_<Film, std::shared_ptr<Film>>(module, "Film")
      .def("__len__", [](const Film& f) { return f.frames; })
      .def_readonly("seconds", &Film::seconds)
      .def_readonly("duration", &Film::duration)
      .def_property_readonly("svg",
                             [](const Film& f) {
                               const Unlocked unlocked;
                               return film_svg(f);
                             })
      .def(
          "frame",
          [](const Film& f, std::size_t which) {
            if (which >= f.frames) throw py::index_error("the film has fewer frames");
            return film_frame(f, which);
          },
          py::arg("which"));
  module.def("film", &film, py::arg("model"), py::arg("run"), py::arg("parameters"), py::arg("fps"), py::arg("seconds"),
             py::arg("forces"), py::arg("view"));
  module.def("report", &report, py::arg("model"), py::arg("run"), py::arg("parameters"), py::arg("command"),
             py::arg("motion_only"));

  py::class_<Reaction, std::shared_ptr<Reaction>>(module, "Reaction")
      .def_readonly("constraint", &Reaction::constraint)
      .def_readonly("located", &Reaction::located)
      .def_readonly("turns", &Reaction::turns)
      .def_readonly("point", &Reaction::point)
      .def_readonly("frame", &Reaction::frame)
      .def_readonly("unit", &Reaction::unit)
      .def_readonly("components", &Reaction::components)
      .def_property_readonly("t", [](const std::shared_ptr<Reaction>& r) { return view_of(r->time, py::cast(r)); })
      .def(
          "component",
          [](const std::shared_ptr<Reaction>& r, std::size_t which) {
            if (which >= r->values.size()) throw py::index_error("there are fewer components");
            return view_of(r->values[which], py::cast(r));
          },
          py::arg("which"))
      .def("peak", [](const Reaction& r) {
        const ReactionPeak peak = find_peak(r);
        return std::pair(peak.row, peak.magnitude);
      });
  module.def("reaction", &reaction, py::arg("model"), py::arg("run"), py::arg("parameters"), py::arg("constraint"),
             py::arg("frame"));
}

}  // namespace dalembert::python
