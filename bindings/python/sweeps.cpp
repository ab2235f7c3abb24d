// SPDX-License-Identifier: Apache-2.0
// Many runs of a model.
#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/study_output.h"
#include "dalembert/study/sweep/study_page.h"
#include "dalembert/study/sweep/study_plot.h"
#include "dalembert/study/sweep/sweep_run.h"

namespace dalembert::python {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

void append(std::vector<StudyStatement::Named>& to, const Texts& texts, const std::string& source) {
  for (const auto& [name, text] : texts) to.push_back({name, MappedText::of(text, source), {}});
}

// What a study says, from Python.
StudyStatement statement_of(const py::dict& study) {
  StudyStatement stated;
  append(stated.vary, study["vary"].cast<Texts>(), "<vary>");
  append(stated.sample, study["sample"].cast<Texts>(), "<sample>");
  append(stated.measure, study["measure"].cast<Texts>(), "<measure>");
  stated.runs = study["runs"].cast<std::optional<std::int64_t>>();
  stated.seed = study["seed"].cast<std::optional<std::int64_t>>();
  stated.sampling = study["sampling"].cast<std::optional<std::string>>();
  return stated;
}

// The study of the model, with what the caller gives.
StudyStatement with_stated(StudyStatement given, const StudyStatement& stated, bool changes) {
  if (!changes) given.vary = stated.vary, given.sample = stated.sample;
  if (!given.runs && !changes) given.runs = stated.runs;
  if (given.measure.empty()) given.measure = stated.measure;
  if (!given.seed) given.seed = stated.seed;
  if (!given.sampling) given.sampling = stated.sampling;
  return given;
}

Sweep prepare(PyModel& m, const py::dict& study, const StudyRows& rows, const py::dict& settings,
              const py::dict& parameters) {
  const BuiltModel built = m.built_with(parameters);  // reports what is wrong with the model itself
  const Model& model = *built.model;
  const StudyStatement given = statement_of(study);
  const bool changes = !given.vary.empty() || !given.sample.empty() || !rows.names.empty();
  return or_throw(Sweep::prepare(model, with_stated(given, model.study, changes), rows,
                                 run_options_of(model, model.initial.t, settings)));
}

SweepJob job_of(const py::dict& settings, KeepOn& keep_on) {
  SweepJob job;
  job.threads = settings["threads"].cast<int>();
  job.shard = settings["shard"].cast<std::int64_t>();
  job.shards = settings["shards"].cast<std::int64_t>();
  job.output = settings["output"].cast<std::string>();
  job.restart = settings["restart"].cast<bool>();
  job.program = "dalembert " DALEMBERT_VERSION;
  job.progress = [&](const SweepCount&) { return keep_on(); };
  return job;
}

// Columns that grow row by row.
class Columns {
 public:
  explicit Columns(std::vector<std::string> names) : names_(std::move(names)), values_(names_.size()) {}
  void add(std::int64_t index, const std::vector<double>& quantities, const std::vector<double>& measures, bool holds,
           std::string status, double error, std::string reason) {
    std::size_t column = 0;
    for (const auto* list : {&quantities, &measures})
      for (const double value : *list) values_[column++].push_back(value);
    error_.push_back(error);
    index_.push_back(index);
    holds_.push_back(holds);
    status_.push_back(std::move(status));
    reason_.push_back(std::move(reason));
  }
  py::dict dict() const {
    py::dict columns;
    for (std::size_t k = 0; k < names_.size(); ++k) columns[py::str(names_[k])] = array_of(values_[k]);
    columns["error"] = array_of(error_);
    columns["index"] = index_;
    columns["holds"] = holds_;
    columns["status"] = status_;
    columns["reason"] = reason_;
    return columns;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;
  std::vector<double> error_;
  std::vector<std::int64_t> index_;
  std::vector<bool> holds_;
  std::vector<std::string> status_, reason_;
};

// The rows of a file that a sweep wrote.
Diagnostics read_file_of(const std::string& path, Columns& columns) {
  return sweeping::visit_study(
      path, [](const sweeping::StudyHead&) {},
      [&](const sweeping::StudyLine& line) {
        columns.add(line.index, line.values, {}, line.holds, line.status, line.error, line.reason);
        return true;
      });
}

py::dict units_of(const Sweep& sweep) {
  py::dict units;
  const auto add = [&](const std::vector<std::string>& names, const std::vector<std::string>& of) {
    for (std::size_t k = 0; k < names.size(); ++k) units[py::str(names[k])] = of[k];
  };
  add(sweep.quantities(), sweep.quantity_units());
  add(sweep.measures(), sweep.measure_units());
  return units;
}

py::dict sweep_of(PyModel& m, const py::dict& study,
                  const std::pair<std::vector<std::string>, std::vector<std::vector<double>>>& rows,
                  const py::dict& settings, const py::dict& parameters, const py::dict& how) {
  const Sweep sweep = prepare(m, study, {rows.first, rows.second}, settings, parameters);
  KeepOn keep_on;
  const SweepJob job = job_of(how, keep_on);
  std::vector<StudyRun> made;
  std::optional<Result<SweepOutcome>> outcome;
  std::vector<std::string> names = sweep.quantities();
  names.insert(names.end(), sweep.measures().begin(), sweep.measures().end());
  Columns columns(std::move(names));
  {
    const Unlocked without;
    outcome.emplace(job.output.empty() ? Result<SweepOutcome>(run_sweep(sweep, job, made)) : run_sweep(sweep, job));
    if (*outcome && !(*outcome)->interrupted && !job.output.empty())
      if (Diagnostics problems = read_file_of(job.output, columns); !problems.empty()) outcome.emplace(problems);
  }
  keep_on.raise();
  const SweepOutcome done = or_throw(std::move(*outcome));
  if (done.interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  py::dict answer;
  answer["quantities"] = sweep.quantities();
  answer["measures"] = sweep.measures();
  answer["grid"] = sweep.grid();
  answer["units"] = units_of(sweep);
  answer["sampled"] = sweep.samples() > 0;
  const sweeping::StudyHead head = study_head(sweep, job);
  answer["model"] = head.model;
  answer["program"] = head.program;
  answer["identity"] = head.mark.identity;
  for (StudyRun& run : made)
    columns.add(run.index, run.values, run.measures, run.holds, std::string(to_text(run.status)), run.error,
                std::move(run.reason));
  answer["columns"] = columns.dict();
  return answer;
}

// What a Study in Python says of itself: the document of sweep_of().
sweeping::StudyHead head_of(const py::dict& study) {
  using Kind = sweeping::StudyColumn::Kind;
  const auto text = [&](const char* key) { return study[key].cast<std::string>(); };
  sweeping::StudyHead head{{text("identity"), 0, 1, 1}, text("model"), text("program"), {}};
  const auto grid = study["grid"].cast<std::vector<std::int64_t>>();
  const auto units = study["units"].cast<std::map<std::string, std::string>>();
  const Kind other = study["sampled"].cast<bool>() ? Kind::kSampled : Kind::kGiven;
  for (const auto& name : study["quantities"].cast<std::vector<std::string>>()) {
    const std::size_t k = head.columns.size();
    head.columns.push_back(
        {name, units.at(name), k < grid.size() ? Kind::kVaried : other, k < grid.size() ? grid[k] : 0});
  }
  for (const auto& name : study["measures"].cast<std::vector<std::string>>())
    head.columns.push_back({name, units.at(name), Kind::kMeasure, 0});
  head.mark.runs = static_cast<std::int64_t>(py::len(study["columns"]["index"]));
  return head;
}

sweeping::StudySource source_of(const py::dict& study) {
  const sweeping::StudyHead head = head_of(study);
  const py::object columns = study["columns"];
  const auto numbers = [&](const std::string& name) { return columns[py::str(name)].cast<std::vector<double>>(); };
  std::vector<sweeping::StudyLine> lines(static_cast<std::size_t>(head.mark.runs));
  for (const auto& column : head.columns) {
    const std::vector<double> values = numbers(column.name);
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k].values.push_back(values[k]);
  }
  const auto index = columns["index"].cast<std::vector<std::int64_t>>();
  const auto holds = columns["holds"].cast<std::vector<bool>>();
  const auto status = columns["status"].cast<std::vector<std::string>>(),
             reason = columns["reason"].cast<std::vector<std::string>>();
  const std::vector<double> errors = numbers("error");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    sweeping::StudyLine& line = lines[k];
    line.index = index[k];
    line.holds = holds[k];
    line.status = status[k];
    line.reason = reason[k];
    line.error = errors[k];
  }
  return {head, std::move(lines)};
}

void save(const py::dict& study, const std::string& path) {
  const std::size_t quantities = py::len(study["quantities"]);
  const sweeping::StudySource source = source_of(study);
  const Unlocked without;
  sweeping::StudyHead head;
  std::vector<StudyRun> rows;
  Diagnostics problems =
      source.visit([&](const sweeping::StudyHead& given) { head = given; },
                   [&](const sweeping::StudyLine& line) {
                     const auto middle = line.values.begin() + static_cast<std::ptrdiff_t>(quantities);
                     StudyRun run{line.index, {line.values.begin(), middle}, {middle, line.values.end()}};
                     run.holds = line.holds;
                     for (const RunStatus one : {RunStatus::kOk, RunStatus::kStopped})
                       if (line.status == to_text(one)) run.status = one;
                     run.error = line.error;
                     run.reason = line.reason;
                     rows.push_back(std::move(run));
                     return true;
                   });
  if (problems.empty()) problems = save_study(path, head, rows);
  if (!problems.empty()) throw ModelError(std::move(problems));
}

std::pair<std::string, py::object> plot(const py::dict& study, const std::string& measure,
                                        const std::optional<std::string>& x, const std::optional<std::string>& y,
                                        bool log_y, const std::optional<std::array<double, 2>>& range, bool degrees) {
  const StudyPlot drawn = or_throw(plot_study(source_of(study), {measure, x, y, log_y, range, degrees}));
  return {drawn.svg, to_python(drawn.json)};
}

std::string page(const py::dict& study, const std::string& command) {
  return or_throw(study_page(source_of(study), {command}));
}

}  // namespace

void bind_sweeps(py::module_& module) {
  module.def("sweep", &sweep_of, py::arg("model"), py::arg("study"), py::arg("rows"), py::arg("settings"),
             py::arg("parameters"), py::arg("how"));
  module.def("save_study", &save, py::arg("study"), py::arg("path"));
  module.def("plot_study", &plot, py::arg("study"), py::arg("measure"), py::arg("x"), py::arg("y"), py::arg("log_y"),
             py::arg("range"), py::arg("degrees"));
  module.def("study_page", &page, py::arg("study"), py::arg("command"));
}

}  // namespace dalembert::python
