# SPDX-License-Identifier: Apache-2.0
"""Runs: series by name, the verdict, reactions, pictures."""

import os
from collections import namedtuple

from . import _core
from .pictures import Film, Picture, Report, _image

Peak = namedtuple("Peak", "magnitude time vector")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` is the run as far as it went."""

    def __init__(self, run):
        super().__init__(run.reason)
        self.run = run


class Verdict:
    """Whether a run can be trusted, and why. True where it holds."""

    def __init__(self, run):
        self.holds, self.text, self.warnings = run.holds, run.verdict_text, run.warnings

    def __bool__(self):
        return self.holds

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text


class Run:
    """A run. run["theta"], run["theta'"], run["lambda/pin[1]"] are arrays that look at the run's own numbers."""

    def __init__(self, run, model, parameters):
        self._run, self.model, self._parameters = run, model, parameters

    status = property(lambda self: self._run.status, doc="'ok', 'stopped' or 'failed'")
    reason = property(lambda self: self._run.reason, doc="why it did not reach its end; empty where it did")
    names = property(lambda self: self._run.series_names, doc="of all series, time first")
    events = property(lambda self: self._run.events, doc="[(what, when)]")
    gradient = property(lambda self: self._run.gradient, doc="{output: {quantity: derivative}}, of simulate(gradient_of=…)")
    steps = property(lambda self: self._run.steps)
    verdict = property(lambda self: Verdict(self._run))
    quality = verdict
    t = property(lambda self: self._run.series("time"))

    def __getitem__(self, name):
        return self._run.series(name)

    def __contains__(self, name):
        return self._run.has_series(name)

    def _ipython_key_completions_(self):
        """All series, and the short names that are unique."""
        names = self.names
        short = [name[2:] + "'"*"qva".index(name[0]) for name in names if name[:2] in ("q/", "v/", "a/")]
        short += [name.split("/", 1)[1] for name in names if "/" in name]
        return names + [name for name in dict.fromkeys(short) if name not in names and self._run.has_series(name)]

    def __len__(self):
        return len(self._run)

    def unit(self, name) -> "str":
        """SI unit of a series; empty where the model gives none."""
        return self._run.unit(name)

    def final(self):
        """(q, v) of the last row."""
        state = self._run.final_state()
        return state.q, state.v

    def peaks(self, *names):
        """{name: (least, when, largest, when)} in the rows, of multipliers and outputs, or of the series named."""
        t, peaks = self.t, {}
        for name in names or [n for n in self.names if n.startswith(("lambda/", "F/", "friction/", "output/"))]:
            values = self[name]
            low, high = int(values.argmin()), int(values.argmax())
            peaks[name] = float(values[low]), float(t[low]), float(values[high]), float(t[high])
        return peaks

    def to_dict(self) -> "dict":
        """What `simulate --json` prints."""
        return self._run.json

    def to_dataframe(self):
        """A pandas.DataFrame with a column for each series, indexed by time."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.names[1:]}, index=pandas.Index(self.t, name="time"))

    def to_xarray(self):
        """An xarray.Dataset of all series along the dimension `time`, with units as attributes."""
        import xarray as xr

        series = {name: ("time", self[name], {"units": self.unit(name)} if self.unit(name) else {}) for name in self.names[1:]}
        return xr.Dataset(series, {"time": ("time", self.t, {"units": "s"})},
                          {"model": self._run.model_name, "status": self.status, "reason": self.reason, "holds": int(self._run.holds)})

    def save(self, path):
        """As .csv or .json, which the command's plot, animate and report read."""
        path = os.fspath(path)
        suffix = os.path.splitext(path)[1].lower()
        if suffix not in (".csv", ".json"):
            raise ValueError(f"a run is saved as .csv or .json, not as `{os.path.basename(path)}`")
        problems = self._run.write(path, suffix == ".json")
        if problems:
            raise OSError(problems[0].message)

    def reaction(self, constraint, frame=None) -> "Reaction":
        """The force of a constraint as a vector where it acts, along the axes of the ground or of a frame or body of the model.

        Where the model does not say where that is, its components are the multipliers of its rows, and `located` is False.
        """
        return Reaction(_core.reaction(self.model._model, self._run, self._parameters, constraint, frame or ""))

    def plot(self, *names, x=None, phase=None, beside=(), log_y=False, peaks=False, x_range=None, y_range=None,
             degrees=False) -> "Picture":
        """A figure of series by name or pattern: plot("theta", "lambda.*"); without names a few of each unit.

        x: another series than the time; phase="theta,theta'": one against the other; beside: other runs, in a list or by
        label; peaks marks where curves are lowest and highest; degrees: angles and their rates in degrees. Ranges are (from, to) in what is
        shown: SI, or degrees.
        """
        runs = [(self._run.model_name, self._run)]
        others = beside.items() if isinstance(beside, dict) else ((f"{one._run.model_name} {k}", one) for k, one in enumerate(beside, 2))
        runs += [(str(label), one._run) for label, one in others]
        phase = ",".join(phase) if isinstance(phase, (list, tuple)) else phase
        return Picture(_core.chart(runs, list(names), x, phase, log_y, peaks, x_range, y_range, degrees))

    def animate(self, *, fps=25, seconds=None, forces=False, view=None) -> "Film":
        """A film that plays by itself. `forces`: with reactions; `view`: two angles of the camera, in degrees."""
        if not 0 < fps <= 120 or (seconds is not None and not seconds > 0):
            raise ValueError("fps is above 0 and at most 120, seconds are above 0")
        film = _core.film(self.model._model, self._run, self._parameters, float(fps), seconds, forces, view)
        return Film(film, lambda: self._report("run.animate()", True).html)

    def report(self, path=None) -> "Report":
        """A page that explains the model and this run; saved where there is a path."""
        page = self._report("run.report()", False)
        if path is not None:
            page.save(path)
        return page

    def _report(self, command, motion_only):
        return Report(_core.report(self.model._model, self._run, self._parameters, command, motion_only))

    def __reduce__(self):
        return Run, (self._run, self.model, self._parameters)

    def _repr_html_(self):
        """The scene, moving, above the verdict."""
        import html

        try:
            film = _image(_core.film(self.model._model, self._run, self._parameters, 15.0, None, False, None).svg)
        except _core.ModelError:
            film = ""  # nothing to draw
        return f"<div><b>{html.escape(self._run.model_name)}</b>, {html.escape(self._summary())}</div>{film}<pre>{html.escape(str(self.verdict))}</pre>"

    def _summary(self):
        end = f"{len(self)} rows to t = {self.t[-1]:g} s" if len(self) else "no rows"
        return f"{self.status}, {end}" + (f": {self.reason}" if self.reason else "")

    def __repr__(self):
        return f"<Run of {self._run.model_name}: {self._summary()}, verdict {'holds' if self._run.holds else 'does not hold'}>"


class Reaction:
    """The force of a constraint along a run: `vector` [row, component], `components` (x, y, z or rows), `t`, `unit`.

    `located`: it is known where it acts, at `point` (which may have no name), and components are along the axes of `frame`
    ("": the ground). `turns`: it is a torque.
    """

    def __init__(self, reaction):
        self._reaction = reaction

    constraint = property(lambda self: self._reaction.constraint)
    located = property(lambda self: self._reaction.located)
    turns = property(lambda self: self._reaction.turns)
    point = property(lambda self: self._reaction.point)
    frame = property(lambda self: self._reaction.frame)
    unit = property(lambda self: self._reaction.unit)
    components = property(lambda self: self._reaction.components)
    t = property(lambda self: self._reaction.t)

    def __getitem__(self, component):
        """A component by name: an array."""
        names = self.components
        if component not in names:
            raise KeyError(f"`{component}` is none of the components {', '.join(names)}")
        return self._reaction.component(names.index(component))

    @property
    def vector(self):
        import numpy as np

        return np.stack([self[name] for name in self.components], axis=1)

    def peak(self) -> "Peak":
        """(magnitude, time, vector) where it is largest."""
        row, magnitude = self._reaction.peak()
        if not len(self.t):
            raise ValueError("the run has no rows")
        return Peak(magnitude, float(self.t[row]), self.vector[row])

    def __repr__(self):
        where = f" at {self.point}" if self.point else "" if self.located else ", multipliers of its rows: it is not known where it acts"
        return f"<Reaction of {self.constraint}{where}: {', '.join(self.components)}{f' [{self.unit}]' if self.unit else ''}>"
